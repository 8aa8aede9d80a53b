#include "firmware/run/json_results.h"

namespace firmware {

using namespace mmcpipe;

JsonResults::JsonResults(TextSink& to, std::string_view platform, std::string_view card) : to_(to) {
    write("{\"platform\":");
    write_string(platform);
    write(",\"card\":");
    write_string(card);
    write(",\"cases\":[");
}

void JsonResults::begins(const trial::Case&) { row_count_ = 0; }

void JsonResults::transferred(const trial::Row& row) {
    if (row_count_ == most_rows) __builtin_trap();
    rows_[row_count_++] = row;
}

void JsonResults::ended(const trial::Case& trial, trial::Outcome outcome, std::optional<base::Error>) {
    write(first_ ? "\n" : ",\n", "{\"case\":", trial.number, ",\"name\":");
    write_string(trial.name);
    write(",\"result\":");
    write_string(trial::name(outcome));
    write(",\"transfers\":[");
    for (std::size_t i = 0; i < row_count_; ++i) {
        const trial::Row& row = rows_[i];
        write(i == 0 ? "" : ",", "{\"requests\":", row.requests, ",\"sectors\":", row.request_sectors(),
              ",\"request_bytes\":", row.request_bytes, ",\"sg_len\":", row.elements,
              ",\"seconds\":", Seconds{row.took}, "}");
    }
    write("]}");
    first_ = false;
}

void JsonResults::end() { write("]}\n"); }

void JsonResults::write_string(std::string_view text) {
    write('"');
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            write('\\', c);
        } else if (byte < 0x20 || byte > 0x7e) {
            write("\\u00", Hex{byte});
        } else {
            write(c);
        }
    }
    write('"');
}

} // namespace firmware
