//! The core's ports as two plain structs, the same for every preset. `shim.cpp` has the same structs, field for field.

/// 64-bit words in a data field; a preset with DATA = 64 uses the first one only.
pub const DATA_WORDS: usize = 8;

/// What the outside drives: values for the next rising edge.
///
/// Fields narrower than their type must keep the upper bits 0. `s_axil_` signals come without prefix, those of
/// `m_axi_` begin with `m_`, the Ethernet streams with `tx_` and `rx_`.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Inputs {
    pub m_rdata: [u64; DATA_WORDS],
    pub rx_tdata: [u64; DATA_WORDS],
    pub rx_tkeep: u64,
    pub wdata: u32,
    pub awaddr: u16,
    pub araddr: u16,
    pub reset: u8,
    pub awvalid: u8,
    pub wstrb: u8,
    pub wvalid: u8,
    pub bready: u8,
    pub arvalid: u8,
    pub rready: u8,
    pub m_awready: u8,
    pub m_wready: u8,
    pub m_bid: u8,
    pub m_bresp: u8,
    pub m_bvalid: u8,
    pub m_arready: u8,
    pub m_rid: u8,
    pub m_rresp: u8,
    pub m_rlast: u8,
    pub m_rvalid: u8,
    pub tx_tready: u8,
    pub rx_tvalid: u8,
    pub rx_tlast: u8,
    pub rx_tuser: u8,
    pub irq_ready: u8,
}

/// What the core drives, as it stands just before the rising edge.
///
/// Names as in [`Inputs`], but here the `m_axi_` signals have no prefix and those of `s_axil_` begin with `s_`.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Outputs {
    pub wdata: [u64; DATA_WORDS],
    pub tx_tdata: [u64; DATA_WORDS],
    pub wstrb: u64,
    pub tx_tkeep: u64,
    pub awaddr: u64,
    pub araddr: u64,
    pub s_rdata: u32,
    pub s_awready: u8,
    pub s_wready: u8,
    pub s_bresp: u8,
    pub s_bvalid: u8,
    pub s_arready: u8,
    pub s_rresp: u8,
    pub s_rvalid: u8,
    pub awid: u8,
    pub awlen: u8,
    pub awsize: u8,
    pub awburst: u8,
    pub awlock: u8,
    pub awcache: u8,
    pub awprot: u8,
    pub awqos: u8,
    pub awvalid: u8,
    pub wlast: u8,
    pub wvalid: u8,
    pub bready: u8,
    pub arid: u8,
    pub arlen: u8,
    pub arsize: u8,
    pub arburst: u8,
    pub arlock: u8,
    pub arcache: u8,
    pub arprot: u8,
    pub arqos: u8,
    pub arvalid: u8,
    pub rready: u8,
    pub tx_tvalid: u8,
    pub tx_tlast: u8,
    pub tx_tuser: u8,
    pub rx_tready: u8,
    pub irq_valid: u8,
    pub irq_vector: u8,
}
