//! Manual pages by name, for all languages.

use crate::language::ALL;
use std::fmt::Write;

/// The page of a name, in Markdown; an empty name lists all names.
pub(super) fn page(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some(contents());
    }
    ALL.iter().find_map(|language| language.page(name))
}

/// The same as JSON; for an empty name an object with all pages.
pub(super) fn json(name: &str) -> Option<String> {
    let json = if name.is_empty() {
        let parts =
            ALL.iter().flat_map(|language| language.contents().into_iter().map(move |part| (language, part.name)));
        parts.map(|(language, name)| (name.to_owned(), language.page_json(name).unwrap_or_default())).collect()
    } else {
        ALL.iter().find_map(|language| language.page_json(name))?
    };
    Some(format!("{json:#}\n"))
}

fn contents() -> String {
    let mut out = String::new();
    for part in ALL.iter().flat_map(|language| language.contents()) {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = write!(out, "{gap}# {}\n\n{}\n", part.title, part.pages.join("\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{json, page};

    #[test]
    fn kinds_functions_and_modules_have_pages() {
        let names = ["", "file", "fmt.printf", "strings", "models", "fs", "fs::File", "std::print"];
        assert!(names.iter().all(|name| page(name).is_some_and(|page| page.len() > 20)));
        assert!(page("no_such_thing").is_none() && json("no_such_thing").is_none());
        assert!(json("file").is_some_and(|json| json.contains("\"content\"")));
        assert!(json("functions").is_some_and(|json| json.contains("\"fmt.printf\"")));
        let whole: serde_json::Value = serde_json::from_str(&json("").expect("all of it")).expect("JSON");
        assert!(["functions", "resources", "models"].iter().all(|part| !whole[part].is_null()));
    }
}
