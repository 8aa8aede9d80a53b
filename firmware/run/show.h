#pragma once
// What there is to know, on the console.

#include "firmware/run/text.h"
#include "mmcpipe/card/properties.h"
#include "mmcpipe/host/flight_record.h"

namespace firmware {

/// The product name in the card's CID.
Text product_name(const mmcpipe::card::Properties& card);

void show(const mmcpipe::card::Properties& card);
void show(const mmcpipe::host::FlightRecord& record);

} // namespace firmware
