//! [`parts`]: the texts to hide where a value is shown. A program may remove whitespace from its ends, and a command
//! may print one of its lines.

use super::value::SHORTEST;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The value and its lines, with and without the whitespace at their ends, each once; the longest come first. Those
/// that are too short to be hidden are left out.
pub(crate) fn parts(value: &str) -> Vec<&str> {
    let all = std::iter::once(value).chain(value.lines()).flat_map(|text| [text, text.trim()]);
    let all: BTreeSet<&str> = all.filter(|text| text.len() >= SHORTEST).collect();
    let mut all: Vec<&str> = all.into_iter().collect();
    all.sort_by_key(|text| Reverse(text.len()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_hidden_line_by_line_and_without_blanks() {
        assert_eq!(parts("hush-hush"), ["hush-hush"]);
        assert_eq!(parts(" hush-hush\r\n"), [" hush-hush\r\n", " hush-hush", "hush-hush"]);
        let key = "-----BEGIN-----\r\nMC4CAQAwBQYDK2VwBCIE\r\nshort\r\n-----END-----";
        assert_eq!(parts(key), [key, "MC4CAQAwBQYDK2VwBCIE", "-----BEGIN-----", "-----END-----"]);
        assert_eq!(parts("twice-is-one\ntwice-is-one").len(), 2);
        assert!(parts("short").is_empty());
    }
}
