// The verilated board top behind a few C functions, a byte time of the gigabit lines (8 ns) a call. build.rs compiles this file
// with MODEL, MODEL_HEADER and EXPORT(name) as it does the shim of the cores. The structs are those of model.rs.
#include <cstdint>
#include <memory>

#include "verilated.h"
#include MODEL_HEADER

namespace {

// What GMII would carry in a byte time.
struct Byte {
    uint8_t data, enable, error;
};

struct Inputs {
    Byte a, b;
    uint8_t reset, mdio;
};

struct Outputs {
    Byte a, b;
    uint8_t mdc, mdio, mdio_drive, phy_reset_n, led;
};

struct Simulation {
    VerilatedContext context;
    std::unique_ptr<MODEL> top;
    uint64_t units = 0;
    uint64_t core_cycles = 0;
};

// The halves of a byte time on the pins of RGMII (MC6): low bits and enable, high bits and enable xor error.
struct Half {
    uint8_t data, control;
};
Half first(const Byte& byte) { return {uint8_t(byte.data & 15), uint8_t(byte.enable)}; }
Half second(const Byte& byte) { return {uint8_t(byte.data >> 4), uint8_t(byte.enable ^ byte.error)}; }
Byte join(Half low, Half high) {
    return {uint8_t(low.data | high.data << 4), low.control, uint8_t(low.control ^ high.control)};
}

}  // namespace

extern "C" {

Simulation* EXPORT(new)(int seed) {
    auto s = std::make_unique<Simulation>();
    s->context.randReset(2);
    s->context.randSeed(seed);
    s->context.fatalOnError(false);
    s->top = std::make_unique<MODEL>(&s->context, "board");
    return s.release();
}

// Four units of 2 ns. The core's clock has 12 ns; the transmit clock rises in unit 0, the receive clocks a quarter of a period
// later, in the middle of what the PHYs put on the pins. Returns the cycles of the core since the beginning.
uint64_t EXPORT(byte_time)(Simulation* s, const Inputs* in, Outputs* out) {
    MODEL* t = s->top.get();
    t->reset = in->reset;
    t->mdio_in = in->mdio;
    Half halves[2][2];
    for (int unit = 0; unit < 4; ++unit, ++s->units) {
        if (s->units % 3 == 0) {
            t->core_clock = !t->core_clock;
            s->core_cycles += t->core_clock;
        }
        const bool early = unit < 2;
        if (unit % 2 == 0) {
            t->tx_clock = early;
            const Half a = early ? first(in->a) : second(in->a);
            const Half b = early ? first(in->b) : second(in->b);
            t->a_rxd = a.data;
            t->a_rx_ctl = a.control;
            t->b_rxd = b.data;
            t->b_rx_ctl = b.control;
        } else {
            t->a_rxc = early;
            t->b_rxc = early;
        }
        t->eval();
        if (unit % 2 == 0) {
            halves[0][!early] = {t->a_txd, t->a_tx_ctl};
            halves[1][!early] = {t->b_txd, t->b_tx_ctl};
        }
    }
    out->a = join(halves[0][0], halves[0][1]);
    out->b = join(halves[1][0], halves[1][1]);
    out->mdc = t->mdc;
    out->mdio = t->mdio_out;
    out->mdio_drive = t->mdio_drive;
    out->phy_reset_n = t->phy_rst_n;
    out->led = !t->led_n;
    return s->core_cycles;
}

void EXPORT(delete)(Simulation* s) {
    s->top->final();
    delete s;
}
}
