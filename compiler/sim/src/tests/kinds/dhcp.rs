//! `dhcp:server` with its hosts and ranges.

use super::{NOTHING, Run};

const PROGRAM: &str = r#"
    dhcp:server ":67" {
        interface => "eth0",
        leasetime => "10m",
        routers => ["192.0.2.1"],
        nbp => "tftp://192.0.2.10/boot/pxelinux.0",
    }
    dhcp:host "printer" { mac => "02:00:00:00:00:07", ip => "192.0.2.77/24", nbp_path => "printer.img", }
    dhcp:range "192.0.2.0/24" { skip => ["192.0.2.2"], }
"#;

fn asks(run: &mut Run, mac: &str) -> Option<String> {
    let mut got = None;
    run.change(|world| got = world.lease("eth0", mac));
    got.map(|(ip, length, boot)| format!("{ip}/{length} {}", boot.unwrap_or_default()))
}

#[test]
fn machines_get_what_is_theirs_or_what_is_free() {
    let mut run = Run::new(PROGRAM);
    assert_eq!(run.failures(), NOTHING);
    // The router's address, skipped addresses and our own are left out.
    for (mac, expect) in [("a", "192.0.2.3/24 boot/pxelinux.0"), ("b", "192.0.2.4/24 boot/pxelinux.0")] {
        assert_eq!(asks(&mut run, mac).as_deref(), Some(expect));
        assert_eq!(asks(&mut run, mac).as_deref(), Some(expect));
    }
    assert_eq!(asks(&mut run, "02:00:00:00:00:07").as_deref(), Some("192.0.2.77/24 printer.img"));
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn the_path_of_a_boot_url_is_decoded() {
    let mut run = Run::new(&PROGRAM.replace("pxelinux.0", "my%20boot"));
    assert_eq!(asks(&mut run, "a").as_deref(), Some("192.0.2.3/24 boot/my boot"));
}

#[test]
fn an_address_that_somebody_uses_is_not_offered() {
    let mut run = Run::new(PROGRAM);
    run.change(|world| world.occupy("eth0", "192.0.2.3".parse().unwrap()));
    assert_eq!(asks(&mut run, "a").as_deref(), Some("192.0.2.4/24 boot/pxelinux.0"));
    assert_eq!(asks(&mut run, "b").as_deref(), Some("192.0.2.5/24 boot/pxelinux.0"));
}

#[test]
fn what_is_missing_is_reported_and_waited_for() {
    let mut run = Run::new(&PROGRAM.replace("eth0", "eth7"));
    assert_eq!(run.failures()[..1], ["cannot find network interface eth7"]);
    run.reports.clear();
    run.sim.change(|world| {
        let mut interface = world.subjects.link.interfaces[1].clone();
        interface.name = "eth7".into();
        world.subjects.link.interfaces.push(interface);
    });
    run.settle();
    assert_eq!(run.failures(), NOTHING);
    run.reports.clear();
    run.sim.change(|world| world.subjects.link.interfaces.last_mut().unwrap().state.addresses.clear());
    run.settle();
    assert_eq!(run.failures()[..1], ["the interface eth7 has no IPv4 address"]);
    for (more, why) in [
        ("dhcp:range \"fd00::/64\" { }", "dhcp:range[fd00::/64]: only IPv4 is supported, found fd00::/64"),
        (
            "dhcp:range \"r\" { from => \"10.0.0.9/24\", to => \"10.0.0.2\", }",
            "dhcp:range[r]: the range ends before it begins: 10.0.0.9 to 10.0.0.2",
        ),
        ("dhcp:range \"10.0.0.0/24\" { persist => true, }", "dhcp:range[10.0.0.0/24]: persist not implemented"),
    ] {
        let run = Run::new(&format!("dhcp:server \":67\" {{ interface => \"eth0\", }}\n{more}"));
        assert_eq!(run.failures()[..1], [why], "{more}");
    }
}

#[test]
fn a_range_has_two_ends_and_a_mask() {
    let program =
        |range: &str| format!("dhcp:server \":67\" {{ interface => \"eth0\", }}\ndhcp:range \"r\" {{ {range} }}");
    let range = "from => \"192.0.2.20\", to => \"192.0.2.20\", mask => \"255.255.255.0\",";
    let mut run = Run::new(&program(range));
    assert_eq!(asks(&mut run, "a").as_deref(), Some("192.0.2.20/24 "));
    assert_eq!(asks(&mut run, "b"), None, "there is no second one");
    let mut run = Run::new(&program("from => \"192.0.2.30/25\", to => \"192.0.2.40/26\","));
    assert_eq!(asks(&mut run, "a").as_deref(), Some("192.0.2.30/26 "));
    assert_eq!(Run::new("dhcp:range \"10.0.0.0/8\" { }").failures()[..1], ["it does not belong to a dhcp:server"]);
}
