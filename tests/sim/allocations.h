#pragma once
// Counts what this test program takes from the heap.

#include <cstddef>

namespace mmcpipe::sim {

/// Calls of operator new so far.
std::size_t allocations();

} // namespace mmcpipe::sim
