"""The bridge with drivers on all its ports, and the watch on every TLP that leaves it."""
import os
import random as random_module

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from ports import Interrupts, Reader, Registers, Sink, Source, Writer
from watch import Watch

DEVICE = 0x0100
# Cycles after which a read fails (RD7); the Verilog is exported with it. Up to a sixteenth later is right, too.
TIMEOUT = int(os.environ.get("RNIC_TIMEOUT", "1600"))
SIZES = (128, 256, 512)


def seed():
    """Seed of this run; `RNIC_SEED` repeats one."""
    return int(os.environ.get("RNIC_SEED", "1"))


class Bench:
    """Use `await Bench.start(dut)`."""

    def __init__(self, dut, name):
        self.dut = dut
        print(f"{name}: seed {seed()}")
        self.random = random_module.Random(f"{name} {seed()}")
        self.watch = Watch(DEVICE)
        self.sent = []
        self.on_tlp = lambda tlp, raw: None
        self.sink = Sink(dut, self.random)
        self.source = Source(dut, self.random, self._left)
        self.registers = Registers(dut, self.random)
        self.read = Reader(dut, self.random)
        self.write = Writer(dut, self.random)
        self.irq = Interrupts(dut, self.random)
        self.parts = [self.sink, self.source, self.registers, self.read, self.write, self.irq]
        self.read.on_issue = self.watch.core_reads
        self.cycle = 0
        self.failure = None
        self.each_cycle = []

    @classmethod
    async def start(cls, dut, name, mps=512, mrrs=512):
        """A bridge after its reset, bus master on, link up."""
        bench = cls(dut, name)
        bench.limits(mps, mrrs)
        for port, value in (("device_id", DEVICE), ("bus_master_enable", 1), ("link_up", 1), ("nonposted_ok", 1)):
            getattr(dut, port).value = value
        for part in bench.parts:
            part.pace = 0
            part.drive()
            part.pace = 8
        cocotb.start_soon(Clock(dut.clock, 8, "ns").start())
        await bench.reset()
        cocotb.start_soon(bench._run())
        await bench.cycles(4)
        return bench

    def limits(self, mps, mrrs):
        """MPS and MRRS in bytes."""
        self.watch.mps, self.watch.mrrs = mps, mrrs
        self.dut.mps.value, self.dut.mrrs.value = SIZES.index(mps), SIZES.index(mrrs)

    async def reset(self):
        """Four cycles of reset."""
        self.dut.reset.value = 1
        for _ in range(4):
            await RisingEdge(self.dut.clock)
        self.dut.reset.value = 0
        for _ in range(2):
            await RisingEdge(self.dut.clock)

    def pace(self, source=8, sink=8, core=8):
        """Chances in eighths: the host takes, the host sends, the core is ready or begins."""
        self.source.pace, self.sink.pace = source, sink
        for part in (self.registers, self.read, self.write):
            part.pace = core

    def _left(self, raw):
        tlp = self.watch.sent(raw)
        self.sent.append((tlp, raw))
        self.on_tlp(tlp, raw)

    async def _run(self):
        try:
            while True:
                await RisingEdge(self.dut.clock)
                self.cycle += 1
                for part in self.parts:
                    part.sample()
                for each in self.each_cycle:
                    each()
                for part in self.parts:
                    part.drive()
        except Exception as error:  # pylint: disable=broad-except
            # A task of its own would not end the test at a place that says what was waited for.
            self.failure = error

    async def cycles(self, count):
        """Waits."""
        for _ in range(count):
            await RisingEdge(self.dut.clock)
            if self.failure:
                raise self.failure

    async def until(self, done, limit, what):
        """Waits until `done()`, at most `limit` cycles."""
        for _ in range(limit):
            if done():
                return
            await self.cycles(1)
        raise AssertionError(
            f"{what}: not within {limit} cycles, at cycle {self.cycle}; {len(self.sent)} TLPs left, the last "
            f"{self.sent[-1][1].hex(' ', 4) if self.sent else None}; to the device {len(self.sink.queue)} beats; "
            f"R {len(self.read.bursts)} bursts, {len(self.read.waiting)} open; B {len(self.write.answers)}")

    async def next_tlps(self, count, limit=600):
        """The TLPs that leave from now on."""
        start = len(self.sent)
        await self.until(lambda: len(self.sent) >= start + count, limit, f"{count} TLPs")
        return self.sent[start:]

    def core_write(self, id_, address, data):
        """A write of a run of bytes by the core; its place among the B answers."""
        self.watch.core_writes(address, data)
        self.write.send_bytes(id_, address, data)
        return self.write.sent - 1

    async def answer(self, place, limit=6000):
        """B at this place."""
        await self.until(lambda: len(self.write.answers) > place, limit, "B")
        return self.write.answers[place]

    async def core_read(self, id_, address, beats, limit=4000):
        """A read by the core: its beats as (data, response)."""
        count = len(self.read.bursts) + len(self.read.waiting) + len(self.read.queue)
        self.read.queue.append((id_, address, beats))
        await self.until(lambda: len(self.read.bursts) > count, limit, f"read of {address:x}")
        return self.read.bursts[count][2]
