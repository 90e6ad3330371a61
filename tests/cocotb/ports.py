"""Drivers of the bridge's ports: TLP streams, register file, core-side reads and writes, interrupts.

Each part looks at its signals at the rising edge, where they still hold the values of the cycle that ends, and then
drives the next cycle. `pace` is a chance in eighths to be ready or to begin something; what is offered stays until it
is taken.
"""
from collections import deque


class Part:
    """Signals of one interface of the bridge, by their short names."""

    def __init__(self, dut, random, prefix):
        self.dut, self.random, self.prefix = dut, random, prefix
        self.pace = 8
        self.driven = {}
        self.handles = {}

    def handle(self, name):
        """Port `prefix$name`."""
        if name not in self.handles:
            self.handles[name] = getattr(self.dut, f"{self.prefix}${name}" if self.prefix else name)
        return self.handles[name]

    def get(self, name):
        """Value of a port."""
        return int(self.handle(name).value)

    def word(self, name):
        """Value of a port of which some bytes may be unknown, because they do not count; those are all ones."""
        return int(str(self.handle(name).value).upper().replace("X", "1"), 2)

    def put(self, name, value):
        """Drives a port, if that changes it."""
        value = int(value)
        if self.driven.get(name) != value:
            self.driven[name] = value
            self.handle(name).value = value

    def chance(self):
        """Whether to be ready or to begin in this cycle."""
        return self.pace >= 8 or self.random.randrange(8) < self.pace


class Sink(Part):
    """TLPs to the bridge, as lists of beats (data, keep, last, user)."""

    def __init__(self, dut, random):
        super().__init__(dut, random, "sink")
        self.queue = deque()
        self.offered = False
        self.taken = 0
        self.hits = dut.bar_hit
        self.hits_now = 0
        self.hits.value = 0

    def send(self, raw, hits=True, damaged=False, cut=None):
        """Queues a TLP; `cut` ends it with tlast after so many beats."""
        beats = [(raw[i:i + 8], i + 8 >= len(raw)) for i in range(0, len(raw), 8)]
        if cut is not None:
            beats = [(data, i + 1 == cut) for i, (data, _) in enumerate(beats[:cut])]
        for data, last in beats:
            padded = bytes(data) + bytes([0xEE] * (8 - len(data)))
            keep = 255 if len(data) == 8 else 15
            self.queue.append((int.from_bytes(padded, "little"), keep, last, damaged and last, hits))

    def sample(self):
        if self.offered and self.get("tready"):
            self.taken += self.queue.popleft()[2]
            self.offered = False

    def drive(self):
        if self.queue and not self.offered and self.chance():
            data, keep, last, user, hits = self.queue[0]
            for name, value in (("tdata", data), ("tkeep", keep), ("tlast", last), ("tuser", user)):
                self.put(name, value)
            if hits != self.hits_now:
                self.hits.value, self.hits_now = int(hits), hits
            self.offered = True
        self.put("tvalid", self.offered)


class Source(Part):
    """TLPs from the bridge; each whole one goes to `deliver`."""

    def __init__(self, dut, random, deliver):
        super().__init__(dut, random, "source")
        self.deliver = deliver
        self.bytes = bytearray()
        self.gaps = 0
        self.ready = False
        self.count = 0

    def sample(self):
        valid = self.get("tvalid")
        if self.bytes and not valid:
            self.gaps += 1
        if not (valid and self.ready):
            return
        keep, last = self.get("tkeep"), self.get("tlast")
        assert keep == 255 or keep == 15 and last, f"TL9: tkeep {keep:02x}, tlast {last}"
        self.bytes += self.word("tdata").to_bytes(8, "little")[:8 if keep == 255 else 4]
        if last:
            raw, self.bytes = bytes(self.bytes), bytearray()
            self.count += 1
            self.deliver(raw)

    def drive(self):
        self.ready = self.chance()
        self.put("tready", self.ready)


class Registers(Part):
    """The core's AXI-Lite register file: one access at a time, answers after some cycles."""

    def __init__(self, dut, random):
        super().__init__(dut, random, "registers")
        self.words, self.responses, self.log = {}, {}, []
        self.answer = None
        self.accepts = None

    def sample(self):
        if self.answer and self.get({"b": "bready", "r": "rready"}[self.answer]):
            self.put(self.answer + "valid", 0)
            self.answer = None
        if self.accepts == "w":
            offset, data, strobes = self.get("awaddr"), self.get("wdata"), self.get("wstrb")
            self.log.append((offset, data, strobes))
            mask = sum(255 << 8 * i for i in range(4) if strobes >> i & 1)
            self.words[offset] = self.words.get(offset, 0) & ~mask | data & mask
            self._answer("b", offset)
        elif self.accepts == "r":
            offset = self.get("araddr")
            self.log.append((offset, None, None))
            self.put("rdata", self.words.get(offset, 0))
            self._answer("r", offset)

    def _answer(self, channel, offset):
        self.put(channel + "resp", self.responses.get(offset, 0))
        self.answer = channel
        self.put(channel + "valid", 1)

    def drive(self):
        """Offers ready only for what is valid now; valid stays, so it is taken at the next edge."""
        if self.accepts:
            for name in ("awready", "wready", "arready"):
                self.put(name, 0)
            self.accepts = None
        elif not self.answer and self.chance():
            if self.get("awvalid") and self.get("wvalid"):
                self.accepts = "w"
                self.put("awready", 1)
                self.put("wready", 1)
            elif self.get("arvalid"):
                self.accepts = "r"
                self.put("arready", 1)
        for channel in "br":
            if self.answer != channel:
                self.put(channel + "valid", 0)


class Reader(Part):
    """Core-side reads: AR bursts out of a queue, R beats into lists."""

    def __init__(self, dut, random):
        super().__init__(dut, random, "read")
        self.queue, self.waiting = deque(), deque()
        self.offered = False
        self.bursts, self.beats = [], []
        self.ready = False
        self.takes = True
        self.on_issue = lambda address, beats: None

    def sample(self):
        if self.offered and self.get("arready"):
            burst = self.queue.popleft()
            self.waiting.append(burst)
            self.offered = False
        if self.ready and self.get("rvalid"):
            assert self.waiting, "RD5: R without a burst"
            id_, address, beats = self.waiting[0]
            self.beats.append((self.word("rdata"), self.get("rresp")))
            last = self.get("rlast")
            assert self.get("rid") == id_, f"RD4: rid {self.get('rid')} for the burst of id {id_} at {address:x}"
            assert last == (len(self.beats) == beats), f"RD4, RD5: rlast {last} in beat {len(self.beats)} of {beats}"
            if last:
                self.bursts.append((id_, address, self.beats))
                self.beats = []
                self.waiting.popleft()

    def drive(self):
        if self.queue and not self.offered and self.chance():
            id_, address, beats = self.queue[0]
            self.put("arid", id_)
            self.put("araddr", address)
            self.put("arlen", beats - 1)
            self.offered = True
            self.on_issue(address, beats)
        self.put("arvalid", self.offered)
        self.ready = self.takes and self.chance()
        self.put("rready", self.ready)


class Writer(Part):
    """Core-side writes: bursts of (data, strobes); B answers as (id, response) in order."""

    def __init__(self, dut, random):
        super().__init__(dut, random, "write")
        self.queue, self.data = deque(), deque()
        self.offered = {"aw": False, "w": False}
        self.sent, self.answers = 0, []
        self.ready = False
        self.takes = True

    def send(self, id_, address, beats):
        """Queues a burst at a beat-aligned address."""
        self.queue.append((id_, address, len(beats)))
        self.sent += 1
        self.data.extend((data, strobes, i + 1 == len(beats)) for i, (data, strobes) in enumerate(beats))

    def send_bytes(self, id_, address, data):
        """Queues a burst whose strobes are these bytes; other lanes carry rubbish."""
        base = address & ~7
        beats = []
        for at in range(base, address + len(data), 8):
            lanes = [i for i in range(8) if address <= at + i < address + len(data)]
            word = bytearray([0x5A] * 8)
            for i in lanes:
                word[i] = data[at + i - address]
            beats.append((int.from_bytes(word, "little"), sum(1 << i for i in lanes)))
        self.send(id_, base, beats)

    def sample(self):
        if self.offered["aw"] and self.get("awready"):
            self.queue.popleft()
            self.offered["aw"] = False
        if self.offered["w"] and self.get("wready"):
            self.data.popleft()
            self.offered["w"] = False
        if self.ready and self.get("bvalid"):
            self.answers.append((self.get("bid"), self.get("bresp")))

    def drive(self):
        if self.queue and not self.offered["aw"] and self.chance():
            id_, address, beats = self.queue[0]
            self.put("awid", id_)
            self.put("awaddr", address)
            self.put("awlen", beats - 1)
            self.offered["aw"] = True
        if self.data and not self.offered["w"] and self.chance():
            for name, value in zip(("wdata", "wstrb", "wlast"), self.data[0]):
                self.put(name, value)
            self.offered["w"] = True
        self.put("awvalid", self.offered["aw"])
        self.put("wvalid", self.offered["w"])
        self.ready = self.takes and self.chance()
        self.put("bready", self.ready)


class Interrupts(Part):
    """Interrupt requests of the core."""

    def __init__(self, dut, random):
        super().__init__(dut, random, "")
        self.queue = deque()
        self.offered = False

    def sample(self):
        if self.offered and self.get("irq_ready"):
            self.queue.popleft()
            self.offered = False

    def drive(self):
        if self.queue and not self.offered:
            self.put("irq_vector", self.queue[0])
            self.offered = True
        self.put("irq_valid", self.offered)
