//! `n = n + 1` as the definition of another variable.

use super::super::shape::Match;

/// A match that captures the name, the name in the value, an operator and its other operand.
pub(in super::super) fn changed(_: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let [name, used, operator, operand] = found.captures[..] else { return None };
    (name == used).then(|| vec![format!("define another variable: `$next = ${name} {operator} {operand}`")])
}
