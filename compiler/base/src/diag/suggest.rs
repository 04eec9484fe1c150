//! "Did you mean …?": the known name that is nearest to an unknown one.

/// The candidate with the smallest edit distance, if it is near enough to be a slip: at most a
/// third of the word's length, at least one. Of equally near ones the first counts.
///
/// Cost: the candidates times the square of the word's length; long words are not looked at.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    const MAX_LENGTH: usize = 60;
    let n_chars = word.chars().count();
    if n_chars > MAX_LENGTH {
        return None;
    }
    let allowed = (n_chars / 3).max(1);
    let near = candidates.into_iter().filter(|known| known.len().abs_diff(word.len()) <= 4 * allowed);
    let ranked = near.map(|known| (distance(word, known), known));
    ranked.filter(|(distance, _)| *distance <= allowed).min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// Insertions, deletions, changes and swaps of neighbours that make one word of the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        assert_eq!(closest("colr", ["color", "count"]), Some("color"));
        assert_eq!(closest("contetn", ["state", "content"]), Some("content"));
        assert_eq!(closest("x", ["y"]), Some("y"));
        assert_eq!(closest("owner", ["content", "state"]), None);
    }
}
