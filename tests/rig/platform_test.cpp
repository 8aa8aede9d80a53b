#include "rig_fixture.h"

#include <gmock/gmock.h>

namespace mmcpipe::rig {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Platform, ACellOrAnEngineOfAnotherControllerIsRefused) {
    EXPECT_THAT([] { platform("ux500", {{"cell", "pxa27x"}}); },
                ThrowsMessage<sim::ProfileError>(HasSubstr("platform.cell is \"pxa27x\", expected one of a pl18x")));
    EXPECT_THAT([] { platform("pxa270", {{"dma", "pl080s"}}); },
                ThrowsMessage<sim::ProfileError>(HasSubstr("platform.dma is \"pl080s\", expected one of a pxamci")));
    EXPECT_THAT([] { platform("ux500", {{"controller", "pxamci"}}); },
                ThrowsMessage<sim::ProfileError>(HasSubstr("platform.cell is \"st_v2\"")));
}

TEST(Platform, EveryControllerTakesProgrammedIo) {
    EXPECT_EQ(platform("pxa270", {{"dma", "none"}}).dma, DmaEngine::none);
    EXPECT_EQ(platform("ux500", {{"dma", "none"}}).dma, DmaEngine::none);
}

} // namespace
} // namespace mmcpipe::rig
