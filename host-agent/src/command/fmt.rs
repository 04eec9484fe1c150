//! `fmt`: formats program files.
//!
//! A program in a link is formatted to standard output. The formatter verifies that its result has the same meaning; a
//! file is replaced atomically.

use super::{Done, GOOD, REFUSED, coloured, unusable};
use crate::cli;
use crate::embed::Sandbox;
use crate::embed::contract::{Program, Shown};
use crate::host::io_words;
use crate::output::{print, print_exact, tell, tell_text};
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
        let shown =
            Shown { colour: coloured(args.color, &std::io::stderr()), root: String::new(), elsewhere: Vec::new() };
        let by_text = layout::of_text(std::str::from_utf8(&bytes).unwrap_or_default());
        let named: &str = match &args.stdin_name {
            Some(named) if stdin => named,
            None if stdin && by_text != layout::ALL[0] => by_text.main,
            _ => &name,
        };
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
        let shown =
            Shown { colour: coloured(args.color, &std::io::stderr()), root: root.clone(), elsewhere: Vec::new() };
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

/// The selected files: a directory stands for all programs below it. Files that links bring in from elsewhere may be
/// anybody's; they are formatted only if they are named.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, program::Failure> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            let mut found = Vec::new();
            below(path, &mut found)?;
            if found.is_empty() {
                return Err(unusable(format!("no .mcl or .cf files found below `{}`", path.display())));
            }
            let (outside, inside): (Vec<PathBuf>, Vec<PathBuf>) =
                found.into_iter().partition(|file| leads_out(path, file));
            for link in outside {
                let (link, dir) = (link.to_string_lossy(), path.to_string_lossy());
                tell(&format!(
                    "mclive: warning: `{}` is a symbolic link to a file outside `{}`, which is not formatted",
                    visible(&link),
                    visible(&dir)
                ));
            }
            files.extend(inside);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Whether a file below a directory is a link to one that is not.
fn leads_out(dir: &Path, file: &Path) -> bool {
    let is_inside = || Ok::<bool, std::io::Error>(file.canonicalize()?.starts_with(dir.canonicalize()?));
    file.is_symlink() && !is_inside().unwrap_or(false)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_out_of_a_directory_are_not_followed_unless_they_are_named() {
        let dir = Scratch::new("format-links");
        for below in ["it/lib", "other"] {
            std::fs::create_dir_all(dir.join(below)).unwrap();
        }
        for file in ["it/main.mcl", "it/lib/a.txt", "other/x.mcl"] {
            std::fs::write(dir.join(file), "").unwrap();
        }
        let it = dir.join("it");
        symlink(dir.join("other/x.mcl"), it.join("absolute.mcl")).unwrap();
        symlink("../../other/x.mcl", it.join("lib/relative.mcl")).unwrap();
        symlink("lib/a.txt", it.join("inside.mcl")).unwrap();
        symlink("nowhere.mcl", it.join("nowhere.mcl")).unwrap();
        symlink("it", dir.join("alias")).unwrap();
        let found = |named: &Path| files(&[named.to_owned()]).unwrap_or_else(|why| panic!("{why}"));
        for named in [it.clone(), dir.join("alias")] {
            assert_eq!(found(&named), [named.join("inside.mcl"), named.join("main.mcl")]);
        }
        assert_eq!(found(&it.join("absolute.mcl")), [it.join("absolute.mcl")]);
    }
}
