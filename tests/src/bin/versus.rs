//! `versus AGENT`: compares the compiler in the agent's sandbox with the same compiler natively, and measures a pass of
//! the agent that has nothing to do. Medians of five runs; machines are noisy.

use mclive_compiler::compile::{Setup, compile};
use mclive_compiler::source::MemoryWorld;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let Some(agent) = std::env::args().nth(1) else {
        eprintln!("usage: versus AGENT       (target/release/mclive: see `make agent`)");
        return ExitCode::FAILURE;
    };
    let dir = std::env::temp_dir().join(format!("mclive-versus-{}", std::process::id()));
    let done =
        std::fs::create_dir_all(dir.join("out")).map_err(|error| error.to_string()).and_then(|()| all(&agent, &dir));
    let _ = std::fs::remove_dir_all(&dir);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("versus: {why}");
            ExitCode::FAILURE
        }
    }
}

fn all(agent: &str, dir: &Path) -> Result<(), String> {
    let path = dir.join("main.mcl");
    let write = |n_files| std::fs::write(&path, files(dir, n_files)).map_err(|error| error.to_string());
    for n_files in [10, 1_000, 10_000] {
        write(n_files)?;
        let mut world = MemoryWorld::default();
        world.insert("/main.mcl", files(dir, n_files).as_bytes());
        let native = median(|| {
            let compiled = compile(&world, "/main.mcl", Setup { hostname: "host1" });
            if compiled.diags.has_errors() { Err("the program is wrong".into()) } else { Ok(()) }
        })?;
        let sandboxed = median(|| run(Command::new(agent).arg("check").arg(&path)))?;
        println!("check of {n_files} files: native {native:?}, a complete run of the agent {sandboxed:?}");
    }
    write(1_000)?;
    let pass = || run(Command::new(agent).args(["run", "--once", "--prefix"]).arg(dir.join("state")).arg(&path));
    pass()?;
    println!("a check of 1000 files that are up to date: {:?}", median(pass)?);
    Ok(())
}

fn files(dir: &Path, n_files: usize) -> String {
    let mut text = String::new();
    for index in 0..n_files {
        let path = dir.join("out").join(index.to_string());
        let _ = writeln!(text, "file \"{}\" {{\n\tstate => \"exists\",\n\tcontent => \"{index}\",\n}}", path.display());
    }
    text
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.stdout(Stdio::null()).status().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ends with {status}")) }
}

fn median(mut run: impl FnMut() -> Result<(), String>) -> Result<Duration, String> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let begun = Instant::now();
        run()?;
        times.push(begun.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}
