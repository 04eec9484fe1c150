//! [`World`]: the content of a simulated host, and the changes made to it by hand.

mod clients;
mod usual;

use super::boot::Boot;
use super::clouds::Clouds;
use super::command::{Command, CommandTable};
use super::containers::Containers;
use super::controllers::Controllers;
use super::firewall::Firewall;
use super::firmwares::Firmwares;
use super::guests::Guests;
use super::leases::Leases;
use super::links::{self, Interface};
use super::packages::Packages;
use super::remotes::Reached;
use super::session::Session;
use super::subject;
use super::tree::Tree;
use super::units::Units;
use super::virts::Virts;
use super::web::Web;
use crate::gather::Boxed;
use crate::protocol::Moment;
use crate::vocab::mount::Mounted;
use crate::vocab::request::Answer;
use crate::vocab::schedule::Holders;
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
    /// Arguments of the agent.
    pub args: Vec<String>,
    /// By name; `root` and `alice` at first.
    pub users: Boxed<String, Account>,
    /// Groups by name.
    pub groups: BTreeMap<String, Group>,
    /// The load averages over 1, 5 and 15 minutes.
    pub load: [f64; 3],
    /// Network interfaces in the system's order.
    pub interfaces: Vec<Interface>,
    /// Mounts; a later one covers an earlier one.
    pub mounts: Vec<Mounted>,
    /// Systemd units.
    pub units: Units,
    /// Entries of the journal: priority, text and fields.
    pub journal: Vec<String>,
    /// Lines of the syslog: priority and text.
    pub syslog: Vec<String>,
    /// The number of boots.
    pub n_boots: u64,
    /// The package system.
    pub packages: Packages,
    /// firewalld.
    pub firewall: Firewall,
    /// The container engine.
    pub containers: Containers,
    /// Cloud machines.
    pub clouds: Clouds,
    /// Management controllers.
    pub controllers: Controllers,
    /// `systemd-nspawn` machines.
    pub guests: Guests,
    /// libvirt.
    pub virts: Virts,
    /// fwupd.
    pub firmwares: Firmwares,
    /// Keys of Consul with their modify indices, by server and key.
    pub(super) consul: BTreeMap<(String, String), (Vec<u8>, u64)>,
    /// Whether all Consul servers are unreachable.
    pub consul_is_down: bool,
    /// Hosts reachable over SSH, by URL: `ssh://h:22`.
    pub remotes: BTreeMap<String, Reached>,
    /// Values seen by lenses, by file and path. A file without an entry cannot be read by a lens.
    pub lenses: BTreeMap<String, BTreeMap<String, String>>,
    /// Desktop settings, by user, schema and key; the user is empty for the agent's own.
    pub desktops: BTreeMap<(String, String, String), String>,
    /// The tokens of passwords, by resource.
    pub tokens: BTreeMap<String, String>,
    pub(super) n_drawn: u64,
    /// Loaded kernel modules.
    pub kernel_modules: Vec<String>,
    /// The online processors, as a range list.
    pub cpus_online: String,
    /// How long the machine had been up when the simulation began. Units: seconds.
    pub up_s: u32,
    /// The offset of the time zone, east of UTC. Units: minutes.
    pub utc_offset_min: i32,
    /// Texts that identify a virtual machine.
    pub machine_texts: Vec<Vec<u8>>,
    /// Update states of firmware devices.
    pub firmware_updates: Vec<i64>,
    /// The peak sound level, as a ratio.
    pub audio_peak: f64,
    /// Command line settings by name.
    pub settings: BTreeMap<String, Datum>,
    /// The last answers to http client resources, by name.
    pub(super) answers: BTreeMap<String, Answer>,
    /// The results of http client resources, by name.
    pub http: BTreeMap<String, (i64, Vec<u8>)>,
    /// Seed of all randomness.
    pub seed: u64,
    /// The wall clock at moment zero, in nanoseconds since 1970.
    pub epoch_ns: i64,
    /// The stores and the pools are persistent: another run on the same host finds them.
    pub(super) own_keys: BTreeMap<String, Datum>,
    pub(super) world_keys: BTreeMap<String, Datum>,
    pub(super) pools: BTreeMap<String, BTreeMap<String, i64>>,
    pub(super) changed_keys: BTreeSet<(KeyStore, String)>,
    /// Shared keys changed on this host and not passed on yet, with their values.
    pub(super) news: BTreeMap<String, Option<Datum>>,
    /// The web servers of this host, and the remotes.
    pub web: Web,
    pub(super) votes: Holders,
    pub(super) session: Session,
    /// The present moment.
    pub(super) now: Moment,
    pub(super) boot: Boot,
    pub(super) leases: Leases,
    /// How often something was changed by hand, which may be anything.
    pub(super) n_by_hand: u64,
    /// How many steps the package system has carried out or refused.
    pub(super) n_package_steps: u64,
}

impl World {
    /// Makes it one of several hosts, with its own address.
    pub fn stand_at(&mut self, number: u8) {
        self.interfaces = links::numbered(number);
        self.seed = self.seed.wrapping_add(number.into());
        self.web = Web::new(&[self.hostname.as_str(), &format!("192.0.2.{}", 10 + number)]);
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
        let files = self.packages.installed.get(package).map(|release| release.files.clone()).unwrap_or_default();
        self.packages.remove(package);
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

    /// Sets a key of Consul by hand.
    pub fn set_consul(&mut self, server: &str, key: &str, value: &[u8]) {
        let number = self.consul.values().map(|(_, number)| *number).max().unwrap_or(0) + 1;
        self.consul.insert((server.to_owned(), key.to_owned()), (value.to_vec(), number));
    }

    /// The file at a path; a link at its end is not followed.
    pub fn stat(&self, path: &str) -> Option<crate::vocab::FileStat> {
        self.tree.stat(path, false).ok().flatten()
    }

    /// Adds a scripted command, or replaces the one with the same line.
    pub fn set_command(&mut self, command: Command) {
        self.commands.set(command);
    }

    /// Sets or removes a key of a store. Of the shared one, this waits while the host is cut off.
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
