//! Builds the workspace once: libraries, programs and tests in one call with one set of features, so that everything is
//! compiled once. Out: the programs that contain tests.

use crate::command::{End, run_for};
use crate::stage::{FEATURES, Stage};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A program with tests.
pub(crate) struct Tests {
    /// Its package and target: `mclive-base`, `mclive agent`.
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    /// The folder of its package, where it runs.
    pub(crate) dir: PathBuf,
}

/// Builds everything. Errors: the compiler's output.
pub(crate) fn build(stage: &Stage) -> Result<Vec<Tests>, String> {
    let args = ["build", "--workspace", "--features", FEATURES, "--lib", "--bins", "--tests", "--keep-going"];
    let argv = cargo(&[&args[..], &["--message-format", "json-render-diagnostics"]].concat());
    let built = run_for(stage, "build", &stage.root, &argv, &[], stage.silence_of_builds());
    if built.end != End::Good {
        let said: Vec<&str> = built.said.lines().filter(|line| !line.starts_with('{')).collect();
        return Err(format!("cargo {}\n{}", built.end.words(), said.join("\n")));
    }
    let mut found: Vec<Tests> = built.said.lines().filter_map(tests).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    if found.is_empty() {
        return Err("cargo did not build any tests".into());
    }
    Ok(found)
}

/// A call of cargo, of the same version as the one that runs this program.
pub(crate) fn cargo(args: &[&str]) -> Vec<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    std::iter::once(cargo).chain(args.iter().map(|arg| (*arg).to_owned())).collect()
}

/// A line of cargo that reports a program with tests.
fn tests(line: &str) -> Option<Tests> {
    let message: Value = line.starts_with('{').then(|| serde_json::from_str(line).ok()).flatten()?;
    let is_test = message["profile"]["test"] == true && message["reason"] == "compiler-artifact";
    let program = message["executable"].as_str().filter(|_| is_test)?;
    let dir = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let target = message["target"]["name"].as_str()?;
    let kind = message["target"]["kind"][0].as_str()?;
    let package = package(&dir)?;
    let name = match kind {
        "test" => format!("{package} {target}"),
        "bin" => format!("{package} bin {target}"),
        _ => package,
    };
    Some(Tests { name, program: program.into(), dir })
}

fn package(dir: &Path) -> Option<String> {
    let manifest = std::fs::read_to_string(dir.join("Cargo.toml")).ok()?;
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = \""))?;
    Some(name.trim_end_matches('"').to_owned())
}
