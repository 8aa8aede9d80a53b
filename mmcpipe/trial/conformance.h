#pragma once
// The conformance suite: what every host driver with every card has to do, whatever they are. One list, run over each
// pair. A case that a pair cannot do by its nature says so; everything else is a defect of the host, the card, or what
// lies between.
//
// The cases overwrite a few MiB in the middle of the card, and its last sectors. Data is verified with patterns that
// tell which sector, and which writing of it, a byte comes from; buffers are blank before they are read into, and what
// lies around them has to stay so.

#include "mmcpipe/trial/case.h"

#include <span>

namespace mmcpipe::trial {

std::span<const Case> conformance_cases();

} // namespace mmcpipe::trial
