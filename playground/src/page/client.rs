//! The worker's client: one message at a time, each with a deadline. A worker that crashes or misses a deadline is
//! replaced. Until the compiler is there, and whenever a part of it has to be loaded for an answer, the deadline is that of
//! loading.

use super::browser;
use super::heard::Heard;
use crate::state::{Action, File, Lost, Notice, RELOAD, Tone};
use crate::worker::protocol::{Answer, ProgramFile, Request};
use futures::channel::oneshot;
use futures::future::{Either, select};
use futures::lock::Mutex;
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use gloo_timers::future::TimeoutFuture;
use js_sys::Reflect;
use mclive_base::layout::Layout;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker};
use yew::platform::spawn_local;

/// The deadline of an answer. The compiler's own limits are far lower: this is for defects, and a slow machine that
/// has much else to do must not meet it.
const PATIENCE_S: u32 = 20;

/// The deadline for loading the compiler or a part of it, over a slow network.
const LOAD_S: u32 = 90;

/// Deadlines are counted in slices of one second, so that a machine that sleeps in the meantime loses only one of them.
const SLICE_MS: u32 = 1_000;

/// The delay before a worker that failed to load is tried again; doubles each time.
const FIRST_PAUSE_MS: u32 = 1_000;
const LONGEST_PAUSE_MS: u32 = 60_000;

type Dispatch = Rc<dyn Fn(Action)>;

#[derive(Clone)]
pub(super) struct Client(Rc<Line>);

/// The connection to the worker.
struct Line {
    dispatch: Dispatch,
    /// Which worker it is: the file extension of its language, or `judge`.
    module: Cell<&'static str>,
    /// Whether a lost worker is replaced at once, not with the next question.
    eager: bool,
    worker: RefCell<Option<Worker>>,
    /// Whether the worker is ready for requests.
    is_ready: Cell<bool>,
    /// Whether the next worker loads all of the compiler before it is ready: a part that was needed could not be loaded.
    is_whole: Cell<bool>,
    /// Whether the server has the compiler of another version only: no worker is started by itself until the page is
    /// reloaded.
    is_outdated: Cell<bool>,
    /// The number of workers so far.
    n_started: Cell<u32>,
    /// The number of workers in a row that failed to load.
    n_failed: Cell<u32>,
    /// Listens to the worker; dropped with it.
    listeners: RefCell<Vec<EventListener>>,
    /// Held from a message to its answer: waiting callers get it in order.
    turn: Mutex<()>,
    /// The receiver of the awaited answer.
    awaited: RefCell<Option<oneshot::Sender<Result<Heard, Lost>>>>,
    /// The caller that waits for a starting worker.
    starting: RefCell<Option<oneshot::Sender<Result<(), Lost>>>>,
    /// The remaining time for the awaited answer. Units: seconds.
    left_s: Cell<u32>,
    /// Whether the worker is loading a part of the compiler for that answer.
    is_loading: Cell<bool>,
    /// The program's files, and those that a lesson adds. Editor queries use them.
    files: RefCell<Vec<File>>,
}

impl PartialEq for Client {
    fn eq(&self, other: &Client) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Client {
    /// A client whose worker is always running.
    pub(super) fn new(dispatch: Dispatch, layout: &'static Layout) -> Client {
        let client = Client::of(dispatch, layout.suffix, true);
        client.start();
        let starter = client.clone();
        let online = EventListener::new(&browser::window(), "online", move |_| starter.start_if_none());
        // The page keeps this client as long as it exists.
        online.forget();
        client
    }

    /// A client whose worker starts with the first request, and after a crash with the next one. A crash is reported
    /// to the caller only.
    pub(super) fn lazy(module: &'static str) -> Client {
        Client::of(Rc::new(|_| {}), module, false)
    }

    fn of(dispatch: Dispatch, module: &'static str, eager: bool) -> Client {
        Client(Rc::new(Line {
            dispatch,
            module: Cell::new(module),
            eager,
            worker: RefCell::default(),
            is_ready: Cell::new(false),
            is_whole: Cell::new(false),
            is_outdated: Cell::new(false),
            n_started: Cell::new(0),
            n_failed: Cell::new(0),
            listeners: RefCell::default(),
            turn: Mutex::new(()),
            awaited: RefCell::default(),
            starting: RefCell::default(),
            left_s: Cell::new(PATIENCE_S),
            is_loading: Cell::new(false),
            files: RefCell::default(),
        }))
    }

    /// The program with this text in one of its files: the editor may be a keystroke ahead.
    pub(super) fn files(&self, path: &str, text: String) -> Vec<ProgramFile> {
        let files = self.0.files.borrow();
        let with = |file: &File| {
            let is_it = path.strip_prefix('/') == Some(&*file.name);
            let content = if is_it && file.binary.is_none() { text.as_bytes() } else { file.bytes() };
            ProgramFile::new(format!("/{}", file.name), content)
        };
        files.iter().map(with).collect()
    }

    /// The text of a file of the program; `None`: there is no such file, or it is not text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let files = self.0.files.borrow();
        let file = files.iter().find(|file| *file.name == *name && file.binary.is_none());
        file.map(|file| file.text.to_string())
    }

    pub(super) fn take_files(&self, files: Vec<File>) {
        *self.0.files.borrow_mut() = files;
    }

    /// Switches to another language: its worker replaces the current one.
    pub(super) fn speak(&self, layout: &'static Layout) {
        if self.0.module.replace(layout.suffix) != layout.suffix {
            self.0.n_failed.set(0);
            self.0.is_whole.set(false);
            self.0.is_outdated.set(false);
            self.end();
            self.start();
            let changed = broke("the language was changed");
            if let Some(starting) = self.0.starting.borrow_mut().take() {
                let _ = starting.send(Err(changed.clone()));
            }
            self.answer(Err(changed));
        }
    }

    fn start_if_none(&self) {
        let is_none = self.0.worker.borrow().is_none();
        if is_none && !self.0.is_outdated.get() {
            self.start();
        }
    }

    fn start(&self) {
        let worker = browser::start_worker(self.0.module.get(), self.0.is_whole.get());
        let (on_message, on_error) = (self.clone(), self.clone());
        let message = EventListener::new(&worker, "message", move |event| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                on_message.heard(&event.data());
            }
        });
        let error = EventListener::new(&worker, "error", move |_| on_error.lose(on_error.fault("the worker failed")));
        *self.0.worker.borrow_mut() = Some(worker);
        *self.0.listeners.borrow_mut() = vec![message, error];
        let number = self.0.n_started.get() + 1;
        self.0.n_started.set(number);
        let client = self.clone();
        spawn_local(async move { client.limit_loading(number).await });
    }

    /// Replaces the worker with this number if it does not load in time: a connection may stay silent forever. A line
    /// that was too slow gets more time.
    async fn limit_loading(&self, number: u32) {
        let n_doubled = self.0.n_failed.get().min(2) + u32::from(self.0.is_whole.get());
        let seconds = LOAD_S << n_doubled;
        for _ in 0..seconds {
            TimeoutFuture::new(SLICE_MS).await;
            let is_gone = self.0.n_started.get() != number || self.0.worker.borrow().is_none();
            if is_gone || self.0.is_ready.get() {
                return;
            }
        }
        self.lose(unloaded(&format!("it did not arrive within {seconds} seconds")));
    }

    /// Starts the worker in advance. A failure is reported at the next request.
    pub(super) async fn warm(&self) {
        let _turn = self.0.turn.lock().await;
        if !self.0.is_ready.get() {
            let _ = self.ready().await;
        }
    }

    /// Asks the worker, after earlier callers.
    ///
    /// Errors: the worker was lost because of this request. [`Action::WorkerLost`] informs everything else.
    pub(super) async fn ask(&self, request: Request) -> Result<Answer, Lost> {
        let _turn = self.0.turn.lock().await;
        if !self.0.is_ready.get() {
            self.ready().await?;
        }
        self.send(request).await?.answer().ok_or_else(|| broke("the worker answered with an object for the editor"))
    }

    /// The same for a question that may be out of date when its turn comes. `None`: it was, and the worker was spared.
    pub(super) async fn ask_if(&self, is_of_use: impl Fn() -> bool, request: Request) -> Result<Option<Heard>, Lost> {
        let _turn = self.0.turn.lock().await;
        if !self.0.is_ready.get() {
            self.ready().await?;
        }
        match is_of_use() {
            true => self.send(request).await.map(Some),
            false => Ok(None),
        }
    }

    /// Sends a request to the worker, which is ready, in the caller's turn.
    async fn send(&self, request: Request) -> Result<Heard, Lost> {
        let message = browser::to_object(&request).ok_or_else(|| broke("the request cannot be sent"))?;
        let (sender, answer) = oneshot::channel();
        *self.0.awaited.borrow_mut() = Some(sender);
        let sent = self.0.worker.borrow().as_ref().is_some_and(|worker| worker.post_message(&message).is_ok());
        if !sent {
            return Err(broke("the worker does not accept messages"));
        }
        self.patiently(answer).await
    }

    /// Waits until the worker is ready, and starts it if there is none. Loading has its own deadline.
    async fn ready(&self) -> Result<(), Lost> {
        let is_none = self.0.worker.borrow().is_none();
        // An eager client's next worker starts after its pause.
        if is_none && self.0.eager {
            return Err(unloaded("the last attempt failed"));
        }
        let (sender, ready) = oneshot::channel();
        *self.0.starting.borrow_mut() = Some(sender);
        if is_none {
            self.start();
        }
        ready.await.unwrap_or_else(|_| Err(broke("the worker was replaced")))
    }

    /// Waits for the answer until the deadline, which the worker's messages may move; then replaces the worker.
    async fn patiently(&self, mut answer: oneshot::Receiver<Result<Heard, Lost>>) -> Result<Heard, Lost> {
        self.0.left_s.set(PATIENCE_S);
        loop {
            match select(answer, TimeoutFuture::new(SLICE_MS)).await {
                Either::Left((said, _)) => return said.unwrap_or_else(|_| Err(broke("the worker was replaced"))),
                Either::Right(((), waiting)) => answer = waiting,
            }
            let left_s = self.0.left_s.get().saturating_sub(1);
            self.0.left_s.set(left_s);
            if left_s == 0 {
                return Err(self.give_up());
            }
        }
    }

    /// Replaces a worker that did not answer in time.
    fn give_up(&self) -> Lost {
        let lost = match self.0.is_loading.get() {
            true => {
                self.0.is_whole.set(true);
                unloaded(&format!("a part of it did not arrive within {LOAD_S} seconds"))
            }
            false => Lost::Hung { seconds: PATIENCE_S },
        };
        self.replace();
        lost
    }

    fn heard(&self, data: &JsValue) {
        let field =
            |name: &str| Reflect::get(data, &JsValue::from_str(name)).ok().filter(|value| !value.is_undefined());
        if field("ready").is_some() {
            self.0.is_ready.set(true);
            if self.0.n_failed.replace(0) > 0 {
                (self.0.dispatch)(Action::Say(None));
            }
            if let Some(starting) = self.0.starting.borrow_mut().take() {
                let _ = starting.send(Ok(()));
            }
            (self.0.dispatch)(Action::WorkerReady);
        } else if let Some(loading) = field("loading") {
            let is_loading = loading.is_truthy();
            self.0.is_loading.set(is_loading);
            self.0.left_s.set(if is_loading { LOAD_S } else { PATIENCE_S });
            (self.0.dispatch)(Action::WorkerLoads(is_loading));
        } else if field("gone").is_some() {
            self.tell_gone();
        } else if field("outdated").is_some() {
            self.0.is_outdated.set(true);
            self.lose(unloaded("it belongs to a different version of the page"));
            self.tell_gone();
        } else if let Some(lacking) = field("lacking") {
            // With all of the compiler, this cannot happen to the next worker.
            self.0.is_whole.set(true);
            self.lose(unloaded(&lacking.as_string().unwrap_or_default()));
        } else if field("full").is_some() {
            self.lose(Lost::Full);
        } else if let Some(broken) = field("broken") {
            self.lose(self.fault(&broken.as_string().unwrap_or_default()));
        } else if let Some(answer) = field("answer") {
            match Heard::of(answer) {
                Ok(answer) => drop(self.answer(Ok(answer))),
                Err(error) => self.lose(broke(&format!("invalid response from the worker: {error}"))),
            }
        }
    }

    /// Says that parts of the compiler will not come.
    fn tell_gone(&self) {
        let text = "A newer version of this page is available, and parts of this one are gone. Reload the page.".into();
        (self.0.dispatch)(Action::Say(Some(Notice { tone: Tone::Bad, text })));
    }

    /// Delivers the awaited answer; false if no caller waits.
    fn answer(&self, answer: Result<Heard, Lost>) -> bool {
        let awaited = self.0.awaited.borrow_mut().take();
        awaited.is_some_and(|awaited| awaited.send(answer).is_ok())
    }

    /// What a failure of the worker means.
    fn fault(&self, text: &str) -> Lost {
        if self.0.is_ready.get() { broke(text) } else { unloaded(text) }
    }

    /// The worker crashed: informs the waiting caller, otherwise the model.
    fn lose(&self, lost: Lost) {
        self.replace();
        if let Some(starting) = self.0.starting.borrow_mut().take() {
            let _ = starting.send(Err(lost));
        } else if !self.answer(Err(lost.clone())) {
            (self.0.dispatch)(Action::WorkerLost(None, lost));
        }
    }

    /// Terminates the worker.
    fn end(&self) {
        self.0.is_ready.set(false);
        self.0.is_loading.set(false);
        if let Some(worker) = self.0.worker.borrow_mut().take() {
            worker.terminate();
        }
        let old = std::mem::take(&mut *self.0.listeners.borrow_mut());
        // This may run inside one of these listeners: drop them after it has returned.
        Timeout::new(0, move || drop(old)).forget();
    }

    /// Terminates the worker, and starts another one if it is always to run: at once or, if this one failed to load,
    /// after a pause that doubles, or when the browser is online again.
    fn replace(&self) {
        let was_ready = self.0.is_ready.get();
        self.end();
        let n_failed = self.0.n_failed.get() + u32::from(!was_ready);
        self.0.n_failed.set(n_failed);
        if !self.0.eager {
            // The next one starts with the next question, and has more time to load.
            return;
        }
        if was_ready {
            return self.start();
        }
        if self.0.is_outdated.get() {
            // The same would come again.
            return;
        }
        // There is no first view that the site's other files could delay.
        browser::keep_site();
        let pause_ms = (FIRST_PAUSE_MS << (n_failed - 1).min(16)).min(LONGEST_PAUSE_MS);
        let text = format!("Cannot load the compiler; retrying in {} s. {RELOAD}", pause_ms.div_ceil(1000));
        (self.0.dispatch)(Action::Say(Some(Notice { tone: Tone::Bad, text })));
        let client = self.clone();
        Timeout::new(pause_ms, move || client.start_if_none()).forget();
    }
}

fn broke(text: &str) -> Lost {
    Lost::Broke { text: text.to_owned() }
}

fn unloaded(text: &str) -> Lost {
    Lost::Unloaded { text: text.to_owned() }
}
