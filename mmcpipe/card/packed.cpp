#include "mmcpipe/card/packed.h"

#include "mmcpipe/spec/ext_csd.h"

namespace mmcpipe::card {

namespace ext_csd = spec::mmc::ext_csd;
using base::Code;
using base::Result;
using base::Task;

Result<void> fill_packed(host::Request& request, PackedPart part, std::uint32_t blocks, spec::DataAddress first,
                         std::span<const host::Buffer> buffers, const Properties& card) {
    const bool packs = part == PackedPart::write ? card.max_packed_writes != 0 : card.max_packed_reads != 0;
    if (!packs) return base::fail(Code::not_possible);
    const std::uint32_t header = part == PackedPart::read ? 0 : card.packed_header_blocks;
    const bool only_header = part == PackedPart::read_header;
    if (blocks > 0xffff || (only_header ? blocks != header : blocks <= header)) return base::fail(Code::out_of_range);

    const bool read = part == PackedPart::read;
    request.set_block_count.emplace();
    request.set_block_count->command = spec::mmc::set_packed_count(static_cast<std::uint16_t>(blocks));
    request.command = {};
    request.command.command = read ? spec::read_multiple_block(first) : spec::write_multiple_block(first);
    request.stop.reset();
    request.data.emplace();
    request.data->direction = read ? host::Direction::read : host::Direction::write;
    request.data->blocks = blocks;
    request.data->buffers = buffers;
    request.data->timeout = read ? card.times.read : card.times.write;
    request.clear_outcome();
    return {};
}

Task<Result<PackedStatus>> read_packed_status(Link& link, const Properties& card, Registers& registers) {
    co_await link.read(spec::mmc::send_ext_csd(), registers.scratch, card.times.read);
    const spec::mmc::ExtCsd now(registers.scratch);
    const std::uint32_t status = now[ext_csd::packed_command_status];
    PackedStatus packed;
    packed.failed = ext_csd::PackedError::get(status);
    const bool known = packed.failed && ext_csd::PackedIndexedError::get(status);
    if (known) packed.index = static_cast<std::uint8_t>(now[ext_csd::packed_failure_index]);
    co_return packed;
}

} // namespace mmcpipe::card
