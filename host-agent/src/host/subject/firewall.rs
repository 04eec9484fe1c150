//! The packet filter: firewalld, over the system bus. Interface: firewalld.dbus(5).

use super::{Backend, Context, absent};
use crate::host::bus::{self, Daemon, Line};
use crate::host::{Host, Shared};
use crate::network::bus::{Message, read};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::firewall::{Finding, Ports, Probe, Rule, Step, Watch, Zone};
use mclive_base::vocab::subjects::Firewall;
use mclive_base::vocab::{Change, Datum, HostError, HostErrorKind, Outcome};

static FIREWALLD: Daemon = Daemon {
    service: "org.fedoraproject.FirewallD1",
    absent: "firewalld is not running: install the package `firewalld`, and start it with `systemctl start firewalld`",
    comes_when_asked: false,
    topic,
};
const PATH: &str = "/org/fedoraproject/FirewallD1";
const MAIN: (&str, &str) = (PATH, "org.fedoraproject.FirewallD1");
const ZONES: (&str, &str) = (PATH, "org.fedoraproject.FirewallD1.zone");
/// Until the next reload.
const FOREVER: i32 = 0;

impl Backend for Firewall {
    type State = ();
    absent! { fact }

    fn probe(at: &Context, Probe { zone, services }: &Probe) -> Result<Finding, HostError> {
        if !rustix::process::geteuid().is_root() {
            let why = "running as root is required for firewalld";
            return Err(HostError::new(HostErrorKind::PermissionDenied, why));
        }
        let (zone, services) = (zone.clone(), services.clone());
        bus::speak(at, &FIREWALLD, |line| async move { look(&line, zone, services).await }).map(Finding::Zone)
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        let step = step.clone();
        bus::speak(at, &FIREWALLD, |line| async move { set(&line, &step).await }).map(|()| Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, Watch { zone }: &Watch) -> Result<(), HostError> {
        host.hear_daemon(ticket, &FIREWALLD, zone)
    }
}

async fn look(line: &Line, zone: String, services: Vec<String>) -> Result<Zone, HostError> {
    let what = "read the firewall rules";
    let name = match zone.is_empty() {
        true => read(&line.ask(MAIN, "getDefaultZone", &(), what).await?, what)?,
        false => zone,
    };
    let answer = line.ask(ZONES, "getServices", &name.as_str(), what).await.map_err(|error| match says(&error) {
        "INVALID_ZONE" => HostError::new(HostErrorKind::NotFound, format!("firewalld has no zone `{name}`")),
        _ => error,
    })?;
    let open: Vec<String> = read(&answer, what)?;
    let pairs: Vec<Vec<String>> = read(&line.ask(ZONES, "getPorts", &name.as_str(), what).await?, what)?;
    let mut ports = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let port = match pair.as_slice() {
            [numbers, protocol, ..] => Ports::parse(numbers, protocol),
            _ => None,
        };
        let odd =
            || HostError::new(HostErrorKind::Other, format!("firewalld reported an invalid port `{}`", pair.join("/")));
        ports.push(port.ok_or_else(odd)?);
    }
    let known: Vec<String> = match services.is_empty() {
        true => Vec::new(),
        false => read(&line.ask(MAIN, "listServices", &(), what).await?, what)?,
    };
    let unknown = services.into_iter().filter(|service| !known.contains(service)).collect();
    Ok(Zone { name, services: open, ports, unknown })
}

async fn set(line: &Line, step: &Step) -> Result<(), HostError> {
    let mut what = String::new();
    // Writing to a string cannot fail.
    let _ = step.words(&mut what);
    let zone = step.zone.as_str();
    let answered = match (&step.entry, step.open) {
        (Rule::Service(name), true) => line.ask(ZONES, "addService", &(zone, name, FOREVER), &what).await,
        (Rule::Service(name), false) => line.ask(ZONES, "removeService", &(zone, name), &what).await,
        (Rule::Ports(ports), true) => {
            let numbers = ports.numbers();
            line.ask(ZONES, "addPort", &(zone, &numbers, &ports.protocol, FOREVER), &what).await
        }
        (Rule::Ports(ports), false) => {
            let numbers = ports.numbers();
            line.ask(ZONES, "removePort", &(zone, &numbers, &ports.protocol), &what).await
        }
    };
    let answer = match answered {
        // Another client was faster.
        Err(error) if matches!(says(&error), "ALREADY_ENABLED" | "NOT_ENABLED") => return Ok(()),
        answered => answered?,
    };
    match read::<String>(&answer, &what)? {
        done if done == zone => Ok(()),
        other => {
            let why = format!("{what}: firewalld answered for zone `{other}`: dbus API inconsistency");
            Err(HostError::new(HostErrorKind::Other, why))
        }
    }
}

/// The code by which firewalld distinguishes errors: the word before a colon, after the attempted operation.
fn says(error: &HostError) -> &str {
    let is_word = |part: &&str| part.len() > 3 && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    error.message.split(':').map(str::trim).find(is_word).unwrap_or_default()
}

/// The zone of a signal.
fn topic(message: &Message) -> Option<String> {
    let header = message.header();
    let (interface, member) = (header.interface()?.as_str(), header.member()?.as_str());
    match (interface, member) {
        (interface, "Reloaded" | "DefaultZoneChanged" | "PanicModeDisabled") if interface == MAIN.1 => {
            Some(String::new())
        }
        // Each begins with the zone.
        (interface, _) if interface == ZONES.1 => {
            let body = message.body();
            let fields = body.deserialize::<crate::network::bus::Structure>().ok();
            let first = fields.as_ref().and_then(|fields| fields.fields().first()?.downcast_ref::<String>().ok());
            Some(first.unwrap_or_default())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_an_error() {
        let error = |text: &str| HostError::new(HostErrorKind::Other, text);
        assert_eq!(says(&error("open port 22/tcp: ALREADY_ENABLED: '22:tcp' already in 'public'")), "ALREADY_ENABLED");
        assert_eq!(says(&error("read the firewall rules: INVALID_ZONE: x")), "INVALID_ZONE");
        assert_eq!(says(&error("read the firewall rules: timed out after 25 s")), "");
    }
}
