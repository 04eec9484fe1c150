//! Which crates import which: the manifests say what the table of `ARCHITECTURE.md` says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Imports = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace")
}

fn text(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// The texts between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// The rows of the table: a crate, and what it imports.
fn declared() -> Imports {
    let architecture = text(root().join("ARCHITECTURE.md"));
    let (_, section) = architecture.split_once("## Dependencies between crates").expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let imports = |rest: &str| rest.split('|').next().into_iter().flat_map(quoted).collect();
    rows.map(|(name, rest)| (name.to_owned(), imports(rest))).collect()
}

/// The members of the workspace by the name of their package, and what their manifests import of each other.
fn actual() -> Imports {
    let workspace = text(root().join("Cargo.toml"));
    let (_, members) = workspace.split_once("members = [").expect("the members");
    let members = members.split(']').next().unwrap_or_default();
    let folders = members.split('"').skip(1).step_by(2).map(|folder| root().join(folder));
    folders
        .map(|folder| {
            let manifest = text(folder.join("Cargo.toml"));
            let mut section = "";
            let (mut name, mut imports) = (String::new(), BTreeSet::new());
            for line in manifest.lines() {
                if line.starts_with('[') {
                    section = line;
                } else if section == "[package]" && line.starts_with("name = ") {
                    name = line.split('"').nth(1).expect("a name").to_owned();
                } else if section.contains("dependencies]") && !section.contains("dev-dependencies") {
                    let key = line.split(['.', ' ', '=']).next().unwrap_or_default();
                    imports.extend(Some(key).filter(|key| key.starts_with("mclive")).map(str::to_owned));
                }
            }
            (name, imports)
        })
        .collect()
}

#[test]
fn the_table_of_crates_is_true() {
    let (declared, actual) = (declared(), actual());
    assert!(actual.len() > 10, "{actual:?}");
    for name in declared.keys().chain(actual.keys()) {
        assert_eq!(declared.get(name), actual.get(name), "{name}: ARCHITECTURE.md says left, its manifest right");
    }
}

#[test]
fn the_bodies_see_no_more_of_the_compiler_than_its_plain_data() {
    let actual = actual();
    assert_eq!(actual["mclive"].iter().collect::<Vec<_>>(), ["mclive-base"]);
    assert_eq!(actual["mclive-sim"].iter().collect::<Vec<_>>(), ["mclive-base"]);
    assert!(actual["mclive-base"].is_empty());
    assert!(!actual["mclive-syntax"].contains("mclive-library") && !actual["mclive-library"].contains("mclive-syntax"));
}
