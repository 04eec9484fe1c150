//! [`Leases`]: the DHCP servers of a simulated host, and the leases of machines on its networks.

use crate::Interface;
use crate::protocol::Ticket;
use crate::subject::SubjectState;
use crate::subject::servers::Servers;
use crate::vocab::dhcp::{Client, Leased, Pool, Proposal, Verdict, Watch};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

/// The servers, and the addresses on the networks.
#[derive(Clone, Default)]
pub struct Leases {
    pub(super) servers: Servers<Watch>,
    /// By interface.
    pools: BTreeMap<String, Pool>,
    /// Addresses that machines use without a lease, by interface.
    used: BTreeSet<(String, Ipv4Addr)>,
}

impl SubjectState for Leases {
    fn of_new_host(_: &str) -> Leases {
        Leases::default()
    }

    fn n_entries(&self) -> usize {
        self.servers.len() + self.used.len()
    }

    fn forget(&mut self) {
        self.servers.clear();
    }
}

impl Leases {
    /// Errors: another server has the port.
    pub(super) fn open(&mut self, ticket: Ticket, server: Watch) -> Result<(), HostError> {
        let is_same = |other: &Watch| other.address == server.address && other.interface == server.interface;
        if self.servers.all().any(|(other, _)| is_same(other)) {
            let why = format!("could not start listener: {} on {}: in use", server.address, server.interface);
            return Err(HostError::new(HostErrorKind::Exists, why));
        }
        self.servers.add(ticket, server);
        Ok(())
    }

    /// The current leases, each with the interface of its network.
    pub(super) fn leases(&self, now_s: u64) -> impl Iterator<Item = (&str, Leased<'_>)> {
        self.pools
            .iter()
            .flat_map(move |(interface, pool)| pool.leases(now_s).map(move |leased| (interface.as_str(), leased)))
    }

    /// A machine gives its address back.
    pub(super) fn release(&mut self, interface: &str, mac: &str) {
        if let Some(pool) = self.pools.get_mut(interface) {
            pool.release(mac.as_bytes());
        }
    }

    /// A machine on an interface's network uses an address without a lease.
    pub(crate) fn occupy(&mut self, interface: &str, ip: Ipv4Addr) {
        self.used.insert((interface.to_owned(), ip));
    }

    /// A machine on an interface requests and accepts a lease: its address with prefix length, and its boot file.
    /// `None`: no lease.
    pub(crate) fn ask(&mut self, on: &Interface, mac: &str, now_s: u64) -> Option<(Ipv4Addr, u8, Option<String>)> {
        let server = self.servers.answering().find(|server| server.interface == on.name)?;
        let near = on.state.addresses.iter().find_map(|address| match address.ip {
            IpAddr::V4(ip) => Some(ip),
            IpAddr::V6(_) => None,
        });
        let client = Client { id: mac.as_bytes(), mac, near };
        let pool = self.pools.entry(on.name.clone()).or_default();
        let ip = loop {
            match pool.propose(server, client, None, now_s)? {
                Proposal::Offer(grant) => break grant.ip,
                // Machines answer a probe at once.
                Proposal::Probe(ip) => pool.probed(ip, self.used.contains(&(on.name.clone(), ip)), now_s),
                Proposal::Wait => return None,
            };
        };
        match pool.confirm(server, client, ip, now_s) {
            Verdict::Granted(grant) => Some((grant.ip, grant.length, grant.boot.map(|boot| boot.file.clone()))),
            Verdict::Refused => None,
        }
    }
}
