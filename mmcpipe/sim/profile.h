#pragma once
// Profiles: platforms and cards as data. A profile is a TOML file with one table; every number in it is a string with
// its unit, and says where it comes from:
//
//     [platform]
//     name = "board"
//     wake = { value = "126us", origin = "fitted", note = "interrupt to the thread that waits" }
//
// A number that is derived, fitted or unexplained has a note, too. A key may be overridden by hand (`--set
// platform.wake=100us`); its origin is then "given".

#include "mmcpipe/sim/time.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mmcpipe::sim {

/// What is wrong with a profile: one line that names the file, the line or key, what was found and what is allowed.
class ProfileError : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// Where a number comes from.
enum class Origin : std::uint8_t {
    datasheet,   ///< a manual or a specification
    derived,     ///< follows from published measurements or from other numbers
    fitted,      ///< by `mmcpipe calibrate`
    unexplained, ///< was measured, and has no known cause
    given,       ///< by hand, on the command line
};
std::string_view name(Origin origin);

/// One entry of a profile, as it stands there.
struct Entry {
    std::string key;
    std::string value;
    std::optional<Origin> origin{}; ///< nothing for what is no number
    std::string note;
    std::string where; ///< "FILE:LINE", or "--set KEY"
};

class Profile {
public:
    /// Reads `file`; `table` is "platform" or "card".
    static Profile read(const std::filesystem::path& file, std::string_view table);

    /// Overrides a key. Throws if the profile's reader knows no such key (see `check`).
    void set(std::string_view key, std::string_view value, Origin origin = Origin::given);

    const std::string& table() const { return table_; }
    const std::filesystem::path& file() const { return file_; }
    std::span<const Entry> entries() const { return entries_; }
    const Entry* find(std::string_view key) const;

    // --- typed values; each throws ProfileError for a key that is missing, malformed, or out of its range, and for a
    //     number without an origin, or without the note that its origin needs ---

    Time time(std::string_view key, Time least, Time most) const;
    /// A multiple of `unit`.
    std::uint64_t bytes(std::string_view key, std::uint64_t least, std::uint64_t most, std::uint64_t unit = 1) const;
    std::uint64_t count(std::string_view key, std::uint64_t least, std::uint64_t most) const;
    std::uint32_t hertz(std::string_view key, std::uint32_t least, std::uint32_t most) const;
    /// The index of the value among `choices`, which may be numbers.
    std::size_t choice(std::string_view key, std::span<const std::string_view> choices) const;
    std::string text(std::string_view key) const;
    /// Bytes in hexadecimal, exactly `size` of them.
    std::vector<std::byte> hex(std::string_view key, std::size_t size) const;

    /// Throws if there is an entry that none of the calls above has asked for.
    void check_all_used() const;

private:
    const Entry& need(std::string_view key, std::string_view allowed) const;
    void check_origin(const Entry& entry) const;
    [[noreturn]] void bad(const Entry& entry, std::string_view allowed) const;
    std::uint64_t scaled(const Entry& entry, std::span<const struct Unit> units, std::string_view allowed) const;

    std::string table_;
    std::filesystem::path file_;
    std::vector<Entry> entries_;
    mutable std::vector<std::string> asked_;
};

/// "450us", "1.25ms", ... and back, in the largest unit that keeps it whole.
std::string text_of(Time time);

} // namespace mmcpipe::sim
