//! Text of floats: the shortest digits that parse to the same value, in the layout of Python's `repr`.

/// The shortest decimal digits of a finite float without its sign, and the exponent of the first one.
pub fn shortest(float: f64) -> (String, i32) {
    let text = format!("{:e}", float.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// `2.0`, `1e+20`, `1e-05`, `inf`.
pub fn python_float(float: f64) -> String {
    if float.is_nan() {
        return "nan".into();
    }
    let sign = if float.is_sign_negative() { "-" } else { "" };
    if float.is_infinite() {
        return format!("{sign}inf");
    }
    let (digits, exponent) = shortest(float);
    if (-4..16).contains(&exponent) {
        return format!("{sign}{}", fixed(&digits, exponent));
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// The float that a text writes, as Python's `float` reads it: also `inf`, and with single underscores between digits.
pub fn read_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let is_between = |at: usize| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1));
    let is_sound = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || is_between(at));
    if is_sound { text.replace('_', "").parse().ok() } else { None }
}

/// Digits with a point, and at least one digit on each side of it.
fn fixed(digits: &str, exponent: i32) -> String {
    let Ok(whole) = usize::try_from(exponent + 1) else {
        return format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    };
    if whole == 0 {
        format!("0.{digits}")
    } else if digits.len() <= whole {
        format!("{digits}{}.0", "0".repeat(whole - digits.len()))
    } else {
        format!("{}.{}", &digits[..whole], &digits[whole..])
    }
}

#[cfg(test)]
mod tests {
    use super::{python_float, read_float};

    #[test]
    fn texts_are_read_as_python_does() {
        let cases = [(" 1_000.5 ", Some(1000.5)), ("-.5e1", Some(-5.0)), ("1_", None), ("1__0", None), ("_1", None)];
        for (text, float) in cases {
            assert_eq!(read_float(text), float, "{text}");
        }
        assert_eq!(read_float("-Infinity"), Some(f64::NEG_INFINITY));
        assert!(read_float("e5").is_none() && read_float("").is_none() && read_float("0x1").is_none());
    }

    #[test]
    fn layouts() {
        let cases = [(2.0, "2.0"), (1e20, "1e+20"), (1e-5, "1e-05"), (0.5, "0.5"), (-0.0, "-0.0"), (123.25, "123.25")];
        for (float, text) in cases {
            assert_eq!(python_float(float), text);
        }
        assert_eq!(python_float(1.5e300), "1.5e+300");
        assert_eq!(python_float(0.0001), "0.0001");
        assert_eq!(python_float(1e15), "1000000000000000.0");
    }
}
