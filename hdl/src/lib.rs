//! The hardware of `rnic`, written in rust-hdl: one folder a subsystem, one file a block, its tests beside it.
//!
//! Every block appears in the list of its subsystem ([`blocks`]), from which it gets the checks of [`check`].

pub mod bar;
pub mod board;
pub mod check;
pub mod cq;
pub mod dma;
pub mod link;
pub mod mac;
pub mod mr;
pub mod pcie;
#[macro_use]
pub mod record;
pub mod qp;
pub mod raw;
pub mod rq;
pub mod rx;
pub mod sq;
pub mod top;
pub mod tx;
pub mod types;
pub mod widgets;
pub mod wire;

/// Every block of the design with the instances at which it is checked.
pub fn blocks() -> Vec<check::BlockCheck> {
    [
        widgets::blocks(),
        bar::blocks(),
        dma::blocks(),
        mr::blocks(),
        sq::blocks(),
        rq::blocks(),
        cq::blocks(),
        qp::blocks(),
        wire::blocks(),
        tx::blocks(),
        rx::blocks(),
        raw::blocks(),
        mac::blocks(),
        pcie::blocks(),
        link::blocks(),
        board::blocks(),
        top::blocks(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
