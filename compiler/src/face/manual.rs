//! Manual pages by name, for all languages.

use crate::diag::suggest::closest;
use crate::language::ALL;
use crate::unify::foreign_kind;
use std::fmt::Write;

/// The page of a name, in Markdown, or a help text if there is none; an empty name lists all names.
pub(super) fn page(name: &str) -> Result<String, String> {
    if name.is_empty() {
        return Ok(contents());
    }
    ALL.iter().find_map(|language| language.page(name)).ok_or_else(|| help(name))
}

/// The same as JSON; for an empty name an object with all pages.
pub(super) fn json(name: &str) -> Result<String, String> {
    let json = if name.is_empty() {
        let parts =
            ALL.iter().flat_map(|language| language.contents().into_iter().map(move |part| (language, part.name)));
        parts.map(|(language, name)| (name.to_owned(), language.page_json(name).unwrap_or_default())).collect()
    } else {
        ALL.iter().find_map(|language| language.page_json(name)).ok_or_else(|| help(name))?
    };
    Ok(format!("{json:#}\n"))
}

/// The page that was probably meant: another spelling, the name in another tool, the last part of a name, or a typo.
fn help(name: &str) -> String {
    let parts = ALL.iter().flat_map(|language| language.contents());
    let known: Vec<String> = parts.flat_map(|part| part.pages.into_iter().chain([part.name.to_owned()])).collect();
    let lower = name.to_lowercase();
    let last_part = |known: &str| known.rsplit(['.', ':']).next() == Some(&lower);
    let spelled = known.iter().find(|known| known.to_lowercase() == lower).map(String::as_str);
    let meant = spelled
        .or_else(|| foreign_kind(&lower).map(|(kind, _)| kind))
        .or_else(|| known.iter().map(String::as_str).find(|known| last_part(known)))
        .or_else(|| closest(&lower, known.iter().map(String::as_str)));
    match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "run `mclive docs` to list all pages".to_owned(),
    }
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
        assert!(names.iter().all(|name| page(name).is_ok_and(|page| page.len() > 20)));
        assert!(page("no_such_thing").is_err() && json("no_such_thing").is_err());
        assert!(json("file").is_ok_and(|json| json.contains("\"content\"")));
        assert!(json("functions").is_ok_and(|json| json.contains("\"fmt.printf\"")));
        let whole: serde_json::Value = serde_json::from_str(&json("").expect("all of it")).expect("JSON");
        assert!(["functions", "resources", "models"].iter().all(|part| !whole[part].is_null()));
    }

    #[test]
    fn other_names_lead_to_a_page() {
        let meant = [
            ("package", "pkg"),
            ("service", "svc"),
            ("File", "file"),
            ("printf", "fmt.printf"),
            ("strings.to_uper", "strings.to_upper"),
            ("exce", "exec"),
        ];
        for (name, page_name) in meant {
            assert_eq!(page(name).expect_err("not a page"), format!("did you mean `{page_name}`?"));
        }
        assert_eq!(page("no_such_thing").expect_err("not a page"), "run `mclive docs` to list all pages");
    }
}
