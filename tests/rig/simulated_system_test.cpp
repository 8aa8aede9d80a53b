#include "mmcpipe/rig/simulated_system.h"

#include "mmcpipe/measure/mounted.h"
#include "rig_fixture.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace mmcpipe::rig {
namespace {

Platform two_processors() {
    Platform p = platform("ux500");
    p.clients.complete_page = base::microseconds(47);
    return p;
}

void on(SimulatedBoard& board, const Platform& platform, const measure::MountOptions& options,
        const std::function<void(measure::Mounted&)>& clients) {
    SimulatedSystem system(board, platform.clients);
    board.run([&](Stack& stack) { measure::mount(system, stack.card(), options, clients); });
}

TEST(SimulatedSystem, AThreadWritesAndReadsBackThroughTheDevice) {
    const Platform p = two_processors();
    SimulatedBoard board(p, card_profile("ux500-emmc"));
    on(board, p, {}, [](measure::Mounted& mounted) {
        measure::Disk::Client client(mounted.disk, 0);
        const host::Buffer memory = mounted.system.allocate(16384);
        const std::array<host::Buffer, 1> list{memory};
        measure::Disk::Request request;
        request.operation = block::Operation::write;
        request.sector = 1000;
        request.sectors = 32;
        request.buffers = list;
        std::ranges::fill(memory, std::byte{0x3c});
        client.submit(request);
        client.wait(request);
        EXPECT_FALSE(request.failure);
        std::ranges::fill(memory, std::byte{0});
        request.operation = block::Operation::read;
        client.submit(request);
        client.wait(request);
        EXPECT_FALSE(request.failure);
        EXPECT_EQ(request.done_bytes, 16384u);
        EXPECT_TRUE(std::ranges::all_of(memory, [](std::byte b) { return b == std::byte{0x3c}; }));
        EXPECT_EQ(mounted.statistics.of(host::Direction::read).requests, 1u);
    });
}

/// One client reads 512 KiB, again and again; on the other processor another one asks for single sectors.
base::Histogram longest_off(measure::Completion completion, std::string& by) {
    const Platform p = two_processors();
    SimulatedBoard board(p, card_profile("ux500-emmc"));
    SimulatedSystem system(board, p.clients);
    board.run([&](Stack& stack) {
        measure::MountOptions options;
        options.completion = completion;
        measure::mount(system, stack.card(), options, [&](measure::Mounted& mounted) {
            measure::run_all(system, "reader", 2, [&](unsigned i) {
                measure::Disk::Client client(mounted.disk, static_cast<std::uint16_t>(i));
                const std::uint32_t sectors = i == 0 ? 1024 : 1;
                const std::array<host::Buffer, 1> list{system.allocate(sectors * 512)};
                for (unsigned n = 0; n < 8; ++n) {
                    measure::Disk::Request request;
                    request.sector = i * 100'000 + n * 2048;
                    request.sectors = sectors;
                    request.buffers = list;
                    client.submit(request);
                    client.wait(request);
                    EXPECT_FALSE(request.failure);
                }
            });
        });
    });
    by = system.interrupts_off_by();
    return system.interrupts_off();
}

TEST(SimulatedSystem, CompletingUnderTheLockHoldsInterruptsOffForAllPagesAndOtherwiseForOne) {
    std::string by;
    const base::Histogram locked = longest_off(measure::Completion::locked, by);
    EXPECT_EQ(locked.max(), 128u * 47'000);
    EXPECT_EQ(by, "executor");
    const base::Histogram unlocked = longest_off(measure::Completion::unlocked, by);
    EXPECT_EQ(unlocked.max(), 47'000u);
    EXPECT_GE(unlocked.count(), 8u * 128);
}

TEST(SimulatedSystem, AProbeSeesWhatHoldsItsProcessorUp) {
    const Platform p = two_processors();
    SimulatedBoard board(p, card_profile("ux500-emmc"));
    SimulatedSystem system(board, p.clients);
    board.run([&](Stack&) {
        const auto probe = system.make_probe(0, base::milliseconds(1));
        for (unsigned i = 0; i < 10; ++i) {
            system.spend(base::microseconds(700));
            system.spend_masked(base::microseconds(600));
        }
        probe->stop();
        EXPECT_GE(probe->interrupt_late().count(), 9u);
        EXPECT_LE(probe->interrupt_late().max(), 600'000u);
        EXPECT_GE(probe->interrupt_late().max(), 300'000u);
        EXPECT_GE(probe->thread_late().max(), 300'000u);
    });
}

} // namespace
} // namespace mmcpipe::rig
