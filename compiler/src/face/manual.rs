//! The manual's pages by name: a function, a resource kind, a module, or lists of them, in Markdown or as JSON.

use crate::corelib::docs;
use crate::kinds::{self, Kind};

/// The page on a name, in Markdown; an empty one, `functions` and `resources` list.
pub(super) fn page(name: &str) -> Option<String> {
    Some(match subject(name)? {
        Subject::All => list(),
        Subject::Functions(entries) => docs::markdown(entries),
        Subject::Kinds(kinds) => kinds::docs::markdown(kinds),
    })
}

/// The same as JSON: a list of functions or of kinds; of an empty name an object with both.
pub(super) fn json(name: &str) -> Option<String> {
    let json = match subject(name)? {
        Subject::All => serde_json::json!({
            "functions": docs::json(docs::entries()),
            "resources": kinds::docs::json(kinds::all()),
        }),
        Subject::Functions(entries) => docs::json(entries),
        Subject::Kinds(kinds) => kinds::docs::json(kinds),
    };
    Some(format!("{json:#}\n"))
}

/// What a name is about.
enum Subject {
    All,
    Functions(Vec<docs::Entry>),
    Kinds(Vec<&'static dyn Kind>),
}

fn subject(name: &str) -> Option<Subject> {
    Some(match name {
        "" => Subject::All,
        "functions" => Subject::Functions(docs::entries().collect()),
        "resources" => Subject::Kinds(kinds::all().collect()),
        _ => {
            let kind: Vec<&'static dyn Kind> = kinds::all().filter(|kind| kind.decl().name == name).collect();
            if !kind.is_empty() {
                return Some(Subject::Kinds(kind));
            }
            let mut found: Vec<docs::Entry> = docs::entries().filter(|entry| entry.name == name).collect();
            if found.is_empty() {
                found = docs::entries().filter(|entry| !entry.module.is_empty() && entry.module == name).collect();
            }
            return (!found.is_empty()).then_some(Subject::Functions(found));
        }
    })
}

fn list() -> String {
    let kinds: Vec<&str> = kinds::all().map(|kind| kind.decl().name).collect();
    let mut functions: Vec<String> = docs::entries().map(|entry| entry.name).collect();
    functions.dedup();
    format!("# Resources\n\n{}\n\n# Functions\n\n{}\n", kinds.join("\n"), functions.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{json, page};

    #[test]
    fn kinds_functions_and_modules_have_pages() {
        assert!(
            ["", "file", "fmt.printf", "strings"].iter().all(|name| page(name).is_some_and(|page| page.len() > 20))
        );
        assert!(page("no_such_thing").is_none() && json("no_such_thing").is_none());
        assert!(json("file").is_some_and(|json| json.contains("\"content\"")));
        assert!(json("functions").is_some_and(|json| json.contains("\"fmt.printf\"")));
    }
}
