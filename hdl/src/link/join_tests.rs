//! The link between its neighbours: every port plugs without glue, and a BAR read of a host comes back.
use super::bench::setup;
use super::peer::{self, open_body, Frame};
use super::Link;
use crate::board::HostLink;
use crate::check::{tick, verilog};
use crate::mac::{GigabitMac, LONGEST_LINK_FRAME};
use crate::widgets::{AxiStreamManager, AxiStreamSubordinate};
use rust_hdl::prelude::*;

/// Sends frames and returns what comes within some cycles.
fn exchange(uut: &mut HostLink, frame: &[u8], cycles: usize) -> Vec<Frame> {
    let (mut at, mut bytes, mut frames) = (0, vec![], vec![]);
    for _ in 0..cycles {
        let chunk = &frame[at.min(frame.len())..(at + 8).min(frame.len())];
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        uut.rx.tdata.next = bits(u64::from_le_bytes(word));
        uut.rx.tkeep.next = bits((1 << chunk.len()) - 1);
        uut.rx.tlast.next = at + 8 >= frame.len();
        uut.rx.tvalid.next = !chunk.is_empty();
        uut.clock.next = Clock { clk: false };
        assert!(simulate(uut, 1000));
        at += if uut.rx.tready.val() { 8 } else { 0 };
        if uut.tx.tvalid.val() {
            let count = uut.tx.tkeep.val().to_u64().count_ones() as usize;
            bytes.extend(&uut.tx.tdata.val().to_u64().to_le_bytes()[..count]);
            if uut.tx.tlast.val() {
                frames.push(Frame::parse(&std::mem::take(&mut bytes)));
            }
        }
        uut.clock.next = Clock { clk: true };
        assert!(simulate(uut, 1000));
    }
    frames
}

#[test]
fn s2_a_read_of_the_bridge_status_comes_back_over_the_link() {
    let mut uut = HostLink::new(setup());
    uut.connect_all();
    uut.tx.tready.next = true;
    uut.read.rready.next = true;
    uut.write.bready.next = true;
    for cycle in 0..80 {
        uut.reset.next = cycle < 8;
        tick(&mut uut, |u| &mut u.clock);
    }
    let host = peer::Peer::new(0);
    let open = Frame { session: 9, body: open_body(512, 512, 0xE000_0000, 1000), ..host.frame(peer::OPEN) };
    let frames = exchange(&mut uut, &open.pack(), 200);
    assert_eq!(frames.iter().map(|frame| frame.kind).collect::<Vec<_>>(), [peer::OPENED]);
    let body = vec![0, 0, 0, 1, 0, 0, 0x13, 0x0F, 0xE0, 0, 0xE0, 0];
    let read = Frame { session: 9, body, ..host.frame(peer::TLP) };
    let frames = exchange(&mut uut, &read.pack(), 200);
    let answers: Vec<_> =
        frames.iter().filter(|frame| frame.kind == peer::TLP).map(|frame| frame.body.clone()).collect();
    // CplD of 4 bytes: link up, bus master on.
    assert_eq!(answers, [[0x4A, 0, 0, 1, 1, 0, 0, 4, 0, 0, 0x13, 0, 6, 0, 0, 0]]);
}

/// Link and MAC.
#[derive(LogicBlock)]
struct LinkedMac {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    tx_clock: Signal<In, Clock>,
    rx_clock: Signal<In, Clock>,
    rxd: Signal<In, Bits<8>>,
    rx_dv: Signal<In, Bit>,
    txd: Signal<Out, Bits<8>>,
    tx_en: Signal<Out, Bit>,
    from_bridge: AxiStreamSubordinate<64, 8>,
    to_bridge: AxiStreamManager<64, 8>,
    link: Link,
    mac: GigabitMac<9, 10>,
}

impl Logic for LinkedMac {
    #[hdl_gen]
    fn update(&mut self) {
        self.link.clock.next = self.clock.val();
        self.link.reset.next = self.reset.val();
        self.mac.core_clock.next = self.clock.val();
        self.mac.core_reset.next = self.reset.val();
        self.mac.tx_clock.next = self.tx_clock.val();
        self.mac.tx_reset.next = false;
        self.mac.rx_clock.next = self.rx_clock.val();
        self.mac.rx_reset.next = false;
        self.mac.gmii_rxd.next = self.rxd.val();
        self.mac.gmii_rx_dv.next = self.rx_dv.val();
        self.mac.gmii_rx_er.next = false;
        self.txd.next = self.mac.gmii_txd.val();
        self.tx_en.next = self.mac.gmii_tx_en.val();
        AxiStreamManager::<64, 8>::join(&mut self.mac.rx_axis, &mut self.link.rx);
        AxiStreamManager::<64, 8>::join(&mut self.link.tx, &mut self.mac.tx_axis);
        AxiStreamSubordinate::<64, 8>::link(&mut self.from_bridge, &mut self.link.from_bridge);
        AxiStreamManager::<64, 8>::link(&mut self.to_bridge, &mut self.link.to_bridge);
        self.link.nonposted_room.next = true;
        self.link.counter.next = 0.into();
    }
}

#[test]
fn s4_the_streams_of_the_mac_are_those_of_the_link() {
    let mut uut = LinkedMac {
        clock: Default::default(),
        reset: Default::default(),
        tx_clock: Default::default(),
        rx_clock: Default::default(),
        rxd: Default::default(),
        rx_dv: Default::default(),
        txd: Default::default(),
        tx_en: Default::default(),
        from_bridge: Default::default(),
        to_bridge: Default::default(),
        link: Link::new(setup()),
        mac: GigabitMac::new(LONGEST_LINK_FRAME),
    };
    verilog(&mut uut).expect("no open signal, no loop");
}
