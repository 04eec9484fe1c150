//! Tests with interfaces in a separate network namespace: only root can create one.

use super::*;
use mclive_base::vocab::link::{Address, Route};
use rustix::io::Errno;
use rustix::thread::UnshareFlags;
use std::net::IpAddr;
use std::process::Command;

#[test]
fn the_loopback_interface_is_found_with_its_address() {
    let shown = format!("{:?}", interfaces().unwrap());
    assert!(shown.contains(&format!("{:?}", b"lo".to_vec())), "{shown}");
}

/// Runs in a network with a pair of connected interfaces, `a0` and `b0`, both down.
fn with_wire(test: impl FnOnce() + Send + 'static) {
    let inside = move || {
        #[expect(deprecated, reason = "a network of its own opens no way around Rust's rules, as other parts may")]
        rustix::thread::unshare(UnshareFlags::NEWNET).expect("this test takes root");
        ip("link add a0 type veth peer name b0");
        test();
    };
    std::thread::spawn(inside).join().unwrap();
}

/// Runs the system's tool, which inherits the network of this thread.
fn ip(words: &str) {
    let status = Command::new("ip").args(words.split(' ')).status().expect("the package `iproute2` is installed");
    assert!(status.success(), "ip {words}");
}

fn address(text: &str) -> Address {
    let (ip, length) = text.split_once('/').unwrap();
    Address { ip: ip.parse().unwrap(), length: length.parse().unwrap() }
}

fn addresses_of(link: &str) -> Vec<String> {
    let state = state(link).unwrap().unwrap();
    let mut shown: Vec<String> =
        state.addresses.iter().filter(|held| !held.is_link_local()).map(Address::to_string).collect();
    shown.sort();
    shown
}

fn gateways(link: &str) -> Vec<IpAddr> {
    state(link)
        .unwrap()
        .unwrap()
        .routes
        .iter()
        .filter(|route| route.is_default())
        .filter_map(|one| one.gateway)
        .collect()
}

#[test]
fn an_interface_is_changed_and_told_as_the_kernel_has_it() {
    with_wire(|| {
        assert_eq!(state("nothing").unwrap(), None);
        assert_eq!(state("a-name-that-is-too-long").unwrap(), None);
        ip("link property add dev a0 altname other0");
        let (link, name) = Link::find("other0").unwrap();
        assert_eq!((&*name, link.index()), ("a0", Link::find("a0").unwrap().0.index()), "one interface by both names");
        assert!(!state("a0").unwrap().unwrap().is_up);
        link.set(true).unwrap();
        ip("link set b0 up");
        assert!(state("a0").unwrap().unwrap().is_up);

        // The second address of a network disappears with the first, and is added again.
        for text in ["10.1.0.2/24", "10.1.0.3/24", "fd00:1::2/64"] {
            link.add(address(text)).unwrap();
            link.add(address(text)).unwrap();
        }
        assert_eq!(addresses_of("a0"), ["10.1.0.2/24", "10.1.0.3/24", "fd00:1::2/64"]);
        link.remove(address("10.1.0.2/24")).unwrap();
        link.remove(address("10.1.0.2/24")).unwrap();
        assert_eq!(addresses_of("a0"), ["10.1.0.3/24", "fd00:1::2/64"]);

        // An address that expires is someone else's, until it is wanted forever.
        ip("-6 addr add fd00:9::9/64 dev a0 valid_lft 1000 preferred_lft 900");
        ip("addr add 10.9.0.9/24 dev a0 valid_lft 1000 preferred_lft 900");
        assert_eq!(addresses_of("a0"), ["10.1.0.3/24", "10.9.0.9/24", "fd00:1::2/64"]);
        link.add(address("fd00:9::9/64")).unwrap();
        assert_eq!(addresses_of("a0"), ["10.1.0.3/24", "10.9.0.9/24", "fd00:1::2/64", "fd00:9::9/64"]);
        link.remove(address("fd00:9::9/64")).unwrap();
        link.remove(address("10.9.0.9/24")).unwrap();

        // The route to the network exists, and is added again.
        let network = address("10.1.0.0/24");
        let reaches = || state("a0").unwrap().unwrap().routes.iter().any(|route| route.to == network);
        assert!(reaches());
        ip("route del 10.1.0.0/24 dev a0");
        assert!(!reaches());
        link.reach(address("10.1.0.3/24")).unwrap();
        assert!(reaches());

        let gateway = |text: &str| text.parse::<IpAddr>().unwrap();
        link.set_gateway(gateway("10.1.0.1"), None).unwrap();
        let now = state("a0").unwrap().unwrap().routes.into_iter().find(|route| route.is_default());
        link.set_gateway(gateway("10.1.0.9"), now.as_ref()).unwrap();
        assert_eq!(gateways("a0"), [gateway("10.1.0.9")]);
        ip("route add default via 10.1.0.8 metric 50 dev a0");
        let state = state("a0").unwrap().unwrap();
        let surplus = state.routes.iter().find(|route| route.metric == 50).unwrap();
        link.unroute(surplus).unwrap();
        link.unroute(surplus).unwrap();
        assert_eq!(gateways("a0"), [gateway("10.1.0.9")]);
        link.set_gateway(gateway("fd00:1::1"), None).unwrap();
        assert!(gateways("a0").contains(&gateway("fd00:1::1")));

        link.set(false).unwrap();
        assert_eq!(link.reach(address("10.1.0.3/24")), Err(Errno::NETDOWN));
    });
}

#[test]
fn a_route_over_several_gateways_is_replaced_or_loses_one() {
    with_wire(|| {
        let (link, _) = Link::find("a0").unwrap();
        link.set(true).unwrap();
        ip("link set b0 up");
        let gateway = |text: &str| text.parse::<IpAddr>().unwrap();
        let defaults = || -> Vec<Route> {
            let routes = state("a0").unwrap().unwrap().routes;
            routes.into_iter().filter(Route::is_default).collect()
        };

        // As one route, which goes as a whole.
        link.add(address("10.1.0.2/24")).unwrap();
        ip("route add default nexthop via 10.1.0.7 dev a0 nexthop via 10.1.0.1 dev a0");
        let several = defaults();
        assert_eq!(several.iter().map(|route| route.gateway).collect::<Vec<_>>(), [None]);
        link.set_gateway(gateway("10.1.0.1"), several.first()).unwrap();
        assert_eq!(defaults().iter().map(|route| route.gateway).collect::<Vec<_>>(), [Some(gateway("10.1.0.1"))]);
        defaults().iter().for_each(|route| link.unroute(route).unwrap());

        // As one for each gateway.
        link.add(address("fd00:1::2/64")).unwrap();
        ip("-6 route add default via fd00:1::1 dev a0");
        ip("-6 route append default via fd00:1::7 dev a0");
        let several = defaults();
        assert_eq!(several.len(), 2, "{several:?}");
        let other = several.iter().find(|route| route.gateway == Some(gateway("fd00:1::7"))).unwrap();
        link.unroute(other).unwrap();
        assert_eq!(gateways("a0"), [gateway("fd00:1::1")]);
    });
}

#[test]
fn a_default_route_that_refuses_everything_goes_if_it_is_in_front_of_the_gateway() {
    with_wire(|| {
        ip("link set lo up");
        ip("link set b0 up");
        let (link, _) = Link::find("a0").unwrap();
        link.set(true).unwrap();
        link.add(address("10.1.0.2/24")).unwrap();
        link.add(address("fd00:1::2/64")).unwrap();
        for (family, gateway) in [("-4", "10.1.0.1"), ("-6", "fd00:1::1")] {
            let gateway: IpAddr = gateway.parse().unwrap();
            let is_used = || gateways("a0").contains(&gateway);
            let shown = || {
                let output = Command::new("ip").args([family, "route", "show", "default"]).output().unwrap();
                String::from_utf8(output.stdout).unwrap()
            };
            link.set_gateway(gateway, None).unwrap();
            // One that refuses what has no other way.
            ip(&format!("{family} route add unreachable default metric 5000"));
            assert!(is_used(), "{}", shown());
            for refusal in ["unreachable", "blackhole", "prohibit"] {
                ip(&format!("{family} route replace {refusal} default"));
                assert!(!is_used(), "{}", shown());
                link.set_gateway(gateway, None).unwrap();
                assert!(is_used(), "{}", shown());
                let shown = shown();
                assert!(shown.lines().count() == 2 && shown.contains("metric 5000"), "{shown}");
            }
        }
    });
}

#[test]
fn a_change_is_heard_by_the_name_of_its_interface() {
    with_wire(|| {
        let mut ear = Ear::open().unwrap();
        ip("link set a0 up");
        let heard = ear.wait().unwrap();
        assert!(heard.links.contains("a0") && !heard.is_all, "{:?}", heard.links);
        ip("link set a0 name c0");
        // Notifications of the first change may still arrive.
        let mut links = heard.links;
        while !links.contains("c0") {
            links.extend(ear.wait().unwrap().links);
        }
        ip("link del c0");
        while !links.contains("b0") {
            links.extend(ear.wait().unwrap().links);
        }
    });
}
