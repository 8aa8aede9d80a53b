#include "mmcpipe/trial/series.h"

namespace mmcpipe::trial {

block::Transfer* Series::next() noexcept {
    if (begun_ == count_ || failure_) {
        pipeline_->stop();
        return nullptr;
    }
    const std::uint32_t lane = begun_ % 2;
    numbers_[lane] = begun_++;
    begin(numbers_[lane], lanes_[lane]);
    return &lanes_[lane];
}

void Series::over(block::Transfer& transfer) noexcept {
    if (transfer.failure) {
        if (!failure_) failure_ = transfer.failure;
        return;
    }
    end(numbers_[&transfer == &lanes_[0] ? 0 : 1], transfer);
}

base::Task<base::Result<void>> run(Bench& bench, Series& series, block::Depth depth) {
    block::Pipeline pipeline(bench.card(), series, depth);
    series.feed(pipeline);
    co_await pipeline.run();
    if (series.failure()) co_return base::fail(*series.failure());
    co_return {};
}

} // namespace mmcpipe::trial
