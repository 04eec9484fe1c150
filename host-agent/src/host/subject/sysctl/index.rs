//! [`Index`]: what the files of some directories set, each read once per change.
//!
//! A program with a thousand parameters writes a thousand files, and each write asks what the files after it set. So the
//! directories are watched, and only what has changed is read again. Links are read each time: a watch of their directory
//! does not report changes of their targets.

use super::later::settings;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

/// How directories and files are read. What cannot be read is empty.
pub(super) struct Look<'a> {
    pub(super) list: &'a dyn Fn(&str) -> Vec<String>,
    pub(super) read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

pub(super) struct Index {
    /// None: there are too many watches, and everything is read each time.
    events: Option<OwnedFd>,
    dirs: Vec<Dir>,
    /// By parameter: the files that set it, by name and directory.
    by_parameter: BTreeMap<String, BTreeSet<(String, usize)>>,
    /// The files to read again.
    stale: BTreeSet<(usize, String)>,
    links: BTreeSet<(usize, String)>,
}

struct Dir {
    path: String,
    /// Its device and number; none: there is no such directory.
    id: Option<(u64, u64)>,
    watch: Option<i32>,
    /// By name: the value of each parameter.
    files: BTreeMap<String, BTreeMap<String, String>>,
}

/// What may change the content of a file, or which file has a name.
const CHANGES: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO);

impl Index {
    /// The files of these directories; a name in one of them hides the same name in those after it.
    pub(super) fn new(dirs: &[&str], look: &Look) -> Index {
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
        let dirs = dirs.iter().map(|path| Dir {
            path: (*path).to_owned(),
            id: id_of(path),
            watch: events.as_ref().and_then(|events| inotify::add_watch(events, *path, CHANGES).ok()),
            files: BTreeMap::new(),
        });
        let dirs: Vec<Dir> = dirs.collect();
        let are_watched = dirs.iter().all(|dir| dir.watch.is_some() == dir.id.is_some());
        let mut index = Index {
            events: events.filter(|_| are_watched),
            dirs,
            by_parameter: BTreeMap::new(),
            stale: BTreeSet::new(),
            links: BTreeSet::new(),
        };
        for (at, dir) in index.dirs.iter().enumerate().filter(|(_, dir)| dir.id.is_some()) {
            let names = (look.list)(&dir.path).into_iter().filter(|name| is_read(name));
            index.stale.extend(names.map(|name| (at, name)));
        }
        index.read_stale(look);
        index
    }

    /// Whether it can be used again later.
    pub(super) fn is_watched(&self) -> bool {
        self.events.is_some()
    }

    /// Reads what has changed. `false`: it is not known what has.
    pub(super) fn refresh(&mut self, look: &Look) -> bool {
        if !self.drain() || self.dirs.iter().any(|dir| dir.id != id_of(&dir.path)) {
            return false;
        }
        self.stale.extend(self.links.iter().cloned());
        self.read_stale(look);
        true
    }

    /// The last file after `name` that sets a parameter, and the value that it sets.
    pub(super) fn last_after(&self, name: &str, parameter: &str) -> Option<(String, String)> {
        let files = self.by_parameter.get(parameter)?;
        let mut later = files.iter().rev().take_while(|(other, _)| other.as_str() > name);
        let is_hidden = |name: &str, at: usize| self.dirs[..at].iter().any(|dir| dir.files.contains_key(name));
        let (name, at) = later.find(|(name, at)| !is_hidden(name, *at))?;
        let dir = &self.dirs[*at];
        let value = dir.files.get(name)?.get(parameter)?;
        Some((format!("{}/{name}", dir.path), value.clone()))
    }

    /// Takes note of what the kernel reports. `false`: it does not report everything.
    fn drain(&mut self) -> bool {
        let Some(events) = &self.events else { return false };
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(events, &mut buffer);
        while let Ok(event) = reader.next() {
            let lost = ReadFlags::QUEUE_OVERFLOW | ReadFlags::IGNORED | ReadFlags::UNMOUNT;
            if event.events().intersects(lost) {
                return false;
            }
            let Some(name) = event.file_name().and_then(|name| name.to_str().ok()).filter(|name| is_read(name)) else {
                continue;
            };
            // Two of the directories may be one.
            for (at, dir) in self.dirs.iter().enumerate() {
                if dir.watch == Some(event.wd()) {
                    self.stale.insert((at, name.to_owned()));
                }
            }
        }
        true
    }

    fn read_stale(&mut self, look: &Look) {
        for (at, name) in std::mem::take(&mut self.stale) {
            let dir = &mut self.dirs[at];
            for parameter in dir.files.remove(&name).unwrap_or_default().into_keys() {
                let Some(files) = self.by_parameter.get_mut(&parameter) else { continue };
                files.remove(&(name.clone(), at));
                if files.is_empty() {
                    self.by_parameter.remove(&parameter);
                }
            }
            let path = format!("{}/{name}", dir.path);
            let link = (at, name.clone());
            match std::fs::symlink_metadata(&path) {
                Ok(stat) if stat.is_symlink() => self.links.insert(link),
                Ok(_) => self.links.remove(&link),
                Err(_) => {
                    self.links.remove(&link);
                    continue;
                }
            };
            let settings = (look.read)(&path).map(|text| settings(&text)).unwrap_or_default();
            for parameter in settings.keys() {
                self.by_parameter.entry(parameter.clone()).or_default().insert((name.clone(), at));
            }
            dir.files.insert(name, settings);
        }
    }
}

/// The other files of such a directory do not count.
fn is_read(name: &str) -> bool {
    name.ends_with(".conf")
}

fn id_of(dir: &str) -> Option<(u64, u64)> {
    std::fs::metadata(dir).ok().filter(|stat| stat.is_dir()).map(|stat| (stat.dev(), stat.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use std::cell::Cell;
    use std::path::Path;

    /// An index of two directories, and how often it has read a file.
    struct Case {
        dirs: [String; 2],
        index: Option<Index>,
        n_read: Cell<usize>,
    }

    impl Case {
        fn last_after(&mut self, name: &str) -> Option<(String, String)> {
            let list = |dir: &str| -> Vec<String> {
                let names = std::fs::read_dir(dir).into_iter().flatten().flatten();
                names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
            };
            let read = |path: &str| {
                self.n_read.set(self.n_read.get() + 1);
                std::fs::read(path).ok()
            };
            let look = Look { list: &list, read: &read };
            let kept = self.index.take().and_then(|mut index| index.refresh(&look).then_some(index));
            let dirs: Vec<&str> = self.dirs.iter().map(String::as_str).collect();
            let index = kept.unwrap_or_else(|| Index::new(&dirs, &look));
            let last = index.last_after(name, "a.b");
            self.index = Some(index).filter(Index::is_watched);
            last
        }

        /// The name of the file and the value, and how many files were read for it.
        #[track_caller]
        fn check(&mut self, name: &str, expect: Option<(&str, &str)>, n_read: usize) {
            self.n_read.set(0);
            let last = self.last_after(name);
            let last = last.as_ref().map(|(path, value)| (path.rsplit_once('/').expect("a path").1, &**value));
            assert_eq!((last, self.n_read.get()), (expect, n_read));
        }
    }

    #[test]
    fn a_file_is_read_again_only_after_a_change() {
        let root = Scratch::new("sysctl-index");
        let dirs = ["etc", "lib"].map(|dir| root.join(dir).to_str().expect("a text").to_owned());
        let put = |dir: usize, name: &str, text: &str| {
            std::fs::write(Path::new(&dirs[dir]).join(name), text).expect("it can be written");
        };
        std::fs::create_dir_all(&dirs[0]).expect("a directory");
        for nr in 10..40 {
            put(0, &format!("{nr}.conf"), &format!("c.d{nr} = 1\n"));
        }
        put(0, "README", "a.b = 9\n");
        let mut case = Case { dirs: dirs.clone(), index: None, n_read: Cell::new(0) };
        case.check("10.conf", None, 30);
        case.check("10.conf", None, 0);
        // A new one, a change, another name, and none.
        put(0, "50.conf", "a.b = 1\n");
        case.check("10.conf", Some(("50.conf", "1")), 1);
        case.check("50.conf", None, 0);
        put(0, "20.conf", "a.b = 2\n");
        put(0, "50.conf", "a.b = 3\na/b = 4\n");
        case.check("10.conf", Some(("50.conf", "4")), 2);
        let is_known =
            |parameter: &str| case.index.as_ref().is_some_and(|index| index.by_parameter.contains_key(parameter));
        assert!(is_known("a.b") && !is_known("c.d20"), "no file sets it any more");
        std::fs::rename(format!("{}/50.conf", dirs[0]), format!("{}/15.conf", dirs[0])).expect("another name");
        case.check("10.conf", Some(("20.conf", "2")), 1);
        std::fs::remove_file(format!("{}/20.conf", dirs[0])).expect("it is removed");
        case.check("10.conf", Some(("15.conf", "4")), 0);
        // A directory that appears: everything is read again.
        std::fs::create_dir_all(&dirs[1]).expect("a directory");
        put(1, "15.conf", "a.b = 5\n");
        put(1, "60.conf", "a.b = 6\n");
        case.check("10.conf", Some(("60.conf", "6")), 31);
        // A name in the first directory hides that in the second.
        put(0, "60.conf", "");
        case.check("10.conf", Some(("15.conf", "4")), 1);
        // The target of a link changes without an event.
        std::fs::write(root.join("target"), "a.b = 7\n").expect("it can be written");
        std::os::unix::fs::symlink(root.join("target"), format!("{}/70.conf", dirs[1])).expect("a link");
        case.check("10.conf", Some(("70.conf", "7")), 1);
        std::fs::write(root.join("target"), "a.b = 8\n").expect("it can be written");
        case.check("10.conf", Some(("70.conf", "8")), 1);
    }
}
