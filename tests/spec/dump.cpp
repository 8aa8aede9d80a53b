#include "dump.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace mmcpipe::test {

namespace {

std::string trimmed(std::string text) {
    text.erase(0, text.find_first_not_of(' '));
    return text;
}

void read_raw(Dump& dump, const std::string& line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.starts_with("ext_csd")) return;
    const std::string key = trimmed(line.substr(0, colon));
    const std::vector<std::byte> bytes = bytes_from_hex(trimmed(line.substr(colon + 1)));
    // The lines of an EXT_CSD are called by the number of their first byte.
    std::vector<std::byte>& into = dump.raw[std::isdigit(static_cast<unsigned char>(key[0])) ? "ext_csd" : key];
    into.insert(into.end(), bytes.begin(), bytes.end());
}

void read_claim(Dump& dump, const std::string& line) {
    const std::size_t equals = line.find(" = ");
    if (equals != std::string::npos) dump.says[trimmed(line.substr(0, equals))] = line.substr(equals + 3);
}

Dump read(const std::filesystem::path& path) {
    Dump dump{.name = path.stem().string(), .raw = {}, .says = {}};
    std::ifstream file(path);
    std::string section;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('['))
            section = line.substr(0, 4);
        else if (section == "[raw" && !line.empty())
            read_raw(dump, line);
        else if (section == "[cro" && !line.empty())
            read_claim(dump, line);
    }
    return dump;
}

} // namespace

std::vector<std::byte> bytes_from_hex(std::string_view hex) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes.push_back(static_cast<std::byte>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
    }
    return bytes;
}

const std::vector<Dump>& dumps() {
    static const std::vector<Dump> all = [] {
        std::vector<Dump> found;
        for (const auto& entry : std::filesystem::directory_iterator("data/registers")) {
            if (entry.path().extension() == ".txt") found.push_back(read(entry.path()));
        }
        std::ranges::sort(found, {}, &Dump::name);
        return found;
    }();
    return all;
}

const Dump& dump(std::string_view name) {
    const auto found = std::ranges::find(dumps(), name, &Dump::name);
    if (found == dumps().end()) throw std::runtime_error("no dump of this name: " + std::string(name));
    return *found;
}

} // namespace mmcpipe::test
