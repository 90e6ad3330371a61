//! Pads of an ECP5 that carry two bits a period, with their delay lines (MC10, MC12).
use rust_hdl::prelude::*;

/// Models of the cells, for simulators and for the checks of blocks.
pub const CELL_MODELS: &str = include_str!("ecp5_cells.v");

/// Where the Verilog of the vendor's cells comes from.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub enum Cells {
    /// The tool knows them, or gets [`CELL_MODELS`] in a file of its own.
    #[default]
    Library,
    /// The models stand behind the design (more than once does no harm).
    Modelled,
}

impl Cells {
    fn wrapped(self, code: String) -> Verilog {
        let cores = match self {
            Self::Library => String::new(),
            Self::Modelled => CELL_MODELS.into(),
        };
        Verilog::Wrapper(Wrapper { code, cores })
    }
}

/// Longest delay, in taps of 25 ps.
pub const MOST_TAPS: u8 = 127;

/// N input pads: delay, then IDDRX1F. The bits of a rising edge and of the falling edge behind it appear together (MC6), one
/// period after that rising edge.
#[derive(LogicBlock)]
pub struct DdrInput<const N: usize> {
    /// Clock that comes with the data.
    pub clock: Signal<In, Clock>,
    /// Pads.
    pub pads: Signal<In, Bits<N>>,
    /// Bits of the rising edge.
    pub rise: Signal<Out, Bits<N>>,
    /// Bits of the falling edge that follows it.
    pub fall: Signal<Out, Bits<N>>,
    _taps: u8,
    _cells: Cells,
    _risen: Bits<N>,
    _fallen: Bits<N>,
}

impl<const N: usize> DdrInput<N> {
    /// With a delay of `taps` in front of each cell.
    pub fn new(taps: u8, cells: Cells) -> Self {
        assert!(taps <= MOST_TAPS, "{taps} taps");
        Self {
            clock: Default::default(),
            pads: Default::default(),
            rise: Default::default(),
            fall: Default::default(),
            _taps: taps,
            _cells: cells,
            _risen: Default::default(),
            _fallen: Default::default(),
        }
    }
}

impl<const N: usize> Logic for DdrInput<N> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.rise.next = self._risen;
            self.fall.next = self._fallen;
            self._risen = self.pads.val();
        }
        if self.clock.neg_edge() {
            self._fallen = self.pads.val();
        }
    }
    fn connect(&mut self) {
        self.rise.connect();
        self.fall.connect();
    }
    fn hdl(&self) -> Verilog {
        let mut code = format!("wire [{}:0] delayed;", N - 1);
        for i in 0..N {
            code += &format!(
                "
DELAYG #(.DEL_MODE(\"USER_DEFINED\"), .DEL_VALUE({taps})) delay{i}(.A(pads[{i}]), .Z(delayed[{i}]));
IDDRX1F cell{i}(.D(delayed[{i}]), .SCLK(clock), .RST(1'b0), .Q0(rise[{i}]), .Q1(fall[{i}]));",
                taps = self._taps
            );
        }
        self._cells.wrapped(code)
    }
}

/// N output pads: ODDRX1F, then a delay of each pad's own. `rise` of an edge is on the pads while the clock is high, `fall`
/// while it is low.
#[derive(LogicBlock)]
pub struct DdrOutput<const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Bits of the first half of a period.
    pub rise: Signal<In, Bits<N>>,
    /// Bits of the second half.
    pub fall: Signal<In, Bits<N>>,
    /// Pads.
    pub pads: Signal<Out, Bits<N>>,
    _taps: [u8; N],
    _cells: Cells,
    _second: Bits<N>,
}

impl<const N: usize> DdrOutput<N> {
    /// With a delay of `taps[i]` behind cell i.
    pub fn new(taps: [u8; N], cells: Cells) -> Self {
        assert!(taps.iter().all(|taps| *taps <= MOST_TAPS), "{taps:?} taps");
        Self {
            clock: Default::default(),
            rise: Default::default(),
            fall: Default::default(),
            pads: Default::default(),
            _taps: taps,
            _cells: cells,
            _second: Default::default(),
        }
    }
}

impl<const N: usize> Logic for DdrOutput<N> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.pads.next = self.rise.val();
            self._second = self.fall.val();
        }
        if self.clock.neg_edge() {
            self.pads.next = self._second;
        }
    }
    fn connect(&mut self) {
        self.pads.connect();
    }
    fn hdl(&self) -> Verilog {
        let mut code = format!("wire [{}:0] prompt;", N - 1);
        for (i, taps) in self._taps.iter().enumerate() {
            code += &format!(
                "
ODDRX1F cell{i}(.D0(rise[{i}]), .D1(fall[{i}]), .SCLK(clock), .RST(1'b0), .Q(prompt[{i}]));
DELAYG #(.DEL_MODE(\"USER_DEFINED\"), .DEL_VALUE({taps})) delay{i}(.A(prompt[{i}]), .Z(pads[{i}]));"
            );
        }
        self._cells.wrapped(code)
    }
}
