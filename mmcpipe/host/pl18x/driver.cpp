#include "mmcpipe/host/pl18x/driver.h"

#include "mmcpipe/host/pl18x/registers.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace mmcpipe::host::pl18x {

namespace {

/// Supply ramp and start of oscillators, JESD84 10.1 allows 35 ms.
constexpr base::Duration supply_ramp = base::milliseconds(35);
/// Commands, interrupts and everything else around what a request waits for.
constexpr base::Duration slack = base::milliseconds(50);
/// Longest block of the cell (DDI 0172, 3.3.9).
constexpr std::uint32_t longest_block = 2048;

} // namespace

Driver::Driver(const Wiring& wiring, const Variant& variant, base::Executor& executor, base::FrameArena& frames)
    : io_(wiring.io),
      line_(wiring.line),
      board_(wiring.board),
      dma_(variant.dma ? wiring.dma : nullptr),
      mappings_(wiring.mappings),
      variant_(variant),
      executor_(executor),
      frames_(frames) {
    const std::uint32_t base = board_.base_clock().value;
    const bool st = variant.divider == ClockDivider::plus_two;
    capabilities_.slowest = {st ? base / 257 + 1 : base / 512 + 1};
    capabilities_.fastest = {base};
    capabilities_.widest = std::min(variant.widest, static_cast<BusWidth>(board_.bus_width()));
    capabilities_.high_speed = true;
    capabilities_.ddr52 = variant.both_edges;
    capabilities_.detects_busy = variant.detects_busy;
    capabilities_.longest_busy = base::seconds(3600); // a software time-out: any
    capabilities_.max_bytes = variant.longest_data();
    capabilities_.max_blocks = 0xffff;
    capabilities_.max_block_size = longest_block;
    capabilities_.any_block_size = variant.block_size == BlockSize::bytes;
    capabilities_.pio = true;
    if (dma_ != nullptr) {
        capabilities_.max_elements = dma_->constraints().max_elements;
        capabilities_.max_element_bytes = dma_->constraints().max_length;
        capabilities_.element_alignment = static_cast<std::uint32_t>(mappings_[0]->alignment());
    } else {
        capabilities_.max_elements = 0xffff;
    }

    io_.write(offset::mask0, 0);
    io_.write(offset::mask1, 0);
    io_.write(offset::clear, status::clearable);
    if (dma_ != nullptr) dma_->set_listener(*this, dma::Announce::errors);
    line_.attach(*this);
}

Driver::~Driver() {
    io_.write(offset::mask0, 0);
    (void)io_.read(offset::status);
    line_.detach(*this);
}

base::Task<base::Result<void>> Driver::apply(const Settings& settings) {
    const Settings old = settings_;
    settings_ = settings;

    // Supply first; the card gets no clock while it ramps.
    if (settings.supply != old.supply) {
        io_.write(offset::clock, 0);
        co_await board_.set_supply(settings.supply);
        const bool on = settings.supply != port::Supply::off;
        if (on) io_.write(offset::power, power::State::of(power::Control::power_up));
        co_await base::Sleep(executor_, supply_ramp);
        if (!on) io_.write(offset::power, power::State::of(power::Control::off));
    }

    // Signal voltage.
    if (settings.signal != old.signal) co_await board_.set_signal(settings.signal);

    // The clock stands still while width and timing change.
    io_.write(offset::clock, 0);
    if (settings.supply != port::Supply::off) {
        io_.write(offset::power, power::State::of(power::Control::on) | power::OpenDrain::of(settings.open_drain));
        set_clock(settings);
    }
    (void)io_.read(offset::clock);
    co_return {};
}

void Driver::set_clock(const Settings& settings) {
    clock_ = {};
    std::uint32_t word =
        clock::Wide4::of(settings.width == BusWidth::x4) | clock::Wide8::of(settings.width == BusWidth::x8) |
        clock::NegativeEdge::of(settings.timing == Timing::ddr52) | clock::FlowControl::of(variant_.flow_control);
    const std::uint32_t base = board_.base_clock().value;
    const std::uint32_t wanted = settings.clock.value;
    if (wanted == 0) {
        io_.write(offset::clock, word);
        return;
    }
    if (wanted >= base) {
        clock_ = {base};
        word |= clock::Bypass::of(true);
    } else if (variant_.divider == ClockDivider::twice_plus_one) {
        const std::uint32_t divider = std::min((base + 2 * wanted - 1) / (2 * wanted) - 1, 255u);
        clock_ = {base / (2 * (divider + 1))};
        word |= clock::Divider::of(static_cast<std::uint8_t>(divider));
    } else {
        const std::uint32_t divider = std::min(std::max((base + wanted - 1) / wanted, 2u) - 2, 255u);
        clock_ = {base / (divider + 2)};
        word |= clock::Divider::of(static_cast<std::uint8_t>(divider));
    }
    io_.write(offset::clock, word | clock::Enable::of(true));
}

/// What can be done at all, by DMA or by hand.
base::Result<void> Driver::check(const Data& data) const {
    const bool size_possible = data.block_size != 0 && data.block_size <= longest_block &&
                               (capabilities_.any_block_size || std::has_single_bit(data.block_size));
    if (!size_possible) return base::fail(base::Code::not_possible);
    if (settings_.timing == Timing::ddr52 && data.block_size != 512) return base::fail(base::Code::not_possible);
    if (data.blocks == 0 || data.blocks > capabilities_.max_blocks || data.bytes() > capabilities_.max_bytes)
        return base::fail(base::Code::out_of_range);
    std::size_t there = 0;
    for (const Buffer buffer : data.buffers) there += buffer.size();
    const bool long_enough = there >= data.offset && there - data.offset >= data.bytes();
    if (!long_enough) return base::fail(base::Code::out_of_range);
    return {};
}

bool Driver::suits_dma(const Data& data) const {
    // Less than a burst is quicker by hand, and the request lines count words.
    const std::uint32_t burst = variant_.half_fifo_words * 4u;
    return dma_ != nullptr && data.bytes() >= burst && data.block_size % 4 == 0;
}

base::Result<void> Driver::prepare(Request& request) {
    request.mapping = nullptr;
    request.phases = {};
    if (request.data) {
        const auto possible = check(*request.data);
        if (!possible) return possible;
        const auto mapped = suits_dma(*request.data) ? map(request) : base::Result<void>();
        if (!mapped) return mapped;
    }
    request.phases.prepared = executor_.now();
    return {};
}

/// Maps for DMA, or leaves the request to PIO when its buffers are too many or too odd for the engine.
base::Result<void> Driver::map(Request& request) {
    const std::size_t i = mapped_[0] ? 1 : 0;
    if (mapped_[i]) return base::fail(base::Code::out_of_range); // a third request
    dma::Mapping& mapping = *mappings_[i];
    const bool suits = mapping.map(*request.data) &&
                       dma_->prepare(static_cast<dma::Slot>(i), mapping.elements(), request.data->direction);
    if (!suits) return {};
    mapped_[i] = true;
    request.mapping = &mapping;
    return {};
}

void Driver::unprepare(Request& request) {
    if (request.mapping == nullptr) return;
    mapped_[slot_of(request)] = false;
    request.mapping = nullptr;
}

void Driver::start(Request& request) {
    const base::Instant prepared = request.phases.prepared;
    request.clear_outcome();
    request.phases.prepared = prepared;
    request.phases.started = executor_.now();

    const base::CriticalSection guard(executor_.environment());
    active_ = &request;
    last_count_ = 0;
    arm_watchdog();
    begin(request.set_block_count ? Step::set_block_count : Step::command);
}

void Driver::finish(Request& request) {
    if (request.mapping != nullptr) {
        request.mapping->unmap();
        mapped_[slot_of(request)] = false;
        request.mapping = nullptr;
    }
    request.phases.finished = executor_.now();
    record_.finished(request);
}

void Driver::complete() {
    Request& request = *active_;
    active_ = nullptr;
    watchdog_.cancel();
    request.phases.woken = executor_.now();

    // DMA is quiet before anybody can unmap: what a read left in the FIFO is on its way to memory.
    if (request.mapping != nullptr) {
        const base::Result<void> quiet = dma_->quiesce();
        if (!quiet) {
            request.bytes_done = 0;
            if (!request.error) request.error = quiet.error();
            dma_->terminate();
            std::ignore = dma_->quiesce();
        }
    }
    record_.add(request);
    request.done(request);
}

/// How long a request may show no progress.
void Driver::arm_watchdog() {
    const Request& request = *active_;
    base::Duration limit = slack + request.command.busy_timeout;
    if (request.stop) limit = limit + request.stop->busy_timeout;
    if (request.data) {
        const std::uint32_t cycle_ns = 1'000'000'000u / std::max(clock_.value, 1u);
        limit = limit + request.data->timeout +
                base::nanoseconds(std::int64_t{cycle_ns} * (request.data->block_size * 8 + 64));
    }
    executor_.arm(watchdog_, limit);
}

void Driver::check_progress() {
    const base::CriticalSection guard(executor_.environment());
    if (step_ == Step::idle) return; // ended, and on its way here

    // An interrupt may have been lost: the controller still knows.
    if (serve()) {
        arm_watchdog();
        return;
    }
    const std::uint32_t count = io_.read(offset::data_count);
    if (waits_.data && count != last_count_) {
        last_count_ = count;
        arm_watchdog();
        return;
    }
    const std::uint32_t status = io_.read(offset::status);
    served_ = executor_.now();
    // A read's answer is taken with its data. If there is none the answer may say why.
    if (data_running_ && (status & status::response_end) != 0) command_bits(status);
    const bool only_busy = waits_.busy && !waits_.command && !waits_.data;
    fail(base::Error(only_busy ? base::Code::busy_timeout : base::Code::software_timeout, status), status);
    stop_data_path();
    io_.write(offset::command, 0);
    // An answer that comes too late is not the next command's.
    io_.write(offset::clear, status::clearable);
    (void)io_.read(offset::status);
    end();
}

base::Result<void> Driver::reset_lines() {
    const base::CriticalSection guard(executor_.environment());
    if (dma_ != nullptr) dma_->terminate();
    mask_ = 0;
    io_.write(offset::mask0, mask_);
    io_.write(offset::data_control, 0);
    io_.write(offset::command, 0);
    io_.write(offset::clear, status::clearable);
    (void)io_.read(offset::status);
    if (dma_ != nullptr) return dma_->quiesce();
    return {};
}

base::Result<bool> Driver::busy() {
    if (!variant_.detects_busy) return base::fail(base::Code::not_possible);
    return (io_.read(offset::status) & status::card_busy) != 0;
}

/// Periods of the card's clock in `duration`, rounded up by some percent instead of divided, at most what the register
/// holds.
std::uint32_t Driver::clock_cycles(base::Duration duration) const {
    const std::uint64_t kilohertz = clock_.value / 1000 + 1;
    const std::uint64_t cycles =
        (static_cast<std::uint64_t>(duration.ns) * kilohertz >> 20) * 1100 >> 10; // 2^20 x 1100/2^10 > 10^6
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(cycles + 1, 0xffff'ffff));
}

} // namespace mmcpipe::host::pl18x
