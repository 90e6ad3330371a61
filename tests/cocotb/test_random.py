"""Everything at once against the independent host: shuffled tags, split and late completions, stalls on all sides."""
import os

import cocotb

from bench import Bench
from host import STYLES, Host
from test_order import message, table

OKAY = 0
# Rounds of each worker; long campaigns set more.
ROUNDS = int(os.environ.get("RNIC_ROUNDS", "12"))
PAGES = (0x10000, 0xFFFFF000, 0x100000000, 0x7FFFFFFFF000, 0x40000, 0xFFFFFFFFFFFFF000)


class Traffic:
    """Workers that share the bridge; each knows what its own page of memory must hold."""

    def __init__(self, bench, host):
        self.bench, self.host, self.random = bench, host, bench.random
        self.busy = 0
        self.raised = {}
        taken = host.take

        def take(tlp, raw):
            taken(tlp, raw)
            for number, check in list(self.raised.items()):
                if (tlp.address, tlp.data) == message(number):
                    check()
                    del self.raised[number]
        bench.on_tlp = take

    def begin(self, work):
        """Starts a worker; its failure is the test's."""
        async def guarded():
            try:
                await work
            except Exception as error:  # pylint: disable=broad-except
                self.bench.failure = self.bench.failure or error
            self.busy -= 1
        self.busy += 1
        cocotb.start_soon(guarded())

    async def memory(self, id_, page, vector):
        """Writes, reads back right after B, and sometimes an interrupt that must not come before the data."""
        bench, random = self.bench, self.random
        shadow = bytearray(self.host.memory(page, 4096))
        for _ in range(ROUNDS):
            places = []
            for _ in range(random.randrange(3)):
                # At most 256 beats.
                count = random.choice((1, 2, 3, 8, 64, 65, random.randint(1, 2000)))
                at = random.randrange(4096 - count + 1) & random.choice((~0, ~7))
                data = random.randbytes(count)
                shadow[at:at + count] = data
                places.append(bench.core_write(id_, page + at, data))
            for place in places:
                assert await bench.answer(place, 60000) == (id_, OKAY), "WR3: B in the order of AW"
            if places and random.random() < 0.3:
                wanted = bytes(shadow)

                def check(wanted=wanted):
                    assert self.host.memory(page, 4096) == wanted, "TO1: an interrupt passed data"
                self.raised[vector] = check
                bench.watch.expect_message(*message(vector))
                bench.irq.queue.append(vector)
                await bench.until(lambda: vector not in self.raised, 60000, "interrupt")
            beats = random.choice((1, 2, 8, 9, random.randint(1, 256)))
            start = random.randrange(0, 4096 - 8 * beats + 1, 8)
            skip = random.choice((0, 0, random.randrange(8)))
            got = await bench.core_read(id_, page + start + skip, beats, 60000)
            assert all(response == OKAY for _, response in got)
            data = b"".join(word.to_bytes(8, "little") for word, _ in got)
            assert data[skip:] == shadow[start + skip:start + 8 * beats], f"TO2: read of {page + start:x}"
        # The host sees the same, as soon as a register read has returned (TO1).
        await self.host.bar_read(0x3FC)
        assert self.host.memory(page, 4096) == bytes(shadow), f"memory at {page:x}"

    async def registers(self, base):
        """Register accesses of 1 to 16 DW."""
        shadow = {}
        for _ in range(3 * ROUNDS):
            count = self.random.choice((1, 1, 2, 16, self.random.randint(1, 16)))
            offset = base + 4 * self.random.randrange(64 - count)
            if self.random.random() < 0.5:
                words = [self.random.getrandbits(32) for _ in range(count)]
                self.host.bar_write(offset, *words)
                shadow.update((offset + 4 * i, word) for i, word in enumerate(words))
            else:
                wanted = b"".join(shadow.get(offset + 4 * i, 0).to_bytes(4, "little") for i in range(count))
                assert (await self.host.bar_read(offset, count)).data == wanted, f"TO4: registers at {offset:x}"
            await self.bench.cycles(self.random.randrange(60))

    async def credit(self):
        """The host grants reads now and then (TO3)."""
        while self.busy > 1:
            self.bench.dut.nonposted_ok.value = self.random.randrange(2)
            await self.bench.cycles(self.random.randrange(1, 60))
        self.bench.dut.nonposted_ok.value = 1


async def run(dut, name, mps, mrrs, **pace):
    bench = await Bench.start(dut, name, mps, mrrs)
    host = Host(bench, STYLES)
    host.slow = 8 - pace["sink"]
    await table(bench, host, len(PAGES))
    bench.pace(**pace)
    traffic = Traffic(bench, host)
    for i, page in enumerate(PAGES):
        traffic.begin(traffic.memory(2 * i + 1, page, i))
    traffic.begin(traffic.registers(0x400))
    traffic.begin(traffic.registers(0x800))
    traffic.begin(traffic.credit())
    await bench.until(lambda: traffic.busy == 0, 40000 * ROUNDS, "end of the traffic")
    assert bench.watch.idle() and not host.owed, "something is owed"
    for number, what in ((0, "malformed"), (1, "unsupported"), (5, "unexpected"), (6, "timeout"), (7, "hole")):
        assert await host.counter(number) == 0, f"counter {what}"
    if pace["core"] == pace["source"] == 8:
        assert bench.source.gaps == 0, "TL9: a bubble inside a TLP"
    print(f"{name}: {bench.cycle} cycles, {bench.watch.seen} TLPs from the bridge")


@cocotb.test(timeout_time=4000, timeout_unit="ms")
async def without_stalls_at_512(dut):
    await run(dut, "fast", 512, 512, source=8, sink=8, core=8)


@cocotb.test(timeout_time=4000, timeout_unit="ms")
async def stalls_at_256_and_128(dut):
    await run(dut, "mixed", 256, 128, source=5, sink=6, core=5)


@cocotb.test(timeout_time=4000, timeout_unit="ms")
async def a_slow_host_at_128_and_512(dut):
    await run(dut, "slow host", 128, 512, source=2, sink=7, core=7)


@cocotb.test(timeout_time=4000, timeout_unit="ms")
async def a_slow_core_at_512_and_256(dut):
    await run(dut, "slow core", 512, 256, source=8, sink=7, core=2)
