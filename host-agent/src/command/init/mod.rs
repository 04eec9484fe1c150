//! `init`: creates a program, or a model, and its scenario.

use super::{Done, GOOD, unusable};
use crate::cli;
use crate::output::print;
use std::fs::{OpenOptions, create_dir_all};
use std::io::{ErrorKind, Write};

/// Names and contents.
type Files = [(&'static str, &'static str); 2];

const FILES: Files = [("main.mcl", include_str!("main.mcl")), ("main.scenario", include_str!("main.scenario"))];
const MODEL: Files = [("main.cf", include_str!("main.cf")), ("main.scenario", include_str!("model.scenario"))];

/// Writes both files, or none if one exists.
pub(super) fn init(args: &cli::Init) -> Done {
    let fails = |what: &str, error: std::io::Error| {
        unusable(format!("cannot create `{what}`: {}", crate::host::io_words(&error)))
    };
    let folder = &args.folder;
    create_dir_all(folder).map_err(|error| fails(&folder.display().to_string(), error))?;
    let files = if args.model { MODEL } else { FILES };
    let paths = files.map(|(name, text)| (folder.join(name), text));
    if let Some((path, _)) = paths.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(unusable(format!("`{}` already exists; nothing was written", path.display())));
    }
    for (path, text) in &paths {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        // Half a file would be in the way of another try.
        let written =
            file.and_then(|mut file| file.write_all(text.as_bytes()).inspect_err(|_| drop(std::fs::remove_file(path))));
        written.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => unusable(format!("`{}` already exists", path.display())),
            _ => fails(&path.display().to_string(), error),
        })?;
        print(&format!("{}\n", path.display()));
    }
    Ok(GOOD)
}
