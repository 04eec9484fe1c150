//! Every suggestion of the gallery, followed: each edit is applied, and the code that a help text shows is read.
//!
//! After an edit its diagnostic is gone, and no new error is at or beside that place. Code in a help text that is a
//! whole statement has no error of syntax.

use mclive_cases::{Case, below};
use mclive_compiler::compile::{Setup, check};
use mclive_compiler::diag::{Diagnostic, Diags, Edit, Stage};
use mclive_compiler::source::{MemoryWorld, Sources};
use mclive_tests::txtar::Archive;
use std::collections::BTreeMap;
use std::path::Path;

type Files = Vec<(String, Vec<u8>)>;

fn checked(files: &Files) -> (Sources, Vec<Diagnostic>) {
    let mut world = MemoryWorld::default();
    files.iter().for_each(|(path, bytes)| world.insert(path, bytes.as_slice()));
    let compiled = check(&world, "/main.mcl", Setup { hostname: "host1" });
    (compiled.sources, Diags::into_vec(compiled.diags))
}

fn gallery() -> Vec<(Case, Files)> {
    let cases = below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("gallery"), "txtar");
    let files = |case: &Case| {
        let mut files = Archive::parse(&case.bytes()).files;
        files.retain(|(name, _)| name != "said");
        files
    };
    cases.into_iter().map(|case| (files(&case), case)).map(|(files, case)| (case, files)).collect()
}

/// The file of a path in a program.
fn file_of<'f>(files: &'f mut Files, path: &str) -> Option<&'f mut Vec<u8>> {
    let wanted = path.trim_start_matches('/');
    files.iter_mut().find(|(name, _)| name.trim_start_matches('/') == wanted).map(|(_, bytes)| bytes)
}

/// How often each message is there.
fn counted(diagnostics: &[Diagnostic]) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for one in diagnostics {
        *counts.entry((one.code.to_string(), one.message.clone())).or_default() += 1;
    }
    counts
}

/// The line of an offset, from 0.
fn line_of(text: &[u8], offset: usize) -> usize {
    text[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// What is wrong with a program after an edit.
fn followed(files: &Files, before: &[Diagnostic], one: &Diagnostic, edit: &Edit, path: &str) -> Option<String> {
    let mut changed = files.clone();
    let bytes = file_of(&mut changed, path)?;
    let (start, end) = (edit.span.start as usize, edit.span.end as usize);
    bytes.splice(start..end, edit.replacement.bytes());
    let text = bytes.clone();
    let (sources, after) = checked(&changed);
    let (was, is) = (counted(before), counted(&after));
    let key = (one.code.to_string(), one.message.clone());
    if is.get(&key).copied().unwrap_or_default() >= was[&key] {
        return Some(format!("still says: {}", one.message));
    }
    let first = line_of(&text, start).saturating_sub(1);
    let last = line_of(&text, start + edit.replacement.len()) + 1;
    let is_beside = |found: &Diagnostic| {
        let Some(label) = &found.primary else { return false };
        let is_here = sources.get(label.span.file).path.trim_start_matches('/') == path.trim_start_matches('/');
        is_here && (first..=last).contains(&line_of(&text, label.span.start as usize))
    };
    let is_new = |found: &&Diagnostic| {
        let key = (found.code.to_string(), found.message.clone());
        found.is_error() && was.get(&key).copied().unwrap_or_default() < is[&key] && is_beside(found)
    };
    let new = after.iter().find(is_new)?;
    Some(format!("now says: [{}] {}", new.code, new.message))
}

/// Programs with a second mistake beside the first, which is said when the first is repaired; and the edit after which it
/// is. After `;` a second statement stays.
const SECOND_MISTAKE: &[(&str, &str)] = &[
    ("gallery/beginner-edge-lowercase", "write `Pkg`"),
    ("gallery/beginner-semicolons", "remove the `;`"),
    ("gallery/beginner-send-unknown-field", "rename to `content`"),
    ("gallery/beginner-unquoted-address", "add quotes"),
    ("gallery/foreign-go-func", "write `$a int, $b int`"),
    ("gallery/foreign-js-operators", "write `or`"),
    ("gallery/foreign-puppet-typed-parameters", "write `$port int`"),
    ("gallery/fresh-go-types", "write `str`"),
    ("gallery/names-edge-kind", "use `Print`"),
    ("gallery/string-holes", "add the `}`"),
    ("gallery/tools-ansible-template-mod", "use `file`"),
    ("gallery/tools-half-import", "close the string"),
    ("gallery/tools2-ans-notify-handler", "write `Notify => Svc[\"nginx\"],`"),
    ("gallery/tools2-bicep-resource", "use double quotes"),
    ("gallery/tools2-half-file-str", "close the string"),
    ("gallery/tools2-html-entity", "write `>`"),
    ("gallery/tools2-nginx-if", "write `==`"),
    ("gallery/tools2-ruby-attr", "write `$name`"),
    ("gallery/tools2-yaml-flow", "add quotes"),
    ("gallery/tools2-yaml-list-field", "add quotes"),
    ("gallery/tools3-ans-lookup-env", "import `sys`, and write `sys.getenv(\"HOME\")`"),
    ("gallery/tools3-go-errorf", "write `fmt.printf`"),
    ("gallery/tools3-hcl-coalesce", "write `$a`"),
    ("gallery/tools3-hcl-format", "import `fmt` and use `fmt.printf`"),
    ("gallery/tools6-name-dash-var", "write `$web_port`"),
    ("gallery/types-edges", "use `Print`"),
    ("gallery/week-hcl-func", "add quotes"),
    ("gallery/week-pup-and-bool", "write `not `"),
    ("gallery/week-sh-var", "write `$name`"),
    ("gallery/week-val-svc-started", "write `\"running\"`"),
    ("gallery/week-val-user", "rename to `homedir`"),
    ("gallery/written-js-object", "add quotes"),
    ("gallery/written-nix-if", "write `if $a { 1 } else { 2 }`"),
    ("gallery/wrong-values", "write `\"running\"`"),
    ("gallery/wrong-values", "write `\"stopped\"`"),
];

#[test]
fn each_edit_repairs_what_it_is_for() {
    let mut wrong = Vec::new();
    let mut n_edits = 0;
    for (case, files) in gallery() {
        let (sources, before) = checked(&files);
        for one in &before {
            for edit in &one.edits {
                n_edits += 1;
                if SECOND_MISTAKE.contains(&(case.name.as_str(), edit.title.as_str())) {
                    continue;
                }
                let path = sources.get(edit.span.file).path.to_string();
                let why = followed(&files, &before, one, edit, &path);
                wrong.extend(why.map(|why| format!("{}: {} ({}): {why}", case.name, one.message, edit.title)));
            }
        }
    }
    assert!(n_edits > 150, "{n_edits}");
    assert!(wrong.is_empty(), "{} of {n_edits}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A snippet as a program, with something in each gap; `None` if it is not a whole statement.
fn program(snippet: &str) -> Option<String> {
    let first = snippet.split([' ', '(', '[']).next().unwrap_or_default();
    let is_kind = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b':');
    let rest = snippet.strip_prefix(first).unwrap_or_default();
    let begins = match first {
        "import" | "include" => rest.starts_with(' '),
        "for" | "forkv" | "if" | "class" => snippet.ends_with('}'),
        "func" => rest.starts_with(' ') && snippet.ends_with('}'),
        _ if first.starts_with('$') => rest.starts_with(" = "),
        _ if is_kind => rest.starts_with(" \"") && snippet.ends_with('}'),
        _ => rest.starts_with('[') && rest.contains("->"),
    };
    // A value can also begin with `if`.
    let is_value = first == "if" && snippet.contains("else") && !snippet.contains("{ … }");
    let is_word = ["import name", "include name"].iter().any(|word| snippet.starts_with(word));
    if !begins || is_value || is_word && !snippet.contains('"') && snippet.contains('.') && snippet.contains(':') {
        return None;
    }
    let has_value = first == "func" || snippet.contains("func(") || snippet.contains("= if ");
    let body = if has_value { "{ 1 }" } else { "{\n}" };
    let filled = snippet.replace("{ … }", body).replace("{…}", "{}").replace("(…)", "()").replace("[…]", "[\"a\"]");
    let filled = filled.replace("= value", "= 1").replace("=> value", "=> 1");
    let filled = filled.replace(", …]", "]").replace(", …)", ")").replace("\"…\"", "\"a\"").replace('…', "1");
    Some(format!("{filled}\n"))
}

#[test]
fn code_in_a_help_text_is_mcl() {
    let mut wrong = Vec::new();
    let mut n_read = 0;
    for (case, files) in gallery() {
        let (_, diagnostics) = checked(&files);
        for help in diagnostics.iter().flat_map(|one| &one.help) {
            for snippet in help.split('`').skip(1).step_by(2) {
                let Some(text) = program(snippet) else { continue };
                n_read += 1;
                let (_, said) = checked(&vec![("main.mcl".to_owned(), text.into_bytes())]);
                let error = said.iter().find(|one| one.is_error() && one.stage == Stage::Parse);
                wrong.extend(error.map(|error| format!("{}: `{snippet}`: {}", case.name, error.message)));
            }
        }
    }
    assert!(n_read > 60, "{n_read}");
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} of {n_read}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn an_unexpected_token_has_help() {
    let mut without = Vec::new();
    for (case, files) in gallery() {
        let (_, diagnostics) = checked(&files);
        let silent = diagnostics.iter().filter(|one| one.code.to_string() == "E0201" && one.help.is_empty());
        without.extend(silent.map(|one| format!("{}: {}", case.name, one.message)));
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
}
