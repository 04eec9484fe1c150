//! `graphs FOLDER...`: compiles every text archive below the folders natively and prints one JSON line for each: its
//! name, its files, and the JSON texts of both graphs and of the diagnostics. The browser tests compare them with the
//! output of the compiler's face for JavaScript.

use mclive_base::shapes;
use mclive_compiler::face::check;
use mclive_tests::txtar::Archive;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HOSTNAME: &str = "host1";

fn main() -> ExitCode {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if folders.is_empty() {
        eprintln!("usage: graphs FOLDER...");
        return ExitCode::FAILURE;
    }
    for folder in folders {
        if let Err(error) = below(&folder) {
            eprintln!("graphs: {}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn below(folder: &Path) -> std::io::Result<()> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            below(&path)?;
        } else if path.extension().is_some_and(|end| end == "txtar") {
            print(&path, &std::fs::read(&path)?);
        }
    }
    Ok(())
}

fn print(path: &Path, bytes: &[u8]) {
    let archive = Archive::parse(bytes).files.into_iter();
    // The files of a page are text.
    let files: Option<BTreeMap<String, String>> = archive
        .map(|(name, content)| Some((format!("/{}", name.trim_start_matches('/')), String::from_utf8(content).ok()?)))
        .collect();
    let Some(files) = files else { return };
    let given = files.iter().map(|(path, text)| (path.as_str(), text.as_bytes()));
    let checked = check::check(given, "/", HOSTNAME);
    let line = json!({
        "name": path.display().to_string(),
        "hostname": HOSTNAME,
        "files": files,
        "functions": checked.functions.as_ref().map(shapes::to_json),
        "resources": checked.resources.as_ref().map(shapes::to_json),
        "diagnostics": shapes::to_json(&checked.diagnostics),
    });
    println!("{line}");
}
