//! Times as people write them: a whole number and a unit.

/// `500ms`, `10s`, `5m` or `5min`, `1h`, `2d`. Units: milliseconds. `None`: it is something else, or too large.
pub fn milliseconds(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        let minutes = [milliseconds("5m"), milliseconds("5min")];
        assert_eq!((milliseconds("0ms"), milliseconds("10s"), minutes), (Some(0), Some(10_000), [Some(300_000); 2]));
        assert_eq!((milliseconds("1h"), milliseconds("2d")), (Some(3_600_000), Some(172_800_000)));
        for wrong in
            ["", "10", "h", "-1h", "1.5h", "1h30m", "1w", "1 h", "1\u{e9}", "99999999999999999999d", "999999999999999d"]
        {
            assert_eq!(milliseconds(wrong), None, "{wrong}");
        }
    }
}
