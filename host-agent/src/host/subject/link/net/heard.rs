//! Notifications of the kernel about interfaces, addresses and routes.

use super::state::{self, Brief};
use super::wire::{self, RTM_DELADDR, RTM_DELLINK, RTM_DELROUTE, RTM_NEWADDR, RTM_NEWLINK, RTM_NEWROUTE, receive};
use netlink_packet_core::DecodeError;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::RecvFlags;
use std::collections::{BTreeMap, BTreeSet};

/// The groups of links, addresses and routes, as bits.
const GROUPS: u32 = 0x1 | 0x10 | 0x100 | 0x40 | 0x400;

/// A socket for notifications, and the known names of interfaces.
pub(crate) struct Ear {
    socket: OwnedFd,
    names: BTreeMap<u32, String>,
}

/// A batch of changes.
#[derive(Default)]
pub(crate) struct Heard {
    /// The names of the changed interfaces.
    pub(crate) links: BTreeSet<String>,
    /// Not only routes changed.
    pub(crate) is_more_than_routes: bool,
    /// Notifications were lost: anything may have changed.
    pub(crate) is_all: bool,
}

impl Ear {
    /// Subscribes to the notifications.
    pub(crate) fn open() -> rustix::io::Result<Ear> {
        let socket = wire::socket(GROUPS)?;
        Ok(Ear { socket, names: names()? })
    }

    /// Waits for the next batch of changes.
    pub(crate) fn wait(&mut self) -> rustix::io::Result<Heard> {
        let mut heard = Heard::default();
        let mut flags = RecvFlags::empty();
        loop {
            match receive(&self.socket, flags) {
                Ok(datagram) => {
                    if self.hear(&datagram, &mut heard).is_err() {
                        heard.is_all = true;
                    }
                }
                Err(Errno::NOBUFS) => heard.is_all = true,
                Err(Errno::AGAIN) => break,
                Err(errno) => return Err(errno),
            }
            flags = RecvFlags::DONTWAIT;
        }
        if heard.is_all {
            self.names = names()?;
        }
        Ok(heard)
    }

    fn hear(&mut self, datagram: &[u8], heard: &mut Heard) -> Result<(), DecodeError> {
        for message in wire::messages(datagram) {
            let (kind, _, body) = message?;
            let link = match kind {
                RTM_NEWLINK => {
                    let Brief { index, name, .. } = state::brief(body)?;
                    heard.links.insert(name.clone());
                    heard.is_more_than_routes = true;
                    // The old name no longer exists.
                    heard.links.extend(self.names.insert(index, name));
                    continue;
                }
                RTM_DELLINK => {
                    let Brief { index, name, .. } = state::brief(body)?;
                    heard.links.insert(name);
                    heard.is_more_than_routes = true;
                    self.names.remove(&index);
                    continue;
                }
                RTM_NEWADDR | RTM_DELADDR => {
                    heard.is_more_than_routes = true;
                    state::held(body)?.map(|held| held.link)
                }
                RTM_NEWROUTE | RTM_DELROUTE => state::route_link(body)?,
                _ => continue,
            };
            match link.map(|index| self.names.get(&index)) {
                Some(Some(name)) => drop(heard.links.insert(name.clone())),
                // An unknown interface, several, or all.
                Some(None) | None => heard.is_all = true,
            }
        }
        Ok(())
    }
}

fn names() -> rustix::io::Result<BTreeMap<u32, String>> {
    Ok(state::links()?.into_iter().map(|link| (link.index, link.name)).collect())
}
