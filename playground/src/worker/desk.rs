//! The worker's desk: takes a request, calls the compiler, lays out what is to be drawn, answers.
//!
//! It keeps three things from one message to the next: the last analysis, which the compilation and all
//! questions of the editor share, where vertices stood in the last drawing, so that pictures stay calm,
//! and the simulated host.

use super::protocol::{Answer, Drawn, Parts, Picture, ProgramFile, Request, Simulated};
use crate::graphs::faces;
use crate::graphs::layout::{Drawing, Memory, Sketch, layout};
use mclive_base::diag::codes;
use mclive_base::shapes::editor;
use mclive_base::shapes::host::HostAction;
use mclive_base::shapes::{FunctionGraph, ResourceGraph};
use mclive_base::source::MemoryWorld;
use mclive_base::span::Span;
use mclive_compiler::face::simulation::Simulation;
use mclive_compiler::language::{Editable, Language, Opened, language_of};
use std::collections::BTreeMap;

/// More vertices than this are not drawn: neither the browser nor the reader would cope.
const MAX_DRAWN: usize = 3_000;

/// Longer programs are declined before anything is done.
const MAX_TEXT: usize = 1 << 20;

/// One step of a playing simulation may do so much; then the page gets its turn.
const MAX_STEPS: usize = 20_000;

pub struct Desk {
    /// What it understands. A module links the languages of its own table and no other.
    languages: &'static [&'static dyn Editable],
    functions: Memory,
    resources: Memory,
    analysis: Option<Analysed>,
    /// The simulated hosts by the names that they were started with: those that the program tells of, else one.
    hosts: BTreeMap<String, Simulation>,
    /// The host that the page looks at.
    host: String,
    /// The program on the simulated hosts.
    deployed: Vec<ProgramFile>,
    /// The resource graph that the page has.
    shown: u64,
    /// What the page knows of the host.
    told: Parts,
}

/// A program, and what is known of it so far.
struct Analysed {
    files: Vec<ProgramFile>,
    opened: Box<dyn Opened>,
    functions: Option<FunctionGraph>,
}

/// The name that a checked program's host has.
const HOSTNAME: &str = "web1";

impl Analysed {
    /// The values of what stands at a place, by the simulated host that runs this very program.
    fn values_at(&mut self, values: &[Option<String>], query: &editor::Query) -> Result<editor::Answer, String> {
        if self.functions.is_none() && !values.is_empty() {
            self.functions = self.opened.picture();
        }
        let (services, functions) = (self.opened.services(), &self.functions);
        let value_of = |span: Span| -> Vec<String> {
            let path = &services.sources().get(span.file).path;
            let vertices = functions.iter().flat_map(|graph| &graph.vertices).zip(values);
            let here = vertices.filter(|(vertex, _)| vertex.tells_value()).filter(|(vertex, _)| {
                let place = vertex.place.as_ref();
                place.is_some_and(|place| place.start == span.start && place.end == span.end && place.file == *path)
            });
            here.filter_map(|(_, value)| value.clone()).collect()
        };
        mclive_compiler::face::editor::answer(services, query, &value_of)
    }
}

impl Desk {
    pub fn new(languages: &'static [&'static dyn Editable]) -> Desk {
        Desk {
            languages,
            functions: Memory::default(),
            resources: Memory::default(),
            analysis: None,
            hosts: BTreeMap::new(),
            host: String::new(),
            deployed: Vec::new(),
            shown: 0,
            told: Parts::default(),
        }
    }

    /// The same, as the brain knows them.
    fn spoken(&self) -> Vec<&'static dyn Language> {
        self.languages.iter().map(|language| *language as &'static dyn Language).collect()
    }

    pub fn answer(&mut self, request: Request) -> Answer {
        match request {
            Request::Check { files } => match too_long(&files) {
                Some(why) => declined(why),
                None => Answer::Checked(self.analysed(files).opened.diagnostics().diagnostics),
            },
            Request::Draw { hostname } => Answer::Drawn(self.draw(&hostname)),
            Request::Ask { files, query } => match too_long(&files) {
                Some(why) => declined(why),
                None => self.ask(files, &query).map_or_else(declined, Answer::Told),
            },
            Request::Deploy { files, hostname, fresh, prepare } => {
                if let Some(why) = too_long(&files) {
                    return declined(why);
                }
                self.deploy(files, hostname, fresh, &prepare)
            }
            Request::Look { hostname } => {
                self.host = hostname;
                self.simulated(true, None)
            }
            Request::Advance { by_ms, to_next } => {
                self.hosts.values_mut().for_each(|host| host.advance(by_ms, to_next, MAX_STEPS));
                self.simulated(false, None)
            }
            Request::Replay { trace } => match Simulation::replay(self.spoken(), &trace) {
                Ok(recorded) => {
                    self.hosts = BTreeMap::from([(self.host.clone(), recorded.simulation)]);
                    self.deployed = recorded.program.iter().map(|text| main_file(text)).collect();
                    self.simulated(true, recorded.program)
                }
                Err(why) => declined(why),
            },
            Request::Act { action } => match self.hosts.get_mut(&self.host) {
                Some(simulation) => match simulation.act(&action) {
                    Ok(()) => self.simulated(false, None),
                    Err(why) => declined(why),
                },
                None => declined("there is no simulated host yet".into()),
            },
            Request::Format { text } => {
                let formatted = self.languages.first().and_then(|language| language.format(text.as_bytes()).ok());
                Answer::Formatted { text: formatted.and_then(|bytes| String::from_utf8(bytes).ok()) }
            }
            Request::Explain { code } => match self.page(&code) {
                Some(page) => Answer::Explained { code, page: page.to_owned() },
                None => declined(format!("there is no page for `{code}`")),
            },
            Request::Judge { .. } => declined("lessons are checked by a worker of their own".into()),
        }
    }

    /// The analysis of a program: the last one, if it is the same program.
    fn analysed(&mut self, files: Vec<ProgramFile>) -> &mut Analysed {
        if self.analysis.as_ref().is_some_and(|last| last.files != files) {
            self.analysis = None;
        }
        self.analysis.get_or_insert_with(|| {
            let world = MemoryWorld::of(bytes_of(&files));
            let entry = entry(&files).to_owned();
            let language = language_of(self.languages, &world, &entry).expect("a desk has a language");
            Analysed { opened: language.open(world, &entry, HOSTNAME), files, functions: None }
        })
    }

    /// A code's page: a language's own, or one on what all languages share.
    fn page(&self, code: &str) -> Option<&'static str> {
        let own = self.languages.iter().flat_map(|language| language.codes()).find(|entry| entry.code == code);
        let shared = || codes::REGISTER.iter().find(|entry| entry.code.to_string() == code).map(|entry| entry.page);
        own.map(|entry| entry.page).or_else(shared)
    }

    fn draw(&mut self, hostname: &str) -> Drawn {
        let Some(analysed) = &mut self.analysis else { return Drawn::default() };
        let (functions, resources) = (analysed.opened.picture(), analysed.opened.resources(hostname));
        analysed.functions = functions.clone();
        Drawn {
            hosts: analysed.opened.hosts(),
            functions: functions.map(|graph| draw_functions(graph, &mut self.functions)),
            resources: resources.map(|graph| draw_resources(graph, &mut self.resources)),
        }
    }

    fn ask(&mut self, files: Vec<ProgramFile>, query: &editor::Query) -> Result<editor::Answer, String> {
        let is_hover = matches!(query.service, editor::Service::Hover { .. });
        let runs = is_hover && self.deployed == files;
        let values = self.hosts.get(&self.host).filter(|_| runs).map(Simulation::values).unwrap_or_default();
        self.analysed(files).values_at(&values, query)
    }

    /// Gives every host its program; with `fresh` to new ones.
    fn deploy(&mut self, files: Vec<ProgramFile>, hostname: String, fresh: bool, prepare: &[HostAction]) -> Answer {
        if fresh {
            self.hosts.clear();
        }
        let told = self.analysed(files.clone()).opened.hosts();
        let names = if told.is_empty() { vec![hostname.clone()] } else { told };
        self.hosts.retain(|name, _| names.contains(name));
        let languages = self.spoken();
        self.host = if names.contains(&hostname) { hostname } else { names[0].clone() };
        for name in names {
            let host = self.hosts.entry(name);
            let host = host.or_insert_with_key(|name| {
                let mut host = Simulation::new(languages.clone(), name);
                host.prepare(prepare);
                host
            });
            host.deploy(bytes_of(&files), entry(&files));
        }
        self.deployed = files;
        self.simulated(fresh, None)
    }

    /// The host as it is now, with the resource graph if the page has another one.
    fn simulated(&mut self, all: bool, program: Option<String>) -> Answer {
        let Some(simulation) = self.hosts.get_mut(&self.host) else {
            return declined("there is no simulated host yet".into());
        };
        let mut snapshot = simulation.snapshot();
        let now = Parts::of(&mut snapshot);
        // A host that is new to the page is told whole.
        let parts = if all { now.clone() } else { now.news(&self.told) };
        self.told = now;
        let resources = (all || snapshot.generation != self.shown)
            .then(|| draw_resources(simulation.resource_graph(), &mut self.resources));
        self.shown = snapshot.generation;
        Answer::Simulated(Box::new(Simulated { snapshot, parts, resources, program }))
    }
}

/// A recorded run's program, as a file of the first language: it is only shown.
fn main_file(text: &str) -> ProgramFile {
    ProgramFile { path: format!("/{}", mclive_base::layout::MCL.main), text: text.to_owned() }
}

/// The file that the program begins with.
fn entry(files: &[ProgramFile]) -> &str {
    files.first().map_or("/", |file| &file.path)
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

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::shapes::host::Phase;
    use mclive_compiler::language::{Inmanta, Mcl};

    fn told(answer: Answer) -> Simulated {
        let Answer::Simulated(simulated) = answer else { panic!("{answer:?}") };
        *simulated
    }

    #[test]
    fn a_host_that_just_goes_on_tells_little() {
        let mut desk = Desk::new(&[&Mcl]);
        let files = vec![main_file("file \"/srv/x\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n")];
        let deploy = |fresh| Request::Deploy { files: files.clone(), hostname: "web1".into(), fresh, prepare: vec![] };
        let first = told(desk.answer(deploy(true))).parts;
        assert!(first.resources.is_some() && first.values.is_some() && first.files.is_some());
        let advance = || Request::Advance { by_ms: 5_000, to_next: false };
        let applied = told(desk.answer(advance())).parts;
        assert!(applied.files.is_some_and(|files| files.iter().any(|file| file.path == "/srv/x")));
        assert_eq!(told(desk.answer(advance())).parts, Parts::default());
        let action = HostAction::Write { path: "/srv/y".into(), text: String::new() };
        let acted = told(desk.answer(Request::Act { action })).parts;
        assert!(acted.files.is_some() && acted.values.is_none());
        // Who begins anew knows nothing.
        assert!(told(desk.answer(deploy(true))).parts.values.is_some());
    }

    #[test]
    fn a_new_host_is_prepared_before_its_program_runs() {
        let mut desk = Desk::new(&[&Mcl]);
        let files = vec![main_file("exec \"x\" {\n\tcmd => \"fetch\",\n}\n")];
        let write = HostAction::Write { path: "/etc/old".into(), text: "as it was".into() };
        let (line, prints) = ("fetch".into(), "fetched".into());
        let prepare = vec![write, HostAction::Command { line, prints, status: 0, takes_ms: 0 }];
        desk.answer(Request::Deploy { files, hostname: "web1".into(), fresh: true, prepare });
        desk.answer(Request::Advance { by_ms: 1_000, to_next: false });
        let seen = told(desk.answer(Request::Look { hostname: "web1".into() }));
        assert!(seen.parts.files.is_some_and(|files| files.iter().any(|file| file.text == "as it was")));
        assert!(
            seen.parts.resources.is_some_and(|all| all[0].phase == Phase::Changed || all[0].phase == Phase::InState)
        );
    }

    #[test]
    fn all_hosts_of_a_model_are_simulated() {
        let mut desk = Desk::new(&[&Inmanta]);
        let text = include_str!("../../examples/hosts.cf");
        let files = vec![ProgramFile { path: "/main.cf".into(), text: text.to_owned() }];
        let Answer::Checked(said) = desk.answer(Request::Check { files: files.clone() }) else { panic!("not checked") };
        assert!(said.is_empty(), "{said:?}");
        let Answer::Drawn(drawn) = desk.answer(Request::Draw { hostname: "web1".into() }) else { panic!("not drawn") };
        assert_eq!(drawn.hosts, ["db1", "web1", "web2"]);
        assert!(drawn.functions.is_some_and(|model| model.graph.vertices.len() > 3));
        assert!(drawn.resources.is_some_and(|resources| !resources.graph.vertices.is_empty()));
        let deployed = desk.answer(Request::Deploy { files, hostname: "web1".into(), fresh: true, prepare: vec![] });
        assert!(told(deployed).snapshot.hostname == "web1");
        desk.answer(Request::Advance { by_ms: 5_000, to_next: false });
        for host in ["web1", "web2", "db1"] {
            let seen = told(desk.answer(Request::Look { hostname: host.into() }));
            let files = seen.parts.files.expect("a host that is new to the page is told whole");
            let is_there = files.iter().any(|file| file.path.starts_with("/srv/") && file.text.contains(host));
            assert!(is_there && seen.snapshot.converged, "{host}: {files:?}");
        }
    }
}
