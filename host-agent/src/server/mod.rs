//! [`Playground`]: the answers of `mclive serve`: the built site, short links with their previews, embeds, and the API.
//!
//! ```text
//! head > who asks (`client`) > may they (`rates`) > body > `route` > files | links | api > headers by class > charged,
//! counted, logged
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
mod previews;
mod rates;
mod reply;
mod route;
mod vitals;

pub(crate) use access::AccessLog;
pub(crate) use client::Range;
pub(crate) use compute::{Bounds as ComputeBounds, Compute};
pub(crate) use files::{Site as Files, read as read_files};
pub(crate) use headers::Headers;
pub(crate) use local::Local;
pub(crate) use metrics::Figures;
pub(crate) use origins::{Origin, admitted};
pub(crate) use previews::Previews;
pub(crate) use rates::{Rate, Rates};

use crate::network::http::{
    self, Body, Bytes, Limits, Method, Peer, Refusal, Request, Response, StatusCode, Why, header,
};
use crate::share::{LARGEST_BODY, Memory, Store};
use client::{Asker, Client};
use metrics::Metrics;
use rates::Kind;
use reply::Reply;
use route::Route;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    pub(crate) previews: Previews,
    pub(crate) rates: Rates,
    /// The proxies that are trusted to name their clients.
    pub(crate) proxies: Vec<Range>,
    /// Whether the operator was notified that a proxy is not trusted.
    pub(crate) has_warned: AtomicBool,
    /// The start of links, if it differs from the requested address.
    pub(crate) public_url: Option<String>,
    pub(crate) log: Option<AccessLog>,
    pub(crate) metrics: Arc<Metrics>,
}

impl http::Site for Playground {
    fn limits(&self) -> Limits {
        Limits { body: LARGEST_BODY, ..Limits::READ_ONLY }
    }

    fn admit(&self, head: &Request<()>) -> Result<(), Duration> {
        self.rates.judge(self.client(head), Instant::now())
    }

    fn party(&self, head: &Request<()>) -> IpAddr {
        self.client(head).0
    }

    fn refuse(&self, head: &Request<()>, refusal: &Refusal) -> Response<Body> {
        let status = refusal.why.status();
        let reply = match refusal.why {
            Why::TooOften(wait) => self.limited(wait),
            Why::Unclear => Reply::refusal(status, "this request cannot be read"),
            Why::TooLarge(most) => {
                Reply::refusal(status, &format!("this request is larger than the limit of {} KiB", most >> 10))
            }
            Why::TooSlow => Reply::refusal(status, "this request arrived too slowly"),
            Why::Busy => Reply::refusal(status, "too many large requests at once; try again later")
                .retry_after(Duration::from_secs(4)),
        };
        let route = Route::of(head.uri().path(), &self.versions);
        self.finish(head, &route, reply, refusal.n_bytes, refusal.took)
    }

    fn unread(&self, peer: Peer, status: StatusCode) {
        self.metrics.answered(Route::Unknown.name(), status, Duration::ZERO);
        if let Some(log) = &self.log {
            log.write(Client::of(peer.address.ip()), "-", "-", status, 0, Duration::ZERO);
        }
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let began = Instant::now();
        let asker = Asker::of(&request, &self.proxies);
        self.warn_of_proxy(&request);
        let route = Route::of(request.uri().path(), &self.versions);
        let reply = self.reply(&request, &route, &asker).await;
        self.finish(&request, &route, reply, request.body().len(), began.elapsed())
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
            previews: Previews::default(),
            rates: Rates::new(None, None, None),
            proxies: Vec::new(),
            // There is no option for it.
            has_warned: AtomicBool::new(true),
            public_url: None,
            log: None,
            metrics: Arc::default(),
        }
    }

    fn client<B>(&self, request: &Request<B>) -> Client {
        Asker::of(request, &self.proxies).client
    }

    /// Warns the operator once about a proxy that is not trusted: all its clients look like a single one.
    fn warn_of_proxy<B>(&self, request: &Request<B>) {
        if let Some(peer) = client::distrusted(request, &self.proxies)
            && !self.has_warned.swap(true, Ordering::Relaxed)
        {
            crate::output::tell(&format!(
                "mclive: warning: requests from {peer} have the header X-Forwarded-For, which is ignored: all its clients \
                 share one limit; if it is your proxy, use --trusted-proxy {peer}"
            ));
        }
    }

    /// The refusal of a client that owes too much.
    fn limited(&self, wait: Duration) -> Reply {
        self.metrics.limited();
        Reply::refusal(StatusCode::TOO_MANY_REQUESTS, "too many requests from this address").retry_after(wait)
    }

    /// Adds the headers of the route; charges the client; counts and logs the request. Units: bytes.
    fn finish<B>(
        &self,
        request: &Request<B>,
        route: &Route<'_>,
        reply: Reply,
        n_received: usize,
        took: Duration,
    ) -> Response<Body> {
        let (client, now) = (self.client(request), Instant::now());
        let answer = reply.finish(route.class(), &self.headers);
        // Of an answer to HEAD only the head is sent.
        let n_sent = if request.method() == Method::HEAD { 0 } else { http_body_size(&answer) };
        self.rates.charge(client, Kind::Requests, 1.0, now);
        self.rates.charge(client, Kind::Bytes, n_received as f64 + n_sent as f64, now);
        self.metrics.answered(route.name(), answer.status(), took);
        if let Some(log) = &self.log {
            log.write(client, request.method().as_str(), request.uri().path(), answer.status(), n_sent, took);
        }
        answer
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
            Route::Preview(id, form) => self.preview(id, *form, asker.client).await,
            Route::About => self.about(),
            Route::Share => self.share(request.body(), asker).await,
            Route::Program(id) => self.program(id, request.headers()).await,
            Route::Ask(question) => self.ask(*question, request.body(), asker.client).await,
            Route::Description => Reply::json_text(api::DESCRIPTION),
            Route::UnknownQuestion => {
                Reply::refusal(StatusCode::NOT_FOUND, "this API has no such path; see /api/v1/openapi.json")
            }
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
