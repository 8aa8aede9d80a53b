#include "mmcpipe/trial/mmc_test.h"

#include "mmcpipe/trial/functional.h"
#include "mmcpipe/trial/multiple.h"
#include "mmcpipe/trial/performance.h"
#include "mmcpipe/trial/random_performance.h"
#include "mmcpipe/trial/scattered_performance.h"
#include "mmcpipe/trial/transfer_size.h"
#include "mmcpipe/trial/trim_performance.h"

namespace mmcpipe::trial {

namespace {

using block::Depth;
using enum host::Direction;
using enum Kind;

constexpr Case cases[] = {
    {1, "Basic write (no data verification)", functional, [](Bench& b, Sink&) { return basic(b, write); }},
    {2, "Basic read (no data verification)", functional, [](Bench& b, Sink&) { return basic(b, read); }},
    {3, "Basic write (with data verification)", functional,
     [](Bench& b, Sink&) { return verified(b, Shape::single, write); }},
    {4, "Basic read (with data verification)", functional,
     [](Bench& b, Sink&) { return verified(b, Shape::single, read); }},
    {5, "Multi-block write", functional, [](Bench& b, Sink&) { return verified(b, Shape::multi, write); }},
    {6, "Multi-block read", functional, [](Bench& b, Sink&) { return verified(b, Shape::multi, read); }},
    {7, "Power of two block writes", functional,
     [](Bench& b, Sink&) { return verified(b, Shape::powers_of_two, write); }},
    {8, "Power of two block reads", functional,
     [](Bench& b, Sink&) { return verified(b, Shape::powers_of_two, read); }},
    {9, "Weird sized block writes", functional, [](Bench& b, Sink&) { return verified(b, Shape::weird_sizes, write); }},
    {10, "Weird sized block reads", functional, [](Bench& b, Sink&) { return verified(b, Shape::weird_sizes, read); }},
    {11, "Badly aligned write", functional, [](Bench& b, Sink&) { return verified(b, Shape::misaligned, write); }},
    {12, "Badly aligned read", functional, [](Bench& b, Sink&) { return verified(b, Shape::misaligned, read); }},
    {13, "Badly aligned multi-block write", functional,
     [](Bench& b, Sink&) { return verified(b, Shape::misaligned_multi, write); }},
    {14, "Badly aligned multi-block read", functional,
     [](Bench& b, Sink&) { return verified(b, Shape::misaligned_multi, read); }},
    {15, "Proper xfer_size at write (start failure)", transfer_size,
     [](Bench& b, Sink&) { return proper_size(b, Break::at_start, write); }},
    {16, "Proper xfer_size at read (start failure)", transfer_size,
     [](Bench& b, Sink&) { return proper_size(b, Break::at_start, read); }},
    {17, "Proper xfer_size at write (midway failure)", transfer_size,
     [](Bench& b, Sink&) { return proper_size(b, Break::midway, write); }},
    {18, "Proper xfer_size at read (midway failure)", transfer_size,
     [](Bench& b, Sink&) { return proper_size(b, Break::midway, read); }},
    {19, "Highmem write", functional, [](Bench& b, Sink&) { return high_memory(b); }},
    {20, "Highmem read", functional, [](Bench& b, Sink&) { return high_memory(b); }},
    {21, "Multi-block highmem write", functional, [](Bench& b, Sink&) { return high_memory(b); }},
    {22, "Multi-block highmem read", functional, [](Bench& b, Sink&) { return high_memory(b); }},
    {23, "Best-case read performance", performance, [](Bench& b, Sink& s) { return best_case(b, s, read); }},
    {24, "Best-case write performance", performance, [](Bench& b, Sink& s) { return best_case(b, s, write); }},
    {25, "Best-case read performance into scattered pages", performance,
     [](Bench& b, Sink& s) { return best_case_scattered(b, s, read); }},
    {26, "Best-case write performance from scattered pages", performance,
     [](Bench& b, Sink& s) { return best_case_scattered(b, s, write); }},
    {27, "Single read performance by transfer size", performance,
     [](Bench& b, Sink& s) { return single_by_size(b, s, read); }},
    {28, "Single write performance by transfer size", performance,
     [](Bench& b, Sink& s) { return single_by_size(b, s, write); }},
    {29, "Single trim performance by transfer size", performance, single_trim_by_size},
    {30, "Consecutive read performance by transfer size", performance,
     [](Bench& b, Sink& s) { return consecutive_by_size(b, s, read); }},
    {31, "Consecutive write performance by transfer size", performance,
     [](Bench& b, Sink& s) { return consecutive_by_size(b, s, write); }},
    {32, "Consecutive trim performance by transfer size", performance, consecutive_trim_by_size},
    {33, "Random read performance by transfer size", performance,
     [](Bench& b, Sink& s) { return random_by_size(b, s, read); }},
    {34, "Random write performance by transfer size", performance,
     [](Bench& b, Sink& s) { return random_by_size(b, s, write); }},
    {35, "Large sequential read into scattered pages", performance,
     [](Bench& b, Sink& s) { return large_sequential(b, s, read); }},
    {36, "Large sequential write from scattered pages", performance,
     [](Bench& b, Sink& s) { return large_sequential(b, s, write); }},
    {37, "Write performance with blocking req 4k to 4MB", performance,
     [](Bench& b, Sink& s) { return multiple_by_size(b, s, write, Depth::blocking); }},
    {38, "Write performance with non-blocking req 4k to 4MB", performance,
     [](Bench& b, Sink& s) { return multiple_by_size(b, s, write, Depth::non_blocking); }},
    {39, "Read performance with blocking req 4k to 4MB", performance,
     [](Bench& b, Sink& s) { return multiple_by_size(b, s, read, Depth::blocking); }},
    {40, "Read performance with non-blocking req 4k to 4MB", performance,
     [](Bench& b, Sink& s) { return multiple_by_size(b, s, read, Depth::non_blocking); }},
    {41, "Write performance blocking req 1 to 512 sg elems", performance,
     [](Bench& b, Sink& s) { return multiple_by_elements(b, s, write, Depth::blocking); }},
    {42, "Write performance non-blocking req 1 to 512 sg elems", performance,
     [](Bench& b, Sink& s) { return multiple_by_elements(b, s, write, Depth::non_blocking); }},
    {43, "Read performance blocking req 1 to 512 sg elems", performance,
     [](Bench& b, Sink& s) { return multiple_by_elements(b, s, read, Depth::blocking); }},
    {44, "Read performance non-blocking req 1 to 512 sg elems", performance,
     [](Bench& b, Sink& s) { return multiple_by_elements(b, s, read, Depth::non_blocking); }},
};

} // namespace

std::span<const Case> mmc_test_cases() { return cases; }

} // namespace mmcpipe::trial
