// The image. What `main` returns is the exit code that the host sees.

#include "board.h"
#include "firmware/run/arguments.h"
#include "firmware/run/exit_code.h"
#include "firmware/run/run_to_end.h"
#include "firmware/run/self_check.h"
#include "firmware/run/semihosting.h"
#include "firmware/run/use_card.h"
#include "mmcpipe/base/arena.h"
#include "mmcpipe/host/pl18x/driver.h"

#include <array>

namespace firmware {

using namespace mmcpipe;

namespace {

base::StaticFrameArena<64 * 1024> frames;
alignas(64) std::array<std::byte, 256 * 1024> memory; // two requests as large as the controller does, and more
std::array<char, 256> command_line_room;

int run(Board& board) {
    const std::optional<Arguments> arguments = parse_arguments(command_line(command_line_room), 2);
    if (!arguments) {
        print("FAILED: arguments are slot=0, slot=1, json=PATH\n");
        return exit_code::bad_arguments;
    }
    Slot& slot = arguments->slot == 0 ? board.slot_0 : board.slot_1;

    base::Executor executor(board.environment);
    if (!run_to_end(executor, check_clock(frames, executor))) return exit_code::board_differs;
    if (!run_to_end(executor, check_pl18x(frames, executor, slot.io, slot.line))) return exit_code::board_differs;

    host::pl18x::Driver host({slot.io, slot.line, slot.board}, host::pl18x::arm_pl181, executor, frames);
    return use_card(host, slot.board, "versatilepb", memory, *arguments);
}

} // namespace

} // namespace firmware

int main() {
    firmware::print("mmcpipe on versatilepb\n");
    static firmware::Board board;
    return firmware::run(board);
}
