//! How the compiler's house is kept: what no compiler checks.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust file below a folder, with its text.
fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("it can be read").path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.push((path, text));
        }
    }
}

fn below(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| sources(&root().join(folder), &mut found));
    assert!(!found.is_empty());
    found
}

#[test]
fn doc_comments_are_statements() {
    let floors = ["base", "syntax", "library", "analysis", "engine", "sim", "ide", "scenario", "src"];
    let folders: Vec<String> = floors.map(|floor| format!("compiler/{floor}")).into();
    let mut found = Vec::new();
    for (path, text) in below(&folders.iter().map(String::as_str).collect::<Vec<_>>()) {
        let docs = text.lines().map(str::trim).filter(|line| line.starts_with("///") || line.starts_with("//!"));
        // What a help line of a diagnostic looks like is shown as it is.
        let asks = docs.filter(|line| line.ends_with('?') && !line.contains("= help:"));
        found.extend(asks.map(|line| format!("{}: {line}", path.display())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The type that a line declares, if it is one of those that once were there several times.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.find(|word| ["struct", "enum", "trait"].contains(word))?;
    words.next().filter(|name| ["World", "Source", "Entry", "State"].contains(name))
}

#[test]
fn names_are_there_once() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in below(&["compiler", "host-agent/src", "playground/src", "www/src", "tests/src"]) {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for name in code.filter_map(declared) {
            places.entry(name.to_string()).or_default().push(path.display().to_string());
        }
    }
    assert!(places.values().all(|places| places.len() == 1), "{places:#?}");
}

#[test]
fn a_part_of_the_scheduler_knows_itself_alone() {
    for (path, text) in below(&["compiler/engine/src/sched/state"]) {
        assert!(!text.contains("Scheduler"), "{} knows the scheduler", path.display());
        let is_field = |line: &&str| {
            let visible =
                line.trim_start().strip_prefix("pub(crate) ").or(line.trim_start().strip_prefix("pub(super) "));
            visible.is_some_and(|rest| {
                rest.split_once(':').is_some_and(|(name, _)| name.chars().all(|c| c == '_' || c.is_alphanumeric()))
            })
        };
        let fields: Vec<&str> = text.lines().filter(is_field).collect();
        // The events that came are handed over as a pair with names.
        let allowed = if path.ends_with("watches.rs") { 2 } else { 0 };
        assert!(fields.len() <= allowed, "{}: {fields:#?}", path.display());
    }
}

/// Whether a line declares a field that other files see.
fn is_visible_field(line: &str) -> bool {
    let declared = line.trim_start().strip_prefix("pub").and_then(|rest| match rest.starts_with('(') {
        true => rest.split_once(") ").map(|(_, rest)| rest),
        false => rest.strip_prefix(' '),
    });
    let name = declared.and_then(|rest| rest.split_once(':')).map(|(name, _)| name);
    let is_named = name.is_some_and(|name| name.chars().all(|c| c == '_' || c.is_alphanumeric()));
    is_named || line.contains("struct ") && line.contains("(pub")
}

/// What parts hand over as a whole: a record has no invariant that a method would keep.
const RECORDS: [&str; 4] = ["Frame", "Opened", "Prefix", "Site"];

#[test]
fn a_part_of_the_linker_or_of_the_evaluator_keeps_its_fields() {
    let states = [("compiler/analysis/src/scope/state", "Linker"), ("compiler/inmanta/src/eval/state", "Evaluator")];
    for (folder, whole) in states {
        for (path, text) in below(&[folder]) {
            let mut within = "";
            for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                assert!(!line.contains(whole), "{}: {line}", path.display());
                if let Some((_, rest)) = line.split_once("struct ") {
                    within = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                }
                assert!(!is_visible_field(line) || RECORDS.contains(&within), "{}: {line}", path.display());
            }
        }
    }
}

/// The files below some folders that are not tests, by their paths in the workspace, without comments and tests in them.
fn untested(folders: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (path, text) in below(folders) {
        let path = path.strip_prefix(root()).expect("it is below the workspace");
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let is_apart = |part: &OsStr| ["tests", "benches", "examples"].iter().any(|folder| part == *folder);
        let is_test = path.iter().any(is_apart) || stem.ends_with("tests");
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        if !is_test {
            found.push((path.display().to_string(), lines.join("\n")));
        }
    }
    found
}

/// The compiler answers with values and diagnostics. What cannot be is said where it is expected (`expect`).
#[test]
fn the_compiler_neither_prints_nor_unwraps() {
    let banned = [".unwrap()", "print!(", "println!(", "dbg!(", "todo!(", "unimplemented!("];
    for (path, text) in untested(&["compiler"]) {
        // The model of the fleet is a test.
        if !path.contains("/fleet/model/") {
            let found: Vec<&str> = banned.into_iter().filter(|word| text.contains(word)).collect();
            assert!(found.is_empty(), "{path}: {found:?}");
        }
    }
}

/// What every part asks a subject is in its own files: elsewhere only lists name it, one line each.
#[test]
fn a_kind_with_a_backend_is_in_its_own_files_and_in_the_lists() {
    let own = [
        "compiler/base/src/vocab/consul.rs",
        "compiler/library/src/kinds/consul_kv.rs",
        "compiler/sim/src/subject/consul.rs",
        "host-agent/src/host/subject/consul.rs",
    ];
    let lists = [
        "compiler/base/src/vocab/mod.rs",
        "compiler/library/src/kinds/examples.rs",
        "compiler/library/src/kinds/mod.rs",
        "compiler/sim/src/subject/mod.rs",
        "host-agent/src/host/subject/mod.rs",
    ];
    let mut found = Vec::new();
    for (path, text) in untested(&["compiler", "host-agent/src", "playground/src", "www/src"]) {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        if path.contains("consul") || words.any(|word| word.eq_ignore_ascii_case("consul")) {
            found.push(path);
        }
    }
    let mut expected = [&own[..], &lists[..]].concat();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// The folders of the members of the workspace.
fn members() -> Vec<PathBuf> {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let (_, members) = workspace.split_once("members = [").expect("the members");
    let members = members.split(']').next().unwrap_or_default();
    members.split('"').skip(1).step_by(2).map(|member| root().join(member)).collect()
}

/// The sources of a member's programs that are not built a second time, for tests of theirs.
fn without_tests(member: &Path) -> Vec<(PathBuf, String)> {
    let manifest = fs::read_to_string(member.join("Cargo.toml")).expect("a manifest");
    let mut found = Vec::new();
    for section in manifest.split("\n[").filter_map(|section| section.strip_prefix("[bin]]\n")) {
        let value = |key: &str| {
            let value = section.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            value.map(|value| value.trim_matches('"'))
        };
        if value("test") != Some("false") {
            continue;
        }
        let usual = member.join("src/bin").join(value("name").expect("a target has a name"));
        if usual.is_dir() {
            sources(&usual, &mut found);
        } else {
            let file = value("path").map_or(usual.with_extension("rs"), |path| member.join(path));
            let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            found.push((file, text));
        }
    }
    found
}

/// Without a build for its tests nobody runs them.
#[test]
fn a_program_that_is_not_built_for_its_tests_has_none() {
    let programs: Vec<_> = members().iter().flat_map(|member| without_tests(member)).collect();
    assert!(programs.len() > 9, "{}", programs.len());
    for (path, text) in programs {
        assert!(!text.contains("#[test]"), "{}: its manifest says `test = false`", path.display());
    }
}

/// The test targets of a manifest that list their tests themselves: the main file of each.
fn self_listed(manifest: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(manifest).unwrap_or_else(|error| panic!("{}: {error}", manifest.display()));
    let targets =
        text.split("\n[").filter(|section| section.starts_with("[test]]") && section.contains("harness = false"));
    let value = |section: &str, key: &str| {
        let line = section.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix("= \""));
        line.map(|line| line.trim_end_matches('"').to_owned())
    };
    let folder = manifest.parent().expect("a folder");
    let main = |section: &str| {
        let name = value(section, "name").expect("a target has a name");
        let path = value(section, "path").map(|path| folder.join(path));
        path.unwrap_or_else(|| {
            let single = folder.join(format!("tests/{name}.rs"));
            if single.exists() { single } else { folder.join(format!("tests/{name}/main.rs")) }
        })
    };
    targets.map(main).collect()
}

/// Without the standard harness nobody finds `#[test]`: such a function would be no test at all.
#[test]
fn a_target_that_lists_its_tests_lists_all_of_them() {
    let mains: Vec<PathBuf> = members().iter().flat_map(|member| self_listed(&member.join("Cargo.toml"))).collect();
    assert!(mains.len() >= 7, "{mains:?}");
    for main in mains {
        let mut files = Vec::new();
        if main.ends_with("main.rs") {
            sources(main.parent().expect("a folder"), &mut files);
        } else {
            files.push((main.clone(), fs::read_to_string(&main).expect("it can be read")));
        }
        for (path, text) in files {
            let lost = text.lines().any(|line| line.trim_start().starts_with("#[test]"));
            assert!(!lost, "{}: list it with `plain![...]` in {}", path.display(), main.display());
        }
    }
}

/// Every process of the agent begins in one place, which sees to its bounds and its end. Tests start what they like.
#[test]
fn one_place_starts_the_processes_of_the_agent() {
    let is_start = |line: &&str| {
        let code = line.split("//").next().unwrap_or_default();
        ["Command::new(", "std::process::Command", "tokio::process", "fork(", "posix_spawn"]
            .iter()
            .any(|word| code.contains(word))
            || code.trim_start().starts_with("use std::process::{") && code.contains("Command")
    };
    let agent = below(&["host-agent/src"]).into_iter().filter(|(path, _)| !path.ends_with("tests.rs"));
    let starts = agent.map(|(path, text)| (path, text.lines().filter(is_start).count())).filter(|(_, n)| *n > 0);
    let starts: Vec<(PathBuf, usize)> = starts.collect();
    let place = root().join("host-agent/src/process/start.rs");
    assert_eq!(starts, [(place, 2)], "its import and its use: what starts a process is a `process::Start`");
}

/// A lock of the standard library ends whoever takes it after a panic; the agent has others.
#[test]
fn no_lock_of_the_agent_is_lost_to_a_panic() {
    let others = |line: &&str| {
        let code = line.split("//").next().unwrap_or_default();
        // A guard is the same of both.
        let mut words = code.split(|c: char| !c.is_alphanumeric());
        words.any(|word| ["Mutex", "Condvar", "RwLock"].contains(&word))
            && (code.contains("std::sync") || code.contains("no holder panics"))
    };
    for (path, text) in below(&["host-agent/src"]).into_iter().filter(|(path, _)| !path.ends_with("src/lock.rs")) {
        let found: Vec<&str> = text.lines().filter(others).collect();
        assert!(found.is_empty(), "{}: use `crate::lock`: {found:#?}", path.display());
    }
}
