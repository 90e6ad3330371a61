"""cocotbext-pcie's root complex as the host. Every TLP of the bridge also passes the watch."""
import cocotb
from cocotb.triggers import with_timeout
from cocotbext.pcie.core import RootComplex

from bench import Bench
from shim import BAR_SIZE, BridgeFunction

OKAY, DECERR = 0, 3
REGION = 1 << 16


async def plug(dut, name, mps=2, mrrs=2, every_rcb=False):
    """A bridge that the root complex has enumerated: bench, root complex, BAR0."""
    bench = await Bench.start(dut, name)
    dut.bus_master_enable.value = 0
    function = BridgeFunction(bench)
    root = RootComplex()
    root.max_payload_size, root.max_read_request_size, root.split_on_all_rcb = mps, mrrs, every_rcb
    root.make_port().connect(function.device)
    await root.enumerate(timeout=100_000)
    found = root.find_device(function.pcie_id)
    assert found is not None, "the function was not found"
    await found.enable_device()
    await found.set_master()
    await found.set_readrq(mrrs)
    assert found.bar_size[0] == BAR_SIZE
    await bench.cycles(4)
    assert (bench.watch.mps, bench.watch.mrrs) == (128 << mps, 128 << mrrs)
    return bench, root, found.bar_window[0], function


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def registers_are_written_and_read(dut):
    bench, _, bar, _ = await plug(dut, "registers")
    random = bench.random
    content = {}
    for _ in range(60):
        # At most 16 DW (BA2), wherever they begin.
        count = random.randint(1, 61)
        offset = random.randrange(0, 0x400 - count)
        if random.random() < 0.5:
            data = random.randbytes(count)
            await bar.write(offset, data)
            content.update(enumerate(data, offset))
        else:
            data = await with_timeout(bar.read(offset, count), 200, "us")
            assert bytes(data) == bytes(content.get(at, 0) for at in range(offset, offset + count)), f"at {offset:x}"
    # Writes are posted; a read that returns says that they have arrived (TO4).
    await with_timeout(bar.read(0, 4), 200, "us")
    words = bench.registers.words
    for offset, byte in content.items():
        assert words[offset & ~3] >> 8 * (offset % 4) & 255 == byte, f"register at {offset:x}"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def interrupts_arrive_and_stay_behind_the_data(dut):
    bench, root, bar, _ = await plug(dut, "interrupts")
    base, memory = root.alloc_region(4096)
    vectors = root.msi_alloc_vectors(4)
    for number, vector in enumerate(vectors):
        for offset, word in ((0, vector.addr & 0xFFFFFFFF), (4, vector.addr >> 32), (8, vector.data), (12, 0)):
            await bar.write_dword(0x8000 + 16 * number + offset, word)
    # The read follows the posted writes (TO4), so the table stands when it returns.
    assert await with_timeout(bar.read_dword(0x8000 + 16 * 3 + 8), 200, "us") == vectors[3].data
    for number, vector in enumerate(vectors):
        vector.event.clear()
        data = bench.random.randbytes(64)
        bench.core_write(0, base + 64 * number, data)
        await bench.until(lambda n=number: len(bench.write.answers) > n, 400, "B")
        bench.watch.expect_message(vector.addr, vector.data.to_bytes(4, "little"))
        bench.irq.queue.append(number)
        await with_timeout(vector.event.wait(), 200, "us")
        assert memory[64 * number:64 * number + 64] == data, "TO1: the interrupt came before the data"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def reads_of_no_memory_are_decerr(dut):
    bench, root, _, _ = await plug(dut, "nowhere")
    assert await bench.core_read(3, 0x7000_0000_0000, 16, limit=2000) == [(0, DECERR)] * 16
    base, memory = root.alloc_region(4096)
    memory[0:8] = b"somewher"
    assert await bench.core_read(3, base, 1, limit=2000) == [(int.from_bytes(b"somewher", "little"), OKAY)]


async def traffic(bench, root, bar, operations):
    """Random reads and writes of the core in parts of memory of their own, register accesses between them."""
    random = bench.random
    base, memory = root.alloc_region(REGION)
    shadow = bytearray(random.randbytes(REGION))
    memory[0:REGION] = bytes(shadow)
    registers = {}
    expected = []
    half = REGION // 2
    written = 0
    for _ in range(operations):
        kind = random.randrange(8)
        beats = random.choice((1, 2, 3, 16, 64, 65, 128, random.randint(1, 256)))
        if kind < 3:
            # Reads in the half that nobody writes.
            page = random.randrange(half // 4096) * 4096
            at = random.randrange(0, 4096 - 8 * beats + 8, 8) if beats < 512 else 0
            at = page + min(at, 4096 - 8 * beats)
            at += random.choice((0, 0, random.randrange(8)))
            bench.read.queue.append((len(expected) % 16, base + at, beats))
            expected.append((at, beats))
        elif kind < 6:
            count = max(1, 8 * beats - random.choice((0, random.randrange(8))))
            at = half + random.randrange(half // 4096) * 4096
            at += min(random.randrange(4096), 4096 - count)
            data = random.randbytes(count)
            shadow[at:at + count] = data
            bench.core_write(written % 16, base + at, data)
            written += 1
        else:
            offset = 4 * random.randrange(256)
            value = registers.get(offset)
            if value is None or random.random() < 0.5:
                registers[offset] = random.getrandbits(32)
                await bar.write_dword(offset, registers[offset])
            else:
                assert await with_timeout(bar.read_dword(offset), 400, "us") == value, f"register {offset:x}"
    await bench.until(lambda: len(bench.read.bursts) == len(expected) and len(bench.write.answers) == written,
                      20000, "end of the traffic")
    # A register read that returned says that all committed data is in memory (TO1).
    await with_timeout(bar.read_dword(0), 400, "us")
    assert memory[0:REGION] == bytes(shadow), "WR1: memory differs"
    assert all(response == OKAY for _, response in bench.write.answers)
    for (_, _, beats), (at, count) in zip(bench.read.bursts, expected):
        start = at & ~7
        for i, (data, response) in enumerate(beats):
            wanted = bytes(shadow[start + 8 * i:start + 8 * i + 8])
            skip = at % 8 if i == 0 else 0
            assert response == OKAY and data.to_bytes(8, "little")[skip:] == wanted[skip:], f"read at {at:x}, beat {i}"
        assert len(beats) == count
    assert bench.watch.idle(), "something is owed"


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def random_traffic_at_512_bytes(dut):
    bench, root, bar, _ = await plug(dut, "traffic 512")
    bench.pace(source=7, sink=7, core=6)
    await traffic(bench, root, bar, 80)


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def random_traffic_at_128_bytes_with_completions_at_every_rcb(dut):
    bench, root, bar, _ = await plug(dut, "traffic 128", 0, 0, every_rcb=True)
    bench.pace(source=5, sink=6, core=5)
    await traffic(bench, root, bar, 50)
