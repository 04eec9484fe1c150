//! Durations with units: `10m`, `1h30m`, `1.5s`.

/// The nanoseconds of a duration. Errors: why it is invalid.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    let invalid = || format!("`{text}` is not a duration such as `1h30m`");
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: f64 = 0.0;
    let mut exact: i128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let scale = scale(unit).ok_or_else(invalid)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(invalid());
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        let part: f64 =
            if fraction.is_empty() { 0.0 } else { format!("0.{fraction}").parse().map_err(|_| invalid())? };
        exact = whole.checked_mul(scale.into()).and_then(|n| n.checked_add(exact)).ok_or_else(invalid)?;
        total += part * scale as f64;
        rest = after;
    }
    let nanoseconds = exact.checked_add(total as i128).ok_or_else(invalid)?;
    i64::try_from(if negative { -nanoseconds } else { nanoseconds }).map_err(|_| invalid())
}

/// The nanoseconds of a unit.
fn scale(unit: &str) -> Option<i64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn durations() {
        assert_eq!(parse("1h30m"), Ok(5_400_000_000_000));
        assert_eq!(parse("-1.5s"), Ok(-1_500_000_000));
        assert_eq!(parse("0"), Ok(0));
        assert_eq!(parse(".5ms"), Ok(500_000));
        for bad in ["", "10", "1 day", "s", ".s", "1.2.3s", "9999999999h", "-"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
