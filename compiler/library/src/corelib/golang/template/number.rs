//! Floats in Go's formats: fixed, with an exponent, the shorter of both, hexadecimal. Functions spec, 15.2.

/// Formats a float by a verb of `e E f F g G x X b`, with a precision or the fewest digits that identify it. Only a
/// negative sign is written.
pub(super) fn float(value: f64, verb: u8, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.into();
    }
    match verb {
        b'e' | b'E' => with_exponent(value, precision, verb),
        b'f' | b'F' => match precision {
            Some(precision) => fixed(value, precision),
            None => format!("{value}"),
        },
        b'x' | b'X' => {
            let text = hexadecimal(value, precision);
            if verb == b'X' { text.to_uppercase() } else { text }
        }
        b'b' => {
            let (mantissa, exponent) = parts(value);
            let sign = if value.is_sign_negative() { "-" } else { "" };
            format!("{sign}{mantissa}p{exponent:+}")
        }
        _ => shorter(value, precision, verb),
    }
}

/// No float has more digits after the point, in either form; Rust formats at most 65,535.
const MAX_DIGITS: usize = 1100;

fn fixed(value: f64, precision: usize) -> String {
    let n_digits = precision.min(MAX_DIGITS);
    format!("{value:.n_digits$}") + &"0".repeat(precision - n_digits)
}

/// Digits with one before the point, and the exponent.
fn scientific(value: f64, precision: Option<usize>) -> (String, i64) {
    let n_digits = precision.unwrap_or_default().min(MAX_DIGITS);
    let text = if precision.is_some() { format!("{value:.n_digits$e}") } else { format!("{value:e}") };
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let zeros = precision.map_or(0, |precision| precision - n_digits);
    (digits.to_string() + &"0".repeat(zeros), exponent.parse().unwrap_or_default())
}

/// `d.ddde+XX` with at least two digits in the exponent.
fn with_exponent(value: f64, precision: Option<usize>, verb: u8) -> String {
    let (digits, exponent) = scientific(value, precision);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{}{sign}{:02}", if verb.is_ascii_uppercase() { 'E' } else { 'e' }, exponent.abs())
}

/// `%g`: with an exponent below 1e-4 and from the precision on; the shortest form uses six for this decision.
fn shorter(value: f64, precision: Option<usize>, verb: u8) -> String {
    let precision = precision.map(|precision| precision.max(1));
    // Trailing zeros are dropped anyway.
    let (digits, exponent) = scientific(value, precision.map(|precision| precision.min(MAX_DIGITS) - 1));
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    let n_digits = digits.bytes().filter(u8::is_ascii_digit).count() as i64;
    let limit = match precision {
        None => 6,
        Some(precision) => {
            let precision = precision as i64;
            // If all integer digits are present, a larger precision does not prevent the exponent.
            if precision > n_digits && n_digits > exponent { n_digits } else { precision }
        }
    };
    if exponent < -4 || exponent >= limit {
        return with_exponent(value, Some((n_digits - 1) as usize), verb + b'e' - b'g');
    }
    let decimals = (n_digits - 1 - exponent).max(0) as usize;
    match precision {
        None => format!("{value}"),
        // Already rounded: the digits, padded with zeros.
        Some(_) => {
            let rounded: f64 = format!("{digits}e{exponent}").parse().unwrap_or(value);
            fixed(rounded, decimals)
        }
    }
}

/// The `#` flag: always a point, and trailing zeros in forms that drop them; six digits by default.
pub(super) fn with_point(text: &str, verb: u8, precision: Option<usize>) -> String {
    let tail = text.find(if matches!(verb, b'x' | b'X') { ['p', 'P'] } else { ['e', 'E'] }).unwrap_or(text.len());
    let (digits, tail) = text.split_at(tail);
    let mut out = digits.to_string();
    let wanted = match verb {
        b'g' | b'G' | b'x' => precision.unwrap_or(6),
        b'X' => precision.unwrap_or(0),
        _ => 0,
    };
    // Leading zeros do not count, the letter of a prefix does.
    let unsigned = digits.trim_start_matches(['+', '-', ' ']);
    let counted = unsigned.bytes().filter(|byte| *byte != b'.').skip_while(|byte| *byte == b'0').count();
    let mut missing = wanted.saturating_sub(counted);
    if !digits.contains('.') {
        if unsigned == "0" {
            missing = missing.saturating_sub(1);
        }
        out.push('.');
    }
    out.push_str(&"0".repeat(missing));
    out.push_str(tail);
    out
}

/// Mantissa and binary exponent: the value is mantissa * 2^exponent.
fn parts(value: f64) -> (u64, i64) {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}

/// `0x1.8p+01`.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let (mut mantissa, mut exponent) = parts(value);
    if mantissa == 0 {
        let zeros = precision.filter(|precision| *precision > 0).map(|n| format!(".{}", "0".repeat(n)));
        return format!("{sign}0x0{}p+00", zeros.unwrap_or_default());
    }
    let shift = mantissa.leading_zeros() - 11;
    mantissa <<= shift;
    exponent += 52 - i64::from(shift);
    if let Some(kept) = precision.filter(|precision| *precision < 13) {
        let dropped = 52 - 4 * kept as u32;
        let (half, rest) = (1_u64 << (dropped - 1), mantissa & ((1 << dropped) - 1));
        mantissa >>= dropped;
        mantissa += u64::from(rest > half || rest == half && mantissa & 1 == 1);
        mantissa <<= dropped;
        if mantissa >> 53 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let mut digits = format!("{:013x}", mantissa & ((1 << 52) - 1));
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) if precision <= 13 => digits.truncate(precision),
        Some(precision) => digits.push_str(&"0".repeat(precision - 13)),
    }
    let point = if digits.is_empty() { "" } else { "." };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}0x1{point}{digits}p{exponent_sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn the_shorter_form() {
        let cases = [
            (654321.0, "654321"),
            (1e6, "1e+06"),
            (123456789.125, "1.23456789125e+08"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-0.0, "-0"),
            (1e21, "1e+21"),
            (f64::INFINITY, "+Inf"),
        ];
        for (value, text) in cases {
            assert_eq!(float(value, b'g', None), text);
        }
        assert_eq!(float(1234567.0, b'g', Some(3)), "1.23e+06");
        assert_eq!(float(100000.0, b'g', Some(10)), "100000");
        assert_eq!(float(1234567.0, b'G', None), "1.234567E+06");
        assert_eq!(float(3.14259, b'g', Some(2)), "3.1");
    }

    #[test]
    fn other_forms() {
        assert_eq!([0.5, 1.5, 2.5, 0.25].map(|value| float(value, b'f', Some(0))), ["0", "2", "2", "0"]);
        assert_eq!(float(12345.678, b'e', Some(3)), "1.235e+04");
        for (verb, n_digits) in [(b'f', 100_002), (b'e', 100_006), (b'x', 100_008), (b'g', 3)] {
            assert_eq!(float(2.5, verb, Some(100_000)).len(), n_digits);
        }
        assert_eq!(float(3.5, b'x', None), "0x1.cp+01");
        assert_eq!(float(3.5, b'x', Some(3)), "0x1.c00p+01");
        assert_eq!(float(2.5, b'b', None), "5629499534213120p-51");
    }
}
