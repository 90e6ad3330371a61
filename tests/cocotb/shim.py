"""The bridge as a function of a cocotbext-pcie device: configuration is answered here, all else by the hardware."""
import logging
from collections import deque

import cocotb
from cocotb.triggers import Event
from cocotbext.pcie.core import Device, Endpoint
from cocotbext.pcie.core.tlp import Tlp, TlpType

import tlp as judge
from bench import SIZES

BAR_SIZE = 1 << 16
# Each probe of an empty slot is a warning.
logging.getLogger("cocotb.pcie").setLevel(logging.ERROR)


class BridgeFunction(Endpoint):
    """Section 8: `handle_tlp` queues packed TLPs, what the bridge sends is unpacked and goes upstream."""

    def __init__(self, bench):
        super().__init__()
        self.bench = bench
        self.upward, self.ready = deque(), Event()
        self.told = None
        self.vendor_id, self.device_id, self.class_code = 0x1234, 0x5678, 0x020700
        self.configure_bar(0, BAR_SIZE, ext=True)
        self.pcie_cap.max_payload_size_supported = 2
        bench.on_tlp = self._take
        bench.each_cycle.append(self.sideband)
        self.device = Device(self)
        self.device.upstream_port.max_link_speed = 4
        self.device.upstream_port.max_link_width = 16
        cocotb.start_soon(self._send())

    def sideband(self):
        """What a hard block tells the bridge of the configuration; MPS and MRRS also to the watch."""
        values = (int(self.pcie_id), self.bus_master_enable, self.pcie_cap.max_payload_size,
                  self.pcie_cap.max_read_request_size)
        if values != self.told:
            self.told = values
            dut, watch = self.bench.dut, self.bench.watch
            dut.device_id.value, dut.bus_master_enable.value = values[0], int(values[1])
            dut.mps.value, dut.mrrs.value = values[2], values[3]
            watch.device, watch.mps, watch.mrrs = values[0], SIZES[values[2]], SIZES[min(values[3], 2)]

    async def handle_tlp(self, tlp):
        if tlp.fmt_type in (TlpType.CFG_READ_0, TlpType.CFG_WRITE_0):
            await super().handle_tlp(tlp)
            return
        tlp.release_fc()
        raw = bytes(tlp.pack())
        watch = self.bench.watch
        if tlp.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64):
            watch.host_asks(judge.parse(raw))
        elif tlp.is_completion() and (not tlp.has_data() or tlp.byte_count <= 4 * tlp.length - (tlp.lower_address & 3)):
            watch.forget(tlp.tag)
        self.bench.sink.send(raw, hits=tlp.is_completion() or bool(self.match_bar(tlp.address)))

    def _take(self, _, raw):
        self.upward.append(raw)
        self.ready.set()

    async def _send(self):
        """One after another, so that the order on the wire is that of the bridge."""
        while True:
            if not self.upward:
                self.ready.clear()
                await self.ready.wait()
            await self.upstream_send(Tlp.unpack(self.upward.popleft()))
