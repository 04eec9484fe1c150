//! [`World`]: the content of a simulated host, and the changes made to it by hand.

mod clients;
mod usual;

use super::command::{Command, CommandTable};
use super::session::Session;
use super::subject::{self, Links, Subjects};
use super::tree::Tree;
use super::web::Web;
use crate::gather::Boxed;
use crate::protocol::Moment;
use crate::vocab::{Datum, HostError, KeyStore};
use mclive_base::shapes::host::{Alteration, Holding};
use std::collections::{BTreeMap, BTreeSet};
pub(super) use usual::EPOCH_NS;

/// A user.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Account {
    /// User id.
    pub id: u32,
    /// The primary group.
    pub gid: u32,
    /// Home directory.
    pub home: String,
    /// Login shell.
    pub shell: String,
}

/// The content of another host at a URL.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Remote {
    /// HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// The modification date. Units: seconds since 1970.
    pub modified_s: Option<i64>,
    /// Whether the other host cannot be reached.
    pub is_down: bool,
}

/// A group.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Group {
    /// Group id.
    pub id: u32,
    /// Names of its members.
    pub members: BTreeSet<String>,
}

/// The content of a host. All of it may be changed at any time through [`Sim::change`](super::Sim::change), which
/// notifies watches.
#[derive(Clone)]
pub struct World {
    /// The file system.
    pub tree: Tree,
    /// Scripted commands.
    pub commands: CommandTable,
    /// The host name.
    pub hostname: String,
    /// The agent's name among other hosts, if it was started with another one.
    pub known_as: Option<String>,
    /// Environment variables of the agent.
    pub env: BTreeMap<String, String>,
    /// By name; `root` and `alice` at first.
    pub users: Boxed<String, Account>,
    /// Groups by name.
    pub groups: BTreeMap<String, Group>,
    /// The state of each subject. The other fields are used by several subjects, or by the host itself.
    pub subjects: Subjects,
    /// Seed of all randomness.
    pub seed: u64,
    /// The wall clock at moment zero, in nanoseconds since 1970.
    pub epoch_ns: i64,
    /// The stores are persistent: another run on the same host finds them.
    pub(super) own_keys: BTreeMap<String, Datum>,
    pub(super) world_keys: BTreeMap<String, Datum>,
    pub(super) changed_keys: BTreeSet<(KeyStore, String)>,
    /// Shared keys changed on this host and not passed on yet, with their values.
    pub(super) news: BTreeMap<String, Option<Datum>>,
    pub(super) session: Session,
    /// Secrets that were opened, but have not been passed to the program yet.
    pub(super) secrets: Vec<String>,
    /// The present moment.
    pub(super) now: Moment,
    /// How often something was changed by hand, which may be anything.
    pub(super) n_by_hand: u64,
    /// How many steps the package system has carried out or refused.
    pub(super) n_package_steps: u64,
}

impl World {
    /// Makes it one of several hosts, with its own address.
    pub fn stand_at(&mut self, number: u8) {
        self.subjects.link = Links::numbered(number);
        self.seed = self.seed.wrapping_add(number.into());
        self.subjects.server = Web::new(&[self.hostname.as_str(), &format!("192.0.2.{}", 10 + number)]);
    }

    /// The name under which the agent shares things with other hosts.
    pub(crate) fn agent(&self) -> &str {
        self.known_as.as_ref().unwrap_or(&self.hostname)
    }

    /// Rewrites the account files.
    pub(super) fn write_accounts(&mut self) -> Result<(), HostError> {
        let users = self.users.iter().map(|(name, user)| {
            let Account { id, gid, home, shell } = &**user;
            format!("{name}:x:{id}:{gid}::{home}:{shell}\n")
        });
        let group = |(name, group): (&String, &Group)| {
            let members: Vec<&str> = group.members.iter().map(String::as_str).collect();
            format!("{name}:x:{}:{}\n", group.id, members.join(","))
        };
        let (users, groups): (String, String) = (users.collect(), self.groups.iter().map(group).collect());
        self.write("/etc/passwd", users)?;
        self.write("/etc/group", groups)
    }

    /// Replaces or makes a file.
    pub fn write(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<(), HostError> {
        self.tree.write(path, bytes.into(), None)
    }

    /// The content of a file.
    pub fn read(&self, path: &str) -> Result<&[u8], HostError> {
        self.tree.read(path)
    }

    /// Makes a directory and its parents.
    pub fn make_dir(&mut self, path: &str) -> Result<(), HostError> {
        self.tree.make_dir(path, true, None)
    }

    /// Removes a path with everything in it.
    pub fn remove(&mut self, path: &str) -> Result<(), HostError> {
        self.tree.remove(path, true)
    }

    /// Renames a file or directory.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), HostError> {
        self.tree.rename(from, to)
    }

    /// Makes a symbolic link.
    pub fn symlink(&mut self, path: &str, target: &str) -> Result<(), HostError> {
        self.tree.symlink(path, target)
    }

    /// Sets the twelve permission bits.
    pub fn chmod(&mut self, path: &str, mode: u32) -> Result<(), HostError> {
        self.tree.change(path, true, |node| node.mode = mode & 0o7777)
    }

    /// Sets owner and group.
    pub fn chown(&mut self, path: &str, uid: u32, gid: u32) -> Result<(), HostError> {
        self.tree.change(path, true, |node| (node.uid, node.gid) = (uid, gid))
    }

    /// Removes a package with its files, and everything that depends on it.
    pub fn uninstall(&mut self, package: &str) {
        let files =
            self.subjects.package.installed.get(package).map(|release| release.files.clone()).unwrap_or_default();
        self.subjects.package.remove(package);
        files.iter().for_each(|(path, _)| drop(self.remove(path)));
    }

    /// Everything except files that programs read or manage here, by subject.
    pub fn holdings(&self) -> Vec<Holding> {
        subject::holdings(self)
    }

    /// Changes a thing of [`World::holdings`] by hand. Errors: why it is impossible.
    pub fn alter(&mut self, subject: &str, thing: &str, how: &Alteration) -> Result<(), HostError> {
        subject::alter(self, subject, thing, how)
    }

    /// The file at a path; a link at its end is not followed.
    pub fn stat(&self, path: &str) -> Option<crate::vocab::FileStat> {
        self.tree.stat(path, false).ok().flatten()
    }

    /// Adds a scripted command, or replaces the one with the same line.
    pub fn set_command(&mut self, command: Command) {
        self.commands.set(command);
    }

    /// Sets or removes a key of a store. In the shared store, this waits while the host is cut off.
    pub fn set_key(&mut self, store: KeyStore, key: &str, value: Option<Datum>) {
        if store == KeyStore::World && self.session.is_cut() {
            self.session.wait(key, value);
            return;
        }
        // It is written after what is on the way here, also if that makes no difference to what is seen here.
        let is_later = store == KeyStore::World && self.session.delay.supersede(key);
        let is_changed = self.put_key(store, key, value.clone());
        if store == KeyStore::World && (is_changed || is_later) {
            self.news.insert(key.to_owned(), value);
        }
    }

    /// Changes made here to the shared store, for the other hosts.
    pub fn take_news(&mut self) -> BTreeMap<String, Option<Datum>> {
        std::mem::take(&mut self.news)
    }

    /// Everything in the shared store.
    pub fn shared_keys(&self) -> impl Iterator<Item = (&str, &Datum)> {
        self.world_keys.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// `true`: the key changed.
    pub(super) fn put_key(&mut self, store: KeyStore, key: &str, value: Option<Datum>) -> bool {
        let keys = match store {
            KeyStore::Local => &mut self.own_keys,
            KeyStore::World => &mut self.world_keys,
        };
        let changed = match value {
            Some(value) => keys.insert(key.to_owned(), value.clone()).as_ref() != Some(&value),
            None => keys.remove(key).is_some(),
        };
        if changed {
            self.changed_keys.insert((store, key.to_owned()));
        }
        changed
    }

    /// The value of a key.
    pub fn key(&self, store: KeyStore, key: &str) -> Option<&Datum> {
        self.keys(store).get(key)
    }

    /// Everything in a store.
    pub(super) fn keys(&self, store: KeyStore) -> &BTreeMap<String, Datum> {
        match store {
            KeyStore::Local => &self.own_keys,
            KeyStore::World => &self.world_keys,
        }
    }
}
