#pragma once
// Results as `mmcpipe test --json` writes them (mmcpipe/report/json_result.h), while they come.

#include "firmware/run/text.h"
#include "mmcpipe/trial/case.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace firmware {

/// The document ends with `end()`. A case's result stands before its transfers, so these are kept until it has ended.
class JsonResults final : public mmcpipe::trial::Sink {
public:
    /// More than any case of mmc_test has; one more is a defect and traps.
    static constexpr std::size_t most_rows = 16;

    JsonResults(TextSink& to, std::string_view platform, std::string_view card);

    void begins(const mmcpipe::trial::Case& trial) override;
    void transferred(const mmcpipe::trial::Row& row) override;
    void ended(const mmcpipe::trial::Case& trial, mmcpipe::trial::Outcome outcome,
               std::optional<mmcpipe::base::Error> error) override;
    void end();

private:
    template <class... Parts>
    void write(Parts... parts) {
        Text text;
        (text.put(parts), ...);
        to_.write(text.view());
    }
    /// In quotation marks. Cards may have any byte in their names: what is no printable ASCII is escaped.
    void write_string(std::string_view text);

    TextSink& to_;
    std::array<mmcpipe::trial::Row, most_rows> rows_{};
    std::size_t row_count_ = 0;
    bool first_ = true;
};

} // namespace firmware
