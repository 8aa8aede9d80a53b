#pragma once
// A folder of its own for a test's files, gone when the test is.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace mmcpipe::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "mmcpipe-test-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }

    const std::filesystem::path& path() const { return path_; }

    /// Makes a file, and gives its path.
    std::string file(std::string_view name, std::string_view content) const {
        std::ofstream(path_ / name) << content;
        return (path_ / name).string();
    }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

private:
    std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What the exception of type E says that `call` throws; "" if it throws none.
template <class E, class Call>
std::string complaint(const Call& call) {
    try {
        call();
    } catch (const E& error) {
        return error.what();
    }
    return "";
}

} // namespace mmcpipe::test
