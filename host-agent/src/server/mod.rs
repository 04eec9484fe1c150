//! [`Playground`]: the answers of `mclive serve`: the built site, short links with their previews, embeds, and the API.
//!
//! ```text
//! request > who asks (`client`) > may they (`rates`) > `route` > files | links | api > headers by class > counted, logged
//! ```
//!
//! One thread of the network answers; disk operations run on threads of [`tokio::task::spawn_blocking`], the compiler
//! on separate threads ([`compute`]). No path of a request ever reaches the file system: the site is a table in memory,
//! and a program is named by an [`Id`](crate::share::Id).

mod access;
mod api;
mod client;
mod compute;
mod failures;
mod files;
mod graph;
mod headers;
mod landing;
mod links;
mod local;
mod metrics;
mod origins;
mod picture;
mod rates;
mod reply;
mod route;

pub(crate) use access::AccessLog;
pub(crate) use client::Range;
pub(crate) use compute::{Bounds as ComputeBounds, Compute};
pub(crate) use files::{Site as Files, read as read_files};
pub(crate) use headers::Headers;
pub(crate) use local::Local;
pub(crate) use metrics::Figures;
pub(crate) use origins::{Origin, admitted};
pub(crate) use rates::{Rate, Rates};

use crate::network::http::{self, Body, Bytes, Limits, Method, Request, Response, StatusCode, header};
use crate::share::{LARGEST_BODY, Memory, Store};
use client::Asker;
use metrics::Metrics;
use rates::Kind;
use reply::Reply;
use route::Route;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The parts of a server.
pub(crate) struct Playground {
    pub(crate) site: Files,
    /// Older built sites, by their version.
    pub(crate) versions: BTreeMap<String, Files>,
    /// `None`: programs cannot be shared, and there are no short links.
    pub(crate) store: Option<Store>,
    pub(crate) headers: Headers,
    pub(crate) compute: Compute,
    pub(crate) rates: Rates,
    /// The proxies that are trusted to name their clients.
    pub(crate) proxies: Vec<Range>,
    /// The start of links, if it differs from the requested address.
    pub(crate) public_url: Option<String>,
    pub(crate) log: Option<AccessLog>,
    pub(crate) metrics: Arc<Metrics>,
}

impl http::Site for Playground {
    fn limits(&self) -> Limits {
        Limits { body: LARGEST_BODY, ..Limits::READ_ONLY }
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let began = Instant::now();
        let asker = Asker::of(&request, &self.proxies);
        let route = Route::of(request.uri().path(), &self.versions);
        let reply = match self.rates.judge(asker.client, began) {
            Ok(()) => {
                self.rates.charge(asker.client, Kind::Requests, 1.0, began);
                self.rates.charge(asker.client, Kind::Bytes, request.body().len() as f64, began);
                self.reply(&request, &route, &asker).await
            }
            Err(wait) => {
                self.metrics.limited();
                Reply::refusal(StatusCode::TOO_MANY_REQUESTS, "too many requests from this address").retry_after(wait)
            }
        };
        let answer = reply.finish(route.class(), &self.headers);
        let size = http_body_size(&answer);
        self.rates.charge(asker.client, Kind::Bytes, size as f64, Instant::now());
        self.metrics.answered(route.name(), answer.status(), began.elapsed());
        if let Some(log) = &self.log {
            log.write(asker.client, request.method(), request.uri().path(), answer.status(), size, began.elapsed());
        }
        answer
    }
}

impl Playground {
    /// For one user on this machine: programs are kept in memory, and there are no rate limits.
    pub(crate) fn local(site: Files) -> Playground {
        let bounds = ComputeBounds { memory: 512 << 20, time: Duration::from_secs(30) };
        Playground {
            site,
            versions: BTreeMap::new(),
            store: Some(Store::new(Memory::default())),
            headers: Headers::new(&[]),
            compute: Compute::new(2, bounds),
            rates: Rates::new(None, None, None),
            proxies: Vec::new(),
            public_url: None,
            log: None,
            metrics: Arc::default(),
        }
    }

    async fn reply(&self, request: &Request<Bytes>, route: &Route<'_>, asker: &Asker) -> Reply {
        let allowed = route.methods();
        let method = request.method();
        if method == Method::OPTIONS && route.is_for_all_origins() {
            return Reply::empty(StatusCode::NO_CONTENT).with(header::ACCESS_CONTROL_ALLOW_METHODS, allowed);
        }
        if !allowed.split(", ").any(|one| one == method.as_str()) {
            let said = format!("method not allowed; use {allowed}");
            return Reply::refusal(StatusCode::METHOD_NOT_ALLOWED, &said).with(header::ALLOW, allowed);
        }
        match route {
            Route::Alive => Reply::text("ok\n"),
            Route::Ready => self.ready().await,
            Route::File { version, path } => {
                let site = version.map_or(&self.site, |version| &self.versions[version]);
                site.answer(path, request.headers())
            }
            Route::Link(id) => self.landing(id, asker).await,
            Route::Embed(id) => self.embed(id).await,
            Route::Preview(id) => self.preview(id, asker.client).await,
            Route::About => self.about(),
            Route::Share => self.share(request.body(), asker).await,
            Route::Program(id) => self.program(id, request.headers()).await,
            Route::Ask(question) => self.ask(*question, request.body(), asker.client).await,
            Route::Description => Reply::json_text(api::DESCRIPTION),
            Route::Moved(to) => Reply::empty(StatusCode::PERMANENT_REDIRECT).with(header::LOCATION, to),
            Route::Unknown => Reply::refusal(StatusCode::NOT_FOUND, "not found"),
        }
    }

    /// Whether all parts of this server work.
    async fn ready(&self) -> Reply {
        match &self.store {
            Some(store) => match store.is_ready().await {
                Ok(()) => Reply::text("ready\n"),
                // The details are for the operator: they are in the metrics and the log of the server.
                Err(why) => {
                    self.metrics.store_failed(&why);
                    Reply::refusal(StatusCode::SERVICE_UNAVAILABLE, "cannot read the store")
                }
            },
            None => Reply::text("ready\n"),
        }
    }
}

fn http_body_size(answer: &Response<Body>) -> u64 {
    use hyper::body::Body as _;
    answer.body().size_hint().lower()
}
