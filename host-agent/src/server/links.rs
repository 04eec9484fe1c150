//! Shared programs, short links, and their previews.

use super::client::{Asker, Client};
use super::files::knows;
use super::graph::Graph;
use super::picture::{self, Form};
use super::reply::{HTML, Reply};
use super::{Playground, api, landing};
use crate::embed::contract::{GraphFormat, GraphKind, Program, SourceFile};
use crate::network::http::{Bytes, HeaderMap, StatusCode, header};
use crate::share::{Fault, Id, LARGEST_BODY, Put, Shared, Store, Theme};
use mclive_base::protocol::trace::{self, LastProgram};

impl Playground {
    /// Stores a program and returns its link.
    pub(super) async fn share(&self, body: &Bytes, asker: &Asker) -> Reply {
        let Some(store) = &self.store else { return no_store() };
        let shared = match Shared::read(body) {
            Ok(shared) => shared,
            Err(why) => return Reply::refusal(StatusCode::BAD_REQUEST, &why),
        };
        let content = shared.canonical();
        // In base64 it may have been short enough.
        if content.len() > LARGEST_BODY {
            let (most, size) = (LARGEST_BODY >> 10, content.len().div_ceil(1 << 10));
            let why = format!("a shared program can have at most {most} KiB in JSON; this one has {size} KiB");
            return Reply::refusal(StatusCode::BAD_REQUEST, &why);
        }
        match store.put(content.into()).await {
            Ok(Put { id, is_new, mended }) => {
                self.metrics.stored(is_new);
                mended.iter().for_each(|place| self.metrics.mended(place));
                let url = format!("{}/s/{id}", self.origin(asker));
                let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
                Reply::json(status, &serde_json::json!({ "id": id.as_str(), "url": url })).with(header::LOCATION, &url)
            }
            Err(fault) => self.fault(fault),
        }
    }

    /// The stored program, as it was hashed.
    pub(super) async fn program(&self, id: &Id, asked: &HeaderMap) -> Reply {
        let Some(store) = &self.store else { return no_store() };
        let tag = format!("\"{id}\"");
        match store.get(id).await {
            Ok(Some(_)) if knows(asked, &tag) => Reply::empty(StatusCode::NOT_MODIFIED).with(header::ETAG, &tag),
            Ok(Some(content)) => Reply::json_text(content).with(header::ETAG, &tag),
            Ok(None) => nothing(),
            Err(fault) => self.fault(fault),
        }
    }

    /// The page of a short link: the preview, and the redirection for people.
    pub(super) async fn landing(&self, id: &Id, asker: &Asker) -> Reply {
        match self.stored(id).await {
            Ok(shared) => {
                let origin = self.origin(asker);
                let site = self.older(&shared).map_or_else(|| "../".to_owned(), |version| format!("../v/{version}/"));
                let html = landing::page(id, &shared, &origin, &site);
                Reply::new(StatusCode::OK, HTML, html)
            }
            Err(refusal) => refusal.into_page(landing::refused),
        }
    }

    /// Redirects to the page for frames, which fetches the program itself, with the author's view settings.
    pub(super) async fn embed(&self, id: &Id) -> Reply {
        match self.stored(id).await {
            Ok(shared) => {
                let theme = match shared.view.theme {
                    Some(Theme::Light) => "&theme=light",
                    Some(Theme::Dark) => "&theme=dark",
                    None => "",
                };
                let lock = if shared.view.read_only { "&readonly=1" } else { "" };
                // The frame of its version, if that has one.
                let frame = |version: &&str| self.versions[*version].has("embed/index.html");
                let older = self.older(&shared).filter(frame);
                let site = older.map_or_else(|| "./".to_owned(), |version| format!("../v/{version}/embed/"));
                Reply::empty(StatusCode::FOUND).with(header::LOCATION, &format!("{site}#s={id}{theme}{lock}"))
            }
            Err(refusal) => refusal,
        }
    }

    /// The version that wrote a program, if it is an older one that is served.
    fn older<'s>(&self, shared: &'s Shared) -> Option<&'s str> {
        let version = shared.version.as_str();
        (version != env!("CARGO_PKG_VERSION") && self.versions.contains_key(version)).then_some(version)
    }

    /// A picture of a program's resource graph on a simulated host; for a recorded run, of its last program. If the
    /// program has no resource graph, or is refused, the picture has no resources.
    pub(super) async fn preview(&self, id: &Id, form: Form, client: Client) -> Reply {
        let shared = match self.stored(id).await {
            Ok(shared) => shared,
            Err(refusal) => return refusal,
        };
        if let Some(kept) = self.previews.get(id, form) {
            return shown(form, kept);
        }
        // The thread of the sandbox draws as well: the one of the network has other clients to serve.
        let drawn = self.compute(client, move |mut sandbox| {
            let of = Some(GraphKind::Resources);
            let Some((program, host)) = ran(&shared) else { return Ok(picture::empty(form)) };
            let graph = sandbox.graph(&program, of, GraphFormat::Json, host.as_deref(), None, &api::shown())?;
            Ok(picture::draw(&graph.map(|json| Graph::read(&json)).unwrap_or_default(), form))
        });
        match drawn.await {
            Ok(Ok(picture)) => {
                self.previews.keep(id, form, &picture);
                shown(form, picture)
            }
            // Another attempt may have more luck, for example while fewer programs run: no cache keeps this one.
            Ok(Err(_)) => Reply::new(StatusCode::OK, form.content_type(), picture::empty(form)),
            Err(busy) => busy,
        }
    }

    async fn stored(&self, id: &Id) -> Result<Shared, Reply> {
        let store: &Store = self.store.as_ref().ok_or_else(no_store)?;
        let content = store.get(id).await.map_err(|fault| self.fault(fault))?.ok_or_else(nothing)?;
        Shared::read(&content).map_err(|why| Reply::refusal(StatusCode::NOT_IMPLEMENTED, &why))
    }

    fn fault(&self, fault: Fault) -> Reply {
        match fault {
            Fault::TakenDown(reason) => {
                Reply::refusal(StatusCode::GONE, &format!("this program has been taken down: {reason}"))
            }
            // Where it is, is for the operator.
            Fault::Damaged(place) => {
                self.metrics.damaged(&place);
                Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, "the stored program is damaged")
            }
            Fault::NoRoom => Reply::refusal(
                StatusCode::INSUFFICIENT_STORAGE,
                "there is no room for another program; `mclive open` keeps programs in memory until it exits",
            ),
            Fault::Unavailable(why) => {
                self.metrics.store_failed(&why);
                Reply::refusal(StatusCode::SERVICE_UNAVAILABLE, "the store is not responding; try again later")
            }
        }
    }

    fn origin(&self, asker: &Asker) -> String {
        self.public_url.clone().unwrap_or_else(|| asker.origin.clone())
    }
}

/// The program, or the last one of a recorded run, with its host.
fn ran(shared: &Shared) -> Option<(Program, Option<String>)> {
    let Some(trace) = shared.trace() else { return Some((api::program(shared), None)) };
    let LastProgram { hostname, files, entry } = trace::last_program(trace)?;
    let files = files.into_iter().map(|(path, content)| SourceFile { path, content }).collect();
    Some((Program { files, entry, environment: Vec::new() }, Some(hostname)))
}

/// The drawing may improve, and a removed program must disappear soon.
fn shown(form: Form, picture: Bytes) -> Reply {
    Reply::new(StatusCode::OK, form.content_type(), picture).with(header::CACHE_CONTROL, "public, max-age=3600")
}

fn no_store() -> Reply {
    Reply::refusal(StatusCode::NOT_FOUND, "this server does not store programs: share the long link")
}

fn nothing() -> Reply {
    Reply::refusal(StatusCode::NOT_FOUND, "no program found for this link")
}
