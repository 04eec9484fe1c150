//! The worker's client: one message at a time, each with a deadline. A worker that broke or does not answer in time
//! is replaced by a new one.

use super::browser;
use crate::state::{Action, Lost};
use crate::worker::protocol::{Answer, Request};
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

/// How long an answer may take. The compiler's own limits end earlier.
const PATIENCE_S: u32 = 6;

type Dispatch = Rc<dyn Fn(Action)>;

#[derive(Clone)]
pub(super) struct Client(Rc<Line>);

/// The line to the worker.
struct Line {
    dispatch: Dispatch,
    /// The language that the worker understands.
    layout: Cell<&'static Layout>,
    worker: RefCell<Option<Worker>>,
    /// Hears the worker; dropped with it.
    listeners: RefCell<Vec<EventListener>>,
    /// Held from a message to its answer: those who wait get it in their order.
    turn: Mutex<()>,
    /// Where the awaited answer goes.
    awaited: RefCell<Option<oneshot::Sender<Result<Answer, Lost>>>>,
}

impl PartialEq for Client {
    fn eq(&self, other: &Client) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Client {
    pub(super) fn new(dispatch: Dispatch, layout: &'static Layout) -> Client {
        let client = Client(Rc::new(Line {
            dispatch,
            layout: Cell::new(layout),
            worker: RefCell::default(),
            listeners: RefCell::default(),
            turn: Mutex::new(()),
            awaited: RefCell::default(),
        }));
        client.start();
        client
    }

    /// The path of the file that the program begins with.
    pub(super) fn main(&self) -> String {
        format!("/{}", self.0.layout.get().main)
    }

    /// Goes on in another language: its worker takes the place of the one that is there.
    pub(super) fn speak(&self, layout: &'static Layout) {
        if self.0.layout.replace(layout) != layout {
            self.replace();
            self.answer(Err(broke("another language was chosen")));
        }
    }

    fn start(&self) {
        let worker = browser::start_worker(self.0.layout.get().suffix);
        let (on_message, on_error) = (self.clone(), self.clone());
        let message = EventListener::new(&worker, "message", move |event| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                on_message.heard(&event.data());
            }
        });
        let error = EventListener::new(&worker, "error", move |_| on_error.lose(broke("the worker could not load")));
        *self.0.worker.borrow_mut() = Some(worker);
        *self.0.listeners.borrow_mut() = vec![message, error];
    }

    /// Asks the worker, after those who asked before.
    ///
    /// Errors: the worker was lost over this request. Everybody else is told by [`Action::WorkerLost`].
    pub(super) async fn ask(&self, request: Request) -> Result<Answer, Lost> {
        let _turn = self.0.turn.lock().await;
        let message = browser::to_object(&request).ok_or_else(|| broke("a request that cannot be sent"))?;
        let (sender, answer) = oneshot::channel();
        *self.0.awaited.borrow_mut() = Some(sender);
        let sent = self.0.worker.borrow().as_ref().is_some_and(|worker| worker.post_message(&message).is_ok());
        if !sent {
            return Err(broke("the worker takes no message"));
        }
        match select(answer, TimeoutFuture::new(PATIENCE_S * 1000)).await {
            Either::Left((answer, _)) => answer.unwrap_or_else(|_| Err(broke("the worker was replaced"))),
            Either::Right(_) => {
                let lost = Lost::Hung { seconds: PATIENCE_S };
                self.replace();
                Err(lost)
            }
        }
    }

    fn heard(&self, data: &JsValue) {
        let field =
            |name: &str| Reflect::get(data, &JsValue::from_str(name)).ok().filter(|value| !value.is_undefined());
        if field("ready").is_some() {
            (self.0.dispatch)(Action::WorkerReady);
        } else if let Some(broken) = field("broken") {
            self.lose(broke(&broken.as_string().unwrap_or_default()));
        } else if let Some(answer) = field("answer") {
            match serde_wasm_bindgen::from_value(answer) {
                Ok(answer) => drop(self.answer(Ok(answer))),
                Err(error) => self.lose(broke(&format!("an answer that cannot be read: {error}"))),
            }
        }
    }

    /// Hands on the awaited answer; false when nobody waits.
    fn answer(&self, answer: Result<Answer, Lost>) -> bool {
        let awaited = self.0.awaited.borrow_mut().take();
        awaited.is_some_and(|awaited| awaited.send(answer).is_ok())
    }

    /// The worker broke: whoever waits is told, or else the model.
    fn lose(&self, lost: Lost) {
        self.replace();
        if !self.answer(Err(lost.clone())) {
            (self.0.dispatch)(Action::WorkerLost(None, lost));
        }
    }

    /// Ends the worker and starts another one.
    fn replace(&self) {
        if let Some(worker) = self.0.worker.borrow_mut().take() {
            worker.terminate();
        }
        let old = std::mem::take(&mut *self.0.listeners.borrow_mut());
        // We may be inside one of these listeners: they are dropped when it has returned.
        Timeout::new(0, move || drop(old)).forget();
        self.start();
    }
}

fn broke(text: &str) -> Lost {
    Lost::Broke { text: text.to_owned() }
}
