//! The formatter's golden cases: `format/` holds files before (`X.badmcl`) and after (`X.mcl`), and
//! every `.mcl` there and in `programs/` is canonical already.
//!
//! The folder is `MCLIVE_CONFORMANCE`, else `../shared/conformance` beside the repository; without
//! either there is nothing to compare with.

#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

use mclive_compiler::fmt::format;
use std::path::{Path, PathBuf};

fn conformance() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance");
    let given = std::env::var_os("MCLIVE_CONFORMANCE").map(PathBuf::from);
    [given, Some(beside)].into_iter().flatten().find(|path| path.is_dir())
}

fn files(folder: PathBuf) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// What is wrong with our answer to a file, if anything.
fn complaint(path: &Path) -> Option<String> {
    let given = std::fs::read(path).ok()?;
    let expected = match path.extension()?.to_str()? {
        "mcl" => given.clone(),
        "badmcl" => std::fs::read(path.with_extension("mcl")).ok()?,
        _ => return None,
    };
    match format(&given) {
        Ok(printed) if printed == expected => None,
        Ok(printed) => Some(format!(
            "== {}\n{}-- expected\n{}",
            path.display(),
            String::from_utf8_lossy(&printed),
            String::from_utf8_lossy(&expected)
        )),
        Err(diags) => Some(format!("== {}: {diags:?}", path.display())),
    }
}

#[test]
fn every_file_formats_as_expected() {
    let Some(root) = conformance() else { return };
    let paths: Vec<PathBuf> = ["format", "programs"].iter().flat_map(|folder| files(root.join(folder))).collect();
    assert!(!paths.is_empty(), "no case was found in {}", root.display());
    let complaints: Vec<String> = paths.iter().filter_map(|path| complaint(path)).collect();
    assert!(complaints.is_empty(), "{} of {} files:\n{}", complaints.len(), paths.len(), complaints.join("\n"));
}
