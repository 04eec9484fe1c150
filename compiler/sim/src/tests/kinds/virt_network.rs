//! `virt:network` with its hosts and ranges.

use super::{NOTHING, Run};
use crate::World;
use crate::vocab::virt::network::{Host, Lan, Network, Range};

const BASE: &str = r#"mac => "52:54:00:00:00:01", ip => "10.7.0.1/24", device => "virbr7","#;
const HOST: &str = r#"virt:network:host "db" { mac => "52:54:00:00:00:02", ip => "10.7.0.2/24", }"#;
const RANGE: &str = r#"virt:network:range "pool" { start => "10.7.0.10", end => "10.7.0.20", }"#;

fn lan(fields: &str, rest: &str) -> String {
    format!("virt:network \"lan\" {{ {BASE} {fields} }}\n{rest}\n")
}

fn network(world: &mut World) -> &mut Network {
    world.subjects.virt.networks.values_mut().next().expect("there is one")
}

fn both(world: &mut World) -> [&mut Lan; 2] {
    let Network { live, stored, .. } = network(world);
    [live.as_mut().expect("it is up"), stored.as_mut().expect("it is stored")]
}

const UP: &str = r#"state => "up", startup => "enabled","#;
const MADE: [&str; 3] = [
    "define the virtual network lan (is absent; 10.7.0.1/24 on virbr7)",
    "start the virtual network lan (is down)",
    "set autostart of the virtual network lan: disabled → enabled",
];

#[test]
fn a_network_is_made_and_kept() {
    let mut run = Run::new(&lan(UP, &format!("{HOST}\n{RANGE}")));
    assert_eq!(run.steps(), MADE);
    assert_eq!(run.change(|world| network(world).live = None), MADE[1..2]);
    assert_eq!(run.change(|world| network(world).autostart = false), MADE[2..]);
    let changed = run.change(|world| both(world)[0].blocks[0].hosts[0].ip = [10, 7, 0, 3].into());
    assert_eq!(changed, ["host 52:54:00:00:00:02 of the virtual network lan (running): 10.7.0.3 db → 10.7.0.2 db"]);
    let gone = run.change(|world| both(world)[1].blocks[0].ranges.clear());
    assert_eq!(gone, ["add the range 10.7.0.10 to 10.7.0.20 of the virtual network lan (stored)"]);
    let base = run.change(|world| {
        for lan in both(world) {
            lan.bridge = "virbr9".into();
            lan.blocks[0].ranges.clear();
        }
    });
    let range = "add the range 10.7.0.10 to 10.7.0.20 of the virtual network lan (stored)";
    assert_eq!(base, [range, "change the virtual network lan: bridge virbr9 → virbr7, and restart it"]);
    assert_eq!(run.change(|world| world.subjects.virt.networks.clear()), MADE);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_is_not_declared_is_purged_where_that_is_asked_for() {
    let strange = |world: &mut World| {
        for lan in both(world) {
            let (ip, end) = ([10, 7, 0, 100].into(), [10, 7, 0, 110].into());
            lan.blocks[0].hosts.push(Host { mac: "52:54:00:00:00:09".into(), name: "x".into(), ip });
            lan.blocks[0].ranges.push(Range { start: ip, end });
        }
    };
    let mut run = Run::new(&lan(UP, HOST));
    assert_eq!(run.change(strange), NOTHING);
    let mut run = run.becomes(&lan(&format!("{UP} purge_hosts => true, purge_ranges => true,"), HOST));
    let words = ["(stored)", "(running)"].map(|part| {
        let host = format!("host 52:54:00:00:00:09 of the virtual network lan {part}: 10.7.0.100 x → none");
        [host, format!("remove the range 10.7.0.100 to 10.7.0.110 of the virtual network lan {part}")]
    });
    assert_eq!(run.steps(), words.concat());
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn states_and_persistence() {
    let run = Run::new(&lan(UP, ""));
    let mut run = run.becomes(&lan(r#"state => "down","#, ""));
    assert_eq!(run.steps(), ["stop the virtual network lan (is up)"]);
    let mut run = run.becomes(&lan(r#"state => "up", transient => true,"#, ""));
    let create = "create the virtual network lan, which is transient (is absent; 10.7.0.1/24 on virbr7)";
    assert_eq!(run.steps(), ["undefine the virtual network lan (is persistent)", create]);
    let mut run = run.becomes(&lan(r#"state => "up", uuid => "{AB04F000-0000-0000-0000-000000000001}","#, ""));
    assert_eq!(run.steps().len(), 2);
    let mut run = run.becomes(r#"virt:network "lan" { state => "down", transient => true, }"#);
    let gone = ["stop the virtual network lan (is up)", "undefine the virtual network lan (is persistent)"];
    assert_eq!(run.steps(), gone);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let host = |mac: &str, ip: &str| format!(r#"virt:network:host "b" {{ mac => "{mac}", ip => "{ip}", }}"#);
    let range = |start: &str, end: &str| format!(r#"virt:network:range "b" {{ start => "{start}", end => "{end}", }}"#);
    for (other, why) in [
        (host("52:54:00:00:00:02", "10.7.0.3/24"), "another host has the MAC"),
        (host("52:54:00:00:00:03", "10.7.0.2/24"), "another host has the address"),
        (host("52:54:00:00:00:03", "10.7.0.3/16"), "expected the prefix length /24 of the network, found /16"),
        (host("52:54:00:00:00:03", "10.8.0.3/24"), "is outside the network 10.7.0.0/24"),
        (host("52:54:00:00:00:03", "10.7.0.255/24"), "or the broadcast address"),
        (host("52:54:00:00:00:03", "10.7.0.1/24"), "is the address of the router"),
        (host("52:54:00:00:00:03", "10.7.0.12/24"), "a range contains 10.7.0.12"),
        (range("10.7.0.20", "10.7.0.30"), "overlaps with the range"),
        (range("10.7.0.21", "10.7.1.1"), "is outside the network"),
    ] {
        let run = Run::new(&lan(UP, &format!("{HOST}\n{RANGE}\n{other}")));
        let failures = run.failures();
        assert!(failures.iter().any(|failure| failure.contains(why)), "{why}: {failures:?}");
    }
}

#[test]
fn faults_are_reported() {
    let mut run = Run::after(|world| world.subjects.virt.are_gone = true, &lan(UP, ""));
    assert!(run.failures()[0].contains("install the package `libvirt-daemon-system`"), "{:?}", run.failures());
    assert_eq!(run.change(|world| world.subjects.virt.are_gone = false), MADE);
}
