//! Integers as C reads them.

/// A decimal, hexadecimal (`0x`) or octal (leading zero) integer, as `strtoll` reads it with base 0.
pub(super) fn c_integer(word: &str) -> Option<i128> {
    let (is_negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let number = match (digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")), digits.strip_prefix('0')) {
        (Some(hex), _) => i128::from_str_radix(hex, 16).ok()?,
        (None, Some(octal)) if !octal.is_empty() => i128::from_str_radix(octal, 8).ok()?,
        (None, _) => digits.parse().ok()?,
    };
    if is_negative { number.checked_neg() } else { Some(number) }
}

#[cfg(test)]
mod tests {
    use super::c_integer;

    #[test]
    fn the_prefix_tells_the_base() {
        for (word, number) in [("0", 0), ("10", 10), ("010", 8), ("0x10", 16), ("0X1f", 31), ("-012", -10), ("-7", -7)]
        {
            assert_eq!(c_integer(word), Some(number), "{word}");
        }
        for word in ["", "-", "0x", "08", "1.5", "ten"] {
            assert_eq!(c_integer(word), None, "{word}");
        }
    }
}
