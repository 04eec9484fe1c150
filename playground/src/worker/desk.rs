//! The worker's desk: takes a message, calls the compiler, lays out what is to be drawn, answers.
//!
//! It keeps two things from one message to the next: where vertices stood in the last drawing, so
//! that pictures stay calm, and the simulated host.

use super::protocol::{Answer, Checked, Envelope, Picture, ProgramFile, Reply, Request, Simulated};
use crate::graphs::faces;
use crate::graphs::layout::{Drawing, Memory, Sketch, layout};
use mclive_compiler::diag::codes;
use mclive_compiler::face::check::check;
use mclive_compiler::face::dto::{FunctionGraph, ResourceGraph};
use mclive_compiler::face::simulation::Simulation;

/// What the input of a playground's program is.
const ENTRY: &str = "/main.mcl";

/// More vertices than this are not drawn: neither the browser nor the reader would cope.
const MAX_DRAWN: usize = 3_000;

/// Longer programs are declined before anything is done.
const MAX_TEXT: usize = 1 << 20;

/// One step of a playing simulation may do so much; then the page gets its turn.
const MAX_STEPS: usize = 20_000;

#[derive(Default)]
pub struct Desk {
    functions: Memory,
    resources: Memory,
    simulation: Option<Simulation>,
    /// The resource graph that the page has.
    shown: u64,
}

impl Desk {
    /// Answers one message; both are JSON text.
    pub fn answer(&mut self, message: &str) -> String {
        let reply = match serde_json::from_str::<Envelope>(message) {
            Ok(Envelope { number, request }) => Reply { number, answer: self.do_request(request) },
            Err(error) => Reply { number: 0, answer: declined(format!("a message that cannot be read: {error}")) },
        };
        serde_json::to_string(&reply).expect("an answer is plain data")
    }

    fn do_request(&mut self, request: Request) -> Answer {
        match request {
            Request::Check { files } => match too_long(&files) {
                Some(why) => declined(why),
                None => Answer::Checked(self.check(&files)),
            },
            Request::Deploy { files, hostname, fresh } => {
                if let Some(why) = too_long(&files) {
                    return declined(why);
                }
                if fresh {
                    self.simulation = None;
                }
                let simulation = self.simulation.get_or_insert_with(|| Simulation::new(&hostname));
                simulation.deploy(bytes_of(&files), ENTRY);
                self.simulated(fresh)
            }
            Request::Advance { by_ms, to_next } => match &mut self.simulation {
                Some(simulation) => {
                    simulation.advance(by_ms, to_next, MAX_STEPS);
                    self.simulated(false)
                }
                None => declined("there is no simulated host yet".into()),
            },
            Request::Replay { trace } => match Simulation::replay(&trace) {
                Ok(simulation) => {
                    self.simulation = Some(simulation);
                    self.simulated(true)
                }
                Err(why) => declined(why),
            },
            Request::Act { action } => match &mut self.simulation {
                Some(simulation) => match simulation.act(&action) {
                    Ok(()) => self.simulated(false),
                    Err(why) => declined(why),
                },
                None => declined("there is no simulated host yet".into()),
            },
            Request::Format { text } => {
                let formatted = mclive_compiler::fmt::format(text.as_bytes()).ok();
                Answer::Formatted { text: formatted.and_then(|bytes| String::from_utf8(bytes).ok()) }
            }
            Request::Explain { code } => match codes::REGISTER.iter().find(|entry| entry.code.to_string() == code) {
                Some(entry) => Answer::Explained { code, page: entry.page.to_owned() },
                None => declined(format!("there is no page for `{code}`")),
            },
        }
    }

    fn check(&mut self, files: &[ProgramFile]) -> Checked {
        let checked = check(bytes_of(files), ENTRY, "web1");
        Checked {
            diagnostics: checked.diagnostics.diagnostics,
            functions: checked.functions.map(|graph| draw_functions(graph, &mut self.functions)),
            resources: checked.resources.map(|graph| draw_resources(graph, &mut self.resources)),
        }
    }

    /// The host as it is now, with the resource graph if the page has another one.
    fn simulated(&mut self, all: bool) -> Answer {
        let Some(simulation) = &mut self.simulation else { return declined("there is no simulated host yet".into()) };
        let snapshot = simulation.snapshot();
        let resources = (all || snapshot.generation != self.shown)
            .then(|| draw_resources(simulation.resource_graph(), &mut self.resources));
        self.shown = snapshot.generation;
        Answer::Simulated(Box::new(Simulated { snapshot, resources }))
    }
}

fn declined(why: String) -> Answer {
    Answer::Declined { why }
}

fn too_long(files: &[ProgramFile]) -> Option<String> {
    let size: usize = files.iter().map(|file| file.text.len()).sum();
    (size > MAX_TEXT).then(|| format!("the program is {size} bytes long; the playground takes {MAX_TEXT}"))
}

fn bytes_of(files: &[ProgramFile]) -> impl Iterator<Item = (&str, &[u8])> {
    files.iter().map(|file| (file.path.as_str(), file.text.as_bytes()))
}

fn draw(sizes: Vec<(f32, f32)>, edges: Vec<(u32, u32)>, names: Vec<String>, memory: &mut Memory) -> Option<Drawing> {
    if sizes.len() > MAX_DRAWN {
        return None;
    }
    // What is told apart by nothing else is told apart by its place among its equals.
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    let keys = names.into_iter().map(|name| {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        format!("{name}#{count}")
    });
    let sketch = Sketch { sizes, edges, keys: keys.collect() };
    Some(layout(&sketch, memory))
}

fn draw_functions(graph: FunctionGraph, memory: &mut Memory) -> Picture<FunctionGraph> {
    let drawing = draw(
        graph.vertices.iter().map(faces::function_size).collect(),
        graph.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
        graph.vertices.iter().map(|vertex| vertex.label.clone()).collect(),
        memory,
    );
    Picture { graph, drawing }
}

fn draw_resources(graph: ResourceGraph, memory: &mut Memory) -> Picture<ResourceGraph> {
    let drawing = draw(
        graph.vertices.iter().map(faces::resource_size).collect(),
        graph.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
        graph.vertices.iter().map(|vertex| vertex.id()).collect(),
        memory,
    );
    Picture { graph, drawing }
}
