#include "mmcpipe/trial/stamped.h"

#include "mmcpipe/trial/area.h"
#include "mmcpipe/trial/pattern.h"

#include <optional>

namespace mmcpipe::trial {

using base::Result;
using base::Task;

std::uint32_t ground(const Bench& bench) {
    const std::optional<Area> area = test_area(bench);
    if (area) return area->first;
    const std::uint32_t unit = bench.properties().erase_unit;
    return bench.sectors() / 2 / unit * unit;
}

Task<Result<void>> stamp(Bench& bench, std::uint32_t sector, std::uint32_t count, std::uint32_t seed) {
    const host::Buffer buffer = bench.memory().first(512);
    Pattern pattern(seed, sector);
    for (std::uint32_t n = 0; n < count; ++n) {
        fill(buffer, pattern);
        co_await bench.write(sector + n, buffer);
    }
    co_return {};
}

Task<Result<bool>> stamped(Bench& bench, std::uint32_t sector, std::uint32_t count, std::uint32_t seed) {
    const host::Buffer buffer = bench.memory().first(512);
    Pattern pattern(seed, sector);
    bool all = true;
    for (std::uint32_t n = 0; n < count; ++n) {
        blank(buffer);
        co_await bench.read(sector + n, buffer);
        all &= matches(buffer, pattern);
    }
    co_return all;
}

} // namespace mmcpipe::trial
