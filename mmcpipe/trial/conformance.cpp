#include "mmcpipe/trial/conformance.h"

#include "mmcpipe/trial/blocks.h"
#include "mmcpipe/trial/buffers.h"
#include "mmcpipe/trial/erasing.h"
#include "mmcpipe/trial/packing.h"
#include "mmcpipe/trial/queueing.h"
#include "mmcpipe/trial/refusals.h"
#include "mmcpipe/trial/settling.h"
#include "mmcpipe/trial/traffic.h"

namespace mmcpipe::trial {

namespace {

using card::Bounding;
using card::Confirm;
using enum Kind;

constexpr Case cases[] = {
    {1, "A block is read as it was written last", functional, [](Bench& b, Sink&) { return single_blocks(b); }},
    {2, "Blocks written in one open-ended request are there, and their neighbours unchanged", functional,
     [](Bench& b, Sink&) { return blocks_in_one_write(b, Bounding::open_ended); }},
    {3, "Blocks written in one request of a set length are there, and their neighbours unchanged", functional,
     [](Bench& b, Sink&) { return blocks_in_one_write(b, Bounding::predefined); }},
    {4, "An open-ended request reads the blocks that were written one by one", functional,
     [](Bench& b, Sink&) { return blocks_in_one_read(b, Bounding::open_ended); }},
    {5, "A request of a set length reads the blocks that were written one by one", functional,
     [](Bench& b, Sink&) { return blocks_in_one_read(b, Bounding::predefined); }},
    {6, "The last sectors of the card are written and read", functional,
     [](Bench& b, Sink&) { return last_sectors(b); }},
    {7, "Blocks of a power of two of bytes are read", functional,
     [](Bench& b, Sink&) { return short_blocks(b, Lengths::powers_of_two); }},
    {8, "Blocks of any number of bytes are read", functional,
     [](Bench& b, Sink&) { return short_blocks(b, Lengths::odd); }},
    {9, "A list of odd pieces is gathered and scattered in order, and what lies between them is left alone", functional,
     [](Bench& b, Sink&) { return odd_pieces(b); }},
    {10, "Buffers may begin anywhere, and what lies around them is left alone", functional,
     [](Bench& b, Sink&) { return odd_addresses(b); }},
    {11, "A request that is prepared and taken back harms nothing", functional,
     [](Bench& b, Sink&) { return taken_back(b); }},
    {12, "A large request cut into pieces over one list of buffers is whole", functional,
     [](Bench& b, Sink&) { return cut_request(b); }},
    {13, "Large reads and writes, each prepared while the one before is on the wire, keep their data apart", functional,
     [](Bench& b, Sink&) { return large_traffic(b); }},
    {14, "A read prepared behind a write of the same sectors gets the new data", functional,
     [](Bench& b, Sink&) { return read_behind_write(b); }},
    {15, "A thousand small reads and writes leave every sector as the last of them says", functional,
     [](Bench& b, Sink&) { return small_traffic(b); }},
    {16, "After a write confirmed by CMD13 the next command is taken", functional,
     [](Bench& b, Sink&) { return write_and_settle(b, Confirm::status); }},
    {17, "After a write confirmed on DAT0 the next command is taken", functional,
     [](Bench& b, Sink&) { return write_and_settle(b, Confirm::busy_line); }},
    {18, "A request beyond the end is refused, and fails if it is sent, and the next one works", functional,
     [](Bench& b, Sink&) { return beyond_the_end(b); }},
    {19, "A command that the card does not take times out, and the next one works", functional,
     [](Bench& b, Sink&) { return not_answered(b); }},
    {20, "Requests to a card that was removed are answered at once, and it works when it is back", functional,
     [](Bench& b, Sink&) { return removed_card(b); }},
    {21, "Erased units read as erased, and their neighbours are unchanged", functional,
     [](Bench& b, Sink&) { return erased_units(b); }},
    {22, "Trimmed sectors read as erased, and their neighbours are unchanged", functional,
     [](Bench& b, Sink&) { return trimmed_sectors(b); }},
    {23, "Entries of a packed write are where they belong, and nowhere else", functional,
     [](Bench& b, Sink&) { return packed_write(b); }},
    {24, "A packed read brings what was written sector by sector", functional,
     [](Bench& b, Sink&) { return packed_read(b); }},
    {25, "A packed entry that cannot be written is named, and those before it are there", functional,
     [](Bench& b, Sink&) { return packed_failure(b); }},
    {26, "Requests that a block device reorders, cuts, merges and packs leave every sector as the last of them says",
     functional, [](Bench& b, Sink&) { return queued_traffic(b); }},
};

} // namespace

std::span<const Case> conformance_cases() { return cases; }

} // namespace mmcpipe::trial
