//! `licences`: fails if a crate or an npm package that we depend on has no compatible licence.

use serde_json::Value;
use std::process::{Command, ExitCode};

/// Permissive licences; a crate passes if it offers one of them, or combines only such.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Also allowed for test tools, which are not distributed.
const ALLOWED_OF_TOOLS: &[&str] = &["BlueOak-1.0.0", "MPL-2.0"];

/// npm packages too old to state their licence where lock files take it from: it is in their own manifest (`licenses`)
/// or readme, and was checked there.
const STATED_ELSEWHERE: &[(&str, &str, &str)] = &[
    ("node_modules/busboy", "0.3.1", "MIT"),
    ("node_modules/dicer", "0.3.0", "MIT"),
    ("node_modules/humanize-number", "0.0.2", "MIT"),
    ("node_modules/only", "0.0.2", "MIT"),
    ("node_modules/streamsearch", "0.1.2", "MIT"),
];

/// Each workspace has its own lock file.
const MANIFESTS: &[&str] = &["Cargo.toml", "host-agent/precompile/Cargo.toml"];

/// Lock files of npm packages. Builds and tests run the listed packages; the page's own bundle contains those in
/// `dependencies`.
const LOCKS: &[&str] = &["www/package-lock.json", "tests/browser/s3/package-lock.json"];

fn main() -> ExitCode {
    let looked = MANIFESTS.iter().map(|path| crates(path)).chain(LOCKS.iter().map(|path| packages(path)));
    let mut is_good = true;
    for looked in looked {
        match looked {
            Ok(what) => println!("{what}"),
            Err(why) => {
                eprintln!("{why}");
                is_good = false;
            }
        }
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn crates(manifest: &str) -> Result<String, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--locked", "--format-version", "1", "--manifest-path", manifest])
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("{manifest}: no metadata: {}", String::from_utf8_lossy(&output.stderr)))?;
    let of = |package: &Value| {
        let name = format!("{} {}", package["name"].as_str().unwrap_or("?"), package["version"]);
        (name, package["license"].as_str().unwrap_or("none").to_owned(), false)
    };
    judge(manifest, metadata["packages"].as_array().into_iter().flatten().map(of))
}

fn packages(lock: &str) -> Result<String, String> {
    let text = std::fs::read(lock).map_err(|error| format!("{lock}: {error}"))?;
    let lock_file: Value = serde_json::from_slice(&text).map_err(|error| format!("{lock}: {error}"))?;
    // The entry without a name is the project itself.
    let entries = lock_file["packages"].as_object().into_iter().flatten().filter(|(name, _)| !name.is_empty());
    let of = |(name, entry): (&String, &Value)| {
        let elsewhere = STATED_ELSEWHERE.iter().find(|(of, version, _)| name == of && entry["version"] == *version);
        let licence = entry["license"].as_str().or(elsewhere.map(|(_, _, licence)| *licence)).unwrap_or("none");
        (name.clone(), licence.to_owned(), entry["dev"] == true)
    };
    judge(lock, entries.map(of))
}

/// Names, licences, and whether each is a tool.
fn judge(list: &str, entries: impl Iterator<Item = (String, String, bool)>) -> Result<String, String> {
    let mut n_looked = 0;
    let looked = entries.inspect(|_| n_looked += 1);
    let refused = looked.filter(|(_, licence, is_tool)| !is_allowed(licence, *is_tool));
    let refused: Vec<String> = refused.map(|(name, licence, _)| format!("{list}: {name}: {licence}")).collect();
    match (n_looked, refused.is_empty()) {
        (0, _) => Err(format!("{list}: it lists nothing")),
        (_, true) => Ok(format!("{list}: {n_looked} packages, all with a licence that goes with ours")),
        (_, false) => Err(refused.join("\n")),
    }
}

/// Every part joined by AND must offer an allowed licence among its ORs.
fn is_allowed(expression: &str, is_tool: bool) -> bool {
    let plain = expression.replace('/', " OR ").replace(['(', ')'], "");
    let one = |one: &str| ALLOWED.contains(&one.trim()) || is_tool && ALLOWED_OF_TOOLS.contains(&one.trim());
    plain.split(" AND ").all(|part| part.split(" OR ").any(one))
}
