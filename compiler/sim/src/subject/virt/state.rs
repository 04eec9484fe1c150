//! [`Virts`]: libvirt on a simulated host.

use crate::gather::{self, Boxed};
use crate::subject::SubjectState;
use crate::vocab::virt::domain::{Domain, Move, Setup, Spec, Stand};
use crate::vocab::virt::network::{self, Block, Lan, Network};
use crate::vocab::virt::{Part, Place};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::BTreeSet;

/// A connection and a name.
type Key = (String, String);

/// Machines and networks, by the URI of the connection and name. Every request completes immediately.
#[derive(Clone, Default)]
pub struct Virts {
    /// The machines.
    pub domains: Boxed<Key, Domain>,
    /// The networks.
    pub networks: Boxed<Key, Network>,
    /// Whether libvirt is missing or stopped.
    pub are_gone: bool,
    /// Names of machines that fail to start.
    pub broken: BTreeSet<String>,
    n_made: u64,
}

impl SubjectState for Virts {
    fn of_new_host(_: &str) -> Virts {
        Virts::default()
    }

    fn n_entries(&self) -> usize {
        self.domains.len() + self.networks.len()
    }
}

impl Virts {
    /// Errors: libvirt is missing or stopped.
    pub(super) fn asked(&mut self) -> Result<&mut Virts, HostError> {
        let why = "libvirt is not running: install the package `libvirt-daemon-system`, and start it with \
                   `systemctl start libvirtd`";
        if self.are_gone { Err(HostError::new(HostErrorKind::Unavailable, why)) } else { Ok(self) }
    }

    pub(super) fn change_domain(&mut self, place: &Place, change: &Move) -> Result<(), HostError> {
        let at = key(place);
        let is_broken = self.broken.contains(&place.name);
        if is_broken && matches!(change, Move::Start { .. } | Move::Create { .. }) {
            return Err(failed(format!("start the virtual machine {}: its disk is in use", place.name)));
        }
        if let Move::Define(spec) | Move::Create { spec, .. } = change {
            self.n_made += 1;
            let setup = setup(spec, self.n_made);
            let (live, stored, stand) = match change {
                Move::Create { paused, .. } => (Some(setup), None, standing(*paused)),
                _ => (None, Some(setup), Stand::Off),
            };
            let domain = Domain { stand, autostart: false, live, stored, guest_cpus: None };
            self.domains.insert(at, Box::new(domain));
            return Ok(());
        }
        let gone = || HostError::new(HostErrorKind::NotFound, format!("cannot find virtual machine {}", place.name));
        let domain = &mut **self.domains.get_mut(&at).ok_or_else(gone)?;
        match change {
            Move::Define(_) | Move::Create { .. } => {}
            Move::Persist => domain.stored = domain.live.clone(),
            Move::Undefine => (domain.stored, domain.autostart) = (None, false),
            Move::Autostart(on) => domain.autostart = *on,
            Move::Arrange { layout, .. } => {
                let stored = domain.stored.get_or_insert_default();
                stored.layout = layout.over(&stored.layout);
            }
            Move::Cpus { part, to, .. } => part_of(domain, *part).cpus = *to,
            Move::MaxCpus { to, .. } => part_of(domain, Part::Stored).max_cpus = *to,
            Move::GuestCpus { to, .. } => domain.guest_cpus = Some(*to),
            Move::Memory { part, to, .. } => {
                let setup = part_of(domain, *part);
                (setup.memory_kib, setup.max_memory_kib) = (*to, setup.max_memory_kib.max(*to));
            }
            Move::Start { paused } => (domain.live, domain.stand) = (domain.stored.clone(), standing(*paused)),
            Move::Suspend => domain.stand = Stand::Paused,
            Move::Resume | Move::Wake => domain.stand = Stand::Running,
            Move::Stop => (domain.live, domain.stand) = (None, Stand::Off),
        }
        // Neither running nor stored: it is gone.
        if domain.live.is_none() && domain.stored.is_none() {
            self.domains.remove(&at);
        }
        Ok(())
    }

    pub(super) fn change_network(&mut self, place: &Place, change: &network::Move) -> Result<(), HostError> {
        use network::Move;
        let at = key(place);
        self.n_made += 1;
        let made = |lan: &Lan, number: u64| {
            let uuid = format!("00000000-0000-0000-0000-{number:012x}");
            Lan { uuid: if lan.uuid.is_empty() { uuid } else { lan.uuid.clone() }, ..lan.clone() }
        };
        if let Move::Define(lan) | Move::Create(lan) = change {
            let lan = Some(made(lan, self.n_made));
            let (live, stored) = if let Move::Define(_) = change { (None, lan) } else { (lan, None) };
            self.networks.insert(at, Box::new(Network { autostart: false, live, stored }));
            return Ok(());
        }
        let gone = || HostError::new(HostErrorKind::NotFound, format!("cannot find virtual network {}", place.name));
        let network = &mut **self.networks.get_mut(&at).ok_or_else(gone)?;
        let part = |network: &mut Network, part: Part| match part {
            Part::Live => network.live.clone().unwrap_or_default(),
            Part::Stored => network.stored.clone().unwrap_or_default(),
        };
        let put = |network: &mut Network, of: Part, lan: Lan| match of {
            Part::Live => network.live = Some(lan),
            Part::Stored => network.stored = Some(lan),
        };
        match change {
            Move::Define(_) | Move::Create(_) => {}
            Move::Persist => network.stored = network.live.clone(),
            Move::Undefine => (network.stored, network.autostart) = (None, false),
            Move::Autostart(on) => network.autostart = *on,
            Move::Rebase { lan, is_up, .. } => {
                let was_stored = network.stored.is_some();
                let old = network.stored.take().or(network.live.take()).unwrap_or_default();
                let uuid = if lan.uuid.is_empty() { old.uuid.clone() } else { lan.uuid.clone() };
                let kept = |block: &Block| old.block(block).map_or_else(|| block.clone(), |at| old.blocks[at].clone());
                let blocks = lan.blocks.iter().map(kept).collect();
                let new = Lan { uuid, blocks, ..(**lan).clone() };
                (network.stored, network.live) = (was_stored.then(|| new.clone()), is_up.then_some(new));
            }
            Move::Host { part: of, block, now, to } => {
                let mut lan = part(network, *of);
                let mac = now.as_ref().or(to.as_ref()).map(|host| host.mac.clone());
                if let Some(block) = lan.blocks.get_mut(*block as usize) {
                    block.hosts.retain(|host| Some(&host.mac) != mac.as_ref());
                    block.hosts.extend(to.clone());
                }
                put(network, *of, lan);
            }
            Move::Range { part: of, block, range, is_wanted } => {
                let mut lan = part(network, *of);
                if let Some(block) = lan.blocks.get_mut(*block as usize) {
                    block.ranges.retain(|has| has != range);
                    block.ranges.extend(is_wanted.then_some(*range));
                }
                put(network, *of, lan);
            }
            Move::Start => network.live = network.stored.clone(),
            Move::Stop => network.live = None,
        }
        if network.live.is_none() && network.stored.is_none() {
            self.networks.remove(&at);
        }
        Ok(())
    }

    /// Forgets what is neither running nor stored.
    pub(super) fn forget_gone(&mut self) {
        gather::keep(&mut self.domains, |_, domain| domain.live.is_some() || domain.stored.is_some());
        gather::keep(&mut self.networks, |_, network| network.live.is_some() || network.stored.is_some());
    }
}

pub(super) fn key(place: &Place) -> Key {
    (place.connection.uri.clone(), place.name.clone())
}

/// Fills in unset fields as libvirt does.
fn setup(spec: &Spec, number: u64) -> Setup {
    let mut layout = spec.layout.clone();
    for (at, interface) in layout.networks.iter_mut().flatten().enumerate().filter(|(_, it)| it.mac.is_empty()) {
        interface.mac = format!("52:54:00:00:{number:02x}:{at:02x}");
    }
    let (cpus, max_cpus) = (spec.cpus, if spec.hot { spec.max_cpus } else { spec.cpus });
    Setup { cpus, max_cpus, memory_kib: spec.memory_kib, max_memory_kib: spec.memory_kib, layout }
}

fn standing(paused: bool) -> Stand {
    if paused { Stand::Paused } else { Stand::Running }
}

fn part_of(domain: &mut Domain, part: Part) -> &mut Setup {
    match part {
        Part::Live => domain.live.get_or_insert_default(),
        Part::Stored => domain.stored.get_or_insert_default(),
    }
}

fn failed(why: String) -> HostError {
    HostError::new(HostErrorKind::Other, why)
}
