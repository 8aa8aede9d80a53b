#include "firmware/run/arguments.h"

#include <algorithm>

namespace firmware {

namespace {

/// Takes off what comes before the first `end`, and that, too.
std::string_view take_until(char end, std::string_view& text) {
    const std::size_t length = static_cast<std::size_t>(std::ranges::find(text, end) - text.begin());
    const std::string_view taken(text.data(), length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return taken;
}

bool understand(std::string_view word, unsigned slots, Arguments& arguments) {
    const std::string_view key = take_until('=', word);
    const std::string_view value = word;
    if (key == "slot") {
        if (value.size() != 1 || value[0] < '0' || value[0] > '9') return false;
        arguments.slot = static_cast<unsigned>(value[0] - '0');
        return arguments.slot < slots;
    }
    if (key == "json") {
        arguments.json = value;
        return !value.empty();
    }
    return false;
}

} // namespace

std::optional<Arguments> parse_arguments(std::string_view command_line, unsigned slots) {
    Arguments arguments;
    take_until(' ', command_line); // the program's name
    while (!command_line.empty()) {
        const std::string_view word = take_until(' ', command_line);
        if (!word.empty() && !understand(word, slots, arguments)) return std::nullopt;
    }
    return arguments;
}

} // namespace firmware
