//! `compiler/ACCIDENTS.md` says what it says of code and cases that are there.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The rows of the table, as the code in backticks of each column.
fn rows() -> Vec<Vec<Vec<String>>> {
    let page = fs::read_to_string(root().join("compiler/ACCIDENTS.md")).expect("the page is there");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| accident"));
    let code = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_string).collect();
    rows.map(|row| row.trim_matches('|').split(" | ").map(code).collect()).collect()
}

/// All Rust source below a file or folder.
fn source(path: &Path) -> String {
    if path.is_file() {
        return fs::read_to_string(path).expect("it can be read");
    }
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    entries.map(|entry| source(&entry.expect("it can be read").path())).collect()
}

#[test]
fn the_page_names_code_that_is_there_and_who_asks_it() {
    let rows = rows();
    assert!(rows.len() >= 6, "{} rows", rows.len());
    for row in rows {
        let [_, _, code, askers, _] = &row[..] else { panic!("five columns: {row:?}") };
        let (place, doors) = code.split_first().expect("a place");
        let place = root().join("compiler").join(place);
        let text = source(&place);
        for door in doors {
            assert!(text.contains(&format!("fn {door}")), "{door} is not in {}", place.display());
        }
        // Each asker is beside the place, and calls one of its doors or the module.
        let floor = place.ancestors().find(|at| at.ends_with("src")).expect("a crate");
        for asker in askers {
            let text = source(&floor.join(asker));
            let calls = doors.iter().any(|door| text.contains(door.as_str())) || text.contains("accidents");
            assert!(calls, "{asker} does not ask {}", place.display());
        }
    }
}

#[test]
fn the_page_names_cases_that_are_there() {
    let corpus = root().join("tests/corpus");
    for row in rows() {
        let held = &row[4];
        let mut family = String::new();
        for case in held.iter().filter(|case| !case.contains(".rs") && !case.contains("_come_")) {
            if let Some((folder, _)) = case.split_once('/') {
                family = folder.to_string();
            }
            let name = case.rsplit('/').next().unwrap_or_default();
            let prefix = name.trim_end_matches('*');
            let cases = fs::read_dir(corpus.join(&family)).unwrap_or_else(|error| panic!("{case}: {error}"));
            let names = cases.map(|entry| entry.expect("it can be read").file_name().into_string().expect("a name"));
            let is_case = |file: String| {
                if name == prefix { file == format!("{name}.txtar") } else { file.starts_with(prefix) }
            };
            let elsewhere = ["lambdafunc-recursive", "stmtfor08", "stmtfunc-recursive-double"].contains(&name);
            assert!(elsewhere || names.into_iter().any(is_case), "{case} is not in the corpus");
        }
    }
}
