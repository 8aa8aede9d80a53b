#pragma once
// What is wired to what on a board: known to those who make the models, and to those who make the drivers.

#include "mmcpipe/port/memory.h"

#include <cstdint>

namespace mmcpipe::rig::wiring {

/// The registers of the host controller, on the bus.
constexpr port::BusAddress host = 0x4000'0000;

/// Request line of a PL18x at its engine.
constexpr std::uint8_t pl18x_request = 0;

/// Request lines of a PXA's MMC controller at its DMA controller, as the manuals have them.
constexpr std::uint8_t pxamci_receive_request = 21;
constexpr std::uint8_t pxamci_transmit_request = 22;

} // namespace mmcpipe::rig::wiring
