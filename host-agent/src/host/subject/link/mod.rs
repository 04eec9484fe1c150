//! Network interfaces: rtnetlink, and systemd-networkd where it runs.

mod networkd;

use super::{Backend, Place, refused};
use crate::host::errno::{kind, words};
use crate::host::net::{self, Ear, Heard};
use crate::host::{Host, Shared, subscribe};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::link::{Fact, Finding, Probe, Step, Watch};
use mclive_base::vocab::subjects::Link;
use mclive_base::vocab::{Change, Datum, HostError, HostErrorKind, Outcome, Power};

impl Backend for Link {
    type State = ();

    fn probe(at: &Place, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::State { link } => net::state(link).map(Finding::State),
            Probe::Manager => networkd::runs(at).map(Finding::Manager),
        }
    }

    fn step(at: &Place, step: &Step) -> Result<Outcome, HostError> {
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
        host.hear_links(ticket, watch)
    }

    fn fact(_: &Shared, Fact::Interfaces: &Fact) -> Result<Datum, HostError> {
        net::interfaces()
    }
}

impl Host {
    /// Watches interfaces for this ticket. One thread, started with the first watch, serves all.
    pub(super) fn hear_links(&mut self, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        self.subscriptions(|all| all.links.entry(ticket).or_default().push(watch.clone()));
        if self.hears_network {
            return Ok(());
        }
        let unheard = |errno| HostError::new(kind(errno), format!("watch the network interfaces: {}", words(errno)));
        let mut ear = Ear::open().map_err(unheard)?;
        let shared = self.shared.clone();
        self.hears_network = self.pool.run_apart(move || {
            while let Ok(heard) = ear.wait() {
                tell(&shared, &heard);
            }
        });
        if self.hears_network {
            return Ok(());
        }
        Err(HostError::new(HostErrorKind::Unavailable, "cannot start another thread"))
    }
}

/// Notifies the affected tickets.
fn tell(shared: &Shared, heard: &Heard) {
    let concerns = |watch: &Watch| match watch {
        Watch::All => heard.is_all || heard.is_more_than_routes,
        Watch::One { link } => heard.is_all || heard.links.contains(link),
    };
    let concerned: Vec<Ticket> = {
        let subscriptions = shared.subscriptions.lock();
        let all = subscriptions.links.iter();
        all.filter(|(_, watches)| watches.iter().any(concerns)).map(|(ticket, _)| *ticket).collect()
    };
    concerned.into_iter().for_each(|ticket| subscribe::changed(shared, ticket, Some("the network".into())));
}
