//! [`Model`]: everything the page shows comes from here.

use super::learn::Learn;
use super::problem::range_in;
use super::program::{File, Program};
use super::shared::Shared;
use super::staged::Staged;
use crate::worker::protocol::{Picture, ProgramFile, Request};
use mclive_base::layout::Layout;
use mclive_base::shapes;
use mclive_base::shapes::host::{Holding, HostCard, HostFile, LogLine, Mark, ResourceState, Snapshot};
use std::collections::VecDeque;
use std::rc::Rc;

/// How many lines of the log are kept.
pub const MAX_LOG: usize = 400;

/// How many moments are kept.
pub const MAX_MARKS: usize = 10_000;

/// The page's state. Big parts are shared, so a copy is cheap.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub program: Program,
    /// The file that was deleted last, and where it stood among the others.
    pub removed: Option<(usize, File)>,
    /// Numbers the program: rises with each change of a text or a name.
    pub edit: u64,
    /// The last edit after which typing paused.
    pub settled: u64,
    /// Rises when the page, not the editor, changed the text; the editor follows.
    pub pushed: u64,
    /// Rises when what the page puts there is another document: undo does not lead back into the one before.
    pub documents: u64,
    /// How often another program was put into the editor.
    pub opened: u64,
    /// The edit with which the last one was: answers to older ones are about another program.
    pub opened_at: u64,
    /// Somebody changed the text since it was put there.
    pub is_edited: bool,
    /// The edit that the address stands for.
    pub linked: u64,
    pub check: Check,
    pub sim: Sim,
    pub worker: WorkerState,
    /// The request that is under way; there is never a second one.
    pub flight: Option<Flight>,
    pub last_number: u64,
    /// What people asked for and the worker has not got yet.
    pub queue: VecDeque<Request>,
    /// The last visit ended in the middle of a run: nothing runs before someone says so.
    pub held: bool,
    pub view: View,
    pub selected: Option<Selection>,
    pub theme: Option<Theme>,
    pub notice: Option<Notice>,
    /// A code's page that is being read.
    pub explained: Option<(String, String)>,
    pub keys_shown: bool,
    pub learn: Learn,
    /// The scenario that is shown, if it is one.
    pub staged: Option<Staged>,
    /// This is a first visit, and the greeting was not closed yet.
    pub welcome: bool,
    /// What is to be given out. With the number of the request, since the same may be saved twice.
    pub saved: Option<(u64, Saved)>,
    /// How often somebody asked for a link.
    pub n_shares: u64,
    /// The links that are shown.
    pub offer: Option<Offer>,
    /// The place that somebody went to last, and how often somebody did.
    pub revealed: Option<shapes::Place>,
    pub n_revealed: u64,
}

/// What somebody asked for, to keep it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Saved {
    /// What was done, as a text archive with a scenario.
    Scenario(Rc<str>),
    File {
        name: String,
        content: Rc<[u8]>,
    },
}

/// A program that somebody wants to share.
#[derive(Clone, PartialEq, Debug)]
pub struct Offer {
    /// The link that holds the program itself.
    pub link: String,
    /// What a frame of another site shows, behind the `#`.
    pub fragment: String,
    pub program: Program,
}

/// What the last compilation found.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Check {
    /// The edit that it is about; 0: none yet.
    pub edit: u64,
    pub result: Shared<Vec<shapes::Diagnostic>>,
    /// The same as of the last pause in typing: the list of problems is calm while squiggles are quick.
    pub calm: Shared<Vec<shapes::Diagnostic>>,
    /// The edit whose graphs are drawn.
    pub drawn: u64,
    /// The hosts that the program tells of; none, where it is for whichever host it runs on.
    pub hosts: Shared<Vec<String>>,
    /// The pictures of the last program that had any: they stay while errors are being typed.
    pub functions: Shared<Picture<shapes::FunctionGraph>>,
    pub resources: Shared<Picture<shapes::ResourceGraph>>,
    /// The worker was lost over this edit.
    pub lost: Option<Lost>,
}

impl Check {
    pub fn n_errors(&self) -> usize {
        self.result.iter().filter(|one| is_error(one)).count()
    }
}

/// Does it keep the program from running?
pub fn is_error(one: &shapes::Diagnostic) -> bool {
    match one.severity {
        shapes::Severity::Error | shapes::Severity::Bug => true,
        shapes::Severity::Warning | shapes::Severity::Note => false,
    }
}

/// The simulated host.
#[derive(Clone, PartialEq, Debug)]
pub struct Sim {
    /// The edit whose program runs there; 0: none.
    pub edit: u64,
    pub playing: bool,
    /// Simulated milliseconds per millisecond.
    pub speed: u32,
    /// Simulated time that has passed and was not yet asked for. Units: milliseconds.
    pub due_ms: u64,
    /// The next deploy starts from an empty host.
    pub fresh: bool,
    pub hostname: String,
    /// Without its large parts, which are the three below.
    pub snapshot: Shared<Snapshot>,
    /// In the order of the resource graph.
    pub states: Shared<Vec<ResourceState>>,
    pub values: Shared<Vec<Option<String>>>,
    pub files: Shared<Vec<HostFile>>,
    pub resources: Option<Shared<Picture<shapes::ResourceGraph>>>,
    pub log: Shared<VecDeque<LogLine>>,
    /// All moments that mattered, oldest first; those ahead of `step` too.
    pub marks: Shared<VecDeque<Mark>>,
    /// Counts what has happened up to the moment that is shown.
    pub step: u64,
    /// The moment is one before the last program was deployed.
    pub is_earlier_program: bool,
    pub cards: Shared<Vec<HostCard>>,
    /// What the host has beside files.
    pub holdings: Shared<Vec<Holding>>,
    /// What was asked of the time and takes more than one answer.
    pub errand: Option<Request>,
    /// The worker was lost while this program ran; it is not tried again by itself.
    pub lost: Option<Lost>,
}

impl Default for Sim {
    fn default() -> Sim {
        Sim {
            edit: 0,
            playing: true,
            speed: 1,
            due_ms: 0,
            fresh: true,
            hostname: "web1".into(),
            snapshot: Shared::default(),
            states: Shared::default(),
            values: Shared::default(),
            files: Shared::default(),
            resources: None,
            log: Shared::default(),
            marks: Shared::default(),
            step: 0,
            is_earlier_program: false,
            cards: Shared::default(),
            holdings: Shared::default(),
            errand: None,
            lost: None,
        }
    }
}

/// Why the worker had to be replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lost {
    /// No answer in time.
    Hung { seconds: u32 },
    /// It broke: a fault of ours, with what it said.
    Broke { text: String },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkerState {
    Starting,
    Ready,
}

/// A request under way.
#[derive(Clone, PartialEq, Debug)]
pub struct Flight {
    pub number: u64,
    /// The edit that was current when it was sent.
    pub edit: u64,
    pub request: Request,
}

/// What the right side shows; on a small screen, what is shown at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// The text of a lesson, and the editor: views of their own on small screens only.
    Lesson,
    Code,
    Resources,
    Functions,
    Host,
    Log,
}

/// The vertex that is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// A place in the function graph.
    Function(u32),
    /// `kind[name]`.
    Resource(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theme {
    Dark,
    Light,
}

/// A message that goes away by itself or by a click.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    Good,
    Bad,
}

impl Model {
    /// A page that opens with this program. `held`: it waits for a word before it runs anything.
    pub fn new(program: Program, held: bool, theme: Option<Theme>) -> Model {
        Model {
            program,
            removed: None,
            edit: 1,
            settled: 1,
            pushed: 0,
            documents: 0,
            opened: 0,
            opened_at: 0,
            is_edited: false,
            linked: 1,
            check: Check::default(),
            sim: Sim::default(),
            worker: WorkerState::Starting,
            flight: None,
            last_number: 0,
            queue: VecDeque::new(),
            held,
            view: View::Resources,
            selected: None,
            theme,
            notice: None,
            explained: None,
            keys_shown: false,
            learn: Learn::default(),
            staged: None,
            welcome: false,
            saved: None,
            n_shares: 0,
            offer: None,
            revealed: None,
            n_revealed: 0,
        }
    }

    /// The text in the editor.
    pub fn text(&self) -> &Rc<str> {
        &self.program.shown().text
    }

    /// The language of the program.
    pub fn layout(&self) -> &'static Layout {
        self.program.layout()
    }

    /// The program's files, and those that a lesson puts beside them.
    pub fn files(&self) -> Vec<ProgramFile> {
        let beside = self.lesson().map(|lesson| lesson.files.as_slice()).unwrap_or_default();
        self.program.to_request().into_iter().chain(beside.iter().cloned()).collect()
    }

    /// What the worker should do next, if it is free. The order is the order of importance: what
    /// the text says, what people asked for, the program on the host, the passing of time.
    pub fn next_request(&self) -> Option<Request> {
        if self.flight.is_some() || self.worker != WorkerState::Ready {
            return None;
        }
        // A text that is worked on is looked at; what runs waits for the word.
        let looks = !self.held || self.is_edited;
        if looks && self.check.edit != self.edit {
            return Some(Request::Check { files: self.files() });
        }
        // What follows waits for a pause in typing.
        let settled = self.settled == self.edit && self.check.edit == self.edit;
        if looks && settled && self.check.drawn != self.edit && self.check.lost.is_none() {
            return Some(Request::Draw { hostname: self.sim.hostname.clone() });
        }
        if let Some(request) = self.queue.front() {
            return Some(request.clone());
        }
        let checked = settled && self.check.lost.is_none() && self.check.n_errors() == 0;
        // A scenario says by itself what its hosts run.
        let checked = checked && self.staged.is_none();
        if !self.held && checked && self.sim.edit != self.edit && self.sim.lost.is_none() {
            let (hostname, fresh) = (self.sim.hostname.clone(), self.sim.fresh);
            let prepare = self.lesson().map(|lesson| lesson.host.clone()).unwrap_or_default();
            let hosts = self.sim.cards.iter().map(|card| card.host.clone()).collect();
            return Some(Request::Deploy { files: self.files(), hosts, hostname, fresh, prepare });
        }
        if let Some(request) = self.sim.errand.as_ref().filter(|_| self.is_running()) {
            return Some(request.clone());
        }
        // While somebody types, the host waits: what the text says comes first.
        let typing = self.settled != self.edit;
        if self.is_running() && self.sim.playing && self.sim.due_ms > 0 && !typing {
            return Some(Request::Advance { by_ms: self.sim.due_ms });
        }
        None
    }

    /// Is there a program on the simulated host?
    pub fn is_running(&self) -> bool {
        self.sim.edit != 0 && self.sim.lost.is_none()
    }

    /// The resource graph to draw: the running one, else what the compiler foresees.
    pub fn resources(&self) -> &Shared<Picture<shapes::ResourceGraph>> {
        let in_force = self.sim.resources.as_ref().filter(|_| self.shows_graph_in_force());
        in_force.unwrap_or(&self.check.resources)
    }

    /// Is the resource graph that is drawn the running one? Just after the deploy none is in force yet: the foreseen one
    /// stays, without a flicker.
    pub fn shows_graph_in_force(&self) -> bool {
        self.is_running() && self.sim.snapshot.generation > 0 && self.sim.resources.is_some()
    }

    /// The function graph's edges and the program's values belong together only for one text.
    pub fn value_of(&self, vertex: u32) -> Option<&str> {
        let value = self.sim.values.get(vertex as usize)?.as_deref();
        value.filter(|_| self.tells_values())
    }

    /// Are the host's values those of the text?
    pub fn tells_values(&self) -> bool {
        self.is_running() && self.sim.edit == self.check.edit && !self.sim.is_earlier_program
    }

    /// Where a resource stands in the text: the compiler's word counts before that of the host,
    /// whose resources may be older than the text.
    pub fn resource_place(&self, id: &str) -> Option<shapes::Place> {
        let find = |picture: &Picture<shapes::ResourceGraph>| {
            picture.graph.vertices.iter().find(|vertex| vertex.id() == id)?.place.clone()
        };
        find(&self.check.resources).or_else(|| find(self.resources()))
    }

    /// Where the selected vertex stands in the text that is shown. Units: UTF-16.
    pub fn selected_range(&self) -> Option<(usize, usize)> {
        let place = match self.selected.as_ref()? {
            Selection::Function(index) => self.check.functions.graph.vertices.get(*index as usize)?.place.clone(),
            Selection::Resource(id) => self.resource_place(id),
        };
        place.and_then(|place| range_in(self.program.shown(), &place))
    }
}
