//! `firewalld`: opens or closes services and ports in a firewalld zone (run-time configuration). Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, known_state};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Constant, Decided, Decision, Field, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::firewall::{self, Ports, Rule, Zone};
use crate::vocab::{Finding, Step, Watch};
use std::borrow::Cow;

/// The kind `firewalld`.
pub(crate) struct Firewalld;

static DECL: KindDecl = KindDecl {
    name: "firewalld",
    doc: "Opens or closes services and ports in a firewalld zone. Only the runtime configuration is changed.",
    fields: &[
        Field::str("zone", "Zone", "Zone; defaults to the default zone of firewalld."),
        Field::str("state", "State", "`exists` or `absent`; empty means `exists`."),
        Field::strs("services", "Services", "Names of services."),
        Field::strs("ports", "Ports", "Ports as `port/protocol`."),
    ],
    traits: Traits::NONE,
    constants: &[
        ("state.exists", Constant::Str("exists")),
        ("state.absent", Constant::Str("absent")),
        ("state.undefined", Constant::Str("")),
    ],
    policy: &[Required::list(PolicyList::Firewall)],
};

impl Kind for Firewalld {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let is_port = |port: &str| port.parse::<i64>().is_ok_and(|port| port > 0);
        known_state(&want.text("state"), &["exists", "absent", ""])?;
        ensure(want.texts("services").iter().all(|service| !service.is_empty()), "an entry of `services` is empty")?;
        for entry in want.texts("ports") {
            let (port, protocol) = entry
                .split_once('/')
                .ok_or_else(|| format!("expected `PORT/PROTOCOL` in `ports`, such as `80/tcp`, found `{entry}`"))?;
            let is_range = port.split_once('-').is_some_and(|(first, last)| is_port(first) && is_port(last));
            ensure(
                !is_range,
                format!("port ranges are not supported in `ports`: list each port instead of `{entry}`"),
            )?;
            ensure(is_port(port), format!("expected `PORT/PROTOCOL` in `ports`, such as `80/tcp`, found `{entry}`"))?;
            ensure(
                !protocol.is_empty() && !protocol.contains('/'),
                format!("a protocol in `ports` must be a word such as `tcp`, found `{entry}`"),
            )?;
        }
        Ok(())
    }

    /// Each service and each port of the zone. Which zone is the default one is not known here.
    fn decides<'a>(&self, want: &Want<'a>) -> Vec<Decided<'a>> {
        let zone = match &*want.text("zone") {
            "" => "the default zone".to_owned(),
            zone => format!("the zone {zone}"),
        };
        let state = if is_open(want) { "exists" } else { "absent" };
        let services = want.texts("services").into_iter().map(|service| format!("the service {service}"));
        let ports =
            want.texts("ports").into_iter().filter_map(|entry| Some(format!("the port {}", ports(&entry).ok()?)));
        services.chain(ports).map(|what| Decided::shown(format!("{what} in {zone}"), state)).collect()
    }

    fn backend(&self) -> &'static str {
        "firewalld (package `firewalld`) over D-Bus. The changes are made to the runtime configuration, and made again \
         after firewalld is reloaded. Changes are detected through its signals."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![firewall::Watch { zone: want.text("zone").into_owned() }.into()]
    }
}

/// Whether the services and ports are to be open.
fn is_open(want: &Want) -> bool {
    want.text("state") != "absent"
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let services: Vec<String> = want.texts("services").into_iter().map(Cow::into_owned).collect();
    let ports: Vec<Ports> = want.texts("ports").iter().map(|entry| ports(entry)).collect::<Result<_, _>>()?;
    let probe = firewall::Probe { zone: want.text("zone").into_owned(), services: services.clone() };
    let now = match &walk.look(vec![probe.into()])?[0] {
        Finding::Firewall(firewall::Finding::Zone(now)) => now,
        other => return Err(cannot_tell(other)),
    };
    let open = is_open(want);
    if let Some(service) = now.unknown.first().filter(|_| open) {
        let help = "`firewall-cmd --get-services` lists the available services";
        return Err(Decision::CannotTell(format!("firewalld has no service `{service}`: {help}")));
    }
    let mut entries: Vec<Rule> = Vec::new();
    for entry in services.into_iter().map(Rule::Service).chain(ports.into_iter().map(Rule::Ports)) {
        if differs(now, &entry, open)? && !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    let step = |entry| Step::Firewall(firewall::Step { zone: now.name.clone(), entry, open });
    walk.mend(entries.into_iter().map(step).collect())
}

/// Parses `443/tcp`, whose form is already validated.
fn ports(entry: &str) -> Result<Ports, Decision> {
    let (port, protocol) = entry.split_once('/').unwrap_or_default();
    let ports = Ports::parse(port, protocol).filter(|ports| ports.first > 0);
    ports.ok_or_else(|| Decision::CannotTell(format!("a port must be a number up to 65535: {entry}")))
}

/// Whether something must be opened or closed.
fn differs(now: &Zone, entry: &Rule, open: bool) -> Result<bool, Decision> {
    let wanted = match entry {
        Rule::Service(name) => return Ok(now.services.contains(name) != open),
        Rule::Ports(ports) => ports,
    };
    let wider = now.ports.iter().find(|ports| ports.covers(wanted));
    match wider {
        // A part of a range cannot be closed.
        Some(range) if !open && range != wanted => Err(Decision::CannotTell(format!(
            "{wanted} is open in zone {zone} as part of {range}: close the range first with `firewall-cmd \
             --zone={zone} --remove-port={range}`",
            zone = now.name
        ))),
        found => Ok(found.is_some() != open),
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;

    #[test]
    fn each_service_and_port_of_a_zone_is_decided_about() {
        let draft = Draft::new("firewalld", "a").texts("services", &["ssh"]).texts("ports", &["080/TCP", "70000/tcp"]);
        let zone = "in the default zone: exists";
        assert_eq!(draft.decides(), [format!("the service ssh {zone}"), format!("the port 80/tcp {zone}")]);
        let draft =
            Draft::new("firewalld", "a").text("zone", "dmz").text("state", "absent").texts("ports", &["22/tcp"]);
        assert_eq!(draft.decides(), ["the port 22/tcp in the zone dmz: absent"]);
    }
}
