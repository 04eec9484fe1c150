//! The site, step by step: three wasm modules by cargo, their JavaScript by wasm-bindgen's library, for published builds
//! `wasm-opt` and a split of each module, then `bundle.mjs` for everything that is not Rust.
//!
//! Out: `www/dist/`, replaced as a whole at the end, so that a failed build leaves the old site.

use crate::split::split;
use crate::steps::{progress, run, say};
use crate::{lessons, reference};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;

/// How much to optimise.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// For publication.
    Full,
    /// For viewing on this machine: `wasm-opt` takes minutes, and size does not matter.
    Local,
    /// For development of the page.
    Quick,
}

/// The features of rustc's default wasm target; every supported browser has these.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// The packages that do the work of a check and of a run; they are optimised for size, but loops stay quick. All others are
/// optimised for size alone.
const QUICK: [&str; 5] = ["mclive-base", "mclive-syntax", "mclive-analysis", "mclive-engine", "hashbrown"];

/// The wasm modules, each a binary of `mclive-playground`.
const MODULES: [&str; 3] = ["page", "worker", "models"];

/// The scripts that play the first view with modules to be split, and what they import: a change of one makes all modules
/// again.
const PLAYERS: [&str; 3] = ["view.mjs", "view-page.mjs", "web/link.js"];

/// Builds the site.
pub(crate) fn build(effort: Effort) -> Result<(), String> {
    let www = &here();
    let root = www.parent().expect("www stands in the workspace");
    // Cargo's output: a target folder outside the checkout is kept.
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let made = target.join("www");
    let parts = made.join("parts");
    std::fs::create_dir_all(&parts).map_err(|error| format!("cannot create {}: {error}", parts.display()))?;
    let made = made.as_path();
    let parts = parts.as_path();
    std::thread::scope(|scope| {
        // npm waits for the network while cargo uses all cores.
        let packages = scope.spawn(|| ensure_npm(www));
        compile(root, made, effort)?;
        joined(packages)?;
        let texts = scope.spawn(|| write_reference(parts).and_then(|()| write_lessons(root, parts)));
        // Two at a time: bindings and `wasm-opt` are single-threaded and need much memory. The page is split after the worker,
        // which answers while the page is played.
        let module = |name| Part { www, made, parts, name, effort };
        let page = scope.spawn(move || module("page").shrink());
        module("worker").finish()?;
        let page = joined(page)?;
        let page = scope.spawn(move || page.map_or(Ok(()), |stamp| module("page").split(&stamp)));
        module("models").finish()?;
        joined(page)?;
        joined(texts)
    })?;
    say("bundling the page");
    let parts = parts.display().to_string();
    let effort = if effort == Effort::Quick { "quick" } else { "full" };
    run("node", &["bundle.mjs", &parts, effort], www, &[])
}

/// The reference, in two parts: the search entries, and the pages.
fn write_reference(parts: &Path) -> Result<(), String> {
    say("writing the reference");
    let reference = reference::make();
    for (name, text) in [("reference-entries.html", reference.entries), ("reference.html", reference.content)] {
        std::fs::write(parts.join(name), text).map_err(|error| format!("cannot write {name}: {error}"))?;
    }
    Ok(())
}

/// The course of lessons, which the page loads with the first one.
fn write_lessons(root: &Path, parts: &Path) -> Result<(), String> {
    let course = lessons::course(&root.join("playground/lessons"))?;
    let json = serde_json::to_vec(&course).map_err(|error| format!("the lessons: {error}"))?;
    std::fs::write(parts.join("lessons.json"), json).map_err(|error| format!("cannot write lessons.json: {error}"))
}

/// The result of a parallel step.
fn joined<T>(step: ScopedJoinHandle<'_, Result<T, String>>) -> Result<T, String> {
    step.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// This package's folder, from `cargo run`: the path at build time may be in another checkout that shares the target
/// folder.
pub(crate) fn here() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}

/// Installs the packages of `package-lock.json` if they are missing or different.
fn ensure_npm(www: &Path) -> Result<(), String> {
    let wanted = std::fs::read(www.join("package-lock.json")).map_err(|error| format!("package-lock.json: {error}"))?;
    let stamp = www.join("node_modules/.mclive-lock");
    if std::fs::read(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    say("installing npm packages (npm ci)");
    run("npm", &["ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], www, &[])?;
    std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

fn profile(effort: Effort) -> (&'static str, &'static str) {
    match effort {
        Effort::Full | Effort::Local => ("wasm", "wasm"),
        Effort::Quick => ("dev", "debug"),
    }
}

/// Compiles the programs of `mclive-playground` in one call: shared code is compiled once, and their single-threaded
/// links run in parallel. Each binary has the feature of its own name.
fn compile(root: &Path, made: &Path, effort: Effort) -> Result<(), String> {
    say("compiling the page and its workers");
    let made = made.display().to_string();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let args = ["build", "--locked", "-p", "mclive-playground", "--target", "wasm32-unknown-unknown"];
    let features = MODULES.join(",");
    let own = ["--profile", profile(effort).0, "--bins", "--features", &features];
    let quick: Vec<String> =
        QUICK.iter().map(|package| format!("profile.wasm.package.{package}.opt-level='s'")).collect();
    let quick: Vec<&str> = quick.iter().flat_map(|setting| ["--config", setting]).collect();
    // A separate directory: the flags differ, and a build in the other one may be running.
    run(
        &cargo,
        &[&args[..], &own[..], &quick[..], progress()].concat(),
        root,
        // A page is loaded before it is used; and the names show where the size comes from (`tests/browser/wasm.mjs`).
        &[
            ("CARGO_TARGET_DIR", &made),
            ("CARGO_PROFILE_WASM_OPT_LEVEL", "z"),
            ("CARGO_PROFILE_WASM_STRIP", "debuginfo"),
        ],
    )
}

/// A module of the page, which is made from cargo's output.
#[derive(Clone, Copy)]
struct Part<'a> {
    www: &'a Path,
    made: &'a Path,
    parts: &'a Path,
    name: &'static str,
    effort: Effort,
}

impl Part<'_> {
    /// Makes it, unless it already exists.
    fn finish(self) -> Result<(), String> {
        self.shrink()?.map_or(Ok(()), |stamp| self.split(&stamp))
    }

    /// Makes it but for the split, unless it already exists: made from the same bytes, by the same program, with the same
    /// packages. Out: the content of its stamp when it is complete.
    fn shrink(self) -> Result<Option<String>, String> {
        let Part { www, made, parts, name, effort } = self;
        let compiled = made.join("wasm32-unknown-unknown").join(profile(effort).1).join(name).with_extension("wasm");
        let used = PLAYERS.iter().chain(&["package-lock.json"]).map(|file| www.join(file));
        let print = fingerprint(&used.chain([compiled.clone()]).collect::<Vec<_>>())?;
        let have = std::fs::read_to_string(self.stamp()).unwrap_or_default();
        let shrunk = format!("{print} shrunk");
        // A more optimised one will do as well.
        if have == shrunk || have == print && effort != Effort::Full {
            return Ok(None);
        }
        // Incomplete output has no stamp; what is not split has no rest.
        for old in [&self.stamp(), &parts.join(format!("{name}_rest.wasm"))] {
            std::fs::remove_file(old).or_else(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Ok(()),
                _ => Err(format!("cannot remove {}: {error}", old.display())),
            })?;
        }
        bindings(&compiled, parts)?;
        if effort == Effort::Full {
            shrink(www, name, parts)?;
        }
        Ok(Some(if effort == Effort::Full { shrunk } else { print }))
    }

    /// Splits it, if it is for publication, and stamps it.
    fn split(self, stamp: &str) -> Result<(), String> {
        if self.effort == Effort::Full {
            split(self.www, self.name, self.parts)?;
        }
        let file = self.stamp();
        std::fs::write(&file, stamp).map_err(|error| format!("cannot write {}: {error}", file.display()))
    }

    fn stamp(self) -> PathBuf {
        self.parts.join(self.name).with_extension("made-of")
    }
}

/// A fingerprint of these files and of this program, which determines how they are processed.
fn fingerprint(files: &[PathBuf]) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    // The running one, even if a build has replaced the file.
    let running = PathBuf::from("/proc/self/exe");
    let this = if running.exists() {
        running
    } else {
        std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?
    };
    for file in files.iter().chain([&this]) {
        std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The JavaScript of a module, under the module's own name.
fn bindings(module: &Path, to: &Path) -> Result<(), String> {
    let name = module.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).out_name(name).typescript(false).remove_producers_section(true);
    bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(to))
        .map_err(|error| format!("wasm-bindgen on {}: {error:#}", module.display()))
}

/// Builds the compiler's own face for JavaScript in a folder: `compiler/src/face/browser.rs`, without a page. It has the
/// directory, the profile and the flags of a brain that is fast to build (`host-agent/build.rs`), so that all crates below
/// it are compiled once.
pub(crate) fn face(to: &Path) -> Result<(), String> {
    let www = here();
    let root = www.parent().expect("www stands in the workspace");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let made = target.join("brain");
    say("compiling the compiler's face for JavaScript");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let what = ["build", "--locked", "-p", "mclive-playground", "--bin", "face", "--features", "face"];
    let how = ["--target", "wasm32-unknown-unknown", "--profile", "wasm-fast"];
    run(
        &cargo,
        &[&what[..], &how[..], progress()].concat(),
        root,
        &[("CARGO_TARGET_DIR", &made.display().to_string()), ("RUSTFLAGS", "-C link-arg=-zstack-size=4194304")],
    )?;
    bindings(&made.join("wasm32-unknown-unknown/wasm-fast/face.wasm"), to)
}

fn shrink(www: &Path, module: &str, parts: &Path) -> Result<(), String> {
    say(&format!("optimizing the {module}"));
    let wasm = parts.join(format!("{module}_bg.wasm")).display().to_string();
    let optimizer = www.join("node_modules/binaryen/bin/wasm-opt").display().to_string();
    // The page is loaded first, so it is optimised for size; the compiler for speed.
    let (level, names) = if module == "page" { ("-Oz", "--strip-debug") } else { ("-O3", "--debuginfo") };
    // What is called in one place only may belong to the rest: it is not put into its caller.
    let mut args = vec![optimizer.as_str(), level, names, "--one-caller-inline-max-function-size=30"];
    args.extend(WASM_FEATURES);
    args.extend([wasm.as_str(), "-o", wasm.as_str()]);
    run("node", &args, www, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_player_imports_is_a_player() {
        for player in PLAYERS {
            let file = here().join(player);
            let text = std::fs::read_to_string(&file).expect("it can be read");
            let imports = text.lines().filter(|line| line.starts_with("import "));
            for quoted in imports.filter_map(|line| line.split('"').nth(1)) {
                let is_own = quoted.starts_with('.');
                let imported = file.parent().expect("it is in a folder").join(quoted.trim_start_matches("./"));
                let is_known = PLAYERS.iter().any(|other| here().join(other) == imported);
                assert!(!is_own || is_known, "{player} imports {quoted}");
            }
        }
    }
}
