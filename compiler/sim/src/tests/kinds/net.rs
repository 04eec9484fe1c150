//! `net`.

use super::{NOTHING, Run};
use crate::Interface;
use crate::World;
use crate::vocab::link::{Address, Route};

fn address(text: &str) -> Address {
    let (ip, length) = text.split_once('/').unwrap();
    Address { ip: ip.parse().unwrap(), length: length.parse().unwrap() }
}

fn eth0(world: &mut World) -> &mut Interface {
    world.subjects.link.interfaces.iter_mut().find(|interface| interface.name == "eth0").unwrap()
}

const PROGRAM: &str = r#"
    net "eth0" {
        state => "up",
        addrs => ["192.0.2.10/24", "fd00:0::1/64"],
        gateway => "192.0.2.1",
        ip_forward => true,
    }
"#;
const FILE: &str = "/etc/systemd/network/mgmt-eth0.network";
const CONTENT: &str =
    "[Match]\nName=eth0\n[Network]\nAddress=192.0.2.10/24\nAddress=fd00:0::1/64\nGateway=192.0.2.1\nIPForward=true";

#[test]
fn an_interface_has_its_addresses_its_gateway_and_its_file() {
    let mut run = Run::new(PROGRAM);
    let gateway = "set the default gateway of eth0: none → 192.0.2.1";
    assert_eq!(
        run.steps(),
        [&*format!("write {FILE} ({} bytes), mode 0644", CONTENT.len()), "add fd00::1/64 to eth0", gateway]
    );
    assert_eq!(run.read(FILE), CONTENT);
    assert_eq!(
        run.change(|world| eth0(world).set(false)),
        ["set eth0 up (is down)", gateway],
        "routes go with the interface"
    );
    assert_eq!(run.change(|world| eth0(world).remove(address("fd00::1/64"))), ["add fd00::1/64 to eth0"]);
    assert_eq!(run.change(|world| eth0(world).add(address("192.0.2.66/24"))), ["remove 192.0.2.66/24 from eth0"]);
    assert_eq!(
        run.change(|world| eth0(world).add(address("fe80::1/64"))),
        NOTHING,
        "what every link has is not in the way"
    );
    let other = run.change(|world| {
        let now = eth0(world).state.routes.iter().find(|route| route.is_default()).cloned();
        eth0(world).set_gateway("192.0.2.254".parse().unwrap(), now.as_ref()).unwrap();
    });
    assert_eq!(other, ["set the default gateway of eth0: 192.0.2.254 → 192.0.2.1"]);
    let second = run.change(|world| {
        let gateway = Some("192.0.2.9".parse().unwrap());
        eth0(world).state.routes.push(Route { to: address("0.0.0.0/0"), gateway, metric: 100 });
    });
    assert_eq!(second, ["remove the default route of eth0 over 192.0.2.9 (metric 100)"]);
    let network = run.change(|world| eth0(world).state.routes.retain(Route::is_default));
    assert_eq!(network, ["add the route to 192.0.2.0/24 over eth0"]);
    assert_eq!(run.change(|world| world.remove(FILE).unwrap()).len(), 1);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn other_addresses_come_before_the_old_ones_go() {
    let mut run = Run::new("net \"eth0\" { addrs => [\"10.0.0.2/8\"], gateway => \"10.0.0.1\", }");
    let expect = [
        "add 10.0.0.2/8 to eth0",
        "remove 192.0.2.10/24 from eth0",
        "set the default gateway of eth0: none → 10.0.0.1",
    ];
    assert_eq!(run.steps(), expect);
    assert!(run.world().stat(FILE).is_none(), "its state is not managed");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn an_interface_that_is_down_has_no_file() {
    let mut run = Run::after(|world| world.write(FILE, "x").unwrap(), "net \"eth0\" { state => \"down\", }");
    assert_eq!(run.steps(), [&*format!("remove {FILE}"), "set eth0 down (is up)"]);
    assert_eq!(run.change(|world| eth0(world).set(true)), ["set eth0 down (is up)"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn an_interface_that_is_undone_goes_the_other_way() {
    let mut run = Run::new("net \"eth0\" { state => \"up\", Meta:reverse => true, }");
    run.steps();
    let mut run = run.becomes("noop \"n\" { }");
    assert_eq!(run.steps(), [&*format!("remove {FILE}"), "set eth0 down (is up)"]);
}

#[test]
fn what_is_not_there_and_what_is_not_ours_is_reported() {
    let run = Run::after(|world| world.subjects.link.interfaces.truncate(1), PROGRAM);
    assert!(run.failures()[0].contains("cannot find network interface eth0"), "{:?}", run.failures());
    let taken = |world: &mut World| {
        eth0(world).add(address("fd00::1/64"));
        eth0(world).state.duplicates.push(address("fd00::1/64"));
    };
    let run = Run::after(taken, PROGRAM);
    assert!(run.failures()[0].contains("the address fd00::1 is already in use"), "{:?}", run.failures());
}
