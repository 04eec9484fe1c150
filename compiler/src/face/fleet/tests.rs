//! Going back in time, recordings, and hosts that share data.

use super::{Fleet, Ran};
use crate::language::Mcl;
use crate::protocol::Moment;
use mclive_base::shapes::host::{Alteration, FleetAction, Goal, HostAction, HostHealth, Snapshot};
use mclive_base::vocab::Datum;

pub(super) const MANY: usize = 1_000_000;

/// A program whose clock causes an event every second.
pub(super) const CLOCK: &str = r#"
import "datetime"
import "fmt"
$now = datetime.now()
file "/srv/clock" {
	state => "exists",
	content => fmt.printf("%d\n", $now),
}
file "/srv/kept" {
	state => "exists",
	content => "as it was\n",
}
"#;

const SHARED: &str = r#"
file "/srv/${hostname}" {
	state => "exists",
	content => "hello from ${hostname}\n",
	Meta:export => ["*"],
}
collect file "/srv/web1" {}
"#;

pub(super) fn fleet(program: &str, hosts: &[&str]) -> Fleet {
    let mut fleet = Fleet::new(vec![&Mcl]);
    deploy(&mut fleet, program, hosts);
    fleet
}

pub(super) fn deploy(fleet: &mut Fleet, program: &str, hosts: &[&str]) {
    let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
    fleet.deploy(&hosts, &[], [("/main.mcl", program.as_bytes())], "/main.mcl").expect("it is deployed");
}

pub(super) fn look(fleet: &mut Fleet, host: &str) -> Snapshot {
    fleet.snapshot(host, None).expect("the host is there")
}

pub(super) fn text(fleet: &mut Fleet, host: &str, path: &str) -> Option<String> {
    look(fleet, host).files.into_iter().find(|file| file.path == path).map(|file| file.text)
}

/// The agent of a refused first program ends; the next program gets a new one.
#[test]
fn a_program_after_one_that_was_refused_runs() {
    let mut fleet = fleet("panic(true)\n", &["web1"]);
    fleet.advance(1_000, MANY);
    deploy(&mut fleet, "file \"/srv/a\" {\n\tstate => \"exists\",\n\tcontent => \"a\",\n}\n", &["web1"]);
    fleet.advance(1_000, MANY);
    assert_eq!(text(&mut fleet, "web1", "/srv/a").as_deref(), Some("a"));
}

/// Files in it are gone as well, and none of them is the reason.
#[test]
fn a_directory_is_made_again_because_it_is_gone() {
    let program = "file \"/srv/dir/\" {\n\tstate => \"exists\",\n}\nfile \"/srv/dir/a\" {\n\tstate => \"exists\",\n}\n";
    let mut fleet = fleet(program, &["web1"]);
    fleet.advance(2_000, MANY);
    fleet.act_on("web1", &HostAction::Remove { path: "/srv/dir".into() }).expect("it is there");
    fleet.advance(2_000, MANY);
    let log = look(&mut fleet, "web1").log;
    let repaired: Vec<&str> =
        log.iter().map(|line| line.text.as_str()).filter(|text| text.starts_with("repaired")).collect();
    assert_eq!(repaired, ["repaired after /srv/dir changed"; 2]);
}

#[test]
fn every_moment_is_had_again_exactly() {
    let mut fleet = fleet(CLOCK, &["web1", "web2"]);
    fleet.advance(3_300, MANY);
    fleet.act_on("web1", &HostAction::Remove { path: "/srv/kept".into() }).expect("it is there");
    let mut seen = Vec::new();
    for round in 0..6 {
        fleet.advance(700, MANY);
        if round == 3 {
            deploy(&mut fleet, &CLOCK.replace("as it was", "as it is"), &["web1", "web2"]);
        }
        // Only steps are moments, not time alone.
        let step = fleet.step();
        fleet.seek(step, MANY);
        let mut now = look(&mut fleet, "web1");
        now.now_ms = 0;
        now.clock_s = 0;
        seen.push((step, now, fleet.host("web1").expect("it is there").resource_graph()));
    }
    for (step, then, graph) in seen.iter().rev() {
        assert!(fleet.seek(*step, MANY));
        let mut now = look(&mut fleet, "web1");
        now.now_ms = 0;
        now.clock_s = 0;
        assert_eq!(&now, then, "at step {step}");
        assert_eq!(&fleet.host("web1").expect("it is there").resource_graph(), graph);
    }
    // And ahead again, with all actions.
    let (last, then, _) = seen.last().expect("there are some");
    assert!(fleet.seek(*last, MANY));
    assert_eq!(look(&mut fleet, "web1").files, then.files);
    assert_eq!(text(&mut fleet, "web1", "/srv/kept").as_deref(), Some("as it is\n"));
}

#[test]
fn what_is_done_after_going_back_takes_the_place_of_what_was_done() {
    let mut fleet = fleet(CLOCK, &["web1"]);
    fleet.advance(2_000, MANY);
    let early = fleet.step();
    let first = fleet.position();
    assert_eq!(first.kept, Some(0));
    assert!(first.marks.iter().any(|mark| mark.text.contains("/srv/kept")), "{first:?}");
    fleet.act_on("web1", &HostAction::Write { path: "/srv/mine".into(), text: "first".into() }).expect("it can");
    fleet.advance(5_000, MANY);
    assert!(fleet.position().marks.iter().all(|mark| mark.step > early));
    assert!(fleet.seek(early, MANY));
    assert_eq!(text(&mut fleet, "web1", "/srv/mine"), None);
    // Looking at the past voids nothing, and continuing without a change repeats it.
    let back = fleet.position();
    assert_eq!((back.kept, back.marks.len(), back.step), (None, 0, early));
    fleet.advance(2_000, MANY);
    assert_eq!(text(&mut fleet, "web1", "/srv/mine").as_deref(), Some("first"));
    assert!(fleet.seek(early, MANY));
    fleet.act_on("web1", &HostAction::Write { path: "/srv/mine".into(), text: "second".into() }).expect("it can");
    fleet.advance(9_000, MANY);
    assert_eq!(text(&mut fleet, "web1", "/srv/mine").as_deref(), Some("second"));
    let branched = fleet.position();
    assert_eq!(branched.kept, Some(early));
    assert!(branched.marks.iter().all(|mark| mark.step > early));
}

#[test]
fn time_runs_to_what_was_asked_for() {
    let program = CLOCK.replace("fmt.printf(\"%d\\n\", $now)", "\"x\"");
    let mut fleet = fleet(&program, &["web1"]);
    let hour = Moment::default().plus_ms(3_600_000);
    assert_eq!(fleet.run(Goal::Mark, hour, MANY), Ran::Reached);
    assert!(fleet.now() < Moment::default().plus_ms(1_000));
    assert_eq!(fleet.run(Goal::Converged, hour, 2), Ran::NotYet);
    assert_eq!(fleet.run(Goal::Converged, hour, MANY), Ran::Reached);
    assert_eq!(fleet.cards()[0].health, HostHealth::Converged);
    assert_eq!(fleet.run(Goal::Failure, hour, MANY), Ran::InVain);
    let in_the_way = HostAction::ReplaceByDir { path: "/srv/kept".into() };
    fleet.act_on("web1", &in_the_way).expect("it is there");
    assert_eq!(fleet.run(Goal::Failure, hour, MANY), Ran::Reached);
    assert!(matches!(fleet.cards()[0].health, HostHealth::Failed(1)));
}

#[test]
fn ten_thousand_events_are_bounded_and_the_way_back_stays() {
    let mut fleet = fleet(CLOCK, &["web1"]);
    let start = fleet.step();
    while fleet.step() < 10_000 {
        fleet.advance(60_000, 1_000);
    }
    let marks = fleet.position().marks.len();
    assert!(marks > 1_000 && marks <= 10_000, "{marks}");
    assert!(look(&mut fleet, "web1").log.len() <= 200);
    assert!(fleet.seek(9_000, MANY) && fleet.step() == 9_000);
    assert!(fleet.seek(start, MANY) && fleet.step() == start);
    // There are no snapshots so close to each other.
    assert!(!fleet.seek(start + 20, 3), "it is bounded");
}

#[test]
fn hosts_share_what_they_export_and_hear_it_late_when_they_were_paused() {
    let mut fleet = fleet(SHARED, &["web1", "web2", "web3"]);
    fleet.arrange(&FleetAction::Pause { host: "web3".into() }).expect("it is there");
    fleet.advance(10_000, MANY);
    for host in ["web1", "web2"] {
        assert_eq!(text(&mut fleet, host, "/srv/web1").as_deref(), Some("hello from web1\n"), "{host}");
    }
    assert_eq!(text(&mut fleet, "web3", "/srv/web1"), None);
    assert_eq!(fleet.cards()[2].health, HostHealth::Paused);
    fleet.arrange(&FleetAction::Resume { host: "web3".into() }).expect("it is there");
    fleet.arrange(&FleetAction::Add { host: "web4".into() }).expect("there is room");
    fleet.advance(10_000, MANY);
    for host in ["web3", "web4"] {
        assert_eq!(text(&mut fleet, host, "/srv/web1").as_deref(), Some("hello from web1\n"), "{host}");
    }
    let again = fleet.arrange(&FleetAction::Add { host: "web4".into() });
    assert_eq!(again, Err("host web4 already exists".to_owned()));
    fleet.arrange(&FleetAction::Remove { host: "web2".into() }).expect("it is there");
    assert_eq!(fleet.cards().len(), 3);
}

#[test]
fn a_secret_is_exported_to_the_hosts_that_are_named_and_nobody_else_reads_it() {
    let program = r#"
if $hostname == "web1" {
	password "pw" {
		length => 16,
	}
	file "/srv/key" {
		state => "exists",
		Meta:export => ["web2"],
	}
	Password["pw"].password -> File["/srv/key"].content
} else {
	collect file "/srv/key" {}
}
"#;
    let mut fleet = fleet(program, &["web1", "web2", "web3"]);
    fleet.advance(10_000, MANY);
    let secret = text(&mut fleet, "web1", "/srv/key").expect("it has the password");
    assert_eq!(secret.len(), 16);
    for (host, expect) in [("web2", Some(&secret)), ("web3", None)] {
        let Snapshot { files, holdings, log, .. } = look(&mut fleet, host);
        let found = files.into_iter().find(|file| file.path == "/srv/key").map(|file| file.text);
        assert_eq!(found.as_ref(), expect, "{host}");
        let stored = format!("{holdings:?}");
        assert!(stored.contains("exported/web2/web1/file//srv/key") && stored.contains("sealed"), "{stored}");
        let told = format!("{stored} {log:?}");
        assert!(!told.contains(&secret), "{told}");
    }
    // Someone moves it to another host.
    let (from, to) = ("exported/web2/web1/file//srv/key", "exported/web3/web1/file//srv/key");
    let world = fleet.host("web3").and_then(super::Simulation::world).expect("a simulated host");
    let moved = world.shared_keys().find(|(key, _)| *key == from).map(|(_, value)| value.clone());
    let Some(Datum::Bytes(moved)) = moved else { panic!("it is not there") };
    let moved = String::from_utf8(moved).expect("JSON is text");
    let set = Alteration::Set { field: "value".into(), value: moved };
    let write = HostAction::Alter { subject: "Store".into(), thing: to.into(), how: set };
    fleet.act_on("web3", &write).expect("anyone can write to the store");
    fleet.advance(10_000, MANY);
    assert_eq!(text(&mut fleet, "web3", "/srv/key"), None);
}

#[test]
fn a_host_that_is_disconnected_goes_on_and_exchanges_everything_once() {
    let program = r#"
import "golang"
import "os"
import "world"
kv "map" { value => os.readfile("/etc/motd"), mapped => true, }
schedule "one" { ttl => 20, }
file "/srv/map" { state => "exists", content => golang.template("{{ range $k, $v := . }}{{ $k }}={{ $v }} {{ end }}", world.kvlookup("map")), }
file "/srv/one" { state => "exists", content => golang.template("{{ range . }}{{ . }} {{ end }}", world.schedule("one")), }
"#;
    let mut fleet = Fleet::new(vec![&Mcl]);
    let hosts = ["web1".to_owned(), "web2".to_owned()];
    let motd = |text: &str| HostAction::Write { path: "/etc/motd".into(), text: text.into() };
    let files = [("/main.mcl", program.as_bytes())];
    fleet.deploy(&hosts, &[motd("first")], files, "/main.mcl").expect("it is deployed");
    fleet.advance(5_000, MANY);
    let both = Some("web1=first web2=first ".to_owned());
    assert_eq!(
        (text(&mut fleet, "web1", "/srv/map"), text(&mut fleet, "web2", "/srv/map")),
        (both.clone(), both.clone())
    );
    assert_eq!(text(&mut fleet, "web2", "/srv/one").as_deref(), Some("web1 "));

    fleet.arrange(&FleetAction::Disconnect { host: "web1".into() }).expect("it is there");
    assert!(fleet.cards()[0].is_disconnected && !fleet.cards()[1].is_disconnected);
    for host in ["web1", "web2"] {
        fleet.act_on(host, &motd("second")).expect("it is a file");
    }
    fleet.act_on("web1", &HostAction::Remove { path: "/srv/map".into() }).expect("it is there");
    let other = program.replace("/srv/map", "/srv/values");
    deploy(&mut fleet, &other, &["web1", "web2"]);
    fleet.advance(10_000, MANY);
    assert_eq!(text(&mut fleet, "web1", "/srv/map"), both, "its program and its values hold");
    assert_eq!(text(&mut fleet, "web1", "/srv/one").as_deref(), Some("web1 "));
    assert_eq!(text(&mut fleet, "web2", "/srv/values").as_deref(), Some("web1=first web2=second "));
    fleet.advance(9_500, MANY);
    assert_eq!(text(&mut fleet, "web1", "/srv/one").as_deref(), Some(""), "its vote may end");
    assert_eq!(text(&mut fleet, "web2", "/srv/one").as_deref(), Some("web1 "));
    fleet.advance(10_000, MANY);
    assert_eq!(text(&mut fleet, "web2", "/srv/one").as_deref(), Some("web2 "));
    assert!(fleet.cards().iter().all(|card| card.health == HostHealth::Converged), "{:?}", fleet.cards());
    let away = (fleet.step(), look(&mut fleet, "web1").resources);

    fleet.arrange(&FleetAction::Reconnect { host: "web1".into() }).expect("it is there");
    assert!(!fleet.cards()[0].is_disconnected);
    fleet.advance(10_000, MANY);
    for host in ["web1", "web2"] {
        assert_eq!(text(&mut fleet, host, "/srv/values").as_deref(), Some("web1=second web2=second "), "{host}");
        assert_eq!(text(&mut fleet, host, "/srv/one").as_deref(), Some("web2 "), "{host}");
    }
    // Nothing is written or read any more.
    let quiet = fleet.step();
    fleet.advance(3_600_000, MANY);
    assert_eq!(fleet.step(), quiet);
    assert!(fleet.seek(away.0, MANY));
    assert!(fleet.cards()[0].is_disconnected);
    assert_eq!(look(&mut fleet, "web1").resources, away.1);
    let missing = fleet.arrange(&FleetAction::Disconnect { host: "web9".into() });
    assert_eq!(missing, Err("cannot find host web9".to_owned()));
}

/// Neither of them wins: both slow down, and say so.
#[test]
fn hosts_that_write_one_value_against_each_other_are_slowed() {
    let hosts = ["web1", "web2", "web3"];
    let mut fleet = fleet("kv \"last\" { value => $hostname, }\n", &hosts);
    fleet.advance(5_000, MANY);
    for host in hosts {
        let log = look(&mut fleet, host).log;
        let tells = |text: &str| text.contains("something outside this program keeps changing it");
        assert_eq!(log.iter().filter(|line| tells(&line.text)).count(), 1, "{host}: {log:?}");
    }
    fleet.advance(55_000, MANY);
    let begun = fleet.step();
    fleet.advance(60_000, MANY);
    // At the pace of the beginning there would be tens of thousands.
    let n_steps = fleet.step() - begun;
    assert!((20..2_000).contains(&n_steps), "{n_steps}");
}

#[test]
fn a_fleet_has_a_bound() {
    let hosts: Vec<String> = (0..super::MAX_HOSTS).map(|n| format!("web{n}")).collect();
    let mut fleet = Fleet::new(vec![&Mcl]);
    let program = CLOCK.replace("fmt.printf(\"%d\\n\", $now)", "$hostname");
    fleet.deploy(&hosts, &[], [("/main.mcl", program.as_bytes())], "/main.mcl").expect("that many are fine");
    let more = fleet.arrange(&FleetAction::Add { host: "more".into() });
    assert_eq!(more, Err("at most 20 hosts are supported".to_owned()));
    fleet.advance(5_000, MANY);
    assert!(fleet.cards().iter().all(|card| card.health == HostHealth::Converged && card.n_good == 2));
    assert_eq!(text(&mut fleet, "web7", "/srv/clock").as_deref(), Some("web7"));
}

fn record(fleet: &Fleet, host: &str, max_steps: usize) -> Result<Vec<u8>, String> {
    fleet.record(host, max_steps, || false)
}

/// A recording replays to what the page showed, from any moment, and its recording is itself.
#[test]
fn the_run_of_a_host_is_recorded_after_the_fact() {
    let mut fleet = fleet(CLOCK, &["web1", "web2"]);
    fleet.advance(3_000, MANY);
    fleet.act_on("web1", &HostAction::Remove { path: "/srv/kept".into() }).expect("it is there");
    fleet.advance(2_000, MANY);
    let shown = look(&mut fleet, "web1");
    let trace = record(&fleet, "web1", MANY).expect("it is short");
    assert_eq!(trace, record(&fleet, "web1", MANY).expect("again"));
    let (mut replay, program) = Fleet::replay(vec![&Mcl], "other", &trace).expect("a recording");
    assert_eq!(program, [("main.mcl".to_owned(), CLOCK.as_bytes().to_vec())]);
    replay.advance(60_000, MANY);
    let replayed = look(&mut replay, "other");
    assert_eq!((replayed.hostname.as_str(), &replayed.values), ("web1", &shown.values));
    let texts = |snapshot: &Snapshot| snapshot.log.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    let told: Vec<String> = texts(&shown).into_iter().filter(|text| text.contains("/srv/kept")).collect();
    assert!(texts(&replayed).iter().any(|text| told.contains(text)), "{told:?}");
    assert_eq!(record(&replay, "other", MANY), Ok(trace));
    // A program after it is another run; what runs at the end is what is edited.
    deploy(&mut fleet, SHARED, &["web1", "web2"]);
    fleet.advance(1_000, MANY);
    let (_, program) =
        Fleet::replay(vec![&Mcl], "x", &record(&fleet, "web1", MANY).expect("short")).expect("a recording");
    assert_eq!(program[0].1, SHARED.as_bytes());
    deploy(&mut replay, SHARED, &["other"]);
    replay.advance(1_000, MANY);
    let (_, program) =
        Fleet::replay(vec![&Mcl], "x", &record(&replay, "other", MANY).expect("short")).expect("a recording");
    assert_eq!(program[0].1, SHARED.as_bytes());
    assert!(record(&fleet, "web1", 2).unwrap_err().contains("too long"));
    assert!(record(&fleet, "web9", MANY).unwrap_err().contains("no host"));
}

#[test]
fn a_recording_ends_when_its_time_is_over() {
    let mut fleet = fleet(CLOCK, &["web1"]);
    while fleet.step() <= 1_000 {
        fleet.advance(10_000, MANY);
    }
    assert!(fleet.record("web1", MANY, || true).unwrap_err().contains("too long"));
    assert!(fleet.record("web1", MANY, || false).is_ok());
}
