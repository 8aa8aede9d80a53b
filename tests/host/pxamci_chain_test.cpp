// The PXA MMC driver's own DMA list.

#include "mmcpipe/host/pxamci/chain.h"
#include "pxa_dma_fixture.h"

namespace mmcpipe::host::dma {
namespace {

using pxamci::Chain;
using PxamciChain = PxaDma;

TEST_F(PxamciChain, ADescriptorIsAPageAtMost) {
    EXPECT_EQ(Chain(controller, peripheral, 4).constraints().max_length, 4096u);
}

TEST_F(PxamciChain, AChainRunsWithoutAnInterruptAtItsEnd) {
    Chain chain(controller, peripheral, 4);
    chain.set_listener(ends, dma::Announce::errors);
    ASSERT_TRUE(prepare(chain, {4096, 4096}));
    chain.start(Slot::first);
    EXPECT_EQ(io.writes.back(), FakeIo::Write(pxa::control(3), run));
}

TEST_F(PxamciChain, AChainIsQuietWhenItHasComeToItsEnd) {
    Chain chain(controller, peripheral, 4);
    ASSERT_TRUE(prepare(chain, {32}));
    chain.start(Slot::first);
    io.writes.clear();
    io.queues[pxa::control(3)] = {run, run, stopped};
    EXPECT_TRUE(chain.quiesce());
    EXPECT_TRUE(io.writes.empty()) << "it ends by itself";
    EXPECT_TRUE(io.queues[pxa::control(3)].empty());
    const int reads = io.reads[pxa::control(3)];
    EXPECT_TRUE(chain.quiesce());
    EXPECT_EQ(io.reads[pxa::control(3)], reads) << "and is known to have";
}

TEST_F(PxamciChain, AChainTellsOfBusErrorsOnlyAndOfNoneAfterItWasTerminated) {
    Chain chain(controller, peripheral, 4);
    chain.set_listener(ends, dma::Announce::errors);
    ASSERT_TRUE(prepare(chain, {32}));
    chain.start(Slot::first);
    stops();
    EXPECT_TRUE(ends.results.empty());
    stops(stopped | bus_error);
    ASSERT_EQ(ends.results.size(), 1u);
    EXPECT_FALSE(ends.results[0]);

    ASSERT_TRUE(prepare(chain, {32}));
    chain.start(Slot::first);
    chain.terminate();
    stops(stopped | bus_error);
    EXPECT_EQ(ends.results.size(), 1u);
}

} // namespace
} // namespace mmcpipe::host::dma
