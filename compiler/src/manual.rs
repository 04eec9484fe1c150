//! The manual: pages on functions and resource kinds, made from their definitions.
//!
//! In: the name of a page. Out: its text. The ending of the name says the form: `.json` for tools,
//! `.md` for the site, none for a terminal. `mclive docs`.

use crate::corelib;
use crate::kinds::{self, Kind};
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Text,
    Json,
    Markdown,
}

/// A page: `resources`, `functions`, or the name of a kind, function, constant or module; the empty
/// name lists all pages. `None`: there is no such page.
///
/// A name that is both a kind and a module or function (`file`, `value`) gives both.
pub fn page(name: &str) -> Option<String> {
    let (name, form) = match (name.strip_suffix(".json"), name.strip_suffix(".md")) {
        (Some(name), _) => (name, Form::Json),
        (None, Some(name)) => (name, Form::Markdown),
        (None, None) => (name, Form::Text),
    };
    match name {
        "" => Some(contents()),
        "resources" => Some(resources(kinds::all(), form)),
        "functions" => Some(functions(|_| true, form)),
        name => {
            let kind = kinds::lookup(name).map(|kind| resources([kind], form));
            let is_meant = |entry: &corelib::docs::Entry| entry.name == name || entry.module == name;
            let known = corelib::docs::entries().any(|entry| is_meant(&entry));
            let functions = (known && !name.is_empty()).then(|| functions(is_meant, form));
            match (kind, functions) {
                // Two lists would be no JSON.
                (Some(kind), Some(_)) if form == Form::Json => Some(kind),
                (Some(kind), Some(functions)) => Some(format!("{kind}\n{functions}")),
                (kind, functions) => kind.or(functions),
            }
        }
    }
}

fn resources(kinds: impl IntoIterator<Item = &'static dyn Kind>, form: Form) -> String {
    match form {
        Form::Text => kinds::docs::text(kinds),
        Form::Json => pretty(&kinds::docs::json(kinds)),
        Form::Markdown => kinds::docs::markdown(kinds),
    }
}

fn functions(is_meant: impl Fn(&corelib::docs::Entry) -> bool, form: Form) -> String {
    let entries = corelib::docs::entries().filter(is_meant);
    match form {
        Form::Text => corelib::docs::text(entries),
        Form::Json => pretty(&corelib::docs::json(entries)),
        Form::Markdown => corelib::docs::markdown(entries),
    }
}

fn pretty(json: &serde_json::Value) -> String {
    format!("{json:#}\n")
}

fn contents() -> String {
    let mut out = String::from("functions\nresources\n\n");
    for kind in kinds::all() {
        let decl = kind.decl();
        let first = decl.doc.split_inclusive(". ").next().unwrap_or_default();
        let _ = writeln!(out, "{:<28} {}", decl.name, first.trim_end());
    }
    out.push('\n');
    for entry in corelib::docs::entries() {
        let first = entry.doc.lines().next().unwrap_or_default();
        let _ = writeln!(out, "{:<28} {first}", entry.name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_in_three_forms() {
        let json: serde_json::Value = serde_json::from_str(&page("resources.json").unwrap()).unwrap();
        assert_eq!(json.as_array().map(Vec::len), Some(61));
        assert!(page("resources.md").unwrap().starts_with("# Resource kinds\n"));
        assert!(page("exit").unwrap().starts_with("exit\n"));
        assert!(page("functions.json").is_some());
        assert_eq!(page("no such page"), None);
    }

    #[test]
    fn the_contents_name_every_kind() {
        let contents = page("").unwrap();
        for kind in kinds::all() {
            assert!(contents.contains(kind.decl().name), "{}", kind.decl().name);
        }
    }

    #[test]
    fn constants_of_kinds_are_those_of_the_language() {
        for kind in kinds::all() {
            for (name, value) in kind.decl().constants {
                let full = format!("$const.res.{}.{name}", kind.decl().name);
                let found = corelib::docs::entries().find(|entry| entry.name == full);
                let known = found.and_then(|entry| entry.value);
                assert_eq!(known, Some(value.value().to_string()), "{full}");
            }
        }
    }
}
