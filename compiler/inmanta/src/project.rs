//! `project.yml` next to the main file. Spec, 4.1 and 10.7.
//!
//! One key counts here: `relation_precedence_policy`, a list of `E.r before F.s`. It is a block list or a bracketed
//! list on one line; other keys are ignored.

/// The file's name.
pub const FILE: &str = "project.yml";
const KEY: &str = "relation_precedence_policy";

/// Ends of the first relation are closed before those of the second.
pub type Rule = (String, String);

/// The rules of a project file. Errors: the line, and what is wrong in it.
pub fn precedence(text: &str) -> Result<Vec<Rule>, String> {
    let mut rules = Vec::new();
    let mut is_inside = false;
    for (nr, line) in text.lines().enumerate() {
        let line = without_comment(line).trim_end();
        if line.trim().is_empty() {
            continue;
        }
        let found = match line.strip_prefix(KEY).and_then(|rest| rest.trim_start().strip_prefix(':')) {
            Some(rest) => {
                is_inside = rest.trim().is_empty();
                on_one_line(rest.trim())
            }
            None if is_inside => match line.trim_start().strip_prefix('-') {
                Some(item) => vec![item],
                // The next key ends the list.
                None => {
                    is_inside = false;
                    Vec::new()
                }
            },
            None => Vec::new(),
        };
        for item in found {
            rules.push(rule(unquoted(item.trim())).ok_or_else(|| {
                format!(
                    "line {}: invalid rule `{}`; write `entity.relation before entity.relation`",
                    nr + 1,
                    item.trim()
                )
            })?);
        }
    }
    Ok(rules)
}

/// The items of `[a, b]`; any other non-empty text is a single item, which is not a rule.
fn on_one_line(text: &str) -> Vec<&str> {
    match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        Some(items) => items.split(',').filter(|item| !item.trim().is_empty()).collect(),
        None if text.is_empty() => Vec::new(),
        None => vec![text],
    }
}

/// A `#` starts a comment at the start of a line and after a space.
fn without_comment(line: &str) -> &str {
    let begins = |at: usize| at == 0 || line[..at].ends_with([' ', '\t']);
    line.match_indices('#').map(|(at, _)| at).find(|at| begins(*at)).map_or(line, |at| &line[..at])
}

fn unquoted(text: &str) -> &str {
    let within = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

fn rule(text: &str) -> Option<Rule> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [first, "before", second] = words[..] else { return None };
    let is_end = |word: &str| word.split_once('.').is_some_and(|(entity, end)| !entity.is_empty() && !end.is_empty());
    (is_end(first) && is_end(second)).then(|| (first.to_owned(), second.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_other_keys_left_alone() {
        let text = "name: shop\nmodulepath:\n  - libs\nrelation_precedence_policy: # why\n  - \"a::A.x before b::B.y\"\n\n  # more\n  - a::A.z before a::A.x\nrequires:\n  - std\n";
        let rule = |first: &str, second: &str| (first.to_owned(), second.to_owned());
        assert_eq!(precedence(text), Ok(vec![rule("a::A.x", "b::B.y"), rule("a::A.z", "a::A.x")]));
        assert_eq!(precedence("relation_precedence_policy: [A.x before B.y, ]\n"), Ok(vec![rule("A.x", "B.y")]));
        assert_eq!(precedence("name: x\n"), Ok(Vec::new()));
        assert!(
            precedence("relation_precedence_policy:\n- A.x after B.y\n").is_err_and(|why| why.starts_with("line 2: "))
        );
    }
}
