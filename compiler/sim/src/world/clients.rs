//! What other machines and a browser get from the servers of a host.

use super::World;
use crate::vocab::{HostError, HostErrorKind};
use crate::web::{self, NoAnswer, Response};
use std::net::Ipv4Addr;

impl World {
    /// The answer of a TFTP server of this host to a booting machine; `None`: there is no server.
    pub fn tftp(&self, port: u16, name: &str) -> Option<Result<Vec<u8>, String>> {
        self.subjects.tftp.get(&self.tree, port, name)
    }

    /// The lease of a machine from the DHCP server on an interface: its address with prefix length, and its boot file.
    pub fn lease(&mut self, interface: &str, mac: &str) -> Option<(Ipv4Addr, u8, Option<String>)> {
        let on = self.subjects.link.interfaces.iter().find(|known| known.name == interface)?;
        self.subjects.dhcp.ask(on, mac, self.tree.now_ns as u64 / 1_000_000_000)
    }

    /// A machine on the network of an interface uses an address that no server gave it.
    pub fn occupy(&mut self, interface: &str, ip: Ipv4Addr) {
        self.subjects.dhcp.occupy(interface, ip);
    }

    /// The answer of `http://host:port/path` to a browser on this host: the status and the content.
    ///
    /// Errors: there is no answer.
    pub fn page(&self, url: &str) -> Result<(u16, Vec<u8>), HostError> {
        let (at, target) = address(url)?;
        let Response { status, body } =
            self.subjects.server.read(&self.tree, at, &target).map_err(|why| no_answer(url, &why))?;
        Ok((status, body))
    }

    /// Posts a form, such as `key=value&other=value`, and returns the status. Errors: there is no answer.
    pub fn post(&mut self, url: &str, form: &str) -> Result<u16, HostError> {
        let (at, target) = address(url)?;
        let answer = self.subjects.server.request(&mut self.tree, at, "POST", &target, form.as_bytes());
        Ok(answer.map_err(|why| no_answer(url, &why))?.status)
    }
}

fn address(url: &str) -> Result<((&str, u16), String), HostError> {
    let parts = url.strip_prefix("http://").and_then(web::parts);
    parts.ok_or_else(|| {
        HostError::new(HostErrorKind::Other, format!("expected a URL such as http://localhost:8080/, found `{url}`"))
    })
}

fn no_answer(url: &str, why: &NoAnswer) -> HostError {
    let why = match why {
        NoAnswer::UnknownHost => "unknown host name",
        NoAnswer::NobodyListens => "no server is listening there",
    };
    HostError::new(HostErrorKind::NotFound, format!("{url}: {why}"))
}
