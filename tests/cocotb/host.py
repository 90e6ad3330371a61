"""A host built on tlp.py alone: memory, registers, completions in every order and split that the rules allow."""
import tlp as t

STYLES = ("whole", "rcb64", "rcb128", "one", "odd")


def split(random, tlp, style):
    """Bytes of each completion of a read: its DW cut in one of the allowed ways."""
    at, end = tlp.address, tlp.address + 4 * tlp.length
    parts = []
    while at < end:
        if style == "whole":
            cut = end
        elif style == "one":
            cut = at + 4
        elif style == "odd":
            cut = at + 4 * random.randint(1, 40)
        else:
            boundary = int(style[3:])
            cut = (at // boundary + random.randint(1, 3)) * boundary
        cut = min(cut, end)
        parts.append((at, cut))
        at = cut
    return parts


def completions(random, tlp, memory, mps=512, style="whole"):
    """Completions of a read in address order, each with the byte count and lower address that TL5 gives."""
    enabled = tlp.enabled()
    total = t.byte_count(tlp)
    first = tlp.address + (enabled[0] if enabled else 0)
    answers = []
    for start, end in split(random, tlp, style):
        for at, count in t.pieces(start, end, mps):
            byte = max(at, first)
            answers.append(t.Tlp(
                t.CPL, count // 4, requester=tlp.requester, tag=tlp.tag, byte_count=total - (byte - first),
                lower=byte & 127, data=memory(at, count)))
    return answers


class Host:
    """Takes what the device sends and answers it."""

    def __init__(self, bench, styles=STYLES):
        self.bench, self.random, self.styles = bench, bench.random, styles
        self.bytes = {}
        self.owed = {}
        self.answers = {}
        self.messages = []
        self.slow = 0
        self.tag = 0
        self.holds = False
        bench.on_tlp = self.take
        bench.each_cycle.append(self.step)

    def fill(self, address, data):
        """Writes host memory."""
        for i, byte in enumerate(data):
            self.bytes[address + i] = byte

    def memory(self, address, count):
        """Reads host memory; what nobody wrote is a pattern."""
        return bytes(self.bytes.get(at, at * 37 >> 3 & 255) for at in range(address, address + count))

    def take(self, tlp, raw):
        """A TLP of the device. Memory is written and read when a request comes, so that order is visible (TO2)."""
        if tlp.kind == t.MWR:
            if tlp.address >> 20 == 0xFEE:
                self.messages.append((tlp.address, tlp.data))
            for offset in tlp.enabled():
                self.bytes[tlp.address + offset] = tlp.data[offset]
        elif tlp.kind == t.MRD:
            style = self.random.choice(self.styles)
            self.owed[tlp.tag] = completions(self.random, tlp, self.memory, self.bench.watch.mps, style)
        else:
            self.answers[tlp.tag] = tlp

    def step(self):
        """Sends at most one completion: of any tag, but of one tag in address order (RD3)."""
        if self.holds or not self.owed or len(self.bench.sink.queue) > 64 or self.random.randrange(8) < self.slow:
            return
        tag = self.random.choice(sorted(self.owed))
        self.bench.sink.send(self.owed[tag].pop(0).pack())
        if not self.owed[tag]:
            del self.owed[tag]
            self.bench.watch.forget(tag)

    def ask(self, raw, tlp, hits=True, **answer):
        """Sends a request that will be answered."""
        self.answers.pop(tlp.tag, None)
        self.bench.watch.host_asks(tlp, **answer)
        self.bench.sink.send(raw, hits)

    async def bar_read(self, offset, count=1, **fields):
        """Reads DW of BAR0 and returns the completion."""
        self.tag = self.tag % 200 + 1
        tlp = t.Tlp(t.MRD, count, offset, 15, 15 if count > 1 else 0, tag=self.tag, **fields)
        self.ask(tlp.pack(), tlp)
        await self.bench.until(lambda: tlp.tag in self.answers, 6000, f"BAR read of {offset:x}")
        return self.answers[tlp.tag]

    def bar_write(self, offset, *words):
        """Writes DW of BAR0."""
        data = b"".join(word.to_bytes(4, "little") for word in words)
        self.bench.sink.send(t.write(offset, data).pack())

    async def counter(self, number):
        """A counter of the bridge (BA5)."""
        return int.from_bytes((await self.bar_read(0xE004 + 4 * number)).data, "little")
