//! The content of a `file`: literal, or assembled from fragments. A small file is compared byte for byte, a large one
//! by its hash.

use super::apply::{Existence, File, SMALL, refuse};
use super::copy::id;
use crate::kinds::kind::Decision;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::vocab::{Attributes, Content, FileKind, FileStat, Finding, Probe, Step, file};

/// The maximum number of bytes of all fragments together: they are joined in memory, with several copies.
const LONGEST: u64 = 64 << 20;

impl File<'_> {
    pub(super) fn content(&mut self, walk: &mut Walk) -> Result<(), Decision> {
        if self.want.set("content").is_none() || self.state == Existence::Absent {
            return Ok(());
        }
        let wanted = self.want.bytes("content").to_vec();
        self.hold(wanted, walk)
    }

    pub(super) fn fragments(&mut self, walk: &mut Walk) -> Result<(), Decision> {
        let fragments = self.want.texts("fragments");
        if fragments.is_empty() || self.state == Existence::Absent {
            return Ok(());
        }
        let probes = fragments.iter().map(|path| match path.ends_with('/') {
            true => Probe::File(file::Probe::List { path: path.to_string(), recursive: false }),
            false => Probe::File(file::Probe::Stat { path: path.to_string(), follow: true }),
        });
        let (mut parts, mut links, mut size) = (Vec::new(), Vec::new(), 0_u64);
        // Behind a link it would grow with each check.
        let own = self.now.as_ref().filter(|now| now.inode != 0).map(id);
        let mut is_own_fragment = false;
        let mut count = |stat: &FileStat| {
            is_own_fragment |= Some(id(stat)) == own;
            size = size.saturating_add(stat.size);
        };
        for (path, finding) in fragments.iter().zip(walk.look(probes.collect())?) {
            match finding {
                Finding::File(file::Finding::Entries(entries)) => {
                    for (name, stat) in entries.iter().filter(|(_, stat)| stat.kind != FileKind::Dir) {
                        let path = format!("{path}{name}");
                        match stat.kind {
                            FileKind::Symlink => {
                                links.push(Probe::File(file::Probe::Stat { path: path.clone(), follow: true }));
                            }
                            FileKind::File | FileKind::Dir | FileKind::Other => count(stat),
                        }
                        parts.push(path);
                    }
                }
                // Reading a missing one says so.
                Finding::File(file::Finding::Stat(stat)) => {
                    stat.iter().for_each(&mut count);
                    parts.push(path.to_string());
                }
                Finding::Failed(error) if path.ends_with('/') => {
                    return refuse(format!("could not read fragment directory: {error}"));
                }
                Finding::Failed(error) => return refuse(format!("could not read file fragment: {error}")),
                other => return Err(cannot_tell(other)),
            }
        }
        for finding in walk.look(links)? {
            if let Finding::File(file::Finding::Stat(Some(behind))) = finding {
                count(behind);
            }
        }
        if is_own_fragment {
            return refuse(format!("{} is also one of its fragments", self.path));
        }
        if size > LONGEST {
            let most = LONGEST >> 20;
            return refuse(format!("the fragments of {} have {size} bytes in total, more than {most} MiB", self.path));
        }
        let read = |path| Probe::File(file::Probe::Read { path, limit: LONGEST });
        let mut bytes = Vec::new();
        for finding in walk.look(parts.into_iter().map(read).collect())? {
            match finding {
                Finding::File(file::Finding::Bytes(fragment)) => bytes.extend_from_slice(fragment),
                Finding::Failed(error) => return refuse(format!("could not read file fragment: {error}")),
                other => return Err(cannot_tell(other)),
            }
        }
        self.hold(bytes, walk)
    }

    /// The file must have exactly this content.
    fn hold(&mut self, wanted: Vec<u8>, walk: &mut Walk) -> Result<(), Decision> {
        let is_new = self.can_become_file()?;
        if !is_new && !self.must_be_new && self.holds(&wanted, walk)? {
            return Ok(());
        }
        let (mode, given) = self.new_mode();
        // An existing file keeps its bits, unless they are to differ.
        let attributes = Attributes::of_mode(given.filter(|_| is_new));
        let (path, content) = (self.bare.clone(), Content::Bytes(wanted));
        self.steps.push(Step::File(file::Step::Write { path, content, attributes }));
        if is_new {
            self.made(FileKind::File, mode);
        }
        Ok(())
    }

    /// Makes room for a regular file. `true`: it will be a new one.
    pub(super) fn can_become_file(&mut self) -> Result<bool, Decision> {
        match self.now.as_ref().map(|stat| stat.kind) {
            Some(FileKind::File) => Ok(self.fresh.is_some()),
            None if self.state == Existence::Exists => Ok(true),
            None => refuse(format!("open {}: no such file or directory", self.path)),
            Some(FileKind::Dir) if self.force => {
                self.steps.push(Step::File(file::Step::Remove { path: self.bare.clone(), recursive: true }));
                Ok(true)
            }
            // A pipe, a socket, a device.
            Some(FileKind::Other) if self.force => {
                self.steps.push(Step::File(file::Step::Remove { path: self.bare.clone(), recursive: false }));
                Ok(true)
            }
            Some(FileKind::Dir) => {
                refuse(format!("{} is a directory: set `force => true` to replace it with a file", self.path))
            }
            Some(FileKind::Symlink | FileKind::Other) => {
                refuse(format!("{} is not a regular file: set `force => true` to replace it", self.path))
            }
        }
    }

    fn holds(&self, wanted: &[u8], walk: &mut Walk) -> Result<bool, Decision> {
        let path = self.bare.clone();
        let size = self.now.as_ref().map_or(0, |stat| stat.size);
        if let Some(Finding::File(file::Finding::Bytes(held))) = self.held {
            return Ok(held == wanted);
        }
        if size.max(wanted.len() as u64) <= SMALL {
            return match &walk.look(vec![Probe::File(file::Probe::Read { path, limit: 2 * SMALL })])?[0] {
                Finding::File(file::Finding::Bytes(held)) => Ok(held == wanted),
                other => Err(cannot_tell(other)),
            };
        }
        if size != wanted.len() as u64 {
            return Ok(false);
        }
        match &walk.look(vec![Probe::File(file::Probe::Hash { path })])?[0] {
            Finding::File(file::Finding::Hash(held)) => Ok(*held == crate::hash::sha256(wanted)),
            other => Err(cannot_tell(other)),
        }
    }
}
