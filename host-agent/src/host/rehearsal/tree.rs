//! [`Tree`]: the predicted changes of files, on top of the host's own files.
//!
//! Places are absolute paths without links, `.` and `..`, as the brain writes paths. A path is walked part by part, so
//! links and directories that planned steps create are followed.

use crate::host::errno::failed;
use crate::host::fs;
use crate::host::fs::Last;
use crate::policy::Permit;
use mclive_base::vocab::path::shown;
use mclive_base::vocab::{FileKind, FileStat, HostError, HostErrorKind, mount};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::Path;

/// The same limit as the kernel's.
const MAX_LINKS: usize = 40;
/// The device number of predicted files.
const NOWHERE: u64 = u64::MAX;

/// By place; `None`: it would no longer exist.
#[derive(Default)]
pub(super) struct Tree {
    nodes: BTreeMap<String, Option<Node>>,
    /// Mount points at which nothing would be mounted any more. What is beneath is unknown: they count as empty.
    pub(super) unmounted: BTreeSet<String>,
    /// Planned steps free at most this much space, on all disks together. Units: bytes.
    pub(super) freed: u64,
    n_made: u64,
}

/// The predicted state of a place.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) stat: FileStat,
    pub(super) body: Body,
    pub(super) label: Option<Vec<u8>>,
}

#[derive(Clone)]
pub(super) enum Body {
    Bytes(Vec<u8>),
    /// The content of the host's file at this place.
    As(String),
    /// With only the entries of planned steps.
    NewDir,
    /// The host's directory, with other attributes.
    SameDir,
    Link,
}

/// The end of a path.
pub(super) struct Spot {
    pub(super) place: String,
    /// A planned step affects the place, or the path to it.
    pub(super) is_touched: bool,
    pub(super) found: Option<FileStat>,
}

impl Tree {
    /// Walks along a path. Errors are those of the system for the operation `verb`.
    pub(super) fn find(&self, verb: &str, path: &str, last: Last) -> Result<Spot, HostError> {
        let fails = |errno| failed(verb, path, errno);
        let mut ahead = parts(path);
        let (mut here, mut is_touched, mut n_links) = (String::new(), false, 0);
        let mut found = self.at("/")?.0;
        while let Some(part) = ahead.pop() {
            if part == ".." {
                here.truncate(here.rfind('/').unwrap_or(0));
                found = self.at(root_or(&here))?.0;
                continue;
            }
            match &found {
                Some(stat) if stat.kind == FileKind::Dir => {}
                Some(_) => return Err(fails(Errno::NOTDIR)),
                None => return Err(fails(Errno::NOENT)),
            }
            let place = format!("{here}/{part}");
            let (there, touched) = self.at(&place)?;
            is_touched |= touched;
            match there {
                Some(stat) if stat.kind == FileKind::Symlink && (!ahead.is_empty() || last == Last::Followed) => {
                    n_links += 1;
                    if n_links > MAX_LINKS {
                        return Err(fails(Errno::LOOP));
                    }
                    let own = [0, rustix::process::geteuid().as_raw()];
                    if !own.contains(&stat.uid) {
                        let (path, place, user) = (shown(path), shown(&place), stat.uid);
                        let why =
                            format!("`{place}` is a symbolic link owned by user {user}; such links are not followed");
                        return Err(HostError::new(HostErrorKind::Refused, format!("{verb} {path}: {why}")));
                    }
                    let target = stat.target.unwrap_or_default();
                    if target.starts_with('/') {
                        here.clear();
                    }
                    found = self.at(root_or(&here))?.0;
                    ahead.extend(parts(&target));
                }
                there => {
                    here = place;
                    found = there;
                }
            }
        }
        Ok(Spot { place: root_or(&here).to_owned(), is_touched, found })
    }

    /// The predicted state of a place, and whether it comes from a planned step.
    fn at(&self, place: &str) -> Result<(Option<FileStat>, bool), HostError> {
        match self.nodes.get(place) {
            Some(node) => Ok((node.as_ref().map(|node| node.stat.clone()), true)),
            None if self.is_anew(place) => Ok((None, true)),
            None => Ok((fs::stat(Permit::ALL, place, false)?, false)),
        }
    }

    /// A planned step creates or removes a directory above it, or unmounts one, so the host's entry does not count.
    pub(super) fn is_anew(&self, place: &str) -> bool {
        let mut above = place;
        while let Some(slash) = above.rfind('/').filter(|slash| *slash > 0) {
            above = &above[..slash];
            if self.unmounted.contains(above) {
                return true;
            }
            match self.nodes.get(above) {
                None | Some(Some(Node { body: Body::SameDir, .. })) => {}
                Some(None | Some(_)) => return true,
            }
        }
        false
    }

    /// A planned step affects the place itself.
    pub(super) fn has(&self, place: &str) -> bool {
        self.nodes.contains_key(place)
    }

    pub(super) fn node(&self, place: &str) -> Option<&Node> {
        self.nodes.get(place)?.as_ref()
    }

    pub(super) fn put(&mut self, place: &str, node: Node) {
        self.nodes.insert(place.to_owned(), Some(node));
    }

    /// Removes a place and everything below it.
    pub(super) fn remove(&mut self, place: &str) {
        let below: Vec<String> = self.below(place).map(|(place, _)| place.to_owned()).collect();
        below.iter().for_each(|place| drop(self.nodes.remove(place)));
        self.nodes.insert(place.to_owned(), None);
    }

    /// Records what a step mounts or unmounts.
    pub(super) fn mounts(&mut self, step: &mount::Step) {
        match step {
            mount::Step::Mount { target, .. } => {
                self.unmounted.remove(target);
            }
            mount::Step::Unmount { target } => {
                self.unmounted.insert(target.clone());
            }
            mount::Step::Remount { .. } => {}
        }
    }

    /// Whether a planned step unmounts this place, or one below it.
    pub(super) fn unmounts_within(&self, place: &str) -> bool {
        self.unmounted.iter().any(|point| Path::new(point).starts_with(place))
    }

    /// The places below that planned steps affect.
    pub(super) fn below(&self, place: &str) -> impl Iterator<Item = (&str, Option<&Node>)> {
        let begin = format!("{}/", place.trim_end_matches('/'));
        let all = self.nodes.range::<str, _>((Bound::Excluded(begin.as_str()), Bound::Unbounded));
        let end = begin.clone();
        all.take_while(move |(place, _)| place.starts_with(&end)).map(|(place, node)| (place.as_str(), node.as_ref()))
    }

    /// The state of a new entry, which belongs to the user of the agent.
    pub(super) fn new_stat(&mut self, kind: FileKind, mode: u32, size: u64, target: Option<String>) -> FileStat {
        self.n_made += 1;
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        FileStat { kind, mode, uid, gid, size, mtime_ns: 0, device: NOWHERE, inode: self.n_made, target }
    }

    /// The existing entry at a place, to be changed in place.
    pub(super) fn changed(&self, spot: &Spot, stat: FileStat) -> Node {
        if let Some(node) = self.node(&spot.place) {
            return Node { stat, ..node.clone() };
        }
        let body = match stat.kind {
            FileKind::Dir => Body::SameDir,
            FileKind::Symlink => Body::Link,
            FileKind::File | FileKind::Other => Body::As(spot.place.clone()),
        };
        Node { stat, body, label: fs::label(Permit::ALL, &spot.place).ok().flatten() }
    }
}

/// The parts of a path, last first.
fn parts(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").rev().map(str::to_owned).collect()
}

fn root_or(place: &str) -> &str {
    if place.is_empty() { "/" } else { place }
}
