"""The vectors of section 1.6, bit by bit."""
import cocotb

import tlp as t
from bench import Bench

OKAY, SLVERR, DECERR = 0, 2, 3


def raw(text):
    """Bytes of a TLP as the specification prints it."""
    return bytes.fromhex(text)


async def sends(bench, *texts):
    """The TLPs that leave are these."""
    start = len(bench.sent)
    await bench.until(lambda: len(bench.sent) >= start + len(texts), 1500, f"TLPs {texts}")
    for (_, sent), text in zip(bench.sent[start:], texts):
        assert sent == raw(text), f"sent {sent.hex(' ', 4)}, expected {raw(text).hex(' ', 4)}"


async def asks(bench, request, answer, hits=True):
    """A request of the host and its completion."""
    tag = raw(request)[6]
    dw = raw(request)
    length = int.from_bytes(dw[2:4], "big") & 0x3FF
    kind = t.MRD if dw[0] in (0x00, 0x20) else t.OTHER
    address = int.from_bytes(dw[8:], "big")
    bench.watch.host_asks(t.Tlp(kind, length, address, dw[7] & 15, dw[7] >> 4, tag=tag))
    bench.sink.send(dw, hits)
    await sends(bench, answer)


def run_of(start, count):
    """Bytes that count up."""
    return bytes((start + i) & 255 for i in range(count))


def data_of(beats):
    """Bytes of R beats."""
    return b"".join(data.to_bytes(8, "little") for data, _ in beats)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def v1_v2_v3_v6_reads(dut):
    bench = await Bench.start(dut, "v1")
    bench.read.queue.extend([(1, 0x12345600, 8), (2, 0x100000FC0, 8), (3, 0x1005, 1)])
    await sends(bench, "00000010010000ff12345600", "20000010010001ff0000000100000fc0", "000000010100020e00001004")
    bench.sink.send(raw("4a000001000000030100020504050607"))
    bench.sink.send(raw("4a0000100000004001000000") + run_of(0, 64))
    bench.sink.send(raw("4a0000100000004001000140") + run_of(64, 64))
    await bench.until(lambda: len(bench.read.bursts) == 3, 400, "R")
    assert [burst[0] for burst in bench.read.bursts] == [1, 2, 3]
    assert data_of(bench.read.bursts[0][2] + bench.read.bursts[1][2]) == run_of(0, 128)
    assert data_of(bench.read.bursts[2][2])[5:] == bytes([5, 6, 7])
    bench.watch.tags.clear()
    bench.read.queue.append((1, 0x12345620, 8))
    await sends(bench, "00000010010000ff12345620")
    bench.sink.send(raw("4a0000080000004001000020") + run_of(0, 32))
    bench.sink.send(raw("4a0000080000002001000040") + run_of(32, 32))
    await bench.until(lambda: len(bench.read.bursts) == 4, 200, "v6")
    assert data_of(bench.read.bursts[3][2]) == run_of(0, 64)
    assert all(response == OKAY for burst in bench.read.bursts for _, response in burst[2])


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def v4_rd1_a_read_is_cut_at_mrrs(dut):
    bench = await Bench.start(dut, "v4")
    bench.read.queue.append((0, 0x21C0, 64))
    await sends(bench, "00000010010000ff000021c0", "00000070010001ff00002200")


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def v5_four_reads_below_4_gib(dut):
    bench = await Bench.start(dut, "v5")
    bench.read.queue.append((0, 0xFFFFF800, 256))
    await sends(bench, *(f"000000800100{tag:02x}ff{0xFFFFF800 + 512 * tag:08x}" for tag in range(4)))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def v7_v8_order_and_status(dut):
    bench = await Bench.start(dut, "v7")
    bench.read.queue.extend([(4, 0x6000, 1), (5, 0x7000, 1)])
    await sends(bench, "00000002010000ff00006000", "00000002010001ff00007000")
    bench.sink.send(raw("4a00000200000008010001007071727374757677"))
    bench.sink.send(raw("4a00000200000008010000006061626364656667"))
    await bench.until(lambda: len(bench.read.bursts) == 2, 200, "v7")
    assert [burst[:2] for burst in bench.read.bursts] == [(4, 0x6000), (5, 0x7000)]
    assert data_of(bench.read.bursts[0][2] + bench.read.bursts[1][2]) == run_of(0x60, 8) + run_of(0x70, 8)
    for text, response in (("0a0000000000204001000000", DECERR), ("0a0000000000804001000000", SLVERR)):
        bench.watch.tags.clear()
        bench.read.queue.append((0, 0x8000, 8))
        await sends(bench, "00000010010000ff00008000")
        bench.sink.send(raw(text))
        count = len(bench.read.bursts)
        await bench.until(lambda n=count: len(bench.read.bursts) > n, 200, "v8")
        assert bench.read.bursts[-1][2] == [(0, response)] * 8


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def v9_to_v13_writes_of_one_tlp(dut):
    bench = await Bench.start(dut, "v9")
    for address, data, text in (
            (0x2000, run_of(0, 16), "40000004010000ff00002000000102030405060708090a0b0c0d0e0f"),
            (0x3003, run_of(3, 13), "40000004010000f800003000000000030405060708090a0b0c0d0e0f"),
            (0x4001, run_of(1, 2), "40000001010000060000400000010200"),
            (0x5006, run_of(6, 4), "400000020100003c000050040000060708090000"),
            (0x1000000FF8, run_of(0xF8, 8), "60000002010000ff0000001000000ff8f8f9fafbfcfdfeff")):
        bench.core_write(1, address, data)
        await sends(bench, text)
    await bench.until(lambda: len(bench.write.answers) == 5, 100, "B")
    assert bench.write.answers == [(1, OKAY)] * 5


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def v14_v15_wr1_wr3_writes_are_cut_at_mps(dut):
    bench = await Bench.start(dut, "v14")
    data = run_of(0, 2048)
    bench.core_write(2, 0x100000000, data)
    await sends(bench, *(f"60000080010000ff00000001{at:08x}{data[at:at + 512].hex()}" for at in range(0, 2048, 512)))
    await bench.cycles(40)
    assert bench.write.answers == [(2, OKAY)]
    data = run_of(7, 512)
    bench.core_write(3, 0x21C0, data)
    await sends(bench, "40000010010000ff000021c0" + data[:64].hex(), "40000070010000ff00002200" + data[64:].hex())
    await bench.until(lambda: len(bench.write.answers) == 2, 100, "B")
    assert bench.source.gaps == 0, "TL9: a bubble inside a TLP"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def v16_interrupt(dut):
    bench = await Bench.start(dut, "v16")
    table = (0xFEE00000, 0, 5, 0)
    bench.sink.send(t.write(0x8050, b"".join(word.to_bytes(4, "little") for word in table)).pack())
    await bench.until(lambda: bench.sink.taken == 1, 100, "MSI-X table")
    await bench.cycles(60)
    bench.watch.expect_message(0xFEE00000, bytes([5, 0, 0, 0]))
    bench.irq.queue.append(5)
    await sends(bench, "400000010100000ffee0000005000000")


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def v17_to_v26_register_accesses(dut):
    bench = await Bench.start(dut, "v17")
    bench.sink.send(raw("400000010000000fe0000100efbeadde"))
    bench.sink.send(raw("400000010000000ce00001000000aabb"))
    await bench.until(lambda: len(bench.registers.log) == 2, 200, "v17, v18")
    assert bench.registers.log[0] == (0x0100, 0xDEADBEEF, 15), bench.registers.log
    assert bench.registers.log[1] == (0x0100, 0xBBAA0000, 12), bench.registers.log
    bench.registers.words = {4: 0x00010002, 8: 0x11223344, 12: 0x55667788, 0x40: 7}
    bench.registers.log.clear()
    await asks(bench, "000000010000110fe0000004", "4a000001010000040000110402000100")
    await asks(bench, "00000002000012ffe0000008", "4a00000201000008000012084433221188776655")
    await asks(bench, "0000000100001302e0000004", "4a000001010000010000130502000100")
    assert len(bench.registers.log) == 4
    await asks(bench, "0000000100001400e0000000", "4a000001010000010000140000000000")
    await asks(bench, "000000010000150fe000fffc", "0a000000010020040000157c")
    await asks(bench, "00000020000016ffe0000000", "0a0000000100808000001600")
    await asks(bench, "020000010000170f00001000", "0a0000000100200400001700", hits=False)
    assert len(bench.registers.log) == 4, "v22 to v25 reach no register of the core"
    await asks(bench, "200000010000180f0000008000000040", "4a000001010000040000184007000000")
