// Emmc: packed commands (JESD84-B45 6.6.28).

#include "mmcpipe/sim/card/emmc.h"

#include <algorithm>

namespace mmcpipe::sim::card {

namespace {

using spec::State;
using spec::mmc::ExtCsd;
using spec::mmc::PackedDirection;
using spec::mmc::PackedHeader;
namespace fields = spec::mmc::ext_csd;
namespace r1_bits = spec::r1;

constexpr std::uint32_t block = 512;

std::uint32_t header_size(const ExtCsd& ext_csd) {
    return ext_csd.large_sectors() ? spec::mmc::large_packed_header_size : spec::mmc::packed_header_size;
}

} // namespace

wire::Answer Emmc::begin_packed(std::uint8_t index, std::uint32_t argument, std::uint32_t count, Time now) {
    return index == 25 ? begin_packed_write(argument, count) : begin_packed_read(count, now);
}

/// The header comes first; it says whether this is a packed write, or announces a packed read.
wire::Answer Emmc::begin_packed_write(std::uint32_t argument, std::uint32_t count) {
    const std::uint32_t blocks_of_header = header_size(ExtCsd(ext_csd_)) / block;
    if (address_in(argument) >= capacity()) {
        set_error(r1_bits::AddressOutOfRange::mask);
        return r1();
    }
    if (count < blocks_of_header) {
        set_error(r1_bits::Error::mask);
        return r1();
    }
    forget_outcome();
    pack_.heard = 0;
    pack_.entries.clear();
    pack_.next = 0;
    pack_.announced = false;
    transfer_ = {.left = count, .piece = blocks_of_header, .place = Place::header};
    go(State::rcv);
    return r1();
}

/// The data of the read that was announced.
wire::Answer Emmc::begin_packed_read(std::uint32_t count, Time now) {
    std::uint32_t blocks = 0;
    for (const spec::mmc::PackedEntry& entry : pack_.entries) blocks += entry.count.blocks;
    if (!pack_.announced || count != blocks) {
        set_error(r1_bits::Error::mask);
        return r1();
    }
    pack_.announced = false;
    transfer_ = {.left = blocks};
    begin_entry(now);
    go(State::data);
    return r1();
}

void Emmc::take_header(const Chunk& data) {
    std::ranges::copy(bytes(data), pack_.header.begin() + pack_.heard);
    pack_.heard += data.length;
}

/// The header is complete.
void Emmc::open_pack() {
    const ExtCsd ext_csd(ext_csd_);
    const auto header = PackedHeader::decode(std::span(pack_.header).first(header_size(ext_csd)));
    if (!header) return pack_failed(0);
    const bool writes = header->direction() == PackedDirection::write;
    const std::size_t most = writes ? ext_csd.max_packed_writes() : ext_csd.max_packed_reads();
    const std::uint64_t blocks_behind = writes ? header->blocks() : 0;
    if (header->entries() > most || transfer_.left != blocks_behind) return pack_failed(0);
    for (std::size_t i = 0; i < header->entries(); ++i) pack_.entries.push_back((*header)[i]);
    pack_.announced = !writes;
}

void Emmc::next_piece(Time now) {
    if (transfer_.place == Place::header) open_pack();
    if (transfer_.left != 0 && transfer_.place != Place::nowhere) begin_entry(now);
}

void Emmc::begin_entry(Time now) {
    const std::size_t i = pack_.next++;
    const bool spoiled = pack_.spoiled == i + 1;
    if (spoiled || pack_.next == pack_.entries.size()) pack_.spoiled.reset();
    const spec::mmc::PackedEntry& entry = pack_.entries[i];
    const std::uint64_t at = address_in(entry.address.argument);
    const std::uint64_t size = std::uint64_t{entry.count.blocks} * block;
    const bool reads = transfer_.place != Place::header && !transfer_.writes_flash;
    if (at >= capacity() || size > capacity() - at || spoiled) {
        pack_failed(static_cast<std::uint32_t>(i + 1));
        transfer_.broken_off = reads; // nothing of it is there to be sent
        return;
    }
    transfer_.at = at;
    transfer_.piece = entry.count.blocks;
    transfer_.place = Place::flash;
    if (reads) {
        transfer_.ready = flash_.begin_read(at, now);
        return;
    }
    flash_.begin_write(at, i == 0 ? Flash::InPack::first : Flash::InPack::later);
    if (i == 0) well_written_ = 0;
    transfer_.writes_flash = true;
}

/// `entry` from 1; 0: it is the header that is wrong. Whatever still comes is forgotten.
void Emmc::pack_failed(std::uint32_t entry) {
    const std::uint32_t status = fields::PackedError::mask | (entry != 0 ? fields::PackedIndexedError::mask : 0u);
    spec::mmc::put(ext_csd_, fields::packed_command_status, status);
    spec::mmc::put(ext_csd_, fields::packed_failure_index, entry);
    spec::mmc::put(ext_csd_, fields::exception_events_status,
                   byte(fields::exception_events_status) | fields::PackedEvent::mask);
    transfer_.place = Place::nowhere;
    transfer_.piece = Transfer::open_ended;
}

void Emmc::forget_outcome() {
    spec::mmc::put(ext_csd_, fields::packed_command_status, 0);
    spec::mmc::put(ext_csd_, fields::packed_failure_index, 0);
    spec::mmc::put(ext_csd_, fields::exception_events_status,
                   byte(fields::exception_events_status) & ~fields::PackedEvent::mask);
}

/// An event that is enabled shows in every R1.
std::uint32_t Emmc::conditions() const {
    const bool event = (byte(fields::exception_events_status) & byte(fields::exception_events_ctrl)) != 0;
    return r1_bits::ExceptionEvent::of(event);
}

} // namespace mmcpipe::sim::card
