//! What would break the pure core is banned in every crate of the compiler: clippy finds `compiler/clippy.toml` from
//! the folder of each, and every ban in it fires on a file that does all that is banned.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace")
}

/// The folders of the compiler's crates: `compiler` and those in it.
fn crates() -> Vec<PathBuf> {
    let compiler = root().join("compiler");
    let below = std::fs::read_dir(&compiler).expect("the compiler's folder").map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = below.filter(|path| path.join("Cargo.toml").is_file()).collect();
    found.push(compiler);
    found.sort();
    found
}

/// The paths that the settings ban.
fn banned() -> BTreeSet<String> {
    let settings = std::fs::read_to_string(root().join("compiler/clippy.toml")).expect("the settings of clippy");
    let paths = settings.lines().filter_map(|line| line.trim().strip_prefix("{ path = \"")?.split('"').next());
    paths.map(str::to_owned).collect()
}

/// What clippy finds in the impure file, as in the crate of this folder.
fn found(folder: &Path) -> BTreeSet<String> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("impure");
    let run = Command::new("clippy-driver")
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"])
        .arg(out)
        .arg(root().join("tests/pure/impure.rs"))
        .env("CLIPPY_CONF_DIR", folder)
        .env("CARGO_PKG_NAME", "impure")
        .output()
        .expect("clippy is part of the toolchain");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{said}");
    let named = said.lines().filter_map(|line| line.strip_prefix("warning: use of a disallowed ")?.split('`').nth(1));
    named.map(str::to_owned).collect()
}

#[test]
fn every_ban_fires_in_every_crate_of_the_compiler() {
    let banned = banned();
    assert!(banned.len() > 80, "{banned:?}");
    for folder in crates() {
        assert!(
            folder.ends_with("compiler") || !folder.join("clippy.toml").exists(),
            "{} hides the settings of all",
            folder.display()
        );
        assert_eq!(found(&folder), banned, "{}", folder.display());
    }
}
