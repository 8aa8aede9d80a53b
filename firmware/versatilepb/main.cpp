// The image: brings the board up, then the card, and uses it. What `main` returns is the exit code that the host sees.

#include "board.h"
#include "mmcpipe/base/arena.h"
#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/card/card.h"
#include "mmcpipe/card/settle.h"
#include "mmcpipe/host/pl18x/driver.h"
#include "mmcpipe/host/transaction.h"
#include "mmcpipe/spec/cid.h"
#include "print.h"
#include "self_check.h"

#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace firmware {

using namespace mmcpipe;
using base::Result;
using base::Task;

namespace {

base::StaticFrameArena<32 * 1024> frames;

constexpr std::uint32_t test_blocks = 16;
using TestBuffer = std::array<std::byte, test_blocks * 512>;
alignas(4) TestBuffer written;
alignas(4) TestBuffer read_back;

void show(const card::Properties& card) {
    const bool sd = card.peer.family == spec::Family::sd;
    const spec::sd::Cid sd_cid = spec::sd::Cid::decode(card.cid);
    const spec::mmc::Cid mmc_cid = spec::mmc::Cid::decode(card.cid);
    print("card: ", sd ? "SD " : "MMC ", sd ? sd_cid.name() : mmc_cid.name(), ", ",
          static_cast<std::uint32_t>(card.capacity.bytes >> 20), " MiB, ", static_cast<unsigned>(card.mode.width),
          " lines, ", card.mode.timing == host::Timing::legacy ? "legacy" : "high speed", ", at most ",
          card.clock.value / 1000, " kHz\n");
}

Task<Result<void>> move(card::Card& card, host::Direction direction, std::uint64_t sector,
                        std::span<std::byte> memory) {
    const host::Buffer buffer = memory;
    card::Transfer transfer;
    transfer.direction = direction;
    transfer.sector = sector;
    transfer.blocks = static_cast<std::uint32_t>(memory.size() / 512);
    transfer.bounding = transfer.blocks == 1 ? card::Bounding::single : card::Bounding::open_ended;
    transfer.buffers = {&buffer, 1};

    host::Transaction transaction(card.executor());
    co_await card.fill(transaction, transfer);
    co_await host::transact(card.host(), transaction);
    co_await card::verdict(transaction, card.properties());
    if (direction == host::Direction::write) co_await card.link().wait_ready(card.properties().times.write);
    co_return {};
}

/// The image writes to the card. So that it never does to somebody's photographs, the card has to begin with `mark`.
Task<Result<void>> check_mark(card::Card& card) {
    constexpr std::string_view mark = "mmcpipe";
    co_await move(card, host::Direction::read, 0, std::span(read_back).first(512));
    print("sector 0:");
    for (const std::byte byte : std::span(read_back).first(16)) print(" ", Hex{static_cast<std::uint8_t>(byte)});
    print("\n");
    if (std::memcmp(read_back.data(), mark.data(), mark.size()) == 0) co_return {};
    print("not a test card: it does not begin with \"", mark, "\"\n");
    co_return base::fail(base::Code::not_possible);
}

/// The card's last blocks, so that the whole address is seen to arrive.
Task<Result<void>> write_and_read_back(card::Card& card) {
    const std::uint64_t sector = card.properties().capacity.sectors() - test_blocks;
    for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i * 7 + (i >> 8));
    co_await move(card, host::Direction::write, sector, written);
    co_await move(card, host::Direction::read, sector, read_back);
    if (written != read_back) co_return base::fail(base::Code::data_crc);
    print("last ", test_blocks, " sectors: written and read back\n");
    co_return {};
}

Task<Result<void>> use_card(card::Card& card) {
    co_await card.bring_up();
    show(card.properties());
    co_await check_mark(card);
    co_await write_and_read_back(card);
    co_return {};
}

void show(const host::FlightRecord& record) {
    for (std::size_t i = 0; i < record.size(); ++i) {
        const host::FlightEntry& entry = record[i];
        print("  CMD", entry.command.index, " ", Hex{entry.command.argument}, " answered ", Hex{entry.response}, ", ",
              entry.bytes_done, " of ", entry.bytes, " bytes, status ", Hex{entry.host_status}, " ",
              entry.error ? base::name(entry.error->code) : "", "\n");
    }
}

Result<void> run_to_end(base::Executor& executor, Task<Result<void>> task) {
    task.start();
    executor.run_until([&] { return task.done(); });
    const Result<void> result = task.take();
    if (!result) print("FAILED: ", base::name(result.error().code), ", raw ", Hex{result.error().raw}, "\n");
    return result;
}

int run(Board& board) {
    Slot& slot = board.slot_0;
    base::Executor executor(board.environment);
    if (!run_to_end(executor, check_board(frames, executor, slot))) return 1;

    host::pl18x::Driver host({slot.io, slot.line_0, slot.board}, host::pl18x::arm_pl181, executor, frames);
    card::Card card(host, slot.board);
    if (!run_to_end(executor, use_card(card))) {
        show(host.record());
        return 1;
    }
    print("passed; ", frames.untouched(), " bytes of frames never used\n");
    return 0;
}

} // namespace

} // namespace firmware

int main() {
    firmware::print("mmcpipe on versatilepb\n");
    static firmware::Board board;
    return firmware::run(board);
}
