#include "mmcpipe/measure/client/write_back.h"

#include <algorithm>
#include <stdexcept>

namespace mmcpipe::measure::client {

WriteBack::WriteBack(Disk& disk, std::uint16_t stream, const WriteBackSettings& settings)
    : disk_(disk),
      system_(disk.system()),
      settings_(settings),
      client_(disk, stream),
      writer_(disk.system().make_signal()) {
    for (std::uint64_t bytes = 0; bytes < settings_.memory; bytes += settings_.request) {
        free_.push_back(chunks_.emplace_back(system_, settings_.request));
    }
    system_.start("flusher", system_.processors() - 1, 0, [this] { flush(); });
}

void WriteBack::write(std::uint64_t sector, std::uint32_t bytes) {
    system_.spend(system_.costs().call);
    Chunk* chunk = nullptr;
    for (;;) {
        {
            const base::CriticalSection guard(disk_.executor().environment());
            chunk = free_.pop_front();
            if (chunk != nullptr) ++open_;
        }
        if (chunk != nullptr) break;
        writer_->wait();
    }
    system_.spend(system_.costs().copy_page * static_cast<std::int64_t>((bytes + page_size - 1) / page_size));
    chunk->bytes = bytes;
    chunk->request.operation = block::Operation::write;
    chunk->request.sector = sector;
    chunk->request.sectors = bytes / 512;
    chunk->request.buffers = chunk->pages.list(bytes);
    bool enough = false;
    {
        const base::CriticalSection guard(disk_.executor().environment());
        dirty_.push_back(*chunk);
        dirty_bytes_ += bytes;
        enough = dirty_bytes_ >= settings_.background || free_.empty();
    }
    if (enough) client_.poke();
}

void WriteBack::sync() {
    const auto set = [&](bool& flag, bool value) {
        const base::CriticalSection guard(disk_.executor().environment());
        flag = value;
    };
    set(syncing_, true);
    client_.poke();
    for (;;) {
        bool clean = false;
        bool failed = false;
        {
            const base::CriticalSection guard(disk_.executor().environment());
            clean = open_ == 0;
            failed = failed_;
        }
        if (clean && failed) throw std::runtime_error("dirty pages could not be written");
        if (clean) break;
        writer_->wait();
    }
    set(syncing_, false);
}

void WriteBack::close() {
    {
        const base::CriticalSection guard(disk_.executor().environment());
        closing_ = true;
    }
    client_.poke();
    for (;;) {
        {
            const base::CriticalSection guard(disk_.executor().environment());
            if (gone_) return;
        }
        writer_->wait();
    }
}

/// The flusher.
void WriteBack::flush() {
    while (step()) client_.sleep();
    const base::CriticalSection guard(disk_.executor().environment());
    gone_ = true;
    writer_->set(); // inside: the writer may be gone as soon as it can see that
}

/// Does what there is to do; false if there never will be any more.
bool WriteBack::step() {
    base::List<Chunk> going;
    bool more = true;
    while (Disk::Request* const over = client_.take_over()) {
        const auto chunk = std::ranges::find_if(chunks_, [&](const Chunk& c) { return &c.request == over; });
        const base::CriticalSection guard(disk_.executor().environment());
        failed_ |= over->failure.has_value();
        written_ += over->done_bytes;
        free_.push_back(*chunk);
        --open_;
        writer_->set();
    }
    {
        const base::CriticalSection guard(disk_.executor().environment());
        const bool now = syncing_ || closing_ || free_.empty() || dirty_bytes_ >= settings_.background;
        while (now && !dirty_.empty()) going.push_back(*dirty_.pop_front());
        if (now) dirty_bytes_ = 0;
        more = !closing_ || open_ != 0;
    }
    while (Chunk* const chunk = going.pop_front()) client_.submit(chunk->request);
    return more;
}

} // namespace mmcpipe::measure::client
