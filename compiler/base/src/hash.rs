//! SHA-256, to compare files without transferring them, and a checksum for everything that only changes by accident.

use sha2::{Digest, Sha256};

/// The digest of some bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// FNV-1a.
pub fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    fn check(bytes: &[u8], expect: &str) {
        let hex: String = super::sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expect);
    }

    #[test]
    fn the_checksums_of_short_texts() {
        for (text, expect) in [("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968)] {
            assert_eq!(super::checksum(text.as_bytes()), expect, "{text}");
        }
    }

    #[test]
    fn the_standard_vectors() {
        check(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check(b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        check(two_blocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        check(&[b'a'; 1_000_000], "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
