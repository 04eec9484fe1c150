//! [`Model`]: the whole state of the page.

use super::check::Check;
use super::compare::HostMoment;
use super::learn::Learn;
use super::offer::{Offer, Recording};
use super::previous::Previous;
use super::problem::range_in;
use super::program::{File, Program};
use super::shared::Shared;
use super::sim::Sim;
use super::staged::Staged;
use super::time::Repetition;
use super::view::{Notice, Section, Selection, Theme, View};
use super::why::Why;
use crate::worker::protocol::{About, Picture, ProgramFile, Request};
use mclive_base::layout::{self, Layout};
use mclive_base::shapes;
use std::collections::VecDeque;
use std::rc::Rc;

/// The page's state. Large parts are shared, so a copy is cheap.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// The program.
    pub program: Program,
    /// The last deleted file, and its position among the others.
    pub removed: Option<(usize, File)>,
    /// The files that were renamed since the page was opened: the name before and the one after, in this order.
    pub renamed: Vec<(Rc<str>, Rc<str>)>,
    /// The number of the program version: incremented with each change of a text or a name.
    pub edit: u64,
    /// The last edit after which typing paused.
    pub settled: u64,
    /// Incremented when the page, not the editor, changes the text; the editor then follows.
    pub pushed: u64,
    /// Incremented when the page replaces the document, so that undo does not return to the previous one.
    pub documents: u64,
    /// How often another program was put into the editor.
    pub opened: u64,
    /// The edit at that time: answers to older edits are about another program.
    pub opened_at: u64,
    /// Whether the user has changed the program since.
    pub is_edited: bool,
    /// What was displayed before, if there is a way back to it.
    pub previous: Option<Shared<Previous>>,
    /// The edit that the address contains.
    pub linked: u64,
    /// The result of the last compilation.
    pub check: Check,
    /// The simulated host.
    pub sim: Sim,
    /// The state of the worker.
    pub worker: WorkerState,
    /// The request in progress; there is at most one.
    pub flight: Option<Flight>,
    /// The number of the last request.
    pub last_number: u64,
    /// Requests of the user, not sent yet.
    pub queue: VecDeque<Request>,
    /// The last visit ended during a run: nothing runs until the user starts it.
    pub held: bool,
    /// The displayed view.
    pub view: View,
    /// The displayed section of the host.
    pub section: Section,
    /// The displayed file of the host; `None`: the first that the program declares.
    pub host_file: Option<String>,
    /// The selected vertex.
    pub selected: Option<Selection>,
    /// What led to it.
    pub why: Why,
    /// The chosen theme; `None`: the system's.
    pub theme: Option<Theme>,
    /// Whether the function graph shows all vertices by the engine's names instead of the program's words.
    pub in_full: bool,
    /// Whether the type is large, to be read from afar.
    pub large: bool,
    /// The displayed message.
    pub notice: Option<Notice>,
    /// The displayed page of a code: code and text.
    pub explained: Option<(String, String)>,
    /// Whether the keyboard help is shown.
    pub keys_shown: bool,
    /// The lessons.
    pub learn: Learn,
    /// The displayed scenario, if any.
    pub staged: Option<Staged>,
    /// The moment to compare with, if any.
    pub kept: Option<Shared<HostMoment>>,
    /// Whether to show the greeting of a first visit.
    pub welcome: bool,
    /// The item to deliver, with the number of the request, since the same may be saved twice.
    pub saved: Option<(u64, Saved)>,
    /// How often a link was requested.
    pub n_shares: u64,
    /// The displayed links.
    pub offer: Option<Offer>,
    /// The place of the last jump in the text.
    pub revealed: Option<shapes::Place>,
    /// The number of jumps.
    pub n_revealed: u64,
}

/// Something that the user saves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Saved {
    /// The actions so far, as a text archive with a scenario.
    Scenario(Rc<str>),
    /// A file.
    File {
        /// Its name.
        name: String,
        /// Its content.
        content: Rc<[u8]>,
    },
    /// A recorded run.
    Recording {
        /// The run.
        recording: Recording,
        /// It is to be shared, and not saved as a file.
        for_link: bool,
    },
}

/// Why the worker had to be replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Lost {
    /// No answer in time.
    Hung { seconds: u32 },
    /// It crashed, with its message.
    Broke { text: String },
    /// It asked for more memory than a worker may have.
    Full,
    /// The compiler, or a part of it that was needed, could not be loaded, with the reason.
    Unloaded { text: String },
}

/// What to do when something of the site could not be loaded: the server may have another build by now.
pub const RELOAD: &str = "If this page is out of date, reload it.";

/// The state of the worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkerState {
    /// Loading.
    Starting,
    /// Ready for requests.
    Ready,
    /// Loading a part of the compiler that the current request needs.
    Loading,
}

/// A request in progress.
#[derive(Clone, Debug)]
pub struct Flight {
    /// Its number. No other request has it.
    pub number: u64,
    /// The current edit when it was sent.
    pub edit: u64,
    /// The request.
    pub request: Request,
}

/// Requests contain whole programs, and models are compared after each action.
impl PartialEq for Flight {
    fn eq(&self, other: &Flight) -> bool {
        self.number == other.number
    }
}

impl Model {
    /// A page that opens with this program. `held`: it waits for the user before it runs anything.
    pub fn new(program: Program, held: bool, theme: Option<Theme>) -> Model {
        Model {
            program,
            removed: None,
            renamed: Vec::new(),
            edit: 1,
            settled: 1,
            pushed: 0,
            documents: 0,
            opened: 0,
            opened_at: 0,
            is_edited: false,
            previous: None,
            linked: 1,
            check: Check::default(),
            sim: Sim::default(),
            worker: WorkerState::Starting,
            flight: None,
            last_number: 0,
            queue: VecDeque::new(),
            held,
            view: View::Resources,
            section: Section::Files,
            host_file: None,
            selected: None,
            why: Why::default(),
            theme,
            in_full: false,
            large: false,
            notice: None,
            explained: None,
            keys_shown: false,
            learn: Learn::default(),
            staged: None,
            kept: None,
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

    /// Whether the program is as it was opened.
    pub fn is_untouched(&self) -> bool {
        self.edit == self.opened_at
    }

    /// Whether the program is a model, which has its instances in place of a function graph.
    pub fn has_model(&self) -> bool {
        *self.layout() == layout::INMANTA
    }

    /// The program's files, and those that a lesson adds.
    pub fn files(&self) -> Vec<ProgramFile> {
        let beside = self.lesson().map(|lesson| lesson.files.as_slice()).unwrap_or_default();
        self.program.to_request().into_iter().chain(beside.iter().cloned()).collect()
    }

    /// The next request for an idle worker, in order of importance: the text, requests of the user, the program on the
    /// host, the passing of time.
    pub fn next_request(&self) -> Option<Request> {
        if self.flight.is_some() || self.worker != WorkerState::Ready {
            return None;
        }
        // An edited text is compiled; running it needs permission.
        let looks = !self.held || self.is_edited;
        if looks && self.check.edit != self.edit {
            return Some(Request::Check { files: self.files() });
        }
        // Further requests wait for a pause in typing.
        let settled = self.settled == self.edit && self.check.edit == self.edit;
        if looks && settled && self.check.drawn != self.edit && self.check.lost.is_none() {
            let hostname = self.sim.hostname.clone();
            return Some(Request::Draw { files: self.files(), hostname, in_full: self.in_full });
        }
        // Everything else is about the history that is being repeated. The hosts can be looked at in the meantime.
        if self.is_repeating() {
            if self.sim.repetition.as_ref().is_some_and(Repetition::is_stopping) {
                return Some(Request::StopRepeating);
            }
            // What is done by hand is meant for the host that was displayed then, so later looks wait for it.
            let mut waiting = self.queue.iter().take_while(|request| !matches!(request, Request::Act { .. }));
            let look = waiting.find(|request| matches!(request, Request::Look { .. }));
            return Some(look.cloned().unwrap_or(Request::Repeat));
        }
        // What a link is to run waits for the user as the program does.
        let waits = |request: &Request| self.held && request.about() == About::NewHosts;
        if let Some(request) = self.queue.iter().find(|request| !waits(request)) {
            return Some(request.clone());
        }
        let checked = settled && self.check.lost.is_none() && self.check.n_errors() == 0;
        // A scenario itself determines what its hosts run.
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
        // While the user types, the host waits: the text comes first.
        let typing = self.settled != self.edit;
        if self.is_running() && self.sim.playing && self.sim.due_ms > 0 && !typing {
            return Some(Request::Advance { by_ms: self.sim.due_ms });
        }
        None
    }

    /// Whether the compiler has not checked the program yet: the known results are those of the previous one.
    pub fn is_unchecked(&self) -> bool {
        self.check.edit < self.opened_at.max(1)
    }

    /// Whether what follows from an action that was moved or taken back is still being repeated.
    pub(super) fn is_repeating(&self) -> bool {
        self.is_running() && self.sim.errand == Some(Request::Repeat)
    }

    /// Whether the first view is complete: the program runs, or does not start automatically.
    pub fn has_first_view(&self) -> bool {
        let is_idle = || self.worker == WorkerState::Ready && self.flight.is_none() && self.next_request().is_none();
        self.is_running() || is_idle()
    }

    /// Whether there is a program on the simulated host.
    pub fn is_running(&self) -> bool {
        self.sim.edit != 0 && self.sim.lost.is_none()
    }

    /// The resource graph to draw: the one in effect, otherwise the predicted one.
    pub fn resources(&self) -> &Shared<Picture<shapes::ResourceGraph>> {
        let in_force = self.sim.resources.as_ref().filter(|_| self.shows_graph_in_force());
        in_force.unwrap_or(&self.check.resources)
    }

    /// Whether the drawn resource graph is the one in effect. Just after a deploy there is none yet: the predicted one
    /// stays, without flicker.
    pub fn shows_graph_in_force(&self) -> bool {
        self.is_running() && self.sim.snapshot.generation > 0 && self.sim.resources.is_some()
    }

    /// The value of a vertex of the function graph, if it is known.
    pub fn value_of(&self, vertex: u32) -> Option<&str> {
        let vertex = self.check.value_of.get(vertex as usize).copied().unwrap_or(vertex);
        let value = self.sim.values.get(vertex as usize)?.as_deref();
        value.filter(|_| self.tells_values())
    }

    /// Whether the host's values are those of the function graph: both are of the same text. The next text may be typed
    /// already.
    pub fn tells_values(&self) -> bool {
        self.is_running() && self.sim.edit == self.check.functions_edit && !self.sim.is_earlier_program
    }

    /// The place of a resource in the text: the compiler's answer takes precedence over the host's, whose resources may
    /// be older than the text.
    pub fn resource_place(&self, id: &str) -> Option<shapes::Place> {
        let find = |picture: &Picture<shapes::ResourceGraph>| {
            picture.graph.vertices.iter().find(|vertex| vertex.has_id(id))?.place.clone()
        };
        find(&self.check.resources).or_else(|| find(self.resources()))
    }

    /// The place of the selected vertex in the displayed text. Units: UTF-16.
    pub fn selected_range(&self) -> Option<(usize, usize)> {
        let place = match self.selected.as_ref()? {
            Selection::Function(index) => self.check.functions.graph.vertices.get(*index as usize)?.place.clone(),
            Selection::Resource(id) => self.resource_place(id),
        };
        place.and_then(|place| range_in(self.program.shown(), &place))
    }
}
