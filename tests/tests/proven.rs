//! The table of what is proven of each kind, and against what: `tests/hosts/README.md` is made of the tests themselves.
//! `MCLIVE_BLESS=1` rewrites it.

use mclive_compiler::kinds::{self, Kind};
use mclive_tests::txtar::Archive;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const HEAD: &str = "# Kinds on real hosts

How each kind is tested. The table is generated from the tests: `tests/tests/proven.rs` finds the programs that use a kind,
and `make bless` updates it.

- **Systemd machines**: cases in this directory, each run on a freshly booted Debian with its own tools (`make test-hosts`).
- **This host**: the agent binary on the file system, network and processes of the machine that runs the tests
  (`host-agent/tests/agent`).
- **Simulated host**: the same kind in virtual time (`compiler/sim/src/tests`, `compiler/tests/host`).
- **Scenarios**: the number of cases in `tests/scenarios` with this kind.

The backend on Linux is described by `mclive docs KIND`; its first sentence is here.

| kind | backend on Linux | systemd machines | this host | simulated host | scenarios |
|---|---|---|---|---|---|
";

/// The texts of a folder's files with this ending, by the name of the file without it; those of one name are joined.
fn texts(folder: &str, ending: &str, found: &mut BTreeMap<String, String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == ending) {
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                found.entry(name).or_default().push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
}

/// The programs of a text archive.
fn programs(text: &str) -> String {
    let archive = Archive::parse(text.as_bytes());
    let programs = archive.files.iter().filter(|(name, _)| name.ends_with(".mcl"));
    programs.map(|(_, content)| String::from_utf8_lossy(content).into_owned()).collect()
}

/// Is there a resource of this kind in a text that holds programs?
fn has(text: &str, kind: &str) -> bool {
    text.match_indices(kind).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let is_whole = !before.is_some_and(|c| c.is_alphanumeric() || "_:.$/`-".contains(c));
        let rest = &text[at + kind.len()..];
        is_whole && [" \"", " \\\"", " [\"", " [\\\"", " [$", " $"].iter().any(|name| rest.starts_with(name))
    })
}

fn naming(texts: &BTreeMap<String, String>, kind: &dyn Kind) -> Vec<String> {
    texts.iter().filter(|(_, text)| has(text, kind.decl().name)).map(|(name, _)| name.clone()).collect()
}

fn table() -> String {
    let [mut archives, mut here, mut simulated, mut scenarios] = [const { BTreeMap::new() }; 4];
    texts("tests/hosts", "txtar", &mut archives);
    texts("tests/scenarios", "txtar", &mut scenarios);
    let [machines, scenarios] = [&archives, &scenarios]
        .map(|archives| archives.iter().map(|(name, text)| (name.clone(), programs(text))).collect::<BTreeMap<_, _>>());
    texts("host-agent/tests/agent", "rs", &mut here);
    texts("compiler/sim/src/tests", "rs", &mut simulated);
    texts("compiler/tests/host", "rs", &mut simulated);
    let mut table = HEAD.to_owned();
    let mut kinds: Vec<&dyn Kind> = kinds::all().map(|kind| kind as &dyn Kind).collect();
    kinds.sort_by_key(|kind| kind.decl().name);
    for kind in &kinds {
        let cases = naming(&machines, *kind).join(", ");
        let (here, simulated) = (naming(&here, *kind).join(", "), naming(&simulated, *kind).join(", "));
        let n_scenarios = naming(&scenarios, *kind).len();
        let backend = kind.backend().split(". ").next().unwrap_or_default().trim_end_matches('.');
        writeln!(table, "| `{}` | {backend} | {cases} | {here} | {simulated} | {n_scenarios} |", kind.decl().name)
            .unwrap();
    }
    let drifts = archives.values().flat_map(|text| text.lines()).filter(|line| line.starts_with("drift "));
    let n_drifts = drifts.count();
    writeln!(
        table,
        "\nThe {} cases on systemd machines cause drift {n_drifts} times. It is always detected by an event and repaired, and a
second run changes nothing.

All {} kinds can be applied.",
        archives.len(),
        kinds.len(),
    )
    .unwrap();
    table
}

#[test]
fn the_table_of_what_is_proven_is_that_of_the_tests() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hosts/README.md");
    let table = table();
    if std::env::var_os("MCLIVE_BLESS").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    let have = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(have, table, "tests/hosts/README.md is stale; run `make bless`");
}

#[test]
fn a_kind_is_told_by_its_name_alone() {
    assert!(has("file \"/a\" {", "file") && has("x\n\tfile [\"/a\"] {", "file") && has("\"file \\\"/a\\\" {", "file"));
    assert!(!has("http:server:file \"/a\" {", "file") && !has("profile \"a\"", "file") && !has("a file `x`", "file"));
    assert!(has("pkg [\"a\"] {", "pkg") && has("user [$name] {", "user") && !has("\"user $x\"", "group"));
}
