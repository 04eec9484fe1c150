//! [`Clouds`]: machines in simulated clouds.

use crate::gather::Boxed;
use crate::subject::SubjectState;
use crate::vocab::cloud::{Action, Cloud, Found, Machine, Order, Stand};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::BTreeSet;

/// Machines by cloud address and name. Every request completes immediately.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Clouds {
    /// The machines, by cloud address and name.
    pub machines: Boxed<(String, String), Found>,
    /// Whether all clouds are unreachable.
    pub is_down: bool,
    /// Images, server types and locations that do not exist.
    pub missing: BTreeSet<String>,
    n_made: u64,
}

impl SubjectState for Clouds {
    fn of_new_host(_: &str) -> Clouds {
        Clouds::default()
    }

    fn n_entries(&self) -> usize {
        self.machines.len()
    }
}

impl Clouds {
    pub(crate) fn look(&self, machine: &Machine) -> Result<Option<&Found>, HostError> {
        self.answers(&machine.cloud.address())?;
        Ok(self.machines.get(&place(machine)).map(|found| &**found))
    }

    pub(crate) fn has(&self, cloud: &Cloud, name: &str) -> Result<bool, HostError> {
        self.answers(&cloud.address()).map(|()| !self.missing.contains(name))
    }

    fn answers(&self, address: &str) -> Result<(), HostError> {
        let down = || HostError::new(HostErrorKind::Unavailable, format!("{address}: connection refused"));
        if self.is_down { Err(down()) } else { Ok(()) }
    }

    pub(crate) fn act(&mut self, machine: &Machine, action: &Action) -> Result<(), HostError> {
        self.answers(&machine.cloud.address())?;
        if let Action::Create(order) = action {
            return self.create(machine, order);
        }
        let gone = || HostError::new(HostErrorKind::NotFound, format!("cannot find {}", machine.name));
        let found = &mut **self.machines.get_mut(&place(machine)).ok_or_else(gone)?;
        let to = |found: &mut Found, state| (found.state, found.word) = (state, word(&machine.cloud, state).to_owned());
        match action {
            Action::Start => {
                found.rescue = false;
                to(found, Stand::On);
            }
            Action::Stop => to(found, Stand::Off),
            Action::Settle if ["shutting-down", "deleting"].contains(&&*found.word) => self.gone(machine),
            Action::Settle if ["stopping", "off"].contains(&&*found.word) => to(found, Stand::Off),
            Action::Settle => to(found, Stand::On),
            Action::Delete => self.gone(machine),
            Action::Rescue { .. } => found.rescue = true,
            Action::Create(_) => {}
        }
        Ok(())
    }

    /// Changes a machine by hand, by the address of its cloud and its name. `false`: that is impossible.
    pub(super) fn alter(&mut self, place: &(String, String), verb: &str) -> bool {
        let Some(found) = self.machines.get_mut(place) else { return false };
        let off = if place.0.ends_with(".amazonaws.com") { "stopped" } else { "off" };
        match (verb, found.state) {
            ("start", Stand::Off) => {
                found.rescue = false;
                (found.state, found.word) = (Stand::On, "running".to_owned());
            }
            ("stop", Stand::On) => (found.state, found.word) = (Stand::Off, off.to_owned()),
            ("delete", _) => _ = self.machines.remove(place),
            _ => return false,
        }
        true
    }

    fn gone(&mut self, machine: &Machine) {
        self.machines.remove(&place(machine));
    }

    fn create(&mut self, machine: &Machine, order: &Order) -> Result<(), HostError> {
        if self.missing.contains(&order.image) {
            return Err(HostError::new(HostErrorKind::Other, format!("cannot find image {}", order.image)));
        }
        self.n_made += 1;
        let id = match &machine.cloud {
            Cloud::Hetzner { .. } => self.n_made.to_string(),
            Cloud::Ec2 { .. } => format!("i-{:08x}", self.n_made),
        };
        let state = if order.start { Stand::On } else { Stand::Off };
        let place_names = if order.place.is_empty() { "fsn1" } else { &order.place };
        let found = Found {
            id,
            state,
            word: word(&machine.cloud, state).to_owned(),
            model: vec![order.model.clone()],
            place: vec![place_names.to_owned()],
            image: vec![order.image.clone()],
            rescue: false,
        };
        self.machines.insert(place(machine), Box::new(found));
        Ok(())
    }
}

fn place(machine: &Machine) -> (String, String) {
    (machine.cloud.address(), machine.name.clone())
}

fn word(cloud: &Cloud, state: Stand) -> &'static str {
    match (state, cloud) {
        (Stand::On, _) => "running",
        (Stand::Off, Cloud::Hetzner { .. }) => "off",
        (Stand::Off, Cloud::Ec2 { .. }) => "stopped",
        (Stand::Passing, _) => "starting",
    }
}
