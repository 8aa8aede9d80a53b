#include "firmware/run/not_tried.h"

#include "mmcpipe/spec/cid.h"

#include <gtest/gtest.h>

namespace firmware {
namespace {

using namespace mmcpipe;

card::Properties card_of(spec::sd::Cid cid) {
    card::Properties card;
    card.peer.family = spec::Family::sd;
    card.cid = cid.encode();
    return card;
}

constexpr spec::sd::Cid qemu{.mid = 0xaa, .pnm = {'Q', 'E', 'M', 'U', '!'}, .prv = {0x01}};

TEST(NotTried, AreTheCasesInWhichQemuIsWrongAndNoOthers) {
    unsigned mmc_test = 0;
    unsigned conformance = 0;
    for (unsigned number = 1; number <= 44; ++number) {
        mmc_test += not_tried(card_of(qemu), "mmc_test", number) != nullptr;
        conformance += not_tried(card_of(qemu), "conformance", number) != nullptr;
    }
    EXPECT_EQ(mmc_test, 4u);
    EXPECT_EQ(conformance, 1u);
}

TEST(NotTried, AreFewerWithALaterCardOfQemu) {
    spec::sd::Cid later = qemu;
    later.prv = {0x02};
    EXPECT_EQ(not_tried(card_of(later), "conformance", 21), nullptr);
    EXPECT_NE(not_tried(card_of(later), "mmc_test", 15), nullptr);
}

TEST(NotTried, IsNothingWithAnotherCard) {
    spec::sd::Cid other = qemu;
    other.mid = 0x03;
    EXPECT_EQ(not_tried(card_of(other), "mmc_test", 15), nullptr);
    other = qemu;
    other.pnm[4] = '?';
    EXPECT_EQ(not_tried(card_of(other), "conformance", 21), nullptr);
}

} // namespace
} // namespace firmware
