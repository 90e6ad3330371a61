//! Masks of the ICRC: bytes before the IP header become zeros, fields that routers change become ones (G11). Combinational,
//! one level behind six bits of selection.
use rust_hdl::prelude::*;

/// Rows of the tables: at 64 bits all masked bytes lie in the first nine beats.
const ROWS: usize = 9;
const ENTRIES: usize = 4 * ROWS;

#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Zero,
    Ones,
}

/// Rule G11 for the half `half` (0 the lower) of byte `at`; `kind` bit 0 IPv6, bit 1 VLAN tag.
fn fate(kind: usize, at: usize, half: usize) -> Fate {
    let ethernet = if kind & 2 != 0 { 18 } else { 14 };
    match (kind & 1, at.checked_sub(ethernet)) {
        (_, None) => Fate::Zero,
        (0, Some(1 | 8 | 10 | 11 | 26 | 27 | 32)) => Fate::Ones,
        (1, Some(0)) if half == 0 => Fate::Ones,
        (1, Some(1..=3 | 7 | 46 | 47 | 52)) => Fate::Ones,
        _ => Fate::Kept,
    }
}

/// Masks a beat; STRB = DATA / 8.
#[derive(LogicBlock)]
pub struct BeatMask<const DATA: usize, const STRB: usize> {
    /// Beat.
    pub data: Signal<In, Bits<DATA>>,
    /// Its number in the frame.
    pub index: Signal<In, Bits<10>>,
    /// Bit 0 IPv6, bit 1 VLAN tag.
    pub kind: Signal<In, Bits<2>>,
    /// Masked beat.
    pub masked: Signal<Out, Bits<DATA>>,
    near: Signal<Local, Bits<4>>,
    place: Signal<Local, Bits<6>>,
    keep: Signal<Local, Bits<DATA>>,
    ones: Signal<Local, Bits<DATA>>,
    places: [Constant<Bits<6>>; ENTRIES],
    keeps: [Constant<Bits<DATA>>; ENTRIES],
    sets: [Constant<Bits<DATA>>; ENTRIES],
    all: Constant<Bits<DATA>>,
    none: Constant<Bits<DATA>>,
    far: Constant<Bits<10>>,
}

impl<const DATA: usize, const STRB: usize> Default for BeatMask<DATA, STRB> {
    fn default() -> Self {
        let mask = |entry: usize, wanted: Fate| {
            let (kind, row) = (entry / ROWS, entry % ROWS);
            let mut mask = Bits::<DATA>::default();
            for bit in 0..DATA {
                mask = mask.replace_bit(bit, fate(kind, row * STRB + bit / 8, bit % 8 / 4) == wanted);
            }
            Constant::new(mask)
        };
        Self {
            data: Default::default(),
            index: Default::default(),
            kind: Default::default(),
            masked: Default::default(),
            near: Default::default(),
            place: Default::default(),
            keep: Default::default(),
            ones: Default::default(),
            places: std::array::from_fn(|i| Constant::new((16 * (i / ROWS) + i % ROWS).to_bits())),
            keeps: std::array::from_fn(|i| mask(i, Fate::Kept)),
            sets: std::array::from_fn(|i| mask(i, Fate::Ones)),
            all: Constant::new(!Bits::default()),
            none: Constant::new(Bits::default()),
            far: Constant::new(bits(15)),
        }
    }
}

impl<const DATA: usize, const STRB: usize> Logic for BeatMask<DATA, STRB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.near.next = 15.into();
        if self.index.val() < self.far.val() {
            self.near.next = bit_cast::<4, 10>(self.index.val());
        }
        self.place.next = (bit_cast::<6, 2>(self.kind.val()) << 4) | bit_cast::<6, 4>(self.near.val());
        self.keep.next = self.all.val();
        self.ones.next = self.none.val();
        for i in 0..36 {
            if self.place.val() == self.places[i].val() {
                self.keep.next = self.keeps[i].val();
                self.ones.next = self.sets[i].val();
            }
        }
        self.masked.next = (self.data.val() & self.keep.val()) | self.ones.val();
    }
}
