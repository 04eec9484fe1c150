//! Network interfaces: rtnetlink, and systemd-networkd where it runs.

mod net;
mod networkd;

use super::{Audience, Backend, Context, refused};
use crate::host::errno::{kind, words};
use crate::host::{Host, Shared, subscribe};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::link::{Fact, Finding, Probe, Step, Watch};
use mclive_base::vocab::subjects::Link;
use mclive_base::vocab::{Change, Datum, HostError, Outcome, Power};
use net::{Ear, Heard};
use std::sync::Arc;

impl Backend for Link {
    type State = Audience<Watch>;

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::State { link } => net::state(link).map(Finding::State),
            Probe::Manager => networkd::runs(at).map(Finding::Manager),
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let (link, name) = net::Link::find(step.link())?;
        // By another name it is the same interface.
        at.shared.policy.power(&Power::Link(&name)).map_err(refused)?;
        let done = match step {
            Step::Set { up, .. } => link.set(*up),
            Step::Add { address, .. } => link.add(*address),
            Step::Remove { address, .. } => link.remove(*address),
            Step::Reach { address, .. } => link.reach(*address),
            Step::Gateway { gateway, now, .. } => link.set_gateway(*gateway, now.as_ref()),
            Step::Unroute { route, .. } => link.unroute(route),
            Step::Reconfigure { .. } => return networkd::reconfigure(at, link).map(|()| Outcome::Done),
        };
        done.map(|()| Outcome::Done).map_err(|errno| {
            let mut what = String::new();
            // Writing to a string cannot fail.
            let _ = step.words(&mut what);
            HostError::new(kind(errno), format!("{what}: {}", words(errno)))
        })
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        join(host, ticket, watch.clone())
    }

    fn fact(_: &Shared, Fact::Interfaces: &Fact) -> Result<Datum, HostError> {
        net::interfaces()
    }
}

/// Watches interfaces for a ticket. Errors: they cannot be watched.
pub(super) fn join(host: &Host, ticket: Ticket, watch: Watch) -> Result<(), HostError> {
    let shared = host.shared.clone();
    shared.subjects.link.join(host, ticket, watch, || hear(shared.clone()))
}

/// Waits for changes of interfaces, once it runs. Errors: they cannot be watched.
fn hear(shared: Arc<Shared>) -> Result<impl FnOnce() + Send + 'static, HostError> {
    let unheard = |errno| HostError::new(kind(errno), format!("watch the network interfaces: {}", words(errno)));
    let mut ear = Ear::open().map_err(unheard)?;
    Ok(move || {
        while let Ok(heard) = ear.wait() {
            tell(&shared, &heard);
        }
    })
}

/// Notifies the affected tickets.
fn tell(shared: &Shared, heard: &Heard) {
    let concerns = |watch: &Watch| match watch {
        Watch::All => heard.is_all || heard.is_more_than_routes,
        Watch::One { link } => heard.is_all || heard.links.contains(link),
    };
    let concerned = shared.subjects.link.concerned(concerns);
    concerned.into_iter().for_each(|ticket| subscribe::changed(shared, ticket, Some("the network".into())));
}
