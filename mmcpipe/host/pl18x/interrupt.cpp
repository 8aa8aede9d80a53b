// The fast half: runs in the interrupt, or with interrupts out.

#include "mmcpipe/host/pl18x/driver.h"
#include "mmcpipe/host/pl18x/registers.h"

#include <algorithm>
#include <bit>

namespace mmcpipe::host::pl18x {

bool Driver::interrupt() noexcept { return serve(); }

/// Takes what the controller has to say. False if it says nothing.
bool Driver::serve() {
    const std::uint32_t status = io_.read(offset::status);
    const std::uint32_t mine = status & mask_;
    const bool released = waits_.busy && !waits_.command && (status & status::card_busy) == 0;
    if (mine == 0 && !released) return false;
    served_ = executor_.now();

    // A read's answer is taken together with the end of its data, and is not in the mask.
    const bool data_over = (mine & status::data_bits) != 0;
    const std::uint32_t answer = status & status::command_bits;
    const bool answered = answer != 0 && ((mine & status::command_bits) != 0 || (data_running_ && data_over));
    const bool fifo = data_running_ && active_->mapping == nullptr;

    // Acknowledge, and read back: the line is down when we return. The response reads back, too.
    const std::uint32_t latched =
        (mine & status::clearable) | (answered ? answer : 0) | (released ? status::card_busy : 0);
    if (latched != 0) io_.write_relaxed(offset::clear, latched);
    if (latched != 0 && !(waits_.command && answered)) (void)io_.read(offset::status);

    // Words first: at the data's end the last of them are still in the FIFO.
    if (fifo) transfer_fifo(status);
    if (waits_.command && answered) command_bits(status);
    if (data_over) data_bits(status);
    if (released) busy_ended();

    if (waits_.any()) {
        set_mask();
    } else {
        go_on();
    }
    return true;
}

void Driver::begin(Step step) {
    Request& request = *active_;
    step_ = step;
    waits_ = {};
    waits_.command = true;
    switch (step) {
    case Step::set_block_count: send(*request.set_block_count); break;
    case Step::command:
        if (request.data) {
            waits_.data = true;
            cursor_ = BufferCursor(*request.data);
            // A read's data may come before the response is seen; a write's goes after it.
            if (request.data->direction == Direction::read) start_data_path();
        }
        send(request.command);
        break;
    case Step::stop: send(*request.stop); break;
    case Step::idle: break;
    }
}

void Driver::send(CommandPhase& phase) {
    const spec::Command& c = phase.command;
    waits_.busy = c.response == spec::Response::r1b && variant_.detects_busy;
    set_mask();
    io_.write_relaxed(offset::argument, c.argument);
    io_.write(offset::command, command::Index::of(c.index) | command::Response::of(c.response != spec::Response::none) |
                                   command::LongResponse::of(c.response == spec::Response::r2) |
                                   command::Enable::of(true));
}

void Driver::start_data_path() {
    const Data& data = *active_->data;
    const bool dma = active_->mapping != nullptr;
    data_running_ = true;
    // Some cells latch data_end with every command: what is left of that is not this transfer's.
    io_.write_relaxed(offset::clear, status::data_bits | status::data_block_end);
    io_.write_relaxed(offset::data_timer, clock_cycles(data.timeout));
    io_.write_relaxed(offset::data_length, data.bytes());
    if (dma) dma_->start(static_cast<dma::Slot>(slot_of(*active_)));

    const std::uint32_t size =
        variant_.block_size == BlockSize::bytes
            ? data_control::BlockSizeBytes::of(static_cast<std::uint16_t>(data.block_size))
            : data_control::BlockSizeLog2::of(static_cast<std::uint8_t>(std::countr_zero(data.block_size)));
    io_.write(offset::data_control,
              data_control::Enable::of(true) | data_control::FromCard::of(data.direction == Direction::read) |
                  data_control::Dma::of(dma) | data_control::BothEdges::of(settings_.timing == Timing::ddr52) | size);
}

void Driver::stop_data_path() {
    waits_.data = false;
    if (!data_running_) return;
    io_.write(offset::data_control, 0);
    data_running_ = false;
    if (active_->mapping != nullptr) dma_->terminate();
}

void Driver::command_bits(std::uint32_t status) {
    Request& request = *active_;
    CommandPhase& phase = step_ == Step::set_block_count ? *request.set_block_count
                          : step_ == Step::stop          ? *request.stop
                                                         : request.command;
    if (!waits_.command) return;
    waits_.command = false;

    // R3 carries no CRC, so its failure is no error.
    const bool crc_failed = (status & status::command_crc_fail) != 0 && phase.command.response != spec::Response::r3;
    if ((status & status::command_timeout) != 0) {
        phase.error = base::Error(base::Code::command_timeout, status);
    } else if (crc_failed) {
        phase.error = base::Error(base::Code::command_crc, status);
    }
    const std::size_t words = phase.command.response == spec::Response::r2     ? 4
                              : phase.command.response == spec::Response::none ? 0
                                                                               : 1;
    for (std::size_t i = 0; i < words; ++i)
        phase.response[i] = io_.read(offset::response0 + static_cast<std::uint32_t>(4 * i));
    if (words == 0) (void)io_.read(offset::status); // in its place

    if (step_ == Step::command) request.phases.responded = served_;
    if (step_ == Step::stop) request.phases.stopped = served_;
    if (phase.error) {
        fail(*phase.error, status);
        waits_.busy = false;
        stop_data_path();
        return;
    }
    if (waits_.busy && (io_.read(offset::status) & status::card_busy) == 0) busy_ended();
    if (step_ == Step::command && request.data && request.data->direction == Direction::write) start_data_path();
}

void Driver::data_bits(std::uint32_t status) {
    if (!waits_.data) return;
    Request& request = *active_;
    const bool write = request.data->direction == Direction::write;
    request.phases.data_ended = served_;
    if ((status & status::data_errors) != 0) {
        using base::Code;
        const Code code = (status & status::data_crc_fail) != 0  ? (write ? Code::write_crc : Code::data_crc)
                          : (status & status::data_timeout) != 0 ? Code::data_timeout
                          : (status & status::tx_underrun) != 0  ? Code::underrun
                          : (status & status::rx_overrun) != 0   ? Code::overrun
                                                                 : Code::data_crc; // start bit missing on some line
        request.bytes_done = blocks_done(status) * request.data->block_size;
        fail(base::Error(code, status), status);
        stop_data_path();
        return;
    }
    if (request.mapping == nullptr && cursor_.left() != 0) {
        // The controller is done, and words have not passed through the FIFO.
        request.bytes_done = blocks_done(status) * request.data->block_size;
        fail(base::Error(write ? base::Code::underrun : base::Code::overrun, status), status);
        stop_data_path();
        return;
    }
    waits_.data = false;
    data_running_ = false;
}

void Driver::busy_ended() {
    waits_.busy = false;
    active_->phases.released = served_;
}

/// An error: of good ends the controller itself tells, and `complete` waits for the engine.
void Driver::dma_ended(base::Result<void> result) noexcept {
    if (result || step_ == Step::idle) return;
    served_ = executor_.now();
    active_->bytes_done = 0; // what the engine did not move is not known
    fail(result.error(), 0);
    stop_data_path();
    if (!waits_.any()) go_on();
}

/// Moves what the FIFO holds, or has room for.
void Driver::transfer_fifo(std::uint32_t status) {
    const bool read = active_->data->direction == Direction::read;
    const std::uint32_t half = variant_.half_fifo_words;
    const std::uint32_t more = read ? status::rx_fifo_half_full : status::tx_fifo_half_empty;
    const bool ended = (status & status::data_end) != 0;
    if ((status & more) != 0 || ended) active_->phases.data_begun = std::min(active_->phases.data_begun, served_);
    for (; cursor_.left() != 0 && (status & more) != 0; status = io_.read(offset::status)) move_words(half, read);
    // At its end all that is left of a read is in the FIFO.
    if (read && ended) move_words(std::min<std::uint32_t>((cursor_.left() + 3) / 4, variant_.fifo_words), read);
}

void Driver::move_words(std::uint32_t words, bool read) {
    while (words != 0 && cursor_.left() != 0) {
        const std::span<std::uint32_t> run = cursor_.aligned_words(words);
        if (run.empty()) {
            std::uint32_t word = 0;
            if (read) {
                io_.read_fifo(offset::fifo, {&word, 1});
                cursor_.store(word);
            } else {
                word = cursor_.load();
                io_.write_fifo(offset::fifo, {&word, 1});
            }
            --words;
            continue;
        }
        if (read) {
            io_.read_fifo(offset::fifo, run);
        } else {
            io_.write_fifo(offset::fifo, run);
        }
        cursor_.advance(4 * run.size());
        words -= static_cast<std::uint32_t>(run.size());
    }
}

/// Whole blocks that are certain: those before the one that failed.
std::uint32_t Driver::blocks_done(std::uint32_t status) const {
    const Data& data = *active_->data;
    const std::uint32_t moved = data.bytes() - std::min(io_.read(offset::data_count), data.bytes());
    const std::uint32_t whole = moved / data.block_size;
    // A damaged block was counted; so was a block sent whose CRC status never came.
    const bool last_in_doubt = (status & status::data_crc_fail) != 0 || data.direction == Direction::write;
    const std::uint32_t certain = last_in_doubt && whole != 0 ? whole - 1 : whole;
    if (active_->mapping != nullptr) return certain;
    // PIO: no more than what has passed through the FIFO.
    return std::min(certain, (data.bytes() - cursor_.left()) / data.block_size);
}

/// The first error wins.
void Driver::fail(base::Error error, std::uint32_t status) {
    if (active_->error) return;
    active_->error = error;
    active_->host_status = status;
}

/// The present step has all it waited for.
void Driver::go_on() {
    Request& request = *active_;
    switch (step_) {
    case Step::set_block_count:
        if (request.error) return end();
        return begin(Step::command);
    case Step::command: {
        if (!request.data) return end();
        if (!request.error) request.bytes_done = request.data->bytes();
        // After a count the card stops by itself, unless something went wrong on the way.
        const bool stop = request.stop && !request.command.error && (request.error || !request.set_block_count);
        if (stop) return begin(Step::stop);
        return end();
    }
    case Step::stop: return end();
    case Step::idle: return;
    }
}

void Driver::end() {
    active_->phases.interrupted = served_;
    step_ = Step::idle;
    waits_ = {};
    data_running_ = false;
    if ((mask_ & ~status::clearable) != 0) set_mask(); // what would stay up
    executor_.post(ended_);
}

/// What may interrupt. Late bits of what has ended may, too: they are acknowledged, and nobody waits for them.
void Driver::set_mask() {
    std::uint32_t mask = status::command_bits;
    if (waits_.busy && !waits_.command) mask |= status::card_busy;
    if (data_running_) {
        const bool read = active_->data->direction == Direction::read;
        mask |= status::data_bits;
        // A read's response is taken together with the end of its data: one interrupt less.
        if (read) mask &= ~status::response_end;
        if (active_->mapping == nullptr && cursor_.left() != 0)
            mask |= read ? status::rx_fifo_half_full : status::tx_fifo_half_empty;
    }
    if (mask == mask_) return;
    mask_ = mask;
    io_.write_relaxed(offset::mask0, mask);
}

} // namespace mmcpipe::host::pl18x
