//! Files: the world's [`Tree`](crate::Tree).

use super::{Answer, Context, Play, Simulated, done, no_such};
use crate::hash::sha256;
use crate::protocol::Ticket;
use crate::tree::Body;
use crate::vocab::file::{self, Fact, Finding, Probe, Step, Watch};
use crate::vocab::subjects::File;
use crate::vocab::{Content, Datum, HostError, HostErrorKind, Outcome};
use crate::{SimHost, World, path};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for File {
    type State = ();
}

impl Play for File {
    const TITLE: &'static str = "Disk";

    /// Files have a separate view; these are the things that contain them.
    fn holds(world: &World) -> Vec<Thing> {
        let (state, verb) = if world.tree.is_full { ("full", "free space") } else { ("has space", "fill up") };
        vec![Thing::new("/").fixed("state", state).verbs(&[verb])]
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        match how {
            Alteration::Do { verb } if thing == "/" && (verb == "fill up" || verb == "free space") => {
                world.tree.is_full = verb == "fill up";
                Ok(())
            }
            Alteration::Set { field, value } if field == "mode" => {
                let mode = u32::from_str_radix(value.trim(), 8).ok().filter(|mode| *mode <= 0o7777);
                let wrong = || HostError::new(HostErrorKind::Other, format!("`{value}` is not a mode, such as 0644"));
                world.chmod(thing, mode.ok_or_else(wrong)?)
            }
            Alteration::Set { field, value } if field == "owner" => {
                let (user, group) = value.split_once(':').unwrap_or((value, ""));
                let nobody = |what: &str, name: &str| {
                    HostError::new(HostErrorKind::NotFound, format!("cannot find {what} {name} on the host"))
                };
                let account = world.users.get(user.trim()).ok_or_else(|| nobody("user", user))?;
                let (uid, mut gid) = (account.id, account.gid);
                if !group.is_empty() {
                    gid = world.groups.get(group.trim()).ok_or_else(|| nobody("group", group))?.id;
                }
                world.chown(thing, uid, gid)
            }
            Alteration::Set { .. } | Alteration::Do { .. } => Err(no_such(thing, how)),
        }
    }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let tree = &at.world.tree;
        let seen = match probe {
            Probe::Stat { path, follow } => {
                tree.stat(super::mount::behind(at.world, path, *follow), *follow).map(Finding::Stat)
            }
            Probe::Read { path, limit } => tree.read(path).and_then(|bytes| {
                if bytes.len() as u64 > *limit {
                    let message = format!("read {path}: more than {limit} bytes");
                    return Err(HostError::new(HostErrorKind::Other, message));
                }
                Ok(Finding::Bytes(bytes.to_vec()))
            }),
            Probe::Hash { path } => tree.read(path).map(|bytes| Finding::Hash(sha256(bytes))),
            Probe::List { path, recursive } => tree.list(path, *recursive).map(Finding::Entries),
            Probe::Label { path } => tree.get(path, false).and_then(|node| match node {
                Some(node) => Ok(Finding::Label(node.label.clone())),
                None => Err(missing("getxattr", path)),
            }),
            Probe::Umask => Ok(Finding::Umask(0o022)),
        };
        seen.into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let tree = &mut at.world.tree;
        done(match step {
            Step::Edit { path, edit, mode } => {
                let old = match tree.read(path) {
                    Err(error) if error.kind == HostErrorKind::NotFound => Ok(Vec::new()),
                    old => old.map(<[u8]>::to_vec),
                };
                old.and_then(|old| match edit.apply(&old) {
                    Some(new) => tree.write(path, new, *mode),
                    None => Ok(()),
                })
            }
            Step::Write { path, content, attributes } => {
                let bytes = match content {
                    Content::Bytes(bytes) => Ok(bytes.clone()),
                    Content::CopyOf(source) => tree.read(source).map(<[u8]>::to_vec),
                };
                bytes.and_then(|bytes| tree.put(path, bytes, attributes))
            }
            Step::Create { path, mode } => match tree.read(path) {
                Ok(_) => Ok(()),
                Err(_) => tree.write(path, Vec::new(), *mode),
            },
            Step::MakeDir { path, parents, mode } => tree.make_dir(path, *parents, *mode),
            Step::Remove { path, recursive } => tree.remove(path, *recursive),
            Step::Symlink { path, target } => tree.symlink(path, target),
            Step::SetMode { path, mode } => tree.change(path, true, |node| node.mode = mode & 0o7777),
            Step::SetOwner { path, uid, gid } => tree.change(path, true, |node| {
                node.uid = uid.unwrap_or(node.uid);
                node.gid = gid.unwrap_or(node.gid);
            }),
            Step::SetLabel { path, label } => tree.change(path, false, |node| node.label.clone_from(label)),
        })
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.watches.add(ticket, watch);
        Ok(())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, watch: &Watch) {
        host.watches.remove(ticket, &watch.path);
    }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        match fact {
            Fact::Content { path } => Ok(Datum::Bytes(world.tree.read(path)?.to_vec())),
            Fact::State { path } => Ok(file::state(world.tree.stat(path, true)?.as_ref())),
            Fact::LinkTarget { path } => match world.tree.get(path, false)?.map(|node| &node.body) {
                Some(Body::Symlink(target)) => Ok(Datum::text(target.as_str())),
                Some(Body::File(_) | Body::Dir) => {
                    Err(HostError::new(HostErrorKind::Other, format!("readlink {path}: invalid argument")))
                }
                None => Err(missing("readlink", path)),
            },
            Fact::RealPath { path } => {
                let absent = |error: HostError| {
                    if error.kind == HostErrorKind::NotFound { missing("lstat", path) } else { error }
                };
                let real = world.tree.resolve(path, true).map_err(absent)?;
                match world.tree.get(&real, false)? {
                    Some(_) => Ok(Datum::Bytes(real.into_bytes())),
                    None => Err(missing("lstat", path)),
                }
            }
            Fact::Glob { pattern } => Ok(glob(world, pattern)),
            Fact::TempDir { dir, pattern, nonce } => {
                let dir = if dir.is_empty() { "/tmp" } else { dir };
                let digits = format!("{:010}", super::mix(world.seed ^ nonce.wrapping_add(1)) % 10_000_000_000);
                let name = match pattern.rsplit_once('*') {
                    Some((before, after)) => format!("{before}{digits}{after}"),
                    None => format!("{pattern}{digits}"),
                };
                let path = path::join(&path::clean(dir), &name);
                world.tree.make_dir(&path, false, Some(0o700))?;
                Ok(Datum::Bytes(path.into_bytes()))
            }
        }
    }
}

fn missing(call: &str, path: &str) -> HostError {
    HostError::new(HostErrorKind::NotFound, format!("{call} {path}: no such file or directory"))
}

fn glob(world: &World, pattern: &str) -> Datum {
    let n_parts = pattern.split('/').count();
    let matches = world.tree.all().map(|(path, _)| path).filter(|path| {
        path.split('/').count() == n_parts
            && path.split('/').zip(pattern.split('/')).all(|(name, pattern)| matches(name, pattern))
    });
    Datum::List(matches.map(|path| Datum::text(path.as_str())).collect())
}

/// `*` and `?` within one component of a path.
fn matches(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    let (mut at, mut in_pattern, mut star) = (0, 0, None);
    while at < name.len() {
        match pattern.get(in_pattern) {
            Some('*') => {
                star = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(&char) if char == '?' || char == name[at] => {
                at += 1;
                in_pattern += 1;
            }
            _ => match &mut star {
                Some((back, from)) => {
                    *from += 1;
                    at = *from;
                    in_pattern = *back + 1;
                }
                None => return false,
            },
        }
    }
    pattern[in_pattern..].iter().all(|&char| char == '*')
}
