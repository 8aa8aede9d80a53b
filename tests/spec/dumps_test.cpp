// Every register dump against the cross-check that stands beside it.

#include "dump.h"
#include "mmcpipe/spec/cid.h"
#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/ext_csd.h"
#include "mmcpipe/spec/scr.h"
#include "mmcpipe/spec/sd_status.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace mmcpipe;

namespace {

/// The claims of one dump, each compared with ours.
class Claims {
public:
    explicit Claims(const test::Dump& of) : dump_(of) {}
    ~Claims() { EXPECT_GT(compared_, 0) << dump_.name; }

    /// The first number after `prefix` in the claim of this name.
    void number(const std::string& name, std::uint64_t ours, const std::string& prefix = "") {
        const std::string text = claim(name);
        const std::size_t at = text.find(prefix);
        ASSERT_NE(at, std::string::npos) << dump_.name << ' ' << name << " = " << text;
        EXPECT_EQ(std::stoull(text.substr(at + prefix.size()), nullptr, 0), ours) << dump_.name << ' ' << name;
    }
    void begins(const std::string& name, const std::string& ours) {
        EXPECT_TRUE(claim(name).starts_with(ours))
            << dump_.name << ' ' << name << " = " << claim(name) << ", ours " << ours;
    }
    void contains(const std::string& name, const std::string& ours) {
        EXPECT_NE(claim(name).find(ours), std::string::npos)
            << dump_.name << ' ' << name << " = " << claim(name) << ", ours " << ours;
    }
    void crc(const std::string& name, spec::Crc ours) {
        const std::string text = claim(name);
        const bool valid = text.find("valid") != std::string::npos || text.find("CRC7 matches") != std::string::npos;
        const bool absent = text.find("stripped") != std::string::npos || text.starts_with("stored 0xff");
        EXPECT_EQ(ours, valid    ? spec::Crc::valid
                        : absent ? spec::Crc::absent
                                 : spec::Crc::wrong)
            << dump_.name << ' ' << text;
    }

private:
    const std::string& claim(const std::string& name) {
        ++compared_;
        return dump_.says.at(name);
    }

    const test::Dump& dump_;
    int compared_ = 0;
};

std::string month_of(const spec::Date& date) {
    const std::string month = std::to_string(date.month);
    return std::to_string(date.year.value()) + '-' + (month.size() < 2 ? "0" : "") + month;
}

spec::R2 r2_of(const test::Dump& dump, const std::string& name) {
    return spec::r2_from_bytes(test::register_of<16>(dump, name));
}

void check_cid(const test::Dump& dump, const spec::mmc::Cid& cid, Claims& claims) {
    claims.number("cid.CBX", cid.cbx);
    claims.number("cid.OID", cid.oid);
    claims.number("cid.OID", cid.oid_16(), "16-bit reading ");
    claims.number("cid.PRV", cid.prv.n());
    claims.number("cid.PRV", cid.prv.m(), ".");
    claims.number("cid.MDT", cid.mdt);
    claims.contains("cid.MDT", "EXT_CSD_REV<=4 -> " + std::to_string(cid.made(4).year.value()));
    claims.contains("cid.MDT", "rev 5..8 -> " + std::to_string(cid.made(8).year.value()));
    claims.number("cid.MDT", cid.made(8).month, "month ");
    EXPECT_EQ(spec::closed(cid.encode()), spec::closed(r2_of(dump, "cid"))) << dump.name;
}

void check_cid(const test::Dump& dump, const spec::sd::Cid& cid, Claims& claims) {
    claims.number("cid.OID", cid.oid);
    claims.number("cid.PRV", cid.prv.n());
    claims.number("cid.PRV", cid.prv.m(), ".");
    claims.number("cid.MDT", cid.mdt);
    claims.contains("cid.MDT", "-> " + month_of(cid.made()));
    EXPECT_EQ(dump.says.at("cid.MDT").find("INVALID") == std::string::npos, cid.made().valid()) << dump.name;
    EXPECT_EQ(spec::closed(cid.encode()), spec::closed(r2_of(dump, "cid"))) << dump.name;
}

void check_csd(const spec::mmc::Csd& csd, Claims& claims) {
    claims.number("csd.SPEC_VERS", csd.spec_vers);
    claims.number("csd.C_SIZE_MULT", csd.c_size_mult);
    claims.number("csd.ERASE_GRP_SIZE", csd.erase_grp_size);
    claims.number("csd.ERASE_GRP_MULT", csd.erase_grp_mult);
    claims.number("csd.erase_group_sectors", csd.erase_group_sectors());
    claims.number("csd.capacity_bytes", csd.capacity_by_csd().bytes);
    claims.number("csd.capacity_512B_sectors", csd.capacity_by_csd().sectors());
}

void check_csd(const spec::sd::Csd& csd, Claims& claims) {
    if (csd.csd_structure == 0) claims.number("csd.C_SIZE_MULT", csd.c_size_mult);
    claims.number("csd.ERASE_BLK_EN", csd.erase_blk_en);
    claims.number("csd.SECTOR_SIZE", csd.sector_size);
    claims.number("csd.capacity_bytes", csd.capacity().bytes);
    claims.number("csd.capacity_512B_sectors", csd.capacity().sectors());
}

/// What MMC and SD have in common.
template <class Csd>
void check_whole_csd(const test::Dump& dump, const Csd& csd, Claims& claims) {
    claims.number("csd.CSD_STRUCTURE", csd.csd_structure);
    claims.number("csd.TAAC", csd.taac);
    EXPECT_EQ(std::stod(dump.says.at("csd.TAAC").substr(6)), static_cast<double>(spec::access_time(csd.taac).ns))
        << dump.name;
    claims.number("csd.NSAC", csd.nsac);
    claims.number("csd.TRAN_SPEED", csd.tran_speed);
    claims.number("csd.TRAN_SPEED", csd.fastest_clock().value / 1'000'000, "(");
    claims.number("csd.CCC", csd.ccc);
    claims.number("csd.READ_BL_LEN", csd.read_bl_len);
    claims.number("csd.C_SIZE", csd.c_size);
    claims.number("csd.WRITE_BL_LEN", csd.write_bl_len);
    claims.number("csd.R2W_FACTOR", csd.r2w_factor);
    claims.number("csd.COPY", csd.copy);
    claims.number("csd.PERM_WP", csd.perm_write_protect);
    claims.number("csd.TMP_WP", csd.tmp_write_protect);
    check_csd(csd, claims);
    EXPECT_EQ(csd.encode(), spec::closed(r2_of(dump, "csd")))
        << dump.name; // nothing is lost: the reserved bits of real cards are 0
}

} // namespace

TEST(Dumps, EveryCidSaysWhatTheCrossCheckSays) {
    int seen = 0;
    for (const test::Dump& dump : test::dumps()) {
        if (!dump.raw.contains("cid")) continue;
        ++seen;
        Claims claims(dump);
        const spec::R2 words = r2_of(dump, "cid");
        const auto check = [&](const auto& cid) {
            claims.number("cid.MID", cid.mid);
            claims.number("cid.PSN", cid.psn);
            std::string name(cid.pnm.begin(), cid.pnm.end());
            for (char& c : name) c = c == '\0' ? '.' : c;
            claims.begins("cid.PNM", name);
            claims.crc("cid.CRC7", spec::crc_of(words));
            check_cid(dump, cid, claims);
        };
        if (dump.mmc())
            check(spec::mmc::Cid::decode(words));
        else
            check(spec::sd::Cid::decode(words));
    }
    EXPECT_GE(seen, 28);
}

TEST(Dumps, EveryCsdSaysWhatTheCrossCheckSays) {
    int seen = 0;
    for (const test::Dump& dump : test::dumps()) {
        if (!dump.raw.contains("csd")) continue;
        ++seen;
        Claims claims(dump);
        const spec::R2 words = r2_of(dump, "csd");
        claims.crc("csd.CRC7", spec::crc_of(words));
        if (dump.mmc())
            check_whole_csd(dump, spec::mmc::Csd::decode(words), claims);
        else
            check_whole_csd(dump, spec::sd::Csd::decode(words), claims);
    }
    EXPECT_GE(seen, 33);
}

TEST(Dumps, EveryLargeEmmcRefersToExtCsd) {
    int seen = 0;
    for (const test::Dump& dump : test::dumps()) {
        if (!dump.says.contains("csd.note")) continue;
        ++seen;
        EXPECT_TRUE(spec::mmc::Csd::decode(r2_of(dump, "csd")).refers_to_ext_csd()) << dump.name;
    }
    EXPECT_GE(seen, 6);
}

TEST(Dumps, EveryScrSaysWhatTheCrossCheckSays) {
    using spec::sd::SpecVersion;
    const std::map<SpecVersion, std::string> names = {{SpecVersion::v1_0, "1.0"},   {SpecVersion::v1_10, "1.10"},
                                                      {SpecVersion::v2_00, "2.00"}, {SpecVersion::v3_0x, "3.0X"},
                                                      {SpecVersion::v4_xx, "4.XX"}, {SpecVersion::v5_xx, "5.XX"},
                                                      {SpecVersion::v6_xx, "6.XX"}};
    int seen = 0;
    for (const test::Dump& dump : test::dumps()) {
        if (!dump.raw.contains("scr")) continue;
        ++seen;
        const auto bytes = test::register_of<8>(dump, "scr");
        const auto scr = spec::sd::Scr::decode(bytes);
        Claims claims(dump);
        claims.number("scr.SCR_STRUCTURE", scr.scr_structure);
        claims.number("scr.SD_SPEC", scr.sd_spec);
        claims.number("scr.DATA_STAT_AFTER_ERASE", scr.data_stat_after_erase);
        claims.number("scr.SD_SECURITY", scr.sd_security);
        claims.number("scr.SD_BUS_WIDTHS", scr.sd_bus_widths);
        claims.number("scr.SD_SPEC3", scr.sd_spec3);
        claims.number("scr.EX_SECURITY", scr.ex_security);
        claims.number("scr.SD_SPEC4", scr.sd_spec4);
        claims.number("scr.SD_SPECX", scr.sd_specx);
        claims.number("scr.CMD_SUPPORT", scr.cmd_support);
        claims.number("scr.MFG", scr.manufacturer);
        claims.begins("scr.=> spec version", names.at(scr.version()));
        EXPECT_TRUE(std::ranges::equal(scr.encode(), bytes)) << dump.name;
    }
    EXPECT_GE(seen, 14);
}

TEST(Dumps, TheSdStatusSaysWhatTheCrossCheckSays) {
    const test::Dump& dump = test::dump("ml-sd-kingston-64gb-2023");
    const auto status = spec::sd::SdStatus::decode(test::register_of<64>(dump, "ssr"));
    Claims claims(dump);
    claims.number("ssr.DAT_BUS_WIDTH", status.dat_bus_width);
    claims.number("ssr.SECURED_MODE", status.secured_mode);
    claims.number("ssr.SD_CARD_TYPE", status.sd_card_type);
    claims.number("ssr.SIZE_OF_PROTECTED_AREA", status.size_of_protected_area);
    claims.number("ssr.SPEED_CLASS", status.speed_class, "code ");
    claims.number("ssr.SPEED_CLASS", status.speed_class_mb_s(), "class ");
    claims.number("ssr.PERFORMANCE_MOVE", status.performance_move);
    claims.number("ssr.AU_SIZE", status.au_size, "code ");
    claims.number("ssr.AU_SIZE", status.au_sectors() >> 11, "-> ");
    claims.number("ssr.ERASE_SIZE", status.erase_size);
    claims.number("ssr.ERASE_TIMEOUT", status.erase_timeout);
    claims.number("ssr.ERASE_OFFSET", status.erase_offset);
    claims.number("ssr.UHS_SPEED_GRADE", status.uhs_speed_grade);
    claims.number("ssr.UHS_AU_SIZE", status.uhs_au_size, "code ");
    claims.number("ssr.VIDEO_SPEED_CLASS", status.video_speed_class);
    claims.number("ssr.VSC_AU_SIZE", status.vsc_au_size);
    claims.number("ssr.SUS_ADDR", status.sus_addr);
    claims.number("ssr.APP_PERF_CLASS", status.app_perf_class, "A");
    claims.number("ssr.PERFORMANCE_ENHANCE", status.performance_enhance);
    claims.number("ssr.DISCARD_SUPPORT", status.discard_support);
    claims.number("ssr.FULE_SUPPORT", status.fule_support);
}

TEST(Dumps, EveryExtCsdSaysWhatTheCrossCheckSays) {
    namespace ext_csd = spec::mmc::ext_csd;
    int seen = 0;
    for (const test::Dump& dump : test::dumps()) {
        if (!dump.raw.contains("ext_csd")) continue;
        ++seen;
        ASSERT_EQ(dump.raw.at("ext_csd").size(), spec::mmc::ext_csd_size) << dump.name;
        const spec::mmc::ExtCsd view(test::register_of<512>(dump, "ext_csd"));
        Claims claims(dump);
        int fields = 0;
        for (const auto& [name, text] : dump.says) {
            // "SEC_COUNT[215:212]": the field ends with its lowest byte.
            const std::size_t bracket = name.find('[');
            if (bracket == std::string::npos) continue;
            const std::size_t colon = name.find(':', bracket);
            const unsigned index =
                static_cast<unsigned>(std::stoul(name.substr((colon == std::string::npos ? bracket : colon) + 1)));
            const ext_csd::Field* field = ext_csd::field_of(index);
            if (field == nullptr) continue; // of a later revision
            ++fields;
            EXPECT_EQ(field->index, index) << dump.name << ' ' << name;
            EXPECT_EQ(field->size == 1, colon == std::string::npos) << dump.name << ' ' << name;
            claims.number(name, view[*field]);
        }
        EXPECT_GE(fields, 35) << dump.name;
        claims.number("SEC_COUNT[215:212]", spec::Capacity::of_sectors(view.sec_count()).bytes, ") = ");
        claims.number("HC_ERASE_GRP_SIZE[224]", view.hc_erase_group_sectors() / 2, " = ");
        claims.number("HC_WP_GRP_SIZE[221]", view.hc_wp_group_sectors() / 2, "WP group ");
        claims.number("BOOT_SIZE_MULT[226]", view.boot_partition().bytes >> 10, " = ");
        claims.number("RPMB_SIZE_MULT[168]", view.rpmb().bytes >> 10, " = ");
        claims.number("CACHE_SIZE[252:249]", view.cache().bytes >> 10, "-> ");
    }
    EXPECT_GE(seen, 4);
}
