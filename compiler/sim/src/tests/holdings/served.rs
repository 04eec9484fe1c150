//! What the servers of a host give to other machines, and its pools.

use super::{act, deploy, set, start};
use crate::brain::Brain;
use crate::{Sim, SimHost};
use mclive_base::shapes::host::Thing;

fn things(host: &SimHost, subject: &str) -> Vec<Thing> {
    let own = host.world().holdings().into_iter().filter(|holding| holding.subject == subject);
    own.flat_map(|holding| holding.things).collect()
}

/// Each thing of a subject in a line: its name, its read-only fields and its verbs.
fn lines(sim: &Sim<Brain>, subject: &str) -> Vec<String> {
    let line = |thing: Thing| {
        let fields = thing.fields.iter().filter(|field| field.is_fixed && !field.name.starts_with("until"));
        let fields: Vec<String> = fields.map(|field| format!("{} {}", field.name, field.value)).collect();
        format!("{}: {} [{}]", thing.name, fields.join("; "), thing.verbs.join(", "))
    };
    things(&sim.host, subject).into_iter().map(line).collect()
}

/// The moment at which the first lease ends.
fn first_end(sim: &Sim<Brain>) -> u64 {
    let fields = things(&sim.host, "Dhcp").into_iter().flat_map(|thing| thing.fields);
    let mut ends = fields.filter(|field| field.name == "until (Unix time in seconds)");
    ends.next().and_then(|field| field.value.parse().ok()).expect("there is a lease")
}

fn wait(sim: &mut Sim<Brain>, seconds: u64) {
    let until = sim.now().plus_ms(seconds * 1_000);
    sim.advance(until, 100_000);
    // The host takes note of the time.
    sim.change(|_| ());
}

#[test]
fn machines_ask_for_leases_renew_and_release_them() {
    const SERVER: &str = "server :67 on eth0";
    let mut sim = start(
        r#"
dhcp:server ":67" { interface => "eth0", leasetime => "10m", }
dhcp:host "printer" { mac => "02:00:00:00:00:07", ip => "192.0.2.77/24", }
dhcp:range "r" { from => "192.0.2.20", to => "192.0.2.21", mask => "255.255.255.0", }
"#,
    );
    let alter = |sim: &mut Sim<Brain>, thing: &str, verb: &str| {
        sim.change(|world| world.alter("Dhcp", thing, &act(verb))).map_err(|error| error.to_string())
    };
    let server = "server :67 on eth0: state running; ranges 192.0.2.20 to 192.0.2.21; reserved 192.0.2.77 for \
                  02:00:00:00:00:07 [let a new machine ask]";
    let first = "192.0.2.20 on eth0: machine 02:00:00:01:00:01 [renew, release]";
    let second = "192.0.2.21 on eth0: machine 02:00:00:01:00:02 [renew, release]";
    assert_eq!(lines(&sim, "Dhcp"), [server]);
    assert_eq!(alter(&mut sim, SERVER, "let a new machine ask"), Ok(()));
    assert_eq!(alter(&mut sim, SERVER, "let a new machine ask"), Ok(()));
    assert_eq!(lines(&sim, "Dhcp"), [server, first, second]);
    let why = alter(&mut sim, SERVER, "let a new machine ask").expect_err("both are taken");
    assert_eq!(why, "no server has an address for 02:00:00:01:00:03 on eth0");
    let before = first_end(&sim);
    wait(&mut sim, 60);
    assert_eq!(alter(&mut sim, "192.0.2.20 on eth0", "renew"), Ok(()));
    assert_eq!(first_end(&sim), before + 60);
    assert_eq!(alter(&mut sim, "192.0.2.20 on eth0", "release"), Ok(()));
    assert_eq!(lines(&sim, "Dhcp"), [server, second]);
    for (thing, verb) in [("192.0.2.20 on eth0", "renew"), (SERVER, "release"), ("192.0.2.21 on eth0", "dance")] {
        assert!(alter(&mut sim, thing, verb).is_err(), "{thing} {verb}");
    }
    // A lease that is not renewed ends.
    wait(&mut sim, 600);
    assert_eq!(lines(&sim, "Dhcp"), [server]);
    deploy(&mut sim, "noop \"n\" {}\n");
    assert!(lines(&sim, "Dhcp").is_empty());
    assert!(alter(&mut sim, SERVER, "let a new machine ask").is_err());
}

#[test]
fn of_many_reserved_addresses_the_first_are_listed() {
    let hosts: String = (1..=25)
        .map(|n| format!("dhcp:host \"m{n}\" {{ mac => \"02:00:00:00:00:{n:02x}\", ip => \"192.0.2.{n}/24\", }}\n"))
        .collect();
    let sim = start(&format!("dhcp:server \":67\" {{ interface => \"eth0\", leasetime => \"10m\", }}\n{hosts}"));
    let lines = lines(&sim, "Dhcp");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].matches(" for ").count() == 20 && lines[0].contains(" and 5 more"), "{lines:?}");
}

#[test]
fn machines_fetch_files_and_the_last_transfers_are_listed() {
    const SERVER: &str = "server :69";
    let mut sim = start(
        r#"
tftp:server ":69" {}
tftp:file "menu" { filename => "/menu.cfg", data => "default linux\n", server => ":69", }
"#,
    );
    let fetch =
        |sim: &mut Sim<Brain>, name: &str| sim.change(|world| world.alter("Tftp", SERVER, &set("fetch a file", name)));
    let server = "server :69: state running; files /menu.cfg []";
    assert_eq!(lines(&sim, "Tftp"), [server]);
    assert_eq!(fetch(&mut sim, "/menu.cfg"), Ok(()));
    assert_eq!(fetch(&mut sim, "none"), Ok(()));
    let menu = "/menu.cfg from :69: result 14 bytes [fetch again]";
    let none = "none from :69: result cannot find file `none` [fetch again]";
    assert_eq!(lines(&sim, "Tftp"), [server, menu, none]);
    let again =
        |sim: &mut Sim<Brain>| sim.change(|world| world.alter("Tftp", "/menu.cfg from :69", &act("fetch again")));
    assert_eq!(again(&mut sim), Ok(()));
    assert_eq!(lines(&sim, "Tftp"), [server, none, menu], "the latest is at the end");
    assert!(fetch(&mut sim, "").is_err(), "a file has a name");
    // Of many, the last ones are kept.
    for number in 0..30 {
        assert_eq!(fetch(&mut sim, &format!("f{number}")), Ok(()));
    }
    let all = lines(&sim, "Tftp");
    assert_eq!(all.len(), 1 + 20);
    assert!(all[1].starts_with("f10 from ") && all[20].starts_with("f29 from "), "{all:?}");
    assert_eq!(fetch(&mut sim, "/menu.cfg"), Ok(()));
    deploy(&mut sim, "noop \"n\" {}\n");
    let why = again(&mut sim).expect_err("the server is closed").to_string();
    assert_eq!(why, "no TFTP server answers at :69");
}

#[test]
fn a_vote_that_is_withdrawn_by_hand_is_cast_again() {
    let mut sim = start("schedule \"web\" {}\n");
    let voted = "web: elected host1; vote of host1 rr, max 1 [withdraw the vote]";
    assert_eq!(lines(&sim, "Schedule"), [voted]);
    let withdraw = |sim: &mut Sim<Brain>| sim.change(|world| world.alter("Schedule", "web", &act("withdraw the vote")));
    assert_eq!(withdraw(&mut sim), Ok(()));
    assert!(lines(&sim, "Schedule").is_empty());
    assert!(withdraw(&mut sim).is_err(), "there is none");
    wait(&mut sim, 15);
    assert_eq!(lines(&sim, "Schedule"), [voted]);
    // Without the store, nothing can be withdrawn there.
    let now = sim.now();
    sim.change(|world| world.disconnect(now));
    assert_eq!(lines(&sim, "Schedule"), ["web: elected host1; vote of host1 rr, max 1 []"]);
    assert!(withdraw(&mut sim).is_err());
    // Another vote waits for it.
    deploy(&mut sim, "schedule \"web\" {\n\tmax => 2,\n}\n");
    let pools = lines(&sim, "Schedule");
    let waits = |pool: &String| pool.ends_with("vote of host1 rr, max 1; waiting vote rr, max 2 []");
    assert!(pools.len() == 1 && pools.iter().all(waits), "{pools:?}");
}
