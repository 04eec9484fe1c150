//! A unified diff of two short texts, as shown by `plan` and the page.

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Above this many pairs of lines the middle is shown as completely replaced.
const MOST_PAIRS: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edit {
    Keep,
    Remove,
    Add,
}

/// The diff with headers, or `None` if the texts are equal.
pub(super) fn unified(path: &str, old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let edits = edits(&old, &new);
    let mut text = format!("--- {path}\n+++ {path}\n");
    let (mut at, mut old_at, mut new_at) = (0, 0, 0);
    while let Some(first) = edits[at..].iter().position(|&edit| edit != Edit::Keep) {
        let start = at + first - first.min(CONTEXT);
        old_at += start - at;
        new_at += start - at;
        let end = hunk_end(&edits, at + first);
        write_hunk(&mut text, &edits[start..end], (&old, &mut old_at), (&new, &mut new_at));
        at = end;
    }
    Some(text)
}

/// A hunk ends after twice the context without a change.
fn hunk_end(edits: &[Edit], from: usize) -> usize {
    let mut last = from;
    for (index, &edit) in edits.iter().enumerate().skip(from) {
        if edit != Edit::Keep {
            last = index;
        } else if index - last > 2 * CONTEXT {
            break;
        }
    }
    (last + 1 + CONTEXT).min(edits.len())
}

fn write_hunk(text: &mut String, edits: &[Edit], old: (&[&str], &mut usize), new: (&[&str], &mut usize)) {
    let count = |not: Edit| edits.iter().filter(|&&edit| edit != not).count();
    let (n_old, n_new) = (count(Edit::Add), count(Edit::Remove));
    let first = |at: usize, n: usize| if n == 0 { at } else { at + 1 };
    text.push_str(&format!("@@ -{},{n_old} +{},{n_new} @@\n", first(*old.1, n_old), first(*new.1, n_new)));
    for edit in edits {
        let (sign, line) = match edit {
            Edit::Keep => (' ', old.0[*old.1]),
            Edit::Remove => ('-', old.0[*old.1]),
            Edit::Add => ('+', new.0[*new.1]),
        };
        *old.1 += usize::from(*edit != Edit::Add);
        *new.1 += usize::from(*edit != Edit::Remove);
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// A shortest edit script, by the longest common subsequence between the common start and end.
fn edits(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (mid_old, mid_new) = (&old[before..old.len() - after], &new[before..new.len() - after]);
    let mut edits = vec![Edit::Keep; before];
    middle(mid_old, mid_new, &mut edits);
    edits.extend(std::iter::repeat_n(Edit::Keep, after));
    edits
}

fn middle(old: &[&str], new: &[&str], edits: &mut Vec<Edit>) {
    let (n, m) = (old.len(), new.len());
    if n.saturating_mul(m) > MOST_PAIRS {
        edits.extend(std::iter::repeat_n(Edit::Remove, n));
        edits.extend(std::iter::repeat_n(Edit::Add, m));
        return;
    }
    // longest[i][j]: the length of the longest common subsequence of old[i..] and new[j..].
    let width = m + 1;
    let mut longest = vec![0u32; (n + 1) * width];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < n || j < m {
        if i < n && j < m && old[i] == new[j] {
            edits.push(Edit::Keep);
            (i, j) = (i + 1, j + 1);
        } else if j == m || i < n && longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            edits.push(Edit::Remove);
            i += 1;
        } else {
            edits.push(Edit::Add);
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_changed_line_stands_between_its_neighbours() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let expect = "--- /f\n+++ /f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified("/f", old, new).unwrap(), expect);
        assert_eq!(unified("/f", old, old), None);
    }

    #[test]
    fn far_changes_are_hunks_of_their_own_and_a_missing_newline_is_reported() {
        let old: String = (0..30).map(|line| format!("{line}\n")).collect();
        let new = format!("new\n{}x", &old[..old.len() - 3]);
        let text = unified("/f", &old, &new).unwrap();
        let expect = "--- /f\n+++ /f\n@@ -1,3 +1,4 @@\n+new\n 0\n 1\n 2\n@@ -27,4 +28,4 @@\n 26\n 27\n 28\n-29\n+x\n\\ No newline at end of file\n";
        assert_eq!(text, expect);
    }

    #[test]
    fn a_new_file_is_all_additions() {
        assert_eq!(unified("/f", "", "a\nb\n").unwrap(), "--- /f\n+++ /f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    }
}
