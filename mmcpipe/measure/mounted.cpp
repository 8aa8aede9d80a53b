#include "mmcpipe/measure/mounted.h"

#include "mmcpipe/block/by_deadline.h"
#include "mmcpipe/block/fair.h"
#include "mmcpipe/block/fifo.h"
#include "mmcpipe/block/turns.h"

#include <atomic>
#include <fmt/format.h>
#include <stdexcept>
#include <variant>

namespace mmcpipe::measure {

namespace {

using AnyScheduler = std::variant<block::Fifo, block::ByDeadline, block::Fair, block::Turns>;

block::Scheduler& make(AnyScheduler& place, SchedulerKind kind) {
    switch (kind) {
    case SchedulerKind::fifo: return place.emplace<block::Fifo>();
    case SchedulerKind::deadline: return place.emplace<block::ByDeadline>();
    case SchedulerKind::fair: return place.emplace<block::Fair>();
    case SchedulerKind::turns: break;
    }
    return place.emplace<block::Turns>();
}

/// Says on the executor that the clients have gone.
struct Gone : base::Work {
    explicit Gone(block::Device& of) : Work(run), device(of) {}
    static void run(base::Work& work) noexcept {
        Gone& self = static_cast<Gone&>(work);
        self.over = true;
        self.device.stop();
    }
    block::Device& device;
    bool over = false;
};

template <class R>
R run(base::Executor& executor, base::Task<R>& task) {
    task.start();
    executor.run_until([&] { return task.done(); });
    return task.take();
}

} // namespace

void mount(System& system, card::Card& card, const MountOptions& options,
           const std::function<void(Mounted&)>& clients) {
    base::Executor& executor = card.executor();
    base::Task<base::Result<void>> bringing_up = card.bring_up();
    if (const base::Result<void> up = run(executor, bringing_up); !up) {
        throw std::runtime_error(fmt::format("the card does not come up: {}", base::name(up.error().code)));
    }

    const auto statistics = std::make_unique<block::Statistics>();
    const auto place = std::make_unique<AnyScheduler>();
    Disk disk(system, executor, options.completion);
    block::DeviceSettings settings = options.device;
    settings.statistics = statistics.get();
    block::Device device(card, make(*place, options.scheduler), disk, settings);
    disk.set_device(device);
    disk.set_sectors(card.properties().capacity.sectors());

    Mounted mounted{system, disk, card, *statistics};
    Gone gone(device);
    base::Task<base::Result<void>> running = device.run();
    running.start();
    system.start("client", system.processors() - 1, 0, [&] {
        clients(mounted);
        executor.post(gone);
    });
    executor.run_until([&] { return gone.over && running.done(); });
    if (const base::Result<void> ran = running.take(); !ran) {
        throw std::runtime_error(fmt::format("the block device does not run: {}", base::name(ran.error().code)));
    }
}

void run_all(System& system, const char* name, unsigned count, const std::function<void(unsigned)>& body) {
    const std::unique_ptr<System::Signal> all_over = system.make_signal();
    std::atomic<unsigned> left = count;
    for (unsigned i = 0; i < count; ++i) {
        system.start(fmt::format("{} {}", name, i), i % system.processors(), 0, [&, i] {
            body(i);
            if (--left == 0) all_over->set();
        });
    }
    while (left != 0) all_over->wait();
}

} // namespace mmcpipe::measure
