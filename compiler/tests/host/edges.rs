//! Automatic edges that follow from what a host says: much that it says at once costs one computation of the graph.

use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::{Deploy, Input, Moment, Options, Output, Ticket};
use mclive_compiler::vocab::{Datum, FactSpec, package};

const N: usize = 20;

/// Packages, and services that they may bring.
const PROGRAM: &str = r#"
import "fmt"
import "iter"
for $i, $n in iter.range(20) {
    $name = fmt.printf("p%d", $n)
    pkg "${name}" { state => "installed", }
    svc "${name}" { state => "running", }
}
"#;

struct Talk {
    brain: Brain,
    now: Moment,
    asked: Vec<(Ticket, String)>,
    wake: Option<Moment>,
    has_looked: bool,
}

impl Talk {
    fn tell(&mut self, input: Input) {
        self.brain.handle(self.now, input);
        loop {
            match self.brain.poll() {
                // The first probe is for records of earlier runs, without which no graph comes into force.
                Output::Probe(ticket, ..) if !std::mem::replace(&mut self.has_looked, true) => {
                    self.brain.handle(self.now, Input::Probed(ticket, Vec::new()));
                }
                Output::Subscribe(ticket, FactSpec::Package(package::Fact::Files { name })) => {
                    self.asked.push((ticket, name));
                }
                Output::Exit { status } => panic!("it has ended with {status}"),
                Output::Idle { wake } => {
                    self.wake = wake;
                    return;
                }
                _ => {}
            }
        }
    }

    fn n_edges(&self) -> usize {
        self.brain.graph().edges.len()
    }

    /// What each package has, installed or not; returns how many edges there were after each answer.
    fn answer(&mut self, is_installed: bool) -> Vec<usize> {
        let asked = self.asked.clone();
        let told = asked.into_iter().map(|(ticket, name)| {
            let unit = Datum::text(format!("/usr/lib/systemd/system/{name}.service"));
            let files = if is_installed { vec![unit] } else { Vec::new() };
            self.tell(Input::Fact(ticket, Ok(Datum::List(files))));
            self.n_edges()
        });
        told.collect()
    }
}

#[test]
fn packages_that_come_at_once_cost_one_graph() {
    let mut talk = Talk { brain: Brain::new(), now: Moment(1), asked: Vec::new(), wake: None, has_looked: false };
    let files = vec![("/main.mcl".to_owned(), PROGRAM.as_bytes().to_vec())];
    talk.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    assert_eq!(talk.asked.len(), N);
    // The first graph waits for all answers, and for nothing more.
    assert_eq!(talk.answer(false), [0; N]);
    assert!(!talk.brain.graph().resources.is_empty());
    assert_ne!(talk.wake, Some(talk.now));

    // A graph for each answer would have one edge more each time.
    talk.now = Moment(2);
    assert_eq!(talk.answer(true), [0; N]);
    assert_eq!(talk.wake, Some(talk.now), "it asks to be called once all is said");
    talk.tell(Input::Tick);
    assert_eq!(talk.n_edges(), N);
    assert_ne!(talk.wake, Some(talk.now));

    // Answers as before are none.
    assert_eq!(talk.answer(true), [N; N]);
    assert_ne!(talk.wake, Some(talk.now));
}
