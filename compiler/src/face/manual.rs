//! Manual pages by name, for all languages.

use crate::diag::suggest::closest;
use crate::language::{ALL, explain};
use crate::scope::foreign_function;
use crate::unify::foreign_kind;
use std::fmt::Write;

/// The page of a name, in Markdown, or a help text if there is none; an empty name lists all names. A name may have a
/// page in each language: `net` is a kind of resources, and a module of models.
pub(super) fn page(name: &str) -> Result<String, String> {
    if name.is_empty() {
        return Ok(contents());
    }
    let pages: Vec<String> = ALL.iter().filter_map(|language| language.page(name)).collect();
    if pages.is_empty() { Err(help(name)) } else { Ok(pages.join("\n")) }
}

/// The same as JSON, of the first language that has it; for an empty name an object with all pages.
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

/// The maximum number of pages that a help text names.
const MOST: usize = 3;

/// The page that was probably meant: a code, another spelling, the name in another tool, the last or first part of a
/// name, or a typo.
fn help(name: &str) -> String {
    if explain(name).is_some() {
        return format!("for a code, run `mclive explain {name}`");
    }
    let parts = ALL.iter().flat_map(|language| language.contents());
    let known: Vec<String> = parts.flat_map(|part| part.pages.into_iter().chain([part.name.to_owned()])).collect();
    let lower = name.to_lowercase();
    let is_page = |name: &str| known.iter().any(|known| *known == name);
    let spelled = || known.iter().find(|known| known.to_lowercase() == lower).cloned();
    let kind = || foreign_kind(&lower).map(|(kind, _)| kind.to_owned());
    let function = || foreign_function(name).filter(|function| is_page(function));
    // `file.state`, `exec[build]`: a part of what has a page.
    let first_part = || {
        let first = lower.split(['.', '[', ' ']).next().filter(|first| *first != lower)?;
        is_page(first).then(|| first.to_owned())
    };
    let nearest = || closest(&lower, known.iter().map(String::as_str)).map(str::to_owned);
    if let Some(meant) = spelled().or_else(kind) {
        return format!("did you mean `{meant}`?");
    }
    let mut with_prefix: Vec<String> = Vec::new();
    for known in known.iter().filter(|known| known.rsplit(['.', ':']).next() == Some(&lower)) {
        if !with_prefix.contains(known) {
            with_prefix.push(known.clone());
        }
    }
    if let [before @ .., last] = with_prefix.as_slice()
        && before.len() < MOST
    {
        let before = before.join("`, `");
        let before = if before.is_empty() { before } else { format!("`{before}` or ") };
        return format!("did you mean {before}`{last}`?");
    }
    // A typo in a full name is nearer than the same word of another tool.
    let meant = if name.contains('.') { nearest().or_else(function) } else { function().or_else(nearest) };
    match meant.or_else(first_part) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if matches!(&*lower, "facts" | "facter" | "grains" | "ohai" | "setup") => {
            "facts are functions, such as `os.family`; run `mclive docs functions` to list them".to_owned()
        }
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
        for both in ["exec", "net"] {
            let import = format!("\n\n# {both}\n\n## `import {both}`\n");
            assert!(page(both).is_ok_and(|page| page.contains("| field |") && page.contains(&import)), "{both}");
        }
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
            ("strings.uppercase", "strings.to_upper"),
            ("upcase", "strings.to_upper"),
            ("file.stat", "file"),
            ("exec[build]", "exec"),
        ];
        for (name, page_name) in meant {
            assert_eq!(page(name).expect_err("not a page"), format!("did you mean `{page_name}`?"));
        }
        assert_eq!(page("getenv").expect_err("not a page"), "did you mean `sys.getenv` or `golang/os.getenv`?");
        let several = page("range").expect_err("not a page");
        assert!(several.contains("`iter.range`") && several.contains(" or "), "{several}");
        assert_eq!(page("E0401").expect_err("not a page"), "for a code, run `mclive explain E0401`");
        assert_eq!(crate::language::explain("w7"), crate::language::explain("W0007"));
        assert!(crate::language::explain("w7").is_some() && crate::language::explain("7").is_none());
        assert!(page("facts").expect_err("not a page").starts_with("facts are functions"));
        assert_eq!(page("no_such_thing").expect_err("not a page"), "run `mclive docs` to list all pages");
    }
}
