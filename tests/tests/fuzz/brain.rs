//! A brain at work that is told inputs of every shape: what was not asked for, answers of another kind, lists of another
//! length, twice, late. It answers to the end and says nothing without bounds: the sandbox's border is crossed in both directions.
//!
//! An input is an archive with a program and a `script`, a line an input: `after MS` lets time pass, `stop` asks it to end,
//! `tell N PLACE` hands in the pinned value of that place for the Nth ticket that was given out.

use crate::dice::Dice;
use crate::hunt::Target;
use crate::{text, wire};
use mclive_compiler::language;
use mclive_compiler::protocol::{Deploy, Input, Moment, Options, Output, StopMode, Ticket};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(crate) static TARGET: Target = Target {
    name: "brain",
    ending: "txtar",
    seeds: || text::seeds(&["tests/scenarios", "playground/examples", "tests/hosts"], &["mcl"]),
    make,
    check,
};

/// More than any of the programs asks for in a row.
const MOST_OUTPUTS: usize = 100_000;

thread_local! {
    static INPUTS: OnceCell<BTreeMap<String, Input>> = const { OnceCell::new() };
}

fn with_inputs<R>(then: impl FnOnce(&BTreeMap<String, Input>) -> R) -> R {
    let read = || wire::inputs().into_iter().map(|(place, (_, input))| (place, input)).collect();
    INPUTS.with(|inputs| then(inputs.get_or_init(read)))
}

fn make(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut files = text::program(dice.pick::<Vec<u8>>(seeds));
    files.retain(|(name, _)| name.ends_with(".mcl"));
    let mut script = String::new();
    with_inputs(|inputs| {
        // Most of them are findings, of which the rest would see little.
        let places: Vec<&String> = inputs.keys().collect();
        let others: Vec<&String> = places.iter().copied().filter(|place| !place.starts_with("Probed")).collect();
        for _ in 0..1 + dice.below(60) {
            let _ = match dice.below(12) {
                0 => writeln!(script, "after {}", dice.below(10_000)),
                1 if dice.one_in(4) => writeln!(script, "stop"),
                2..6 => writeln!(script, "tell {} {}", dice.below(64), dice.pick(&others)),
                _ => writeln!(script, "tell {} {}", dice.below(64), dice.pick(&places)),
            };
        }
    });
    files.push(("script".into(), script.into_bytes()));
    text::to_archive(&files)
}

/// The brain, and the tickets that it gave out.
struct Talk {
    brain: mclive_compiler::brain::Brain,
    now: Moment,
    tickets: Vec<Ticket>,
}

impl Talk {
    fn tell(&mut self, input: Input) {
        self.brain.handle(self.now, input);
        for _ in 0..MOST_OUTPUTS {
            let output = self.brain.poll();
            let bytes = postcard::to_stdvec(&output).expect("an output can be encoded");
            let read = postcard::from_bytes::<Output>(&bytes).expect("what we write we read");
            assert!(postcard::to_stdvec(&read).as_ref() == Ok(&bytes), "it crosses as it is");
            match output {
                Output::Subscribe(ticket, _)
                | Output::Probe(ticket, ..)
                | Output::Apply(ticket, ..)
                | Output::Watch(ticket, _) => self.tickets.push(ticket),
                Output::Idle { .. } | Output::Exit { .. } => return,
                Output::Unsubscribe(_) | Output::Cancel(..) | Output::Unwatch(_) | Output::Report(_) => {}
            }
        }
        panic!("it goes on without an end");
    }

    /// One of those that were given out, the newest first.
    fn ticket(&self, n: usize) -> Ticket {
        let back = n % self.tickets.len().max(1) + 1;
        self.tickets.len().checked_sub(back).map_or(Ticket(0), |at| self.tickets[at])
    }
}

/// An input for another ticket.
fn with_ticket(input: Input, ticket: Ticket) -> Input {
    match input {
        Input::Fact(_, fact) => Input::Fact(ticket, fact),
        Input::Probed(_, findings) => Input::Probed(ticket, findings),
        Input::Applied(_, outcomes) => Input::Applied(ticket, outcomes),
        Input::Fired(_, what) => Input::Fired(ticket, what),
        Input::WatchFailed(_, error) => Input::WatchFailed(ticket, error),
        Input::Deploy(_) | Input::Tick | Input::Stop(_) | Input::Secret(_) => input,
    }
}

fn check(input: &[u8]) {
    let (scripts, files): (Vec<_>, Vec<_>) = text::program(input).into_iter().partition(|(name, _)| name == "script");
    let files = files.into_iter().map(|(name, bytes)| (format!("/{}", name.trim_start_matches('/')), bytes)).collect();
    let mut talk = Talk { brain: language::brain(), now: Moment(0), tickets: Vec::new() };
    talk.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    let script = scripts.first().map(|(_, script)| String::from_utf8_lossy(script).into_owned()).unwrap_or_default();
    for line in script.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "after" => {
                talk.now = talk.now.plus_ms(rest.parse().unwrap_or(0));
                talk.tell(Input::Tick);
            }
            "stop" => talk.tell(Input::Stop(StopMode::Graceful)),
            "tell" => {
                let (n, place) = rest.split_once(' ').unwrap_or_default();
                let ticket = talk.ticket(n.parse().unwrap_or(0));
                // A place of another version tells nothing.
                if let Some(input) = with_inputs(|inputs| inputs.get(place).cloned()) {
                    talk.tell(with_ticket(input, ticket));
                }
            }
            _ => {}
        }
    }
}
