//! "Did you mean …?": finds the known name nearest to an unknown one.

/// Longer words are skipped, so that a hostile name costs nothing.
const MAX_LENGTH: usize = 60;

/// The candidate with the smallest edit distance, if it is close enough to be a typo: at most a third of the word's
/// length, at least one, and with something in common. Ties go to the first in the alphabet.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let mut search = Search::new(word)?;
    let mut near = None;
    for candidate in candidates {
        if search.look(candidate) {
            near = Some(candidate);
        }
    }
    near
}

/// The candidate that may be meant by a word: the [`closest`], or the only one that begins with the word or ends with it,
/// as `homedir` for `home`.
pub fn near<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str> + Clone) -> Option<&'c str> {
    const SHORTEST: usize = 3;
    closest(word, candidates.clone()).or_else(|| {
        let extends = |candidate: &&str| candidate.starts_with(word) || candidate.ends_with(word);
        let mut longer = candidates.into_iter().filter(|candidate| word.len() >= SHORTEST && extends(candidate));
        longer.next().filter(|_| longer.next().is_none())
    })
}

/// A search for the name nearest to a word, one candidate at a time.
///
/// Cost: the length of a candidate times the allowed distance; nothing for candidates that are much shorter or longer.
/// No allocation per candidate.
pub struct Search {
    word: Vec<char>,
    /// The best distance so far; at first, the largest that counts as a typo.
    allowed: usize,
    best: Option<String>,
    candidate: Vec<char>,
    rows: [Vec<usize>; 3],
}

impl Search {
    /// Starts a search; `None` if the word is too long.
    pub fn new(word: &str) -> Option<Search> {
        let word: Vec<char> = word.chars().take(MAX_LENGTH + 1).collect();
        let allowed = (word.len() / 3).max(1);
        let rows = [(); 3].map(|()| Vec::with_capacity(word.len() + 1));
        (word.len() <= MAX_LENGTH).then(|| Search { word, allowed, best: None, candidate: Vec::new(), rows })
    }

    /// Considers a candidate; true if it is the nearest so far. The word itself does not count.
    pub fn look(&mut self, candidate: &str) -> bool {
        // A character is one to four bytes.
        if candidate.len() > 4 * (self.word.len() + self.allowed)
            || 4 * candidate.len() + self.allowed < self.word.len()
        {
            return false;
        }
        self.candidate.clear();
        self.candidate.extend(candidate.chars());
        let longer = self.word.len().max(self.candidate.len());
        let Some(distance) = self.distance().filter(|distance| *distance < longer) else { return false };
        let is_nearer = match &self.best {
            None => distance > 0,
            Some(best) => distance > 0 && (distance, candidate) < (self.allowed, best.as_str()),
        };
        if is_nearer {
            self.allowed = distance;
            self.best = Some(candidate.to_string());
        }
        is_nearer
    }

    /// The nearest of all candidates so far.
    pub fn found(self) -> Option<String> {
        self.best
    }

    /// The edit distance to the candidate (insertions, deletions, changes, swaps of neighbours), computed only near the
    /// diagonal; `None` if it is above the allowed one.
    fn distance(&mut self) -> Option<usize> {
        let (word, other, allowed) = (&self.word, &self.candidate, self.allowed);
        if word.len().abs_diff(other.len()) > allowed {
            return None;
        }
        let far = allowed + 1;
        let [before, last, row] = &mut self.rows;
        last.clear();
        last.extend((0..=word.len()).map(|at| at.min(far)));
        for (i, letter) in other.iter().enumerate() {
            let (first, end) = (i.saturating_sub(allowed), (i + 1 + allowed).min(word.len()));
            row.clear();
            row.resize(word.len() + 1, far);
            row[0] = (i + 1).min(far);
            for j in first..end {
                let changed = last[j] + usize::from(word[j] != *letter);
                let mut best = changed.min(last[j + 1] + 1).min(row[j] + 1);
                if i > 0 && j > 0 && word[j - 1] == *letter && word[j] == other[i - 1] {
                    best = best.min(before[j - 1] + 1);
                }
                row[j + 1] = best.min(far);
            }
            if row.iter().all(|distance| *distance == far) {
                return None;
            }
            std::mem::swap(before, last);
            std::mem::swap(last, row);
        }
        last.last().copied().filter(|distance| *distance <= allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        assert_eq!(closest("colr", ["color", "count"]), Some("color"));
        assert_eq!(closest("contetn", ["state", "content"]), Some("content"));
        assert_eq!(closest("x", ["y"]), None);
        assert_eq!(closest("x", ["y", "xs"]), Some("xs"));
        assert_eq!(closest("owner", ["content", "state"]), None);
        let close = |name| closest(name, ["colour", "count", "x", "fmt.printf"]);
        assert_eq!(close("color"), Some("colour"));
        assert_eq!(close("cuont"), Some("count"));
        assert_eq!(close("fmt.prinft"), Some("fmt.printf"));
        assert_eq!(close("elephant"), None);
        assert_eq!(closest("größe", ["grösse", "größer"]), Some("größer"));
    }

    #[test]
    fn a_part_of_a_single_name_stands_for_it() {
        let fields = ["homedir", "shell", "groups", "group", "ifcmd", "nifcmd"];
        assert_eq!(near("home", fields), Some("homedir"));
        assert_eq!(near("dir", fields), Some("homedir"));
        assert_eq!(near("cmd", fields), None, "two end with it");
        assert_eq!(near("shel", fields), Some("shell"));
        assert_eq!(near("nothing", fields), None);
    }

    #[test]
    fn of_equally_near_ones_the_first_in_the_alphabet_counts() {
        assert_eq!(closest("bat", ["cat", "rat", "bad"]), Some("bad"));
        assert_eq!(closest("bat", ["bad", "rat", "cat"]), Some("bad"));
    }

    /// The full table, without the diagonal band.
    fn plain(from: &str, to: &str) -> usize {
        let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
        let mut table = vec![vec![0; to.len() + 1]; from.len() + 1];
        for i in 0..=from.len() {
            for j in 0..=to.len() {
                table[i][j] = match (i, j) {
                    (0, n) | (n, 0) => n,
                    (i, j) => {
                        let changed = table[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
                        let mut best = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                        if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                            best = best.min(table[i - 2][j - 2] + 1);
                        }
                        best
                    }
                };
            }
        }
        table[from.len()][to.len()]
    }

    #[test]
    fn the_neighbourhood_tells_what_the_whole_table_tells() {
        let words: Vec<String> = (0..4usize.pow(5))
            .map(|n| (0..1 + n % 5).map(|at| ['a', 'b', 'c', 'ä'][n >> (2 * at) & 3]).collect())
            .collect();
        for word in words.iter().step_by(31).map(|word| format!("{word}abc")) {
            for candidate in &words {
                let distance = plain(&word, candidate);
                let expected = distance > 0 && distance <= (word.chars().count() / 3).max(1);
                assert_eq!(Search::new(&word).unwrap().look(candidate), expected, "{word} {candidate}");
            }
        }
    }
}
