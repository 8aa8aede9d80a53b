#pragma once
// Cases that say nothing where the image runs under QEMU, because QEMU's models are not what they model. Known by
// QEMU's card, whichever controller it is behind.

#include "mmcpipe/card/properties.h"

#include <string_view>

namespace firmware {

/// Why the case of that number, of the suite of that name, is not tried with this card; nullptr: it is.
const char* not_tried(const mmcpipe::card::Properties& card, std::string_view suite, unsigned number);

} // namespace firmware
