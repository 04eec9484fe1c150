//! The worker: handles a request by calling the compiler, lays out graphs, and answers.
//!
//! It keeps three things between messages: the last analysis, shared by compilation and editor queries; the last drawing
//! of each graph, so that drawings are stable; and the simulated host.

mod blocks;
mod drawing;
mod print;
mod repeat;
mod rerun;
mod telling;
#[cfg(test)]
mod tests;
mod turn;

use super::protocol::{Answer, Drawn, Graph, Parts, ProgramFile, Request};
use blocks::Blocks;
use drawing::Canvas;
use mclive_base::diag::{self, codes};
use mclive_base::layout::{self, Layout};
use mclive_base::protocol::Moment;
use mclive_base::shapes::editor;
use mclive_base::shapes::host::{Goal, HostAction};
use mclive_base::shapes::scenario::Cue;
use mclive_base::shapes::{Diagnostic, FunctionGraph};
use mclive_base::source::{MemoryWorld, Sources};
use mclive_base::span::Span;
use mclive_compiler::face::fleet::{Fleet, Ran};
use mclive_compiler::face::graphs::InWords;
use mclive_compiler::face::simulation::Simulation;
use mclive_compiler::language::{Editable, Language, Opened, language_of};
use telling::Told;
use turn::Turn;

/// Longer programs are refused at once.
const MAX_TEXT: usize = 1 << 20;

/// The maximum number of steps of a run that is recorded, or repeated with another program, in one go.
const MAX_RECORDED: usize = 100_000;

/// The state of the worker.
pub struct Session {
    /// The supported languages. A module links only the its own languages table.
    languages: &'static [&'static dyn Editable],
    functions: Canvas,
    resources: Canvas,
    analysis: Option<Analysed>,
    /// The simulated hosts.
    fleet: Fleet,
    turn: Turn,
    /// The host displayed by the page.
    host: String,
    /// The host to display when a repetition has ended.
    back_at: String,
    /// The last deployed program.
    deployed: Vec<ProgramFile>,
    /// The step up to which the page has that host's log.
    logged: u64,
    /// The resource graph that the page has.
    shown: u64,
    /// The parts of the host's state that the page has.
    told: Parts,
    /// Whether the page has the state of another moment, and was notified of progress only.
    is_behind: bool,
}

/// A program with its analysis.
struct Analysed {
    files: Vec<ProgramFile>,
    opened: Box<dyn Opened>,
    functions: Option<FunctionGraph>,
}

/// The host name used for checking a program.
const HOSTNAME: &str = "web1";

impl Analysed {
    /// The values of the expressions at a place, from a simulated host that runs this exact program.
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

impl Session {
    /// A worker with these languages; `clock` tells it when the page gets its turn, in milliseconds.
    pub fn new(languages: &'static [&'static dyn Editable], clock: fn() -> f64) -> Session {
        Session {
            languages,
            functions: Canvas::default(),
            resources: Canvas::default(),
            analysis: None,
            fleet: Fleet::new(spoken(languages)),
            turn: Turn::by(clock),
            host: String::new(),
            back_at: String::new(),
            deployed: Vec::new(),
            logged: 0,
            shown: 0,
            told: Parts::default(),
            is_behind: false,
        }
    }

    /// Handles a request.
    pub fn answer(&mut self, request: Request) -> Answer {
        match request {
            Request::Check { files } => match too_long(&files) {
                Some(why) => {
                    self.analysis = None;
                    let said = diag::Diagnostic::error(codes::PROGRAM_TOO_LARGE, diag::Stage::Input, why);
                    Answer::Checked(vec![Diagnostic::of(&Sources::default(), &said)])
                }
                None => Answer::Checked(self.analysed(files).opened.diagnostics().diagnostics),
            },
            Request::Draw { files, hostname, in_full } => match too_long(&files) {
                Some(_) => Answer::Drawn(Box::default()),
                None => Answer::Drawn(Box::new(self.draw(files, &hostname, in_full))),
            },
            Request::Ask { files, query } => match too_long(&files) {
                Some(why) => declined(why),
                None => self.ask(files, &query).map_or_else(declined, Answer::Told),
            },
            Request::Deploy { files, hosts, hostname, fresh, prepare } => {
                if let Some(why) = too_long(&files) {
                    return declined(why);
                }
                self.deploy(files, hosts, hostname, fresh, &prepare)
            }
            Request::Look { hostname } => {
                self.back_at.clone_from(&hostname);
                self.host = hostname;
                self.simulated(Told::All, Ran::Reached)
            }
            Request::Advance { by_ms } => {
                let until = self.fleet.now().plus_ms(by_ms);
                let is_there = self.turn.take(|n_steps| self.fleet.advance_to(until, n_steps).then_some(()));
                self.simulated(Told::News, is_there.map_or(Ran::NotYet, |()| Ran::Reached))
            }
            Request::Run { goal, until_ms } => {
                let ran = self.run(goal, Moment::default().plus_ms(until_ms));
                self.simulated(Told::News, ran)
            }
            Request::Seek { .. } if !self.fleet.goes_back() => {
                declined("There are too many steps to go back; start over to use the timeline again.".into())
            }
            Request::Seek { step } => {
                let is_there = self.turn.take(|n_steps| self.fleet.seek(step, n_steps).then_some(()));
                self.arrived(is_there.is_some())
            }
            Request::Shift { step, by_ms } => {
                let begun = self.fleet.shift(step, by_ms);
                self.begin_to_repeat(begun)
            }
            Request::TakeBack { step } => {
                let begun = self.fleet.take_back(step);
                self.begin_to_repeat(begun)
            }
            Request::Repeat => self.repeat(),
            Request::StopRepeating => self.stop_repeating(),
            Request::Arrange { action } => match self.fleet.arrange(&action) {
                Ok(()) => self.simulated(Told::News, Ran::Reached),
                Err(why) => declined(why),
            },
            Request::Replay { trace } => match Fleet::replay(spoken(self.languages), &self.host, &trace) {
                Ok((fleet, program)) => {
                    let file = |(path, content)| ProgramFile { path: format!("/{path}"), content };
                    let program: Vec<ProgramFile> = program.into_iter().map(file).collect();
                    let is_spoken = |of: &Layout| self.languages.iter().any(|language| language.layout() == of);
                    if !layout::of(entry(&program)).is_none_or(is_spoken) {
                        return Answer::OtherLanguage { program };
                    }
                    self.fleet = fleet;
                    self.deployed.clone_from(&program);
                    let mut answer = self.simulated(Told::All, Ran::Reached);
                    if let Answer::Simulated(simulated) = &mut answer {
                        (simulated.program, simulated.is_earlier_program) = (program, false);
                    }
                    answer
                }
                Err(why) => declined(why),
            },
            Request::Record { hostname, .. } => {
                let is_over = self.turn.timer(rerun::LONGEST_MS);
                match self.fleet.record(&hostname, MAX_RECORDED, is_over) {
                    Ok(trace) => Answer::Recorded { trace },
                    Err(why) => declined(why),
                }
            }
            Request::Act { action } => match self.fleet.act_on(&self.host.clone(), &action) {
                Ok(()) => self.simulated(Told::News, Ran::Reached),
                Err(why) => declined(why),
            },
            Request::Format { text, .. } => {
                let formatted = self.languages.first().and_then(|language| language.format(text.as_bytes()).ok());
                Answer::Formatted { text: formatted.and_then(|bytes| String::from_utf8(bytes).ok()) }
            }
            Request::Explain { code } => match self.page(&code) {
                Some(page) => Answer::Explained { code, page: page.to_owned() },
                None => declined(format!("no page found for `{code}`")),
            },
            Request::Stage { files, cues } => match Cue::unpack(&cues) {
                Ok(cues) => {
                    self.fleet = Fleet::stage(spoken(self.languages), bytes_of(&files), cues);
                    self.deployed = files;
                    let ran = self.run(Goal::Staged, Moment(u64::MAX));
                    self.simulated(Told::All, ran)
                }
                Err(why) => declined(why),
            },
            Request::Save => match self.fleet.scenario().map(|archive| archive.to_bytes()) {
                Ok(Some(bytes)) => Answer::Saved { text: String::from_utf8_lossy(&bytes).into_owned() },
                Ok(None) => declined("a line in the program looks like a file header in the archive".into()),
                Err(why) => declined(why),
            },
            Request::Print { files, graph, form, hostname, in_force, in_full } => {
                let text = match graph {
                    Graph::Functions if !in_full => self.printed_in_words(files, form),
                    Graph::Functions | Graph::Model | Graph::Resources => {
                        self.printed(files, graph, form, &hostname, in_force)
                    }
                };
                match text {
                    Some(text) => Answer::Printed { text },
                    None => declined("The program has errors; fix them to save its graph.".into()),
                }
            }
            Request::Rerun { files, hostname } => self.rerun(&files, &hostname).unwrap_or_else(declined),
            Request::Judge { .. } | Request::Rehearse { .. } => {
                declined("lessons are checked by a separate worker".into())
            }
        }
    }

    /// The analysis of a program, cached for the same program.
    fn analysed(&mut self, files: Vec<ProgramFile>) -> &mut Analysed {
        if self.analysis.as_ref().is_some_and(|last| last.files != files) {
            self.analysis = None;
        }
        self.analysis.get_or_insert_with(|| {
            let world = MemoryWorld::of(bytes_of(&files));
            let entry = entry(&files).to_owned();
            let language = language_of(self.languages, &world, &entry).expect("a session has a language");
            Analysed { opened: language.open(world, &entry, HOSTNAME), files, functions: None }
        })
    }

    /// The page of a code: a language's own, or a common one.
    fn page(&self, code: &str) -> Option<&'static str> {
        let own = self.languages.iter().flat_map(|language| language.codes()).find(|entry| entry.code == code);
        let shared = || codes::REGISTER.iter().find(|entry| entry.code.to_string() == code).map(|entry| entry.page);
        own.map(|entry| entry.page).or_else(shared)
    }

    fn draw(&mut self, files: Vec<ProgramFile>, hostname: &str, in_full: bool) -> Drawn {
        let opened = &self.analysed(files).opened;
        let functions = match in_full {
            true => opened.picture().map(|graph| InWords { graph, number_of: Vec::new(), reads: opened.reads() }),
            false => opened.picture_in_words(),
        };
        let (functions, value_of, reads) = match functions {
            Some(InWords { graph, number_of, reads }) => (Some(graph), number_of, reads),
            None => (None, Vec::new(), Vec::new()),
        };
        let (hosts, resources) = (opened.hosts(), opened.resources(hostname));
        let blocks = match &resources {
            Some(graph) if drawing::is_listed(graph) => Blocks::of(opened.services()),
            _ => Blocks::default(),
        };
        Drawn {
            hosts,
            functions: functions.map(|graph| drawing::functions(graph, &mut self.functions)),
            value_of,
            reads,
            resources: resources.map(|graph| drawing::resources(graph, &blocks, &mut self.resources)),
        }
    }

    fn ask(&mut self, files: Vec<ProgramFile>, query: &editor::Query) -> Result<editor::Answer, String> {
        let is_hover = matches!(query.service, editor::Service::Hover { .. });
        let runs = is_hover && self.deployed == files;
        let host = self.fleet.host(&self.host).filter(|_| runs && self.runs_last());
        let values = host.map(Simulation::values).unwrap_or_default();
        self.analysed(files).values_at(&values, query)
    }

    fn run(&mut self, goal: Goal, until: Moment) -> Ran {
        let ran = |fleet: &mut Fleet, n_steps| match fleet.run(goal, until, n_steps) {
            Ran::NotYet => None,
            ran => Some(ran),
        };
        self.turn.take(|n_steps| ran(&mut self.fleet, n_steps)).unwrap_or(Ran::NotYet)
    }

    /// Deploys the program to every host; with `fresh` to new ones.
    fn deploy(
        &mut self,
        files: Vec<ProgramFile>,
        hosts: Vec<String>,
        hostname: String,
        fresh: bool,
        prepare: &[HostAction],
    ) -> Answer {
        if fresh {
            self.fleet = Fleet::new(spoken(self.languages));
        }
        let told = self.analysed(files.clone()).opened.hosts();
        let names =
            [told, hosts, vec![hostname.clone()]].into_iter().find(|names| !names.is_empty()).unwrap_or_default();
        self.host = if names.contains(&hostname) { hostname } else { names[0].clone() };
        if let Err(why) = self.fleet.deploy(&names, prepare, bytes_of(&files), entry(&files)) {
            return declined(why);
        }
        self.deployed = files;
        self.simulated(if fresh { Told::All } else { Told::News }, Ran::Reached)
    }

    /// Whether the hosts run the last deployed program; not so at an earlier moment.
    fn runs_last(&self) -> bool {
        self.fleet.runs(&bytes_of(&self.deployed).collect::<Vec<_>>())
    }
}

/// The languages in the brain's form.
fn spoken(languages: &[&'static dyn Editable]) -> Vec<&'static dyn Language> {
    languages.iter().map(|language| *language as &'static dyn Language).collect()
}

#[cfg(test)]
fn main_file(text: &str) -> ProgramFile {
    ProgramFile::new(format!("/{}", mclive_base::layout::MCL.main), text)
}

/// The main file.
fn entry(files: &[ProgramFile]) -> &str {
    files.first().map_or("/", |file| &file.path)
}

fn declined(why: String) -> Answer {
    Answer::Declined { why }
}

fn too_long(files: &[ProgramFile]) -> Option<String> {
    let size: usize = files.iter().map(|file| file.content.len()).sum();
    (size > MAX_TEXT).then(|| format!("the program has {size} bytes; the playground allows at most {MAX_TEXT}"))
}

fn bytes_of(files: &[ProgramFile]) -> impl Iterator<Item = (&str, &[u8])> {
    files.iter().map(|file| (file.path.as_str(), file.content.as_slice()))
}
