"""What the bridge must drop, count or refuse: TL6 to TL8, BA1 to BA5."""
import cocotb

import tlp as t
from bench import Bench
from host import Host

MALFORMED, UNSUPPORTED, POISONED, TOO_LONG, REFUSED = range(5)


async def lives(bench, host):
    """A register write and read, and a read of memory, go through; returns all counters."""
    value = bench.random.getrandbits(32)
    host.bar_write(0x60, value)
    assert (await host.bar_read(0x60)).data == value.to_bytes(4, "little"), "the bridge is out of step"
    beats = await bench.core_read(1, 0x7000, 2)
    assert [data for data, _ in beats] == [int.from_bytes(host.memory(at, 8), "little") for at in (0x7000, 0x7008)]
    return [await host.counter(number) for number in range(8)]


async def dropped(bench, host, what, counter, *sends):
    """These leave no trace but `counter`, which grows by one for each."""
    before = await lives(bench, host)
    log, seen = len(bench.registers.log), bench.watch.seen
    for send in sends:
        send()
    await bench.until(lambda: not bench.sink.queue, 3000, what)
    await bench.cycles(80)
    assert len(bench.registers.log) == log, f"{what}: reached the bus: {bench.registers.log[log:]}"
    assert bench.watch.seen == seen, f"{what}: answered"
    after = await lives(bench, host)
    for number, (old, new) in enumerate(zip(before, after)):
        wanted = old + (len(sends) if number == counter else 0)
        assert new == wanted, f"{what}: counter {number} is {new}, wanted {wanted}"


def mutants(random):
    """Malformed TLPs by name; each is one field away from a good one."""
    word = bytes([1, 2, 3, 4])
    good = t.write(0x100, word * 4)
    read = t.request(t.MRD, 0x100, 16, tag=9)

    def patched(tlp, at, value):
        raw = bytearray(tlp.pack())
        raw[at] = value
        return bytes(raw)

    def be(tlp, first, last):
        return patched(tlp, 7, last << 4 | first)
    two, one = t.write(0x100, word * 2), t.write(0x100, word)
    found = {f"MWr of 4 DW says {length}": patched(good, 3, length) for length in (1, 2, 3, 5, 6, 200)}
    found |= {f"last BE {last:x} with one DW": be(one, 15, last) for last in (1, 8, 15)}
    found |= {f"BE {first:x} {last:x} with two DW": be(two, first, last) for first, last in ((0, 15), (15, 0), (0, 0))}
    for first in range(16):
        if first not in (15, 14, 12, 8):
            found[f"first BE {first:x}, 4 DW written"] = be(good, first, 15)
            found[f"first BE {first:x}, 4 DW read"] = be(read, first, 15)
    for last in range(16):
        if last not in (15, 7, 3, 1):
            found[f"last BE {last:x}, 4 DW written"] = be(good, 15, last)
            found[f"last BE {last:x}, 4 DW read"] = be(read, 15, last)
    found["write across 4 KiB"] = t.Tlp(t.MWR, 2, 0xFFC, 15, 15, data=word * 2).pack()
    found["read across 4 KiB"] = t.Tlp(t.MRD, 16, 0xFE0, 15, 15, tag=9).pack()
    found["payload above MPS"] = t.write(0x1000, bytes(516)).pack()
    found["MRd with payload"] = t.Tlp(t.MRD, 1, 0x100, 15, 0).pack() + word
    found["CplD without payload"] = t.Tlp(t.CPL, 1, tag=3, requester=0x100, data=word).pack()[:12]
    for fmt in (0x80, 0x9E, 0xA0, 0xC0, 0xE0):
        found[f"prefix {fmt:02x}"] = patched(good, 0, fmt)
    found["digest announced and absent"] = patched(one, 2, 0x80)
    return found


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def tl6_every_malformed_tlp_is_dropped_whole(dut):
    bench = await Bench.start(dut, "malformed")
    host = Host(bench)
    found = list(mutants(bench.random).items())
    bench.random.shuffle(found)
    for at in range(0, len(found), 6):
        part = found[at:at + 6]
        await dropped(bench, host, f"one of {[name for name, _ in part]}", MALFORMED,
                      *(lambda raw=raw: bench.sink.send(raw) for _, raw in part))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def tl6_tlast_early_late_and_damaged(dut):
    bench = await Bench.start(dut, "tlast")
    host = Host(bench)
    data = bytes(range(40))
    whole = t.write(0x200, data).pack()
    sends = [lambda cut=cut: bench.sink.send(whole, cut=cut) for cut in range(1, (len(whole) + 7) // 8)]
    sends += [lambda extra=extra: bench.sink.send(whole + bytes(extra)) for extra in (4, 8, 12, 64)]
    sends += [lambda: bench.sink.send(whole, damaged=True)]
    sends += [lambda: bench.sink.send(t.request(t.MRD, 0x200, 4).pack(), damaged=True)]
    await dropped(bench, host, "framing", MALFORMED, *sends)
    # A damaged completion changes nothing: the good one is taken afterwards (spec: dropped whole).
    host.holds = True
    bench.read.queue.append((2, 0x5000, 4))
    await bench.until(lambda: host.owed, 400, "MRd")
    (tag, (cpl, *_)), = host.owed.items()
    bench.sink.send(cpl.pack(), damaged=True)
    host.holds = False
    count = len(bench.read.bursts)
    await bench.until(lambda: len(bench.read.bursts) > count, 400, f"R of tag {tag}")
    assert all(response == 0 for _, response in bench.read.bursts[-1][2])


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def tl7_what_is_not_served(dut):
    bench = await Bench.start(dut, "unserved")
    host = Host(bench)
    word = bytes(4)
    asks = []
    for kind, raw in ((0x02, b""), (0x42, word), (0x04, b""), (0x44, word), (0x05, b""), (0x45, word)):
        tlp = t.Tlp(t.OTHER, 1, 0x100, 15, 0, tag=0x40 + kind)
        asks.append((tlp, bytes([kind]) + t.Tlp(t.MRD, 1, 0x100, 15, 0, tag=tlp.tag).pack()[1:] + raw, False))
    for first, last, length in ((15, 15, 2), (14, 3, 5), (8, 0, 1), (15, 1, 16), (12, 7, 32)):
        locked = t.Tlp(t.MRD, length, 0x204, first, last, tag=0x90 + length)
        asks.append((locked, bytes([0x01]) + locked.pack()[1:], True))
        missed = t.Tlp(t.MRD, length, 0x204, first, last, tag=0xC0 + length)
        asks.append((missed, missed.pack(), False))
    for tlp, raw, hits in asks:
        # A completion of an unserved request says UR; for memory requests with the count of TL5.
        host.ask(raw, tlp, hits, status=t.UR)
        await bench.until(lambda tag=tlp.tag: tag in host.answers, 400, f"UR for {raw[:1].hex()}")
    assert not bench.registers.log
    message = bytes([0x34]) + t.Tlp(t.MRD, 1, 1 << 32, 15, 0).pack()[1:]
    await dropped(bench, host, "message", None, lambda: bench.sink.send(bytes([0x30]) + message[1:], hits=False),
                  lambda: bench.sink.send(bytes([0x74]) + message[1:] + word, hits=False))
    await dropped(bench, host, "MWr to no BAR", UNSUPPORTED,
                  lambda: bench.sink.send(t.write(0x300, word).pack(), False))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def tl8_ba2_poison_digest_and_length(dut):
    bench = await Bench.start(dut, "poison")
    host = Host(bench)
    await dropped(bench, host, "EP", POISONED, lambda: bench.sink.send(t.write(0x300, bytes(8)).pack(poisoned=True)))
    for count in (17, 18, 64, 128):
        await dropped(bench, host, f"{count} DW", TOO_LONG,
                      lambda n=count: bench.sink.send(t.write(0x200, bytes(4 * n)).pack()))
    raw = bytearray(t.write(0x300, bytes([1, 2, 3, 4, 5, 6, 7, 8])).pack())
    raw[2] |= 0x80
    bench.sink.send(bytes(raw) + bytes(4))
    assert (await host.bar_read(0x300, 2)).data == bytes([1, 2, 3, 4, 5, 6, 7, 8]), "TL8: digest"
    bench.sink.send(t.write(0x310, bytes([9, 8, 7, 6])).pack(long=True))
    assert (await host.bar_read(0x310)).data == bytes([9, 8, 7, 6]), "TL2: a long header with upper half 0 is accepted"
    for count in (17, 32, 128):
        assert (await host.bar_read(0x200, count)).status == t.CA, "BA2"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def ba1_every_byte_enable_and_offset(dut):
    bench = await Bench.start(dut, "enables")
    host = Host(bench)
    random = bench.random
    words = {offset: random.getrandbits(32) for offset in range(0x400, 0x480, 4)}
    bench.registers.words = dict(words)
    shapes = [(1, first, 0) for first in range(16)]
    shapes += [(2, first, last) for first in range(1, 16) for last in (1, 6, 9, 15)]
    shapes += [(length, first, last)
               for length in (3, 4, 15, 16) for first in (15, 14, 12, 8) for last in (15, 7, 3, 1)]
    random.shuffle(shapes)
    bench.pace(source=7, sink=7, core=6)
    for length, first, last in shapes:
        offset = 0x400 + 4 * random.randrange(17)
        tlp = t.Tlp(t.MWR, length, offset, first, last, data=random.randbytes(4 * length))
        expected = []
        for i in range(length):
            strobes = first if i == 0 else last if i == length - 1 else 15
            data = int.from_bytes(tlp.data[4 * i:4 * i + 4], "little")
            mask = sum(255 << 8 * lane for lane in range(4) if strobes >> lane & 1)
            words[offset + 4 * i] = words[offset + 4 * i] & ~mask | data & mask
            if strobes:
                expected.append((offset + 4 * i, data & mask, strobes))
        log = len(bench.registers.log)
        bench.sink.send(tlp.pack(long=random.random() < 0.2))
        # TO4: the read that follows sees the write; its enables are those of the write.
        tlp = t.Tlp(t.MRD, length, offset, first, last, tag=host.tag + 1)
        host.tag = (host.tag + 1) % 200
        data = b"".join(words[offset + 4 * i].to_bytes(4, "little") for i in range(length))
        host.ask(tlp.pack(), tlp, data=data if first or length > 1 else bytes(4), status=t.SC)
        await bench.until(lambda tag=tlp.tag: tag in host.answers, 1000, f"{tlp}")
        writes = [(at, value & sum(255 << 8 * lane for lane in range(4) if strobes >> lane & 1), strobes)
                  for at, value, strobes in bench.registers.log[log:] if strobes is not None]
        assert writes == expected, f"BA1: {tlp}: {writes}, wanted {expected}"
        reads = [at for at, _, strobes in bench.registers.log[log:] if strobes is None]
        assert reads == ([offset + 4 * i for i in range(length)] if first or length > 1 else []), f"BA1: {tlp}"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def ba3_errors_of_the_registers(dut):
    bench = await Bench.start(dut, "errors")
    host = Host(bench)
    bench.registers.responses = {0x204: 3, 0x304: 2, 0x404: 2, 0x408: 3}
    for offset, count, status in ((0x200, 1, t.SC), (0x200, 2, t.UR), (0x200, 16, t.UR), (0x304, 1, t.CA),
                                  (0x300, 4, t.CA)):
        answer = await host.bar_read(offset, count)
        assert answer.status == status, f"{offset:x}: {answer}"
    before = await host.counter(REFUSED)
    host.bar_write(0x200, 1, 2, 3)
    host.bar_write(0x304, 1)
    assert await host.counter(REFUSED) == before + 2
    for offset, status in ((0x8008, t.SC), (0xC000, t.SC), (0xE000, t.SC), (0xFFFC, t.UR), (0x9000, t.UR)):
        assert (await host.bar_read(offset)).status == status, f"BA5: {offset:x}"
