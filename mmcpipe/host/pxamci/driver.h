#pragma once
// Driver of the MultiMediaCard/SD controller in Intel's PXA25x and PXA27x: PIO by interrupts, or DMA, through a DMA
// engine or by a list of the driver's own (chain.h).
//
// A request runs in its interrupts: set block count, command with data, stop follow each other without the executor,
// which hears of the end once. Before each command the card's clock is stopped, since the registers may be written only
// then, and since this is what clears the FIFOs. It starts with the command, and runs until the next.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/host/cursor.h"
#include "mmcpipe/host/dma/engine.h"
#include "mmcpipe/host/dma/slots.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/host/pxamci/variant.h"
#include "mmcpipe/host/steps.h"
#include "mmcpipe/port/board.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"

#include <array>
#include <cstdint>

namespace mmcpipe::host::pxamci {

/// How the driver hears that a DMA list is over.
enum class DmaEnd : std::uint8_t {
    listener, ///< from the channel: an engine
    data_end, ///< the end of the data at the controller is it: `Chain`
};

/// What the driver is given. The two mappings may be empty (`dma` nullptr): everything is then done by PIO.
struct Wiring {
    port::Io& io;
    port::InterruptLine& line;
    port::Board& board;
    dma::Channel* dma = nullptr;
    DmaEnd dma_end = DmaEnd::listener;
    std::array<dma::Mapping*, 2> mappings{};
};

/// `apply` leaves the card's clock stopped: it runs from the next command on. The end of busy after R1b is not waited
/// for: the manual does not say whether MMC_I_REG tells it when the card was never busy, and CMD13 does.
class Driver final : public Host, private port::InterruptHandler, private dma::Listener {
public:
    Driver(const Wiring& wiring, const Variant& variant, base::Executor& executor, base::FrameArena& frames);
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    ~Driver();

    const Capabilities& capabilities() const override { return capabilities_; }
    base::Task<base::Result<void>> apply(const Settings& settings) override;
    base::Result<void> prepare(Request& request) override;
    void unprepare(Request& request) override;
    void start(Request& request) override;
    void finish(Request& request) override;
    base::Result<void> reset_lines() override;
    /// not_possible: the controller does not show DAT0.
    base::Result<bool> busy() override;
    bool card_present() override { return board_.card_present(); }
    const FlightRecord& record() const override { return record_; }
    base::Executor& executor() override { return executor_; }
    base::FrameArena& frames() override { return frames_; }

private:
    /// What the present step still waits for.
    struct Waits {
        bool command = false;
        bool data = false;
        bool dma = false;
        bool any() const { return command || data || dma; }
    };
    struct Ended : base::Work {
        explicit Ended(Driver& owner) : Work(run), driver(owner) {}
        static void run(base::Work& work) noexcept { static_cast<Ended&>(work).driver.complete(); }
        Driver& driver;
    };
    struct Watchdog : base::Deadline {
        explicit Watchdog(Driver& owner) : Deadline(expire), driver(owner) {}
        static void expire(base::Deadline& deadline) noexcept {
            static_cast<Watchdog&>(deadline).driver.check_progress();
        }
        Driver& driver;
    };

    // In the interrupt, or with interrupts out (interrupt.cpp).
    bool interrupt() noexcept override;
    void dma_ended(base::Result<void> result) noexcept override;
    bool serve();
    void begin(Step step);
    void set_up_data(const Data& data);
    std::uint32_t command_word(const spec::Command& command, bool with_data);
    void start_dma();
    void command_ended(std::uint32_t status);
    void read_response(CommandPhase& phase);
    void data_ended(std::uint32_t status);
    void transfer_fifo();
    void stop_data();
    bool stop_clock();
    void go_on();
    void end();
    void set_mask();

    // On the executor (driver.cpp).
    void complete();
    void check_progress();
    void arm_watchdog();
    bool progressed();
    bool by_dma() const { return active_->mapping != nullptr; }
    std::uint32_t clock_rate(base::Hertz wanted) const;
    std::uint32_t read_time(base::Duration duration) const;
    bool data_valid(const Data& data) const;
    bool suits_dma(const Data& data) const;

    port::Io& io_;
    port::InterruptLine& line_;
    port::Board& board_;
    dma::Channel* dma_;
    DmaEnd dma_end_;
    dma::Slots slots_;
    const Variant& variant_;
    base::Executor& executor_;
    base::FrameArena& frames_;
    Capabilities capabilities_;
    Settings settings_{};
    base::Hertz clock_{};
    bool clock_runs_ = false;
    bool initialise_ = false; ///< the next command is the first after power-up

    Request* active_ = nullptr;
    Step step_ = Step::idle;
    Waits waits_{};
    BufferCursor cursor_{};
    std::uint32_t mask_ = 0;
    std::uint32_t commands_ = 0;      ///< sent, since the start
    std::uint32_t last_commands_ = 0; ///< when the watchdog was last armed
    std::uint32_t last_position_ = 0;
    Ended ended_{*this};
    Watchdog watchdog_{*this};
    FlightRecord record_{};
};

} // namespace mmcpipe::host::pxamci
