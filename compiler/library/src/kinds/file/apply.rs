//! Check and apply of a `file`. Resource spec, 2.1, with its preferred variants: only permission bits are compared,
//! `force` turns a file into a directory, and a dry run of a missing file reports that it would be made.
//!
//! One walk looks at everything, collects the steps in the order of the aspects (existence, content, source, fragments,
//! owner, mode, label), and has them carried out together.

use super::at_once::at_once;
use super::copy;
use super::mode::Mode;
use super::path::effective;
use crate::kinds::Want;
use crate::kinds::kind::{Decision, Seen};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::vocab::{FileKind, FileStat, Finding, HostErrorKind, Probe, Step, Watch, account, file};

/// Contents up to this size are transferred and compared, which also shows a diff.
pub(super) const SMALL: u64 = 64 << 10;
/// The default mode of a new directory.
const NEW_DIR: u32 = 0o755;

/// The state of the walk.
pub(super) struct File<'a> {
    pub(super) want: &'a Want<'a>,
    /// The effective path.
    pub(super) path: String,
    /// The same without a trailing slash.
    pub(super) bare: String,
    pub(super) is_dir: bool,
    pub(super) force: bool,
    pub(super) state: Existence,
    pub(super) mode: Option<Mode>,
    /// The file at the path, following links; as it will be after the steps so far.
    pub(super) now: Option<FileStat>,
    /// Write it even if its content is right ([`File::lends_rights_anew`]).
    pub(super) must_be_new: bool,
    /// Made or replaced by the steps so far, with these bits.
    pub(super) fresh: Option<u32>,
    pub(super) steps: Vec<Step>,
    /// The default mode of a new file, if a symbolic mode is relative to it.
    new_file: u32,
    /// The content of a small file, from the first look.
    pub(super) held: Option<&'a Finding>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Existence {
    Undefined,
    Exists,
    Absent,
}

/// The first look.
pub(super) fn probes(want: &Want) -> Vec<Probe> {
    File::new(want).map(|file| file.first_probes()).unwrap_or_default()
}

pub(super) fn decide(want: &Want, seen: &Seen) -> Decision {
    walk(want, seen).unwrap_or_else(|decision| decision)
}

fn walk<'a>(want: &'a Want<'a>, seen: &'a Seen<'a>) -> Result<Decision, Decision> {
    let mut walk = Walk::new(seen);
    let mut file = File::new(want)?;
    let first = walk.look(file.first_probes())?;
    let (mut link, behind) = (stat(&first[0])?, file.behind(&first[1])?);
    let mut is_link = link.as_ref().is_some_and(|stat| stat.kind == FileKind::Symlink);
    if is_link && is_refused(&first[1]) && file.replaces_refused_links() {
        file.steps.push(Step::File(file::Step::Remove { path: file.bare.clone(), recursive: false }));
        (link, is_link) = (None, false);
    }
    let mut accounts = &first[2..];
    if file.reads_at_once()
        && let Some((held, rest)) = accounts.split_last()
    {
        (file.held, accounts) = (Some(held), rest);
    }
    if file.asks_umask()
        && let Some((umask, rest)) = accounts.split_last()
    {
        let Finding::File(file::Finding::Umask(umask)) = umask else { return Err(cannot_tell(umask)) };
        (file.new_file, accounts) = (0o666 & !umask, rest);
    }
    if want.bool("symlink") {
        file.symlink(link, behind)?;
    } else {
        file.now = behind;
        file.must_be_new = file.lends_rights_anew(accounts);
        file.existence(link)?;
        file.content(&mut walk)?;
        file.fragments(&mut walk)?;
        copy::source(&mut file, &mut walk, seen)?;
    }
    if file.state != Existence::Absent {
        file.owner(accounts)?;
        file.bits()?;
        file.label(&mut walk)?;
    }
    if file.steps.is_empty() {
        return Ok(Decision::InState(Vec::new()));
    }
    at_once(&mut file.steps, &file.bare, is_link);
    walk.mend(file.steps)
}

/// The file at a path; if a directory above it is missing, there is nothing.
pub(super) fn stat(finding: &Finding) -> Result<Option<FileStat>, Decision> {
    match finding {
        Finding::File(file::Finding::Stat(stat)) => Ok(stat.clone()),
        other => Err(cannot_tell(other)),
    }
}

fn is_refused(finding: &Finding) -> bool {
    matches!(finding, Finding::Failed(error) if error.kind == HostErrorKind::Refused)
}

pub(super) fn refuse<T>(reason: String) -> Result<T, Decision> {
    Err(Decision::CannotTell(reason))
}

impl<'a> File<'a> {
    fn new(want: &'a Want<'a>) -> Result<File<'a>, Decision> {
        let path = effective(want).into_owned();
        let is_dir = path.ends_with('/');
        let bare = match path.trim_end_matches('/') {
            "" => "/".to_string(),
            bare => bare.to_string(),
        };
        let mode = want.text("mode");
        let mode = if mode.is_empty() { None } else { Some(Mode::parse(&mode).map_err(Decision::CannotTell)?) };
        let state = match &*want.text("state") {
            "exists" => Existence::Exists,
            "absent" => Existence::Absent,
            _ => Existence::Undefined,
        };
        let force = want.bool("force");
        let (now, must_be_new, fresh, steps, new_file) = (None, false, None, Vec::new(), 0o644);
        Ok(File { want, path, bare, is_dir, force, state, mode, now, must_be_new, fresh, steps, new_file, held: None })
    }

    /// The target of links; a link that leads nowhere, or through a file, has none. If only the link itself is made or
    /// removed, its target need not be accessible.
    fn behind(&self, finding: &Finding) -> Result<Option<FileStat>, Decision> {
        let is_about_itself = self.state == Existence::Absent || self.want.bool("symlink");
        match finding {
            Finding::Failed(error) if error.kind == HostErrorKind::NotADirectory => Ok(None),
            refused if is_refused(refused) && (is_about_itself || self.replaces_refused_links()) => Ok(None),
            other => stat(other),
        }
    }

    /// Whether an inaccessible or foreign link may be replaced by the file.
    fn replaces_refused_links(&self) -> bool {
        self.force && self.state == Existence::Exists && !self.want.bool("symlink")
    }

    fn first_probes(&self) -> Vec<Probe> {
        let stat = |follow| Probe::File(file::Probe::Stat { path: self.bare.clone(), follow });
        let mut probes = vec![stat(false), stat(true)];
        let (owner, group) = (self.want.text("owner"), self.want.text("group"));
        if !owner.is_empty() {
            probes.push(Probe::Account(account::Probe::UserId { name: owner.into_owned() }));
        }
        if !group.is_empty() {
            probes.push(Probe::Account(account::Probe::GroupId { name: group.into_owned() }));
        }
        if self.asks_umask() {
            probes.push(Probe::File(file::Probe::Umask));
        }
        if self.reads_at_once() {
            probes.push(Probe::File(file::Probe::Read { path: self.bare.clone(), limit: 2 * SMALL }));
        }
        probes
    }

    /// Whether to read the content before knowing whether there is any. It saves a second look.
    fn reads_at_once(&self) -> bool {
        let small = self
            .want
            .set("content")
            .and_then(|content| content.as_bytes())
            .is_some_and(|bytes| bytes.len() as u64 <= SMALL);
        small && self.state != Existence::Absent && !self.is_dir && !self.want.bool("symlink")
    }

    /// Whether the mode of a new file depends on the default.
    fn asks_umask(&self) -> bool {
        let is_partial = self.mode.as_ref().is_some_and(Mode::is_partial);
        is_partial && self.state == Existence::Exists && !self.is_dir && !self.want.bool("symlink")
    }

    fn has_contents(&self) -> bool {
        self.want.set("content").is_some() || !self.want.items("fragments").is_empty()
    }

    /// Records that the object is made or replaced with these bits.
    pub(super) fn made(&mut self, kind: FileKind, mode: u32) {
        self.fresh = Some(mode);
        let size = 0;
        let (uid, gid, mtime_ns, device, inode, target) = (u32::MAX, u32::MAX, 0, 0, 0, None);
        self.now = Some(FileStat { kind, mode, uid, gid, size, mtime_ns, device, inode, target });
    }

    /// The bits of a new file, and those to set explicitly.
    pub(super) fn new_mode(&self) -> (u32, Option<u32>) {
        match &self.mode {
            Some(mode) => (mode.of(self.new_file), Some(mode.of(self.new_file))),
            None => (self.new_file, None),
        }
    }

    fn existence(&mut self, link: Option<FileStat>) -> Result<(), Decision> {
        let kind = self.now.as_ref().map(|stat| stat.kind);
        match (self.state, kind) {
            (Existence::Absent | Existence::Undefined, Some(kind)) if self.is_dir && kind != FileKind::Dir => {
                return refuse(format!("could not stat file: stat {}: not a directory", self.path));
            }
            (Existence::Absent, _) => {
                if link.is_some() {
                    let recursive = self.want.bool("recurse");
                    self.steps.push(Step::File(file::Step::Remove { path: self.bare.clone(), recursive }));
                }
                self.now = None;
            }
            (Existence::Undefined, _) => {}
            (Existence::Exists, Some(kind)) if self.is_dir && kind != FileKind::Dir => {
                if !self.force {
                    return refuse(format!("{} is not a directory: set `force => true` to replace it", self.bare));
                }
                self.steps.push(Step::File(file::Step::Remove { path: self.bare.clone(), recursive: false }));
                self.make_dir();
            }
            (Existence::Exists, Some(_)) => {}
            (Existence::Exists, None) if self.is_dir => {
                if link.is_some() {
                    if !self.force {
                        return refuse(format!(
                            "{} is a symbolic link whose target does not exist: set `force => true` to replace it",
                            self.bare
                        ));
                    }
                    self.steps.push(Step::File(file::Step::Remove { path: self.bare.clone(), recursive: false }));
                }
                self.make_dir();
            }
            // Its content creates it.
            (Existence::Exists, None) if self.has_contents() || !self.want.text("source").is_empty() => {}
            (Existence::Exists, None) => {
                let (mode, given) = self.new_mode();
                self.steps.push(Step::File(file::Step::Create { path: self.bare.clone(), mode: given }));
                self.made(FileKind::File, mode);
            }
        }
        Ok(())
    }

    fn make_dir(&mut self) {
        // It is created with its mode, so a symbolic one starts from zero.
        let given = self.mode.as_ref().map(|mode| mode.of(0));
        let mode = given.unwrap_or(NEW_DIR);
        let parents = self.want.bool("recurse");
        self.steps.push(Step::File(file::Step::MakeDir { path: self.bare.clone(), parents, mode: given }));
        self.made(FileKind::Dir, mode);
    }

    /// The file was copied with the bits of its source.
    pub(super) fn copied(&mut self, mode: u32) {
        self.made(FileKind::File, mode);
    }

    fn symlink(&mut self, link: Option<FileStat>, behind: Option<FileStat>) -> Result<(), Decision> {
        let source = self.want.text("source").into_owned();
        let is_link = link.as_ref().is_some_and(|stat| stat.kind == FileKind::Symlink);
        let recursive = false;
        match (self.state, &link) {
            (Existence::Undefined, _) => {}
            (Existence::Absent, None) => {}
            (Existence::Absent, Some(_)) => {
                if !is_link && !self.force {
                    return refuse(format!("{} is not a symbolic link: set `force => true` to remove it", self.path));
                }
                self.steps.push(Step::File(file::Step::Remove { path: self.bare.clone(), recursive }));
            }
            (Existence::Exists, Some(stat)) if stat.target.as_deref() == Some(&source) => {}
            (Existence::Exists, _) => {
                if link.is_some() && !is_link {
                    if !self.force {
                        return refuse(format!(
                            "{} is not a symbolic link: set `force => true` to replace it",
                            self.path
                        ));
                    }
                    self.steps.push(Step::File(file::Step::Remove { path: self.bare.clone(), recursive }));
                }
                self.steps.push(Step::File(file::Step::Symlink { path: self.bare.clone(), target: source }));
                self.made(FileKind::Symlink, 0o777);
                return Ok(());
            }
        }
        // Owner and mode are read on the link, and changed on its target.
        self.now = match behind {
            Some(behind) => Some(FileStat { kind: FileKind::Symlink, ..behind }),
            None => link,
        };
        Ok(())
    }
}

/// The path itself, the source and the fragments.
pub(super) fn watches(want: &Want) -> Vec<Watch> {
    let path = effective(want).into_owned();
    let mut paths = vec![file::Watch { path, recursive: want.bool("recurse") }];
    let source = want.text("source");
    // The target of a link need not exist, and is not followed.
    if source.starts_with('/') && !want.bool("symlink") {
        paths.push(file::Watch { recursive: source.ends_with('/'), path: source.into_owned() });
    }
    let fragments = want.texts("fragments").into_iter();
    paths.extend(fragments.map(|path| file::Watch { path: path.into_owned(), recursive: false }));
    paths.into_iter().map(Watch::File).collect()
}
