//! Opcodes of WQEs and CQEs.

codes! {
    /// Opcode.
    ///
    /// ```
    /// # use rnic_abi::opcode::Opcode;
    /// assert_eq!((Opcode::RegMr.code(), Opcode::from_u8(0x20)), (0x20, Some(Opcode::RegMr)));
    /// assert!(Opcode::Write.is_data() && !Opcode::Recv.is_send());
    /// ```
    pub enum Opcode {
        /// Send.
        Send, SEND = 0x00, "";
        /// Send with immediate data.
        SendImm, SEND_IMM = 0x01, "";
        /// Send that invalidates a key of the peer.
        SendInv, SEND_INV = 0x02, "C11";
        /// RDMA write.
        Write, WRITE = 0x04, "";
        /// RDMA write with immediate data.
        WriteImm, WRITE_IMM = 0x05, "";
        /// RDMA read.
        Read, READ = 0x08, "";
        /// RDMA read that invalidates its sink.
        ReadInv, READ_INV = 0x09, "C20";
        /// Compare and swap 8 bytes.
        CmpSwap, CMP_SWAP = 0x0C, "";
        /// Fetch and add 8 bytes.
        FetchAdd, FETCH_ADD = 0x0D, "";
        /// Fast registration of a memory region.
        RegMr, REG_MR = 0x20, "B1";
        /// Local invalidation of a memory region.
        LocalInv, LOCAL_INV = 0x21, "C1";
        /// CQE only: a receive completed.
        Recv, RECV = 0x80, "";
        /// CQE only: a receive completed by a WRITE with immediate data.
        RecvWriteImm, RECV_WRITE_IMM = 0x81, "";
    }
}

impl Opcode {
    /// A data WR: moves payload, may take two slots. Needs the capability RC.
    pub const fn is_data(self) -> bool {
        self.code() < REG_MR
    }

    /// May stand in a WQE.
    pub const fn is_send(self) -> bool {
        self.code() < RECV
    }
}
