#pragma once
// A file that is there whole or not at all.

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string_view>

namespace mmcpipe::report {

/// Writes beside `path` and renames at the end; what is no regular file (a pipe, a device) it writes directly. Throws
/// measure::BadInput if the file cannot be made or written.
class OutputFile {
public:
    explicit OutputFile(const std::filesystem::path& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    /// Without `commit` nothing is left behind, and a file that was there before stays as it was.
    ~OutputFile();

    std::ostream& stream() { return stream_; }
    void commit();

private:
    std::filesystem::path path_;
    std::filesystem::path unfinished_; ///< empty: there is nothing to rename or to remove
    std::ofstream stream_;
};

/// All at once.
void write_file(const std::filesystem::path& path, std::string_view content);

} // namespace mmcpipe::report
