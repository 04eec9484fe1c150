//! Users and groups: [`World::users`] and [`World::groups`].

use super::{Adds, Answer, Context, Play, Simulated, done, exists, hash, no_such, number};
use crate::World;
use crate::gather;
use crate::vocab::account::{Fact, Finding, GroupEntry, Probe, PutUser, Step, UserEntry, Watch};
use crate::vocab::subjects;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use crate::world::{Account, Group};
use mclive_base::shapes::host::{Alteration, Thing};
use std::collections::BTreeSet;

/// The beginning of the names of groups, where they are among users.
const GROUP: &str = "group ";

/// The first id that the system assigns to new accounts.
const FIRST: u32 = 1000;

impl Simulated for subjects::Account {
    type State = ();
}

impl Play for subjects::Account {
    const TITLE: &'static str = "Users and groups";
    const ADDS: Adds = &[("user", "", "bob"), ("group", GROUP, "admins")];

    fn holds(world: &World) -> Vec<Thing> {
        let users = world.users.iter().map(|(name, user)| {
            let thing = Thing::new(name).fixed("kind", "user").field("uid", user.id.to_string());
            thing.field("home", &user.home).field("shell", &user.shell).verbs(&["delete"])
        });
        let group = |(name, group): (&String, &Group)| {
            let members: Vec<&str> = group.members.iter().map(String::as_str).collect();
            let thing = Thing::new(format!("{GROUP}{name}")).fixed("kind", "group").field("gid", group.id.to_string());
            thing.field("members", members.join(" ")).verbs(&["delete"])
        };
        users.chain(world.groups.iter().map(group)).collect()
    }

    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        match thing.strip_prefix(GROUP) {
            Some(name) if world.groups.contains_key(name) => return Err(exists(thing)),
            Some(name) => checked_name(name).and_then(|()| put_group(world, name, None))?,
            None if world.users.contains_key(thing) => return Err(exists(&format!("user {thing}"))),
            None => checked_name(thing).and_then(|()| put_user(world, &plain(thing)))?,
        }
        world.write_accounts()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        match (thing.strip_prefix(GROUP), how) {
            (None, Alteration::Do { verb }) if verb == "delete" => drop(world.users.remove(thing)),
            (Some(name), Alteration::Do { verb }) if verb == "delete" => drop(world.groups.remove(name)),
            (None, Alteration::Set { field, value }) => {
                let user = world.users.get_mut(thing).ok_or_else(|| no_such(thing, how))?;
                match field.as_str() {
                    "uid" => user.id = number(field, value)?,
                    "home" => user.home.clone_from(value),
                    "shell" => user.shell.clone_from(value),
                    _ => return Err(no_such(thing, how)),
                }
            }
            (Some(name), Alteration::Set { field, value }) => {
                let group = world.groups.get_mut(name).ok_or_else(|| no_such(thing, how))?;
                match field.as_str() {
                    "gid" => group.id = number(field, value)?,
                    "members" => group.members = value.split_whitespace().map(str::to_owned).collect(),
                    _ => return Err(no_such(thing, how)),
                }
            }
            (_, Alteration::Do { .. }) => return Err(no_such(thing, how)),
        }
        world.write_accounts()
    }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let world = &at.world;
        let found = match probe {
            Probe::UserId { name } => {
                let by_id = || world.users.values().map(|user| user.id).find(|id| id.to_string() == *name);
                let found = by_id().or_else(|| world.users.get(name).map(|user| user.id));
                found.map(Finding::Id).ok_or_else(|| unknown("user", name))
            }
            Probe::GroupId { name } => {
                let by_id = || world.groups.values().map(|group| group.id).find(|id| id.to_string() == *name);
                let found = by_id().or_else(|| world.groups.get(name).map(|group| group.id));
                found.map(Finding::Id).ok_or_else(|| unknown("group", name))
            }
            Probe::User { name } => {
                let name = if name.is_empty() { "root" } else { name };
                Ok(Finding::User(world.users.get(name).map(|user| user_entry(world, name, user))))
            }
            Probe::UserOf { uid } => {
                let found = world.users.iter().find(|(_, user)| user.id == *uid);
                Ok(Finding::User(found.map(|(name, user)| user_entry(world, name, user))))
            }
            Probe::Group { name } => Ok(Finding::Group(world.groups.get(name).map(|group| group_entry(name, group)))),
            Probe::GroupOf { gid } => {
                let found = world.groups.iter().find(|(_, group)| group.id == *gid);
                Ok(Finding::Group(found.map(|(name, group)| group_entry(name, group))))
            }
        };
        found.into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let world = &mut *at.world;
        let did = match step {
            Step::PutUser(user) => put_user(world, user),
            Step::RemoveUser { name, .. } => match world.users.remove(name) {
                Some(_) => {
                    for group in world.groups.values_mut() {
                        group.members.remove(name);
                    }
                    Ok(())
                }
                None => Err(other(format!("userdel: user \'{name}\' does not exist"))),
            },
            Step::PutGroup { name, gid, .. } => put_group(world, name, *gid),
            Step::RemoveGroup { name, .. } => remove_group(world, name),
        };
        done(did.and_then(|()| world.write_accounts()))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        Some(match watch {
            Watch::Users => hash(&world.users),
            Watch::Groups => hash(&world.groups),
            Watch::Home { path } => {
                let name = Watch::owner(path).filter(|name| !name.is_empty()).unwrap_or("root");
                let file = world.users.get(name).map(|user| Watch::in_home(path, &user.home));
                hash(&file.map(|file| (world.tree.read(&file).ok(), file.clone())))
            }
        })
    }

    fn fact(world: &mut World, _: u64, Fact::User { name }: &Fact) -> Result<Datum, HostError> {
        let name = if name.is_empty() { "root" } else { name };
        let missing = || HostError::new(HostErrorKind::NotFound, format!("user: unknown user {name}"));
        let account = world.users.get(name).ok_or_else(missing)?;
        Ok(Datum::Struct(vec![
            ("name".into(), Datum::text(name)),
            ("uid".into(), Datum::Int(account.id.into())),
            ("gid".into(), Datum::Int(account.gid.into())),
            ("home".into(), Datum::text(account.home.as_str())),
        ]))
    }
}

fn user_entry(world: &World, name: &str, user: &Account) -> UserEntry {
    let primary = world.groups.iter().find(|(_, group)| group.id == user.gid).map(|(name, _)| name.clone());
    let lists = |(group, of): &(&String, &Group)| of.members.contains(name) && Some(*group) != primary.as_ref();
    UserEntry {
        name: name.to_owned(),
        uid: user.id,
        gid: user.gid,
        groups: world.groups.iter().filter(lists).map(|(group, _)| group.clone()).collect(),
        group: primary,
        home: user.home.clone(),
        shell: user.shell.clone(),
        is_local: true,
    }
}

fn group_entry(name: &str, group: &Group) -> GroupEntry {
    GroupEntry { name: name.to_owned(), gid: group.id, is_local: true }
}

/// Errors: `useradd` and `groupadd` refuse this name.
fn checked_name(name: &str) -> Result<(), HostError> {
    let is_first = |first: char| first.is_ascii_lowercase() || first == '_';
    let is_valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    match name.starts_with(is_first) && name.len() <= 32 && name.bytes().all(is_valid) {
        true => Ok(()),
        false => {
            let rule = "up to 32 lowercase letters, digits, `_` and `-`, beginning with a letter or `_`";
            Err(other(format!("`{name}` is not a valid account name: {rule}")))
        }
    }
}

/// A user with what the system assigns.
fn plain(name: &str) -> PutUser {
    PutUser {
        name: name.to_owned(),
        now: None,
        allow_duplicate_uid: false,
        uid: None,
        gid: None,
        group: None,
        groups: None,
        home: None,
        shell: None,
    }
}

/// The first id that none has.
fn free(taken: impl Iterator<Item = u32>) -> u32 {
    let taken: BTreeSet<u32> = gather::set(taken);
    (FIRST..).find(|id| !taken.contains(id)).unwrap_or(FIRST)
}

fn put_user(world: &mut World, user: &PutUser) -> Result<(), HostError> {
    let name = &user.name;
    let taken = |uid: u32| world.users.iter().any(|(other, known)| known.id == uid && other != name);
    if let Some(uid) = user.uid.filter(|uid| taken(*uid) && !user.allow_duplicate_uid) {
        return Err(other(format!("useradd: UID {uid} is not unique")));
    }
    let named = user.group.iter().chain(user.groups.iter().flatten());
    if let Some(group) = named.into_iter().find(|group| !world.groups.contains_key(*group)) {
        return Err(other(format!("useradd: group \'{group}\' does not exist")));
    }
    if let Some(gid) = user.gid.filter(|gid| !world.groups.values().any(|group| group.id == *gid)) {
        return Err(other(format!("useradd: group \'{gid}\' does not exist")));
    }
    let gid = user.gid.or_else(|| user.group.as_ref().map(|group| world.groups[group].id));
    if !world.users.contains_key(name) {
        let id = user.uid.unwrap_or_else(|| free(world.users.values().map(|user| user.id)));
        let gid = match gid {
            Some(gid) => gid,
            None => {
                let own = Group { id: free(world.groups.values().map(|group| group.id)), ..Group::default() };
                world.groups.entry(name.clone()).or_insert(own).id
            }
        };
        let (home, shell) = (format!("/home/{name}"), "/bin/sh".into());
        world.users.insert(name.clone(), Box::new(Account { id, gid, home, shell }));
    }
    let Some(account) = world.users.get_mut(name) else { return Ok(()) };
    account.id = user.uid.unwrap_or(account.id);
    account.gid = gid.unwrap_or(account.gid);
    account.home = user.home.clone().unwrap_or_else(|| account.home.clone());
    account.shell = user.shell.clone().unwrap_or_else(|| account.shell.clone());
    if let Some(groups) = &user.groups {
        for (group, of) in &mut world.groups {
            if groups.contains(group) {
                of.members.insert(name.clone())
            } else {
                of.members.remove(name)
            };
        }
    }
    Ok(())
}

fn put_group(world: &mut World, name: &str, gid: Option<u32>) -> Result<(), HostError> {
    let taken = |gid: u32| world.groups.iter().any(|(other, group)| group.id == gid && other != name);
    if let Some(gid) = gid.filter(|gid| taken(*gid)) {
        return Err(other(format!("groupadd: GID \'{gid}\' already exists")));
    }
    let id = free(world.groups.iter().filter(|(other, _)| *other != name).map(|(_, group)| group.id));
    let group = world.groups.entry(name.to_owned()).or_insert(Group { id, ..Group::default() });
    let (old, new) = (group.id, gid.unwrap_or(group.id));
    group.id = new;
    world.users.values_mut().filter(|user| user.gid == old).for_each(|user| user.gid = new);
    Ok(())
}

fn remove_group(world: &mut World, name: &str) -> Result<(), HostError> {
    let Some(group) = world.groups.get(name) else {
        return Err(other(format!("groupdel: group \'{name}\' does not exist")));
    };
    if let Some((user, _)) = world.users.iter().find(|(_, user)| user.gid == group.id) {
        return Err(other(format!("groupdel: cannot remove the primary group of user \'{user}\'")));
    }
    world.groups.remove(name);
    Ok(())
}

fn other(message: String) -> HostError {
    HostError::new(HostErrorKind::Other, message)
}

fn unknown(what: &str, name: &str) -> HostError {
    HostError::new(HostErrorKind::NotFound, format!("unknown {what} {name}"))
}
