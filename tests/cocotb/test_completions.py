"""Completions that a root complex under test would not send: RD3, RD5 to RD8, TL6, TL8."""
import cocotb

import tlp as t
from bench import TIMEOUT, Bench
from host import STYLES, Host, completions

OKAY, SLVERR, DECERR = 0, 2, 3
UNEXPECTED, TIMEOUTS = 5, 6


async def asked(bench, host, address=0x12340, beats=16):
    """A read whose completions the test makes: the request, and how to await R."""
    host.holds = True
    count, seen = len(bench.read.bursts), len(bench.sent)
    bench.read.queue.append((3, address, beats))
    await bench.until(lambda: len(bench.sent) > seen, 400, "MRd")
    tlp = bench.sent[seen][0]
    host.owed.pop(tlp.tag)

    async def beats_of(limit=400):
        await bench.until(lambda: len(bench.read.bursts) > count, limit, "R")
        return bench.read.bursts[count][2]
    return tlp, beats_of


def expected(host, address, beats):
    """Beats of a read of the pattern memory."""
    start = address & ~7
    return [(int.from_bytes(host.memory(at, 8), "little"), OKAY) for at in range(start, start + 8 * beats, 8)]


async def works(bench, host, address=0x44000):
    """The bridge goes on: a read of two tags, a register."""
    host.holds = False
    assert await bench.core_read(1, address, 64) == expected(host, address, 64)
    bench.registers.words[0x24] = 0x1234ABCD
    assert (await host.bar_read(0x24)).data == bytes.fromhex("cdab3412")


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def rd3_any_split_of_any_read(dut):
    bench = await Bench.start(dut, "split")
    host = Host(bench)
    for style in STYLES:
        host.styles = (style,)
        for mrrs in (128, 512):
            bench.limits(512, mrrs)
            await bench.cycles(4)
            for address, beats in ((0x1000, 64), (0x2FC3, 7), (0x3007, 1), (0x21C1, 100), (0x4FF9, 1)):
                got = await bench.core_read(2, address, beats)
                wanted = expected(host, address, beats)
                skip = 8 * (address % 8)
                assert got[0][0] >> skip == wanted[0][0] >> skip and got[1:] == wanted[1:], f"{style} {address:x}"
                assert all(response == OKAY for _, response in got)


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def rd3_tags_in_any_order(dut):
    bench = await Bench.start(dut, "tags")
    host = Host(bench, ("odd", "rcb64"))
    host.holds = True
    bench.read.queue.extend((i, 0x8000 + 0x1000 * i, 16 * (1 + i % 4)) for i in range(8))
    await bench.until(lambda: len(bench.watch.tags) == 8, 600, "8 tags")
    last = list(host.owed)[::-1]
    for tag in last:
        for tlp in host.owed.pop(tag):
            bench.sink.send(tlp.pack())
        bench.watch.forget(tag)
    await bench.until(lambda: len(bench.read.bursts) == 8, 2000, "R")
    for i, (id_, address, beats) in enumerate(bench.read.bursts):
        assert (id_, beats) == (i, expected(host, address, 16 * (1 + i % 4))), f"RD4: burst {i}"


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def rd6_status_and_poison(dut):
    bench = await Bench.start(dut, "status")
    host = Host(bench)
    for status, response in ((t.UR, DECERR), (t.CA, SLVERR), (t.CRS, SLVERR)):
        tlp, beats = await asked(bench, host)
        bench.sink.send(t.Tlp(t.CPL, 0, tag=tlp.tag, requester=tlp.requester, status=status, byte_count=128).pack())
        assert await beats() == [(0, response)] * 16, f"status {status}"
        bench.watch.forget(tlp.tag)
    tlp, beats = await asked(bench, host)
    whole = completions(bench.random, tlp, host.memory)[0]
    bench.sink.send(whole.pack(poisoned=True))
    assert await beats() == [(0, SLVERR)] * 16, "TL8: EP"
    bench.watch.forget(tlp.tag)
    # RD5: an error in the second of two pieces leaves the first one OKAY.
    host.holds = True
    bench.read.queue.append((3, 0x21C0, 16))
    await bench.until(lambda: len(bench.watch.tags) == 2, 400, "two pieces")
    good, bad = (bench.sent[-2][0], bench.sent[-1][0])
    bench.sink.send(t.Tlp(t.CPL, 0, tag=bad.tag, requester=bad.requester, status=t.UR, byte_count=64).pack())
    bench.sink.send(completions(bench.random, good, host.memory)[0].pack())
    count = len(bench.read.bursts)
    await bench.until(lambda: len(bench.read.bursts) > count, 400, "R")
    assert bench.read.bursts[-1][2] == expected(host, 0x21C0, 8) + [(0, DECERR)] * 8
    bench.watch.tags.clear()
    host.owed.clear()
    await works(bench, host)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def rd3_wrong_fields_fail_the_read(dut):
    bench = await Bench.start(dut, "fields")
    host = Host(bench)
    # Wrong field, and how many completions go before: the first of the read is checked otherwise than the later ones.
    cases = [(field, before) for before in (0, 1, 5)
             for field in ("byte_count -4", "byte_count 4", "byte_count 3000", "lower 1", "lower 4", "lower -8",
                           "payload 4")]
    for field, before in cases:
        # A tag with wrong fields stays retired (the bridge's own choice), so each case begins after a reset.
        await bench.reset()
        bench.watch.tags.clear()
        tlp, beats = await asked(bench, host)
        answers = completions(bench.random, tlp, host.memory, style="one")
        name, difference = field.split()
        bad = answers[before]
        if name == "payload":
            # More than is missing, or, with byte count as it should be, more than the request has.
            bad.length, bad.data = bad.byte_count // 4 + 1, bytes(bad.byte_count + 4)
        else:
            setattr(bad, name, getattr(bad, name) + int(difference) & (127 if name == "lower" else 4095))
        for answer in answers[:before + 1]:
            bench.sink.send(answer.pack())
        # RD5: the slot fails as a whole, and long before the timeout, which would look the same.
        assert await beats(TIMEOUT // 4) == [(0, SLVERR)] * 16, f"{field} in completion {before}"


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def rd3_unknown_tags_and_duplicates_are_counted(dut):
    bench = await Bench.start(dut, "unknown")
    host = Host(bench)
    before = await host.counter(UNEXPECTED)
    tlp, beats = await asked(bench, host)
    cpl = completions(bench.random, tlp, host.memory)[0]
    for wrong in (dict(tag=tlp.tag + 1 & 7), dict(tag=200), dict(tag=tlp.tag | 8)):
        other = t.Tlp(**{**cpl.__dict__, **wrong})
        bench.sink.send(other.pack())
    bench.sink.send(cpl.pack())
    bench.sink.send(cpl.pack())
    bench.watch.forget(tlp.tag)
    assert await beats() == expected(host, 0x12340, 16)
    host.holds = False
    assert await host.counter(UNEXPECTED) == before + 4
    await works(bench, host)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def rd7_silence_then_a_late_completion(dut):
    bench = await Bench.start(dut, "silence")
    host = Host(bench)
    silent, beats = await asked(bench, host)
    start = bench.cycle
    assert await beats(2 * TIMEOUT) == [(0, SLVERR)] * 16
    waited = bench.cycle - start
    assert TIMEOUT - 20 <= waited <= TIMEOUT * 17 // 16 + 60, f"CTO {TIMEOUT}, waited {waited}"
    host.holds = False
    assert await host.counter(TIMEOUTS) == 1
    # The tag is retired: many reads later nobody has used it; the watch would say so.
    for i in range(12):
        assert await bench.core_read(1, 0x9000 + 512 * i, 64) == expected(host, 0x9000 + 512 * i, 64)
    # Its completion comes: dropped, and the tag is free again.
    for late in completions(bench.random, silent, host.memory, style="rcb64"):
        bench.sink.send(late.pack())
    bench.watch.forget(silent.tag)
    host.holds = True
    await bench.until(lambda: not bench.sink.queue, 400, "late completions")
    await bench.cycles(8)
    bench.read.queue.extend((i, 0xA000 + 0x200 * i, 8) for i in range(8))
    await bench.until(lambda: len(bench.watch.tags) == 8, 400, "all 8 tags")
    host.holds = False
    await bench.until(lambda: len(bench.read.bursts) == 21, 2000, "R")
    assert all(burst[2] == expected(host, burst[1], 8) for burst in bench.read.bursts[-8:])


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def rd7_time_runs_while_a_read_waits_for_credit(dut):
    bench = await Bench.start(dut, "credit")
    host = Host(bench)
    dut.nonposted_ok.value = 0
    await bench.cycles(2)
    assert await bench.core_read(6, 0x5000, 8, limit=2 * TIMEOUT) == [(0, SLVERR)] * 8
    assert not bench.sent, "TO3: an MRd left without credit"
    assert await host.counter(TIMEOUTS) == 1
    # The request leaves all the same; its completion frees the tag.
    dut.nonposted_ok.value = 1
    await bench.until(bench.watch.idle, 400, "MRd")
    await bench.until(lambda: not host.owed and not bench.sink.queue, 400, "late completions")
    await bench.cycles(8)
    assert int.from_bytes((await host.bar_read(0xE000)).data, "little") & 1 == 0
    await works(bench, host)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def rd7_all_tags_retired(dut):
    bench = await Bench.start(dut, "fatal")
    host = Host(bench)
    host.holds = True
    bench.read.queue.extend((i, 0xA000 + 0x1000 * i, 8) for i in range(8))
    await bench.until(lambda: len(bench.read.bursts) == 8, 2 * TIMEOUT + 600, "8 timeouts")
    assert all(burst[2] == [(0, SLVERR)] * 8 for burst in bench.read.bursts)
    assert int(dut.fatal.value) == 1, "bridge_fatal"
    host.owed.clear()
    seen = bench.watch.seen
    assert await bench.core_read(5, 0x3000, 20, limit=100) == [(0, SLVERR)] * 20
    assert bench.watch.seen == seen, "no MRd leaves without a tag"
    bench.watch.reads.clear()
    bench.registers.words[8] = 77
    assert (await host.bar_read(8)).data[0] == 77
    assert (await host.bar_read(0xE000)).data[0] & 1 == 1
    await bench.reset()
    bench.watch.tags.clear()
    assert int(dut.fatal.value) == 0
    await works(bench, host)


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def rd8_wr4_nothing_waits_for_a_link_that_is_gone(dut):
    bench = await Bench.start(dut, "gone")
    host = Host(bench)
    for port in ("bus_master_enable", "link_up"):
        _, beats = await asked(bench, host, beats=8)
        getattr(dut, port).value = 0
        assert await beats(100) == [(0, SLVERR)] * 8, port
        bench.watch.tags.clear()
        start = bench.cycle
        assert await bench.core_read(4, 0x5000, 4, limit=60) == [(0, SLVERR)] * 4, port
        assert bench.cycle - start <= 32 + 8
        bench.watch.reads.clear()
        count, seen = len(bench.write.answers), bench.watch.seen
        bench.write.send_bytes(6, 0x6000, bytes(64))
        await bench.until(lambda n=count: len(bench.write.answers) > n, 200, "B")
        assert bench.write.answers[-1] == (6, SLVERR) and bench.watch.seen == seen, "WR4"
        getattr(dut, port).value = 1
        await bench.reset()
        host.owed.clear()
        await works(bench, host)
