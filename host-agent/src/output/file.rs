//! Output files of the command line: logs, traces, graphs, the state of convergence.
//!
//! Other users with write access to the folder must gain nothing: links are not followed, files of other users are not
//! written to, and a pipe without a reader does not block. A typing error must not destroy a file either: one with
//! other content is not overwritten.

use mclive_base::protocol::trace;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{Error, Read, Result, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What is written to a file. A file with other content is not written to.
#[derive(Clone, Copy)]
pub(crate) enum Written {
    /// Lines of JSON.
    Log,
    Trace,
    /// A graph in DOT format.
    Graph,
    /// Lines with `true` or `false`.
    Status,
    /// Results of tests in XML.
    Report,
}

impl Written {
    /// How its content begins.
    fn beginnings(self) -> &'static [&'static [u8]] {
        match self {
            Written::Log => &[b"{"],
            Written::Trace => &[trace::MAGIC],
            Written::Graph => &[b"digraph "],
            Written::Status => &[b"true\n", b"false\n"],
            Written::Report => &[b"<?xml ", b"<testsuite"],
        }
    }

    fn words(self) -> &'static str {
        match self {
            Written::Log => "a log",
            Written::Trace => "a recording",
            Written::Graph => "a graph in DOT format",
            Written::Status => "a status file",
            Written::Report => "a test report",
        }
    }

    /// Errors: the file contains something else.
    fn check(self, file: &File) -> Result<()> {
        // It is open for writing only.
        let mut content = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?.take(64);
        let mut first = Vec::new();
        content.read_to_end(&mut first)?;
        if first.is_empty() || self.beginnings().iter().any(|beginning| first.starts_with(beginning)) {
            return Ok(());
        }
        let what = self.words();
        Err(Error::other(format!("it exists, and is not {what}; choose another file, or remove this one")))
    }
}

/// Opens a regular file for appending, readable by its owner alone.
pub(crate) fn append(path: &Path, written: Written) -> Result<File> {
    let file = open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Error::other("it is not a regular file"));
    }
    written.check(&file)?;
    Ok(file)
}

/// Opens a regular file and truncates it, readable by its owner alone.
pub(crate) fn create(path: &Path, written: Written) -> Result<File> {
    let file = append(path, written)?;
    file.set_len(0)?;
    Ok(file)
}

/// Errors: there is a file, and it contains something else.
pub(crate) fn check(path: &Path, written: Written) -> Result<()> {
    if path.is_file() { written.check(&File::open(path)?) } else { Ok(()) }
}

/// Appends a line to a file, or sends it to the reader of a pipe.
pub(crate) fn add_line(path: &Path, written: Written, line: &str) -> Result<()> {
    let mut file = open(path)?;
    if file.metadata()?.is_file() {
        written.check(&file)?;
    }
    file.write_all(line.as_bytes())
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
        std::fs::write(&path, "digraph with something longer").unwrap();
        create(&path, Written::Graph).unwrap().write_all(b"digraph").unwrap();
        std::fs::write(&path, "digraph resources {").unwrap();
        append(&path, Written::Graph).unwrap().write_all(b"}").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "digraph resources {}");
        for line in ["true\n", "false\n", "true\n"] {
            add_line(&dir.join("status"), Written::Status, line).unwrap();
        }
        assert_eq!(std::fs::read_to_string(dir.join("status")).unwrap(), "true\nfalse\ntrue\n");
    }

    #[test]
    fn a_file_with_something_else_stays_as_it_is() {
        let dir = Scratch::new("output-else");
        let path = dir.join("main.mcl");
        std::fs::write(&path, "$x = 1\n").unwrap();
        let all = [Written::Log, Written::Trace, Written::Graph, Written::Status];
        for written in all {
            let tried =
                [append(&path, written).map(drop), create(&path, written).map(drop), add_line(&path, written, "x")];
            for refused in tried.map(|tried| tried.unwrap_err().to_string()) {
                let what = written.words();
                assert_eq!(refused, format!("it exists, and is not {what}; choose another file, or remove this one"));
            }
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "$x = 1\n");
    }

    #[test]
    fn what_somebody_else_has_put_there_stays_as_it_is() {
        let dir = Scratch::new("output-strange");
        std::fs::write(dir.join("target"), "true\n").unwrap();
        symlink(dir.join("target"), dir.join("link")).unwrap();
        let link = dir.join("link");
        let refused = [create(&link, Written::Status).map(drop), add_line(&link, Written::Status, "x")];
        for refused in refused.map(|refused| refused.unwrap_err().to_string()) {
            assert_eq!(refused, "it is a symbolic link; links are not followed");
        }
        if chown(dir.join("target"), Some(12345), None).is_ok() {
            let refused = create(&dir.join("target"), Written::Status).unwrap_err().to_string();
            assert_eq!(refused, "it is owned by another user (UID 12345)");
        }
        assert_eq!(std::fs::read_to_string(dir.join("target")).unwrap(), "true\n");
        assert_eq!(create(&dir.join(""), Written::Log).unwrap_err().raw_os_error(), Some(21), "a folder");
    }
}
