//! [`Firewall`]: firewalld on a simulated host.

use crate::subject::SubjectState;
use crate::vocab::firewall::{Ports, Rule, Zone};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::{BTreeMap, BTreeSet};

/// The runtime and the permanent configuration.
#[derive(Clone)]
pub struct Firewall {
    /// Whether it is missing or stopped.
    pub is_gone: bool,
    /// The default zone.
    pub default_zone: String,
    /// The rules of each zone.
    pub zones: BTreeMap<String, BTreeSet<Rule>>,
    loaded: BTreeMap<String, BTreeSet<Rule>>,
    services: [&'static str; 5],
}

impl SubjectState for Firewall {
    fn of_new_host(_: &str) -> Firewall {
        Firewall::usual()
    }

    fn n_entries(&self) -> usize {
        self.zones.len() + self.loaded.len()
    }
}

impl Firewall {
    fn usual() -> Firewall {
        let ssh = BTreeSet::from([Rule::Service("ssh".into())]);
        let zones = BTreeMap::from([("public".to_owned(), ssh.clone()), ("internal".to_owned(), ssh)]);
        Firewall {
            is_gone: false,
            default_zone: "public".into(),
            loaded: zones.clone(),
            zones,
            services: ["dns", "http", "https", "samba", "ssh"],
        }
    }

    /// Loads the permanent configuration; runtime changes are lost.
    pub fn reload(&mut self) {
        self.zones.clone_from(&self.loaded);
    }

    pub(super) fn zone(&self, zone: &str, services: &[String]) -> Result<Zone, HostError> {
        self.is_there()?;
        let name = if zone.is_empty() { &self.default_zone } else { zone };
        let entries = self
            .zones
            .get(name)
            .ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("firewalld has no zone `{name}`")))?;
        let mut seen = Zone { name: name.to_owned(), ..Zone::default() };
        for entry in entries {
            match entry {
                Rule::Service(service) => seen.services.push(service.clone()),
                Rule::Ports(ports) => seen.ports.push(ports.clone()),
            }
        }
        let is_unknown = |service: &&String| !self.services.contains(&service.as_str());
        seen.unknown = services.iter().filter(is_unknown).cloned().collect();
        Ok(seen)
    }

    /// Changes a rule by hand, like `firewall-cmd`.
    pub fn set(&mut self, zone: &str, entry: Rule, open: bool) -> Result<(), HostError> {
        self.is_there()?;
        let zone = self.zones.entry(zone.to_owned()).or_default();
        if open {
            zone.insert(entry)
        } else {
            zone.remove(&entry)
        };
        Ok(())
    }

    /// Adds a zone without rules, which stays. Errors: it exists already, or the name is invalid.
    pub(super) fn add_zone(&mut self, name: &str) -> Result<(), HostError> {
        self.is_there()?;
        // The panel lists the service with its zones.
        if name == "firewalld" || self.zones.contains_key(name) {
            return Err(HostError::new(HostErrorKind::Exists, format!("zone {name} already exists")));
        }
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if name.is_empty() || name.len() > 17 || !name.bytes().all(is_valid) {
            let rule = "up to 17 letters, digits, `_` and `-`";
            let message = format!("`{name}` is not a valid zone name: {rule}");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        for zones in [&mut self.zones, &mut self.loaded] {
            zones.insert(name.to_owned(), BTreeSet::new());
        }
        Ok(())
    }

    /// Deletes a zone permanently. Errors: there is none, or it is the default one.
    pub(super) fn delete_zone(&mut self, name: &str) -> Result<(), HostError> {
        self.is_there()?;
        if !self.zones.contains_key(name) {
            return Err(HostError::new(HostErrorKind::NotFound, format!("zone {name} does not exist")));
        }
        if name == self.default_zone {
            let message = format!("zone {name} cannot be deleted: it is the default zone");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        for zones in [&mut self.zones, &mut self.loaded] {
            zones.remove(name);
        }
        Ok(())
    }

    /// `443/tcp`.
    pub fn port(text: &str) -> Rule {
        let (numbers, protocol) = text.split_once('/').expect("a port needs a protocol");
        Rule::Ports(Ports::parse(numbers, protocol).expect("a port must be a number"))
    }

    fn is_there(&self) -> Result<(), HostError> {
        let why = "firewalld is not running: install the package `firewalld` and start it";
        if self.is_gone { Err(HostError::new(HostErrorKind::Unavailable, why)) } else { Ok(()) }
    }
}
