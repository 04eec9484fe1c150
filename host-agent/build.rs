//! Builds what the agent embeds: the brain as a component, compiled ahead of time for this machine, and the site, if it
//! has been built.
//!
//! ```text
//! compiler/ --cargo, wasm32-unknown-unknown--> module --mclive-precompile--> component --> native code
//! ```
//!
//! Both cargo runs are nested, with a separate target directory (`target/brain`) that all profiles share: Cranelift is
//! compiled once, and never into the agent. `MCLIVE_EMBED` chooses what is embedded: `full` (the default), `fast` (a
//! brain that is quick to build, for development), or `none` (nothing: type checks only).

use std::path::{Path, PathBuf};
use std::process::Command;

/// The file beside a precompiled brain that says of which files it was made.
const MADE_OF: &str = "brain.made-of";

fn main() {
    println!("cargo:rerun-if-env-changed=MCLIVE_EMBED");
    if std::env::var_os("CARGO_FEATURE_AGENT").is_none() {
        return;
    }
    let agent = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let root = agent.parent().expect("the agent is a member of the workspace");
    let out = PathBuf::from(variable("OUT_DIR"));
    let embed = std::env::var("MCLIVE_EMBED").unwrap_or_else(|_| "full".into());
    for watched in compiler(&root.join("compiler")) {
        println!("cargo:rerun-if-changed={}", watched.display());
    }
    for watched in ["Cargo.lock", "Cargo.toml"] {
        println!("cargo:rerun-if-changed={}", root.join(watched).display());
    }
    for watched in ["precompile/Cargo.lock", "precompile/Cargo.toml", "precompile/src", "src/embed/settings.rs"] {
        println!("cargo:rerun-if-changed={}", agent.join(watched).display());
    }

    match embed.as_str() {
        "none" => {
            let _ = std::fs::remove_file(out.join(MADE_OF));
            for name in ["brain.cwasm", "brain.wasm"] {
                std::fs::write(out.join(name), b"").expect("OUT_DIR can be written");
            }
        }
        "fast" => brain(root, &out, "wasm-fast"),
        _ => brain(root, &out, "wasm"),
    }
    site(root, &out);
}

/// The inputs of the compiler's build: the manifest and the sources of each of its crates, and the contract.
fn compiler(folder: &Path) -> Vec<PathBuf> {
    let floors = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let crates = floors.chain([folder.to_owned()]).filter(|path| path.join("Cargo.toml").is_file());
    let mut watched: Vec<PathBuf> = crates.flat_map(|path| [path.join("Cargo.toml"), path.join("src")]).collect();
    watched.push(folder.join("wit"));
    watched
}

/// The target directory; a cache outside the checkout is respected.
fn target_dir(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Builds `brain.cwasm`, which is embedded, and `brain.wasm`, the component that tests inspect.
fn brain(root: &Path, out: &Path, profile: &str) {
    let target = target_dir(root).join("brain");
    let precompiler = root.join("host-agent/precompile/Cargo.toml");
    run(cargo()
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(precompiler)
        .arg("--target-dir")
        .arg(&target));
    run(cargo()
        .current_dir(root)
        .args([
            "rustc",
            "--locked",
            "--package",
            "mclive-compiler",
            "--lib",
            // Here only: programs that depend on the compiler need not link another one.
            "--crate-type",
            "cdylib",
            "--features",
            "component",
            "--profile",
            profile,
        ])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(&target)
        // The compiler bounds its recursion; this much stack lets the bound be generous.
        .env("RUSTFLAGS", "-C link-arg=-zstack-size=4194304"));
    let module = target.join("wasm32-unknown-unknown").join(profile).join("mclive_compiler.wasm");
    let tool = target.join("release").join(format!("mclive-precompile{}", std::env::consts::EXE_SUFFIX));
    // A change of the site alone runs this script as well.
    let (stamp, made_of) = (out.join(MADE_OF), [&module, &tool].map(|file| version(file)).concat());
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == made_of) {
        return;
    }
    // What is incomplete has no stamp.
    let _ = std::fs::remove_file(&stamp);
    run(Command::new(tool).arg(module).arg(out.join("brain.cwasm")).arg(out.join("brain.wasm")));
    std::fs::write(stamp, made_of).expect("OUT_DIR can be written");
}

/// A line that differs when a file was rebuilt: cargo leaves one alone that is up to date.
fn version(file: &Path) -> String {
    let found = std::fs::metadata(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    format!("{} {} {:?}\n", file.display(), found.len(), found.modified().expect("files have times"))
}

/// A cargo command without this build's own settings. The job server is inherited, so nested builds share the limit of
/// parallel jobs.
fn cargo() -> Command {
    let mut command = Command::new(variable("CARGO"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let ours = name.starts_with("CARGO_") || name.starts_with("RUSTC") || name.starts_with("DEP_");
        let kept = ["CARGO_HOME", "CARGO_MAKEFLAGS", "CARGO_NET_OFFLINE"].contains(&&*name)
            || name.starts_with("CARGO_REGISTR");
        let of_build =
            ["RUSTFLAGS", "TARGET", "HOST", "PROFILE", "OPT_LEVEL", "DEBUG", "OUT_DIR", "NUM_JOBS"].contains(&&*name);
        if (ours && !kept) || of_build {
            command.env_remove(&*name);
        }
    }
    command
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(status.success(), "failed: {command:?}");
}

/// Makes `site.rs`: the files of `www/dist` as a table of path and bytes; empty when it is not built.
fn site(root: &Path, out: &Path) {
    let dist = root.join("www/dist");
    println!("cargo:rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    collect(&dist, &mut files);
    files.sort();
    let lines: Vec<String> = files
        .iter()
        .map(|file| {
            let path = file.strip_prefix(&dist).expect("a file below it").display().to_string();
            format!("    ({path:?}, include_bytes!({:?})),\n", file.display().to_string())
        })
        .collect();
    let table = format!("pub(super) static FILES: &[(&str, &[u8])] = &[\n{}];\n", lines.concat());
    std::fs::write(out.join("site.rs"), table).expect("OUT_DIR can be written");
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
