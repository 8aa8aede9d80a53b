#include "mmcpipe/spec/ext_csd.h"

namespace mmcpipe::spec::mmc {

const ext_csd::Field* ext_csd::field_of(std::size_t index) {
    for (const Field& field : fields) {
        if (index >= field.index && index < std::size_t{field.index} + field.size) return &field;
    }
    return nullptr;
}

bool ext_csd::writable(std::size_t index) {
    const Field* field = field_of(index);
    return field != nullptr && field->access != Access::read_only;
}

base::Result<Capacity> capacity(const Csd& csd, const ExtCsd* ext_csd) {
    if (ext_csd != nullptr && ext_csd->sec_count() != 0) return Capacity::of_sectors(ext_csd->sec_count());
    // A card of up to 2 GB may leave SEC_COUNT 0, of whatever revision it is.
    if (ext_csd == nullptr && csd.refers_to_ext_csd()) return base::fail(base::Code::bad_register);
    return csd.capacity_by_csd();
}

std::uint32_t erase_group_sectors(const Csd& csd, const ExtCsd* ext_csd) {
    if (ext_csd != nullptr && ext_csd->high_capacity_groups() && ext_csd->hc_erase_group_sectors() != 0) {
        return ext_csd->hc_erase_group_sectors();
    }
    return csd.erase_group_sectors();
}

} // namespace mmcpipe::spec::mmc
