//! Going to a moment repeats little, and shows the same as repeating everything.

use super::snapshots::{Bounds, Snapshots};
use super::tests::{MANY, deploy};
use super::{Fleet, Ran};
use crate::engine_language::Language;
use crate::language::{ALL, Mcl, TESTABLE};
use crate::protocol::Moment;
use mclive_base::archive::Archive;
use mclive_base::shapes::ResourceGraph;
use mclive_base::shapes::host::{ADD, Alteration, FleetAction, Goal, HostAction, HostCard, LogLine, Snapshot};
use mclive_scenario::{Program, read, rehearse};
use proptest::prelude::*;
use std::path::Path;

/// Copies of almost every moment.
const DENSE: Bounds = Bounds { n_kept: 1_000, weight: 1 << 30, gap: 3, copied: 1 << 30 };
/// So few that the run outgrows them.
const SCARCE: Bounds = Bounds { n_kept: 5, weight: 1 << 30, gap: 2, copied: 1 << 30 };

fn fleet(bounds: Bounds) -> Fleet {
    Fleet { snapshots: Snapshots::within(bounds), ..Fleet::new(vec![&Mcl]) }
}

/// Everything that a page can show of a moment.
#[derive(PartialEq, Debug)]
struct Seen {
    step: u64,
    now: Moment,
    cards: Vec<HostCard>,
    hosts: Vec<(Snapshot, ResourceGraph, String)>,
    news: Vec<Vec<LogLine>>,
    has_run: bool,
}

fn look(fleet: &mut Fleet) -> Seen {
    let cards = fleet.cards();
    let step = fleet.step();
    let host = |fleet: &mut Fleet, name: &str, after| fleet.snapshot(name, after).expect("the host is there");
    let mut seen = Seen { step, now: fleet.now(), hosts: Vec::new(), news: Vec::new(), has_run: false, cards };
    for HostCard { host: name, .. } in &seen.cards {
        let snapshot = host(fleet, name, None);
        seen.news.push(host(fleet, name, Some(step.saturating_sub(10))).log);
        let simulation = fleet.host(name).expect("the host is there");
        seen.hosts.push((snapshot, simulation.resource_graph(), simulation.resources_dot()));
    }
    seen.has_run = fleet.present.program.is_some();
    seen
}

/// The same moment with the snapshots, and repeated from the beginning.
fn same_either_way(kept: &mut Fleet, plain: &mut Fleet, step: u64) -> Result<(), TestCaseError> {
    plain.snapshots.clear();
    for fleet in [&mut *kept, &mut *plain] {
        prop_assert!(fleet.seek(0, MANY) && fleet.step() == 0);
    }
    prop_assert_eq!(kept.seek(step, MANY), plain.seek(step, MANY));
    prop_assert_eq!(look(kept), look(plain), "at step {}", step);
    Ok(())
}

const PROGRAMS: [&str; 5] = [
    // Time, states of functions, and a template.
    r#"
import "datetime"
import "fmt"
import "golang"
import "golang/math/rand"
import "math"
$now = datetime.now()
$was = history($now, 2500)
file "/srv/clock" { state => "exists", content => fmt.printf("%d %d %d\n", $now, $was, rand.intn(1000)), }
file "/srv/page" { state => "exists", content => golang.template("{{ range $i := 3 }}{{ . }}{{ end }}", $now), }
if math.mod($now, 3) == 0 {
	file "/srv/third" { state => "exists", content => random1(8), }
}
file "/srv/kept" { state => "exists", content => "as it was\n", }
"#,
    // Commands that take time, notifications, retries, and content of another host.
    r#"
exec "slow" { cmd => "sleep 2; echo done > /srv/slow", shell => "/bin/sh", creates => "/srv/slow", }
exec "loop" { cmd => "for i in 1 2 3 4; do sleep 1; echo $i >> /srv/steps; done", shell => "/bin/sh", ifcmd => "test ! -e /srv/steps", ifshell => "/bin/sh", }
exec "fails" { cmd => "false", shell => "/bin/sh", Meta:retry => 3, Meta:delay => 700, }
file "/srv/kept" { state => "exists", content => "x", Notify => Svc["web"], }
svc "web" { state => "running", }
pkg "cowsay" { state => "installed", }
timer "often" { interval => 3, Notify => Svc["web"], }
http:client "/srv/motd" { url => "https://example.com/motd", Meta:poll => 2, Meta:retry => -1, Meta:delay => 900, }
"#,
    // Values and resources that hosts share, and an election.
    r#"
import "sys"
import "world"
file "/srv/${hostname}" { state => "exists", content => "hello from ${hostname}\n", Meta:export => ["*"], }
collect file "/srv/web1" {}
collect file "/srv/web2" {}
kv "last" { key => "last", value => $hostname, }
file "/srv/last" { state => "exists", content => world.getval("last")->value + "\n", }
$chosen = world.schedule("role")
if $hostname in $chosen {
	file "/srv/chosen" { state => "exists", content => "yes", }
}
schedule "role" {}
"#,
    // Many alike.
    r#"
import "datetime"
import "fmt"
import "iter"
import "math"
$all = iter.map(iter.range(40), func($i int) { fmt.printf("/srv/n%d", $i) })
for $i, $path in $all {
	file "${path}" { state => "exists", content => fmt.printf("%d\n", $i), }
}
file "/srv/sum" { state => "exists", content => fmt.printf("%d\n", len($all) + math.mod(datetime.now(), 2)), }
file "/srv/kept" { state => "exists", content => "x", Meta:reverse => true, }
"#,
    // A failure that comes and goes.
    r#"
import "datetime"
import "math"
$now = datetime.now()
if math.mod($now, 4) == 1 {
	panic(math.mod($now, 8) == 5)
}
file "/srv/sub/below" { state => "exists", content => "x", }
file "/srv/kept" { state => "exists", content => "x", }
"#,
];

#[derive(Clone, Debug)]
enum Doing {
    Wait(u64),
    Deploy(usize, usize),
    Act(usize, usize),
    Pause(usize),
    Resume(usize),
    Disconnect(usize),
    Reconnect(usize),
    Add(usize),
    Remove(usize),
    /// To a moment of the run so far, in thousandths of it.
    Seek(u64),
    /// An own action, by its number, by so many milliseconds.
    Shift(usize, i64),
    /// An own action, by its number.
    TakeBack(usize),
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        5 => (1u64..6_000).prop_map(Doing::Wait),
        2 => (0..PROGRAMS.len(), 1usize..4).prop_map(|(program, n)| Doing::Deploy(program, n)),
        4 => (0usize..4, 0usize..13).prop_map(|(host, action)| Doing::Act(host, action)),
        1 => (0usize..4).prop_map(Doing::Pause),
        1 => (0usize..4).prop_map(Doing::Resume),
        1 => (0usize..4).prop_map(Doing::Disconnect),
        1 => (0usize..4).prop_map(Doing::Reconnect),
        1 => (0usize..4).prop_map(Doing::Add),
        1 => (0usize..4).prop_map(Doing::Remove),
        3 => (0u64..=1_000).prop_map(Doing::Seek),
        2 => (0usize..8, -4_000i64..4_000).prop_map(|(action, by_ms)| Doing::Shift(action, by_ms)),
        1 => (0usize..8).prop_map(Doing::TakeBack),
    ]
}

fn host(number: usize) -> String {
    format!("web{}", number + 1)
}

fn by_hand(number: usize) -> HostAction {
    let path = || "/srv/kept".to_owned();
    match number {
        0 => HostAction::Remove { path: path() },
        1 => HostAction::Write { path: path(), text: "other\n".into() },
        2 => HostAction::ReplaceByDir { path: path() },
        3 => HostAction::SetMode { path: path(), mode: 0o600 },
        4 => HostAction::Load { percent: 250 },
        5 => HostAction::MakeDir { path: "/srv/sub".into() },
        6 => set("Store", CONNECTION, "latency (ms)", "1500"),
        7 => act("Store", CONNECTION, "compact"),
        8 => set("Store", "strings/last", "value", "by hand"),
        9 => set("Command", "false", "exit status", "0"),
        10 => set("Command", "sleep 2; echo done > /srv/slow", "duration (ms)", "700"),
        11 => act("Request", MOTD, ADD),
        _ => set("Request", MOTD, "content", "welcome\n"),
    }
}

const CONNECTION: &str = "connection to the shared store";
const MOTD: &str = "https://example.com/motd";

fn set(subject: &str, thing: &str, field: &str, value: &str) -> HostAction {
    alter(subject, thing, Alteration::Set { field: field.to_owned(), value: value.to_owned() })
}

fn act(subject: &str, thing: &str, verb: &str) -> HostAction {
    alter(subject, thing, Alteration::Do { verb: verb.to_owned() })
}

fn alter(subject: &str, thing: &str, how: Alteration) -> HostAction {
    HostAction::Alter { subject: subject.to_owned(), thing: thing.to_owned(), how }
}

/// Does it, and returns what came of it.
fn perform(fleet: &mut Fleet, doing: &Doing) -> String {
    match doing {
        Doing::Wait(ms) => {
            fleet.advance(*ms, MANY);
            String::new()
        }
        Doing::Deploy(program, n_hosts) => {
            let hosts: Vec<String> = (0..*n_hosts).map(host).collect();
            deploy(fleet, PROGRAMS[*program], &hosts.iter().map(String::as_str).collect::<Vec<_>>());
            String::new()
        }
        Doing::Act(number, action) => format!("{:?}", fleet.act_on(&host(*number), &by_hand(*action))),
        Doing::Pause(number) => format!("{:?}", fleet.arrange(&FleetAction::Pause { host: host(*number) })),
        Doing::Resume(number) => format!("{:?}", fleet.arrange(&FleetAction::Resume { host: host(*number) })),
        Doing::Disconnect(number) => {
            format!("{:?}", fleet.arrange(&FleetAction::Disconnect { host: host(*number) }))
        }
        Doing::Reconnect(number) => format!("{:?}", fleet.arrange(&FleetAction::Reconnect { host: host(*number) })),
        Doing::Add(number) => format!("{:?}", fleet.arrange(&FleetAction::Add { host: host(*number) })),
        Doing::Remove(number) => format!("{:?}", fleet.arrange(&FleetAction::Remove { host: host(*number) })),
        Doing::Seek(thousandths) => {
            let end = fleet.position().end.max(fleet.step());
            format!("{}", fleet.seek(end * thousandths / 1_000, MANY))
        }
        Doing::Shift(number, by_ms) => match own(fleet, *number) {
            Some(step) => format!("{:?} {}", fleet.shift(step + 1, *by_ms), fleet.repeat(MANY)),
            None => String::new(),
        },
        Doing::TakeBack(number) => match own(fleet, *number) {
            Some(step) => format!("{:?} {}", fleet.take_back(step + 1), fleet.repeat(MANY)),
            None => String::new(),
        },
    }
}

/// The step of an action that can be moved, by its number.
fn own(fleet: &Fleet, number: usize) -> Option<u64> {
    (0..=fleet.step()).filter(|step| fleet.history.movable(*step).is_some()).nth(number)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 200, ..ProptestConfig::default() })]

    /// With many snapshots, with few, and with none.
    #[test]
    fn a_moment_is_the_same_from_a_snapshot_and_from_the_beginning(
        doings in proptest::collection::vec(doing(), 1..16),
        moments in proptest::collection::vec(0u64..=1_000, 1..6),
        is_scarce in any::<bool>(),
    ) {
        let mut kept = fleet(if is_scarce { SCARCE } else { DENSE });
        let mut plain = fleet(DENSE);
        deploy(&mut kept, PROGRAMS[0], &["web1"]);
        deploy(&mut plain, PROGRAMS[0], &["web1"]);
        for doing in &doings {
            plain.snapshots.clear();
            prop_assert_eq!(perform(&mut kept, doing), perform(&mut plain, doing), "{:?}", doing);
            prop_assert_eq!(look(&mut kept), look(&mut plain), "after {:?}", doing);
            prop_assert_eq!(kept.position().end, plain.position().end, "after {:?}", doing);
        }
        let end = kept.position().end.max(kept.step());
        for thousandths in moments {
            same_either_way(&mut kept, &mut plain, end * thousandths / 1_000)?;
        }
        // And from there on.
        for fleet in [&mut kept, &mut plain] {
            fleet.advance(5_000, MANY);
        }
        prop_assert_eq!(look(&mut kept), look(&mut plain));
    }
}

/// The scenarios cover each kind and each event, and the models as well.
#[test]
fn every_scenario_goes_on_from_snapshots_as_from_the_beginning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
    let mut n_played = 0;
    for case in mclive_cases::below(&folder, "txtar") {
        let archive = Archive::parse(&case.bytes());
        let (scenarios, files): (Vec<_>, Vec<_>) =
            archive.files.into_iter().partition(|(name, _)| name.ends_with(".scenario"));
        let files: Vec<(String, Vec<u8>)> =
            files.into_iter().map(|(name, content)| (format!("/{name}"), content)).collect();
        let (_, text) = &scenarios[0];
        let scenario = read(std::str::from_utf8(text).expect("UTF-8")).expect("it can be read");
        if !scenario.real.is_empty() {
            continue;
        }
        let (_, cues) = rehearse("one", &Program { files: files.clone(), languages: &TESTABLE }, &scenario);
        let staged = || {
            let files = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
            let languages = ALL.iter().map(|language| *language as &'static dyn Language).collect();
            let mut fleet = Fleet::stage(languages, files, cues.clone());
            fleet.snapshots = Snapshots::within(Bounds { n_kept: 40, ..DENSE });
            assert_eq!(fleet.run(Goal::Staged, Moment(u64::MAX), MANY), Ran::Reached);
            fleet
        };
        let (mut kept, mut plain) = (staged(), staged());
        let end = kept.step();
        // Some of them take days.
        let far = end.min(2_000);
        for moment in [far / 2, far / 3, far] {
            same_either_way(&mut kept, &mut plain, moment).unwrap_or_else(|why| panic!("{}: {why}", case.name));
        }
        for fleet in [&mut kept, &mut plain] {
            assert!(fleet.seek(end, MANY));
        }
        assert_eq!(look(&mut kept), look(&mut plain), "{}", case.name);
        n_played += 1;
    }
    assert!(n_played > 100, "{n_played}");
}

/// A program whose clock causes events every second, for some hours.
fn long(n_steps: u64) -> Fleet {
    let mut fleet = Fleet::new(vec![&Mcl]);
    deploy(&mut fleet, PROGRAMS[0], &["web1"]);
    while fleet.step() < n_steps {
        fleet.advance(60_000, 1_000);
    }
    fleet
}

#[test]
fn a_seek_repeats_a_small_part_of_a_run_of_ten_thousand_events() {
    let mut fleet = long(10_000);
    let end = fleet.step();
    let most = end / 40;
    let mut to = 1;
    for _ in 0..100 {
        // All over the run, back and ahead.
        to = (to * 7_919 + 13) % end;
        let before = fleet.n_performed();
        assert!(fleet.seek(to, MANY) && fleet.step() == to);
        let n_repeated = fleet.n_performed() - before;
        assert!(n_repeated <= most, "{n_repeated} steps to get to {to} of {end}");
    }
}

/// An action at another moment repeats what comes after the earlier of both.
#[test]
fn a_shifted_action_repeats_only_what_may_be_different() {
    let mut fleet = long(5_000);
    fleet.act_on("web1", &by_hand(0)).expect("it is there");
    let mark = fleet.step();
    fleet.advance(20_000, MANY);
    let end = fleet.position().end;
    let before = fleet.n_performed();
    fleet.shift(mark, -10_000).expect("it is the user's own");
    assert!(fleet.repeat(MANY));
    let n_performed = fleet.n_performed() - before;
    assert!(n_performed < 1_000, "{n_performed} steps");
    assert!(fleet.step() < mark && fleet.step() + 300 > mark);
    // What the page has of the time before stays.
    let position = fleet.position();
    let kept = position.kept.expect("the rest is void");
    assert!(kept > 4_000 && kept < mark, "{kept}");
    assert!(position.marks.iter().all(|mark| mark.step > kept), "{position:?}");
    assert!(position.marks.iter().any(|mark| mark.text.contains("removed /srv/kept")));
    assert!(position.end.abs_diff(end) < 100);
}

/// However long it runs.
#[test]
fn the_snapshots_and_the_hosts_have_a_bound() {
    let mut fleet = long(2_000);
    let (n_early, _) = fleet.n_snapshots();
    let mut heaviest = [0, 0];
    while fleet.step() < 60_000 {
        fleet.advance(60_000, 1_000);
        let (n_kept, weight) = fleet.n_snapshots();
        assert!(n_kept <= 128 && weight <= 64 << 20, "{n_kept} of {weight} bytes");
        let half = usize::from(fleet.step() >= 30_000);
        heaviest[half] = heaviest[half].max(fleet.host("web1").expect("it is there").weight());
    }
    let [early, late] = heaviest;
    assert!(early > 0 && late <= early + early / 10, "the host grew from {early} to {late} bytes");
    assert!(fleet.n_snapshots().0 > n_early && n_early > 10, "{n_early}");
    // None is needed where there is no way back.
    let mut recorded = Fleet::new(vec![&Mcl]);
    recorded.present.recorded = Some("web1".into());
    deploy(&mut recorded, PROGRAMS[0], &["web1"]);
    recorded.advance(600_000, MANY);
    assert_eq!(recorded.n_snapshots(), (0, 0));
}
