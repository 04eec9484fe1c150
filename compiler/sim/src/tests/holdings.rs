//! The things a host has, and manual changes to them, for every subject.

mod clock;
mod commands;
mod far;
mod internet;
mod kept;
mod served;
mod settings;

use crate::brain::Brain;
use crate::protocol::{Deploy, Input, Options};
use crate::vocab::firewall::Rule;
use crate::vocab::mount::Mounted;
use crate::{Sim, SimHost};
use mclive_base::shapes::host::{ADD, Alteration};
use std::collections::BTreeSet;

/// A host on which a program has come to rest.
fn start(program: &str) -> Sim<Brain> {
    let mut sim = Sim::new(Brain::new(), SimHost::new("host1"));
    deploy(&mut sim, program);
    sim
}

fn deploy(sim: &mut Sim<Brain>, program: &str) {
    let files = vec![("/main.mcl".to_owned(), program.as_bytes().to_vec())];
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
}

fn act(verb: &str) -> Alteration {
    Alteration::Do { verb: verb.to_owned() }
}

fn set(field: &str, value: &str) -> Alteration {
    Alteration::Set { field: field.to_owned(), value: value.to_owned() }
}

#[test]
fn every_field_and_verb_that_is_shown_can_be_used() {
    let mut host = SimHost::new("host1");
    let all = host.world().holdings();
    assert!(all.len() >= 9, "{all:?}");
    for holding in all {
        assert!(!holding.title.is_empty(), "{}", holding.subject);
        for thing in holding.things {
            let names: BTreeSet<&str> = thing.fields.iter().map(|field| field.name.as_str()).collect();
            assert_eq!(names.len(), thing.fields.len(), "{} {}", holding.subject, thing.name);
            for field in thing.fields.iter().filter(|field| !field.is_fixed) {
                let how = set(&field.name, &field.value);
                let done = host.change(|world| world.alter(&holding.subject, &thing.name, &how));
                assert_eq!(done, Ok(()), "{} {} {how:?}", holding.subject, thing.name);
            }
            for verb in &thing.verbs {
                let mut host = SimHost::new("host1");
                let before = host.world().holdings();
                let done = host.change(|world| world.alter(&holding.subject, &thing.name, &act(verb)));
                assert_eq!(done, Ok(()), "{} {} {verb}", holding.subject, thing.name);
                let is_same = host.world().holdings() == before;
                assert!(!is_same || verb == "reload", "{} {} {verb} changes nothing", holding.subject, thing.name);
            }
            let never = host.change(|world| world.alter(&holding.subject, &thing.name, &act("dance")));
            assert!(never.is_err(), "{}", holding.subject);
        }
    }
    let unknown = host.change(|world| world.alter("user", "alice", &set("shell", "/bin/zsh")));
    let why = unknown.expect_err("there is no such subject").to_string();
    let (begin, subjects) = why.split_once("; expected one of: ").expect("it lists them");
    assert_eq!(begin, "cannot find subject `user`");
    let subjects: Vec<&str> = subjects.split(", ").collect();
    let shown = host.world().holdings();
    assert!(shown.iter().all(|holding| subjects.contains(&holding.subject.as_str())), "{why}");
    assert!(!subjects.contains(&"Archive"), "nothing is shown of archives: {why}");
}

#[test]
fn what_can_be_added_is_there_afterwards_and_only_once() {
    let mut n_additions = 0;
    for holding in SimHost::new("host1").world().holdings() {
        for addition in &holding.additions {
            let mut host = SimHost::new("host1");
            let thing = format!("{}{}", addition.prefix, addition.example);
            let add =
                |host: &mut SimHost, thing: &str| host.change(|world| world.alter(&holding.subject, thing, &act(ADD)));
            assert!(add(&mut host, &addition.prefix).is_err(), "{} without a name", addition.what);
            assert_eq!(add(&mut host, &thing), Ok(()), "{} {thing}", holding.subject);
            let all = host.world().holdings();
            let same = all.iter().filter(|other| other.subject == holding.subject).flat_map(|other| &other.things);
            assert_eq!(same.filter(|other| other.name == thing).count(), 1, "{} {thing}", holding.subject);
            let again = add(&mut host, &thing).expect_err("it is there").to_string();
            assert!(again.contains("already"), "{again}");
            n_additions += 1;
        }
    }
    assert!(n_additions >= 16, "{n_additions}");
}

#[test]
fn what_cannot_be_added_is_reported_in_words() {
    let mut host = SimHost::new("host1");
    let mut why = |subject: &str, thing: &str| {
        let done = host.change(|world| world.alter(subject, thing, &act(ADD)));
        done.expect_err("it cannot be added").to_string()
    };
    let rule = "up to 32 lowercase letters, digits, `_` and `-`, beginning with a letter or `_`";
    assert_eq!(why("Account", "Bob"), format!("`Bob` is not a valid account name: {rule}"));
    assert_eq!(why("Account", "alice"), "user alice already exists");
    assert_eq!(why("Package", "emacs"), "cannot find package `emacs`; the repository has curl, libpcre2, nginx");
    assert_eq!(why("Mount", "/nowhere"), "`/nowhere` is not the path of a directory on this host");
    assert_eq!(
        why("Program", "1st"),
        "`1st` is not a valid variable name: letters, digits and `_`, not beginning with a digit"
    );
    assert_eq!(why("Unit", "x.timer"), "`x.timer` is not a valid service name such as `demo.service`");
    assert_eq!(why("Sysctl", "a..b"), "`a..b` is not a valid kernel parameter name such as `vm.max_map_count`");
    assert_eq!(why("Sysctl", "vm.swappiness"), "kernel parameter vm.swappiness already exists");
    assert_eq!(
        why("Link", "a/b"),
        "`a/b` is not a valid network interface name: up to 15 visible ASCII characters without `/` and `:`"
    );
    assert_eq!(why("Firewall", "d m z"), "`d m z` is not a valid zone name: up to 17 letters, digits, `_` and `-`");
    assert_eq!(
        why("Container", "-web"),
        "`-web` is not a valid container name: at least two letters, digits, `_`, `.` and `-`, beginning with a letter \
         or digit"
    );
    assert_eq!(why("Virt", "domain a/b"), "`a/b` is not a valid libvirt name: letters, digits, `_`, `.` and `-`");
    assert_eq!(
        why("Guest", "-db"),
        "`-db` is not a valid machine name: letters, digits, `-` and `.`, beginning with a letter or digit"
    );
    assert_eq!(why("Virt", "db"), "cannot add db: no such object");
    assert_eq!(why("Machine", "another"), "cannot add another: no such object");
}

#[test]
fn a_package_that_is_added_brings_its_files_and_what_it_depends_on() {
    let mut host = SimHost::new("host1");
    host.change(|world| world.alter("Package", "nginx", &act(ADD))).expect("the repository has it");
    assert!(host.world().read("/etc/nginx/nginx.conf").is_ok());
    assert!(host.world().subjects.package.installed.contains_key("libpcre2"));
}

#[test]
fn of_two_mounts_at_one_place_the_last_one_is_listed() {
    let sources = |host: &SimHost| -> Vec<String> {
        let mounts = host.world().holdings().into_iter().filter(|holding| holding.subject == "Mount");
        let fields = mounts.flat_map(|holding| holding.things).flat_map(|thing| thing.fields);
        fields.filter(|field| field.name == "source").map(|field| field.value).collect()
    };
    let mut host = SimHost::new("host1");
    host.change(|world| world.alter("Mount", "/srv", &act(ADD))).expect("it is a directory");
    host.change(|world| {
        let over = Mounted { source: "other".to_owned(), ..world.subjects.mount[0].clone() };
        world.subjects.mount.push(over);
    });
    assert_eq!(sources(&host), ["other"]);
    host.change(|world| world.alter("Mount", "/srv", &act("unmount"))).expect("it is mounted");
    assert_eq!(sources(&host), ["tmpfs"]);
}

#[test]
fn what_a_program_misses_can_be_added() {
    let mut sim = start(
        r#"
net "eth1" { state => "up", addrs => ["198.51.100.9/24"], }
sysctl "vm.max_map_count" { value => "262144", }
firewalld "web" { zone => "dmz", services => ["https"], }
"#,
    );
    for (subject, thing) in [("Link", "eth1"), ("Sysctl", "vm.max_map_count"), ("Firewall", "dmz")] {
        sim.change(|world| world.alter(subject, thing, &act(ADD))).expect("there is none yet");
    }
    let until = sim.now().plus_ms(20_000);
    sim.advance(until, 100_000);
    let world = sim.host.world();
    let link = world.subjects.link.interfaces.iter().find(|link| link.name == "eth1").expect("it was added");
    let addresses: Vec<String> = link.state.addresses.iter().map(ToString::to_string).collect();
    assert_eq!((link.state.is_up, addresses), (true, vec!["198.51.100.9/24".to_owned()]));
    assert_eq!(world.read("/proc/sys/vm/max_map_count").expect("it was added"), b"262144\n");
    assert!(
        world.subjects.firewall.zones["dmz"].contains(&Rule::Service("https".into())),
        "{:?}",
        world.subjects.firewall.zones
    );
}

#[test]
fn a_zone_that_is_added_stays_after_a_reload_until_it_is_deleted() {
    let mut host = SimHost::new("host1");
    let mut alter = |thing: &str, verb: &str| host.change(|world| world.alter("Firewall", thing, &act(verb)));
    assert_eq!(alter("dmz", ADD), Ok(()));
    assert_eq!(alter("firewalld", "reload"), Ok(()));
    assert_eq!(alter("dmz", "delete"), Ok(()));
    assert_eq!(alter("firewalld", "reload"), Ok(()));
    let mut why = |thing: &str| alter(thing, "delete").expect_err("it cannot be deleted").message;
    assert_eq!(why("dmz"), "zone dmz does not exist");
    assert_eq!(why("public"), "zone public cannot be deleted: it is the default zone");
}

#[test]
fn machines_and_containers_that_are_added_run_until_they_are_deleted() {
    let mut host = SimHost::new("host1");
    for (subject, thing) in [("Container", "web"), ("Virt", "domain db"), ("Virt", "network lan")] {
        assert_eq!(host.change(|world| world.alter(subject, thing, &act(ADD))), Ok(()));
        let all = host.world().holdings();
        let things = all.iter().find(|holding| holding.subject == subject).map(|holding| &holding.things);
        let own = things.into_iter().flatten().find(|other| other.name == thing).expect("it was added");
        let state = own.fields.iter().find(|field| field.name == "state").map(|field| field.value.as_str());
        assert!(matches!(state, Some("running" | "up")), "{thing}: {state:?}");
    }
    for (subject, thing, verbs) in [
        ("Container", "web", ["stop", "start", "stop", "delete"]),
        ("Virt", "domain db", ["power off", "start", "power off", "delete"]),
        ("Virt", "network lan", ["stop", "start", "stop", "delete"]),
    ] {
        for verb in verbs {
            let all = host.world().holdings();
            let own = all.iter().flat_map(|holding| &holding.things).find(|other| other.name == thing);
            let offered = own.expect("it is there").verbs.clone();
            assert!(offered.iter().any(|other| other == verb), "{thing}: {verb} is not among {offered:?}");
            assert_eq!(host.change(|world| world.alter(subject, thing, &act(verb))), Ok(()), "{thing}: {verb}");
        }
        let again = host.change(|world| world.alter(subject, thing, &act("start")));
        assert!(again.is_err(), "{thing} is gone");
    }
}

#[test]
fn what_is_added_against_the_program_is_taken_back() {
    let mut sim = start("user \"bob\" {\n\tstate => \"absent\",\n}\n");
    sim.change(|world| world.alter("Account", "bob", &act(ADD))).expect("there is no such user");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert!(!sim.host.world().users.contains_key("bob"));
    let mut sim = start("docker:container \"web\" {\n\tstate => \"removed\",\n\timage => \"busybox\",\n}\n");
    sim.change(|world| world.alter("Container", "web", &act(ADD))).expect("there is no such container");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert!(!sim.host.world().subjects.container.all.contains_key("web"));
}

#[test]
fn keys_of_consul_and_nspawn_machines_are_changed_by_hand() {
    let things = |sim: &Sim<Brain>, subject: &str| -> Vec<(String, Vec<String>)> {
        let all = sim.host.world().holdings();
        let own = all.into_iter().filter(|holding| holding.subject == subject);
        let things = own.flat_map(|holding| holding.things);
        things.map(|thing| (thing.name, thing.fields.into_iter().map(|field| field.value).collect())).collect()
    };
    let thing = |name: &str, value: &str| (name.to_owned(), vec![value.to_owned()]);
    let wait = |sim: &mut Sim<Brain>| {
        let until = sim.now().plus_ms(5_000);
        sim.advance(until, 100_000);
    };
    let mut sim = start("consul:kv \"a/b\" {\n\tvalue => \"new\",\n}\nnspawn \"db\" {\n\tstate => \"running\",\n}\n");
    let (servers, key) = (thing("servers", "running"), thing("a/b at http://127.0.0.1:8500", "new"));
    assert_eq!(things(&sim, "Consul"), [servers.clone(), key.clone()]);
    for how in [set("value", "other"), act("delete")] {
        sim.change(|world| world.alter("Consul", &key.0, &how)).expect("it is there");
        assert_ne!(things(&sim, "Consul"), [servers.clone(), key.clone()]);
        wait(&mut sim);
        assert_eq!(things(&sim, "Consul"), [servers.clone(), key.clone()], "{how:?}");
    }
    sim.change(|world| world.alter("Consul", "servers", &act("stop"))).expect("they run");
    assert_eq!(things(&sim, "Consul")[0], thing("servers", "stopped"));
    sim.change(|world| world.alter("Consul", "servers", &act("start"))).expect("they are stopped");
    assert!(sim.change(|world| world.alter("Consul", "a/c at http://127.0.0.1:8500", &act("delete"))).is_err());
    // The program has waited for its image.
    assert!(things(&sim, "Guest").is_empty());
    sim.change(|world| world.alter("Guest", "db", &act(ADD))).expect("there is none");
    assert_eq!(things(&sim, "Guest"), [thing("db", "stopped")]);
    wait(&mut sim);
    assert_eq!(things(&sim, "Guest"), [thing("db", "running")]);
    sim.change(|world| world.alter("Guest", "db", &act("stop"))).expect("it runs");
    assert_eq!(things(&sim, "Guest"), [thing("db", "stopped")]);
    wait(&mut sim);
    assert_eq!(things(&sim, "Guest"), [thing("db", "running")]);
    assert!(sim.change(|world| world.alter("Guest", "db", &act("stop again"))).is_err());
}

#[test]
fn what_is_broken_by_hand_is_repaired() {
    let mut sim = start("user \"bob\" {\n\tstate => \"exists\",\n\tshell => \"/bin/zsh\",\n}\n");
    sim.change(|world| world.alter("Account", "bob", &set("shell", "/bin/false"))).expect("bob is there");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert_eq!(sim.host.world().users["bob"].shell, "/bin/zsh");
}

#[test]
fn facts_of_the_machine_are_those_that_were_set() {
    let mut sim = start(
        "import \"sys\"\nimport \"fmt\"\nfile \"/srv/up\" {\n\tstate => \"exists\",\n\tcontent => fmt.printf(\"%d\", sys.uptime()),\n}\n",
    );
    sim.change(|world| world.alter("Time", "uptime", &set("at the start (seconds)", "86400"))).expect("it can be set");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    let text = String::from_utf8_lossy(sim.host.world().read("/srv/up").expect("it is there")).into_owned();
    assert!(text.parse::<i64>().is_ok_and(|seconds| seconds > 86_400), "{text}");
    sim.change(|world| world.alter("Machine", "firmware updates", &set("states", "1 2"))).expect("it can be set");
    assert_eq!(sim.host.world().subjects.machine.firmware_updates, [1, 2]);
    assert!(sim.change(|world| world.alter("Time", "uptime", &set("at the start (seconds)", "-1"))).is_err());
}

#[test]
fn a_time_zone_counts_from_the_next_deploy() {
    const OFFSET: &str = "UTC offset (from the next deploy)";
    let program =
        "import \"datetime\"\nfile \"/srv/then\" {\n\tstate => \"exists\",\n\tcontent => datetime.print(86400),\n}\n";
    let then = |sim: &Sim<Brain>| {
        String::from_utf8_lossy(sim.host.world().read("/srv/then").expect("it is there")).into_owned()
    };
    let mut sim = start(program);
    assert_eq!(then(&sim), "1970-01-02 00:00:00 +0000 UTC");
    for (number, (given, expect)) in [
        ("+05:30", "1970-01-02 05:30:00 +0530 +0530"),
        ("-03:00", "1970-01-01 21:00:00 -0300 -03"),
        (" +00:00 ", "1970-01-02 00:00:00 +0000 UTC"),
    ]
    .into_iter()
    .enumerate()
    {
        let before = then(&sim);
        sim.change(|world| world.alter("Time", "time zone", &set(OFFSET, given))).expect("it can be set");
        let until = sim.now().plus_ms(5_000);
        sim.advance(until, 100_000);
        assert_eq!(then(&sim), before, "a program reads it once");
        deploy(&mut sim, &format!("{program}# {number}\n"));
        assert_eq!(then(&sim), expect);
    }
    for wrong in ["", "2", "02:00", "+2", "+15:00", "+01:60", "+-1:00", "+1:+5", "+99999999:00", "Europe/Berlin"] {
        let error = sim.change(|world| world.alter("Time", "time zone", &set(OFFSET, wrong)));
        let why = format!("`{wrong}` is not an offset from UTC, such as +02:00");
        assert_eq!(error.expect_err("it is none").to_string(), why);
    }
}

#[test]
fn addresses_of_an_interface_are_set_with_their_routes() {
    let mut host = SimHost::new("host1");
    let mut alter = |value: &str| host.change(|world| world.alter("Link", "eth0", &set("addresses", value)));
    let why = |value: &str| format!("`{value}` is not an address with a prefix length, such as 192.0.2.10/24");
    for wrong in ["192.0.2.300/24", "192.0.2.1", "192.0.2.1/33", "::1/129"] {
        assert_eq!(alter(wrong).expect_err("it is none").to_string(), why(wrong));
    }
    assert_eq!(alter("198.51.100.7/24 2001:db8::7/64"), Ok(()));
    let state = &host.world().subjects.link.interfaces[1].state;
    let addresses: Vec<String> = state.addresses.iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["198.51.100.7/24", "2001:db8::7/64"]);
    assert!(state.routes.iter().any(|route| route.to.to_string() == "198.51.100.0/24"), "{:?}", state.routes);
    assert!(state.routes.iter().all(|route| route.to.to_string() != "192.0.2.0/24"), "{:?}", state.routes);
}

#[test]
fn a_full_disk_takes_nothing_until_it_is_freed() {
    let mut sim = start(
        "file \"/srv/kept\" {\n\tstate => \"exists\",\n\tcontent => \"as it was\\n\",\n\tMeta:retry => -1,\n\tMeta:delay => 500,\n}\n",
    );
    sim.change(|world| world.alter("File", "/", &act("fill up"))).expect("it can be filled");
    sim.change(|world| world.remove("/srv/kept")).expect("it is there");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert!(sim.host.world().read("/srv/kept").is_err());
    sim.change(|world| world.alter("File", "/", &act("free space"))).expect("it can be freed");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert_eq!(sim.host.world().read("/srv/kept").expect("it is back"), b"as it was\n");
    let done = sim.change(|world| world.alter("File", "/srv/kept", &set("owner", "alice:root")));
    assert_eq!(done, Ok(()));
    assert!(sim.change(|world| world.alter("File", "/srv/kept", &set("mode", "9"))).is_err());
}
