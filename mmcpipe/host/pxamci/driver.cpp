#include "mmcpipe/host/pxamci/driver.h"

#include "mmcpipe/host/pxamci/registers.h"

#include <algorithm>

namespace mmcpipe::host::pxamci {

namespace {

/// Supply ramp and start of oscillators, JESD84 10.1 allows 35 ms.
constexpr base::Duration supply_ramp = base::milliseconds(35);
/// Commands, interrupts and everything else around what a request waits for.
constexpr base::Duration slack = base::milliseconds(50);
/// N_CR, at most.
constexpr std::uint32_t longest_response_time = 64;

} // namespace

Driver::Driver(const Wiring& wiring, const Variant& variant, base::Executor& executor, base::FrameArena& frames)
    : io_(wiring.io),
      line_(wiring.line),
      board_(wiring.board),
      dma_(wiring.dma),
      dma_end_(wiring.dma_end),
      slots_(wiring.mappings),
      variant_(variant),
      executor_(executor),
      frames_(frames) {
    const std::uint32_t base = board_.base_clock().value;
    capabilities_.slowest = {(base >> clock::slowest_rate) + 1};
    capabilities_.fastest = {base};
    capabilities_.widest = std::min(variant.widest, static_cast<BusWidth>(board_.bus_width()));
    capabilities_.max_blocks = 0xffff;
    capabilities_.max_block_size = variant.longest_block;
    capabilities_.max_bytes = capabilities_.max_blocks * 512;
    capabilities_.max_elements = 0xffff;
    if (dma_ != nullptr) {
        const dma::Constraints& limits = dma_->constraints();
        capabilities_.max_elements = limits.max_elements;
        capabilities_.max_bytes = std::min(capabilities_.max_bytes, limits.max_elements * limits.max_length);
        dma_->set_listener(*this, dma::Announce::every_end);
    }

    // Whoever had the controller before may have left a clock that runs.
    clock_runs_ = (io_.read(offset::status) & status::clock_on) != 0;
    mask_ = variant.interrupts;
    io_.write(offset::mask, mask_);
    (void)stop_clock();
    io_.write(offset::spi, 0);
    io_.write(offset::response_time, longest_response_time);
    line_.attach(*this);
}

Driver::~Driver() { line_.detach(*this); }

base::Task<base::Result<void>> Driver::apply(const Settings& settings) {
    const Settings old = settings_;
    settings_ = settings;

    // The card gets no clock while its supply, the signal voltage, or the clock itself changes.
    if (!stop_clock()) co_return base::fail(base::Code::software_timeout, io_.read(offset::status));
    if (settings.supply != old.supply) {
        co_await board_.set_supply(settings.supply);
        co_await base::Sleep(executor_, supply_ramp);
        initialise_ = settings.supply != port::Supply::off;
    }
    if (settings.signal != old.signal) co_await board_.set_signal(settings.signal);

    const std::uint32_t rate = clock_rate(settings.clock);
    clock_ = {board_.base_clock().value >> rate};
    io_.write(offset::clock_rate, rate);
    co_return {};
}

/// The fastest that is not faster than wanted.
std::uint32_t Driver::clock_rate(base::Hertz wanted) const {
    std::uint32_t rate = 0;
    while (rate < clock::slowest_rate && board_.base_clock().value >> rate > wanted.value) ++rate;
    return rate;
}

bool Driver::data_valid(const Data& data) const {
    if (data.block_size == 0 || data.block_size > variant_.longest_block) return false;
    if (data.blocks == 0 || data.blocks > capabilities_.max_blocks) return false;
    std::size_t there = 0;
    for (const Buffer buffer : data.buffers) there += buffer.size();
    return there >= std::size_t{data.offset} + data.bytes();
}

/// Blocks end with a burst. Others would take an MMC_PRTBUF a block, which is PIO's.
bool Driver::suits_dma(const Data& data) const { return dma_ != nullptr && data.block_size % fifo_bytes == 0; }

base::Result<void> Driver::prepare(Request& request) {
    request.mapping = nullptr;
    request.phases = {};
    if (request.data) {
        if (!data_valid(*request.data)) return base::fail(base::Code::not_possible);
        if (suits_dma(*request.data)) slots_.map(request, *dma_); // or else PIO
    }
    request.phases.prepared = executor_.now();
    return {};
}

void Driver::unprepare(Request& request) { slots_.forget(request); }

void Driver::start(Request& request) {
    request.error.reset();
    request.bytes_done = 0;
    request.host_status = 0;
    request.command.error.reset();
    if (request.set_block_count) request.set_block_count->error.reset();
    if (request.stop) request.stop->error.reset();
    request.phases.started = executor_.now();

    const base::CriticalSection guard(executor_.environment());
    active_ = &request;
    last_commands_ = commands_ + 1;
    last_position_ = 0;
    arm_watchdog();
    begin(first_step(request));
}

void Driver::finish(Request& request) {
    slots_.unmap(request);
    request.phases.finished = executor_.now();
}

void Driver::complete() {
    Request& request = *active_;
    active_ = nullptr;
    watchdog_.cancel();
    request.phases.woken = executor_.now();

    // DMA is quiet before anybody can unmap.
    if (request.mapping != nullptr) {
        const auto quiet = dma_->quiesce();
        if (!quiet && !request.error) request.error = quiet.error();
    }
    record_.add(request);
    request.done(request);
}

/// How long a request may show no progress.
void Driver::arm_watchdog() {
    const Request& request = *active_;
    base::Duration limit = slack + request.command.busy_timeout;
    if (request.data) {
        const std::uint32_t cycle_ns = 1'000'000'000u / std::max(clock_.value, 1u);
        limit = limit + request.data->timeout +
                base::nanoseconds(std::int64_t{cycle_ns} * (request.data->block_size * 8 + 64));
    }
    executor_.arm(watchdog_, limit);
}

/// Another command has been sent, or data has moved, since this was last asked.
bool Driver::progressed() {
    bool moved = commands_ != last_commands_;
    last_commands_ = commands_;
    if (waits_.data && !waits_.command) {
        const std::uint32_t position = by_dma() ? dma_->position() : cursor_.left();
        moved = moved || position != last_position_;
        last_position_ = position;
    }
    return moved;
}

void Driver::check_progress() {
    const base::CriticalSection guard(executor_.environment());
    if (step_ == Step::idle) return; // ended, and on its way here

    // An interrupt may have been lost: the controller still knows.
    if (serve() || progressed()) return arm_watchdog();

    // The controller times what it reads, and responses. How long a card may take for what it writes is up to us.
    const std::uint32_t status = io_.read(offset::status);
    const bool card_is_late = waits_.data && !waits_.command && active_->data->direction == Direction::write;
    note_error(*active_, base::Error(card_is_late ? base::Code::data_timeout : base::Code::software_timeout, status),
               status);
    stop_data();
    (void)stop_clock();
    end();
}

base::Result<void> Driver::reset_lines() {
    const base::CriticalSection guard(executor_.environment());
    if (dma_ != nullptr) dma_->terminate();
    set_mask();
    if (!stop_clock()) return base::fail(base::Code::software_timeout, io_.read(offset::status));
    if (dma_ != nullptr) return dma_->quiesce();
    return {};
}

base::Result<bool> Driver::busy() { return base::fail(base::Code::not_possible); }

/// MMC_RDTO for a time-out: in 256 periods of the base clock, rounded up by some percent instead of divided, at most
/// what the register holds.
std::uint32_t Driver::read_time(base::Duration duration) const {
    const std::uint64_t kilohertz = board_.base_clock().value / 1000 + 1;
    const std::uint64_t cycles =
        (static_cast<std::uint64_t>(duration.ns) * kilohertz >> 20) * 1100 >> 10; // 2^20 x 1100/2^10 > 10^6
    return static_cast<std::uint32_t>(std::min<std::uint64_t>((cycles >> 8) + 1, 0xffff));
}

} // namespace mmcpipe::host::pxamci
