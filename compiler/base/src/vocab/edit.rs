//! [`Edit`]: a change of a text file that leaves the rest of it alone. Both bodies and the kinds use the same function,
//! so a check and its step cannot disagree.

use super::fstab;
use super::json::{self, JsonEdit};
use serde::{Deserialize, Serialize};

/// An edit of a text, line by line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Edit {
    /// Ensures that these lines occur in sequence; adds them at the end otherwise.
    Add(Vec<String>),
    /// Removes these lines in sequence until none are left.
    Remove(Vec<String>),
    /// Ensures that a mount table has exactly this entry for a mount point, or none.
    Fstab { target: String, entry: Option<fstab::Entry> },
    /// Sets values of a JSON object. Text that is not a JSON object is left unchanged.
    Json(Vec<JsonEdit>),
}

impl Edit {
    /// The new text; `None` if there is nothing to change. Line ends follow the first line of the text; those of the
    /// added lines are used only if it has none.
    pub fn apply(&self, text: &[u8]) -> Option<Vec<u8>> {
        let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        match self {
            Edit::Fstab { target, entry } => fstab::edited(text, target, entry.as_ref()),
            Edit::Json(edits) => {
                let text = std::str::from_utf8(text).ok()?;
                json::edited(text, edits).ok().flatten().map(String::into_bytes)
            }
            Edit::Add(block) | Edit::Remove(block) if block.is_empty() => None,
            Edit::Add(block) => {
                if (0..lines.len()).any(|at| begins(&lines[at..], block)) {
                    return None;
                }
                let is_wide = match text.iter().position(|&byte| byte == b'\n') {
                    Some(at) => text[..at].ends_with(b"\r"),
                    None => block[0].ends_with('\r'),
                };
                let end: &[u8] = if is_wide { b"\r\n" } else { b"\n" };
                let mut new = text.to_vec();
                if !text.is_empty() && !text.ends_with(b"\n") {
                    new.extend_from_slice(end);
                }
                for line in block {
                    new.extend_from_slice(plain(line.as_bytes()));
                    new.extend_from_slice(end);
                }
                Some(new)
            }
            Edit::Remove(block) => {
                // A removal may bring the lines around it together, as another occurrence.
                let mut kept: Vec<&[u8]> = Vec::with_capacity(lines.len());
                for &line in &lines {
                    kept.push(line);
                    let start = kept.len().saturating_sub(block.len());
                    if begins(&kept[start..], block) {
                        kept.truncate(start);
                    }
                }
                (kept.len() < lines.len()).then(|| kept.concat())
            }
        }
    }

    /// The words for a step: `add 2 lines to`.
    pub(super) fn words(&self) -> String {
        let count = |lines: &Vec<String>| match lines.len() {
            1 => "1 line".to_owned(),
            n => format!("{n} lines"),
        };
        match self {
            Edit::Add(lines) => format!("add {} to", count(lines)),
            Edit::Remove(lines) => format!("remove {} from", count(lines)),
            Edit::Fstab { target, entry: Some(_) } => format!("put the entry of {target} into"),
            Edit::Fstab { target, entry: None } => format!("remove the entry of {target} from"),
            Edit::Json(edits) => {
                let key = |edit: &JsonEdit| {
                    let path = edit.path.join(".");
                    if edit.value.is_some() { format!("set .{path}") } else { format!("delete .{path}") }
                };
                format!("{} in", edits.iter().map(key).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Whether the lines start with the block, whatever their ends.
fn begins(lines: &[&[u8]], block: &[String]) -> bool {
    let mut pairs = lines.iter().zip(block);
    lines.len() >= block.len() && pairs.all(|(line, wanted)| plain(line) == plain(wanted.as_bytes()))
}

/// A line without its end, of which all carriage returns are part: one that stays would be the end in the new text.
fn plain(line: &[u8]) -> &[u8] {
    let mut line = line.strip_suffix(b"\n").unwrap_or(line);
    while let Some(shorter) = line.strip_suffix(b"\r") {
        line = shorter;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(edit: fn(Vec<String>) -> Edit, block: &[&str], text: &str, expect: Option<&str>) {
        let edit = edit(block.iter().map(|line| line.to_string()).collect());
        let new = edit.apply(text.as_bytes()).map(|new| String::from_utf8(new).unwrap());
        assert_eq!(new.as_deref(), expect, "{edit:?} {text:?}");
        // Applying an edit twice must change nothing.
        if let Some(new) = new {
            assert_eq!(edit.apply(new.as_bytes()), None, "{edit:?} {text:?}");
        }
    }

    #[test]
    fn a_block_is_added_once_with_the_ends_of_the_text() {
        check(Edit::Add, &["b"], "a\n", Some("a\nb\n"));
        check(Edit::Add, &["b"], "a", Some("a\nb\n"));
        check(Edit::Add, &["b"], "", Some("b\n"));
        check(Edit::Add, &["a", "b"], "x\na\nb\ny\n", None);
        check(Edit::Add, &["a", "b"], "a\nx\nb\n", Some("a\nx\nb\na\nb\n"));
        check(Edit::Add, &["b"], "a\r\nb", None);
        check(Edit::Add, &["c"], "a\r\nb", Some("a\r\nb\r\nc\r\n"));
        check(Edit::Add, &[], "a\n", None);
        check(Edit::Add, &["b\r", "c\r"], "a\n", Some("a\nb\nc\n"));
        check(Edit::Add, &["b\r", "c"], "", Some("b\r\nc\r\n"));
        check(Edit::Add, &["b\r"], "a\r\nb\r\n", None);
        check(Edit::Add, &["b\r\r"], "a\n", Some("a\nb\n"));
        check(Edit::Remove, &["b\r"], "a\r\nb\r\n", Some("a\r\n"));
    }

    #[test]
    fn every_occurrence_goes_and_the_rest_stays_byte_for_byte() {
        check(Edit::Remove, &["b"], "a\nb\nc\nb", Some("a\nc\n"));
        check(Edit::Remove, &["b"], "a\nc", None);
        check(Edit::Remove, &["a", "a"], "a\na\na\n", Some("a\n"));
        check(Edit::Remove, &["b"], "a\r\nb\r\nc", Some("a\r\nc"));
        check(Edit::Remove, &["b"], "b\n", Some(""));
        check(Edit::Remove, &["a", "b"], "a\na\nb\nb\nc\n", Some("c\n"));
    }
}
