//! Search in the labels of a graph.

/// The vertices whose label contains every word, in any case; ascending. None without a word.
pub fn matches<'a>(sought: &str, labels: impl Iterator<Item = &'a str>) -> Vec<u32> {
    let words: Vec<String> = sought.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let fits = |label: &str| {
        let label = label.to_lowercase();
        words.iter().all(|word| label.contains(word))
    };
    labels.zip(0..).filter(|(label, _)| fits(label)).map(|(_, index)| index).collect()
}

/// The match after a vertex, or before it; after the last one, the first again.
pub fn step(matches: &[u32], from: Option<u32>, back: bool) -> Option<u32> {
    let (first, last) = (*matches.first()?, *matches.last()?);
    let Some(from) = from else { return Some(if back { last } else { first }) };
    Some(match back {
        true => matches.iter().rev().copied().find(|at| *at < from).unwrap_or(last),
        false => matches.iter().copied().find(|at| *at > from).unwrap_or(first),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_be_there() {
        let labels = ["file[/srv/A], failed", "file[/srv/b]", "print[a], failed"];
        let found = |sought| matches(sought, labels.into_iter());
        assert_eq!(found("FILE"), [0, 1]);
        assert_eq!(found(" failed  a"), [0, 2]);
        assert_eq!(found("failed file"), [0]);
        assert!(found("nothing").is_empty() && found(" ").is_empty());
    }

    #[test]
    fn steps_go_round() {
        let matches = [2, 5, 9];
        assert_eq!((step(&matches, None, false), step(&matches, None, true)), (Some(2), Some(9)));
        assert_eq!((step(&matches, Some(2), false), step(&matches, Some(2), true)), (Some(5), Some(9)));
        // From a vertex that does not match.
        assert_eq!((step(&matches, Some(6), false), step(&matches, Some(6), true)), (Some(9), Some(5)));
        assert_eq!((step(&matches, Some(9), false), step(&[], Some(9), false)), (Some(2), None));
    }
}
