//! The content of a new host: a small Debian machine.

use super::{Account, Group, World};
use crate::command::CommandTable;
use crate::path;
use crate::protocol::Moment;
use crate::session::Session;
use crate::subject::Subjects;
use crate::tree::Tree;
use crate::vocab::sysctl;
use std::collections::{BTreeMap, BTreeSet};

/// 2026-01-01 00:00:00 UTC.
pub(crate) const EPOCH_NS: i64 = 1_767_225_600 * 1_000_000_000;

/// Some kernel parameters.
const PARAMETERS: [(&str, &str); 5] = [
    ("kernel.panic", "0"),
    ("net.core.somaxconn", "4096"),
    ("net.ipv4.ip_forward", "0"),
    ("net.ipv4.tcp_rmem", "4096\t131072\t6291456"),
    ("vm.swappiness", "60"),
];

impl World {
    /// A small host: some directories and files of a usual system, two users, one interface.
    pub fn new(hostname: &str) -> World {
        let mut world = World {
            tree: Tree::new(),
            commands: CommandTable::default(),
            hostname: hostname.to_string(),
            known_as: None,
            env: BTreeMap::new(),
            users: BTreeMap::new(),
            groups: BTreeMap::new(),
            subjects: Subjects::of_new_host(hostname),
            seed: 0,
            epoch_ns: EPOCH_NS,
            own_keys: BTreeMap::new(),
            world_keys: BTreeMap::new(),
            changed_keys: BTreeSet::new(),
            news: BTreeMap::new(),
            session: Session::default(),
            secrets: Vec::new(),
            now: Moment::default(),
            n_by_hand: 0,
            n_package_steps: 0,
        };
        for (name, value) in [("HOME", "/root"), ("PATH", "/usr/bin:/bin"), ("USER", "root"), ("LANG", "C.UTF-8")] {
            world.env.insert(name.to_string(), value.to_string());
        }
        for (name, id, home) in [("root", 0, "/root"), ("alice", 1000, "/home/alice")] {
            let (home, shell) = (home.to_string(), "/bin/sh".to_string());
            world.users.insert(name.to_string(), Box::new(Account { id, gid: id, home, shell }));
            world.groups.insert(name.to_string(), Group { id, ..Group::default() });
        }
        world.tree.now_ns = world.epoch_ns;
        let dirs = [
            "/etc/sysctl.d",
            "/etc/systemd/network",
            "/etc/systemd/system",
            "/home/alice",
            "/root",
            "/srv",
            "/tmp",
            "/usr/bin",
            "/usr/lib/systemd/system",
            "/var/lib",
            "/var/log",
        ];
        for dir in dirs {
            world.tree.make_dir(dir, true, None).expect("nothing is in the way on a new host");
        }
        let passwd = b"root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n".to_vec();
        let files = [
            ("/etc/hostname", format!("{hostname}\n").into_bytes()),
            ("/etc/os-release", b"NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_ID=\"13\"\n".to_vec()),
            ("/etc/debian_version", b"13.0\n".to_vec()),
            ("/etc/passwd", passwd),
        ];
        for (path, bytes) in files {
            world.write(path, bytes).expect("nothing is in the way on a new host");
        }
        for (name, value) in PARAMETERS {
            let path = sysctl::path(name);
            world.make_dir(path::parent(&path).unwrap_or("/")).expect("nothing is in the way on a new host");
            world.write(&path, format!("{value}\n")).expect("nothing is in the way on a new host");
        }
        world.tree.changes.clear();
        world
    }
}
