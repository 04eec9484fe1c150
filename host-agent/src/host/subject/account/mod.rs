//! Users and groups: the account files, additions of a directory service, and the shadow utilities.

mod entries;
mod lock;
mod primary;
mod tools;

pub(in crate::host) use primary::Primary;
pub(in crate::host) use tools::judge;

use super::{Backend, Context, SubjectState};
use crate::host::watch::Listener;
use crate::host::{Host, Shared, accounts};
use crate::lock::Mutex;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::account::{Fact, Finding, Probe, Step, Watch};
use mclive_base::vocab::subjects::Account;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Backend for Account {
    type State = Accounts;

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::UserId { name } => accounts::user(name).map(|user| Finding::Id(user.uid)),
            Probe::GroupId { name } => accounts::group(name).map(Finding::Id),
            Probe::User { name } => entries::user(at, name).map(Finding::User),
            Probe::UserOf { uid } => entries::user_of(at, *uid).map(Finding::User),
            Probe::Group { name } => entries::group(at, name).map(Finding::Group),
            Probe::GroupOf { gid } => entries::group_of(at, *gid).map(Finding::Group),
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        tools::apply(at, step).map(|()| Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let listener = Listener(ticket.0);
        match watch {
            Watch::Users => host.shared.watcher.add(listener, "/etc/passwd", false),
            Watch::Groups => host.shared.watcher.add(listener, "/etc/group", false),
            Watch::Home { path } => {
                // The database first, so that a change of the home in between is noticed.
                host.shared.watcher.add(listener, "/etc/passwd", false);
                let accounts = &host.shared.subjects.account;
                accounts.add(ticket, path);
                accounts.follow(&host.shared, ticket);
            }
        }
        Ok(())
    }

    fn fact(_: &Shared, Fact::User { name }: &Fact) -> Result<Datum, HostError> {
        let own;
        let key = if name.is_empty() {
            own = rustix::process::getuid().as_raw().to_string();
            &own
        } else {
            name
        };
        let user = accounts::user(key)?;
        // A number does not count as a name here.
        if !name.is_empty() && user.name != *name {
            return Err(HostError::new(HostErrorKind::NotFound, format!("user: unknown user {name}")));
        }
        Ok(Datum::Struct(vec![
            ("name".into(), Datum::text(user.name)),
            ("uid".into(), Datum::Int(i64::from(user.uid))),
            ("gid".into(), Datum::Int(i64::from(user.gid))),
            ("home".into(), Datum::text(user.home)),
        ]))
    }
}

/// The path as written, and its last resolution.
type PathInHome = (String, Option<String>);

/// The state of accounts.
#[derive(Default)]
pub(super) struct Accounts {
    /// Watched paths in home directories: a home may appear or move in the meantime.
    homes: Mutex<BTreeMap<Ticket, Vec<PathInHome>>>,
    /// The tools run one at a time.
    tools: Mutex<()>,
}

impl Accounts {
    fn add(&self, ticket: Ticket, path: &str) {
        self.homes.lock().entry(ticket).or_default().push((path.to_owned(), None));
    }
}

impl SubjectState for Accounts {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.homes.lock().remove(&ticket);
    }

    /// Resolves the homes of a ticket again. It reads only the files of this host, so it does not block.
    fn follow(&self, shared: &Shared, ticket: Ticket) {
        let mut paths = self.homes.lock();
        for (path, last) in paths.get_mut(&ticket).into_iter().flatten() {
            let Some(home) = Watch::owner(path).and_then(entries::local_home) else { continue };
            let now = Watch::in_home(path, &home);
            if last.as_ref() != Some(&now) {
                shared.watch_file(ticket, &now);
                *last = Some(now);
            }
        }
    }
}
