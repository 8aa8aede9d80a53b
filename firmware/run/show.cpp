#include "firmware/run/show.h"

#include "firmware/run/semihosting.h"
#include "mmcpipe/spec/cid.h"

namespace firmware {

using namespace mmcpipe;

namespace {

const char* name_of(host::Timing timing) {
    switch (timing) {
    case host::Timing::legacy: return "legacy";
    case host::Timing::high_speed: return "high speed";
    case host::Timing::ddr52: return "dual data rate";
    }
    return "unknown";
}

} // namespace

Text product_name(const card::Properties& card) {
    Text name;
    if (card.peer.family == spec::Family::sd) {
        name.put(spec::sd::Cid::decode(card.cid).name());
    } else {
        name.put(spec::mmc::Cid::decode(card.cid).name());
    }
    return name;
}

void show(const card::Properties& card) {
    const bool sd = card.peer.family == spec::Family::sd;
    print("card: ", sd ? "SD " : "MMC ", product_name(card).view(), ", ",
          static_cast<std::uint32_t>(card.capacity.bytes >> 20), " MiB, ", static_cast<unsigned>(card.mode.width),
          " lines, ", name_of(card.mode.timing), ", at most ", card.clock.value / 1000, " kHz\n");
}

void show(const host::FlightRecord& record) {
    for (std::size_t i = 0; i < record.size(); ++i) {
        const host::FlightEntry& entry = record[i];
        print("  CMD", entry.command.index, " ", Hex{entry.command.argument}, " answered ", Hex{entry.response}, ", ",
              entry.bytes_done, " of ", entry.bytes, " bytes, status ", Hex{entry.host_status}, " ",
              entry.error ? base::name(entry.error->code) : "", "\n");
    }
}

} // namespace firmware
