use super::*;
use mclive_base::protocol::Options;
use mclive_base::vocab::{Content, FileKind, FileStat, Finding, HostErrorKind, Outcome, Probe, Step, file, state};

/// Small enough that one large value exceeds it.
const MEMORY: usize = 48 << 20;

const PROGRAM: &str = r#"
    import "os"
    $text = os.readfile("/in")
    noop "${text}" {}
    file "/out" { state => "exists", content => "kept", }
"#;

struct Body {
    keeper: Keeper,
    now: u64,
    /// The requests to the host.
    asked: Vec<Output>,
    wake: Option<Moment>,
    /// The content of `/out`; empty means that it does not exist.
    file: String,
    watches: Vec<Ticket>,
}

impl Body {
    fn new() -> Body {
        let start = || Sandbox::start_within(MEMORY);
        let keeper = Keeper::new(start().unwrap(), start).unwrap();
        Body { keeper, now: 1, asked: Vec::new(), wake: None, file: String::new(), watches: Vec::new() }
    }

    fn step(&mut self, inputs: Vec<Input>) -> Result<(), Trap> {
        let (asked, wake) = (&mut self.asked, &mut self.wake);
        self.keeper.step(Moment(self.now), inputs, |output| match output {
            Output::Idle { wake: at } => *wake = at,
            output => asked.push(output),
        })
    }

    fn deploy(&mut self) {
        let files = vec![("/main.mcl".to_owned(), PROGRAM.as_bytes().to_vec())];
        let deploy = Deploy { files, entry: "/main.mcl".into(), options: Options::default() };
        self.step(vec![Input::Deploy(deploy)]).unwrap();
    }

    fn take(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.asked)
    }

    /// The ticket of the only new subscription since the last call.
    fn subscribed(&mut self) -> Ticket {
        let ticket = self.take().into_iter().find_map(|output| match output {
            Output::Subscribe(ticket, spec) if spec.to_string() == "the content of /in" => Some(ticket),
            _ => None,
        });
        ticket.expect("the program reads a file")
    }

    /// Carries out requests until none are left. Returns the new fact subscriptions.
    fn works(&mut self) -> Vec<Ticket> {
        let mut facts = Vec::new();
        while !self.asked.is_empty() {
            let mut answers = Vec::new();
            for output in self.take() {
                match output {
                    Output::Subscribe(ticket, _) => facts.push(ticket),
                    // The watch is in place.
                    Output::Watch(ticket, _) => {
                        self.watches.push(ticket);
                        answers.push(Input::Fired(ticket, None));
                    }
                    Output::Probe(ticket, _, probes) => {
                        let findings = probes.iter().map(|probe| self.look(probe)).collect();
                        answers.push(Input::Probed(ticket, findings));
                    }
                    Output::Apply(ticket, _, steps) => {
                        let outcomes = steps.iter().map(|step| self.change(step)).collect();
                        answers.push(Input::Applied(ticket, outcomes));
                    }
                    Output::Unsubscribe(_)
                    | Output::Unwatch(_)
                    | Output::Cancel(..)
                    | Output::Report(_)
                    | Output::Idle { .. }
                    | Output::Exit { .. } => {}
                }
            }
            if !answers.is_empty() {
                self.now += 1;
                self.step(answers).unwrap();
            }
        }
        facts
    }

    fn look(&self, probe: &Probe) -> Finding {
        let is_there = !self.file.is_empty();
        match probe {
            // Without this answer no graph comes into force.
            Probe::State(state::Probe::List { .. }) => state::Finding::All(Vec::new()).into(),
            Probe::File(file::Probe::Stat { .. }) => file::Finding::Stat(is_there.then(|| self.stat())).into(),
            Probe::File(file::Probe::Read { .. }) if is_there => {
                file::Finding::Bytes(self.file.clone().into_bytes()).into()
            }
            Probe::File(file::Probe::Read { path, .. }) => {
                Finding::Failed(HostError::new(HostErrorKind::NotFound, format!("open {path}: not there")))
            }
            other => panic!("{other:?} is not answered here"),
        }
    }

    fn stat(&self) -> FileStat {
        let (size, target) = (self.file.len() as u64, None);
        FileStat { kind: FileKind::File, mode: 0o644, uid: 0, gid: 0, size, mtime_ns: 0, device: 1, inode: 2, target }
    }

    fn change(&mut self, step: &Step) -> Outcome {
        let Step::File(file::Step::Write { content: Content::Bytes(bytes), .. }) = step else {
            panic!("{step:?} is not done here")
        };
        self.file = String::from_utf8(bytes.clone()).unwrap();
        Outcome::Done
    }

    fn tell(&mut self, ticket: Ticket, text: &[u8]) {
        self.now += 1;
        self.step(vec![Input::Fact(ticket, Ok(Datum::Bytes(text.to_vec())))]).unwrap();
    }
}

#[test]
fn a_trap_is_reported_and_the_program_is_given_again() {
    let mut body = Body::new();
    body.deploy();
    let first = body.subscribed();
    body.tell(first, b"good");
    body.take();
    // More than the sandbox can hold.
    let large = vec![b'x'; 30 << 20];
    body.tell(first, &large);
    let outputs = body.take();
    let told = outputs.iter().any(|output| {
        matches!(output, Output::Report(Event { what: What::Log { text }, .. })
            if text.contains("the compiler crashed") && text.contains("the content of /in"))
    });
    assert!(told, "{outputs:?}");
    assert!(outputs.contains(&Output::Unsubscribe(first)));
    // The same program again, with new tickets.
    body.now = body.wake.expect("it starts again").0;
    body.step(vec![Input::Tick]).unwrap();
    let second = body.subscribed();
    assert!(second > first);
}

#[test]
fn traps_in_a_row_are_the_end() {
    let mut body = Body::new();
    body.deploy();
    let mut ticket = body.subscribed();
    body.tell(ticket, b"good");
    let mut pauses = Vec::new();
    for n in 1u8.. {
        let large = vec![n; 30 << 20];
        let ended = body.step(vec![Input::Fact(ticket, Ok(Datum::Bytes(large)))]);
        if let Err(trap) = ended {
            assert!(trap.to_string().contains("10 times in a row"), "{trap}");
            break;
        }
        pauses.push((body.wake.unwrap().0 - body.now) / SECOND);
        body.now = body.wake.unwrap().0;
        body.take();
        body.step(vec![Input::Tick]).unwrap();
        ticket = body.subscribed();
        body.tell(ticket, b"good");
        body.now += 200 * SECOND;
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
}

#[test]
fn a_stop_between_two_instances_is_obeyed() {
    let mut body = Body::new();
    body.deploy();
    let ticket = body.subscribed();
    body.tell(ticket, b"good");
    body.tell(ticket, &vec![b'x'; 30 << 20]);
    body.take();
    body.step(vec![Input::Stop(StopMode::Graceful)]).unwrap();
    assert_eq!(body.take().last(), Some(&Output::Exit { status: status::GOOD }));
}

#[test]
fn repairs_go_on_after_a_trap() {
    let mut body = Body::new();
    body.deploy();
    let facts = body.works();
    let [first] = facts[..] else { panic!("one fact is read, not {facts:?}") };
    body.tell(first, b"good");
    body.works();
    assert_eq!(body.file, "kept", "the graph is applied");
    body.file = "damaged".into();
    body.tell(first, &vec![b'x'; 30 << 20]);
    body.take();
    // The inputs of the fatal step are not repeated, and the watches of the first instance are ignored.
    let old = std::mem::take(&mut body.watches);
    assert!(!old.is_empty());
    body.now = body.wake.expect("it starts again").0;
    body.step(vec![Input::Tick]).unwrap();
    let facts = body.works();
    let [second] = facts[..] else { panic!("one fact is read, not {facts:?}") };
    // The host reads the same value again: the last good one replaces it.
    body.tell(second, &vec![b'x'; 30 << 20]);
    body.works();
    assert_eq!(body.file, "kept", "the new instance repairs");
    // Only the new instance receives changes.
    assert!(body.watches.iter().all(|ticket| !old.contains(ticket)));
    body.file = "damaged".into();
    let fired = |tickets: &[Ticket]| {
        tickets.iter().map(|ticket| Input::Fired(*ticket, Some("/out".into()))).collect::<Vec<_>>()
    };
    body.step(fired(&old)).unwrap();
    body.works();
    assert_eq!(body.file, "damaged");
    body.step(fired(&body.watches.clone())).unwrap();
    body.works();
    assert_eq!(body.file, "kept");
}
