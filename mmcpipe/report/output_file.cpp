#include "mmcpipe/report/output_file.h"

#include "mmcpipe/measure/bad_input.h"

#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace mmcpipe::report {

namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
    throw measure::BadInput(fmt::format("{}: cannot be written", path.string()));
}

} // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
    std::error_code ignored;
    const bool special = std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
    if (!special) unfinished_ = fmt::format("{}.{}.unfinished", path.string(), ::getpid());
    stream_.open(special ? path_ : unfinished_, std::ios::binary);
    if (stream_) return;
    unfinished_.clear();
    cannot_write(path_);
}

OutputFile::~OutputFile() {
    stream_.close();
    std::error_code ignored;
    if (!unfinished_.empty()) std::filesystem::remove(unfinished_, ignored);
}

void OutputFile::commit() {
    stream_.close();
    std::error_code error;
    if (stream_ && !unfinished_.empty()) std::filesystem::rename(unfinished_, path_, error);
    if (!stream_ || error) cannot_write(path_);
    unfinished_.clear();
}

void write_file(const std::filesystem::path& path, std::string_view content) {
    OutputFile file(path);
    file.stream() << content;
    file.commit();
}

} // namespace mmcpipe::report
