//! AXI ports as interfaces; signal names without the prefix that the exported top gives them.
use rust_hdl::prelude::*;

/// Read channels of the AXI4 manager (constant signals - size, burst, cache, prot - are tied at the top).
#[derive(LogicInterface, Default)]
#[join = "AxiReadSubordinate"]
pub struct AxiReadManager<const DATA: usize> {
    pub arid: Signal<Out, Bits<4>>,
    pub araddr: Signal<Out, Bits<64>>,
    pub arlen: Signal<Out, Bits<8>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rid: Signal<In, Bits<4>>,
    pub rdata: Signal<In, Bits<DATA>>,
    pub rresp: Signal<In, Bits<2>>,
    pub rlast: Signal<In, Bit>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,
}

/// The other end of [`AxiReadManager`].
#[derive(LogicInterface, Default)]
#[join = "AxiReadManager"]
pub struct AxiReadSubordinate<const DATA: usize> {
    pub arid: Signal<In, Bits<4>>,
    pub araddr: Signal<In, Bits<64>>,
    pub arlen: Signal<In, Bits<8>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub rid: Signal<Out, Bits<4>>,
    pub rdata: Signal<Out, Bits<DATA>>,
    pub rresp: Signal<Out, Bits<2>>,
    pub rlast: Signal<Out, Bit>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
}

/// Write channels of the AXI4 manager; STRB = DATA / 8.
#[derive(LogicInterface, Default)]
#[join = "AxiWriteSubordinate"]
pub struct AxiWriteManager<const DATA: usize, const STRB: usize> {
    pub awid: Signal<Out, Bits<4>>,
    pub awaddr: Signal<Out, Bits<64>>,
    pub awlen: Signal<Out, Bits<8>>,
    pub awvalid: Signal<Out, Bit>,
    pub awready: Signal<In, Bit>,
    pub wdata: Signal<Out, Bits<DATA>>,
    pub wstrb: Signal<Out, Bits<STRB>>,
    pub wlast: Signal<Out, Bit>,
    pub wvalid: Signal<Out, Bit>,
    pub wready: Signal<In, Bit>,
    pub bid: Signal<In, Bits<4>>,
    pub bresp: Signal<In, Bits<2>>,
    pub bvalid: Signal<In, Bit>,
    pub bready: Signal<Out, Bit>,
}

/// The other end of [`AxiWriteManager`].
#[derive(LogicInterface, Default)]
#[join = "AxiWriteManager"]
pub struct AxiWriteSubordinate<const DATA: usize, const STRB: usize> {
    pub awid: Signal<In, Bits<4>>,
    pub awaddr: Signal<In, Bits<64>>,
    pub awlen: Signal<In, Bits<8>>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<DATA>>,
    pub wstrb: Signal<In, Bits<STRB>>,
    pub wlast: Signal<In, Bit>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub bid: Signal<Out, Bits<4>>,
    pub bresp: Signal<Out, Bits<2>>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
}

/// AXI4-Lite subordinate, 32-bit data, 16-bit address.
#[derive(LogicInterface, Default)]
#[join = "AxiLiteManager"]
pub struct AxiLiteSubordinate {
    pub awaddr: Signal<In, Bits<16>>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub wstrb: Signal<In, Bits<4>>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub bresp: Signal<Out, Bits<2>>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    pub araddr: Signal<In, Bits<16>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub rdata: Signal<Out, Bits<32>>,
    pub rresp: Signal<Out, Bits<2>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
}

/// The other end of [`AxiLiteSubordinate`].
#[derive(LogicInterface, Default)]
#[join = "AxiLiteSubordinate"]
pub struct AxiLiteManager {
    pub awaddr: Signal<Out, Bits<16>>,
    pub awvalid: Signal<Out, Bit>,
    pub awready: Signal<In, Bit>,
    pub wdata: Signal<Out, Bits<32>>,
    pub wstrb: Signal<Out, Bits<4>>,
    pub wvalid: Signal<Out, Bit>,
    pub wready: Signal<In, Bit>,
    pub bresp: Signal<In, Bits<2>>,
    pub bvalid: Signal<In, Bit>,
    pub bready: Signal<Out, Bit>,
    pub araddr: Signal<Out, Bits<16>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rdata: Signal<In, Bits<32>>,
    pub rresp: Signal<In, Bits<2>>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,
}

/// AXI4-Stream of Ethernet frames without FCS, first byte in the lowest lane; `tkeep` is all ones but in the last beat, whose
/// `tuser` marks a bad frame. STRB = DATA / 8.
#[derive(LogicInterface, Default)]
#[join = "AxiStreamSubordinate"]
pub struct AxiStreamManager<const DATA: usize, const STRB: usize> {
    pub tdata: Signal<Out, Bits<DATA>>,
    pub tkeep: Signal<Out, Bits<STRB>>,
    pub tvalid: Signal<Out, Bit>,
    pub tready: Signal<In, Bit>,
    pub tlast: Signal<Out, Bit>,
    pub tuser: Signal<Out, Bit>,
}

/// The other end of [`AxiStreamManager`].
#[derive(LogicInterface, Default)]
#[join = "AxiStreamManager"]
pub struct AxiStreamSubordinate<const DATA: usize, const STRB: usize> {
    pub tdata: Signal<In, Bits<DATA>>,
    pub tkeep: Signal<In, Bits<STRB>>,
    pub tvalid: Signal<In, Bit>,
    pub tready: Signal<Out, Bit>,
    pub tlast: Signal<In, Bit>,
    pub tuser: Signal<In, Bit>,
}
