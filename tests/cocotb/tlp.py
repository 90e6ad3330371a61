"""Builder, parser and checker of TLPs, written from section 1.1 of the host-link specification and from nothing else.

It shares no line with the hardware, with the model in its unit tests or with cocotbext-pcie. `Broken` carries the rule.
"""
import struct
from dataclasses import dataclass

MRD, MWR, CPL, OTHER = "MRd", "MWr", "Cpl", "other"
SC, UR, CRS, CA = 0, 1, 2, 4


class Broken(AssertionError):
    """A TLP that breaks a rule."""


def require(holds, rule, what):
    if not holds:
        raise Broken(f"{rule}: {what}")


@dataclass
class Tlp:
    """Fields of the table in section 1.1; `length` in DW, `byte_count` in bytes, both never 0."""
    kind: str
    length: int = 1
    address: int = 0
    first: int = 0
    last: int = 0
    requester: int = 0
    tag: int = 0
    completer: int = 0
    status: int = SC
    byte_count: int = 4
    lower: int = 0
    data: bytes = b""

    def pack(self, poisoned=False, long=False):
        """Bytes on the wire; `long` forces the 4-DW header (TL2 forbids it, receivers take it)."""
        words = [self.length % 1024 | poisoned << 14]
        if self.kind == CPL:
            words[0] |= 0x4A000000 if self.data else 0x0A000000
            if not self.data:
                words[0] &= ~0x3FF
            words += [self.completer << 16 | self.status << 13 | self.byte_count % 4096]
            words += [self.requester << 16 | self.tag << 8 | self.lower]
        else:
            long = long or self.address >> 32 != 0
            words[0] |= (0x40 if self.kind == MWR else 0) << 24 | (0x20 if long else 0) << 24
            words += [self.requester << 16 | self.tag << 8 | self.last << 4 | self.first]
            words += [self.address >> 32] if long else []
            words += [self.address & 0xFFFFFFFF]
        return struct.pack(f">{len(words)}I", *words) + bytes(self.data)

    def enabled(self):
        """Offsets from `address` of the enabled bytes."""
        def mask(dw):
            return self.first if dw == 0 else self.last if dw == self.length - 1 else 15
        return [byte for byte in range(4 * self.length) if mask(byte // 4) >> byte % 4 & 1]


def request(kind, address, count, **fields):
    """The request for `count` bytes from any byte address on."""
    start, end = address & ~3, address + count
    length = (end - start + 3) // 4
    first, last = 15 << address % 4 & 15, 15 >> -end % 4
    if length == 1:
        first, last = first & last, 0
    return Tlp(kind, length, start, first, last, **fields)


def write(address, data, **fields):
    """The memory write of a run of bytes; the bytes around it are 0."""
    tlp = request(MWR, address, len(data), **fields)
    padded = bytes(address % 4) + bytes(data)
    tlp.data = padded + bytes(4 * tlp.length - len(padded))
    return tlp


def byte_count(tlp):
    """TL5: byte count that the first completion of a read carries."""
    bytes_ = tlp.enabled()
    return bytes_[-1] - bytes_[0] + 1 if bytes_ else 1


def lower_address(tlp):
    """TL5: lower address of the first completion."""
    lane = next((lane for lane in range(4) if tlp.first >> lane & 1), 0)
    return (tlp.address & 0x7C) + lane


def parse(raw):
    """A TLP of one of the kinds that a device may send; TL1 and the framing."""
    raw = bytes(raw)
    require(len(raw) >= 12 and len(raw) % 4 == 0, "TL6", f"{len(raw)} bytes")
    dw0, dw1, dw2 = struct.unpack(">3I", raw[:12])
    kind = {0x00: MRD, 0x20: MRD, 0x40: MWR, 0x60: MWR, 0x0A: CPL, 0x4A: CPL}.get(dw0 >> 24, OTHER)
    require(kind != OTHER, "1.1", f"fmt and type {dw0 >> 24:02x}")
    require(dw0 & 0x00FFFC00 == 0, "TL1", f"TC, Attr, TD, EP, AT, TH or reserved bits in {dw0:08x}")
    long, has_data = dw0 >> 29 & 1, dw0 >> 30 & 1
    payload = raw[12 + 4 * long:]
    length = dw0 & 0x3FF or 1024
    if kind == CPL and not has_data:
        require(dw0 & 0x3FF == 0 and not payload, "TL6", "a completion without data has a length")
        length = 0
    require(len(payload) == (4 * length if has_data else 0), "TL6", f"{len(payload)} bytes, length {length}")
    if kind == CPL:
        require(dw1 >> 12 & 1 == 0 and dw2 >> 7 & 1 == 0, "TL1", "BCM or a reserved bit of a completion")
        return Tlp(kind, length, requester=dw2 >> 16, tag=dw2 >> 8 & 255, completer=dw1 >> 16, status=dw1 >> 13 & 7,
                   byte_count=dw1 & 0xFFF or 4096, lower=dw2 & 127, data=payload)
    address = dw2 << 32 | struct.unpack(">I", raw[12:16])[0] if long else dw2
    require(address & 3 == 0, "1.1", f"address {address:x}")
    require(long == (address >> 32 != 0), "TL2", f"{3 + long}-DW header for address {address:x}")
    return Tlp(kind, length, address, dw1 & 15, dw1 >> 4 & 15, dw1 >> 16, dw1 >> 8 & 255, data=payload)


def check(raw, device, mps, mrrs):
    """A TLP that the device sent, judged by itself: TL1 to TL4 and IR3."""
    tlp = parse(raw)
    require((tlp.completer if tlp.kind == CPL else tlp.requester) == device, "IR3", f"{tlp}")
    if tlp.kind == CPL:
        require((tlp.status == SC) == bool(tlp.data) and tlp.status in (SC, UR, CA), "BA3", f"{tlp}")
        require(len(tlp.data) <= mps, "TL4", f"payload of {len(tlp.data)} bytes, MPS {mps}")
        return tlp
    if tlp.length == 1:
        require(tlp.last == 0, "TL3", f"{tlp}")
    else:
        require(tlp.first and tlp.last, "TL3", f"{tlp}")
    if tlp.length > 2:
        require(tlp.first in (15, 14, 12, 8) and tlp.last in (15, 7, 3, 1), "TL3", f"{tlp}")
    require(tlp.address % 4096 + 4 * tlp.length <= 4096, "TL4", f"{tlp} crosses 4 KiB")
    limit = mps if tlp.kind == MWR else mrrs
    require(4 * tlp.length <= limit, "TL4", f"{4 * tlp.length} bytes in {tlp.kind}, limit {limit}")
    return tlp


def pieces(start, end, boundary):
    """RD1, WR1: [start, end) cut at multiples of `boundary`, as (address, bytes)."""
    found = []
    while start < end:
        cut = min(end, (start // boundary + 1) * boundary)
        found.append((start, cut - start))
        start = cut
    return found
