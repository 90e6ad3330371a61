//! One instance of the verilated board top.
use std::ffi::c_int;

/// What a gigabit line carries in a byte time of 8 ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LineByte {
    /// The byte.
    pub data: u8,
    /// It belongs to a frame (or its preamble).
    pub enable: u8,
    /// It is damaged.
    pub error: u8,
}

/// What the outside drives.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Inputs {
    pub a: LineByte,
    pub b: LineByte,
    pub reset: u8,
    pub mdio: u8,
}

/// What the board drives.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Outputs {
    pub a: LineByte,
    pub b: LineByte,
    pub mdc: u8,
    pub mdio: u8,
    pub mdio_drive: u8,
    pub phy_reset_n: u8,
    pub led: u8,
}

#[repr(C)]
struct Simulation {
    _private: [u8; 0],
}

extern "C" {
    fn rnic_board_new(seed: c_int) -> *mut Simulation;
    fn rnic_board_byte_time(simulation: *mut Simulation, inputs: *const Inputs, outputs: *mut Outputs) -> u64;
    fn rnic_board_delete(simulation: *mut Simulation);
}

/// The hardware of a board with two ports below its PLL.
pub(super) struct Model {
    simulation: *mut Simulation,
    outputs: Outputs,
    core_cycles: u64,
}

impl Model {
    /// A board before its first clock, registers and RAM with random values of the seed.
    pub fn new(seed: u32) -> Self {
        // SAFETY: takes a plain number and answers an object that this struct owns until `delete`. Seed 0 would mean "any".
        let simulation = unsafe { rnic_board_new((seed % 0x7fff_fffe + 1) as c_int) };
        Self { simulation, outputs: Outputs::default(), core_cycles: 0 }
    }

    /// A byte time; answers what the board drove in it.
    #[inline]
    pub fn byte_time(&mut self, inputs: &Inputs) -> Outputs {
        // SAFETY: the object is alive, and both structs have the layout of the C++ side.
        self.core_cycles = unsafe { rnic_board_byte_time(self.simulation, inputs, &mut self.outputs) };
        self.outputs
    }

    /// Cycles of the core's clock so far.
    pub fn core_cycles(&self) -> u64 {
        self.core_cycles
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the only call of `delete`; the pointer is not used after it.
        unsafe { rnic_board_delete(self.simulation) }
    }
}
