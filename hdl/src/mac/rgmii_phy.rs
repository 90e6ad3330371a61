//! RGMII in the pads of an ECP5 (MC6-MC10): four bits at each edge, control bits that carry two signals each.
//!
//! 1000 Mb/s only. Delays are parameters of the board (MC9). Latency: one to one and a half periods each way.
use super::{Cells, DdrInput, DdrOutput};
use rust_hdl::prelude::*;

/// Delays of a board in taps of 25 ps; transmitted data and control have none.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct RgmiiDelays {
    /// Transmit clock.
    pub txc: u8,
    /// Received data and control.
    pub rx: u8,
}

/// Pins of a PHY and GMII.
#[derive(LogicBlock)]
pub struct RgmiiPhy {
    /// Transmit clock, 125 MHz.
    pub tx_clock: Signal<In, Clock>,
    /// GMII, of `tx_clock`.
    pub gmii_txd: Signal<In, Bits<8>>,
    /// GMII.
    pub gmii_tx_en: Signal<In, Bit>,
    /// GMII.
    pub gmii_tx_er: Signal<In, Bit>,
    /// To the PHY: the transmit clock, forwarded (MC8),
    pub rgmii_txc: Signal<Out, Bit>,
    /// data,
    pub rgmii_txd: Signal<Out, Bits<4>>,
    /// control.
    pub rgmii_tx_ctl: Signal<Out, Bit>,
    /// From the PHY: receive clock,
    pub rgmii_rxc: Signal<In, Clock>,
    /// data,
    pub rgmii_rxd: Signal<In, Bits<4>>,
    /// control.
    pub rgmii_rx_ctl: Signal<In, Bit>,
    /// GMII, of `rgmii_rxc`.
    pub gmii_rxd: Signal<Out, Bits<8>>,
    /// GMII.
    pub gmii_rx_dv: Signal<Out, Bit>,
    /// GMII.
    pub gmii_rx_er: Signal<Out, Bit>,
    outputs: DdrOutput<6>,
    inputs: DdrInput<5>,
    tx_low: Signal<Local, Bits<4>>,
    tx_high: Signal<Local, Bits<4>>,
    tx_rise: Signal<Local, Bits<6>>,
    tx_fall: Signal<Local, Bits<6>>,
    pads_in: Signal<Local, Bits<5>>,
    rx_low: Signal<Local, Bits<4>>,
    rx_high: Signal<Local, Bits<4>>,
}

impl RgmiiPhy {
    /// For the delays of a board.
    pub fn new(delays: RgmiiDelays, cells: Cells) -> Self {
        Self {
            tx_clock: Default::default(),
            gmii_txd: Default::default(),
            gmii_tx_en: Default::default(),
            gmii_tx_er: Default::default(),
            rgmii_txc: Default::default(),
            rgmii_txd: Default::default(),
            rgmii_tx_ctl: Default::default(),
            rgmii_rxc: Default::default(),
            rgmii_rxd: Default::default(),
            rgmii_rx_ctl: Default::default(),
            gmii_rxd: Default::default(),
            gmii_rx_dv: Default::default(),
            gmii_rx_er: Default::default(),
            outputs: DdrOutput::new([0, 0, 0, 0, 0, delays.txc], cells),
            inputs: DdrInput::new(delays.rx, cells),
            tx_low: Default::default(),
            tx_high: Default::default(),
            tx_rise: Default::default(),
            tx_fall: Default::default(),
            pads_in: Default::default(),
            rx_low: Default::default(),
            rx_high: Default::default(),
        }
    }
}

impl Logic for RgmiiPhy {
    #[hdl_gen]
    fn update(&mut self) {
        self.outputs.clock.next = self.tx_clock.val();
        self.tx_low.next = self.gmii_txd.val().get_bits::<4>(0);
        self.tx_high.next = self.gmii_txd.val().get_bits::<4>(4);
        self.tx_rise.next = bit_cast::<6, 4>(self.tx_low.val());
        self.tx_rise.next = self.tx_rise.val().replace_bit(4, self.gmii_tx_en.val());
        self.tx_rise.next = self.tx_rise.val().replace_bit(5, true);
        self.tx_fall.next = bit_cast::<6, 4>(self.tx_high.val());
        self.tx_fall.next = self.tx_fall.val().replace_bit(4, self.gmii_tx_en.val() ^ self.gmii_tx_er.val());
        self.outputs.rise.next = self.tx_rise.val();
        self.outputs.fall.next = self.tx_fall.val();
        self.rgmii_txd.next = self.outputs.pads.val().get_bits::<4>(0);
        self.rgmii_tx_ctl.next = self.outputs.pads.val().get_bit(4);
        self.rgmii_txc.next = self.outputs.pads.val().get_bit(5);

        self.inputs.clock.next = self.rgmii_rxc.val();
        self.pads_in.next = bit_cast::<5, 4>(self.rgmii_rxd.val());
        self.pads_in.next = self.pads_in.val().replace_bit(4, self.rgmii_rx_ctl.val());
        self.inputs.pads.next = self.pads_in.val();
        self.rx_low.next = self.inputs.rise.val().get_bits::<4>(0);
        self.rx_high.next = self.inputs.fall.val().get_bits::<4>(0);
        self.gmii_rxd.next = (bit_cast::<8, 4>(self.rx_high.val()) << 4) | bit_cast::<8, 4>(self.rx_low.val());
        self.gmii_rx_dv.next = self.inputs.rise.val().get_bit(4);
        self.gmii_rx_er.next = self.inputs.rise.val().get_bit(4) ^ self.inputs.fall.val().get_bit(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::model::Period;

    /// What is on the pins in the two halves of a period: data, control.
    type Halves = [(u64, bool); 2];

    /// MC6 as it is written.
    fn halves(period: Period) -> Halves {
        let Period { data, enable, error } = period;
        [(u64::from(data) & 15, enable), (u64::from(data) >> 4, enable ^ error)]
    }

    fn all_kinds() -> Vec<Period> {
        let kinds = [(false, false), (true, false), (true, true), (false, true)];
        (0..=255).flat_map(|data| kinds.map(|(enable, error)| Period { data, enable, error })).collect()
    }

    fn new() -> RgmiiPhy {
        let mut uut = RgmiiPhy::new(RgmiiDelays::default(), Cells::Library);
        uut.connect_all();
        uut
    }

    #[test]
    fn mc6_low_nibble_and_enable_at_the_rising_edge_high_nibble_and_error_at_the_falling_one() {
        let mut uut = new();
        for period in all_kinds() {
            uut.gmii_txd.next = u64::from(period.data).into();
            uut.gmii_tx_en.next = period.enable;
            uut.gmii_tx_er.next = period.error;
            assert!(simulate(&mut uut, 100));
            for (level, (data, control)) in [true, false].into_iter().zip(halves(period)) {
                uut.tx_clock.next = Clock { clk: level };
                assert!(simulate(&mut uut, 100));
                let pins = (uut.rgmii_txd.val().to_u64(), uut.rgmii_tx_ctl.val());
                assert_eq!(pins, (data, control), "{period:?}, clock {level}");
                // MC8: the clock goes out with the data.
                assert_eq!(uut.rgmii_txc.val(), level);
            }
        }
    }

    #[test]
    fn mc6_a_rising_edge_is_paired_with_the_falling_edge_behind_it() {
        let mut uut = new();
        let mut came = vec![];
        for period in all_kinds().into_iter().chain([Period::IDLE; 2]) {
            for (level, (data, control)) in [true, false].into_iter().zip(halves(period)) {
                // The PHY's data change a quarter of a period before its clock.
                uut.rgmii_rxd.next = data.into();
                uut.rgmii_rx_ctl.next = control;
                assert!(simulate(&mut uut, 100));
                uut.rgmii_rxc.next = Clock { clk: level };
                assert!(simulate(&mut uut, 100));
            }
            came.push(Period {
                data: uut.gmii_rxd.val().to_u64() as u8,
                enable: uut.gmii_rx_dv.val(),
                error: uut.gmii_rx_er.val(),
            });
        }
        assert_eq!(came[1..1 + all_kinds().len()], all_kinds());
    }

    #[test]
    fn mc10_each_pad_has_its_delay_and_its_cell_and_the_models_stay_out() {
        let mut uut = RgmiiPhy::new(RgmiiDelays { txc: 80, rx: 17 }, Cells::Library);
        let text = crate::check::verilog(&mut uut).unwrap();
        assert_eq!(text.matches("IDDRX1F cell").count(), 5);
        assert_eq!(text.matches("ODDRX1F cell").count(), 6);
        assert_eq!(text.matches(".DEL_VALUE(17)").count(), 5);
        assert_eq!(text.matches(".DEL_VALUE(80)) delay5(").count(), 1);
        assert_eq!(text.matches(".DEL_VALUE(0)").count(), 5);
        assert!(!text.contains("module IDDRX1F"));
    }
}
