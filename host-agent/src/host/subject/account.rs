//! Users and groups: the account files, and what other services know.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use crate::host::accounts;
use crate::host::watch::Listener;
use mclive_base::vocab::account::{Fact, Finding, Probe, Watch};
use mclive_base::vocab::subjects::Account;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};

impl Backend for Account {
    absent! { step }

    fn probe(_: &Place, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::User { name } => accounts::user(name).map(|user| Finding::Id(user.uid)),
            Probe::Group { name } => accounts::group(name).map(Finding::Id),
        }
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let path = match watch {
            Watch::Users => "/etc/passwd",
            Watch::Groups => "/etc/group",
        };
        host.watcher.add(Listener(ticket.0), path, false);
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
        // A number is not a name here.
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
