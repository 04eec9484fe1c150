//! PackageKit: the packages of hosts without dpkg, over the system bus. Interface:
//! <https://www.freedesktop.org/software/PackageKit/gtk-doc/api-reference.html>.
//!
//! Each request is a separate transaction ([`Talk`]), and installed packages are found with a filter: the last part of
//! a package id describes them differently in each release.

mod talk;

use super::super::Context;
use crate::host::bus::Daemon;
use crate::host::{Host, Shared};
use crate::network::bus::Message;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::package::version::compare;
use mclive_base::vocab::package::{Installed, NO_SYSTEM, Offer, Package, PackageChange, Preview, Transaction};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;
use talk::{Id, Talk};

static PACKAGEKIT: Daemon = Daemon { service: talk::SERVICE, absent: NO_SYSTEM, comes_when_asked: true, topic };
/// The limit of all requests of a probe.
const LOOK: Duration = Duration::from_secs(100);
/// A transaction has no time limit while there are signals; it can be stopped.
const FOREVER: Duration = Duration::MAX;

/// Which of the packages with a name are reported.
mod filter {
    pub(super) const INSTALLED: u64 = 1 << 2;
    pub(super) const FREE: u64 = 1 << 8;
    pub(super) const SUPPORTED: u64 = 1 << 12;
    pub(super) const NEWEST: u64 = 1 << 16;
    /// Those of this machine's architecture.
    pub(super) const ARCH: u64 = 1 << 18;
}

/// How a transaction is carried out.
mod flag {
    pub(super) const ONLY_TRUSTED: u64 = 1 << 1;
    pub(super) const SIMULATE: u64 = 1 << 2;
    pub(super) const ALLOW_DOWNGRADE: u64 = 1 << 6;
}

/// The meaning of a package signal.
mod info {
    pub(super) const UPDATING: u32 = 11;
    pub(super) const INSTALLING: u32 = 12;
    pub(super) const REMOVING: u32 = 13;
    pub(super) const OBSOLETING: u32 = 15;
    pub(super) const DOWNGRADING: u32 = 20;
}

/// The packages with these names, and the age of the lists in seconds.
pub(super) fn look(at: &Context, names: &[String], offers: bool) -> Result<(Vec<Package>, Option<u64>), HostError> {
    let names = names.to_vec();
    ask(at, LOOK, async move {
        let resolve = async |filter| Talk::begin().await?.resolve(filter | filter::ARCH, &names).await;
        let installed = resolve(filter::INSTALLED).await?;
        let mut packages: Vec<Package> = names.iter().map(|name| seen(name, &installed)).collect();
        if offers {
            let all = Offered {
                all: resolve(0).await?,
                newest: resolve(filter::NEWEST).await?,
                free: resolve(filter::FREE).await?.into_iter().collect(),
                supported: resolve(filter::SUPPORTED).await?.into_iter().collect(),
            };
            packages.iter_mut().for_each(|package| all.add_to(package));
        }
        Ok((packages, talk::lists_age_s().await?))
    })
}

fn seen(name: &str, installed: &[Id]) -> Package {
    let of = |id: &Id| Installed { version: id.version.clone(), broken: String::new(), is_held: false };
    let installed = installed.iter().find(|id| id.is_of(name)).map(of);
    Package { name: name.to_owned(), installed, ..Package::default() }
}

struct Offered {
    all: Vec<Id>,
    newest: Vec<Id>,
    free: BTreeSet<Id>,
    supported: BTreeSet<Id>,
}

impl Offered {
    fn add_to(&self, package: &mut Package) {
        let newest = self.newest.iter().filter(|id| id.is_of(&package.name));
        let newest = newest.max_by(|a, b| compare(&a.version, &b.version));
        package.candidate = newest.map(|id| id.version.clone());
        let mut versions: Vec<&Id> = self.all.iter().chain(newest).filter(|id| id.is_of(&package.name)).collect();
        versions.sort_by(|a, b| compare(&b.version, &a.version));
        versions.dedup_by(|a, b| a.version == b.version);
        let offer = |id: &Id| Offer {
            version: id.version.clone(),
            is_free: self.free.contains(id),
            is_supported: self.supported.contains(id),
        };
        package.offers = versions.into_iter().map(offer).collect();
    }
}

/// The paths of an installed package's files.
pub(super) fn files(shared: &Shared, name: &str) -> Result<Vec<String>, HostError> {
    let name = name.to_owned();
    let files = async move {
        let installed = Talk::begin().await?.resolve(filter::INSTALLED, std::slice::from_ref(&name)).await?;
        match installed.iter().find(|id| id.is_of(&name)) {
            Some(id) => Talk::begin().await?.files(id).await,
            None => Ok(Vec::new()),
        }
    };
    let no_answer = |_| HostError::new(HostErrorKind::TimedOut, "PackageKit does not respond");
    shared.network.wait(LOOK, files, |_| {}).map_err(no_answer)?
}

pub(super) fn refresh(at: &Context) -> Result<(), HostError> {
    ask(at, FOREVER, async { Talk::begin().await?.refresh().await })
}

/// The preview of PackageKit itself.
pub(super) fn preview(at: &Context, transaction: &Transaction) -> Result<Preview, HostError> {
    let transaction = transaction.clone();
    ask(at, LOOK, async move { foreseen(&transaction).await })
}

/// Removes only the packages that were predicted and that the policy permits: in the meantime, other packages may have
/// come to depend on them.
pub(super) fn commit(at: &Context, transaction: &Transaction) -> Result<(), HostError> {
    let transaction = transaction.clone();
    ask(at, FOREVER, async move {
        foreseen(&transaction).await?.is_within(&transaction.also, "PackageKit")?;
        carry_out(&transaction, 0).await.map(drop)
    })
}

async fn foreseen(transaction: &Transaction) -> Result<Preview, HostError> {
    let named = |id: &Id| transaction.changes.iter().any(|change| id.is_of(&change.name));
    let mut preview = Preview::default();
    for (info, id) in carry_out(transaction, flag::SIMULATE).await?.into_iter().filter(|(_, id)| !named(id)) {
        match info {
            info::INSTALLING | info::UPDATING | info::DOWNGRADING => preview.installs.push((id.name, id.version)),
            info::REMOVING | info::OBSOLETING => preview.removes.push(id.name),
            _ => {}
        }
    }
    preview.installs.sort();
    preview.installs.dedup();
    preview.removes.sort();
    preview.removes.dedup();
    Ok(preview)
}

/// Installs, updates or removes. Returns the change of each package.
async fn carry_out(transaction: &Transaction, flags: u64) -> Result<Vec<(u32, Id)>, HostError> {
    let names: Vec<String> = transaction.changes.iter().map(|change| change.name.clone()).collect();
    if transaction.changes.iter().all(|change| change.to.is_none()) {
        let ids = Talk::begin().await?.resolve(filter::INSTALLED | filter::ARCH, &names).await?;
        // A package that was removed in the meantime is in the requested state.
        return match ids.is_empty() {
            true => Ok(Vec::new()),
            false => Talk::begin().await?.remove(flags, &ids).await,
        };
    }
    let trusted = if transaction.allow_untrusted { 0 } else { flag::ONLY_TRUSTED };
    let downgrade = if transaction.allow_downgrade { flag::ALLOW_DOWNGRADE } else { 0 };
    let flags = flags | trusted | downgrade;
    let offered = Talk::begin().await?.resolve(filter::ARCH, &names).await?;
    let (mut installs, mut updates) = (Vec::new(), Vec::new());
    for change in &transaction.changes {
        let id = chosen(change, &offered)?;
        // A pinned version is installed over the current one, whether higher or lower.
        if change.now.is_some() && !change.is_pinned { updates.push(id) } else { installs.push(id) }
    }
    let mut became = Vec::new();
    if !installs.is_empty() {
        became.extend(Talk::begin().await?.install(flags, &installs).await?);
    }
    if !updates.is_empty() {
        became.extend(Talk::begin().await?.update(flags, &updates).await?);
    }
    Ok(became)
}

/// The package that a change requests.
fn chosen(change: &PackageChange, offered: &[Id]) -> Result<Id, HostError> {
    let of_name = || offered.iter().filter(|id| id.is_of(&change.name));
    let wanted = of_name().find(|id| change.to.as_ref() == Some(&id.version));
    let highest = || of_name().max_by(|a, b| compare(&a.version, &b.version)).filter(|_| !change.is_pinned);
    wanted.or_else(highest).cloned().ok_or_else(|| {
        let what = change.to.as_ref().map_or(String::new(), |version| format!(" {version}"));
        HostError::new(HostErrorKind::NotFound, format!("PackageKit has no package {}{what}", change.name))
    })
}

/// The databases change when packages are changed without PackageKit.
pub(super) const DATABASES: [&str; 4] = [
    "/var/lib/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/var/lib/pacman/local",
    "/lib/apk/db/installed",
];

pub(super) fn watch(host: &mut Host, ticket: Ticket) -> Result<(), HostError> {
    host.hear_daemon(ticket, &PACKAGEKIT, "")
}

/// The end of a transaction is not an event: each probe is a transaction.
fn topic(message: &Message) -> Option<String> {
    let header = message.header();
    matches!(header.member()?.as_str(), "UpdatesChanged" | "RepoListChanged").then(String::new)
}

fn ask<T: Send + 'static>(
    at: &Context,
    limit: Duration,
    question: impl Future<Output = Result<T, HostError>> + Send + 'static,
) -> Result<T, HostError> {
    at.running.ask(&at.shared.network, limit, question)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Id {
        Id::parse(text).unwrap()
    }

    #[test]
    fn what_is_offered_is_told_highest_first() {
        let all = ["tiny;1.0;all;main", "tiny;2.0-1;all;other", "tinyer;9;all;main", "tiny;1.0;all;installed"].map(id);
        let offered = Offered {
            newest: vec![all[1].clone()],
            free: [all[0].clone()].into(),
            supported: BTreeSet::new(),
            all: all.to_vec(),
        };
        let mut package = seen("tiny", &[id("tiny;1.0;all;manual:main")]);
        offered.add_to(&mut package);
        assert_eq!(package.installed.unwrap().version, "1.0");
        assert_eq!(package.candidate.as_deref(), Some("2.0-1"));
        let offers: Vec<_> = package.offers.iter().map(|offer| (offer.version.as_str(), offer.is_free)).collect();
        assert_eq!(offers, [("2.0-1", false), ("1.0", true)]);
    }

    #[test]
    fn a_version_of_its_own_is_that_one_or_none() {
        let offered = ["tiny;1.0;all;main", "tiny;2.0;all;main"].map(id);
        let change =
            |to: &str, is_pinned| PackageChange { name: "tiny".into(), now: None, to: Some(to.into()), is_pinned };
        assert_eq!(chosen(&change("1.0", true), &offered).unwrap().version, "1.0");
        assert_eq!(chosen(&change("3.0", false), &offered).unwrap().version, "2.0", "newer lists have come in between");
        let none = chosen(&change("3.0", true), &offered).unwrap_err();
        assert_eq!(none.message, "PackageKit has no package tiny 3.0");
    }
}
