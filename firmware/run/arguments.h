#pragma once
// What an image is asked for. Words, separated by blanks, behind the program's name:
//   slot=N     try the card in slot N, 0 if nothing is said
//   json=PATH  leave the results of mmc_test in a file on the host

#include <optional>
#include <string_view>

namespace firmware {

struct Arguments {
    unsigned slot = 0;
    std::string_view json{}; ///< empty: no file
};

/// Nothing if a word is unknown, or the board has fewer slots (at most 10).
std::optional<Arguments> parse_arguments(std::string_view command_line, unsigned slots);

} // namespace firmware
