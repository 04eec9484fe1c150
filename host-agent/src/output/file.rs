//! Output files of the command line: logs, traces, graphs, the state of convergence.
//!
//! Other users with write access to the folder must gain nothing: links are not followed, files of other users are not
//! written to, and a pipe without a reader does not block.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{Error, Result, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Opens a regular file for appending, readable by its owner alone.
pub(crate) fn append(path: &Path) -> Result<File> {
    let file = open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(Error::other("it is not a regular file")) }
}

/// Opens a regular file and truncates it, readable by its owner alone.
pub(crate) fn create(path: &Path) -> Result<File> {
    let file = append(path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Appends a line to a file, or sends it to the reader of a pipe.
pub(crate) fn add_line(path: &Path, line: &str) -> Result<()> {
    open(path)?.write_all(line.as_bytes())
}

fn open(path: &Path) -> Result<File> {
    let flags =
        OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|errno| match errno {
        rustix::io::Errno::LOOP => Error::other("it is a symbolic link; links are not followed"),
        errno => errno.into(),
    })?);
    let owner = file.metadata()?.uid();
    let ours = rustix::process::geteuid().as_raw();
    if owner == ours || owner == 0 {
        Ok(file)
    } else {
        Err(Error::other(format!("it is owned by another user (UID {owner})")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use std::os::unix::fs::{chown, symlink};

    #[test]
    fn what_is_written_replaces_what_was_there() {
        let dir = Scratch::new("output-file");
        let path = dir.join("graph");
        std::fs::write(&path, "something longer").unwrap();
        create(&path).unwrap().write_all(b"new").unwrap();
        append(&path).unwrap().write_all(b" end").unwrap();
        add_line(&path, "\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new end\n");
    }

    #[test]
    fn what_somebody_else_has_put_there_stays_as_it_is() {
        let dir = Scratch::new("output-strange");
        std::fs::write(dir.join("target"), "kept").unwrap();
        symlink(dir.join("target"), dir.join("link")).unwrap();
        let refused = [create(&dir.join("link")).map(drop), add_line(&dir.join("link"), "x")];
        for refused in refused.map(|refused| refused.unwrap_err().to_string()) {
            assert_eq!(refused, "it is a symbolic link; links are not followed");
        }
        if chown(dir.join("target"), Some(12345), None).is_ok() {
            let refused = create(&dir.join("target")).unwrap_err().to_string();
            assert_eq!(refused, "it is owned by another user (UID 12345)");
        }
        assert_eq!(std::fs::read_to_string(dir.join("target")).unwrap(), "kept");
        assert_eq!(create(&dir.join("")).unwrap_err().raw_os_error(), Some(21), "a folder");
    }
}
