// The fast half: runs in the interrupt, or with interrupts out.

#include "mmcpipe/host/pxamci/driver.h"
#include "mmcpipe/host/pxamci/registers.h"

#include <algorithm>

namespace mmcpipe::host::pxamci {

namespace {

/// From the order to stop until the clock stands still: a few of its periods, of 3.3 us at the slowest.
constexpr base::Duration longest_stop = base::milliseconds(1);

command_data::Response format_of(spec::Response response) {
    switch (response) {
    case spec::Response::none: return command_data::Response::none;
    case spec::Response::r2: return command_data::Response::r2;
    case spec::Response::r3: return command_data::Response::r3;
    default: return command_data::Response::r1;
    }
}

} // namespace

bool Driver::interrupt() noexcept { return serve(); }

/// Takes what the controller has to say. False if it says nothing. MMC_I_REG says that there is something, MMC_STAT
/// what it is: that is cleared with each command.
bool Driver::serve() {
    if ((io_.read(offset::interrupts) & ~mask_) == 0) return false;
    const std::uint32_t status = io_.read(offset::status);
    const std::uint32_t old_mask = mask_;
    const std::uint32_t old_commands = commands_;

    if (waits_.command && (status & status::command_bits) != 0) command_ended(status);
    // Bytes first: at the data's end the last of them are still in the FIFO.
    if (waits_.data && !waits_.command && !by_dma()) transfer_fifo();
    if (waits_.data && !waits_.command && (status & status::data_done) != 0) data_ended(status);

    if (!waits_.any()) {
        go_on();
    } else {
        set_mask();
    }
    // Nothing is acknowledged: what is up is masked, or ends with the next command. Read back, so that the line is down
    // when we return.
    if (mask_ != old_mask || commands_ != old_commands) (void)io_.read(offset::mask);
    return true;
}

void Driver::begin(Step step) {
    step_ = step;
    waits_ = {};
    if (!stop_clock()) {
        const std::uint32_t status = io_.read(offset::status);
        note_error(*active_, base::Error(base::Code::software_timeout, status), status);
        return end();
    }
    const bool with_data = step == Step::command && active_->data;
    if (with_data) set_up_data(*active_->data);
    waits_.command = true;

    const spec::Command& command = phase_of(*active_, step).command;
    io_.write_relaxed(offset::command, command.index);
    io_.write_relaxed(offset::argument_high, command.argument >> 16);
    io_.write_relaxed(offset::argument_low, command.argument & 0xffff);
    io_.write_relaxed(offset::command_data, command_word(command, with_data));
    io_.write(offset::clock, clock::start);
    clock_runs_ = true;
    ++commands_;

    const bool write = with_data && active_->data->direction == Direction::write;
    if (waits_.dma && !(write && variant_.late_write_dma)) start_dma();
    set_mask();
}

void Driver::set_up_data(const Data& data) {
    waits_.data = true;
    waits_.dma = by_dma();
    cursor_ = BufferCursor(data);
    io_.write_relaxed(offset::read_time, read_time(data.timeout));
    io_.write_relaxed(offset::block_length, data.block_size);
    io_.write_relaxed(offset::blocks, data.blocks);
}

std::uint32_t Driver::command_word(const spec::Command& command, bool with_data) {
    const bool write = with_data && active_->data->direction == Direction::write;
    const std::uint32_t word =
        command_data::Format::of(format_of(command.response)) | command_data::Data::of(with_data) |
        command_data::Write::of(write) | command_data::Busy::of(command.response == spec::Response::r1b) |
        command_data::Initialise::of(initialise_) | command_data::Dma::of(with_data && by_dma()) |
        command_data::Wide4::of(settings_.width == BusWidth::x4);
    initialise_ = false;
    return word;
}

/// Once the command's sequence has begun, as the manual has it (15.3.2.1, 15.3.2.2).
void Driver::start_dma() { dma_->start(slots_.slot_of(*active_)); }

/// True when no register write can disturb anything: the controller stands still, and its FIFOs are empty.
bool Driver::stop_clock() {
    if (!clock_runs_) return true;
    io_.write(offset::clock, clock::stop);
    const base::Instant limit = executor_.now() + longest_stop;
    while ((io_.read(offset::interrupts) & interrupt::clock_is_off) == 0) {
        if (executor_.now() > limit) return false;
    }
    clock_runs_ = false;
    return true;
}

void Driver::command_ended(std::uint32_t status) {
    Request& request = *active_;
    CommandPhase& phase = phase_of(request, step_);
    waits_.command = false;

    read_response(phase);
    const bool false_alarm =
        variant_.false_r2_crc && phase.command.response == spec::Response::r2 && (phase.response[0] & 0x8000'0000) != 0;
    if ((status & status::response_time_out) != 0) {
        phase.error = base::Error(base::Code::command_timeout, status);
    } else if ((status & status::response_crc) != 0 && !false_alarm) {
        phase.error = base::Error(base::Code::command_crc, status);
    }

    if (step_ == Step::command) request.phases.responded = executor_.now();
    if (step_ == Step::stop) request.phases.stopped = executor_.now();
    if (phase.error) {
        note_error(request, *phase.error, status);
        stop_data();
        return;
    }
    const bool write = waits_.dma && request.data->direction == Direction::write;
    if (write && variant_.late_write_dma) start_dma();
}

/// The FIFO begins with the eight bits before the contents of the response, and does not have its CRC7.
void Driver::read_response(CommandPhase& phase) {
    const std::size_t words = phase.command.response == spec::Response::r2     ? 4
                              : phase.command.response == spec::Response::none ? 0
                                                                               : 1;
    std::uint32_t half = words != 0 ? io_.read(offset::response) : 0;
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint32_t second = io_.read(offset::response);
        const bool closing = i == 3; // the CRC7 of CID and CSD stays out
        const std::uint32_t third = closing ? 0 : io_.read(offset::response);
        phase.response[i] = half << 24 | (second & 0xffff) << 8 | (third & 0xffff) >> 8;
        half = third;
    }
}

void Driver::data_ended(std::uint32_t status) {
    Request& request = *active_;
    request.phases.data_ended = executor_.now();
    if ((status & status::data_errors) != 0) {
        using base::Code;
        const Code code = (status & status::read_crc) != 0    ? Code::data_crc
                          : (status & status::write_crc) != 0 ? Code::write_crc
                                                              : Code::data_timeout;
        note_error(request, base::Error(code, status), status); // which block it was cannot be found out
        stop_data();
        return;
    }
    if (!by_dma() && cursor_.left() != 0) { // over, and yet something is missing
        const bool read = request.data->direction == Direction::read;
        note_error(request, base::Error(read ? base::Code::overrun : base::Code::underrun, status), status);
        stop_data();
        return;
    }
    waits_.data = false;
    if (waits_.dma && dma_end_ == DmaEnd::data_end) {
        // At most one burst is left. It has to be out of the FIFO before the clock stops.
        waits_.dma = false;
        const auto moved = dma_->quiesce();
        if (!moved) note_error(request, moved.error(), status);
    }
}

/// Gives up what is left of the data.
void Driver::stop_data() {
    waits_.data = false;
    if (!waits_.dma) return;
    dma_->terminate();
    waits_.dma = false;
}

void Driver::dma_ended(base::Result<void> result) noexcept {
    if (!waits_.dma) return;
    waits_.dma = false;
    if (!result) {
        note_error(*active_, result.error(), 0);
        stop_data();
    }
    if (!waits_.any()) go_on();
}

/// Moves what the FIFO holds, or has room for. It changes hands by halves, and with each block.
void Driver::transfer_fifo() {
    const Data& data = *active_->data;
    const bool read = data.direction == Direction::read;
    const std::uint32_t request = read ? interrupt::receive_request : interrupt::transmit_request;
    while (cursor_.left() != 0 && (io_.read(offset::interrupts) & request) != 0) {
        const std::uint32_t in_block = (cursor_.left() - 1) % data.block_size + 1;
        std::uint32_t left = std::min(in_block, fifo_bytes);
        const bool part = left != fifo_bytes;
        while (left != 0) {
            const Buffer bytes = cursor_.bytes(left);
            if (read) {
                io_.read_fifo_bytes(offset::receive_fifo, bytes);
            } else {
                io_.write_fifo_bytes(offset::transmit_fifo, bytes);
            }
            cursor_.advance(bytes.size());
            left -= static_cast<std::uint32_t>(bytes.size());
        }
        if (part && !read) io_.write(offset::part_full, 1);
    }
}

/// The present step has all it waited for.
void Driver::go_on() {
    Request& request = *active_;
    if (step_ == Step::command && request.data && !request.error) request.bytes_done = request.data->bytes();
    const Step next = next_step(request, step_);
    if (next != Step::idle) return begin(next);
    end();
}

void Driver::end() {
    step_ = Step::idle;
    waits_ = {};
    set_mask();
    executor_.post(ended_);
}

void Driver::set_mask() {
    std::uint32_t wanted = 0;
    if (waits_.command) {
        wanted = interrupt::command_done;
    } else if (waits_.data) {
        wanted = interrupt::data_done;
        const bool pio = !by_dma() && cursor_.left() != 0;
        if (pio && active_->data->direction == Direction::read) wanted |= interrupt::receive_request;
        if (pio && active_->data->direction == Direction::write) wanted |= interrupt::transmit_request;
    }
    const std::uint32_t mask = variant_.interrupts & ~wanted;
    if (mask == mask_) return;
    mask_ = mask;
    io_.write(offset::mask, mask);
}

} // namespace mmcpipe::host::pxamci
