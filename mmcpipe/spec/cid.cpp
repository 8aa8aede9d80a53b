#include "mmcpipe/spec/cid.h"

#include "mmcpipe/spec/layout.h"

namespace mmcpipe::spec {

using layout::bits;

std::string_view trimmed(std::string_view product_name) {
    while (!product_name.empty() && (product_name.back() == ' ' || product_name.back() == '\0'))
        product_name.remove_suffix(1);
    return product_name;
}

namespace mmc {

namespace {

constexpr auto each_field = [](auto& cid, const auto& visit) {
    visit(bits<127, 120>, cid.mid);
    visit(bits<119, 114>, cid.bin);
    visit(bits<113, 112>, cid.cbx);
    visit(bits<111, 104>, cid.oid);
    visit(bits<103, 96>, cid.pnm[0]);
    visit(bits<95, 88>, cid.pnm[1]);
    visit(bits<87, 80>, cid.pnm[2]);
    visit(bits<79, 72>, cid.pnm[3]);
    visit(bits<71, 64>, cid.pnm[4]);
    visit(bits<63, 56>, cid.pnm[5]);
    visit(bits<55, 48>, cid.prv.raw);
    visit(bits<47, 16>, cid.psn);
    visit(bits<15, 8>, cid.mdt);
};

} // namespace

Date Cid::made(std::optional<std::uint8_t> ext_csd_rev) const {
    Date date{.month = static_cast<std::uint8_t>(mdt >> 4)};
    if (!ext_csd_rev) return date;
    unsigned year = 1997u + (mdt & 0xfu);
    if (*ext_csd_rev > 4 && year < 2010) year += 16;
    if (*ext_csd_rev > 8 && year < 2023) year += 16;
    date.year = static_cast<std::uint16_t>(year);
    return date;
}

Cid Cid::decode(const R2& words) { return layout::decoded<Cid>(words, each_field); }

R2 Cid::encode() const { return closed(layout::encoded<4>(*this, each_field)); }

} // namespace mmc

namespace sd {

namespace {

constexpr auto each_field = [](auto& cid, const auto& visit) {
    visit(bits<127, 120>, cid.mid);
    visit(bits<119, 104>, cid.oid);
    visit(bits<103, 96>, cid.pnm[0]);
    visit(bits<95, 88>, cid.pnm[1]);
    visit(bits<87, 80>, cid.pnm[2]);
    visit(bits<79, 72>, cid.pnm[3]);
    visit(bits<71, 64>, cid.pnm[4]);
    visit(bits<63, 56>, cid.prv.raw);
    visit(bits<55, 24>, cid.psn);
    visit(bits<19, 8>, cid.mdt);
};

} // namespace

Cid Cid::decode(const R2& words) { return layout::decoded<Cid>(words, each_field); }

R2 Cid::encode() const { return closed(layout::encoded<4>(*this, each_field)); }

} // namespace sd

} // namespace mmcpipe::spec
