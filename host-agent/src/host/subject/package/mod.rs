//! Packages: dpkg's database, and apt for the rest; on other hosts PackageKit.

mod apt;
mod database;
mod lists;
mod lock;
mod packagekit;

use super::{Backend, Context, SubjectState};
use crate::host::watch::Listener;
use crate::host::{Host, Settings, Shared};
use crate::lock::Mutex;
use database::{Condition, Database};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::package::names::{Provider, virtual_package};
use mclive_base::vocab::package::{
    self, Fact, Finding, OLD_LISTS_S, Package as Seen, Probe, Step, Watch, is_name, is_version,
};
use mclive_base::vocab::subjects::Package;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::sync::MutexGuard;

/// The package manager that installs and removes packages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum PackageSystem {
    /// apt where dpkg has a database, else PackageKit
    #[default]
    Auto,
    /// dpkg and apt
    Apt,
    /// PackageKit, over the D-Bus system bus
    Packagekit,
}

/// The agent's state for the package system.
#[derive(Default)]
pub(super) struct Packages {
    system: PackageSystem,
    /// As last read; each change gives the file a new inode.
    database: database::Cache,
    /// Transactions of this agent and refreshes of the lists run one at a time, and neither happens during a probe.
    one_at_a_time: Mutex<()>,
}

impl Packages {
    fn is_apt(&self) -> bool {
        match self.system {
            PackageSystem::Auto => std::path::Path::new(database::STATUS).exists(),
            PackageSystem::Apt => true,
            PackageSystem::Packagekit => false,
        }
    }
}

impl SubjectState for Packages {
    fn set_up(&mut self, settings: &Settings) {
        self.system = settings.packages;
    }
}

impl Backend for Package {
    type State = Packages;

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::Packages { names, offers } => {
                names.iter().try_for_each(|name| checked(name))?;
                if !at.shared.subjects.package.is_apt() {
                    let (packages, lists_age_s) = packagekit::look(at, names, *offers)?;
                    return Ok(Finding::Packages { packages, lists_age_s });
                }
                let _quiet = at_rest(at)?;
                let database = at.shared.subjects.package.database.read()?;
                let mut packages: Vec<Seen> = names.iter().map(|name| installed(&database, name)).collect();
                if *offers {
                    let only_named = apt::offers(at, &mut packages)?;
                    // In a group, it is left out first, and then checked alone.
                    if let ([name], [_]) = (only_named.as_slice(), names.as_slice()) {
                        check_not_virtual(at, &database, name)?;
                    }
                }
                let held = names.iter().filter(|name| database.holds_absent(name)).cloned().collect();
                Ok(Finding::of(packages, lists::age_s(), held))
            }
            Probe::Preview(transaction) => {
                transaction.changes.iter().try_for_each(checked_change)?;
                if !at.shared.subjects.package.is_apt() {
                    return packagekit::preview(at, transaction).map(Finding::Preview);
                }
                let _quiet = lock::ours(at, &at.shared.subjects.package.one_at_a_time)?;
                apt::preview(at, transaction).map(Finding::Preview)
            }
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let is_apt = at.shared.subjects.package.is_apt();
        match step {
            Step::Refresh { must } => match if is_apt { apt::refresh(at) } else { packagekit::refresh(at) } {
                Err(error) if !must && error.kind != HostErrorKind::Cancelled => {
                    at.shared.show.line(at.id, &format!("{error}; using the existing package lists"));
                }
                done => done?,
            },
            Step::Transaction(transaction) => {
                transaction.changes.iter().try_for_each(checked_change)?;
                match is_apt {
                    true => apt::commit(at, transaction)?,
                    false => {
                        let _nobody_of_ours = lock::ours(at, &at.shared.subjects.package.one_at_a_time)?;
                        packagekit::commit(at, transaction)?;
                    }
                }
            }
        }
        Ok(Outcome::Done)
    }

    /// If it does not exist, the nearest existing parent directory is watched.
    fn watch(host: &mut Host, ticket: Ticket, _: &Watch) -> Result<(), HostError> {
        let of_apt = [lists::DIR, lists::SOURCES, lists::SOURCES_DIR, lists::PREFERENCES, lists::PREFERENCES_DIR];
        for path in [database::STATUS].into_iter().chain(of_apt) {
            host.shared.watcher.add(Listener(ticket.0), path, false);
        }
        if host.shared.subjects.package.is_apt() {
            return Ok(());
        }
        for path in packagekit::DATABASES.iter().filter(|path| std::path::Path::new(path).exists()) {
            host.shared.watcher.add(Listener(ticket.0), path, false);
        }
        packagekit::watch(host, ticket)
    }

    fn fact(shared: &Shared, Fact::Files { name }: &Fact) -> Result<Datum, HostError> {
        checked(name)?;
        if !shared.subjects.package.is_apt() {
            let files = packagekit::files(shared, name)?;
            let files = package::files(files.iter().map(String::as_str));
            return Ok(Datum::List(files.into_iter().map(Datum::text).collect()));
        }
        let database = shared.subjects.package.database.read()?;
        let files = match database.find(name) {
            Some(entry) if entry.state != Condition::Gone => database::files(entry)?,
            Some(_) | None => Vec::new(),
        };
        Ok(Datum::List(files.into_iter().map(Datum::text).collect()))
    }
}

/// Waits until packages and lists do not change; this agent changes neither while the guard is held.
fn at_rest<'a>(at: &'a Context) -> Result<MutexGuard<'a, ()>, HostError> {
    // A transaction of this agent has no time limit; it can be stopped.
    let guard = lock::ours(at, &at.shared.subjects.package.one_at_a_time)?;
    lock::others(at)?;
    Ok(guard)
}

fn installed(database: &Database, name: &str) -> Seen {
    let found = database.find(name).and_then(|entry| entry.installed());
    Seen { name: name.to_owned(), installed: found, ..Seen::default() }
}

/// Errors: the name is one that packages only provide. Without current lists, there may be a package of this name.
fn check_not_virtual(at: &Context, database: &Database, name: &str) -> Result<(), HostError> {
    if lists::age_s().is_none_or(|age| age >= OLD_LISTS_S) {
        return Ok(());
    }
    let is_installed = |name: &str| database.find(name).is_some_and(|entry| entry.installed().is_some());
    let providers = apt::providers(at, name)?.into_iter();
    let providers: Vec<Provider> = providers.map(|name| Provider { is_installed: is_installed(&name), name }).collect();
    if providers.is_empty() { Ok(()) } else { Err(virtual_package(name, &providers)) }
}

fn checked(name: &str) -> Result<(), HostError> {
    if is_name(name) {
        return Ok(());
    }
    Err(HostError::new(HostErrorKind::Refused, format!("`{name}` is not a valid package name")))
}

fn checked_change(change: &mclive_base::vocab::package::PackageChange) -> Result<(), HostError> {
    checked(&change.name)?;
    match &change.to {
        Some(version) if !is_version(version) => {
            Err(HostError::new(HostErrorKind::Refused, format!("`{version}` is not a valid package version")))
        }
        Some(_) | None => Ok(()),
    }
}
