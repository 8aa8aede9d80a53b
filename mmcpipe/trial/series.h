#pragma once
// Series: a source of a known number of transfers, for two lanes in turn. It ends its pipeline with the last of them,
// or after the first that fails.

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/block/pipeline.h"
#include "mmcpipe/block/transfer.h"
#include "mmcpipe/trial/bench.h"

#include <array>
#include <cstdint>
#include <optional>

namespace mmcpipe::trial {

class Series : public block::Source {
public:
    explicit Series(std::uint32_t count) : count_(count) {}

    /// The pipeline that takes from this series; before it runs.
    void feed(block::Pipeline& pipeline) { pipeline_ = &pipeline; }

    block::Transfer* next() noexcept final;
    void over(block::Transfer& transfer) noexcept final;

    /// Of the first transfer that failed.
    std::optional<base::Error> failure() const { return failure_; }

protected:
    ~Series() = default;

    /// Says what the n-th transfer is, from 0. Its lane, n % 2, is free: the one before the last is over.
    virtual void begin(std::uint32_t n, block::Transfer& transfer) noexcept = 0;
    /// It went well.
    virtual void end(std::uint32_t n, const block::Transfer& transfer) noexcept = 0;

private:
    std::uint32_t count_;
    std::uint32_t begun_ = 0;
    std::optional<base::Error> failure_{};
    block::Pipeline* pipeline_ = nullptr;
    std::array<block::Transfer, 2> lanes_{};
    std::array<std::uint32_t, 2> numbers_{}; ///< of the transfers in the lanes
};

/// Runs a series through a pipeline to its end. Fails with the series' failure.
base::Task<base::Result<void>> run(Bench& bench, Series& series, block::Depth depth);

} // namespace mmcpipe::trial
