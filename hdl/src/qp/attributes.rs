//! Attributes and path of a queue pair after a MODIFY_QP: the given ones from the command, the others as they were.
//! Combinational.
use super::records::{QpAttributes, QpPath};
use super::words::WORDS;
use rnic_abi::admin::modify_qp as word;
use rust_hdl::prelude::*;

/// Merge of a command into what is stored.
#[derive(LogicBlock)]
pub struct AttributeMerge {
    /// Words of the command, whose values are in range.
    pub words: [Signal<In, Bits<32>>; WORDS],
    /// Attributes stored.
    pub stored: Signal<In, QpAttributes>,
    /// Attributes to store.
    pub merged: Signal<Out, QpAttributes>,
    /// Path of the command.
    pub path: Signal<Out, QpPath>,
    /// A path is given.
    pub path_given: Signal<Out, Bit>,
    mask: Signal<Local, Bits<32>>,
    mac_low: Signal<Local, Bits<32>>,
    mac_high: Signal<Local, Bits<16>>,
}

impl Default for AttributeMerge {
    fn default() -> Self {
        // The kernel cuts the words where these fields are (those with a range are checked beside the ranges).
        let places = [
            word::PKEY,
            word::SOURCE_PORT,
            word::VLAN_TCI,
            word::DEST_MAC,
            word::IPV6,
            word::VLAN_VALID,
            word::DEST_ADDRESS,
            word::TRAFFIC_CLASS,
            word::HOP_LIMIT,
        ];
        assert_eq!(
            places.map(|f| (f.word, f.lsb)),
            [(3, 0), (9, 0), (9, 16), (10, 0), (11, 24), (11, 25), (12, 0), (17, 0), (17, 8)]
        );
        Self {
            words: std::array::from_fn(|_| Default::default()),
            stored: Default::default(),
            merged: Default::default(),
            path: Default::default(),
            path_given: Default::default(),
            mask: Default::default(),
            mac_low: Default::default(),
            mac_high: Default::default(),
        }
    }
}

impl Logic for AttributeMerge {
    #[hdl_gen]
    fn update(&mut self) {
        self.mask.next = self.words[2].val();
        self.merged.next = self.stored.val();
        if self.mask.val().get_bit(0) {
            self.merged.next.access = self.words[3].val().get_bits::<3>(17);
        }
        if self.mask.val().get_bit(1) {
            self.merged.next.pkey = self.words[3].val().get_bits::<16>(0);
        }
        if self.mask.val().get_bit(3) {
            self.merged.next.mtu = self.words[3].val().get_bits::<3>(24);
        }
        if self.mask.val().get_bit(4) {
            self.merged.next.dest_qpn = self.words[4].val().get_bits::<24>(0);
        }
        if self.mask.val().get_bit(5) {
            self.merged.next.rq_psn = self.words[5].val().get_bits::<24>(0);
        }
        if self.mask.val().get_bit(6) {
            self.merged.next.max_dest_rd = self.words[8].val().get_bits::<5>(8);
        }
        if self.mask.val().get_bit(7) {
            self.merged.next.min_rnr = self.words[7].val().get_bits::<5>(24);
        }
        if self.mask.val().get_bit(8) {
            self.merged.next.timeout = self.words[7].val().get_bits::<5>(0);
        }
        if self.mask.val().get_bit(9) {
            self.merged.next.retry_cnt = self.words[7].val().get_bits::<3>(8);
        }
        if self.mask.val().get_bit(10) {
            self.merged.next.rnr_retry = self.words[7].val().get_bits::<3>(16);
        }
        if self.mask.val().get_bit(11) {
            self.merged.next.sq_psn = self.words[6].val().get_bits::<24>(0);
        }
        if self.mask.val().get_bit(12) {
            self.merged.next.max_rd = self.words[8].val().get_bits::<5>(0);
        }
        if self.mask.val().get_bit(13) {
            self.merged.next.drained_event = self.words[8].val().get_bit(16);
        }
        self.path_given.next = self.mask.val().get_bit(2);
        self.mac_low.next = self.words[10].val();
        self.mac_high.next = self.words[11].val().get_bits::<16>(0);
        self.path.next.source_port = self.words[9].val().get_bits::<16>(0);
        self.path.next.vlan_tci = self.words[9].val().get_bits::<16>(16);
        self.path.next.dest_mac =
            (bit_cast::<48, 16>(self.mac_high.val()) << 32) | bit_cast::<48, 32>(self.mac_low.val());
        self.path.next.own_address = self.words[11].val().get_bits::<3>(16);
        self.path.next.ipv6 = self.words[11].val().get_bit(24);
        self.path.next.vlan_valid = self.words[11].val().get_bit(25);
        self.path.next.dest_address = (bit_cast::<128, 32>(self.words[15].val()) << 96)
            | (bit_cast::<128, 32>(self.words[14].val()) << 64)
            | (bit_cast::<128, 32>(self.words[13].val()) << 32)
            | bit_cast::<128, 32>(self.words[12].val());
        self.path.next.flow_label = self.words[16].val().get_bits::<20>(0);
        self.path.next.traffic_class = self.words[17].val().get_bits::<8>(0);
        self.path.next.hop_limit = self.words[17].val().get_bits::<8>(8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rnic_abi::qp;

    /// Attributes with a recognisable value each, and their places in the words.
    fn words(mask: u32) -> [u32; WORDS] {
        let mut words = [0; WORDS];
        words[2] = mask;
        for (field, value) in [
            (word::PKEY, 0x8001),
            (word::ACCESS, 0x0A),
            (word::MTU, 3),
            (word::DEST_QPN, 0xABCDEF),
            (word::RQ_PSN, 0x123456),
            (word::SQ_PSN, 0x654321),
            (word::TIMEOUT, 18),
            (word::RETRY_CNT, 6),
            (word::RNR_RETRY, 7),
            (word::MIN_RNR, 12),
            (word::MAX_RD, 16),
            (word::MAX_DEST_RD, 9),
            (word::DRAINED_EVENT, 1),
            (word::SOURCE_PORT, 0xC001),
            (word::VLAN_TCI, 0x6005),
            (word::DEST_MAC, 0x0605_0403_0201),
            (word::OWN_ADDRESS, 5),
            (word::IPV6, 1),
            (word::VLAN_VALID, 1),
            (word::FLOW_LABEL, 0xF_EDCB),
            (word::TRAFFIC_CLASS, 0x6B),
            (word::HOP_LIMIT, 64),
        ] {
            field.put(&mut words, value);
        }
        for index in 0..16 {
            word::DEST_ADDRESS.put_byte(&mut words, index, index as u8 + 0x10);
        }
        words
    }

    fn full() -> QpAttributes {
        QpAttributes {
            access: 5.into(),
            pkey: 0x8001.into(),
            mtu: 3.into(),
            dest_qpn: 0xABCDEF.into(),
            rq_psn: 0x123456.into(),
            sq_psn: 0x654321.into(),
            timeout: 18.into(),
            retry_cnt: 6.into(),
            rnr_retry: 7.into(),
            min_rnr: 12.into(),
            max_rd: 16.into(),
            max_dest_rd: 9.into(),
            drained_event: true,
        }
    }

    fn merge(mask: u32, stored: QpAttributes) -> (QpAttributes, QpPath, bool) {
        let mut uut = AttributeMerge::default();
        uut.connect_all();
        for (port, word) in uut.words.iter_mut().zip(words(mask)) {
            port.next = u64::from(word).into();
        }
        uut.stored.next = stored;
        assert!(simulate(&mut uut, 10));
        (uut.merged.val(), uut.path.val(), uut.path_given.val())
    }

    #[test]
    fn t2_given_attributes_are_stored_where_they_belong() {
        let (merged, path, given) = merge(0x3FFF, QpAttributes::default());
        assert_eq!(merged, full());
        assert!(given);
        assert_eq!((path.source_port.to_u64(), path.vlan_tci.to_u64()), (0xC001, 0x6005));
        assert_eq!((path.dest_mac.to_u64(), path.own_address.to_u64()), (0x0605_0403_0201, 5));
        assert!(path.ipv6 && path.vlan_valid);
        assert_eq!(path.flow_label.to_u64(), 0xF_EDCB);
        assert_eq!((path.traffic_class.to_u64(), path.hop_limit.to_u64()), (0x6B, 64));
        let address: Vec<_> = (0..16).map(|i| path.dest_address.get_bits::<8>(8 * i).to_u64()).collect();
        assert_eq!(address, (0x10..0x20).collect::<Vec<_>>());
    }

    #[test]
    fn t2_each_mask_bit_moves_its_attribute_alone() {
        let word = |a: QpAttributes| Bits::<121>::from(a);
        assert_eq!(merge(0, QpAttributes::default()), (QpAttributes::default(), merge(0, full()).1, false));
        assert_eq!(merge(0, full()).0, full());
        let mut seen = Bits::<121>::default();
        for bit in (0..14).filter(|bit| 1 << bit != qp::ADDRESS_VECTOR) {
            let alone = word(merge(1 << bit, QpAttributes::default()).0);
            assert!(alone.any() && !(alone & seen).any(), "bit {bit}");
            seen = seen | alone;
        }
        assert_eq!(seen, word(full()));
        assert_eq!(word(merge(qp::ADDRESS_VECTOR, QpAttributes::default()).0), Bits::default());
    }
}
