// Erase and trim: what is refused before the card hears of it, and what it hears.

#include "mmcpipe/card/erase.h"

#include "tests/card/card_fixture.h"

namespace mmcpipe::card {
namespace {

namespace ext_csd = spec::mmc::ext_csd;
using base::Code;
using base::milliseconds;
using base::Result;

struct Erasing : CardFixture {
    void SetUp() override { use(FakeCard::emmc()); }
    Result<void> erase(std::uint64_t first, std::uint64_t count, spec::Erase kind = spec::Erase::erase) {
        const Sectors range{first, count};
        return host->run(card::erase(*card, range, kind));
    }
};

TEST_F(Erasing, WholeGroupsOfAnEmmcAreErased) {
    ASSERT_TRUE(erase(2048, 3072));
    EXPECT_EQ((Trace{log().begin(), log().begin() + 4}), (Trace{"CMD35", "CMD36", "CMD38", "CMD13"}));
    EXPECT_EQ(host->last_argument(35), 2048u);
    EXPECT_EQ(host->last_argument(36), 5119u);
    EXPECT_EQ(host->last_argument(38), 0u);
    EXPECT_EQ(fake().state, spec::State::tran);
}

TEST_F(Erasing, APartOfAGroupIsRefusedBecauseTheCardWouldEraseTheWhole) {
    EXPECT_EQ(erase(2048, 1023), base::fail(Code::misaligned));
    EXPECT_EQ(erase(2047, 1025), base::fail(Code::misaligned));
    EXPECT_EQ(erase(2048, 1000, spec::Erase::secure_erase), base::fail(Code::misaligned));
    EXPECT_TRUE(log().empty());
}

TEST_F(Erasing, TheLastGroupOfACardMayBeAShortOne) {
    FakeCard odd = FakeCard::emmc();
    spec::mmc::put(odd.ext_csd, ext_csd::sec_count, 10'000);
    use(odd);
    EXPECT_TRUE(erase(9216, 784));
    EXPECT_EQ(erase(9216, 700), base::fail(Code::misaligned));
}

TEST_F(Erasing, TrimTakesSectors) {
    ASSERT_TRUE(erase(2047, 3, spec::Erase::trim));
    EXPECT_EQ(host->last_argument(35), 2047u);
    EXPECT_EQ(host->last_argument(36), 2049u);
    EXPECT_EQ(host->last_argument(38), 1u);
}

TEST_F(Erasing, SecureEraseIsForCardsThatHaveIt) {
    ASSERT_TRUE(erase(0, 1024, spec::Erase::secure_erase));
    EXPECT_EQ(host->last_argument(38), 0x8000'0000u);
}

TEST_F(Erasing, WhatTheCardDoesNotHaveIsNotPossible) {
    FakeCard plain = FakeCard::emmc();
    spec::mmc::put(plain.ext_csd, ext_csd::sec_feature_support, 0);
    spec::mmc::put(plain.ext_csd, ext_csd::ext_csd_rev, 5);
    use(plain);
    for (const spec::Erase kind : {spec::Erase::trim, spec::Erase::discard, spec::Erase::secure_erase,
                                   spec::Erase::secure_trim_step_1, spec::Erase::secure_trim_step_2}) {
        EXPECT_EQ(erase(0, 1024, kind), base::fail(Code::not_possible));
    }
    EXPECT_TRUE(log().empty());
}

TEST_F(Erasing, ACardWithoutTheEraseClassIsNotErased) {
    FakeCard plain = FakeCard::emmc();
    spec::mmc::Csd csd = spec::mmc::Csd::decode(plain.csd);
    csd.ccc = 0x8d5;
    plain.csd = csd.encode();
    use(plain);
    EXPECT_EQ(erase(0, 1024), base::fail(Code::not_possible));
}

TEST_F(Erasing, NothingBeyondTheEndOrEmptyIsErased) {
    const std::uint64_t sectors = properties().capacity.sectors();
    EXPECT_EQ(erase(0, 0), base::fail(Code::out_of_range));
    EXPECT_EQ(erase(sectors, 1024), base::fail(Code::out_of_range));
    EXPECT_EQ(erase(1024, sectors), base::fail(Code::out_of_range));
    EXPECT_EQ(erase(1024, UINT64_MAX), base::fail(Code::out_of_range));
}

TEST_F(Erasing, AnSdCardCountsInItsOwnCommandsAndUnits) {
    use(FakeCard::sdhc());
    ASSERT_TRUE(erase(7, 5));
    EXPECT_TRUE(in_order({"CMD32", "CMD33", "CMD38", "CMD13"}));
    EXPECT_EQ(host->last_argument(33), 11u);
    EXPECT_EQ(erase(7, 5, spec::Erase::trim), base::fail(Code::not_possible));

    use(FakeCard::sdsc()); // units of 64 sectors, and bytes
    EXPECT_EQ(erase(0, 63), base::fail(Code::misaligned));
    ASSERT_TRUE(erase(64, 64));
    EXPECT_EQ(host->last_argument(32), 64u * 512);
    EXPECT_EQ(host->last_argument(33), 127u * 512);
}

TEST_F(Erasing, TheCardGetsAsLongAsItsRegistersSayForTheGroupsThatAreTouched) {
    fake().erase_busy = milliseconds(550); // ERASE_TIMEOUT_MULT and TRIM_MULT are 300 ms a group
    EXPECT_TRUE(erase(0, 2048));
    EXPECT_TRUE(erase(1023, 2, spec::Erase::trim)) << "two groups";
    const Result<void> one = erase(1022, 2, spec::Erase::trim);
    ASSERT_FALSE(one);
    EXPECT_EQ(one.error().code, Code::busy_timeout);
}

TEST_F(Erasing, GroupsThatAreSkippedBecauseTheyAreProtectedAreAnError) {
    host->on_command = [](FakeHost& host, const std::string& what) {
        if (what == "CMD13" && host.count("CMD13") == 1) host.card.errors = spec::r1::WpEraseSkip::mask;
    };
    EXPECT_EQ(erase(0, 1024), base::fail(Code::r1_error, spec::r1::WpEraseSkip::mask));
}

} // namespace
} // namespace mmcpipe::card
