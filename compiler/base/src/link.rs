//! Snippet links: the encoding of the `#c=` part of an address.
//!
//! ```text
//! c= base64url of   version 4:  4  CRC-32 of the rest (big-endian)  raw deflated text
//!                   version 1:  1  raw deflated text
//! ```
//!
//! The page deflates and inflates with the browser's streams, the agent with a crate; this file has the envelope that
//! both share. Links stay valid forever: a version is never removed and never changes.

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine};

/// The maximum number of bytes in a link before inflating. Links are untrusted.
pub(crate) const MAX_DEFLATED: usize = 64 << 10;
/// The maximum number of bytes of text in a link after inflating.
pub const MAX_TEXT: usize = 1 << 20;

/// Without a checksum; still read, no longer written.
const UNCHECKED: u8 = 1;
/// Not 2, because changing a single character could turn it into a 1, which has no checksum. From 4 on it takes two
/// changes.
const CHECKED: u8 = 4;

/// Why a link cannot be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The link is longer than the limit.
    TooLong,
    /// It contains characters that base64url does not have.
    NotBase64,
    /// There is nothing in it.
    Empty,
    /// The version byte belongs to no version.
    Foreign,
    /// It was written by a newer version.
    Newer,
    /// The checksum is wrong, or the text does not inflate.
    Changed,
    /// It inflates to more than [`MAX_TEXT`].
    TooMuch,
    /// The inflated bytes are not UTF-8.
    NotText,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Fault::TooLong => "this link is damaged: it is too long",
            Fault::NotBase64 => "this link is damaged: it contains invalid characters",
            Fault::Empty => "this link is damaged: it is empty",
            Fault::Foreign => "this is not an mclive link, or it is damaged",
            Fault::Newer => "this link was made by a newer version of mclive",
            Fault::Changed => "this link is damaged: it was truncated or modified",
            Fault::TooMuch => "this link was not opened: it expands to more than a megabyte",
            Fault::NotText => "this link is damaged: its content is not UTF-8",
        })
    }
}

/// Encodes deflated text for use after `c=`.
pub fn pack(deflated: &[u8]) -> String {
    let mut bytes = vec![CHECKED];
    bytes.extend(crc32(deflated).to_be_bytes());
    bytes.extend(deflated);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes the part after `c=` to deflated text.
pub fn unpack(packed: &str) -> Result<Vec<u8>, Fault> {
    let packed = packed.trim_end_matches('=');
    if packed.len() > (MAX_DEFLATED + 8).div_ceil(3) * 4 {
        return Err(Fault::TooLong);
    }
    let mut bytes = URL_SAFE_NO_PAD.decode(packed).map_err(|error| match error {
        DecodeError::InvalidByte(..) => Fault::NotBase64,
        // No base64url text ends like this.
        DecodeError::InvalidLength(_) | DecodeError::InvalidLastSymbol(..) | DecodeError::InvalidPadding => {
            Fault::Changed
        }
    })?;
    let version = *bytes.first().ok_or(Fault::Empty)?;
    match version {
        UNCHECKED => Ok(bytes.split_off(1)),
        CHECKED => {
            let (sum, deflated) = bytes[1..].split_first_chunk().ok_or(Fault::Changed)?;
            if u32::from_be_bytes(*sum) != crc32(deflated) {
                return Err(Fault::Changed);
            }
            Ok(bytes.split_off(5))
        }
        0 | 128.. => Err(Fault::Foreign),
        2..128 => Err(Fault::Newer),
    }
}

/// CRC-32 as in zip and PNG. Links are short, so it uses no table.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `print "kept for ever" {}` and a line end, deflated.
    fn deflated() -> Vec<u8> {
        unpack("ASsoyswrUVDKTi0oUUjLL1JILUstUlKoruUCAA").unwrap()
    }

    #[test]
    fn the_checksum_is_that_of_everybody() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    /// A link of each version ever published, with its content. None may be removed or changed.
    #[test]
    fn links_open_for_ever() {
        assert_eq!(unpack("BLn00uErKMrMK1FQyk4tKFFIyy9SSC1LLVJSqK7lAgA").as_ref(), Ok(&deflated()));
        assert_eq!(pack(&deflated()), "BLn00uErKMrMK1FQyk4tKFFIyy9SSC1LLVJSqK7lAgA");
        assert_eq!(deflated()[..4], [0x2b, 0x28, 0xca, 0xcc]);
    }

    /// Every single-character change, every truncation, and every swap of neighbours.
    #[test]
    fn a_changed_link_is_never_another_program() {
        let link = pack(&deflated());
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let holds = |link: &str, change: &str| assert!(unpack(link).is_err(), "{change}: {link}");
        for at in 0..link.len() {
            holds(&link[..at], "offline");
            for letter in letters.chars().filter(|letter| !link[at..].starts_with(*letter)) {
                holds(&format!("{}{letter}{}", &link[..at], &link[at + 1..]), "changed");
                holds(&format!("{}{letter}{}", &link[..at], &link[at..]), "inserted");
            }
        }
        for at in 1..link.len() {
            let (one, other) = (&link[at - 1..at], &link[at..=at]);
            if one != other {
                holds(&format!("{}{other}{one}{}", &link[..at - 1], &link[at + 1..]), "exchanged");
            }
        }
    }

    #[test]
    fn each_fault_has_its_words() {
        for (packed, fault) in [
            ("", Fault::Empty),
            ("!", Fault::NotBase64),
            ("CQAA", Fault::Newer),
            ("AAAA", Fault::Foreign),
            ("_wAA", Fault::Foreign),
            ("BAAA", Fault::Changed),
            ("BAAAA", Fault::Changed),
        ] {
            assert_eq!(unpack(packed), Err(fault), "{packed}");
        }
        assert_eq!(unpack(&"A".repeat(100_000)), Err(Fault::TooLong));
    }
}
