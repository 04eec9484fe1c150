//! `fmt`: formats program files.
//!
//! A program in a link is formatted to standard output. The formatter verifies that its result has the same meaning; a file is replaced atomically.

use super::{Done, GOOD, REFUSED, coloured, unusable};
use crate::cli;
use crate::embed::Sandbox;
use crate::embed::contract::{Program, Shown};
use crate::host::io_words;
use crate::output::{print, print_exact, tell_text};
use crate::program::{self, Loaded, Unusable};
use mclive_base::layout;
use mclive_base::unicode::visible;
use std::path::{Path, PathBuf};

pub(super) fn fmt(args: &cli::Fmt) -> Done {
    let mut sandbox = Sandbox::start()?;
    let mut code = GOOD;
    for file in files(&args.files)? {
        let name = file.to_string_lossy().into_owned();
        if let Some(linked) = link(&file) {
            code = code.max(of_link(args, linked?, &mut sandbox)?);
            continue;
        }
        let stdin = name == "-";
        let bytes = if stdin { program::from_stdin()? } else { program::from_file(&file)? };
        let shown = Shown { colour: coloured(args.color, &std::io::stderr()), root: String::new() };
        let named = args.stdin_name.as_ref().filter(|_| stdin).unwrap_or(&name);
        match sandbox.format(named, &bytes, &shown)? {
            Err(report) => {
                tell_text(&report.rendered);
                code = REFUSED;
            }
            Ok(text) if args.check => {
                if text.as_bytes() != bytes {
                    print(&format!("{}\n", visible(&name)));
                    code = REFUSED;
                }
            }
            Ok(text) if stdin => print_exact(&text),
            Ok(text) if text.as_bytes() == bytes => {}
            Ok(text) => crate::host::rewrite(&name, text.as_bytes()).map_err(|error| unusable(error.message))?,
        }
    }
    Ok(code)
}

/// The program in a link, unless it is the name of a file.
fn link(file: &Path) -> Option<Result<Loaded, Unusable>> {
    if file.exists() { None } else { program::from_link(file.to_str()?, &[]) }
}

/// Prints the only file, or with `--check` lists the files that would change.
fn of_link(args: &cli::Fmt, linked: Loaded, sandbox: &mut Sandbox) -> Done {
    let Loaded { program: Program { files, .. }, root, .. } = linked;
    if files.len() > 1 && !args.check {
        let why = "the program in this link has several files; save them to format them, or use --check";
        return Err(unusable(why.into()));
    }
    let mut code = GOOD;
    for file in files.iter().filter(|file| layout::of(&file.path).is_some()) {
        let shown = Shown { colour: coloured(args.color, &std::io::stderr()), root: root.clone() };
        match sandbox.format(&file.path, &file.content, &shown)? {
            Err(report) => {
                tell_text(&report.rendered);
                code = REFUSED;
            }
            Ok(text) if !args.check => print_exact(&text),
            Ok(text) if text.as_bytes() == file.content => {}
            Ok(_) => {
                print(&format!("{}\n", visible(&format!("{root}{}", file.path.trim_start_matches('/')))));
                code = REFUSED;
            }
        }
    }
    Ok(code)
}

/// The selected files: a directory stands for all programs below it.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, program::Failure> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            let before = files.len();
            below(path, &mut files)?;
            if files.len() == before {
                return Err(unusable(format!("no .mcl or .cf files found below `{}`", path.display())));
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// All programs below a directory, sorted by name; links to directories and hidden directories are skipped.
fn below(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), program::Failure> {
    let fails = |error: std::io::Error| unusable(format!("cannot read `{}`: {}", dir.display(), io_words(&error)));
    let mut entries = std::fs::read_dir(dir).map_err(fails)?.collect::<Result<Vec<_>, _>>().map_err(fails)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().map_err(fails)?);
        if kind.is_dir() {
            if !entry.file_name().to_string_lossy().starts_with('.') {
                below(&path, files)?;
            }
        } else if layout::of(&path.to_string_lossy()).is_some() && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
