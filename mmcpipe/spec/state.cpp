#include "mmcpipe/spec/state.h"

#include <span>

namespace mmcpipe::spec {

namespace {

using enum State;

/// A card command class as a bit of CCC.
constexpr std::uint16_t bit(CommandClass of) { return static_cast<std::uint16_t>(1u << static_cast<unsigned>(of)); }

constexpr std::uint16_t basic = bit(CommandClass::basic);
constexpr std::uint16_t stream_read = bit(CommandClass::stream_read);
constexpr std::uint16_t block_read = bit(CommandClass::block_read);
constexpr std::uint16_t stream_write = bit(CommandClass::stream_write);
constexpr std::uint16_t block_write = bit(CommandClass::block_write);
constexpr std::uint16_t erase = bit(CommandClass::erase);
constexpr std::uint16_t write_protection = bit(CommandClass::write_protection);
constexpr std::uint16_t lock_card = bit(CommandClass::lock_card);
constexpr std::uint16_t application_specific = bit(CommandClass::application);
constexpr std::uint16_t io_mode = bit(CommandClass::io_mode);
constexpr std::uint16_t switch_function = bit(CommandClass::switch_function);

struct Row {
    std::uint8_t index;
    std::uint16_t classes;
    StateSet states;
};

/// From the time a card has an address.
constexpr StateSet addressed{stby, tran, data, rcv, prg, dis};
constexpr StateSet addressed_mmc{stby, tran, data, btst, rcv, prg, dis};

/// The commands of eMMC 4.41. The standard lets a card take CMD24 and CMD25 in prg or not; these tables do not.
constexpr Row mmc_commands[] = {
    {0, basic, {idle, ready, ident, stby, tran, data, btst, rcv, prg, dis, slp}},
    {1, basic, {idle}},
    {2, basic, {ready}},
    {3, basic, {ident}},
    {4, basic, {stby}},
    {5, basic, {stby, slp}},
    {6, basic, {tran}},
    {7, basic, {stby, dis}},
    {8, basic, {tran}},
    {9, basic, {stby}},
    {10, basic, {stby}},
    {11, stream_read, {tran}},
    {12, basic, {data, rcv}},
    {13, basic, addressed_mmc},
    {14, basic, {btst}},
    {15, basic, addressed_mmc},
    {16, block_read | block_write | lock_card, {tran}},
    {17, block_read, {tran}},
    {18, block_read, {tran}},
    {19, basic, {tran}},
    {20, stream_write, {tran}},
    {23, block_read | block_write, {tran}},
    {24, block_write, {tran}},
    {25, block_write, {tran}},
    {26, block_write, {tran}},
    {27, block_write, {tran}},
    {28, write_protection, {tran}},
    {29, write_protection, {tran}},
    {30, write_protection, {tran}},
    {31, write_protection, {tran}},
    {35, erase, {tran}},
    {36, erase, {tran}},
    {38, erase, {tran}},
    {39, io_mode, {stby}},
    {40, io_mode, {stby}},
    {42, lock_card, {tran}},
    {55, application_specific, addressed_mmc},
    {56, application_specific, {tran}},
};

constexpr Row sd_commands[] = {
    {0, basic, {idle, ready, ident, stby, tran, data, rcv, prg, dis}},
    {2, basic, {ready}},
    {3, basic, {ident, stby}},
    {4, basic, {stby}},
    {6, switch_function, {tran}},
    {7, basic, {stby, dis}},
    {8, basic, {idle}},
    {9, basic, {stby}},
    {10, basic, {stby}},
    {11, basic, {ready}},
    {12, basic, {data, rcv}},
    {13, basic, addressed},
    {15, basic, addressed},
    {16, block_read | block_write | lock_card, {tran}},
    {17, block_read, {tran}},
    {18, block_read, {tran}},
    {19, block_read, {tran}},
    {20, block_read | block_write, {tran}},
    {22, block_read | block_write | erase, {tran}},
    {23, block_read | block_write, {tran}},
    {24, block_write, {tran}},
    {25, block_write, {tran}},
    {27, block_write, {tran}},
    {28, write_protection, {tran}},
    {29, write_protection, {tran}},
    {30, write_protection, {tran}},
    {32, erase, {tran}},
    {33, erase, {tran}},
    {38, erase, {tran}},
    {42, lock_card, {tran}},
    {55, application_specific, {idle, stby, tran, data, rcv, prg, dis}},
    {56, application_specific, {tran}},
};

constexpr Row sd_application_commands[] = {
    {6, application_specific, {tran}},  {13, application_specific, {tran}}, {22, application_specific, {tran}},
    {23, application_specific, {tran}}, {41, application_specific, {idle}}, {42, application_specific, {tran}},
    {51, application_specific, {tran}},
};

const Row* find(std::span<const Row> rows, std::uint8_t index) {
    for (const Row& row : rows) {
        if (row.index == index) return &row;
    }
    return nullptr;
}

/// After CMD55 a command that is no application command is the standard one of that number (SD 4.3.9.1).
const Row* find(Family family, std::uint8_t index, bool after_app_cmd) {
    if (family == Family::mmc) return find(mmc_commands, index);
    const Row* row = after_app_cmd ? find(sd_application_commands, index) : nullptr;
    return row != nullptr ? row : find(sd_commands, index);
}

} // namespace

bool is_application_command(Family family, std::uint8_t index) {
    return family == Family::sd && find(sd_application_commands, index) != nullptr;
}

bool legal(Family family, std::uint8_t index, bool after_app_cmd, State state) {
    const Row* row = find(family, index, after_app_cmd);
    return row != nullptr && row->states.contains(state);
}

std::uint16_t classes_of(Family family, std::uint8_t index, bool after_app_cmd) {
    const Row* row = find(family, index, after_app_cmd);
    return row != nullptr ? row->classes : std::uint16_t{0};
}

} // namespace mmcpipe::spec
