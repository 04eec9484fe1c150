//! [`Rotating`]: a file of lines with a limited size. When it is full it becomes `NAME.1`, the previous
//! `NAME.1` becomes `NAME.2`, and so on; the oldest is removed.
//!
//! A full disk blocks nothing: it is reported once, no line is cut off, and when there is space again, the file records
//! how many lines are missing.

use crate::output::file::Written;
use crate::output::{self, Sink, missing_json, tell};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The limits of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The size of one file. Units: bytes.
    pub(crate) size: u64,
    /// The number of older files to keep.
    pub(crate) n_older: u32,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { size: 16 << 20, n_older: 4 }
    }
}

pub(crate) struct Rotating {
    path: PathBuf,
    bounds: Bounds,
    file: File,
    length: u64,
    /// Lines lost since the last successful write.
    n_lost: u64,
}

impl Rotating {
    /// Readable by its owner alone. Errors: it cannot be opened, or is not a regular file.
    pub(crate) fn open(path: &Path, bounds: Bounds) -> io::Result<Rotating> {
        let (file, length) = open(path)?;
        Ok(Rotating { path: path.to_owned(), bounds, file, length, n_lost: 0 })
    }

    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Writes whole lines with one call.
    pub(crate) fn write(&mut self, lines: &[u8]) {
        let written = self.try_write(lines);
        let path = self.path.display();
        match written {
            Ok(()) if self.n_lost > 0 => {
                tell(&format!("mclive: writing to {path} again; {} lines are missing from it", self.n_lost));
                self.n_lost = 0;
            }
            Ok(()) => {}
            Err(error) => {
                if self.n_lost == 0 {
                    let why = crate::host::io_words(&error);
                    tell(&format!(
                        "mclive: warning: cannot write {path}: {why}; the run continues, but log lines are lost"
                    ));
                }
                self.n_lost += lines.iter().filter(|byte| **byte == b'\n').count() as u64;
            }
        }
    }

    fn try_write(&mut self, lines: &[u8]) -> io::Result<()> {
        let lost = if self.n_lost > 0 { missing_json(self.n_lost) } else { String::new() };
        let more = (lost.len() + lines.len()) as u64;
        if self.length > 0 && self.length + more > self.bounds.size {
            self.rotate()?;
        }
        let written = self.file.write_all(lost.as_bytes()).and_then(|()| self.file.write_all(lines));
        match written {
            Ok(()) => self.length += more,
            // Remove a torn line.
            Err(_) => drop(self.file.set_len(self.length)),
        }
        written
    }

    fn rotate(&mut self) -> io::Result<()> {
        // If it is missing, the others have already moved, and the new file could not be created: moving them again would
        // remove one at each line.
        let n_moved = if self.path.symlink_metadata().is_ok() { self.bounds.n_older } else { 0 };
        for n in (1..=n_moved).rev() {
            let newer = if n == 1 { self.path.clone() } else { older(&self.path, n - 1) };
            match std::fs::rename(newer, older(&self.path, n)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        if self.bounds.n_older == 0 {
            self.file.set_len(0)?;
            self.length = 0;
            return Ok(());
        }
        (self.file, self.length) = open(&self.path)?;
        Ok(())
    }
}

impl Sink for Rotating {
    fn write(&mut self, bytes: &[u8], moves: &dyn Fn()) {
        // At most the size of one file at a time; lines are never divided.
        let most = usize::try_from(self.bounds.size).unwrap_or(usize::MAX);
        let mut rest = bytes;
        while !rest.is_empty() {
            let whole = rest[..rest.len().min(most)].iter().rposition(|byte| *byte == b'\n');
            let end = whole.or_else(|| rest.iter().position(|byte| *byte == b'\n')).map_or(rest.len(), |at| at + 1);
            Rotating::write(self, &rest[..end]);
            rest = &rest[end..];
            moves();
        }
    }
}

/// The existing files of a log, oldest first.
pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = (1..).map(|n| older(path, n)).take_while(|file| file.exists()).collect();
    files.reverse();
    files.push(path.to_owned());
    files
}

fn older(path: &Path, n: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{n}"));
    name.into()
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = output::file::append(path, Written::Log)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;

    #[test]
    fn a_log_stays_within_its_bound_and_keeps_the_latest() {
        let dir = Scratch::new("rotate");
        let path = dir.join("log");
        for n_older in [0, 1, 3] {
            let bounds = Bounds { size: 1000, n_older };
            for round in 0..4 {
                // An existing log counts.
                let mut log = Rotating::open(&path, bounds).unwrap();
                for n in 0..100 {
                    log.write(format!("{{\"round {round} line {n:040}\n").as_bytes());
                }
            }
            let files = files(&path);
            assert_eq!(files.len(), 1 + n_older as usize);
            let texts: Vec<String> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
            assert!(texts.iter().all(|text| text.len() <= 1000 && text.ends_with('\n')));
            let lines: Vec<usize> =
                texts.concat().lines().map(|line| line[line.len() - 4..].parse().unwrap()).collect();
            assert_eq!(lines.last(), Some(&99));
            assert!(lines.is_sorted(), "{lines:?}");
            files.iter().for_each(|file| std::fs::remove_file(file).unwrap());
        }
    }

    #[test]
    fn a_rotation_that_broke_off_removes_no_further_file() {
        let dir = Scratch::new("rotate-broken");
        let path = dir.join("log");
        let mut log = Rotating::open(&path, Bounds { size: 10, n_older: 2 }).unwrap();
        (1..=3).for_each(|n| log.write(format!("{{\"{n}\"}}\n").as_bytes()));
        // As if the new file could not be created.
        std::fs::rename(older(&path, 1), older(&path, 2)).unwrap();
        std::fs::rename(&path, older(&path, 1)).unwrap();
        log.write(b"{\"4\"}\n");
        let kept: Vec<String> = files(&path).iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert_eq!(kept, ["{\"2\"}\n", "{\"3\"}\n", "{\"4\"}\n"]);
    }

    #[test]
    fn what_came_all_at_once_is_divided_at_lines() {
        let dir = Scratch::new("rotate-large");
        let path = dir.join("log");
        let mut log = Rotating::open(&path, Bounds { size: 100, n_older: 1000 }).unwrap();
        let lines: String = (0..500).map(|n| format!("{{\"line {n}\n")).collect();
        Sink::write(&mut log, lines.as_bytes(), &|| {});
        let kept: String = files(&path).iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert_eq!(kept, lines);
    }

    #[test]
    fn a_link_and_what_is_no_file_are_refused() {
        let dir = Scratch::new("rotate-strange");
        std::os::unix::fs::symlink("elsewhere", dir.join("link")).unwrap();
        assert!(Rotating::open(&dir.join("link"), Bounds::default()).is_err());
        assert!(!dir.join("elsewhere").exists());
        assert!(Rotating::open(&dir, Bounds::default()).is_err());
    }
}
