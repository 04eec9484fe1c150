//! `licences`: fails when a crate that we depend on has no licence that goes with ours.

use serde_json::Value;
use std::process::{Command, ExitCode};

/// Permissive licences; a crate passes when it offers one of them, or joins only such.
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

fn main() -> ExitCode {
    let output = Command::new("cargo").args(["metadata", "--format-version", "1"]).output();
    let Ok(output) = output.map_err(|error| eprintln!("cannot run cargo: {error}")) else {
        return ExitCode::FAILURE;
    };
    let Ok(metadata) = serde_json::from_slice::<Value>(&output.stdout) else {
        eprintln!("cargo metadata gave no JSON: {}", String::from_utf8_lossy(&output.stderr));
        return ExitCode::FAILURE;
    };
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut n_refused = 0;
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none");
        if !is_allowed(licence) {
            n_refused += 1;
            eprintln!("{} {}: {licence}", package["name"].as_str().unwrap_or("?"), package["version"]);
        }
    }
    println!("{} crates looked at, {n_refused} refused", packages.len());
    if n_refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Every part joined by AND must offer an allowed licence among its ORs.
fn is_allowed(expression: &str) -> bool {
    let plain = expression.replace('/', " OR ").replace(['(', ')'], "");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|one| ALLOWED.contains(&one.trim())))
}
