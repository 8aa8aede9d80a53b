#pragma once
// ARMv5 in ARM state, with the CP15 operations of the ARM9 cores (ARM926EJ-S Technical Reference Manual 2.3.9).

#include "mmcpipe/port/bare/cpu.h"

namespace mmcpipe::port::bare {

/// Privileged modes only. Interrupts are IRQs; FIQ stays as it is.
struct ArmV5 {
    static unsigned mask_interrupts() noexcept {
        unsigned before;
        unsigned masked;
        asm volatile("mrs %0, cpsr\n\t"
                     "orr %1, %0, #0x80\n\t"
                     "msr cpsr_c, %1"
                     : "=&r"(before), "=r"(masked)
                     :
                     : "memory");
        return before;
    }

    static void restore_interrupts(unsigned before) noexcept {
        asm volatile("msr cpsr_c, %0" : : "r"(before) : "memory");
    }

    static void wait_for_interrupt() noexcept {
        barrier(); // sleep with nothing left in the write buffer
        asm volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0) : "memory");
    }

    static void unmask_interrupts() noexcept {
        unsigned state;
        asm volatile("mrs %0, cpsr\n\t"
                     "bic %0, %0, #0x80\n\t"
                     "msr cpsr_c, %0\n\t"
                     "nop" // a pending interrupt is taken here at the latest
                     : "=&r"(state)
                     :
                     : "memory");
    }

    static void barrier() noexcept { asm volatile("mcr p15, 0, %0, c7, c10, 4" : : "r"(0) : "memory"); }
};
static_assert(Cpu<ArmV5>);

} // namespace mmcpipe::port::bare
