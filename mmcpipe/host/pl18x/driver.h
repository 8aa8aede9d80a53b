#pragma once
// Driver of the PL18x MultiMedia Card Interface: PIO by interrupts, or DMA through a DMA engine.
//
// A request runs in its interrupts: set block count, command with data, stop follow each other without the executor,
// which hears of the end once. Each step waits for a set of things (`Waits`); they may come in any order, several in
// one interrupt.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/host/cursor.h"
#include "mmcpipe/host/dma/engine.h"
#include "mmcpipe/host/dma/mapping.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/host/pl18x/variant.h"
#include "mmcpipe/port/board.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"

#include <array>
#include <cstdint>
#include <optional>

namespace mmcpipe::host::pl18x {

/// What the driver is given. The two mappings may be empty (`dma` nullptr): everything is then done by PIO.
struct Wiring {
    port::Io& io;
    port::InterruptLine& line;
    port::Board& board;
    dma::Channel* dma = nullptr;
    std::array<dma::Mapping*, 2> mappings{};
};

class Driver final : public Host, private port::InterruptHandler, private dma::Listener {
public:
    Driver(const Wiring& wiring, const Variant& variant, base::Executor& executor, base::FrameArena& frames);
    ~Driver();

    const Capabilities& capabilities() const override { return capabilities_; }
    base::Task<base::Result<void>> apply(const Settings& settings) override;
    base::Result<void> prepare(Request& request) override;
    void unprepare(Request& request) override;
    void start(Request& request) override;
    void finish(Request& request) override;
    base::Result<void> reset_lines() override;
    base::Result<bool> busy() override;
    bool card_present() override { return board_.card_present(); }
    const FlightRecord& record() const override { return record_; }
    base::Executor& executor() override { return executor_; }
    base::FrameArena& frames() override { return frames_; }

private:
    enum class Step : std::uint8_t { idle, set_block_count, command, stop };
    /// What the present step still waits for.
    struct Waits {
        bool command = false;
        bool data = false;
        bool busy = false;
        bool any() const { return command || data || busy; }
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
    void command_bits(std::uint32_t status);
    void data_bits(std::uint32_t status);
    void busy_ended();
    void transfer_fifo(std::uint32_t status);
    void move_words(std::uint32_t words, bool read);
    void begin(Step step);
    void send(CommandPhase& phase);
    void start_data_path();
    void stop_data_path();
    void fail(base::Error error, std::uint32_t status);
    void go_on();
    void end();
    void set_mask();
    std::uint32_t blocks_done(std::uint32_t status) const;

    // On the executor (driver.cpp).
    void complete();
    void check_progress();
    void arm_watchdog();
    base::Result<void> map(Request& request);
    std::size_t slot_of(const Request& request) const { return request.mapping == mappings_[0] ? 0 : 1; }
    void set_clock(const Settings& settings);
    std::uint32_t clock_cycles(base::Duration duration) const;
    base::Result<void> check(const Data& data) const;
    bool suits_dma(const Data& data) const;

    port::Io& io_;
    port::InterruptLine& line_;
    port::Board& board_;
    dma::Channel* dma_;
    std::array<dma::Mapping*, 2> mappings_;
    const Variant& variant_;
    base::Executor& executor_;
    base::FrameArena& frames_;
    Capabilities capabilities_;
    Settings settings_{};
    base::Hertz clock_{};

    std::array<bool, 2> mapped_{}; ///< mappings in use
    Request* active_ = nullptr;
    Step step_ = Step::idle;
    Waits waits_{};
    bool data_running_ = false;
    BufferCursor cursor_{};
    std::uint32_t mask_ = 0;
    base::Instant served_{};       ///< when the interrupt under way began
    std::uint32_t last_count_ = 0; ///< DATACNT when the watchdog last looked
    Ended ended_{*this};
    Watchdog watchdog_{*this};
    FlightRecord record_{};
};

} // namespace mmcpipe::host::pl18x
