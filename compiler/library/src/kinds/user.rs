//! `user`: manages a local user account with the shadow utilities. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::rules::exists_or_absent;
use crate::kinds::rules::{is_account_name, is_user_name};
use crate::kinds::walk::Walk;
use crate::kinds::{
    Claim, Decision, Direction, Field, HostType, Kind, KindDecl, Seen, Traits, Want, WantBatch, accounts, compare,
};
use crate::vocab::account::{Probe as Look, PutUser, Step as Change, UserEntry, Watch as Database};
use crate::vocab::path::clean;
use crate::vocab::{Probe, Step, Watch};

/// The kind `user`.
pub(crate) struct User;

static DECL: KindDecl = KindDecl {
    name: "user",
    doc: "Manages a local user account.",
    fields: &[
        Field::str("state", "State", "`exists` or `absent`.").required(),
        Field::int("uid", "UID", HostType::Uint32, "User ID (uid).").nullable(),
        Field::int("gid", "GID", HostType::Uint32, "ID of the primary group (gid); cannot be combined with `group`.")
            .nullable(),
        Field::str("group", "Group", "Name of the primary group; cannot be combined with `gid`.").nullable(),
        Field::strs(
            "groups",
            "Groups",
            "Supplementary groups; if unset, they are not managed. An empty list removes all.",
        )
        .loosely(),
        Field::str("homedir", "HomeDir", "Home directory; must end with a slash.").nullable(),
        Field::str("shell", "Shell", "Login shell.").nullable(),
        Field::bool("allowduplicateuid", "AllowDuplicateUID", "Allow a uid that another account already uses."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Users),
        Required::list(PolicyList::Groups),
        Required::list(PolicyList::Commands),
        Required::list(PolicyList::Paths).case("a new home directory"),
    ],
};

impl Kind for User {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(
            is_user_name(want.name),
            "the name of a user has at most 31 letters, digits, `_`, `-` and `.`, and begins with a letter or `_`",
        )?;
        exists_or_absent(&want.text("state"))?;
        let (group, groups) = (want.text_if_set("group"), want.texts("groups"));
        ensure(group.is_none() || want.set("gid").is_none(), "`gid` and `group` cannot be combined")?;
        if let Some(group) = &group {
            ensure(!group.is_empty(), "`group` must not be empty")?;
            ensure(is_account_name(group), format!("`{group}` is not a valid group name"))?;
        }
        for member in &groups {
            ensure(!member.is_empty(), "an entry of `groups` is empty")?;
            ensure(is_account_name(member), format!("`{member}` in `groups` is not a valid group name"))?;
            ensure(group.as_ref() != Some(member), format!("the primary group `{member}` must not be in `groups`"))?;
            ensure(member != want.name, format!("the user's own name `{member}` must not be in `groups`"))?;
        }
        let homedir = want.text_if_set("homedir");
        ensure(homedir.is_none_or(|homedir| homedir.ends_with('/')), "`homedir` must end with a slash")
    }

    /// The order of the groups is ignored.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        for field in one.decl.fields {
            match field.name {
                "groups" => compare::unordered(field.name, one, other)?,
                name => compare::field_equal(field, one.set(name), other.set(name))?,
            }
        }
        Ok(())
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        let uid = want.set("uid").and_then(|uid| u32::try_from(uid.as_int()?).ok());
        vec![Claim::User { name: Some(want.name.to_owned()), uid }]
    }

    /// Its groups come before an existing user and after a removed one.
    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let direction = if want.text("state") == "exists" { Direction::Before } else { Direction::After };
        let gid = want.set("gid").and_then(|gid| u32::try_from(gid.as_int()?).ok());
        let by_gid = gid.map(|gid| Claim::Group { name: None, gid: Some(gid) });
        let named = want.text_if_set("group").into_iter().chain(want.texts("groups"));
        let by_name = named.map(|name| Claim::Group { name: Some(name.into_owned()), gid: None });
        let claims = by_gid.into_iter().chain(by_name).map(|claim| (claim, direction)).collect();
        vec![WantBatch { claims, first_only: false }]
    }

    fn backend(&self) -> &'static str {
        "`useradd`, `usermod` and `userdel` (package `passwd`). `/etc/passwd` and `/etc/group` are watched; accounts \
         of directory services are read with `getent`."
    }

    fn probes(&self, want: &Want) -> Vec<Probe> {
        let mut probes = vec![Look::User { name: want.name.to_owned() }.into()];
        let uid = number(want, "uid").filter(|_| want.text("state") == "exists" && !want.bool("allowduplicateuid"));
        probes.extend(uid.map(|uid| Probe::Account(Look::UserOf { uid })));
        probes
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(self.probes(want), want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, _want: &Want) -> Vec<Watch> {
        vec![Database::Users.into(), Database::Groups.into()]
    }
}

fn number(want: &Want, field: &str) -> Option<u32> {
    want.set(field).and_then(|number| u32::try_from(number.as_int()?).ok())
}

fn walk(probes: Vec<Probe>, want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let name = want.name.to_owned();
    let found = walk.look(probes)?;
    let now = accounts::user(&found[0])?;
    let step = if want.text("state") == "absent" {
        match now {
            Some(now) if now.is_local => Change::RemoveUser { name, uid: now.uid },
            Some(_) | None => return Ok(Decision::InState(Vec::new())),
        }
    } else {
        if let Some(other) = found.get(1).map(accounts::user).transpose()?.flatten()
            && other.name != name
        {
            return Err(Decision::CannotTell(format!(
                "the requested UID is already taken: {} has {}",
                other.name, other.uid
            )));
        }
        let is_alias = match now {
            Some(now) => is_by_another_name(want, now, walk)?,
            None => false,
        };
        match (put(want, now, is_alias), now) {
            (None, Some(_)) => return Ok(Decision::InState(Vec::new())),
            (Some(_), Some(now)) if !now.is_local => return accounts::not_here("user", &name),
            (Some(put), _) => Change::PutUser(put),
            // Without any fields it is added with the system's defaults.
            (None, None) => Change::PutUser(fresh(want)),
        }
    };
    walk.mend(vec![Step::Account(step)])
}

/// All fields of the resource, for a new user.
fn fresh(want: &Want) -> PutUser {
    let groups = want.set("groups").map(|_| want.texts("groups").iter().map(|name| name.to_string()).collect());
    PutUser {
        name: want.name.to_owned(),
        now: None,
        allow_duplicate_uid: want.bool("allowduplicateuid"),
        uid: number(want, "uid"),
        gid: number(want, "gid"),
        group: want.text_if_set("group").map(|name| name.into_owned()),
        groups,
        home: want.text_if_set("homedir").map(|home| clean(&home)),
        shell: want.text_if_set("shell").map(|shell| shell.into_owned()),
    }
}

/// Whether `group` is another name of the primary group: several may have one number, and the host reports the first.
fn is_by_another_name(want: &Want, now: &UserEntry, walk: &mut Walk) -> Result<bool, Decision> {
    let Some(name) = want.text_if_set("group").filter(|name| now.group.as_deref() != Some(&**name)) else {
        return Ok(false);
    };
    let look = Look::Group { name: name.into_owned() };
    let found = walk.look(vec![look.into()])?;
    Ok(accounts::group(&found[0])?.is_some_and(|group| group.gid == now.gid))
}

/// The differences to the existing user; `None`: there are none. `is_alias`: its primary group is the wanted one, by another
/// name.
fn put(want: &Want, now: Option<&UserEntry>, is_alias: bool) -> Option<PutUser> {
    let Some(now) = now else { return Some(fresh(want)) };
    let mut put = PutUser { now: Some(now.clone()), ..fresh(want) };
    put.uid = put.uid.filter(|uid| *uid != now.uid);
    put.gid = put.gid.filter(|gid| *gid != now.gid);
    put.group = put.group.filter(|group| !is_alias && now.group.as_ref() != Some(group));
    put.home = put.home.filter(|home| *home != clean(&now.home));
    put.shell = put.shell.filter(|shell| *shell != now.shell);
    // Whether a primary group also lists the user only shows once it is none.
    let keeps_primary = put.gid.is_none() && put.group.is_none();
    let is_primary = |group: &String| keeps_primary && now.group.as_ref() == Some(group);
    put.groups = put.groups.filter(|groups: &Vec<String>| {
        let mut wanted: Vec<&str> = groups.iter().filter(|group| !is_primary(group)).map(String::as_str).collect();
        wanted.sort();
        wanted.dedup();
        !keeps_primary || wanted != now.groups
    });
    let differs = put.uid.is_some()
        || put.gid.is_some()
        || put.group.is_some()
        || put.groups.is_some()
        || put.home.is_some()
        || put.shell.is_some();
    differs.then_some(put)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;
    use crate::value::Value;

    fn alice() -> UserEntry {
        UserEntry {
            name: "alice".into(),
            uid: 1000,
            gid: 1000,
            group: Some("alice".into()),
            groups: vec!["adm".into(), "www".into()],
            home: "/home/alice".into(),
            shell: "/bin/sh".into(),
            is_local: true,
        }
    }

    /// The changes of the user, in words; empty: none.
    fn check(draft: Draft, expect: &str) {
        let words =
            put(&draft.want(), Some(&alice()), false).map(|put| Step::Account(Change::PutUser(put)).to_string());
        assert_eq!(words.unwrap_or_default(), expect);
    }

    #[test]
    fn only_what_is_given_and_differs_is_changed() {
        let user = || Draft::new("user", "alice").text("state", "exists");
        check(user(), "");
        check(user().set("uid", Value::Int(1000)).text("shell", "/bin/sh").text("homedir", "/home/alice/"), "");
        check(user().text("shell", "/bin/bash"), "change user alice: shell /bin/sh → /bin/bash");
        check(
            user().set("uid", Value::Int(7)).text("homedir", "/srv/"),
            "change user alice: uid 1000 → 7, home /home/alice → /srv (its files are not moved)",
        );
        check(user().texts("groups", &["www", "adm"]), "");
        check(user().texts("groups", &["www", "adm", "alice"]), "");
        check(user().texts("groups", &[]), "change user alice: groups adm,www → none");
        check(user().text("group", "www"), "change user alice: group alice → www");
    }

    #[test]
    fn a_new_primary_group_makes_the_old_one_one_of_the_others() {
        let moved = |groups: &[&str]| {
            Draft::new("user", "alice").text("state", "exists").text("group", "staff").texts("groups", groups)
        };
        check(moved(&["adm", "www"]), "change user alice: group alice → staff");
        check(moved(&["alice"]), "change user alice: group alice → staff, groups adm,www → alice");
        let lone = UserEntry { groups: Vec::new(), ..alice() };
        let given = put(&moved(&[]).want(), Some(&lone), false).and_then(|put| put.groups);
        assert_eq!(given, Some(Vec::new()), "whoever is listed in the old one leaves it");
    }
}
