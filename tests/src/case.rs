//! The cases of a folder: `*.txtar` archives, and pairs of files in formatter folders.

use crate::family::{Family, Verdict};
use std::path::{Path, PathBuf};

/// One golden case.
pub struct Case {
    /// How it is judged.
    pub family: Family,
    /// The last component of the folder's path.
    pub folder: String,
    /// The file's name.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
}

impl Case {
    /// Reads the file and runs it. An unreadable file is a failed case.
    pub fn run(&self) -> Verdict {
        match std::fs::read(&self.path) {
            Ok(bytes) => self.family.run(&self.path, &bytes),
            Err(error) => Verdict { pass: false, expected: String::new(), actual: format!("cannot read: {error}") },
        }
    }

    /// `folder/name`, as in the list of passing cases.
    pub fn id(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }
}

/// The cases of a folder, or of the families in it.
///
/// Errors: a folder cannot be read, or neither its name nor one of those in it names a family.
pub fn collect_below(folder: &Path) -> Result<Vec<Case>, String> {
    let is_family = |path: &Path| path.file_name().and_then(|name| name.to_str()).and_then(Family::of_folder).is_some();
    if is_family(folder) {
        return collect(folder);
    }
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut families: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    families.retain(|path| path.is_dir() && is_family(path));
    families.sort();
    if families.is_empty() {
        return collect(folder);
    }
    let mut cases = Vec::new();
    for family in families {
        cases.extend(collect(&family)?);
    }
    Ok(cases)
}

/// The cases of a folder, sorted by name.
///
/// Errors: the folder cannot be read, or its name names no family.
pub fn collect(folder: &Path) -> Result<Vec<Case>, String> {
    let shown = folder.display();
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let family = Family::of_folder(&name).ok_or_else(|| format!("{shown}: no family of cases is called `{name}`"))?;
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{shown}: {error}"))?;
    let mut cases = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{shown}: {error}"))?.path();
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if family.takes(&file) && path.is_file() {
            cases.push(Case { family, folder: name.clone(), name: file, path });
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}
