//! Matches claims and wants: whether one resource offers what another one wants. Resource spec, 1.6.

use super::autoedge::{Key, MemberId};
use crate::gather::Boxed;
use crate::kinds::Claim;
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

/// The claims of all resources; of several that match, the first by key counts.
#[derive(Clone, Default)]
pub(super) struct Claims {
    files: BTreeMap<String, Owners>,
    /// By mount point, with a trailing slash.
    mounts: BTreeMap<String, Owners>,
    exact: BTreeMap<Claim, Owners>,
    users: Accounts,
    groups: Accounts,
    remotes: Boxed<Key, (MemberId, BTreeSet<String>)>,
}

/// The owners of one thing: nearly always a single resource, which needs no map.
#[derive(Clone)]
enum Owners {
    One(Key, MemberId),
    Many(BTreeMap<Key, MemberId>),
}

impl Owners {
    fn insert(&mut self, key: Key, owner: MemberId) {
        match self {
            Owners::One(known, first) => *self = Owners::Many([(known.clone(), *first), (key, owner)].into()),
            Owners::Many(owners) => {
                owners.insert(key, owner);
            }
        }
    }

    /// `true` if no owner is left.
    fn remove(&mut self, key: &Key) -> bool {
        match self {
            Owners::One(known, _) => known == key,
            Owners::Many(owners) => {
                owners.remove(key);
                owners.is_empty()
            }
        }
    }

    /// The first by key, except one.
    fn first(&self, not: &Key) -> Option<MemberId> {
        match self {
            Owners::One(key, owner) => (key != not).then_some(*owner),
            Owners::Many(owners) => owners.iter().find(|(key, _)| *key != not).map(|(_, owner)| *owner),
        }
    }
}

/// Users or groups, whose name and number count only if both sides know them. A resource offers at most one of each.
#[derive(Clone, Default)]
struct Accounts {
    by_name: FxHashMap<Option<String>, BTreeMap<Key, Arc<Account>>>,
    by_id: FxHashMap<Option<u32>, BTreeMap<Key, Arc<Account>>>,
}

struct Account {
    id: Option<u32>,
    owner: MemberId,
}

impl Accounts {
    fn add(&mut self, name: &Option<String>, id: Option<u32>, key: &Key, owner: MemberId) {
        let account = Arc::new(Account { id, owner });
        self.by_name.entry(name.clone()).or_default().insert(key.clone(), account.clone());
        self.by_id.entry(id).or_default().insert(key.clone(), account);
    }

    fn remove(&mut self, name: &Option<String>, id: Option<u32>, key: &Key) {
        if let Some(owners) = self.by_name.get_mut(name) {
            owners.remove(key);
            if owners.is_empty() {
                self.by_name.remove(name);
            }
        }
        if let Some(owners) = self.by_id.get_mut(&id) {
            owners.remove(key);
            if owners.is_empty() {
                self.by_id.remove(&id);
            }
        }
    }

    fn find(&self, name: &Option<String>, id: Option<u32>, not: &Key) -> Option<MemberId> {
        let found = match name {
            Some(_) => {
                let fits = |known: Option<u32>| id.is_none() || known.is_none() || known == id;
                let first = |of: &Option<String>| {
                    self.by_name.get(of)?.iter().find(|(key, account)| *key != not && fits(account.id))
                };
                [first(name), first(&None)]
            }
            None => {
                // Without a wanted name every name matches.
                let first = |of: Option<u32>| self.by_id.get(&of)?.iter().find(|(key, _)| *key != not);
                [first(id), first(None)]
            }
        };
        found.into_iter().flatten().min_by_key(|(key, _)| *key).map(|(_, account)| account.owner)
    }
}

impl Claims {
    pub(super) fn add(&mut self, claim: &Claim, key: &Key, owner: MemberId) {
        match claim {
            Claim::User { name, uid } => self.users.add(name, *uid, key, owner),
            Claim::Group { name, gid } => self.groups.add(name, *gid, key, owner),
            Claim::FwupdRemote(id) => {
                let new = || Box::new((owner, BTreeSet::new()));
                self.remotes.entry(key.clone()).or_insert_with(new).1.insert(id.clone());
            }
            Claim::File(path) => offer(&mut self.files, path.clone(), key, owner),
            Claim::Mount(point) => offer(&mut self.mounts, point.clone(), key, owner),
            Claim::FwupdSystem
            | Claim::DockerImage(_)
            | Claim::Sysctl(_)
            | Claim::Svc { .. }
            | Claim::Cron { .. }
            | Claim::Pkg(_)
            | Claim::PkgFile(_)
            | Claim::FwupdDevice(_) => offer(&mut self.exact, class(claim), key, owner),
        }
    }

    pub(super) fn remove(&mut self, claim: &Claim, key: &Key) {
        match claim {
            Claim::User { name, uid } => self.users.remove(name, *uid, key),
            Claim::Group { name, gid } => self.groups.remove(name, *gid, key),
            Claim::FwupdRemote(_) => {
                self.remotes.remove(key);
            }
            Claim::File(path) => withdraw(&mut self.files, path, key),
            Claim::Mount(point) => withdraw(&mut self.mounts, point, key),
            Claim::FwupdSystem
            | Claim::DockerImage(_)
            | Claim::Sysctl(_)
            | Claim::Svc { .. }
            | Claim::Cron { .. }
            | Claim::Pkg(_)
            | Claim::PkgFile(_)
            | Claim::FwupdDevice(_) => withdraw(&mut self.exact, &class(claim), key),
        }
    }

    /// The first other resource that offers it.
    pub(super) fn find(&self, want: &Claim, not: &Key) -> Option<MemberId> {
        match want {
            Claim::User { name, uid } => self.users.find(name, *uid, not),
            Claim::Group { name, gid } => self.groups.find(name, *gid, not),
            Claim::FwupdRemote(id) => {
                let fits = |known: &BTreeSet<String>| id.is_empty() || known.contains(id) || known.contains("");
                let mut remotes = self.remotes.iter();
                remotes.find(|(key, remote)| *key != not && fits(&remote.1)).map(|(_, remote)| remote.0)
            }
            // The reference never compares them, and graphs must be equal.
            Claim::PkgFile(_) => None,
            Claim::File(path) => self.files.get(path)?.first(not),
            Claim::Mount(point) => self.mounts.get(point)?.first(not),
            Claim::FwupdSystem
            | Claim::DockerImage(_)
            | Claim::Sysctl(_)
            | Claim::Svc { .. }
            | Claim::Cron { .. }
            | Claim::Pkg(_)
            | Claim::FwupdDevice(_) => self.exact.get(&class(want))?.first(not),
        }
    }

    /// The other resources that offer files in a directory, which ends with a slash: directly in it, or anywhere below.
    ///
    /// Cost: the number of claims below the directory.
    pub(super) fn inside(&self, dir: &str, is_deep: bool, not: &Key) -> Vec<MemberId> {
        let below = self.files.range::<str, _>((Bound::Excluded(dir), Bound::Unbounded));
        let below = below.take_while(|(path, _)| path.starts_with(dir));
        let files = below.filter(|(path, _)| is_deep || !path[dir.len()..].contains('/'));
        files.filter_map(|(_, owners)| owners.first(not)).collect()
    }

    pub(super) fn has_mounts(&self) -> bool {
        !self.mounts.is_empty()
    }

    /// The other mounts above a clean path, and at it if it ends with a slash. All of them, since one that is absent
    /// comes after none of the others, but not the root, which is there from the beginning.
    pub(super) fn mounted(&self, path: &str, not: &Key) -> Vec<MemberId> {
        let points = path.match_indices('/').map(|(slash, _)| &path[..=slash]).filter(|point| *point != "/");
        points.filter_map(|point| self.mounts.get(point)?.first(not)).collect()
    }

    /// The other mounts at a directory, which ends with a slash, or below.
    pub(super) fn mounted_inside(&self, dir: &str, not: &Key) -> Vec<MemberId> {
        let below = self.mounts.range::<str, _>((Bound::Included(dir), Bound::Unbounded));
        let below = below.take_while(|(point, _)| point.starts_with(dir));
        below.filter_map(|(_, owners)| owners.first(not)).collect()
    }

    /// The nearest directory above a clean path that another resource offers.
    ///
    /// Cost: a search for each directory at which the claims branch off, not for each above the path: in text order
    /// only paths below a directory come between it and a path below it, so the claim before a path bounds how far up
    /// the next candidate is. `n_searches` counts them.
    pub(super) fn above(&self, path: &str, not: &Key, n_searches: &mut u64) -> Option<MemberId> {
        let parent = |path: &str| path.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
        let mut end = parent(path);
        while end > 0 {
            *n_searches += 1;
            let above = &path[..end];
            let range = (Bound::Unbounded, Bound::Included(above));
            let (claimed, owners) = self.files.range::<str, _>(range).next_back()?;
            if claimed == above {
                match owners.first(not) {
                    Some(owner) => return Some(owner),
                    None => end = parent(above),
                }
                continue;
            }
            let alike = claimed.bytes().zip(above.bytes()).take_while(|(a, b)| a == b).count();
            end = above.as_bytes()[..alike].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        }
        None
    }
}

fn offer<K: Ord>(known: &mut BTreeMap<K, Owners>, what: K, key: &Key, owner: MemberId) {
    match known.entry(what) {
        Entry::Occupied(mut owners) => owners.get_mut().insert(key.clone(), owner),
        Entry::Vacant(place) => {
            place.insert(Owners::One(key.clone(), owner));
        }
    }
}

fn withdraw<K: Ord + Borrow<Q>, Q: Ord + ?Sized>(known: &mut BTreeMap<K, Owners>, what: &Q, key: &Key) {
    if known.get_mut(what).is_some_and(|owners| owners.remove(key)) {
        known.remove(what);
    }
}

/// The class of claims that may match each other.
pub(super) fn class(claim: &Claim) -> Claim {
    match claim {
        Claim::User { .. } => Claim::User { name: None, uid: None },
        Claim::Group { .. } => Claim::Group { name: None, gid: None },
        Claim::FwupdRemote(_) => Claim::FwupdRemote(String::new()),
        Claim::FwupdSystem
        | Claim::DockerImage(_)
        | Claim::Sysctl(_)
        | Claim::File(_)
        | Claim::Mount(_)
        | Claim::Svc { .. }
        | Claim::Cron { .. }
        | Claim::Pkg(_)
        | Claim::PkgFile(_)
        | Claim::FwupdDevice(_) => claim.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_claim_above_is_found_past_its_neighbours() {
        let mut claims = Claims::default();
        let paths = ["/a/", "/a/b", "/a/b/c/", "/a/b-x/", "/a/b/c/d", "/z/", "r/", "r/s/t"];
        let key = |path: &str| -> Key { (path.into(), 0) };
        for (id, path) in (0..).zip(paths) {
            claims.add(&Claim::File(path.to_string()), &key(path), MemberId(id));
        }
        let above = |path: &str| claims.above(path, &key(path), &mut 0).map(|found| paths[found.0 as usize]);
        assert_eq!(above("/a/b/c/d/e"), Some("/a/b/c/"));
        assert_eq!(above("/a/b/c"), Some("/a/"));
        assert_eq!(above("/a/b"), Some("/a/"));
        assert_eq!(above("/a/b-x/y"), Some("/a/b-x/"));
        assert_eq!(above("/a/b/x"), Some("/a/"));
        assert_eq!(above("/z"), None);
        assert_eq!(above("/y/z"), None);
        assert_eq!(above("/"), None);
        assert_eq!(above("r/s/t/u"), Some("r/"));
        assert_eq!(above("r"), None);
    }

    #[test]
    fn files_of_a_directory_are_found_without_what_is_deeper() {
        let mut claims = Claims::default();
        let paths = ["/a/", "/a/b", "/a/c/", "/a/c/d", "/a/e", "/ab", "/a-b"];
        let key = |path: &str| -> Key { (path.into(), 0) };
        for (id, path) in (0..).zip(paths) {
            claims.add(&Claim::File(path.to_string()), &key(path), MemberId(id));
        }
        let inside = |dir: &str| -> Vec<&str> {
            claims.inside(dir, false, &key("/a/e")).iter().map(|found| paths[found.0 as usize]).collect()
        };
        assert_eq!((inside("/a/"), inside("/a/c/"), inside("/x/")), (vec!["/a/b"], vec!["/a/c/d"], vec![]));
    }

    #[test]
    fn accounts_that_are_gone_leave_nothing() {
        let mut claims = Claims::default();
        let user = |uid| Claim::User { name: Some("web".to_owned()), uid };
        let key = |name: &str| -> Key { (name.into(), 0) };
        claims.add(&user(None), &key("exec[a]"), MemberId(0));
        claims.add(&user(Some(1000)), &key("user[web]"), MemberId(1));
        assert_eq!(claims.find(&user(None), &key("exec[a]")), Some(MemberId(1)));
        claims.remove(&user(Some(1000)), &key("user[web]"));
        assert_eq!(claims.find(&user(None), &key("file[/a]")), Some(MemberId(0)));
        claims.remove(&user(None), &key("exec[a]"));
        assert_eq!(claims.find(&user(None), &key("file[/a]")), None);
        assert!(claims.users.by_name.is_empty() && claims.users.by_id.is_empty());
    }

    #[test]
    fn no_directory_above_is_asked_for_in_vain() {
        let mut claims = Claims::default();
        let deep = "/d".repeat(1000);
        claims.add(&Claim::File("/d/".to_string()), &("top".into(), 0), MemberId(0));
        claims.add(&Claim::File(format!("{deep}/")), &("deep".into(), 0), MemberId(1));
        let mut n_searches = 0;
        // Its own claim does not count, and there is no other claim up to the root.
        assert_eq!(claims.above(&deep, &("deep".into(), 0), &mut n_searches), Some(MemberId(0)));
        assert!(n_searches <= 3, "{n_searches}");
    }
}
