//! Functions of Go's `strings`, which MCL has in `golang/strings`: a program that imports `strings` needs another name.

use super::super::shape::Match;
use super::super::snake;

/// A match that captures the name of the function.
pub(in super::super) fn of_go(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let name = snake(found.captures.first()?);
    let is_taken = text.lines().any(|line| line.trim() == "import \"strings\"");
    Some(vec![match is_taken {
        true => format!("write `gostrings.{name}(…)`, after `import \"golang/strings\" as gostrings`"),
        false => format!("write `strings.{name}(…)`, after `import \"golang/strings\"`"),
    }])
}
