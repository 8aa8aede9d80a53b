#pragma once
// The PXA's MMC controller on a bus with an SD card in the transfer state, driven register by register.

#include "mmcpipe/sim/controller/pxamci.h"
#include "mmcpipe/sim/machine.h"
#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace mmcpipe::sim::controller {

class PxamciModel : public testing::Test {
protected:
    enum : std::uint32_t {
        strpcl = 0x00,
        stat = 0x04,
        clkrt = 0x08,
        cmdat = 0x10,
        rdto = 0x18,
        blklen = 0x1c,
        nob = 0x20,
        prtbuf = 0x24,
        i_mask = 0x28,
        i_reg = 0x2c,
        cmd = 0x30,
        argh = 0x34,
        argl = 0x38,
        res = 0x3c,
        rxfifo = 0x40,
        txfifo = 0x44,
    };
    // CMDAT
    static constexpr std::uint32_t r1 = 1, r2 = 2, r3 = 3, with_data = 4, write = 8, busy = 0x20, init = 0x40,
                                   with_dma = 0x80;
    // STAT
    static constexpr std::uint32_t read_time_out = 1, response_time_out = 2, write_crc = 4, read_crc = 8,
                                   response_crc = 0x20, clock_on = 0x100, data_done = 0x800, program_done = 0x1000,
                                   command_done = 0x2000;
    // I_REG
    static constexpr std::uint32_t data_interrupt = 1, command_interrupt = 4, clock_is_off = 0x10,
                                   receive_request = 0x20, transmit_request = 0x40;
    static constexpr Time base = nanoseconds(50); ///< 20 MHz

    void make(const PxamciCell& cell = {}, const card::SdProfile& profile = sdhc_profile()) {
        model.reset();
        line.reset();
        machine.reset();
        on.emplace(profile, &faults);
        machine.emplace(on->engine);
        line.emplace(*machine);
        model.emplace(on->engine, on->bus, *line, &faults, cell, base);
    }
    /// Stops the clock, writes the registers of a command, starts the clock.
    void start(std::uint32_t index, std::uint32_t argument, std::uint32_t word) {
        stop();
        model->write(cmd, index);
        model->write(argh, argument >> 16);
        model->write(argl, argument & 0xffff);
        model->write(cmdat, word);
        model->write(strpcl, 2);
    }
    void stop() {
        model->write(strpcl, 1);
        while ((model->read(i_reg) & clock_is_off) == 0 && on->engine.step()) {}
    }
    void set_data(std::uint32_t blocks, std::uint32_t length = 512) {
        stop();
        model->write(blklen, length);
        model->write(nob, blocks);
        model->write(rdto, 0xffff);
    }
    /// Lets time pass until the register shows one of the bits; false if it never does.
    bool wait(std::uint32_t offset, std::uint32_t bits) {
        while ((model->read(offset) & bits) == 0)
            if (!on->engine.step()) return false;
        return true;
    }
    bool command_ends() { return wait(stat, command_done); }
    void pass(std::int64_t cycles) { on->engine.run_until(on->engine.now() + base * cycles); }

    wire::Faults faults;
    std::optional<SdOnBus> on;
    std::optional<Machine> machine;
    std::optional<InterruptLine> line;
    std::optional<Pxamci> model;
};

} // namespace mmcpipe::sim::controller
