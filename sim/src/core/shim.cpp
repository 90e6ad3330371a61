// One verilated preset behind six C functions. build.rs compiles this file once a preset, with
//   MODEL          the class that Verilator made,
//   MODEL_HEADER   its header,
//   EXPORT(name)   the preset's own prefix of the C names.
// The structs are those of ports.rs, field for field; a preset uses the low DATA bits of the data fields.
#include <cstdint>
#include <cstring>
#include <memory>

#include "verilated.h"
#include "verilated_fst_c.h"
#include MODEL_HEADER

namespace {

struct Inputs {
    uint64_t m_rdata[8];
    uint64_t rx_tdata[8];
    uint64_t rx_tkeep;
    uint32_t wdata;
    uint16_t awaddr;
    uint16_t araddr;
    uint8_t reset;
    uint8_t awvalid, wstrb, wvalid, bready, arvalid, rready;
    uint8_t m_awready, m_wready, m_bid, m_bresp, m_bvalid;
    uint8_t m_arready, m_rid, m_rresp, m_rlast, m_rvalid;
    uint8_t tx_tready, rx_tvalid, rx_tlast, rx_tuser;
    uint8_t irq_ready;
};

struct Outputs {
    uint64_t wdata[8];
    uint64_t tx_tdata[8];
    uint64_t wstrb;
    uint64_t tx_tkeep;
    uint64_t awaddr, araddr;
    uint32_t s_rdata;
    uint8_t s_awready, s_wready, s_bresp, s_bvalid, s_arready, s_rresp, s_rvalid;
    uint8_t awid, awlen, awsize, awburst, awlock, awcache, awprot, awqos, awvalid;
    uint8_t wlast, wvalid, bready;
    uint8_t arid, arlen, arsize, arburst, arlock, arcache, arprot, arqos, arvalid;
    uint8_t rready;
    uint8_t tx_tvalid, tx_tlast, tx_tuser, rx_tready;
    uint8_t irq_valid, irq_vector;
};

void from_port(uint64_t* to, const QData& from) { *to = from; }
template <std::size_t Words>
void from_port(uint64_t* to, const VlWide<Words>& from) {
    static_assert(Words <= 16, "a port is wider than the struct");
    std::memcpy(to, from.data(), Words * 4);
}
void to_port(QData& to, const uint64_t* from) { to = *from; }
template <std::size_t Words>
void to_port(VlWide<Words>& to, const uint64_t* from) {
    static_assert(Words <= 16, "a port is wider than the struct");
    std::memcpy(to.data(), from, Words * 4);
}

struct Simulation {
    VerilatedContext context;
    std::unique_ptr<MODEL> top;
    std::unique_ptr<VerilatedFstC> trace;
};

// A cycle is 10 ns in the trace: the falling half at 10 n, the rising edge at 10 n + 5.
void dump(Simulation* s, uint64_t time) {
    if (s->trace) s->trace->dump(time);
}

}  // namespace

extern "C" {

Simulation* EXPORT(new)(int seed, int tracing) {
    auto s = std::make_unique<Simulation>();
    s->context.randReset(2);
    s->context.randSeed(seed);
    s->context.fatalOnError(false);
    s->context.traceEverOn(tracing != 0);
    s->top = std::make_unique<MODEL>(&s->context, "rnic");
    return s.release();
}

int EXPORT(trace)(Simulation* s, const char* file) {
    s->trace = std::make_unique<VerilatedFstC>();
    s->trace->set_time_unit("1ns");
    s->trace->set_time_resolution("1ns");
    s->top->trace(s->trace.get(), 99);
    s->trace->open(file);
    return s->trace->isOpen();
}

void EXPORT(settle)(Simulation* s, const Inputs* in, Outputs* out, uint64_t cycle) {
    MODEL* t = s->top.get();
    t->clock = 0;
    t->reset = in->reset;
    t->s_axil_awaddr = in->awaddr;
    t->s_axil_awprot = 0;
    t->s_axil_awvalid = in->awvalid;
    t->s_axil_wdata = in->wdata;
    t->s_axil_wstrb = in->wstrb;
    t->s_axil_wvalid = in->wvalid;
    t->s_axil_bready = in->bready;
    t->s_axil_araddr = in->araddr;
    t->s_axil_arprot = 0;
    t->s_axil_arvalid = in->arvalid;
    t->s_axil_rready = in->rready;
    t->m_axi_awready = in->m_awready;
    t->m_axi_wready = in->m_wready;
    t->m_axi_bid = in->m_bid;
    t->m_axi_bresp = in->m_bresp;
    t->m_axi_bvalid = in->m_bvalid;
    t->m_axi_arready = in->m_arready;
    t->m_axi_rid = in->m_rid;
    to_port(t->m_axi_rdata, in->m_rdata);
    t->m_axi_rresp = in->m_rresp;
    t->m_axi_rlast = in->m_rlast;
    t->m_axi_rvalid = in->m_rvalid;
    t->m_axis_tx_tready = in->tx_tready;
    to_port(t->s_axis_rx_tdata, in->rx_tdata);
    t->s_axis_rx_tkeep = in->rx_tkeep;
    t->s_axis_rx_tvalid = in->rx_tvalid;
    t->s_axis_rx_tlast = in->rx_tlast;
    t->s_axis_rx_tuser = in->rx_tuser;
    t->irq_ready = in->irq_ready;
    t->eval();
    dump(s, cycle * 10);

    out->s_awready = t->s_axil_awready;
    out->s_wready = t->s_axil_wready;
    out->s_bresp = t->s_axil_bresp;
    out->s_bvalid = t->s_axil_bvalid;
    out->s_arready = t->s_axil_arready;
    out->s_rdata = t->s_axil_rdata;
    out->s_rresp = t->s_axil_rresp;
    out->s_rvalid = t->s_axil_rvalid;
    out->awid = t->m_axi_awid;
    out->awaddr = t->m_axi_awaddr;
    out->awlen = t->m_axi_awlen;
    out->awsize = t->m_axi_awsize;
    out->awburst = t->m_axi_awburst;
    out->awlock = t->m_axi_awlock;
    out->awcache = t->m_axi_awcache;
    out->awprot = t->m_axi_awprot;
    out->awqos = t->m_axi_awqos;
    out->awvalid = t->m_axi_awvalid;
    from_port(out->wdata, t->m_axi_wdata);
    out->wstrb = t->m_axi_wstrb;
    out->wlast = t->m_axi_wlast;
    out->wvalid = t->m_axi_wvalid;
    out->bready = t->m_axi_bready;
    out->arid = t->m_axi_arid;
    out->araddr = t->m_axi_araddr;
    out->arlen = t->m_axi_arlen;
    out->arsize = t->m_axi_arsize;
    out->arburst = t->m_axi_arburst;
    out->arlock = t->m_axi_arlock;
    out->arcache = t->m_axi_arcache;
    out->arprot = t->m_axi_arprot;
    out->arqos = t->m_axi_arqos;
    out->arvalid = t->m_axi_arvalid;
    out->rready = t->m_axi_rready;
    from_port(out->tx_tdata, t->m_axis_tx_tdata);
    out->tx_tkeep = t->m_axis_tx_tkeep;
    out->tx_tvalid = t->m_axis_tx_tvalid;
    out->tx_tlast = t->m_axis_tx_tlast;
    out->tx_tuser = t->m_axis_tx_tuser;
    out->rx_tready = t->s_axis_rx_tready;
    out->irq_valid = t->irq_valid;
    out->irq_vector = t->irq_vector;
}

void EXPORT(rise)(Simulation* s, uint64_t cycle) {
    s->top->clock = 1;
    s->top->eval();
    dump(s, cycle * 10 + 5);
}

int EXPORT(errors)(Simulation* s) { return s->context.errorCount(); }

void EXPORT(delete)(Simulation* s) {
    s->top->final();
    if (s->trace) s->trace->close();
    s->trace.reset();
    delete s;
}
}
