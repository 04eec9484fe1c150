//! Pages of controls: their values, notifications of changes, and answers for each part of a page.
//!
//! ```text
//! save/ --> values --> a change of the resource's watch
//!             `------> one wake for each open event stream, which sends the differences
//! ```

use super::answer::{answered, form, is_own_form, plain};
use super::hold::Held;
use super::{Open, Web};
use crate::network::http::{Body, Bytes, Method, Request, Response, StatusCode, header};
use mclive_base::protocol::Input;
use mclive_base::vocab::page::{self, About, Page, Pages, Part, Shown, Values};
use mclive_base::vocab::store::Keys;
use mclive_base::vocab::{HostError, Route, serve, server};
use std::collections::BTreeMap;
use tokio::sync::{mpsc, watch};

/// The values of a server's pages. Waiters for a change are also woken when they are dropped.
#[derive(Default)]
pub(super) struct Shows {
    pages: Pages,
    changes: watch::Sender<()>,
}

impl Shows {
    pub(super) fn follow(&mut self, old: &[Route], new: &[Route], keys: &dyn Keys) {
        self.pages.follow(old, new, keys);
        self.changes.send_replace(());
    }
}

impl Web {
    /// The answer to `Probe::Server(server::Probe::Shown)`.
    pub(in crate::host::subject) fn shown(&self, address: &str) -> Option<Vec<Shown>> {
        let servers = self.servers.lock();
        servers.values().find_map(|running| {
            let state = running.open.state.lock();
            (state.spec.address == address).then(|| state.pages.pages.shown())
        })
    }

    /// Errors: no server is open at this address.
    pub(in crate::host::subject) fn show(&self, step: &server::Step) -> Result<(), HostError> {
        let servers = self.servers.lock();
        for running in servers.values() {
            let mut state = running.open.state.lock();
            if state.spec.address == step.address {
                state.pages.pages.of(&step.page).show(&step.id, step.value.as_deref());
                state.pages.changes.send_replace(());
                return Ok(());
            }
        }
        Err(step.no_server())
    }
}

/// The answer to a request for a part of a page, by its path.
pub(super) fn answer(
    open: &Open,
    request: &Request<Bytes>,
    (path, page): (&str, &Page),
    part: &Part,
) -> Response<Body> {
    let shown = |kind: &str, body: String| {
        let headers = [
            (header::CONTENT_TYPE, kind),
            (header::CACHE_CONTROL, "no-cache"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::CONTENT_SECURITY_POLICY, page::CONTENT_SECURITY),
            (header::REFERRER_POLICY, "same-origin"),
        ];
        answered(StatusCode::OK, &headers, body)
    };
    const JSON: &str = "application/json";
    match part {
        Part::Redirect => to_index(path, StatusCode::FOUND),
        Part::Index => {
            let about = About {
                program: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
                hostname: &open.shared.hostname,
            };
            let mut state = open.state.lock();
            shown("text/html; charset=utf-8", page.html(state.pages.pages.of(path), &about))
        }
        Part::Script => shown("text/javascript; charset=utf-8", page::SCRIPT.to_owned()),
        Part::Style => shown("text/css; charset=utf-8", page::STYLE.to_owned()),
        Part::List => shown(JSON, page.list()),
        Part::Value(id) => match page.control(id) {
            Some(control) => {
                let mut state = open.state.lock();
                shown(JSON, page::value_json(state.pages.pages.of(path).of(control)))
            }
            None => plain(StatusCode::NOT_FOUND),
        },
        Part::Ping => shown("text/plain; charset=utf-8", String::new()),
        Part::Events if request.method() == Method::HEAD => shown("text/event-stream", String::new()),
        Part::Events => events(open, path),
        Part::Save => save(open, request, path, page),
    }
}

/// An absolute path, so that it cannot refer to another server.
fn to_index(path: &str, status: StatusCode) -> Response<Body> {
    let place = format!("/{}", serve::escaped(&format!("{}index.html", path.trim_start_matches('/'))));
    answered(status, &[(header::LOCATION, &place)], "")
}

/// A browser without scripts is redirected back to the page.
fn save(open: &Open, request: &Request<Bytes>, path: &str, page: &Page) -> Response<Body> {
    let refuse =
        |status, why: &str| answered(status, &[(header::CONTENT_TYPE, "application/json")], page::error_json(why));
    if !is_own_form(request) {
        return refuse(StatusCode::FORBIDDEN, "the form was submitted from another site");
    }
    let body = form(request);
    if body.split(|byte| *byte == b'&').count() > super::MOST_FIELDS {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "the form has too many fields");
    }
    let mut state = open.state.lock();
    if let Err(why) = page.save(state.pages.pages.of(path), &serve::form(body)) {
        return refuse(StatusCode::BAD_REQUEST, &why);
    }
    state.pages.changes.send_replace(());
    open.shared.tell(Input::Fired(state.ticket, Some(format!("POST {path}save/"))));
    drop(state);
    let accepted = request.headers().get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok());
    match accepted {
        Some(kinds) if kinds.contains("text/html") => to_index(path, StatusCode::SEE_OTHER),
        _ => answered(StatusCode::OK, &[], ""),
    }
}

/// A stream of control values: all of them first, then each change. For a slow reader only the latest value of each is
/// kept.
fn events(open: &Open, path: &str) -> Response<Body> {
    let Some(held) = Held::take(&open.n_held) else {
        return answered(StatusCode::SERVICE_UNAVAILABLE, &[(header::RETRY_AFTER, "1")], "");
    };
    let (send, pieces) = mpsc::channel(1);
    let mut changes = {
        let state = open.state.lock();
        state.pages.changes.subscribe()
    };
    let (state, path) = (open.state.clone(), path.to_owned());
    tokio::spawn(async move {
        let _held = held;
        let (mut edition, mut told) = (String::new(), BTreeMap::new());
        loop {
            let text = {
                let mut state = state.lock();
                let spec = state.spec.clone();
                let Some(page) = page::page(&spec.routes, &path) else { return };
                let mut text = page::beginning(page);
                if text == edition {
                    text.clear();
                } else {
                    edition = text.clone();
                }
                tell(page, state.pages.pages.of(&path), &mut told, &mut text);
                text
            };
            if !text.is_empty() && send.send(Ok(Bytes::from(text))).await.is_err() {
                return;
            }
            tokio::select! {
                // The client has disconnected.
                () = send.closed() => return,
                changed = changes.changed() => if changed.is_err() { return },
            }
        }
    });
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    answered(StatusCode::OK, &headers, Body::pieces(pieces, None))
}

/// Adds the differences to the values sent before.
fn tell(page: &Page, values: &Values, told: &mut BTreeMap<String, Vec<u8>>, text: &mut String) {
    for control in &page.controls {
        let value = values.of(control);
        if told.get(&control.id).map(Vec::as_slice) != Some(value) {
            text.push_str(&page::event(&control.id, value));
            told.insert(control.id.clone(), value.to_vec());
        }
    }
}
