//! Looking: everything but commands, which take time.

use super::host::States;
use super::world::World;
use crate::protocol::ResourceId;
use crate::vocab::{FileKind, FileStat, Finding, HostError, HostErrorKind, Probe};

/// What a probe sees. A command sees nothing here: it is run elsewhere.
pub(super) fn look(world: &World, states: &States, id: &ResourceId, probe: &Probe) -> Finding {
    let seen = match probe {
        Probe::Stat { path, follow } => world.tree.stat(path, *follow).map(Finding::Stat),
        Probe::ReadFile { path, limit } => world.tree.read(path).and_then(|bytes| {
            if bytes.len() as u64 > *limit {
                let message = format!("read {path}: more than {limit} bytes");
                return Err(HostError::new(HostErrorKind::Other, message));
            }
            Ok(Finding::Bytes(bytes.to_vec()))
        }),
        Probe::HashFile { path } => world.tree.read(path).map(|bytes| Finding::Hash(crate::hash::sha256(bytes))),
        Probe::ListDir { path, recursive } => world.tree.list(path, *recursive).map(Finding::Entries),
        Probe::Run(command) => Err(HostError::new(HostErrorKind::Other, format!("{:?} was not run", command.argv))),
        Probe::ReadState { name } => match states.get(&(id.clone(), name.clone())) {
            Some((bytes, _)) => Ok(Finding::Bytes(bytes.clone())),
            None => Err(HostError::new(HostErrorKind::NotFound, format!("open {name}: no such file or directory"))),
        },
        Probe::StatState { name } => {
            let found = states.get(&(id.clone(), name.clone()));
            Ok(Finding::Stat(found.map(|(bytes, mtime_ns)| FileStat {
                kind: FileKind::File,
                mode: 0o600,
                uid: 0,
                gid: 0,
                size: bytes.len() as u64,
                mtime_ns: *mtime_ns,
                device: 2,
                inode: 0,
                target: None,
            })))
        }
        Probe::ListStates { name } => {
            let named = states.iter().filter(|((_, known), _)| known == name);
            Ok(Finding::States(named.map(|(_, (bytes, _))| bytes.clone()).collect()))
        }
        Probe::Key { store, key } => Ok(Finding::Datum(world.key(*store, key).cloned())),
        Probe::Label { path } => world.tree.get(path, false).and_then(|node| match node {
            Some(node) => Ok(Finding::Label(node.label.clone())),
            None => Err(HostError::new(HostErrorKind::NotFound, format!("getxattr {path}: no such file or directory"))),
        }),
        Probe::User { name } => {
            let by_id = || world.users.values().map(|user| user.id).find(|id| id.to_string() == *name);
            let found = by_id().or_else(|| world.users.get(name).map(|user| user.id));
            found.map(Finding::Id).ok_or_else(|| unknown("user", name))
        }
        Probe::Group { name } => {
            let by_id = || world.groups.values().copied().find(|id| id.to_string() == *name);
            let found = by_id().or_else(|| world.groups.get(name).copied());
            found.map(Finding::Id).ok_or_else(|| unknown("group", name))
        }
        Probe::Posted { address } => Ok(Finding::Datum(world.web.posted(address))),
        Probe::Umask => Ok(Finding::Id(0o022)),
    };
    seen.unwrap_or_else(Finding::Failed)
}

fn unknown(what: &str, name: &str) -> HostError {
    HostError::new(HostErrorKind::NotFound, format!("unknown {what} {name}"))
}
