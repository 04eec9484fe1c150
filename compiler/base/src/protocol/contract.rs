//! What both bodies owe the brain, as a suite that each of them runs: when a fact changes, in which order an answer
//! is, what a watch matches.
//!
//! A body is spoken to as the brain does it. That something is *not* told is asked by way of a barrier: a later change
//! is made that must be told, and by then nothing else was.

use super::{Input, Output, ResourceId, Ticket};
use crate::vocab::unit::{self, Active, Enabled, Job, Load, Unit};
use crate::vocab::{Content, Datum, FactSpec, Finding, HostError, HostErrorKind, KeyStore, Outcome};
use crate::vocab::{Probe, Step, Watch, file, state, store};

/// A simulated or a real host.
pub trait Body {
    fn take(&mut self, output: Output);

    /// The next input, or none within a time in which every change is told.
    fn next(&mut self) -> Option<Input>;
}

/// Runs the whole suite. `dir` is an empty directory of the body, without a slash at the end; `hostname` its name.
pub fn run(body: &mut dyn Body, dir: &str, hostname: &str) {
    let mut talk = Talk { body, dir: dir.to_owned(), n_tickets: 0, heard: Vec::new(), barriers: None };
    talk.begin();
    answers_come_in_the_order_of_the_questions(&mut talk);
    the_first_step_that_fails_ends_its_list(&mut talk);
    a_watch_of_keys_hears_its_own(&mut talk);
    a_value_is_told_when_it_is_another_one(&mut talk);
    a_map_has_hosts_and_nothing_deeper(&mut talk);
    exports_are_sorted_by_their_keys(&mut talk, hostname);
    a_watch_of_a_path_hears_the_path_and_its_entries(&mut talk);
    a_file_is_told_from_nothing_to_nothing(&mut talk);
    an_edit_changes_what_is_there_now(&mut talk);
}

/// Runs the part on units of systemd, on a host whose manager may be told to do something.
pub fn run_units(body: &mut dyn Body) {
    let mut talk = Talk { body, dir: String::new(), n_tickets: 0, heard: Vec::new(), barriers: None };
    a_unit_is_told_from_nothing_to_nothing(&mut talk);
    what_cannot_start_is_a_failure(&mut talk);
}

struct Talk<'a> {
    body: &'a mut dyn Body,
    dir: String,
    n_tickets: u64,
    /// Inputs that nobody has asked about yet.
    heard: Vec<Input>,
    /// A watch of a key and one of a path, by which silence is known.
    barriers: Option<(Ticket, Ticket)>,
}

impl Talk<'_> {
    fn begin(&mut self) {
        let key = self.watch(vec![world("barrier").into()]);
        let path = self.watch(vec![self.path("barrier")]);
        self.barriers = Some((key, path));
    }

    fn ticket(&mut self) -> Ticket {
        self.n_tickets += 1;
        Ticket(self.n_tickets)
    }

    fn below(&self, name: &str) -> String {
        format!("{}/{name}", self.dir)
    }

    fn path(&self, name: &str) -> Watch {
        file::Watch { path: self.below(name), recursive: false }.into()
    }

    /// The next input of which this says something.
    #[track_caller]
    fn hear<T>(&mut self, what: &str, wanted: impl Fn(&Input) -> Option<T>) -> T {
        loop {
            if let Some(at) = self.heard.iter().position(|input| wanted(input).is_some()) {
                return wanted(&self.heard.remove(at)).expect("it was found");
            }
            match self.body.next() {
                Some(input) => self.heard.push(input),
                None => panic!("nothing is told of {what}; heard so far: {:?}", self.heard),
            }
        }
    }

    #[track_caller]
    fn apply(&mut self, steps: Vec<Step>) -> Vec<Outcome> {
        let ticket = self.ticket();
        self.body.take(Output::Apply(ticket, ResourceId::new("contract", "c"), steps));
        self.hear("the steps", |input| match input {
            Input::Applied(of, outcomes) if *of == ticket => Some(outcomes.clone()),
            _ => None,
        })
    }

    #[track_caller]
    fn probe(&mut self, probes: Vec<Probe>) -> Vec<Finding> {
        let ticket = self.ticket();
        self.body.take(Output::Probe(ticket, ResourceId::new("contract", "c"), probes));
        self.hear("the probes", |input| match input {
            Input::Probed(of, findings) if *of == ticket => Some(findings.clone()),
            _ => None,
        })
    }

    #[track_caller]
    fn watch(&mut self, watches: Vec<Watch>) -> Ticket {
        let ticket = self.ticket();
        self.body.take(Output::Watch(ticket, watches));
        self.hear("the watch", |input| (*input == Input::Fired(ticket, None)).then_some(()));
        ticket
    }

    #[track_caller]
    fn fires(&mut self, ticket: Ticket) {
        self.hear("a change", |input| matches!(input, Input::Fired(of, Some(_)) if *of == ticket).then_some(()));
        // Several events may tell of one change.
        self.quiet();
        self.heard.retain(|input| !matches!(input, Input::Fired(of, _) if *of == ticket));
    }

    /// Lets everything be told that happened so far.
    #[track_caller]
    fn quiet(&mut self) {
        let Some((key, path)) = self.barriers else { return };
        let n = self.n_tickets as i64;
        let steps = vec![set(KeyStore::World, "barrier", Some(Datum::Int(n))), self.write("barrier", &n.to_string())];
        assert_eq!(self.apply(steps), [Outcome::Done, Outcome::Done]);
        for ticket in [key, path] {
            self.hear("the barrier", |input| matches!(input, Input::Fired(of, Some(_)) if *of == ticket).then_some(()));
        }
        self.heard.retain(|input| !matches!(input, Input::Fired(of, _) if *of == key || *of == path));
    }

    #[track_caller]
    fn is_silent(&mut self, ticket: Ticket) {
        self.quiet();
        let told =
            self.heard.iter().find(|input| matches!(input, Input::Fired(of, _) | Input::Fact(of, _) if *of == ticket));
        assert_eq!(told, None);
    }

    #[track_caller]
    fn subscribe(&mut self, fact: impl Into<FactSpec>) -> (Ticket, Result<Datum, HostError>) {
        let ticket = self.ticket();
        self.body.take(Output::Subscribe(ticket, fact.into()));
        let first = self.value(ticket);
        (ticket, first)
    }

    /// The next value of a fact.
    #[track_caller]
    fn value(&mut self, ticket: Ticket) -> Result<Datum, HostError> {
        self.hear("the fact", |input| match input {
            Input::Fact(of, value) if *of == ticket => Some(value.clone()),
            _ => None,
        })
    }

    fn write(&self, name: &str, text: &str) -> Step {
        file::Step::Write {
            path: self.below(name),
            content: Content::Bytes(text.into()),
            attributes: file::Attributes::default(),
        }
        .into()
    }

    fn remove(&self, name: &str) -> Step {
        file::Step::Remove { path: self.below(name), recursive: true }.into()
    }
}

fn world(key: &str) -> store::Watch {
    store::Watch { store: KeyStore::World, key: key.into() }
}

fn set(store: KeyStore, key: &str, value: Option<Datum>) -> Step {
    store::Step { store, key: key.into(), value }.into()
}

fn put(key: &str, value: &str) -> Step {
    set(KeyStore::World, key, Some(Datum::text(value)))
}

fn kind(value: Result<Datum, HostError>) -> Option<HostErrorKind> {
    value.err().map(|error| error.kind)
}

fn answers_come_in_the_order_of_the_questions(talk: &mut Talk) {
    talk.apply(vec![talk.write("a", "1"), talk.write("b", "2")]);
    let read = |name: &str| Probe::File(file::Probe::Read { path: talk.below(name), limit: 10 });
    let probes =
        vec![read("b"), read("none"), read("a"), file::Probe::List { path: talk.dir.clone(), recursive: false }.into()];
    let found = talk.probe(probes);
    assert_eq!(found[0], Finding::File(file::Finding::Bytes(b"2".to_vec())));
    assert!(matches!(&found[1], Finding::Failed(error) if error.kind == HostErrorKind::NotFound), "{:?}", found[1]);
    assert_eq!(found[2], Finding::File(file::Finding::Bytes(b"1".to_vec())));
    let Finding::File(file::Finding::Entries(entries)) = &found[3] else { panic!("{:?}", found[3]) };
    assert!(entries.iter().map(|(name, _)| name.as_str()).eq(["a", "b"]), "sorted by name: {entries:?}");
    assert_eq!(found.len(), 4);
}

fn the_first_step_that_fails_ends_its_list(talk: &mut Talk) {
    let keep = state::Step::Write { name: "kept".into(), content: b"x".to_vec() };
    let outcomes = talk.apply(vec![keep.into(), talk.write("none/a", "x"), talk.write("c", "x")]);
    assert!(matches!(&outcomes[..], [Outcome::Done, Outcome::Failed(error)] if error.kind == HostErrorKind::NotFound));
    let probes = vec![
        file::Probe::Stat { path: talk.below("c"), follow: true }.into(),
        state::Probe::Read { name: "kept".into() }.into(),
    ];
    let expect = [Finding::File(file::Finding::Stat(None)), Finding::State(state::Finding::Bytes(b"x".to_vec()))];
    assert_eq!(talk.probe(probes), expect);
}

fn a_watch_of_keys_hears_its_own(talk: &mut Talk) {
    let one = talk.watch(vec![world("k/one").into()]);
    let below = talk.watch(vec![world("k/").into()]);
    talk.apply(vec![put("k/one", "1")]);
    talk.fires(one);
    talk.fires(below);
    talk.apply(vec![put("k/one", "1"), put("k/one/deeper", "1"), set(KeyStore::Local, "k/one", Some(Datum::Int(1)))]);
    talk.is_silent(one);
    talk.fires(below);
    talk.apply(vec![set(KeyStore::World, "k/one", None)]);
    talk.fires(one);
    talk.body.take(Output::Unwatch(one));
    talk.apply(vec![put("k/one", "2")]);
    talk.is_silent(one);
}

fn a_value_is_told_when_it_is_another_one(talk: &mut Talk) {
    let (value, first) = talk.subscribe(store::Fact::Local { key: "v".into() });
    assert_eq!(kind(first), Some(HostErrorKind::NotFound));
    talk.apply(vec![set(KeyStore::Local, "v", Some(Datum::Int(7)))]);
    assert_eq!(talk.value(value), Ok(Datum::Int(7)));
    talk.apply(vec![set(KeyStore::Local, "v", Some(Datum::Int(7))), set(KeyStore::World, "v", Some(Datum::Int(8)))]);
    talk.is_silent(value);
    let (shared, first) = talk.subscribe(store::Fact::Value { key: "s".into() });
    assert_eq!(kind(first), Some(HostErrorKind::NotFound));
    talk.apply(vec![put("strings/s", "x")]);
    assert_eq!(talk.value(shared), Ok(Datum::text("x")));
    talk.apply(vec![set(KeyStore::World, "strings/s", None)]);
    assert_eq!(kind(talk.value(shared)), Some(HostErrorKind::NotFound));
}

fn a_map_has_hosts_and_nothing_deeper(talk: &mut Talk) {
    let (map, first) = talk.subscribe(store::Fact::Map { namespace: "ns".into() });
    assert_eq!(first, Ok(Datum::Map(Vec::new())));
    let entry = |host: &str| (Datum::text(host), Datum::text("1"));
    talk.apply(vec![put("strings/ns/b", "1")]);
    assert_eq!(talk.value(map), Ok(Datum::Map(vec![entry("b")])));
    talk.apply(vec![put("strings/ns/a", "1")]);
    assert_eq!(talk.value(map), Ok(Datum::Map(vec![entry("a"), entry("b")])));
    talk.apply(vec![put("strings/nsx", "1"), put("strings/ns", "1")]);
    talk.is_silent(map);
    talk.apply(vec![put("strings/ns/a/b", "1")]);
    assert_eq!(kind(talk.value(map)), Some(HostErrorKind::Other));
    talk.apply(vec![set(KeyStore::World, "strings/ns/a/b", None)]);
    assert_eq!(talk.value(map), Ok(Datum::Map(vec![entry("a"), entry("b")])));
}

fn exports_are_sorted_by_their_keys(talk: &mut Talk, hostname: &str) {
    let fact = store::Fact::Exported { kind: "file".into() };
    let keys = [
        format!("exported/{hostname}/h2/file//b/c"),
        "exported/*/h2/file//z".to_owned(),
        format!("exported/{hostname}/h1/file//y"),
        "exported/other/h1/file//w".to_owned(),
        format!("exported/{hostname}/h1/user/u"),
    ];
    talk.apply(keys.iter().map(|key| put(key, "d")).collect());
    let (exported, first) = talk.subscribe(fact);
    let entry = |name: &str, host: &str| {
        let text = Datum::text;
        Datum::Struct(vec![("name".into(), text(name)), ("host".into(), text(host)), ("data".into(), text("d"))])
    };
    assert_eq!(first, Ok(Datum::List(vec![entry("/z", "h2"), entry("/y", "h1"), entry("/b/c", "h2")])));
    talk.apply(vec![put("exported/other/h3/file//w", "d")]);
    talk.is_silent(exported);
    talk.apply(vec![set(KeyStore::World, "exported/*/h2/file//z", None)]);
    assert_eq!(talk.value(exported), Ok(Datum::List(vec![entry("/y", "h1"), entry("/b/c", "h2")])));
}

fn a_watch_of_a_path_hears_the_path_and_its_entries(talk: &mut Talk) {
    let make = |name: &str| {
        let path = talk.below(name);
        Step::File(file::Step::MakeDir { path, parents: false, mode: None })
    };
    let (d, deep) = (make("d"), make("d/deep"));
    let itself = talk.watch(vec![talk.path("d/x")]);
    let dir = talk.watch(vec![talk.path("d")]);
    let tree = talk.watch(vec![file::Watch { path: talk.below("d/"), recursive: true }.into()]);
    talk.apply(vec![d]);
    talk.fires(dir);
    talk.fires(tree);
    talk.quiet();
    talk.heard.clear();
    talk.apply(vec![talk.write("d/x", "1")]);
    [itself, dir, tree].into_iter().for_each(|ticket| talk.fires(ticket));
    talk.apply(vec![talk.write("d/y", "1"), deep]);
    talk.is_silent(itself);
    [dir, tree].into_iter().for_each(|ticket| talk.fires(ticket));
    talk.apply(vec![talk.write("d/deep/z", "1")]);
    talk.is_silent(dir);
    talk.fires(tree);
    talk.apply(vec![talk.remove("d")]);
    [itself, dir, tree].into_iter().for_each(|ticket| talk.fires(ticket));
}

fn a_file_is_told_from_nothing_to_nothing(talk: &mut Talk) {
    let (content, first) = talk.subscribe(file::Fact::Content { path: talk.below("f") });
    assert_eq!(kind(first), Some(HostErrorKind::NotFound));
    talk.apply(vec![talk.write("f", "1")]);
    assert_eq!(talk.value(content), Ok(Datum::text("1")));
    talk.apply(vec![talk.write("f", "1"), talk.write("g", "2")]);
    talk.is_silent(content);
    talk.apply(vec![talk.remove("f")]);
    assert_eq!(kind(talk.value(content)), Some(HostErrorKind::NotFound));
}

fn an_edit_changes_what_is_there_now(talk: &mut Talk) {
    let edit = |edit| file::Step::Edit { path: talk.below("e"), edit, mode: Some(0o600) };
    let lines = |text: &str| vec![text.to_owned()];
    let steps = [crate::vocab::Edit::Add(lines("a")), crate::vocab::Edit::Add(lines("b"))];
    let steps = steps.into_iter().chain([crate::vocab::Edit::Remove(lines("a"))]).map(|change| edit(change).into());
    let steps: Vec<Step> = steps.collect();
    assert_eq!(talk.apply(steps), [Outcome::Done, Outcome::Done, Outcome::Done]);
    let probes = vec![
        file::Probe::Read { path: talk.below("e"), limit: 10 }.into(),
        file::Probe::Stat { path: talk.below("e"), follow: true }.into(),
    ];
    let found = talk.probe(probes);
    assert_eq!(found[0], Finding::File(file::Finding::Bytes(b"b\n".to_vec())));
    assert!(matches!(&found[1], Finding::File(file::Finding::Stat(Some(stat))) if stat.mode == 0o600));
}

const UNIT: &str = "mclive-contract.service";
const UNIT_FILE: &str = "/etc/systemd/system/mclive-contract.service";

fn the_unit() -> Unit {
    Unit::new(UNIT, false)
}

fn unit_file(command: &str) -> Step {
    let text = format!("[Service]\nExecStart={command}\n\n[Install]\nWantedBy=multi-user.target\n");
    let (content, attributes) = (Content::Bytes(text.into_bytes()), file::Attributes::default());
    file::Step::Write { path: UNIT_FILE.into(), content, attributes }.into()
}

fn reload() -> Step {
    unit::Step::ReloadManager { unit: the_unit() }.into()
}

fn enable(enable: bool, now: Enabled) -> Step {
    unit::Step::Enable { unit: the_unit(), enable, now }.into()
}

fn job(job: Job, now: Active) -> Step {
    unit::Step::Job { unit: the_unit(), job, now }.into()
}

#[track_caller]
fn unit_state(talk: &mut Talk, settled: bool) -> unit::UnitState {
    let found = talk.probe(vec![unit::Probe::State { unit: the_unit(), settled }.into()]);
    match &found[..] {
        [Finding::Unit(unit::Finding::State(state))] => state.clone(),
        other => panic!("{other:?}"),
    }
}

/// The next change of a watch. That nothing else is told is not asked here: a manager says more than is needed.
#[track_caller]
fn unit_fires(talk: &mut Talk, ticket: Ticket) {
    talk.hear("a change of the unit", |input| {
        matches!(input, Input::Fired(of, Some(_)) if *of == ticket).then_some(())
    });
    talk.heard.clear();
}

fn a_unit_is_told_from_nothing_to_nothing(talk: &mut Talk) {
    let watch = talk.watch(vec![unit::Watch { unit: the_unit() }.into()]);
    let nothing = unit_state(talk, false);
    assert_eq!((nothing.load, nothing.active, nothing.enabled), (Load::NotFound, Active::Inactive, Enabled::NoFile));

    let steps = vec![
        unit_file("/bin/sleep 1000"),
        reload(),
        enable(true, Enabled::Disabled),
        job(Job::Start, Active::Inactive),
    ];
    assert_eq!(talk.apply(steps), vec![Outcome::Done; 4]);
    unit_fires(talk, watch);
    let up = unit_state(talk, true);
    assert_eq!((&up.load, up.active, &up.enabled), (&Load::Loaded, Active::Active, &Enabled::Enabled));
    assert_eq!((up.file.as_str(), up.is_stale, up.has_job, up.is_one_shot), (UNIT_FILE, false, false, false));

    assert_eq!(talk.apply(vec![unit_file("/bin/sleep 1001")]), [Outcome::Done]);
    assert!(unit_state(talk, false).is_stale, "its file is another one than it was started with");
    assert_eq!(talk.apply(vec![reload(), job(Job::TryRestart, Active::Active)]), vec![Outcome::Done; 2]);
    assert!(!unit_state(talk, true).is_stale);

    assert_eq!(talk.apply(vec![job(Job::Stop, Active::Active)]), [Outcome::Done]);
    unit_fires(talk, watch);
    assert_eq!(unit_state(talk, true).active, Active::Inactive);
    assert_eq!(talk.apply(vec![job(Job::TryRestart, Active::Inactive)]), [Outcome::Done]);
    assert_eq!(unit_state(talk, true).active, Active::Inactive, "only what is active is tried");

    assert_eq!(talk.apply(vec![enable(false, Enabled::Enabled)]), [Outcome::Done]);
    unit_fires(talk, watch);
    assert_eq!(unit_state(talk, false).enabled, Enabled::Disabled);
    let gone = file::Step::Remove { path: UNIT_FILE.into(), recursive: false };
    assert_eq!(talk.apply(vec![gone.into(), reload()]), vec![Outcome::Done; 2]);
    unit_fires(talk, watch);
    assert_eq!(unit_state(talk, false).load, Load::NotFound);
}

fn what_cannot_start_is_a_failure(talk: &mut Talk) {
    let outcomes = talk.apply(vec![job(Job::Start, Active::Inactive), reload()]);
    assert!(matches!(&outcomes[..], [Outcome::Failed(_)]), "there is no such unit: {outcomes:?}");
    let time = |time: &str| unit::Probe::Time { trigger: "OnCalendar".into(), time: time.into() };
    let found = talk.probe(vec![time("*-*-* 04:00").into(), time("every full moon").into()]);
    assert!(
        matches!(&found[..], [Finding::Unit(unit::Finding::Time(None)), Finding::Unit(unit::Finding::Time(Some(_)))]),
        "{found:?}"
    );
    let path = Unit::new("/tmp/evil.service", false);
    let found = talk.probe(vec![unit::Probe::State { unit: path.clone(), settled: false }.into()]);
    assert!(matches!(&found[..], [Finding::Failed(error)] if error.kind == HostErrorKind::Refused), "{found:?}");
    let outcomes = talk.apply(vec![unit::Step::Enable { unit: path, enable: true, now: Enabled::Disabled }.into()]);
    assert!(matches!(&outcomes[..], [Outcome::Failed(error)] if error.kind == HostErrorKind::Refused), "{outcomes:?}");
}
