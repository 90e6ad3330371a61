//! Frames as the table of section 2.1 has them.

pub const BEACON: u8 = 0;
pub const OPEN: u8 = 1;
pub const OPENED: u8 = 2;
pub const TLP: u8 = 3;
pub const ACK: u8 = 4;
pub const NAK: u8 = 5;
pub const CLOSE: u8 = 6;
pub const NO_SESSION: u8 = 7;
pub const REFUSED: u8 = 8;

pub const BROADCAST: [u8; 6] = [0xFF; 6];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub to: [u8; 6],
    pub from: [u8; 6],
    pub kind: u8,
    pub flags: u8,
    pub session: u32,
    pub sequence: u16,
    pub ack: u16,
    pub posted: u16,
    pub nonposted: u16,
    pub body: Vec<u8>,
}

fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from(bytes[at]) << 8 | u16::from(bytes[at + 1])
}

impl Frame {
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(self.to);
        out.extend(self.from);
        out.extend([0x88, 0xB5, 0x10 | self.kind, self.flags]);
        out.extend((self.body.len() as u16).to_be_bytes());
        out.extend(self.session.to_be_bytes());
        for field in [self.sequence, self.ack, self.posted, self.nonposted, 0] {
            out.extend(field.to_be_bytes());
        }
        out.extend(&self.body);
        out.resize(out.len().max(60), 0);
        out
    }

    /// A frame of the link; what a good host never sends is an error text.
    pub fn parse(bytes: &[u8]) -> Result<Frame, &'static str> {
        if bytes.len() < 60 {
            return Err("shorter than 60 bytes");
        }
        if bytes[12..14] != [0x88, 0xB5] || bytes[14] >> 4 != 1 || bytes[14] & 15 > 8 {
            return Err("EtherType, version or type");
        }
        if bytes[15] & !3 != 0 || bytes[30..32] != [0, 0] {
            return Err("reserved bits");
        }
        let length = usize::from(be16(bytes, 16));
        if length % 4 != 0 || 32 + length > bytes.len() {
            return Err("body length");
        }
        let end = 32 + length;
        if bytes.len() > end.max(60) || bytes[end..].iter().any(|byte| *byte != 0) {
            return Err("padding");
        }
        let mac = |at: usize| bytes[at..at + 6].try_into().unwrap();
        Ok(Frame {
            to: mac(0),
            from: mac(6),
            kind: bytes[14] & 15,
            flags: bytes[15],
            session: u32::from(be16(bytes, 18)) << 16 | u32::from(be16(bytes, 20)),
            sequence: be16(bytes, 22),
            ack: be16(bytes, 24),
            posted: be16(bytes, 26),
            nonposted: be16(bytes, 28),
            body: bytes[32..end].to_vec(),
        })
    }
}
