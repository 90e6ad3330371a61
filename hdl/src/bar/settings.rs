//! Registers that the core works by: CONTROL, STATUS, TICK, WINDOW.
//!
//! Writes are checked before they come here. Reads: one cycle after `word`. CONTROL.b0 starts a reset and reads as 1 until
//! the device is ready again.
use super::value::word_of;
use rnic_abi::limits;
use rnic_abi::register as map;
use rust_hdl::prelude::*;

/// The registers.
#[derive(LogicBlock)]
pub struct Settings {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// All registers get their reset values.
    pub reset: Signal<In, Bit>,
    /// Stores `data` in the register of `word`.
    pub write: Signal<In, Bit>,
    /// Word of the map.
    pub word: Signal<In, Bits<8>>,
    /// The value.
    pub data: Signal<In, Bits<32>>,
    /// Value of the register of one cycle ago, 0 if it is not here.
    pub out: Signal<Out, Bits<32>>,
    /// The device is ready.
    pub ready: Signal<In, Bit>,
    /// The device cannot go on (sticky in STATUS).
    pub fatal: Signal<In, Bit>,
    /// An event was lost (sticky in STATUS).
    pub event_overflow: Signal<In, Bit>,
    /// A reset by register was asked for: pulse.
    pub begin_reset: Signal<Out, Bit>,
    /// Frames and doorbells are taken.
    pub enable: Signal<Out, Bit>,
    /// Frames to every MAC address are taken.
    pub promiscuous: Signal<Out, Bit>,
    /// Frames without room are dropped instead of held up (T107).
    pub drop_when_full: Signal<Out, Bit>,
    /// MigReq bit of the frames sent (T13).
    pub migreq: Signal<Out, Bit>,
    /// TICK (rule T79).
    pub tick: Signal<Out, Bits<32>>,
    /// TICK was written.
    pub tick_written: Signal<Out, Bit>,
    /// WINDOW (rule T18).
    pub window: Signal<Out, Bits<32>>,
    control: DFF<Bits<5>>,
    begins: DFF<Bit>,
    failed: DFF<Bit>,
    overflowed: DFF<Bit>,
    tick_register: DFF<Bits<32>>,
    window_register: DFF<Bits<32>>,
    retimed: DFF<Bit>,
    read: DFF<Bits<32>>,
    status: Signal<Local, Bits<32>>,
    resetting: Signal<Local, Bit>,
    is_control: Signal<Local, Bit>,
    is_status: Signal<Local, Bit>,
    is_tick: Signal<Local, Bit>,
    is_window: Signal<Local, Bit>,
    words: [Constant<Bits<8>>; 4],
    tick_reset: Constant<Bits<32>>,
    window_reset: Constant<Bits<32>>,
}

impl Settings {
    /// Registers for a core clock (kHz).
    pub fn new(core_khz: u32) -> Self {
        assert!(limits::tick(core_khz) > 0, "a clock of {core_khz} kHz");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            word: Default::default(),
            data: Default::default(),
            out: Default::default(),
            ready: Default::default(),
            fatal: Default::default(),
            event_overflow: Default::default(),
            begin_reset: Default::default(),
            enable: Default::default(),
            promiscuous: Default::default(),
            drop_when_full: Default::default(),
            migreq: Default::default(),
            tick: Default::default(),
            tick_written: Default::default(),
            window: Default::default(),
            control: Default::default(),
            begins: Default::default(),
            failed: Default::default(),
            overflowed: Default::default(),
            tick_register: Default::default(),
            window_register: Default::default(),
            retimed: Default::default(),
            read: Default::default(),
            status: Default::default(),
            resetting: Default::default(),
            is_control: Default::default(),
            is_status: Default::default(),
            is_tick: Default::default(),
            is_window: Default::default(),
            words: [map::CONTROL, map::STATUS, map::TICK, map::WINDOW].map(word_of),
            tick_reset: Constant::new(u64::from(limits::tick(core_khz)).into()),
            window_reset: Constant::new(u64::from(limits::WINDOW_DEFAULT).into()),
        }
    }
}

impl Logic for Settings {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, control, begins, failed, overflowed, tick_register, window_register, retimed, read);
        self.is_control.next = self.word.val() == self.words[0].val();
        self.is_status.next = self.word.val() == self.words[1].val();
        self.is_tick.next = self.word.val() == self.words[2].val();
        self.is_window.next = self.word.val() == self.words[3].val();
        self.resetting.next = !self.ready.val();
        self.status.next = (bit_cast::<32, 1>(self.overflowed.q.val().into()) << 2)
            | (bit_cast::<32, 1>(self.failed.q.val().into()) << 1)
            | bit_cast::<32, 1>(self.ready.val().into());
        self.read.d.next = 0.into();
        if self.is_control.val() {
            self.read.d.next = bit_cast::<32, 5>(self.control.q.val()) | bit_cast::<32, 1>(self.resetting.val().into());
        } else if self.is_status.val() {
            self.read.d.next = self.status.val();
        } else if self.is_tick.val() {
            self.read.d.next = self.tick_register.q.val();
        } else if self.is_window.val() {
            self.read.d.next = self.window_register.q.val();
        }
        self.begins.d.next = self.write.val() & self.is_control.val() & self.data.val().get_bit(0);
        self.retimed.d.next = self.write.val() & self.is_tick.val();
        if self.write.val() & self.is_control.val() {
            self.control.d.next = self.data.val().get_bits::<5>(0);
        }
        if self.write.val() & self.is_status.val() & self.data.val().get_bit(2) {
            self.overflowed.d.next = false;
        }
        if self.write.val() & self.is_tick.val() {
            self.tick_register.d.next = self.data.val();
        }
        if self.write.val() & self.is_window.val() {
            self.window_register.d.next = self.data.val();
        }
        // After the clear: an event lost in the same cycle is not forgotten.
        if self.event_overflow.val() {
            self.overflowed.d.next = true;
        }
        if self.fatal.val() {
            self.failed.d.next = true;
        }
        if self.reset.val() {
            self.control.d.next = 0.into();
            self.begins.d.next = false;
            self.failed.d.next = false;
            self.overflowed.d.next = false;
            self.tick_register.d.next = self.tick_reset.val();
            self.window_register.d.next = self.window_reset.val();
        }
        self.out.next = self.read.q.val();
        self.begin_reset.next = self.begins.q.val();
        self.enable.next = self.control.q.val().get_bit(1);
        self.promiscuous.next = self.control.q.val().get_bit(2);
        self.drop_when_full.next = self.control.q.val().get_bit(3);
        self.migreq.next = self.control.q.val().get_bit(4);
        self.tick.next = self.tick_register.q.val();
        self.tick_written.next = self.retimed.q.val();
        self.window.next = self.window_register.q.val();
    }
}
