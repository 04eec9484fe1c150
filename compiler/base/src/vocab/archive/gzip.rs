//! The frame of a gzip file (RFC 1952), without a time or a name, so the bytes are reproducible.

/// The header before the compressed data.
pub const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// The trailer after it.
pub fn tail(crc: Crc, length: u64) -> [u8; 8] {
    let mut tail = [0; 8];
    tail[..4].copy_from_slice(&(!crc.0).to_le_bytes());
    // The format stores the length modulo 2^32.
    tail[4..].copy_from_slice(&(length as u32).to_le_bytes());
    tail
}

/// A running CRC-32.
#[derive(Clone, Copy, Debug)]
pub struct Crc(u32);

impl Default for Crc {
    fn default() -> Crc {
        Crc(!0)
    }
}

impl Crc {
    /// Adds bytes to the checksum.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = TABLE[usize::from(self.0 as u8 ^ byte)] ^ (self.0 >> 8);
        }
    }
}

static TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let (mut value, mut bit) = (index as u32, 0);
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

/// A gzip file with the bytes stored uncompressed, for a host without a compressor.
pub fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut crc = Crc::default();
    crc.add(bytes);
    let mut out = HEAD.to_vec();
    let mut chunks = bytes.chunks(0xffff).peekable();
    if chunks.peek().is_none() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(chunk) = chunks.next() {
        let length = chunk.len() as u16;
        out.push(u8::from(chunks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(chunk);
    }
    out.extend(tail(crc, bytes.len() as u64));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_standard() {
        let mut crc = Crc::default();
        crc.add(b"123456789");
        assert_eq!(tail(crc, 9), [0x26, 0x39, 0xf4, 0xcb, 9, 0, 0, 0]);
        assert_eq!(stored(b"").len(), 23);
    }
}
