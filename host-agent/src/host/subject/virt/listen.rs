//! [`Virts`]: events of libvirt, from one `virsh` for each watched connection.

use super::virsh::Virsh;
use crate::host::running::Running;
use crate::host::subject::{SubjectState, tool};
use crate::host::watch::Listener;
use crate::host::{Host, Shared, subscribe};
use crate::lock::Mutex;
use mclive_base::protocol::{StopMode, Ticket};
use mclive_base::vocab::HostError;
use mclive_base::vocab::virt::{Connection, Watch};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The first and the longest pause between reconnections.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
/// The tool reports its connection, not its subscription: everything is checked again after this long.
const SETTLED: Duration = Duration::from_millis(500);
/// Relevant events of a machine; clocks, disk activity and balloons are not.
const NEWS: [&str; 4] = ["lifecycle", "agent-lifecycle", "device-added", "device-removed"];
/// Files that appear when libvirt is installed or started.
const SIGNS: [&str; 4] =
    ["/usr/bin/virsh", "/run/libvirt/libvirt-sock", "/run/libvirt/virtqemud-sock", "/run/libvirt/virtnetworkd-sock"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Domains,
    Networks,
}

#[derive(Default)]
pub(in crate::host::subject) struct Virts {
    followers: Mutex<Vec<Arc<Follower>>>,
}

struct Follower {
    connection: Connection,
    sort: Sort,
    running: Arc<Running>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    /// The name that each ticket watches.
    names: BTreeMap<Ticket, String>,
    is_in_place: bool,
}

impl SubjectState for Virts {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.followers.lock().retain(|follower| {
            let mut heard = follower.heard.lock();
            let is_left = heard.names.remove(&ticket).is_some() && heard.names.is_empty();
            if is_left {
                follower.running.stop(StopMode::Soft);
            }
            !is_left
        });
    }
}

/// In place when the tool is connected, or libvirt is unreachable.
pub(super) fn begin(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
    let place = watch.place();
    let sort = match watch {
        Watch::Domain(_) => Sort::Domains,
        Watch::Network(_) => Sort::Networks,
    };
    for path in files(&place.connection, sort, &place.name).into_iter().chain(SIGNS.map(str::to_owned)) {
        host.shared.watcher.add(Listener(ticket.0), &path, false);
    }
    let shared = host.shared.clone();
    let mut followers = shared.subjects.virt.followers.lock();
    let known = followers.iter().find(|known| known.sort == sort && known.connection == place.connection);
    if let Some(follower) = known {
        let mut heard = follower.heard.lock();
        heard.names.insert(ticket, place.name.clone());
        if !heard.is_in_place {
            host.awaits(ticket);
        }
        return Ok(());
    }
    let names = [(ticket, place.name.clone())].into();
    let heard = Mutex::new(Heard { names, is_in_place: false });
    let (connection, running) = (place.connection.clone(), Arc::new(Running::look()));
    let follower = Arc::new(Follower { connection, sort, running, heard });
    followers.push(follower.clone());
    host.awaits(ticket);
    let told = shared.clone();
    host.pool.run_apart(move || follow(&told, &follower))
}

/// Files with changes that libvirt does not report: autostart, and changes of the stored description.
fn files(connection: &Connection, sort: Sort, name: &str) -> Vec<String> {
    if connection.is_remote() || name.contains('/') || name.starts_with('.') {
        return Vec::new();
    }
    let uri = &connection.uri;
    let is_session = uri.ends_with("/session") || uri.is_empty() && !rustix::process::geteuid().is_root();
    let (scheme, _) = uri.split_once("://").unwrap_or(("qemu", ""));
    let driver = scheme.split('+').next().unwrap_or(scheme);
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let home = || variable("XDG_CONFIG_HOME").or_else(|| Some(format!("{}/.config", variable("HOME")?)));
    let base = match (is_session, home) {
        (true, home) => match home() {
            Some(home) => format!("{home}/libvirt"),
            None => return Vec::new(),
        },
        (false, _) => "/etc/libvirt".to_owned(),
    };
    match sort {
        Sort::Domains => [driver.to_owned(), format!("{driver}/autostart")]
            .map(|folder| format!("{base}/{folder}/{name}.xml"))
            .into(),
        Sort::Networks => {
            let stored = ["qemu/networks", "qemu/networks/autostart"].map(|it| format!("{base}/{it}/{name}.xml"));
            stored.into_iter().chain([format!("/run/libvirt/network/{name}.xml")]).collect()
        }
    }
}

fn follow(shared: &Arc<Shared>, follower: &Arc<Follower>) {
    let Follower { connection, sort, running, .. } = &**follower;
    let (kind, listens) = match sort {
        Sort::Domains => ("virt", "uri; event --all --loop"),
        Sort::Networks => ("virt:network", "uri; net-event --event lifecycle --loop"),
    };
    let (mut pause, mut is_first) = (PAUSES.0, true);
    while !running.is_stopped() {
        let (mut is_there, mut rest) = (false, Vec::new());
        let hears = |bytes: &[u8]| {
            rest.extend_from_slice(bytes);
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                if let Some(name) = subject_of(&line) {
                    follower.tell(shared, Some(&name));
                } else if !is_there && !line.is_empty() {
                    is_there = true;
                    follower.stands(shared, std::mem::take(&mut is_first));
                }
            }
        };
        if let Ok(virsh) = Virsh::to(connection) {
            let _ = tool::hear(shared, kind, running, virsh.spec(&[listens]), hears);
        }
        // The check reports why it is unreachable.
        if std::mem::take(&mut is_first) {
            follower.in_place(shared);
        } else if is_there && !running.is_stopped() {
            follower.tell(shared, None);
        }
        pause = if is_there { PAUSES.0 } else { PAUSES.1.min(pause * 2) };
        running.rest(pause);
    }
}

impl Follower {
    /// The connection is established. After a lost one everything is checked again.
    fn stands(self: &Arc<Follower>, shared: &Arc<Shared>, is_first: bool) {
        if is_first {
            self.in_place(shared);
        } else {
            self.tell(shared, None);
        }
        let (told, follower) = (Arc::downgrade(shared), Arc::downgrade(self));
        if let Ok(runtime) = shared.network.handle() {
            runtime.spawn(async move {
                tokio::time::sleep(SETTLED).await;
                if let Some((shared, follower)) = told.upgrade().zip(follower.upgrade()) {
                    follower.tell(&shared, None);
                }
            });
        }
    }

    fn in_place(&self, shared: &Shared) {
        let mut heard = self.heard.lock();
        heard.is_in_place = true;
        heard.names.keys().for_each(|ticket| subscribe::in_place(shared, *ticket));
    }

    /// Tickets of this name check again; `None`: all tickets.
    fn tell(&self, shared: &Shared, name: Option<&str>) {
        let heard = self.heard.lock();
        for (ticket, its) in heard.names.iter().filter(|(_, its)| name.is_none_or(|name| name == **its)) {
            subscribe::changed(shared, *ticket, Some(its.clone()));
        }
    }
}

/// The name in a line about a relevant event: `event 'lifecycle' for domain 'web': Started Booted`.
fn subject_of(line: &str) -> Option<String> {
    let (event, rest) = line.strip_prefix("event '")?.split_once("' for ")?;
    if !NEWS.contains(&event) {
        return Some(String::new());
    }
    let (_, rest) = rest.split_once(' ')?;
    // Older versions omit the quotes.
    let quoted = rest.strip_prefix('\'').and_then(|rest| rest.split_once("':"));
    quoted.or_else(|| rest.split_once(':')).map(|(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_about_names() {
        let of = |line: &str| subject_of(line);
        assert_eq!(of("event 'lifecycle' for domain 'a b': Started Booted").as_deref(), Some("a b"));
        assert_eq!(of("event 'lifecycle' for network lan: Stopped").as_deref(), Some("lan"));
        assert_eq!(of("event 'rtc-change' for domain 'web': 12").as_deref(), Some(""));
        assert_eq!(of("qemu:///system"), None);
    }

    #[test]
    fn files_of_connections() {
        let of = |uri: &str, sort| files(&Connection { uri: uri.into(), login: None }, sort, "web");
        assert_eq!(
            of("qemu:///system", Sort::Domains),
            ["/etc/libvirt/qemu/web.xml", "/etc/libvirt/qemu/autostart/web.xml"]
        );
        assert_eq!(of("lxc:///system", Sort::Domains)[0], "/etc/libvirt/lxc/web.xml");
        assert_eq!(of("qemu:///system", Sort::Networks)[0], "/etc/libvirt/qemu/networks/web.xml");
        assert!(of("qemu+ssh://far/system", Sort::Networks).is_empty());
    }
}
