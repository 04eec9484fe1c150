//! The worker's client: posts one request, waits for its answer at most so long, and puts a new
//! worker in the place of one that broke or does not answer.

use super::browser;
use crate::state::{Action, Lost};
use crate::worker::protocol::{Answer, Envelope, Reply, Request};
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use js_sys::{Function, Promise, Reflect};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker};

/// How long an answer may take. The compiler's own limits end earlier.
const PATIENCE_S: u32 = 6;

type Dispatch = Rc<dyn Fn(Action)>;

#[derive(Clone)]
pub(super) struct Client(Rc<RefCell<Desk>>);

struct Desk {
    worker: Option<Worker>,
    /// Hears the worker; dropped with it.
    listeners: Vec<EventListener>,
    deadline: Option<Timeout>,
    number: u64,
    busy: bool,
    dispatch: Dispatch,
    /// What the editor has asked, by number, and how it is told.
    asked: BTreeMap<u64, Function>,
    last_asked: u64,
}

/// The editor's questions are numbered from here; they do not wait for their turn.
const FIRST_QUESTION: u64 = 1 << 40;

impl PartialEq for Client {
    fn eq(&self, other: &Client) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Client {
    pub(super) fn new(dispatch: Dispatch) -> Client {
        let desk = Desk {
            worker: None,
            listeners: Vec::new(),
            deadline: None,
            number: 0,
            busy: false,
            dispatch,
            asked: BTreeMap::new(),
            last_asked: FIRST_QUESTION,
        };
        let client = Client(Rc::new(RefCell::new(desk)));
        client.start();
        client
    }

    fn start(&self) {
        let worker = browser::start_worker();
        let (on_message, on_error) = (self.clone(), self.clone());
        let message = EventListener::new(&worker, "message", move |event| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                on_message.heard(&event.data());
            }
        });
        let error = EventListener::new(&worker, "error", move |_| on_error.replace(broke("the worker could not load")));
        let mut desk = self.0.borrow_mut();
        desk.worker = Some(worker);
        desk.listeners = vec![message, error];
    }

    /// Sends a request; its number must be new. Nothing is sent while an answer is awaited.
    pub(super) fn post(&self, number: u64, request: Request) {
        let mut desk = self.0.borrow_mut();
        let Some(worker) = desk.worker.as_ref().filter(|_| !desk.busy) else { return };
        let text = serde_json::to_string(&Envelope { number, request }).expect("a request is plain data");
        if worker.post_message(&JsValue::from_str(&text)).is_err() {
            return;
        }
        let client = self.clone();
        desk.number = number;
        desk.busy = true;
        desk.deadline =
            Some(Timeout::new(PATIENCE_S * 1000, move || client.replace(Lost::Hung { seconds: PATIENCE_S })));
    }

    /// Asks for the editor: the promise gives the answer's JSON text, or null when the worker was lost.
    pub(super) fn ask(&self, request: Request) -> Promise {
        let client = self.clone();
        Promise::new(&mut move |resolve, _| {
            let mut desk = client.0.borrow_mut();
            desk.last_asked += 1;
            let number = desk.last_asked;
            let text =
                serde_json::to_string(&Envelope { number, request: request.clone() }).expect("a request is plain data");
            let sent =
                desk.worker.as_ref().is_some_and(|worker| worker.post_message(&JsValue::from_str(&text)).is_ok());
            if sent {
                desk.asked.insert(number, resolve);
            } else {
                let _ = resolve.call1(&JsValue::NULL, &JsValue::NULL);
            }
        })
    }

    fn tell(&self, reply: Reply) {
        let told = self.0.borrow_mut().asked.remove(&reply.number);
        let Some(resolve) = told else { return };
        let answer = match reply.answer {
            Answer::Told(answer) => {
                JsValue::from_str(&serde_json::to_string(&answer).expect("an answer is plain data"))
            }
            _ => JsValue::NULL,
        };
        let _ = resolve.call1(&JsValue::NULL, &answer);
    }

    fn heard(&self, data: &JsValue) {
        let field =
            |name: &str| Reflect::get(data, &JsValue::from_str(name)).ok().filter(|value| !value.is_undefined());
        if field("ready").is_some() {
            self.say(Action::WorkerReady);
        } else if let Some(broken) = field("broken") {
            self.replace(broke(&broken.as_string().unwrap_or_default()));
        } else if let Some(text) = field("answer").and_then(|answer| answer.as_string()) {
            match serde_json::from_str::<Reply>(&text) {
                Ok(reply) if reply.number > FIRST_QUESTION => self.tell(reply),
                Ok(reply) => {
                    let mut desk = self.0.borrow_mut();
                    desk.busy = false;
                    desk.deadline = None;
                    drop(desk);
                    self.say(Action::Answered(reply.number, reply.answer));
                }
                Err(error) => self.replace(broke(&format!("an answer that cannot be read: {error}"))),
            }
        }
    }

    /// Ends the worker and starts another one.
    fn replace(&self, lost: Lost) {
        let mut desk = self.0.borrow_mut();
        if let Some(worker) = desk.worker.take() {
            worker.terminate();
        }
        let number = desk.number;
        desk.busy = false;
        desk.deadline = None;
        let old = std::mem::take(&mut desk.listeners);
        let asked = std::mem::take(&mut desk.asked);
        drop(desk);
        for resolve in asked.into_values() {
            let _ = resolve.call1(&JsValue::NULL, &JsValue::NULL);
        }
        // We may be inside one of these listeners: they are dropped when it has returned.
        Timeout::new(0, move || drop(old)).forget();
        self.say(Action::WorkerLost(number, lost));
        self.start();
    }

    fn say(&self, action: Action) {
        let dispatch = self.0.borrow().dispatch.clone();
        dispatch(action);
    }
}

fn broke(text: &str) -> Lost {
    Lost::Broke { text: text.to_owned() }
}
