// Whatever a correct driver does, the CPU and the devices see the same as if there were no cache.

#include "mmcpipe/sim/memory.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <rapidcheck/gtest.h>
#include <vector>

namespace mmcpipe::sim {
namespace {

using Bytes = std::span<std::byte>;

constexpr std::size_t arena_size = 5 * page_size;

/// Bytes of the buffer under test.
struct Range {
    std::size_t begin;
    std::size_t end;

    std::size_t size() const { return end - begin; }
    bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

/// A driver that keeps the rules, its client, and two requests that may be under way at once; beside them plain bytes
/// that follow.
class Correct {
public:
    explicit Correct(std::size_t line_size)
        : line_size_(line_size),
          memory_(machine_, {.size = arena_size, .line_size = line_size}),
          view_(memory_.allocate(arena_size)),
          plain_(arena_size) {}

    void step() {
        switch (*rc::gen::inRange(0, 8)) {
        case 0:
        case 1: store(); break;
        case 2: prepare(requests_[*rc::gen::inRange(0, 2)]); break;
        case 7: end(requests_[*rc::gen::inRange(0, 2)]); break;
        default: move(requests_[*rc::gen::inRange(0, 2)]); break;
        }
        check();
    }

    void finish() {
        for (auto& request : requests_) end(request);
        check();
        RC_ASSERT(memory_.counters().lines_evicted == 0u);
    }

private:
    struct Request {
        Range range;
        bool read;
        std::size_t started; ///< bytes that DMA has begun on, and moved
    };
    using Slot = std::optional<Request>;

    static Range any_range(std::size_t unit) {
        const std::size_t coarse =
            *rc::gen::elementOf(std::vector<std::size_t>{unit, unit, std::max<std::size_t>(unit, 512), page_size});
        const std::size_t count = arena_size / coarse;
        const auto begin = *rc::gen::inRange<std::size_t>(0, count);
        const auto length =
            *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(count - begin, coarse == page_size ? 3 : 300) + 1);
        return {begin * coarse, (begin + length) * coarse};
    }

    bool busy(const Range& range) const {
        return std::ranges::any_of(requests_,
                                   [&](const Slot& slot) { return slot && slot->range.overlaps(lines_of(range)); });
    }
    Range lines_of(const Range& range) const {
        return {range.begin / line_size_ * line_size_, (range.end + line_size_ - 1) / line_size_ * line_size_};
    }

    Bytes view(const Range& range) const { return view_.subspan(range.begin, range.size()); }
    Bytes plain(const Range& range) { return Bytes(plain_).subspan(range.begin, range.size()); }
    port::BusAddress address(std::size_t offset) { return memory_.bus_address(view_.data() + offset); }

    /// The client stores something where no request is under way.
    void store() {
        const Range range = any_range(1);
        if (busy(range)) return;
        const auto value = *rc::gen::inRange(0, 4);
        for (std::size_t at = range.begin; at != range.end; ++at) {
            view_[at] = plain_[at] = static_cast<std::byte>(value == 0 ? 0 : value + at / 16);
        }
    }

    void prepare(Slot& slot) {
        if (slot) return;
        const bool read = *rc::gen::arbitrary<bool>();
        const Range range = any_range(read ? line_size_ : 1);
        if (busy(range)) return;
        slot = Request{range, read, 0};
        maintain(*slot);
    }

    void maintain(const Request& request) {
        request.read ? memory_.invalidate(view(request.range)) : memory_.clean(view(request.range));
        memory_.barrier();
    }

    /// The engine moves the next piece, whole lines unless it is the last, in one or several slices of pages.
    void move(Slot& slot) {
        if (!slot || slot->started == slot->range.size()) return;
        const std::size_t begin = slot->range.begin + slot->started;
        const std::size_t rest = slot->range.end - begin;
        const std::size_t unit = *rc::gen::elementOf(std::vector<std::size_t>{line_size_, 512, page_size});
        const std::size_t most = lines_of({begin, begin + *rc::gen::inRange<std::size_t>(1, 4) * unit}).end - begin;
        const Range piece{begin, begin + std::min(rest, most)};
        memory_.dma_begins(address(piece.begin), piece.size(), slot->read);
        if (*rc::gen::inRange(0, 8) != 0) slot->read ? receive(piece) : send(piece);
        memory_.dma_ends(address(piece.begin), piece.size(), slot->read);
        slot->started += piece.size();
    }

    void receive(const Range& piece) {
        PageRef source = PageRef::make();
        const auto seed = *rc::gen::inRange(0, 256);
        for (std::size_t i = 0; i != page_size; ++i)
            source.writable()[i] = static_cast<std::byte>(seed + static_cast<int>(i / 8));
        const auto slice = *rc::gen::elementOf(std::vector<std::size_t>{32, 512, page_size});
        const bool in_place = *rc::gen::arbitrary<bool>();
        for (std::size_t at = piece.begin; at < piece.end;) {
            std::size_t size = std::min(slice, piece.end - at);
            if (in_place) size = std::min(size, page_size - at % page_size);
            const Chunk chunk{source, static_cast<std::uint16_t>(in_place ? at % page_size : 0),
                              static_cast<std::uint16_t>(size)};
            RC_ASSERT(memory_.dma_write(address(at), chunk));
            received_.push_back({at, {bytes(chunk).begin(), bytes(chunk).end()}});
            at += size;
        }
    }

    void send(const Range& piece) {
        for (std::size_t at = piece.begin; at < piece.end;) {
            const Chunk chunk = memory_.dma_read(address(at), piece.end - at);
            RC_ASSERT(!chunk.empty());
            RC_ASSERT(std::ranges::equal(bytes(chunk), plain({at, at + chunk.length})));
            at += chunk.length;
        }
    }

    /// The request is over, with whatever of it was done; what a read has not filled is unspecified.
    void end(Slot& slot) {
        if (!slot) return;
        const Request request = *std::exchange(slot, std::nullopt);
        if (!request.read) return;
        maintain(request);
        std::vector<bool> known(request.range.size());
        for (const auto& [at, content] : received_) {
            if (!request.range.overlaps({at, at + content.size()})) continue;
            std::ranges::copy(content, plain_.begin() + static_cast<std::ptrdiff_t>(at));
            std::fill_n(known.begin() + static_cast<std::ptrdiff_t>(at - request.range.begin), content.size(), true);
        }
        std::erase_if(received_,
                      [&](const Received& r) { return request.range.overlaps({r.at, r.at + r.content.size()}); });
        for (std::size_t i = 0; i != known.size(); ++i) {
            if (!known[i]) plain_[request.range.begin + i] = view_[request.range.begin + i];
        }
    }

    /// The CPU sees what it should, except where a read is under way.
    void check() const {
        for (std::size_t at = 0; at < arena_size; at += line_size_) {
            const Range line{at, at + line_size_};
            if (std::ranges::any_of(requests_, [&](const Slot& s) { return s && s->read && s->range.overlaps(line); }))
                continue;
            RC_ASSERT(std::ranges::equal(view(line), std::span(plain_).subspan(at, line_size_)));
        }
    }

    struct Received {
        std::size_t at;
        std::vector<std::byte> content;
    };

    const std::size_t line_size_;
    Engine engine_;
    Machine machine_{engine_};
    Memory memory_;
    Bytes view_;
    std::vector<std::byte> plain_;
    std::array<Slot, 2> requests_;
    std::vector<Received> received_;
};

RC_GTEST_PROP(MemoryProperty, ACorrectDriverSeesNothingOfTheCache, ()) {
    Correct correct(*rc::gen::element<std::size_t>(32, 64, 128));
    const auto steps = *rc::gen::inRange(1, 80);
    for (int i = 0; i < steps; ++i) correct.step();
    correct.finish();
}

} // namespace
} // namespace mmcpipe::sim
