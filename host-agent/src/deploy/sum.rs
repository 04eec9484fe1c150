//! [`Sum`]: the SHA-256 of a content, 64 lowercase hexadecimal digits as text.

use super::text_form::text_form;
use sha2::{Digest, Sha256};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sum([u8; 32]);

impl Sum {
    pub(crate) fn of(content: &[u8]) -> Sum {
        Sum(Sha256::digest(content).into())
    }

    fn parse(text: &str) -> Option<Sum> {
        let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
        let digits = text.bytes().map(digit).collect::<Option<Vec<u32>>>().filter(|digits| digits.len() == 64)?;
        let mut sum = [0; 32];
        for (byte, pair) in sum.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = u8::try_from(pair[0] << 4 | pair[1]).ok()?;
        }
        Some(Sum(sum))
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

text_form!(Sum, expected "a SHA-256 in lowercase hexadecimal digits");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_one_form() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sum::of(b"").to_string(), empty);
        assert_eq!(Sum::parse(empty), Some(Sum::of(b"")));
        for wrong in [&empty[1..], &empty.to_uppercase(), &empty.replace('e', "g"), "", &format!("{empty}00")] {
            assert_eq!(Sum::parse(wrong), None, "{wrong}");
        }
    }
}
