//! Which register an address names, and whether the access is allowed. Combinational.
//!
//! Not assigned, or of the board's bridge: DECERR. Partial write, write to a read-only register, read of a write-only one:
//! SLVERR. The map is that of `rnic_abi::register`; doorbells are assigned as far as there are queues.
use rnic_abi::preset::Preset;
use rnic_abi::register::{self as map, Access};
use rust_hdl::prelude::*;

/// What an address names.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Place {
    /// Identity and capabilities.
    Identity,
    /// CONTROL to EVENT_CONSUMER: registers that the core works by.
    Setting,
    /// Raw rings, MAC, own addresses: registers that are kept for later use.
    Stored,
    /// A word of the admin command.
    Command,
    /// A word of the admin answer.
    AdminAnswer,
    /// GO.
    Go,
    /// ADMIN_STATUS.
    AdminStatus,
    /// An error or drop counter.
    Counter,
    /// SQ doorbell.
    SendDoorbell,
    /// RQ doorbell.
    ReceiveDoorbell,
    /// CQ doorbell.
    CompletionDoorbell,
}

/// Words of the part of the map that is decoded word by word.
const WORDS: usize = 256;

/// Address decoder.
#[derive(LogicBlock)]
pub struct Decode {
    /// Byte address; bits 1:0 do not matter to a read.
    pub address: Signal<In, Bits<16>>,
    /// A write.
    pub write: Signal<In, Bit>,
    /// A write of a whole word.
    pub whole: Signal<In, Bit>,
    /// What the address names; any place if none.
    pub place: Signal<Out, Place>,
    /// The address names nothing.
    pub unassigned: Signal<Out, Bit>,
    /// The register does not take this access.
    pub refused: Signal<Out, Bit>,
    /// Number of the register in its array.
    pub index: Signal<Out, Bits<10>>,
    page: Signal<Local, Bits<8>>,
    part: Signal<Local, Bits<4>>,
    half: Signal<Local, Bits<6>>,
    word: Signal<Local, Bits<8>>,
    readable_words: Signal<Local, Bits<WORDS>>,
    writable_words: Signal<Local, Bits<WORDS>>,
    readable: Signal<Local, Bit>,
    writable: Signal<Local, Bit>,
    low_readable: Constant<Bits<WORDS>>,
    low_writable: Constant<Bits<WORDS>>,
    go: Constant<Bits<8>>,
    admin_status: Constant<Bits<8>>,
    answers: Constant<Bits<8>>,
    qps: Constant<Bits<11>>,
    cqs: Constant<Bits<11>>,
    wide_index: Signal<Local, Bits<11>>,
}

/// One bit for each word of the low part of the map that allows an access.
fn words_with(allows: fn(Access) -> bool) -> Bits<WORDS> {
    let mut words = Bits::<WORDS>::default();
    for register in map::REGISTERS.iter().filter(|r| allows(r.access)) {
        for word in (0..register.count).map(|i| (register.offset + i * register.stride) as usize / 4) {
            if word < WORDS {
                words = words.replace_bit(word, true);
            }
        }
    }
    words
}

impl Decode {
    /// Decoder of the map of a preset.
    pub fn new(preset: &Preset) -> Self {
        Self {
            address: Default::default(),
            write: Default::default(),
            whole: Default::default(),
            place: Default::default(),
            unassigned: Default::default(),
            refused: Default::default(),
            index: Default::default(),
            page: Default::default(),
            part: Default::default(),
            half: Default::default(),
            word: Default::default(),
            readable_words: Default::default(),
            writable_words: Default::default(),
            readable: Default::default(),
            writable: Default::default(),
            low_readable: Constant::new(words_with(|a| a != Access::WO)),
            low_writable: Constant::new(words_with(|a| a != Access::RO)),
            go: Constant::new((map::GO as usize / 4 % WORDS).to_bits()),
            admin_status: Constant::new((map::ADMIN_STATUS as usize / 4 % WORDS).to_bits()),
            answers: Constant::new((map::ADMIN_ANSWER as usize / 4 % WORDS).to_bits()),
            qps: Constant::new((preset.qps as usize).to_bits()),
            cqs: Constant::new((preset.cqs() as usize).to_bits()),
            wide_index: Default::default(),
        }
    }
}

impl Logic for Decode {
    #[hdl_gen]
    fn update(&mut self) {
        self.page.next = self.address.val().get_bits::<8>(8);
        self.part.next = self.address.val().get_bits::<4>(12);
        self.half.next = self.address.val().get_bits::<6>(10);
        self.word.next = self.address.val().get_bits::<8>(2);
        self.index.next = self.address.val().get_bits::<10>(2);
        self.wide_index.next = bit_cast::<11, 10>(self.index.val());
        self.readable_words.next = self.low_readable.val();
        self.writable_words.next = self.low_writable.val();
        self.readable.next = false;
        self.writable.next = false;
        self.place.next = Place::Identity;
        if self.half.val() == 0 {
            self.readable.next = self.readable_words.val().get_bit(self.word.val().index());
            self.writable.next = self.writable_words.val().get_bit(self.word.val().index());
            if self.page.val() == 1 {
                self.place.next = Place::Setting;
                if self.word.val().get_bits::<3>(3) == 3 {
                    self.place.next = Place::Stored;
                }
            } else if self.page.val() == 2 {
                self.place.next = Place::Command;
                if self.word.val() == self.go.val() {
                    self.place.next = Place::Go;
                } else if self.word.val() == self.admin_status.val() {
                    self.place.next = Place::AdminStatus;
                } else if self.word.val() >= self.answers.val() {
                    self.place.next = Place::AdminAnswer;
                }
            } else if self.page.val() == 3 {
                self.place.next = Place::Stored;
            }
        } else if self.half.val() == 4 {
            self.place.next = Place::Counter;
            self.readable.next = true;
            self.writable.next = true;
        } else if self.part.val() == 2 {
            self.place.next = Place::SendDoorbell;
            self.writable.next = self.wide_index.val() < self.qps.val();
        } else if self.part.val() == 3 {
            self.place.next = Place::ReceiveDoorbell;
            self.writable.next = self.wide_index.val() < self.qps.val();
        } else if self.part.val() == 4 {
            self.place.next = Place::CompletionDoorbell;
            self.writable.next = self.wide_index.val() < self.cqs.val();
        }
        self.unassigned.next = !self.readable.val() & !self.writable.val();
        self.refused.next = !self.readable.val();
        if self.write.val() {
            self.refused.next = !self.writable.val() | !self.whole.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_abi::preset;

    /// Code of the response by the words of the specification, from the table of registers.
    fn expected(address: u32, write: bool, whole: bool, preset: &Preset) -> (bool, bool) {
        let register = map::REGISTERS.iter().find(|r| {
            let count = match r.offset {
                map::SQ_DOORBELL | map::RQ_DOORBELL => preset.qps,
                map::CQ_DOORBELL => preset.cqs(),
                _ => r.count,
            };
            (r.offset..r.offset + 4 * count).contains(&(address & !3))
        });
        match register.map(|r| r.access) {
            None => (true, false),
            Some(access) if write => (false, !whole || access == Access::RO),
            Some(access) => (false, access == Access::WO),
        }
    }

    #[test]
    fn every_address_of_every_preset_is_decoded_as_the_map_says() {
        for preset in preset::ALL {
            let mut uut = Decode::new(preset);
            uut.connect_all();
            for address in (0..0x1_0000u32).step_by(4) {
                for (write, whole) in [(false, true), (true, true), (true, false)] {
                    uut.address.next = u64::from(address + address / 4 % 4).into();
                    uut.write.next = write;
                    uut.whole.next = whole;
                    assert!(simulate(&mut uut, 10));
                    let (unassigned, refused) = expected(address, write, whole, preset);
                    assert_eq!(uut.unassigned.val(), unassigned, "{address:04x} {write}");
                    if !unassigned {
                        assert_eq!(uut.refused.val(), refused, "{address:04x} {write} {whole}");
                    }
                }
            }
        }
    }

    #[test]
    fn places_follow_the_map() {
        let mut uut = Decode::new(&preset::LARGE);
        uut.connect_all();
        for (address, place, index) in [
            (map::LIMITS, Place::Identity, None),
            (map::CONTROL, Place::Setting, None),
            (map::EVENT_CONSUMER, Place::Setting, None),
            (map::RAW_RECEIVE_BASE_LOW, Place::Stored, None),
            (map::RAW_SEND_PRODUCER, Place::Stored, None),
            (map::admin_command(31), Place::Command, None),
            (map::admin_answer(0), Place::AdminAnswer, None),
            (map::admin_answer(15), Place::AdminAnswer, None),
            (map::GO, Place::Go, None),
            (map::ADMIN_STATUS, Place::AdminStatus, None),
            (map::MAC_HIGH, Place::Stored, None),
            (map::own_address(7, 3), Place::Stored, None),
            (map::syndrome_counter(0x7F), Place::Counter, Some(0x7F)),
            (map::drop_counter(5), Place::Counter, Some(0x85)),
            (map::sq_doorbell(255), Place::SendDoorbell, Some(255)),
            (map::rq_doorbell(3), Place::ReceiveDoorbell, Some(3)),
            (map::cq_doorbell(511), Place::CompletionDoorbell, Some(511)),
        ] {
            uut.address.next = u64::from(address).into();
            assert!(simulate(&mut uut, 10));
            assert_eq!(uut.place.val(), place, "{address:04x}");
            if let Some(index) = index {
                assert_eq!(uut.index.val().to_u64() & 0x3FF, index, "{address:04x}");
            }
        }
    }
}
