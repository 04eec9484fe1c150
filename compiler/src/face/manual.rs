//! The manual's pages by name: a function, a resource kind, a module, or lists of them, in Markdown.

use crate::corelib::docs;
use crate::kinds::{self, Kind};

/// The page on a name; an empty one, `functions` and `resources` list.
pub(super) fn page(name: &str) -> Option<String> {
    match name {
        "" => Some(list()),
        "functions" => Some(docs::markdown(docs::entries())),
        "resources" => Some(kinds::docs::markdown(kinds::all())),
        _ => {
            let kind: Vec<&'static dyn Kind> = kinds::all().filter(|kind| kind.decl().name == name).collect();
            if !kind.is_empty() {
                return Some(kinds::docs::markdown(kind));
            }
            let mut found: Vec<docs::Entry> = docs::entries().filter(|entry| entry.name == name).collect();
            if found.is_empty() {
                found = docs::entries().filter(|entry| !entry.module.is_empty() && entry.module == name).collect();
            }
            (!found.is_empty()).then(|| docs::markdown(found))
        }
    }
}

fn list() -> String {
    let kinds: Vec<&str> = kinds::all().map(|kind| kind.decl().name).collect();
    let mut functions: Vec<String> = docs::entries().map(|entry| entry.name).collect();
    functions.dedup();
    format!("# Resources\n\n{}\n\n# Functions\n\n{}\n", kinds.join("\n"), functions.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn kinds_functions_and_modules_have_pages() {
        assert!(
            ["", "file", "fmt.printf", "strings"].iter().all(|name| page(name).is_some_and(|page| page.len() > 20))
        );
        assert!(page("no_such_thing").is_none());
    }
}
