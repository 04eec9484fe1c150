//! Virtual networks: their state in libvirt, and their changes.

use super::Context;
use super::edits::{Edits, child, children, escaped, parse, text, value};
use super::virsh::Virsh;
use mclive_base::vocab::virt::Part;
use mclive_base::vocab::virt::network::{Block, Host, Lan, Move, Network, Range};
use mclive_base::vocab::{HostError, HostErrorKind};
use roxmltree::{Document, Node};
use std::net::Ipv4Addr;

pub(super) fn look(at: &Context, virsh: &Virsh, name: &str) -> Result<Option<Network>, HostError> {
    named(name)?;
    if !is_there(at, virsh, name)? {
        return Ok(None);
    }
    match seen(at, virsh, name) {
        // It was removed in the meantime.
        Err(_) if !is_there(at, virsh, name)? => Ok(None),
        seen => seen.map(Some),
    }
}

/// Rejects names that the tool would interpret as a UUID or an option.
fn named(name: &str) -> Result<(), HostError> {
    let is_uuid = name.len() == 36 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_uuid || name.starts_with('-') {
        return Err(HostError::new(HostErrorKind::Refused, format!("`{name}` is not a valid network name for virsh")));
    }
    Ok(())
}

fn is_there(at: &Context, virsh: &Virsh, name: &str) -> Result<bool, HostError> {
    Ok(virsh.ask(at, &["net-list", "--all", "--name"])?.lines().any(|line| line.trim_end() == name))
}

fn info(at: &Context, virsh: &Virsh, name: &str) -> Result<impl Fn(&str) -> bool, HostError> {
    let info = virsh.ask(at, &["net-info", name])?;
    Ok(move |field: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.is_some_and(|value| value.trim() == "yes")
    })
}

fn seen(at: &Context, virsh: &Virsh, name: &str) -> Result<Network, HostError> {
    let is = info(at, virsh, name)?;
    let lan = |flags: &[&str]| -> Result<Lan, HostError> {
        let xml = virsh.ask(at, &[&["net-dumpxml", name], flags].concat())?;
        lan(&parse(&xml)?)
    };
    let live = is("Active").then(|| lan(&[])).transpose()?;
    let stored = is("Persistent").then(|| lan(&["--inactive"])).transpose()?;
    Ok(Network { autostart: is("Autostart"), live, stored })
}

fn lan(document: &Document) -> Result<Lan, HostError> {
    let root = document.root_element();
    let blocks = blocks(root).map(|(node, ip, length)| {
        let dhcp = child(node, "dhcp");
        let hosts = children(dhcp, "host").filter_map(|host| {
            Some(Host {
                mac: host.attribute("mac").unwrap_or_default().to_ascii_lowercase(),
                name: host.attribute("name").unwrap_or_default().to_owned(),
                ip: host.attribute("ip")?.parse().ok()?,
            })
        });
        let ranges = children(dhcp, "range").filter_map(|range| {
            let end = |name: &str| range.attribute(name)?.parse().ok();
            Some(Range { start: end("start")?, end: end("end")? })
        });
        Block { ip, length, hosts: hosts.collect(), ranges: ranges.collect() }
    });
    Ok(Lan {
        uuid: text(root, "uuid").to_owned(),
        mode: child(root, "forward").map(|it| it.attribute("mode").unwrap_or("nat").to_owned()).unwrap_or_default(),
        bridge: value(root, "bridge", "name").unwrap_or_default().to_owned(),
        mac: value(root, "mac", "address").unwrap_or_default().to_ascii_lowercase(),
        blocks: blocks.collect(),
    })
}

/// The IPv4 elements, each with its address.
fn blocks<'a, 'b: 'a>(root: Node<'a, 'b>) -> impl Iterator<Item = (Node<'a, 'b>, Ipv4Addr, u8)> {
    children(Some(root), "ip").filter_map(|node| {
        let ip = node.attribute("address")?.parse().ok()?;
        let mask = || Some(u32::from(node.attribute("netmask")?.parse::<Ipv4Addr>().ok()?).leading_ones() as u8);
        let length = node.attribute("prefix").and_then(|text| text.parse().ok()).or_else(mask).unwrap_or(32);
        Some((node, ip, length))
    })
}

fn description(name: &str, lan: &Lan) -> String {
    let uuid = match &*lan.uuid {
        "" => String::new(),
        uuid => format!("<uuid>{}</uuid>", escaped(uuid)),
    };
    let (forward, bridge, mac) = base(lan);
    let blocks: String = lan.blocks.iter().map(block).collect();
    format!("<network><name>{}</name>{uuid}{forward}{bridge}{mac}{blocks}</network>", escaped(name))
}

fn base(lan: &Lan) -> (String, String, String) {
    (
        format!("<forward mode='{}'/>", escaped(&lan.mode)),
        format!("<bridge name='{}' stp='on' delay='0'/>", escaped(&lan.bridge)),
        format!("<mac address='{}'/>", escaped(&lan.mac)),
    )
}

fn block(block: &Block) -> String {
    let mask = Ipv4Addr::from(u32::MAX.checked_shl(32 - u32::from(block.length)).unwrap_or(0));
    let mut given: String = block.ranges.iter().map(range).collect();
    given.extend(block.hosts.iter().map(host));
    let dhcp = if given.is_empty() { given } else { format!("<dhcp>{given}</dhcp>") };
    format!("<ip address='{}' netmask='{mask}'>{dhcp}</ip>", block.ip)
}

fn host(Host { mac, name, ip }: &Host) -> String {
    format!("<host mac='{}' name='{}' ip='{ip}'/>", escaped(mac), escaped(name))
}

fn range(Range { start, end }: &Range) -> String {
    format!("<range start='{start}' end='{end}'/>")
}

/// A description with another base. DHCP settings are kept if the address stays.
fn rebased(xml: &str, wanted: &Lan) -> Result<String, HostError> {
    let xml = xml.trim();
    let document = parse(xml)?;
    let root = document.root_element();
    let now = lan(&document)?;
    let (forward, bridge, mac) = base(wanted);
    let mut edits = Edits::of(xml);
    let mut put = |name: &'static str, is_right: bool, with: &str| match child(root, name) {
        _ if is_right => {}
        Some(old) => edits.replace(old, with),
        None => edits.append(root, with),
    };
    put("uuid", wanted.uuid.is_empty() || wanted.uuid == now.uuid, &format!("<uuid>{}</uuid>", escaped(&wanted.uuid)));
    put("forward", wanted.mode == now.mode, &forward);
    put("bridge", wanted.bridge == now.bridge, &bridge);
    put("mac", wanted.mac == now.mac, &mac);
    for it in wanted.blocks.iter().filter(|it| now.block(it).is_none()) {
        match blocks(root).next() {
            Some((old, ..)) => edits.replace(old, &block(it)),
            None => edits.append(root, &block(it)),
        }
    }
    Ok(edits.done())
}

pub(super) fn act(at: &Context, virsh: &Virsh, name: &str, change: &Move) -> Result<(), HostError> {
    named(name)?;
    let say = |words: &[&str]| virsh.ask(at, words).map(drop);
    let update = |part: &Part, block: &u64, verb: &str, section: &str, xml: &str| {
        let flag = match part {
            Part::Live => "--live",
            Part::Stored => "--config",
        };
        say(&["net-update", name, verb, section, xml, flag, "--parent-index", &block.to_string()])
    };
    match change {
        Move::Define(lan) => virsh.tell(at, "net-define", &description(name, lan), &[]),
        Move::Create(lan) => virsh.tell(at, "net-create", &description(name, lan), &[]),
        Move::Persist => {
            let xml = virsh.ask(at, &["net-dumpxml", name, "--inactive"])?;
            virsh.tell(at, "net-define", &xml, &[])
        }
        Move::Undefine => say(&["net-undefine", name]),
        Move::Autostart(true) => say(&["net-autostart", name]),
        Move::Autostart(false) => say(&["net-autostart", name, "--disable"]),
        Move::Rebase { lan, is_up, .. } => rebase(at, virsh, name, lan, *is_up),
        Move::Host { part, block, now, to } => {
            let verb = match (now, to) {
                (Some(_), Some(_)) => "modify",
                (None, _) => "add-last",
                (Some(_), None) => "delete",
            };
            let Some(entry) = to.as_ref().or(now.as_ref()) else { return Ok(()) };
            update(part, block, verb, "ip-dhcp-host", &host(entry))
        }
        Move::Range { part, block, range: it, is_wanted } => {
            let verb = if *is_wanted { "add-last" } else { "delete" };
            update(part, block, verb, "ip-dhcp-range", &range(it))
        }
        Move::Start => say(&["net-start", name]),
        Move::Stop => say(&["net-destroy", name]),
    }
}

fn rebase(at: &Context, virsh: &Virsh, name: &str, wanted: &Lan, is_up: bool) -> Result<(), HostError> {
    let is = info(at, virsh, name)?;
    let (is_stored, autostart) = (is("Persistent"), is("Autostart"));
    let old = virsh.ask(at, &["net-dumpxml", name, "--inactive"])?;
    let xml = rebased(&old, wanted)?;
    let is_other = !wanted.uuid.is_empty() && lan(&parse(&old)?)?.uuid != wanted.uuid;
    if is_up {
        virsh.ask(at, &["net-destroy", name])?;
    }
    if !is_stored {
        return virsh.tell(at, "net-create", &xml, &[]);
    }
    // An existing network cannot change its UUID.
    if is_other {
        virsh.ask(at, &["net-undefine", name])?;
    }
    if let Err(error) = virsh.tell(at, "net-define", &xml, &[]) {
        if is_other {
            // Restore the old one rather than leaving none.
            let _ = virsh.tell(at, "net-define", &old, &[]);
        }
        return Err(error);
    }
    if is_other && autostart {
        virsh.ask(at, &["net-autostart", name])?;
    }
    if is_up {
        virsh.ask(at, &["net-start", name])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> Lan {
        let ip = |last| Ipv4Addr::new(10, 7, 0, last);
        Lan {
            uuid: String::new(),
            mode: "nat".into(),
            bridge: "virbr7".into(),
            mac: "52:54:00:00:00:01".into(),
            blocks: vec![Block {
                ip: ip(1),
                length: 24,
                hosts: vec![Host { mac: "52:54:00:00:00:02".into(), name: "db".into(), ip: ip(2) }],
                ranges: vec![Range { start: ip(10), end: ip(20) }],
            }],
        }
    }

    #[test]
    fn what_is_described_is_what_is_seen() {
        let xml = description("lan", &wanted());
        assert_eq!(lan(&parse(&xml).unwrap()).unwrap(), wanted());
    }

    #[test]
    fn another_base_leaves_the_rest_alone() {
        let xml = "<network><name>lan</name><uuid>1</uuid><forward mode='route'/><bridge name='virbr1'/>\
                   <dns enable='no'/><ip address='10.7.0.1' prefix='24'><dhcp><range start='10.7.0.30' end='10.7.0.40'/>\
                   </dhcp></ip><ip family='ipv6' address='fd00::1' prefix='64'/></network>";
        let rebased = rebased(xml, &wanted()).unwrap();
        let now = lan(&parse(&rebased).unwrap()).unwrap();
        assert_eq!(wanted().differences(&now), [""; 0]);
        assert!(rebased.contains("<dns enable='no'/>") && rebased.contains("10.7.0.30") && rebased.contains("fd00::1"));
        let moved = super::rebased(&xml.replace("10.7.0.1'", "10.8.0.1'"), &wanted()).unwrap();
        assert_eq!(lan(&parse(&moved).unwrap()).unwrap().blocks, wanted().blocks);
    }

    #[test]
    fn names_that_the_tool_takes_for_something_else() {
        assert!(named("-x").is_err() && named("6695eb01-f6a4-8304-79aa-97f2502e193f").is_err() && named("lan").is_ok());
    }
}
