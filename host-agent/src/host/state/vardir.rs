//! The directories of functions, below `vardir/`.

use super::StateDir;
use crate::host::fs::{self, Bytes};
use crate::policy::Permit;
use mclive_base::vocab::{Attributes, FileKind, HostError, HostErrorKind};

impl StateDir {
    /// The path of a private, durable directory; it ends with a slash.
    pub(crate) fn local_dir(&self, below: &str) -> Result<String, HostError> {
        Ok(format!("{}/", self.path(&format!("vardir/functions/{}", inside(below)?)).trim_end_matches('/')))
    }

    /// The path of a copy of the program's files.
    pub(crate) fn local_tree(&self, below: &str) -> Result<String, HostError> {
        Ok(format!("{}/", self.path(&format!("vardir/directory/{}", inside(below)?)).trim_end_matches('/')))
    }

    pub(crate) fn has_dir(&self, dir: &str) -> Result<bool, HostError> {
        match fs::stat(Permit::ALL, dir.trim_end_matches('/'), false) {
            Err(error) if error.kind == HostErrorKind::NotADirectory => Ok(false),
            stat => Ok(stat?.is_some_and(|stat| stat.kind == FileKind::Dir)),
        }
    }

    pub(crate) fn make_dir(&self, dir: &str) -> Result<(), HostError> {
        fs::make_dir(Permit::ALL, dir, true, Some(0o750), 0o022)
    }

    /// Whether a directory contains exactly these files.
    pub(crate) fn has_tree(&self, dir: &str, files: &[(String, Vec<u8>)]) -> Result<bool, HostError> {
        if !self.has_dir(dir)? {
            return Ok(false);
        }
        let found = fs::list_dir(Permit::ALL, dir, true)?;
        let n_files = found.iter().filter(|(_, stat)| stat.kind != FileKind::Dir).count();
        let holds = |(path, content): &(String, Vec<u8>)| {
            let found =
                fs::read_file(Permit::ALL, &format!("{dir}{}", path.trim_start_matches('/')), content.len() as u64);
            found.is_ok_and(|found| found == *content)
        };
        Ok(n_files == files.len() && files.iter().all(holds))
    }

    /// Makes a directory contain exactly these files.
    pub(crate) fn make_tree(&self, dir: &str, files: &[(String, Vec<u8>)]) -> Result<(), HostError> {
        self.make_dir(dir)?;
        for (path, content) in files {
            let file = format!("{dir}{}", inside(path)?);
            let above = file.rsplit_once('/').map_or("/", |(above, _)| above);
            self.make_dir(above)?;
            fs::write_file(Permit::ALL, &file, &Bytes::These(content), &Attributes::default(), 0o022)?;
        }
        let wanted: Vec<&str> = files.iter().map(|(path, _)| path.trim_start_matches('/')).collect();
        for (path, _) in fs::list_dir(Permit::ALL, dir, true)? {
            let holds = |file: &&str| *file == path || file.starts_with(&format!("{path}/"));
            if !wanted.iter().any(holds) {
                fs::remove(Permit::ALL, &format!("{dir}{path}"), true)?;
            }
        }
        Ok(())
    }
}

/// Checks that a relative path does not leave its base directory.
fn inside(path: &str) -> Result<&str, HostError> {
    let path = path.trim_start_matches('/');
    if path.split('/').any(|part| part == "..") {
        return Err(HostError::new(HostErrorKind::Refused, format!("`{path}` is outside its directory")));
    }
    Ok(path)
}
