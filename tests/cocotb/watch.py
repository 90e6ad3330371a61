"""What the device may send next, from what core and host asked of it: RD1, RD2, WR1, TL5, BA1 to BA3, TL7."""
from collections import deque

import tlp as t
from tlp import require


class Watch:
    """Checks every TLP that leaves the device, in order."""

    def __init__(self, device=0x0100, mps=512, mrrs=512):
        self.device, self.mps, self.mrrs = device, mps, mrrs
        self.reads = deque()
        self.writes = deque()
        self.messages = {}
        self.tags = {}
        self.asked = {}
        self.seen = 0

    def core_reads(self, address, beats):
        """An AR burst: its pieces will be asked for, in order (RD1)."""
        self.reads.extend(t.pieces(address, (address & ~7) + 8 * beats, self.mrrs))

    def core_writes(self, address, data):
        """A burst whose strobes are one run of bytes (WR1)."""
        for at, count in t.pieces(address, address + len(data), self.mps):
            self.writes.append((at, data[at - address:at - address + count]))

    def expect_message(self, address, data):
        """One interrupt (IR1)."""
        self.messages[address, data] = self.messages.get((address, data), 0) + 1

    def host_asks(self, tlp, **answer):
        """A non-posted request of the host; `answer` holds the fields that its completion must have."""
        require(tlp.tag not in self.asked, "test", f"tag {tlp.tag} of the host is in use")
        self.asked[tlp.tag] = tlp, answer

    def forget(self, tag):
        """The host has sent all that it owes for a tag (RD2, RD7)."""
        self.tags.pop(tag, None)

    def sent(self, raw):
        """Judges a TLP and returns it."""
        tlp = t.check(raw, self.device, self.mps, self.mrrs)
        self.seen += 1
        {t.MRD: self._read, t.MWR: self._write, t.CPL: self._completion}[tlp.kind](tlp)
        return tlp

    def _read(self, tlp):
        require(tlp.tag < 8 and tlp.tag not in self.tags, "RD2", f"tag {tlp.tag} is in use")
        require(self.reads, "RD1", f"nobody asked for {tlp}")
        at, count = self.reads.popleft()
        wanted = t.request(t.MRD, at, count, requester=self.device, tag=tlp.tag)
        require(tlp == wanted, "RD1", f"{tlp} instead of {wanted}")
        self.tags[tlp.tag] = tlp

    def _write(self, tlp):
        message = tlp.address, tlp.data
        if self.messages.get(message):
            require((tlp.length, tlp.first, tlp.last, tlp.tag) == (1, 15, 0, 0), "IR1", f"{tlp}")
            self.messages[message] -= 1
            return
        require(self.writes, "WR1", f"nobody wrote {tlp}")
        at, data = self.writes.popleft()
        wanted = t.write(at, data, requester=self.device, tag=tlp.tag)
        require((tlp.length, tlp.address) == (wanted.length, wanted.address), "WR1", f"{tlp} instead of {wanted}")
        require((tlp.first, tlp.last) == (wanted.first, wanted.last), "WR1", f"enables of {tlp}, wanted {wanted}")
        require(all(tlp.data[i] == wanted.data[i] for i in tlp.enabled()), "WR1", f"data of {tlp}, wanted {wanted}")

    def _completion(self, tlp):
        require(tlp.tag in self.asked, "TL7", f"nobody waits for {tlp}")
        asked, answer = self.asked.pop(tlp.tag)
        require(tlp.requester == asked.requester, "1.1", f"{tlp} answers {asked}")
        memory = asked.kind == t.MRD
        count, lower = (t.byte_count(asked), t.lower_address(asked)) if memory else (4, 0)
        fields = tlp.byte_count, tlp.lower
        require(fields == (count, lower), "TL5", f"{tlp} answers {asked}, wanted {count}, {lower:x}")
        require(len(tlp.data) <= 64 and (not tlp.data or tlp.length == asked.length), "BA3", f"{tlp}")
        for name, value in answer.items():
            require(getattr(tlp, name) == value, "BA1", f"{name} of {tlp}, wanted {value!r}")

    def idle(self):
        """Nothing is owed any more."""
        return not (self.reads or self.writes or self.asked or any(self.messages.values()))
