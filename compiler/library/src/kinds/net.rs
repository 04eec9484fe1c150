//! `net`: configures a network interface: link state, addresses, default gateway, and a matching systemd-networkd file.
//! Resource spec, 9.

use crate::gather;
use crate::kinds::address::prefix;
use crate::kinds::own_file::{self, Held};
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::rules::known_state;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Constant, Decision, Field, Kind, KindDecl, Params, Seen, Traits, Want, compare};
use crate::value::Value;
use crate::vocab::link::{self, Address, LinkState, Route};
use crate::vocab::{Content, Datum, FactSpec, Finding, Probe, Step, Watch, file};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// The kind `net`.
pub(crate) struct Net;

static DECL: KindDecl = KindDecl {
    name: "net",
    doc: "Configures a network interface: link state, addresses, default gateway, and a matching systemd-networkd file.",
    fields: &[
        Field::str("state", "State", "`up`, `down` or empty."),
        Field::strs("addrs", "Addrs", "Addresses with prefix length; if unset, they are not managed.").empty_differs(),
        Field::str("gateway", "Gateway", "IPv4 default gateway."),
        Field::bool("ip_forward", "IPForward", "Value of `IPForward=` in the networkd file; omitted if unset.")
            .nullable()
            .not_compared(),
    ],
    traits: Traits { reversible: true, uses_vardir: true, ..Traits::NONE },
    constants: &[
        ("state.up", Constant::Str("up")),
        ("state.down", Constant::Str("down")),
        ("state.undefined", Constant::Str("")),
    ],
    policy: &[
        Required::list(PolicyList::Interfaces),
        Required::list(PolicyList::Paths),
        Required::list(PolicyList::Sysctl)
            .entry("`net.ipv4.ip_forward` and `net.ipv6.conf.all.forwarding`")
            .case("`ip_forward`"),
    ],
};

impl Kind for Net {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let state = want.text("state");
        known_state(&state, &["up", "down", ""])?;
        for address in want.texts("addrs") {
            ensure(
                prefix(&address).is_some(),
                format!("expected an address with a prefix length, such as `192.0.2.1/24`, found `{address}`"),
            )?;
        }
        let gateway = want.text("gateway");
        let valid = gateway.is_empty() || gateway.parse::<IpAddr>().is_ok();
        ensure(valid, format!("`gateway` must be an IP address without a prefix length, not `{gateway}`"))
    }

    /// The order of the addresses is ignored.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        compare::unordered("addrs", one, other)?;
        let others = one.decl.fields.iter().filter(|field| !matches!(field.name, "addrs" | "ip_forward"));
        others.into_iter().try_for_each(|field| compare::field_equal(field, one.set(field.name), other.set(field.name)))
    }

    fn asks_host(&self, _want: &Want) -> Vec<FactSpec> {
        vec![FactSpec::Link(link::Fact::Interfaces)]
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let [Some(Datum::List(interfaces))] = facts else { return Ok(()) };
        let name = |interface: &Datum| Value::from(interface).as_struct()?.get("name")?.as_text().map(String::from);
        let exists = interfaces.iter().any(|interface| name(interface).as_deref() == Some(want.name));
        ensure(exists, format!("error finding interface: {}: no such network interface", want.name))
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        (want.text("state") == "up").then(|| path(want.name)).into_iter().collect()
    }

    fn backend(&self) -> &'static str {
        "rtnetlink, which also reports changes, and a file in `/etc/systemd/network`. If systemd-networkd is running, \
         it reloads the file. IPv6 addresses that expire, such as those of router advertisements, are left alone."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let link = link::Watch::One { link: want.name.to_owned() }.into();
        let file = is_managed(want).then(|| file::Watch { path: path(want.name), recursive: false }.into());
        [Some(link), file].into_iter().flatten().collect()
    }

    /// Nothing to look at: the undo follows from its fields.
    fn reverse_probes(&self, _want: &Want) -> Result<Vec<Probe>, String> {
        Ok(Vec::new())
    }

    fn reverse(&self, want: &Want, _findings: &[Finding]) -> Result<Params, String> {
        let mut params = want.params.clone();
        let swapped = match &*want.text("state") {
            "up" => "down",
            "down" => "up",
            _ => return Ok(params),
        };
        let at = DECL.fields.iter().position(|field| field.name == "state").expect("it is declared");
        params.set(at, swapped.into());
        Ok(params)
    }
}

/// The configuration directory of systemd-networkd.
const DIR: &str = "/etc/systemd/network";
/// Longer than any of its files.
const LONGEST: u64 = 1 << 20;

fn path(link: &str) -> String {
    format!("{DIR}/mgmt-{link}.network")
}

/// Whether the resource sets the interface up or down.
fn is_managed(want: &Want) -> bool {
    !want.text("state").is_empty()
}

/// The file for an interface that is up.
fn contents(want: &Want) -> String {
    let mut lines = vec!["[Match]".to_owned(), format!("Name={}", want.name), "[Network]".to_owned()];
    lines.extend(want.texts("addrs").iter().map(|address| format!("Address={address}")));
    let gateway = want.text("gateway");
    lines.extend((!gateway.is_empty()).then(|| format!("Gateway={gateway}")));
    lines.extend(want.set("ip_forward").and_then(Value::as_bool).map(|on| format!("IPForward={on}")));
    lines.join("\n")
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let link = want.name.to_owned();
    let mut now = look(walk, &link)?;
    let mut steps = file_steps(want, walk)?;
    // systemd-networkd may do the rest.
    let is_reconfigured = steps.iter().any(|step| matches!(step, Step::Link(link::Step::Reconfigure { .. })));
    if is_reconfigured {
        walk.act(std::mem::take(&mut steps))?;
        now = look(walk, &link)?;
    }
    let up = match &*want.text("state") {
        "up" => true,
        "down" => false,
        _ => now.is_up,
    };
    if is_managed(want) && now.is_up != up {
        steps.push(link::Step::Set { link: link.clone(), up }.into());
    }
    // The addresses of an interface that is to be down do not matter.
    let is_down = is_managed(want) && !up;
    let gateway: Option<IpAddr> = want.text("gateway").parse().ok().filter(|_| !is_down);
    if !is_down {
        steps.extend(address_steps(want, now)?);
    }
    let routes = gateway.map_or_else(Vec::new, |gateway| gateway_steps(&link, gateway, now));
    steps.extend(routes.iter().cloned().map(Step::from));
    if steps.is_empty() {
        return Ok(if is_reconfigured { Decision::Mended(Vec::new()) } else { Decision::InState(Vec::new()) });
    }
    walk.act(steps)?;
    // Removing an address may remove the default route.
    if let Some(gateway) = gateway {
        let mut lost = gateway_steps(&link, gateway, look(walk, &link)?);
        lost.retain(|step| !routes.contains(step));
        if !lost.is_empty() {
            walk.act(lost.into_iter().map(Step::from).collect())?;
        }
    }
    Ok(Decision::Mended(Vec::new()))
}

fn look<'a>(walk: &mut Walk<'a>, link: &str) -> Result<&'a LinkState, Decision> {
    match &walk.look(vec![link::Probe::State { link: link.to_owned() }.into()])?[0] {
        Finding::Link(link::Finding::State(Some(state))) => Ok(state),
        Finding::Link(link::Finding::State(None)) => {
            Err(Decision::CannotTell(format!("cannot find network interface {link}")))
        }
        other => Err(cannot_tell(other)),
    }
}

/// Steps for the file of systemd-networkd, and for making a running one read it.
fn file_steps(want: &Want, walk: &mut Walk) -> Result<Vec<Step>, Decision> {
    if !is_managed(want) {
        return Ok(Vec::new());
    }
    let wanted = (want.text("state") == "up").then(|| contents(want).into_bytes());
    let path = path(want.name);
    let held = own_file::look(walk, &path, LONGEST)?;
    if held == wanted.as_deref().map_or(Held::Nothing, Held::Bytes) {
        return Ok(Vec::new());
    }
    let dir = Probe::File(file::Probe::Stat { path: DIR.into(), follow: true });
    let [dir, manager] = walk.look(vec![dir, link::Probe::Manager.into()])? else {
        return Err(Decision::CannotTell("the host did not answer".into()));
    };
    let mut steps = Vec::new();
    match wanted {
        Some(bytes) => {
            if matches!(dir, Finding::File(file::Finding::Stat(None))) {
                steps.push(file::Step::MakeDir { path: DIR.into(), parents: true, mode: Some(0o755) }.into());
            }
            if held == Held::Masked {
                steps.push(file::Step::Remove { path: path.clone(), recursive: false }.into());
            }
            let (content, attributes) = (Content::Bytes(bytes), file::Attributes::of_mode(Some(0o644)));
            steps.push(file::Step::Write { path, content, attributes }.into());
        }
        None => steps.push(file::Step::Remove { path, recursive: false }.into()),
    }
    match manager {
        Finding::Link(link::Finding::Manager(true)) => {
            steps.push(link::Step::Reconfigure { link: want.name.to_owned() }.into());
        }
        Finding::Link(link::Finding::Manager(false)) => {}
        other => return Err(cannot_tell(other)),
    }
    Ok(steps)
}

/// Steps that give the interface exactly the wanted addresses. New ones come first, so that the host stays reachable.
fn address_steps(want: &Want, now: &LinkState) -> Result<Vec<Step>, Decision> {
    if want.set("addrs").is_none() {
        return Ok(Vec::new());
    }
    let address = |(ip, length)| Address { ip, length };
    let wanted: BTreeSet<Address> =
        gather::set(want.texts("addrs").iter().filter_map(|text| prefix(text).map(address)));
    if let Some(taken) = now.duplicates.iter().find(|address| wanted.contains(address)) {
        return Err(Decision::CannotTell(format!(
            "the address {} is already in use by another host on the network",
            taken.ip
        )));
    }
    let link = || want.name.to_owned();
    let missing = wanted.iter().filter(|address| !now.addresses.contains(address));
    let mut steps: Vec<Step> = missing.map(|&address| link::Step::Add { link: link(), address }.into()).collect();
    let extra = now.addresses.iter().filter(|address| !wanted.contains(address) && !address.is_link_local());
    steps.extend(extra.map(|&address| Step::from(link::Step::Remove { link: link(), address })));
    let unreached = |address: &&Address| {
        let is_reached = now.routes.iter().any(|route| route.to == address.network());
        now.is_up && address.has_route() && now.addresses.contains(address) && !is_reached
    };
    let unreached = wanted.iter().filter(unreached);
    steps.extend(unreached.map(|&address| Step::from(link::Step::Reach { link: link(), address })));
    Ok(steps)
}

/// Steps that leave exactly one default route of this gateway's family, over it.
fn gateway_steps(link: &str, gateway: IpAddr, now: &LinkState) -> Vec<link::Step> {
    let is_of_family = |route: &&Route| route.is_default() && route.to.ip.is_ipv4() == gateway.is_ipv4();
    let defaults: Vec<&Route> = now.routes.iter().filter(is_of_family).collect();
    let kept = defaults.iter().position(|route| route.gateway == Some(gateway));
    let mut steps = Vec::new();
    if kept.is_none() {
        let now = defaults.first().map(|route| (*route).clone());
        steps.push(link::Step::Gateway { link: link.to_owned(), gateway, now });
    }
    // One is kept, or replaced.
    let one = kept.unwrap_or(0);
    let surplus = defaults.iter().enumerate().filter(|(at, _)| *at != one).map(|(_, route)| (*route).clone());
    steps.extend(surplus.map(|route| link::Step::Unroute { link: link.to_owned(), route }));
    steps
}
