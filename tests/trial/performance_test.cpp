#include "mmcpipe/trial/mmc_test.h"
#include "tests/trial/bench_fixture.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace mmcpipe::trial {
namespace {

using enum Outcome;

struct Timed : testing::Test {
    Timed() { test.host.keeps_data = false; }
    const std::vector<Row>& rows(unsigned number, Outcome expected = ok) {
        test.notes.rows.clear();
        EXPECT_EQ(test.run(mmc_test_cases(), number), expected) << number;
        return test.notes.rows;
    }
    /// How often a line stands in the host's log.
    std::size_t count(const std::string& line) const {
        return static_cast<std::size_t>(std::count(test.host.log.begin(), test.host.log.end(), line));
    }
    TestBench test{"eMMC"};
};

constexpr std::uint32_t kibibyte = 1024;
constexpr std::uint32_t mebibyte = 1024 * kibibyte;

TEST_F(Timed, TheBestCaseIsOneRequestAsLargeAsTheArea) {
    for (const unsigned number : {23u, 24u}) {
        ASSERT_EQ(rows(number).size(), 1u);
        EXPECT_EQ(test.notes.rows[0].requests, 1u);
        EXPECT_EQ(test.notes.rows[0].request_bytes, 4 * mebibyte);
        EXPECT_EQ(test.notes.rows[0].elements, 1u);
    }
}

TEST_F(Timed, ScatteredPagesAreAsManyElementsAsTheHostDoesAndNoneFollowsItsNeighbour) {
    test.host.can().max_elements = 100;
    ASSERT_EQ(rows(25).size(), 1u);
    EXPECT_EQ(test.notes.rows[0].request_bytes, 100 * 4 * kibibyte);
    EXPECT_EQ(test.notes.rows[0].elements, 100u);
    for (std::size_t i = 1; i < 100; ++i) {
        EXPECT_NE(test.elements[i - 1].data() + test.elements[i - 1].size(), test.elements[i].data());
    }
}

TEST_F(Timed, SizesDoubleFromOneSectorToTheLargestRequest) {
    test.host.can().max_bytes = 24 * kibibyte;
    for (const unsigned number : {27u, 28u, 30u, 31u}) {
        std::vector<std::uint32_t> sizes;
        for (const Row& row : rows(number)) sizes.push_back(row.request_bytes);
        EXPECT_EQ(sizes, (std::vector<std::uint32_t>{512, 1024, 2048, 4096, 8192, 16384, 24576})) << number;
    }
}

TEST_F(Timed, ConsecutiveRequestsFillTheArea) {
    test.host.can().max_bytes = 1 * mebibyte;
    for (const Row& row : rows(31)) EXPECT_EQ(row.bytes(), 4 * mebibyte);
}

TEST_F(Timed, TrimGoesUpToTheWholeArea) {
    EXPECT_EQ(rows(29).back().request_bytes, 4 * mebibyte);
    EXPECT_EQ(rows(32).back().request_bytes, 4 * mebibyte);
    for (const Row& row : rows(32)) {
        EXPECT_EQ(row.bytes(), 4 * mebibyte);
        EXPECT_EQ(row.elements, 0u);
        EXPECT_GE(row.took, test.host.card.erase_busy * row.requests);
    }
}

TEST(Trim, IsUnsupportedByACardWithoutIt) {
    TestBench test("SDHC");
    EXPECT_EQ(test.run(mmc_test_cases(), 29), unsupported_by_card);
    EXPECT_EQ(test.run(mmc_test_cases(), 32), unsupported_by_card);
}

TEST_F(Timed, RandomRequestsRunTenSecondsForEachSizeAndGoToTheSamePlacesAgain) {
    test.host.can().max_bytes = 2 * kibibyte;
    test.host.wire_time = base::milliseconds(20);
    const std::vector<Row> first = rows(33);
    ASSERT_EQ(first.size(), 3u);
    for (const Row& row : first) {
        EXPECT_GE(row.took, base::seconds(10));
        EXPECT_LT(row.took, base::seconds(10) + base::milliseconds(41));
    }
    EXPECT_EQ(rows(33), first);
    EXPECT_EQ(rows(34).size(), 3u);
}

TEST_F(Timed, RandomRequestsStayInTheSecondQuarterAndLeaveTheUnitThatTheyWereIn) {
    test.host.can().max_bytes = 512;
    test.host.wire_time = base::milliseconds(20);
    test.host.arguments_of(17).clear();
    rows(33);
    const std::vector<std::uint32_t>& places = test.host.arguments_of(17);
    ASSERT_GT(places.size(), 100u);
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_GE(places[i], test.host.sectors / 4);
        EXPECT_LT(places[i], test.host.sectors / 2);
        if (i != 0) distinct += places[i] / 1024 != places[i - 1] / 1024;
    }
    EXPECT_EQ(distinct, places.size() - 1);
}

TEST_F(Timed, LargeSequentialTransfersAreTenAndFiveAndThree) {
    test.host.can().max_elements = 256; // requests of 1 MiB
    for (const unsigned number : {35u, 36u}) {
        std::vector<std::uint32_t> requests;
        for (const Row& row : rows(number)) requests.push_back(row.requests);
        // 128 MiB are a quarter of the card.
        EXPECT_EQ(requests, (std::vector<std::uint32_t>{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 100, 100, 100, 100, 100,
                                                        128, 128, 128}));
    }
}

TEST_F(Timed, SequentialRowsAre128MebibytesInRequestsOf4KibibytesTo4Mebibytes) {
    constexpr std::uint32_t sizes[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096};
    for (const unsigned number : {37u, 38u, 39u, 40u}) {
        ASSERT_EQ(rows(number).size(), std::size(sizes)) << number;
        for (std::size_t i = 0; i < std::size(sizes); ++i) {
            const Row& row = test.notes.rows[i];
            EXPECT_EQ(row.request_bytes, sizes[i] * kibibyte);
            EXPECT_EQ(row.bytes(), 128 * mebibyte);
            EXPECT_EQ(row.elements, 1u);
        }
    }
}

TEST_F(Timed, RowsLargerThanTheHostDoesAreDoneWithWhatItDoes) {
    test.host.can().max_bytes = 0x10000 - 1;
    ASSERT_EQ(rows(37).size(), 10u);
    EXPECT_EQ(test.notes.rows[3].request_bytes, 32 * kibibyte);
    EXPECT_EQ(test.notes.rows[9].request_bytes, 0x10000u - 512);
}

TEST_F(Timed, RowsByElementsAre512KibibytesInEqualPieces) {
    constexpr std::uint32_t counts[] = {1, 8, 16, 32, 64, 128, 256, 512};
    for (const unsigned number : {41u, 42u, 43u, 44u}) {
        ASSERT_EQ(rows(number).size(), std::size(counts)) << number;
        for (std::size_t i = 0; i < std::size(counts); ++i) {
            EXPECT_EQ(test.notes.rows[i].elements, counts[i]);
            EXPECT_EQ(test.notes.rows[i].request_bytes, 512 * kibibyte);
            EXPECT_EQ(test.notes.rows[i].requests, 256u);
        }
        for (const host::Buffer piece : test.elements) EXPECT_EQ(piece.size(), 1024u);
    }
}

TEST_F(Timed, SequentialRequestsBeginAtAQuarterOfTheCardAndFollowEachOther) {
    test.host.arguments_of(18).clear();
    rows(39);
    const std::vector<std::uint32_t>& sectors = test.host.arguments_of(18);
    ASSERT_GT(sectors.size(), 3u);
    EXPECT_EQ(sectors[0], 128u * 2048);
    EXPECT_EQ(sectors[1], sectors[0] + 8);
    EXPECT_EQ(sectors[2], sectors[1] + 8);
}

TEST_F(Timed, EverySequentialRequestIsEndedByCmd12AndFollowedByCmd13) {
    test.host.can().max_bytes = 4 * mebibyte;
    test.host.logs = true;
    rows(43);
    std::vector<std::string> wire;
    std::copy_if(test.host.log.begin(), test.host.log.end(), std::back_inserter(wire),
                 [](const std::string& line) { return line.starts_with("CMD"); });
    ASSERT_EQ(wire.size(), 3u * 8 * 256);
    for (std::size_t i = 0; i < wire.size(); i += 3) {
        EXPECT_EQ(wire[i], "CMD18");
        EXPECT_EQ(wire[i + 1], "CMD12");
        EXPECT_EQ(wire[i + 2], "CMD13");
    }
}

TEST_F(Timed, WritesAreErasedBeforeAndReadsAreNot) {
    test.host.logs = true;
    rows(41);
    EXPECT_EQ(count("CMD38"), 8u);
    test.host.log.clear();
    rows(43);
    EXPECT_EQ(count("CMD38"), 0u);
}

TEST_F(Timed, TheEraseIsNotTimed) {
    test.host.card.erase_busy = base::milliseconds(250);
    const base::Duration slow_erase = rows(41)[0].took;
    test.host.card.erase_busy = base::milliseconds(1);
    EXPECT_EQ(rows(41)[0].took, slow_erase);
}

TEST_F(Timed, ARowTakesFromTheFirstRequestsStartToTheLastOnesEnd) {
    // Each request and each CMD13 is 50 us on the wire, and nothing else takes time.
    for (const unsigned number : {43u, 44u}) {
        for (const Row& row : rows(number)) EXPECT_EQ(row.took, base::microseconds(100) * row.requests);
    }
}

TEST_F(Timed, NonBlockingRequestsArePreparedWhileTheOneBeforeIsOnTheWireAndBlockingOnesAreNot) {
    test.host.logs = true;
    const auto overlapping = [&](unsigned number) {
        test.host.log.clear();
        rows(number);
        bool on_wire = false;
        std::size_t prepared_meanwhile = 0;
        for (const std::string& line : test.host.log) {
            if (line == "start CMD25") on_wire = true;
            if (line == "end CMD25") on_wire = false;
            if (line == "prepare CMD25") prepared_meanwhile += on_wire;
        }
        return prepared_meanwhile;
    };
    EXPECT_EQ(overlapping(41), 0u);
    EXPECT_EQ(overlapping(42), 8u * 255); // all but the first of each row
}

TEST(Sequential, UsesAtMostHalfOfASmallCardAndBeginsAtAMebibyte) {
    TestBench test("eMMC");
    test.host.keeps_data = false;
    spec::mmc::put(test.host.card.ext_csd, spec::mmc::ext_csd::sec_count, 40 * 2048);
    const base::Result<void> up = test.host.run(test.card.bring_up());
    ASSERT_TRUE(up.has_value());
    test.host.sectors = 40 * 2048;
    EXPECT_EQ(test.run(mmc_test_cases(), 39), ok);
    EXPECT_EQ(test.notes.rows[0].bytes(), 20 * mebibyte);
    EXPECT_EQ(test.host.arguments_of(18)[0], 10u * 2048);
}

TEST(Sequential, ARequestThatFailsEndsTheCaseWithItsError) {
    TestBench test("eMMC");
    test.host.keeps_data = false;
    test.host.card.dead = true;
    EXPECT_EQ(test.run(mmc_test_cases(), 40), error);
    ASSERT_TRUE(test.notes.error.has_value());
    EXPECT_EQ(test.notes.error->code, base::Code::dead);
    EXPECT_TRUE(test.notes.rows.empty());
}

} // namespace
} // namespace mmcpipe::trial
