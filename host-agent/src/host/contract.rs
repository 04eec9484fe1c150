//! The Linux host fulfils the common contract of both bodies.

use super::scratch::Scratch;
use super::{Audit, Event, Events, Host, PackageSystem, Settings, SharedStore, StateDir};
use crate::network::Network;
use crate::policy::Policy;
use crate::show::{Reader, Show};
use mclive_base::protocol::contract::{Body, run, run_units};
use mclive_base::protocol::{Input, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a machine under load may take to report a change.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Linux {
    pub(super) host: Host,
    events: Arc<Events>,
}

impl Body for Linux {
    fn take(&mut self, output: Output) {
        self.host.carry_out(output);
    }

    fn next(&mut self) -> Option<Input> {
        match self.events.take(Some(Instant::now() + PATIENCE))? {
            Event::Input(input, _) => Some(input),
            Event::Signal(signal) => panic!("signal {signal}"),
        }
    }
}

#[test]
fn the_contract_holds() {
    let files = Scratch::new("contract");
    run(&mut linux("contract-state").0, files.to_str().unwrap(), "host1");
}

/// Runs only on dedicated machines, where `MCLIVE_MACHINE` is set; elsewhere no unit is touched.
#[test]
fn the_contract_of_units_holds() {
    if std::env::var_os("MCLIVE_MACHINE").is_some() {
        run_units(&mut linux("contract-units").0);
    }
}

pub(super) fn linux(name: &str) -> (Linux, Scratch) {
    linux_in(name, Network::default(), None)
}

/// The host, in a world of several hosts.
pub(super) fn linux_in(name: &str, network: Network, world: Option<Arc<SharedStore>>) -> (Linux, Scratch) {
    let prefix = Scratch::new(name);
    let events = Arc::new(Events::default());
    let state = StateDir::open(&prefix).unwrap();
    let audit = Audit::open(&prefix.join("audit.log"), Default::default()).unwrap();
    let show = Arc::new(Show::new(Reader::Machine, None));
    let settings = Settings {
        hostname: "host1".into(),
        packages: PackageSystem::Auto,
        rehearses: false,
        world,
        environment: Vec::new(),
    };
    let host = Host::start(events.clone(), network, state, Policy::all(), audit, show, settings).unwrap();
    (Linux { host, events }, prefix)
}
