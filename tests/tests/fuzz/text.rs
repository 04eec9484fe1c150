//! What targets of texts share: the seeds in folders of the project, and programs as archives.

use crate::dice::Dice;
use crate::hunt::root;
use mclive_tests::txtar::Archive;
use std::path::{Path, PathBuf};

/// A program's files; the first one is the entry.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// Every file below a folder, sorted; none, where there is no such folder.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

/// The archives and single files below folders of the project, as archives whose first file is a program with this ending.
pub(crate) fn seeds(folders: &[&str], endings: &[&str]) -> Vec<Vec<u8>> {
    let paths = folders.iter().flat_map(|folder| below(&root().join(folder)));
    let archives = paths.filter_map(|path| {
        let ending = path.extension()?.to_str()?.to_owned();
        let bytes = std::fs::read(&path).ok()?;
        let is_program = endings.contains(&&*ending);
        let files = if is_program { vec![(format!("main.{}", endings[0]), bytes)] } else { program(&bytes) };
        let has_program = files.iter().any(|(name, _)| name.ends_with(endings[0]));
        (has_program && (is_program || ending == "txtar")).then(|| to_archive(&files))
    });
    archives.collect()
}

/// The files of an archive that are a program's, its main file first.
pub(crate) fn program(archive: &[u8]) -> Files {
    let files = Archive::parse(archive).files.into_iter();
    let mut files: Files =
        files.filter(|(name, _)| !["OUTPUT", "CONFIG", "said", "settings.txt"].contains(&&**name)).collect();
    files.sort_by_key(|(name, _)| !name.contains("main."));
    files
}

pub(crate) fn to_archive(files: &Files) -> Vec<u8> {
    let file = |(name, text): &(String, Vec<u8>)| [format!("-- {name} --\n").as_bytes(), text, b"\n"].concat();
    files.iter().flat_map(file).collect()
}

/// A seed with a file that was changed.
pub(crate) fn mutate(dice: &mut Dice, seeds: &[Vec<u8>], pieces: &[&[u8]]) -> Vec<u8> {
    let mut files = program(dice.pick::<Vec<u8>>(seeds));
    let other = program(dice.pick::<Vec<u8>>(seeds)).swap_remove(0).1;
    let which = dice.below(files.len());
    dice.mutate(&mut files[which].1, &other, pieces);
    to_archive(&files)
}
