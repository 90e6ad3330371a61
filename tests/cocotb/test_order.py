"""Order and deadlock: TO1 to TO4, WR1 to WR3, IR1, IR2, BA4."""
import cocotb

import tlp as t
from bench import Bench
from host import Host

OKAY, SLVERR = 0, 2
HOLES = 7


async def table(bench, host, count, masked=0):
    """MSI-X vectors with an address and a number each."""
    for i in range(count):
        host.bar_write(0x8000 + 16 * i, 0xFEE00000 + 16 * i, 0, 0x100 + i, masked)
    await host.bar_read(0x8000)


def message(number):
    """What the host gets of a vector."""
    return 0xFEE00000 + 16 * number, (0x100 + number).to_bytes(4, "little")


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def wr3_no_b_before_the_last_beat(dut):
    bench = await Bench.start(dut, "b")
    host = Host(bench)
    for count in (8, 100, 512, 2048):
        data = bench.random.randbytes(count)
        place = bench.core_write(count % 16, 0x40000, data)
        last = bench.write.data.pop()
        await bench.cycles(count // 8 + 80)
        assert len(bench.write.answers) == place, f"WR3: B before the last of {count} bytes was there"
        bench.write.data.append(last)
        assert await bench.answer(place) == (count % 16, OKAY)
        await bench.until(bench.watch.idle, 400, "MWr")
        assert host.memory(0x40000, count) == data
    # The host takes nothing: B comes for what has found room, and for nothing more.
    bench.source.pace = 0
    places = [bench.core_write(1, 0x50000 + 512 * i, bench.random.randbytes(512)) for i in range(24)]
    await bench.cycles(24 * 64 + 400)
    given = len(bench.write.answers) - places[0]
    assert 1 <= given < 20, f"WR3: B for {given} of 24 writes, none of which can leave"
    bench.source.pace = 8
    await bench.answer(places[-1])
    await bench.until(bench.watch.idle, 3000, "MWr")


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def to1_answers_and_interrupts_stay_behind_the_data(dut):
    bench = await Bench.start(dut, "to1")
    host = Host(bench)
    await table(bench, host, 2)
    writes = []
    taken = host.take

    def in_memory(count, what):
        for address, data in writes[:count]:
            assert host.memory(address, len(data)) == data, f"TO1: {what} passed the write to {address:x}"

    def take(tlp, raw):
        taken(tlp, raw)
        if tlp.kind == t.CPL and tlp.tag == 250:
            in_memory(int.from_bytes(tlp.data, "little"), "a completion")
        elif tlp.kind == t.MWR and tlp.address >> 20 == 0xFEE:
            in_memory(raised.pop(0), "an interrupt")
    bench.on_tlp = take
    raised = []
    asked = t.Tlp(t.MRD, 1, 0x10, 15, 0, tag=250)

    def each():
        """The register counts the B answers; the host reads it all the time, an interrupt follows every new B."""
        done = len(bench.write.answers)
        if done > bench.registers.words.get(0x10, 0) and not bench.irq.queue and not raised:
            raised.append(done)
            bench.watch.expect_message(*message(done % 2))
            bench.irq.queue.append(done % 2)
        bench.registers.words[0x10] = done
        if asked.tag not in bench.watch.asked:
            host.ask(asked.pack(), asked)
    bench.each_cycle.append(each)
    for source in (8, 4, 1):
        bench.pace(source=source)
        for _ in range(25):
            count = bench.random.choice((1, 8, 64, 300, 512, 1500))
            data = bench.random.randbytes(count)
            address = 0x100000 + 4096 * len(writes)
            writes.append((address, data))
            bench.core_write(len(writes) % 16, address, data)
        await bench.answer(len(writes) - 1, 60000)
    await bench.until(lambda: not bench.watch.writes, 20000, "MWr")
    in_memory(len(writes), "nothing")


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def to2_a_read_after_b_sees_the_write(dut):
    bench = await Bench.start(dut, "to2")
    host = Host(bench)
    for source in (8, 3, 1):
        bench.pace(source=source)
        for i in range(12):
            # Writes ahead of it fill the FIFO; the read begins in the cycle after B.
            for ahead in range(bench.random.randrange(4)):
                bench.core_write(9, 0x80000 + 512 * ahead, bench.random.randbytes(bench.random.choice((8, 512))))
            data = bench.random.randbytes(bench.random.choice((8, 64, 512)))
            await bench.answer(bench.core_write(i % 16, 0x70000, data), 20000)
            beats = await bench.core_read(3, 0x70000, len(data) // 8, 20000)
            assert b"".join(word.to_bytes(8, "little") for word, _ in beats) == data, "TO2: the read passed the write"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def to3_nothing_waits_for_a_read_without_credit(dut):
    bench = await Bench.start(dut, "to3")
    host = Host(bench)
    dut.nonposted_ok.value = 0
    await bench.cycles(4)
    seen = len(bench.sent)
    bench.read.queue.extend((i, 0x30000 + 0x1000 * i, 100) for i in range(6))
    await table(bench, host, 1)
    for i in range(20):
        await bench.answer(bench.core_write(i % 16, 0x60000 + 512 * i, bench.random.randbytes(512)))
        bench.registers.words[4] = i
        assert (await host.bar_read(4)).data[0] == i
    bench.watch.expect_message(*message(0))
    bench.irq.queue.append(0)
    await bench.until(lambda: host.messages, 400, "interrupt")
    assert all(tlp.kind != t.MRD for tlp, _ in bench.sent[seen:]), "TO3: an MRd left without credit"
    # One at a time.
    while len(bench.read.bursts) < 6:
        reads = len(bench.watch.reads)
        dut.nonposted_ok.value = 1
        await bench.until(lambda n=reads: len(bench.watch.reads) != n or len(bench.read.bursts) == 6, 2000, "MRd")
        dut.nonposted_ok.value = 0
        await bench.cycles(bench.random.randrange(40))
    assert all(data == int.from_bytes(host.memory(burst[1] + 8 * i, 8), "little") and response == OKAY
               for burst in bench.read.bursts for i, (data, response) in enumerate(burst[2]))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def to4_writes_and_completions_pass_reads_that_cannot_be_answered(dut):
    bench = await Bench.start(dut, "to4")
    host = Host(bench, ("rcb64",))
    host.holds = True
    bench.read.queue.extend((i, 0x30000 + 0x1000 * i, 64) for i in range(4))
    await bench.until(lambda: len(host.owed) == 4, 400, "MRd")
    bench.source.pace = 0
    more, tag = 5, 0
    # A host goes on while there is room, and five more may be under way when it is told that there is none.
    while more and tag < 200:
        tlp = t.Tlp(t.MRD, 16, 0x100, 15, 15, tag=tag)
        tag += 1
        host.ask(tlp.pack(), tlp)
        more -= not int(dut.nonposted_room.value)
        await bench.cycles(12)
    assert tag < 200, "nonposted_room never falls"
    host.holds = False
    log = len(bench.registers.log)
    for i in range(40):
        host.bar_write(0x200 + 4 * i, i)
    await bench.until(lambda: len(bench.read.bursts) == 4, 3000, "R behind reads that cannot be answered")

    def written():
        return sum(strobes is not None for _, _, strobes in bench.registers.log[log:])
    await bench.until(lambda: written() == 40, 3000, "register writes behind them")
    bench.source.pace = 8
    await bench.until(bench.watch.idle, 6000, "answers")


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def ba4_registers_and_interrupts_work_while_the_core_is_stuck(dut):
    bench = await Bench.start(dut, "stuck")
    host = Host(bench)
    await table(bench, host, 1)
    # R and B are never taken, the last W beat of a burst never comes.
    bench.read.takes = False
    bench.write.takes = False
    bench.read.queue.extend((i, 0x30000 + 0x1000 * i, 256) for i in range(8))
    for i in range(8):
        bench.core_write(i, 0x60000 + 4096 * i, bench.random.randbytes(1024))
    bench.write.data.pop()
    await bench.cycles(1500)
    for i in range(60):
        host.bar_write(0x40, i)
        assert (await host.bar_read(0x40)).data[0] == i, "BA4"
    for i in range(4):
        bench.watch.expect_message(*message(0))
        bench.irq.queue.append(0)
        await bench.until(lambda n=i: len(host.messages) > n, 400, "interrupt")


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def wr1_wr2_runs_holes_and_empty_bursts(dut):
    bench = await Bench.start(dut, "strobes")
    host = Host(bench)
    word = 0x1122334455667788
    bench.write.send(1, 0x9000, [(word, 0)] * 5)
    assert await bench.answer(0) == (1, OKAY)
    # Empty leading and trailing beats are trimmed.
    bench.watch.core_writes(0x9013, word.to_bytes(8, "little")[3:] + word.to_bytes(8, "little")[:2])
    bench.write.send(2, 0x9000, [(word, 0), (word, 0), (word, 0xF8), (word, 3), (word, 0)])
    assert await bench.answer(1) == (2, OKAY)
    await bench.until(bench.watch.idle, 200, "MWr")
    seen = bench.watch.seen
    holes = ([(word, 5)], [(word, 255), (word, 254)], [(word, 127), (word, 255)],
             [(word, 1), (word, 0), (word, 1)], [(word, 0xC3)])
    for i, beats in enumerate(holes):
        bench.write.send(3, 0xA000, beats)
        assert await bench.answer(2 + i) == (3, SLVERR), f"WR2: {beats}"
        await bench.cycles(60)
    assert bench.watch.seen == seen, "WR2: something of the burst was sent"
    assert await host.counter(HOLES) == len(holes)
    await bench.answer(bench.core_write(4, 0xB001, bytes(range(60))))
    assert (await host.bar_read(0)).status == t.SC
    assert host.memory(0xB001, 60) == bytes(range(60))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def ir2_a_masked_interrupt_waits(dut):
    bench = await Bench.start(dut, "masked")
    host = Host(bench)
    await table(bench, host, 32, masked=1)
    for vector in (3, 3, 31):
        bench.irq.queue.append(vector)
    await bench.until(lambda: not bench.irq.queue, 400, "irq_ready")
    await bench.cycles(100)
    assert not host.messages, "IR2: sent while masked"
    assert int.from_bytes((await host.bar_read(0xC000)).data, "little") == 1 << 3 | 1 << 31
    for vector in (3, 31):
        bench.watch.expect_message(*message(vector))
        host.bar_write(0x800C + 16 * vector, 0)
        await bench.until(bench.watch.idle, 400, "unmasked interrupt")
    await bench.cycles(200)
    assert len(host.messages) == 2, "IR2: sent once"
    assert int.from_bytes((await host.bar_read(0xC000)).data, "little") == 0
