#include "firmware/run/use_card.h"

#include "firmware/run/cases.h"
#include "firmware/run/exit_code.h"
#include "firmware/run/json_results.h"
#include "firmware/run/run_to_end.h"
#include "firmware/run/semihosting.h"
#include "firmware/run/show.h"
#include "mmcpipe/card/card.h"
#include "mmcpipe/trial/bench.h"
#include "mmcpipe/trial/conformance.h"
#include "mmcpipe/trial/mmc_test.h"

#include <array>
#include <cstring>
#include <optional>

namespace firmware {

using namespace mmcpipe;
using base::Result;
using base::Task;

namespace {

constexpr std::string_view mark = "mmcpipe";

std::array<host::Buffer, trial::Bench::least_elements> elements;
alignas(64) std::array<std::byte, 512> first_sector;

/// False if there is no card that can be used; it has said why.
Task<Result<bool>> bring_up(card::Card& card) {
    const base::Instant begin = card.executor().now();
    const Result<void> up = co_await outcome(card.bring_up());
    if (up) {
        show(card.properties());
        co_return true;
    }
    show(card.host().record());
    print("FAILED: ", base::name(up.error().code), ", raw ", Hex{up.error().raw}, ", after ",
          Seconds{card.executor().now() - begin}, " s\n");
    co_return false;
}

Task<Result<bool>> may_be_written(trial::Bench& bench) {
    co_await bench.read(0, first_sector);
    if (std::memcmp(first_sector.data(), mark.data(), mark.size()) == 0) co_return true;
    print("FAILED: not a test card: it does not begin with \"", mark, "\"\n");
    co_return false;
}

Task<Result<Tally>> run_all(trial::Bench& bench, JsonResults* json) {
    const Suite mmc_test{"mmc_test", trial::mmc_test_cases()};
    const Suite conformance{"conformance", trial::conformance_cases()};
    Tally tally;
    co_await run_cases(bench, mmc_test, tally, json);
    co_await run_cases(bench, conformance, tally, nullptr);
    print(tally.ok, " OK, ", tally.unsupported, " UNSUPPORTED, ", tally.failed, " FAILED, ", tally.errors, " ERROR, ",
          tally.not_tried, " not tried\n");
    co_return tally;
}

int cannot_write(std::string_view path) {
    print("FAILED: cannot write ", path, "\n");
    return exit_code::bad_arguments;
}

/// The exit code.
Task<Result<int>> use(card::Card& card, std::string_view platform, std::span<std::byte> memory,
                      const Arguments& arguments) {
    const bool usable = co_await bring_up(card);
    if (!usable) co_return exit_code::no_usable_card;
    trial::Bench bench(card, memory, elements);
    const bool ours = co_await may_be_written(bench);
    if (!ours) co_return exit_code::no_usable_card;

    std::optional<HostFile> file;
    std::optional<JsonResults> json;
    if (!arguments.json.empty()) {
        file.emplace(arguments.json);
        if (!file->good()) co_return cannot_write(arguments.json);
        json.emplace(*file, platform, product_name(card.properties()).view());
    }
    const Tally tally = co_await run_all(bench, json ? &*json : nullptr);
    if (json) json->end();
    if (file && !file->close()) co_return cannot_write(arguments.json);

    const Result<void> put_back = co_await outcome(bench.write(0, first_sector));
    if (!put_back) print("FAILED: the first sector is not put back, ", base::name(put_back.error().code), "\n");
    co_return tally.good() && put_back ? exit_code::passed : exit_code::cases_failed;
}

} // namespace

int use_card(host::Host& host, port::Board& board, std::string_view platform, std::span<std::byte> memory,
             const Arguments& arguments) {
    card::Card card(host, board);
    const Result<int> code = run_to_end(host.executor(), use(card, platform, memory, arguments));
    print("frames: ", static_cast<std::uint32_t>(host.frames().untouched()), " bytes never used\n");
    return code ? *code : exit_code::no_usable_card;
}

} // namespace firmware
