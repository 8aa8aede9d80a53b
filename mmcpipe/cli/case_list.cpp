#include "mmcpipe/cli/case_list.h"

#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/trial/mmc_test.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace mmcpipe::cli {

namespace {

const trial::Case& case_of(unsigned number) {
    const auto cases = trial::mmc_test_cases();
    const auto found = std::ranges::find(cases, number, &trial::Case::number);
    if (found == cases.end()) {
        throw measure::BadInput(fmt::format("--cases: no case {}, expected {} to {} (see: mmcpipe list cases)", number,
                                            cases.front().number, cases.back().number));
    }
    return *found;
}

unsigned number_of(std::string_view text, std::string_view item) {
    unsigned number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc() || stopped != end) {
        throw measure::BadInput(fmt::format("--cases: \"{}\", expected numbers and ranges, as in 1-14,37", item));
    }
    return number;
}

} // namespace

std::vector<const trial::Case*> cases_of(std::string_view list) {
    std::vector<const trial::Case*> cases;
    while (true) {
        const std::size_t comma = list.find(',');
        const std::string_view item = list.substr(0, comma);
        const std::size_t dash = item.find('-');
        const unsigned first = number_of(item.substr(0, dash), item);
        const unsigned last = dash == std::string_view::npos ? first : number_of(item.substr(dash + 1), item);
        if (last < first)
            throw measure::BadInput(fmt::format("--cases: \"{}\", expected the smaller number first", item));
        for (const unsigned end : {first, last}) case_of(end); // before a long way in between
        for (unsigned number = first; number <= last; ++number) cases.push_back(&case_of(number));
        if (comma == std::string_view::npos) return cases;
        list.remove_prefix(comma + 1);
    }
}

} // namespace mmcpipe::cli
