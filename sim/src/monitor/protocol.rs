//! Rules of the ports themselves: handshakes, burst shapes, answers (I7, and the AXI rules of the interface page).
use super::problem::{check, Problem};
use super::write_data::{WriteData, WriteShape};
use crate::core::{Inputs, Outputs};
use rnic_abi::axi::BOUNDARY;
use rnic_abi::limits::{BAR_CYCLES, DMA_LIMIT, VECTORS};
use std::collections::VecDeque;

/// Cycles that a response may wait for the device's ready.
const STUCK: u32 = 10_000;
/// Ids in use: reads 0 to 5 and 8 to 15, writes 0 to 5.
const READ_IDS: u16 = 0xFF3F;
const WRITE_IDS: u16 = 0x003F;

/// An address that the host has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Burst {
    pub id: u8,
    pub address: u64,
    pub beats: u32,
}

/// A beat of read data that the device has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadBeat {
    pub burst: Burst,
    /// First byte of the beat, a multiple of its width.
    pub address: u64,
    pub response: u8,
    pub last: bool,
}

/// What passed in one cycle.
#[derive(Debug, Default)]
pub(super) struct Passed {
    pub read: Option<Burst>,
    pub beat: Option<ReadBeat>,
    pub write: Option<Burst>,
    pub written: Option<WriteShape>,
    pub interrupt: Option<u8>,
}

/// State of the port checks.
#[derive(Debug)]
pub(super) struct Protocol {
    width: u64,
    previous: Option<(Inputs, Outputs)>,
    reads: [VecDeque<(Burst, u32)>; 16],
    write_data: WriteData,
    responses: [u32; 16],
    bar_reads: u32,
    bar_addresses: u32,
    bar_data: u32,
    bar_read_wait: u32,
    bar_write_wait: u32,
    read_stuck: u32,
    response_stuck: u32,
}

impl Protocol {
    pub fn new(width: u64) -> Self {
        Self {
            width,
            previous: None,
            reads: Default::default(),
            write_data: WriteData::new(width),
            responses: [0; 16],
            bar_reads: 0,
            bar_addresses: 0,
            bar_data: 0,
            bar_read_wait: 0,
            bar_write_wait: 0,
            read_stuck: 0,
            response_stuck: 0,
        }
    }

    /// Forgets everything: the core was reset by its port.
    pub fn clear(&mut self) {
        *self = Self::new(self.width);
    }

    /// One cycle, as it stands just before the rising edge.
    pub fn observe(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<Passed, Problem> {
        if let Some((before, was)) = &self.previous {
            stable(before, was, outputs)?;
        }
        let waits = outputs.arvalid | outputs.awvalid | outputs.wvalid | outputs.s_bvalid | outputs.s_rvalid;
        self.previous = (waits | outputs.irq_valid | outputs.tx_tvalid == 1).then_some((*inputs, *outputs));
        self.bar(inputs, outputs)?;
        let mut passed = Passed::default();
        if outputs.arvalid & inputs.m_arready == 1 {
            passed.read = Some(self.read_address(outputs)?);
        }
        if outputs.awvalid & inputs.m_awready == 1 {
            passed.write = Some(self.write_address(outputs)?);
        }
        if outputs.wvalid & inputs.m_wready == 1 {
            self.write_data.beat(outputs.wstrb, outputs.wlast == 1)?;
        }
        passed.written = self.write_data.next_shape()?;
        passed.beat = self.read_data(inputs, outputs)?;
        self.write_response(inputs, outputs)?;
        if outputs.irq_valid & inputs.irq_ready == 1 {
            check!(u32::from(outputs.irq_vector) < VECTORS, "I7", "interrupt vector {}", outputs.irq_vector);
            passed.interrupt = Some(outputs.irq_vector);
        }
        Ok(passed)
    }

    /// Reads on their way that overlap a range of addresses.
    pub fn reading(&self, id: u8, range: &std::ops::Range<u64>) -> Option<Burst> {
        let overlaps = |burst: &Burst| burst.address < range.end && range.start < self.end_of(burst);
        self.reads[usize::from(id)].iter().map(|(burst, _)| *burst).find(overlaps)
    }

    /// First byte behind a burst.
    pub fn end_of(&self, burst: &Burst) -> u64 {
        (burst.address & !(self.width - 1)) + u64::from(burst.beats) * self.width
    }

    /// At the end of a run nothing may be on its way.
    pub fn end(&self) -> Result<(), Problem> {
        let reads = self.reads.iter().position(|queue| !queue.is_empty());
        check!(reads.is_none(), "I7", "a read of id {} has no data at the end of the run", reads.unwrap_or(0));
        let writes = self.responses.iter().position(|count| *count > 0);
        check!(writes.is_none(), "I7", "a write of id {} has no response at the end of the run", writes.unwrap_or(0));
        check!(self.write_data.is_idle(), "I7", "an address or data of a write has no counterpart");
        check!(self.bar_reads + self.bar_addresses + self.bar_data == 0, "BA4", "a BAR access has no answer");
        Ok(())
    }

    fn read_address(&mut self, o: &Outputs) -> Result<Burst, Problem> {
        let burst = Burst { id: o.arid, address: o.araddr, beats: u32::from(o.arlen) + 1 };
        self.shape("read", &burst, READ_IDS)?;
        self.constants("read", &burst, [o.arsize, o.arburst, o.arlock, o.arcache, o.arprot, o.arqos])?;
        self.reads[usize::from(burst.id)].push_back((burst, 0));
        Ok(burst)
    }

    fn write_address(&mut self, o: &Outputs) -> Result<Burst, Problem> {
        let burst = Burst { id: o.awid, address: o.awaddr, beats: u32::from(o.awlen) + 1 };
        self.shape("write", &burst, WRITE_IDS)?;
        self.constants("write", &burst, [o.awsize, o.awburst, o.awlock, o.awcache, o.awprot, o.awqos])?;
        self.write_data.address(burst);
        self.responses[usize::from(burst.id)] += 1;
        Ok(burst)
    }

    fn shape(&self, way: &str, burst: &Burst, ids: u16) -> Result<(), Problem> {
        check!(ids >> burst.id & 1 == 1, "I7", "{way} with unknown id: {burst}");
        check!(burst.address < DMA_LIMIT, "I7", "{way} beyond the bus: {burst}");
        let page = burst.address & !(BOUNDARY - 1);
        check!(self.end_of(burst) <= page + BOUNDARY, "I7", "{way} crosses 4 KiB: {burst}");
        Ok(())
    }

    /// size, burst, lock, cache, prot, qos never change.
    fn constants(&self, way: &str, burst: &Burst, found: [u8; 6]) -> Result<(), Problem> {
        let expected = [self.width.trailing_zeros() as u8, 1, 0, 3, 2, 0];
        check!(
            found == expected,
            "I7",
            "{way} with size, burst, lock, cache, prot, qos {found:?} instead of {expected:?}: {burst}"
        );
        Ok(())
    }

    fn read_data(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<Option<ReadBeat>, Problem> {
        if inputs.m_rvalid == 0 {
            return Ok(None);
        }
        if outputs.rready == 0 {
            self.read_stuck += 1;
            check!(self.read_stuck < STUCK, "I8", "rready low for {STUCK} cycles with data of id {}", inputs.m_rid);
            return Ok(None);
        }
        self.read_stuck = 0;
        let queue = &mut self.reads[usize::from(inputs.m_rid)];
        let Some((burst, beat)) = queue.front_mut() else {
            check!(false, "I7", "the host answers a read of id {} that nobody made", inputs.m_rid);
            return Ok(None);
        };
        let address = (burst.address & !(self.width - 1)) + u64::from(*beat) * self.width;
        *beat += 1;
        let last = *beat == burst.beats;
        check!(last == (inputs.m_rlast == 1), "I7", "the host ends a read at the wrong beat: {burst}");
        let found = ReadBeat { burst: *burst, address, response: inputs.m_rresp, last };
        if last {
            queue.pop_front();
        }
        Ok(Some(found))
    }

    fn write_response(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), Problem> {
        if inputs.m_bvalid == 0 {
            return Ok(());
        }
        if outputs.bready == 0 {
            self.response_stuck += 1;
            check!(self.response_stuck < STUCK, "I8", "bready low for {STUCK} cycles");
            return Ok(());
        }
        self.response_stuck = 0;
        let count = &mut self.responses[usize::from(inputs.m_bid)];
        check!(*count > 0, "I7", "the host answers a write of id {} that nobody made", inputs.m_bid);
        *count -= 1;
        Ok(())
    }

    /// One answer an access, within [`BAR_CYCLES`] (BA4).
    fn bar(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), Problem> {
        let active = inputs.arvalid | inputs.awvalid | inputs.wvalid | outputs.s_rvalid | outputs.s_bvalid;
        if u32::from(active) + self.bar_reads + self.bar_addresses + self.bar_data == 0 {
            return Ok(());
        }
        let asks = inputs.arvalid == 1 || self.bar_reads > 0;
        self.bar_reads += u32::from(inputs.arvalid & outputs.s_arready);
        self.bar_read_wait = if asks && outputs.s_rvalid == 0 { self.bar_read_wait + 1 } else { 0 };
        check!(self.bar_read_wait <= BAR_CYCLES, "BA4", "no answer to a BAR read of {:04x}", inputs.araddr);
        if outputs.s_rvalid == 1 {
            check!(self.bar_reads > 0 || asks, "I7", "answer to a BAR read that nobody made");
            self.bar_reads -= u32::from(inputs.rready).min(self.bar_reads);
        }
        let writes = (inputs.awvalid == 1 || self.bar_addresses > 0) && (inputs.wvalid == 1 || self.bar_data > 0);
        self.bar_addresses += u32::from(inputs.awvalid & outputs.s_awready);
        self.bar_data += u32::from(inputs.wvalid & outputs.s_wready);
        self.bar_write_wait = if writes && outputs.s_bvalid == 0 { self.bar_write_wait + 1 } else { 0 };
        check!(self.bar_write_wait <= BAR_CYCLES, "BA4", "no answer to a BAR write of {:04x}", inputs.awaddr);
        if outputs.s_bvalid == 1 {
            check!(self.bar_addresses > 0 && self.bar_data > 0, "I7", "answer to a BAR write before its data");
            self.bar_addresses -= u32::from(inputs.bready);
            self.bar_data -= u32::from(inputs.bready);
        }
        Ok(())
    }
}

/// Whatever was offered and not taken is offered again, unchanged (I7).
fn stable(before: &Inputs, was: &Outputs, is: &Outputs) -> Result<(), Problem> {
    let ar = |o: &Outputs| (o.araddr, o.arid, o.arlen, [o.arsize, o.arburst, o.arlock, o.arcache, o.arprot, o.arqos]);
    let aw = |o: &Outputs| (o.awaddr, o.awid, o.awlen, [o.awsize, o.awburst, o.awlock, o.awcache, o.awprot, o.awqos]);
    let w = |o: &Outputs| (o.wdata, o.wstrb, o.wlast);
    let tx = |o: &Outputs| (o.tx_tdata, o.tx_tkeep, o.tx_tlast, o.tx_tuser);
    let kept = |name: &str, valid: u8, ready: u8, still: u8, same: bool| {
        let held = valid == 0 || ready == 1 || (still == 1 && same);
        check!(
            held,
            "I7",
            "{name} was offered, not taken, and then {}",
            if still == 1 { "changed" } else { "withdrawn" }
        );
        Ok(())
    };
    if was.arvalid == 1 {
        kept("m_axi_ar", 1, before.m_arready, is.arvalid, ar(was) == ar(is))?;
    }
    if was.awvalid == 1 {
        kept("m_axi_aw", 1, before.m_awready, is.awvalid, aw(was) == aw(is))?;
    }
    if was.wvalid == 1 {
        kept("m_axi_w", 1, before.m_wready, is.wvalid, w(was) == w(is))?;
    }
    if was.tx_tvalid == 1 {
        kept("m_axis_tx", 1, before.tx_tready, is.tx_tvalid, tx(was) == tx(is))?;
    }
    kept("s_axil_b", was.s_bvalid, before.bready, is.s_bvalid, was.s_bresp == is.s_bresp)?;
    let same = (was.s_rdata, was.s_rresp) == (is.s_rdata, is.s_rresp);
    kept("s_axil_r", was.s_rvalid, before.rready, is.s_rvalid, same)?;
    kept("irq", was.irq_valid, before.irq_ready, is.irq_valid, was.irq_vector == is.irq_vector)
}

impl std::fmt::Display for Burst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "id {}, address {:013x}, {} beats", self.id, self.address, self.beats)
    }
}
