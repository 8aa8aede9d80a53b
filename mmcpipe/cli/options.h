#pragma once
// What the command line asks for, as values.

#include "mmcpipe/measure/workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mmcpipe::cli {

/// Which board, and with which numbers changed.
struct Selection {
    std::string platform;              ///< name or file; empty: the default
    std::string card;                  ///< name or file; empty: the platform's
    std::vector<std::string> settings; ///< "platform.KEY=VALUE", "card.KEY=VALUE"
};

/// mmcpipe test
struct TestOptions {
    Selection board;
    std::string cases = "37-44";
    std::optional<std::string> json; ///< file; empty: standard output, and nothing else there
    std::string compare;             ///< a published log; empty: none
    std::string variant;             ///< of the log; empty: its first
    std::string timeline;            ///< file; empty: none
    std::string trace;               ///< file; empty: none
    unsigned trace_requests = 16;    ///< of each row; 0: all
};

enum class Subject { platforms, cards, cases };

/// mmcpipe list
struct ListOptions {
    Subject subject = Subject::platforms;
};

/// mmcpipe calibrate
struct CalibrateOptions {
    Selection board;
    std::string log;
    std::string variant;
    std::vector<std::string> fit; ///< "platform.KEY", "card.KEY=LEAST..MOST"
    std::string out;              ///< directory
    unsigned evaluations = 300;
};

/// mmcpipe results
struct ResultsOptions {
    Selection board;
    std::string out; ///< file; empty: standard output
};

/// mmcpipe bench
struct BenchOptions {
    Selection board;
    std::string workload;
    measure::workload::Options options;
    std::string dma; ///< empty: as the platform has it
    bool pio = false;
    std::string packing; ///< empty: adaptive where the card has packed commands
    bool no_merge = false;
    std::uint64_t max_request = 0; ///< bytes; 0: what host and card take
    unsigned seconds = 0;
    bool phases = false;
    bool wants_json = false;
    std::string json; ///< file; empty: standard output, and nothing else there
    std::string trace;
    unsigned trace_requests = 64; ///< 0: all
};

/// mmcpipe compare
struct CompareOptions {
    std::string before;
    std::string after;
};

/// What there is to say, and nothing to do: help.
struct Notice {
    std::string text;
};

using Options =
    std::variant<Notice, TestOptions, ListOptions, CalibrateOptions, ResultsOptions, BenchOptions, CompareOptions>;

/// Throws measure::BadInput for what it does not understand. `argv` as main gets it.
Options parse(int argc, const char* const* argv);

} // namespace mmcpipe::cli
