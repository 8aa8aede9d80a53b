#pragma once
// What this port asks of a processor core. One small file for each architecture answers it.

#include <concepts>

namespace mmcpipe::port::bare {

/// Static functions of a core that runs alone: no other core touches the executor's state.
template <class T>
concept Cpu = requires(unsigned state) {
    /// Keeps interrupts out; returns what `restore_interrupts` needs to undo exactly this. Nests. No memory access
    /// moves across either.
    { T::mask_interrupts() } noexcept -> std::same_as<unsigned>;
    { T::restore_interrupts(state) } noexcept -> std::same_as<void>;
    /// Sleeps until an interrupt is pending, masked or not; at once if one is.
    { T::wait_for_interrupt() } noexcept -> std::same_as<void>;
    /// Opens the core to interrupts; those that are pending have run when it returns.
    { T::unmask_interrupts() } noexcept -> std::same_as<void>;
    /// All memory accesses before it are complete, seen by every bus master, before any after it begins.
    { T::barrier() } noexcept -> std::same_as<void>;
};

} // namespace mmcpipe::port::bare
