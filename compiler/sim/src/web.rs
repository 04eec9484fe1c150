//! [`Web`]: the web servers of a simulated host, and their answers to commands on the same host. There is no network
//! around it. Long polling answers immediately.

use super::host::ByTicket;
use super::path;
use super::subject::SubjectState;
use super::tree::Tree;
use super::world::Remote;
use crate::protocol::Ticket;
use crate::vocab::page::{self, About, Page, Pages, Part, Shown, Values};
use crate::vocab::store::Keys;
use crate::vocab::{Datum, HostError, HostErrorKind, ServeSpec, Taken, serve, server};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Open servers, by the ticket of the watch that opened them.
#[derive(Clone, Default)]
pub struct Web {
    /// Names and addresses of the machine besides `localhost`.
    names: Vec<String>,
    servers: ByTicket<Server>,
    /// Content of other hosts, by URL.
    pub remotes: BTreeMap<String, Remote>,
    /// Forms not reported yet.
    pub(super) posts: Vec<(Ticket, String)>,
}

#[derive(Clone)]
struct Server {
    spec: ServeSpec,
    /// The last form, by the path of its route.
    forms: BTreeMap<String, Vec<(Vec<u8>, Vec<u8>)>>,
    pages: Pages,
}

/// The answer of a server.
#[derive(Debug, PartialEq)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq)]
pub(super) enum NoAnswer {
    UnknownHost,
    NobodyListens,
}

impl SubjectState for Web {
    fn of_new_host(hostname: &str) -> Web {
        Web::new(&[hostname, "192.0.2.10"])
    }

    fn forget(&mut self) {
        self.servers.clear();
        self.posts.clear();
    }

    fn n_entries(&self) -> usize {
        let routes = self.servers.values().map(|server| 1 + server.spec.routes.len());
        self.remotes.len() + routes.sum::<usize>()
    }

    fn n_bytes(&self) -> usize {
        let routes = self.servers.values().flat_map(|server| &server.spec.routes);
        let data = routes.map(|route| if let serve::RouteKind::Data(bytes) = &route.what { bytes.len() } else { 0 });
        let contents = self.remotes.values().map(|remote| remote.body.len());
        data.chain(contents).sum()
    }
}

impl Web {
    pub(super) fn new(names: &[&str]) -> Web {
        Web { names: names.iter().map(|name| name.to_string()).collect(), ..Web::default() }
    }

    /// Errors: the address is invalid or in use.
    pub(super) fn open(&mut self, ticket: Ticket, spec: ServeSpec, keys: &dyn Keys) -> Result<(), HostError> {
        let refused = |kind, why: &str| Err(HostError::new(kind, format!("could not start listener: {why}")));
        let Some((host, port)) = split(&spec.address) else {
            return refused(HostErrorKind::Other, &format!("address {}: no port", spec.address));
        };
        let overlaps = |other: &Server| {
            let found = split(&other.spec.address);
            found.is_some_and(|(on, at)| at == port && (on == host || is_any(on) || is_any(host)))
        };
        let (mut forms, mut pages, mut before) = (BTreeMap::new(), Pages::default(), Vec::new());
        if let Some(old) = self.servers.iter().find(|(_, server)| overlaps(server)).map(|(old, _)| *old) {
            let is_same = |server: &Server| server.spec.name == spec.name && server.spec.address == spec.address;
            if !self.servers.get(&old).is_some_and(|server| is_same(server)) {
                return refused(HostErrorKind::Exists, &format!("listen {}: address already in use", spec.address));
            }
            if let Some(server) = self.servers.remove(&old) {
                (forms, pages) = (server.forms, server.pages);
                before = server.spec.routes;
            }
        }
        pages.follow(&before, &spec.routes, keys);
        self.servers.insert(ticket, Box::new(Server { spec, forms, pages }));
        Ok(())
    }

    pub(super) fn close(&mut self, ticket: Ticket) {
        self.servers.remove(&ticket);
    }

    /// Answers [`Probe::Server(server::Probe::Posted)`](Probe::Server(server::Probe::Posted)).
    pub(super) fn posted(&self, address: &str) -> Option<Datum> {
        let server = self.servers.values().find(|server| server.spec.address == address)?;
        let pair = |(key, value): &(Vec<u8>, Vec<u8>)| {
            Datum::List(vec![Datum::Bytes(key.clone()), Datum::Bytes(value.clone())])
        };
        let forms = server.forms.iter();
        Some(Datum::Map(
            forms.map(|(path, form)| (Datum::text(path), Datum::List(form.iter().map(pair).collect()))).collect(),
        ))
    }

    /// Answers [`Probe::Server(server::Probe::Shown)`](Probe::Server(server::Probe::Shown)).
    pub(super) fn shown(&self, address: &str) -> Option<Vec<Shown>> {
        let server = self.servers.values().find(|server| server.spec.address == address);
        server.map(|server| server.pages.shown())
    }

    /// Errors: there is no open server.
    pub(super) fn show(&mut self, step: &server::Step) -> Result<(), HostError> {
        let server = self.servers.values_mut().find(|server| server.spec.address == step.address);
        let server = server.ok_or_else(|| step.no_server())?;
        server.pages.of(&step.page).show(&step.id, step.value.as_deref());
        Ok(())
    }

    /// The answer of `host:port` to a `GET` of a path with its query.
    pub(super) fn read(&self, tree: &Tree, at: (&str, u16), target: &str) -> Result<Response, NoAnswer> {
        let server = self.servers.get(&self.listener(at)?).ok_or(NoAnswer::NobodyListens)?;
        Ok(match serve::target(target) {
            Some((path, _)) => match server.spec.take("GET", &path) {
                Taken::Page(route, page, part) => shows(&self.names, page, server.pages.clone().of(route), &part),
                taken => answer(tree, &self.remotes, taken),
            },
            None => Response::plain(400, "400 Bad Request\n"),
        })
    }

    /// A request to `host:port` for a path with its query.
    pub(super) fn request(
        &mut self,
        tree: &mut Tree,
        at: (&str, u16),
        method: &str,
        target: &str,
        body: &[u8],
    ) -> Result<Response, NoAnswer> {
        let ticket = self.listener(at)?;
        let server = self.servers.get_mut(&ticket).ok_or(NoAnswer::NobodyListens)?;
        let Some((path, query)) = serve::target(target) else { return Ok(Response::plain(400, "400 Bad Request\n")) };
        let taken = server.spec.take(method, &path);
        if let Taken::Form(route) = taken {
            let mut form = serve::form(body);
            form.extend(serve::form(query.as_bytes()));
            self.posts.push((ticket, format!("POST {path}")));
            let route = route.to_string();
            server.forms.insert(route, form);
            return Ok(Response { status: 200, body: Vec::new() });
        }
        if let Taken::Page(route, page, part) = taken {
            if part != Part::Save {
                return Ok(shows(&self.names, page, server.pages.of(route), &part));
            }
            let saved = page.save(server.pages.of(route), &serve::form(body));
            return Ok(match saved {
                Ok(_) => {
                    self.posts.push((ticket, format!("POST {path}")));
                    Response { status: 200, body: Vec::new() }
                }
                Err(why) => Response::plain(400, &page::error_json(&why)),
            });
        }
        let place = match &taken {
            Taken::Proxy { proxy, place: Some(place), .. } if method == "GET" => {
                Some(format!("{}{place}", proxy.cache))
            }
            _ => None,
        };
        let response = answer(tree, &self.remotes, taken);
        if let Some(place) = place.filter(|_| response.status == 200) {
            keep(tree, &place, &response.body);
        }
        Ok(response)
    }

    /// The server at `host:port`.
    fn listener(&self, (host, port): (&str, u16)) -> Result<Ticket, NoAnswer> {
        let is_own =
            host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()) || self.names.iter().any(|own| own == host);
        if !is_own && host != "localhost" {
            return Err(NoAnswer::UnknownHost);
        }
        let reaches = |on: &str| {
            is_any(on) || on == host || host == "localhost" && on.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
        };
        let listens = |server: &Server| split(&server.spec.address).is_some_and(|(on, at)| at == port && reaches(on));
        let found = self.servers.iter().find(|(_, server)| listens(server));
        found.map(|(ticket, _)| *ticket).ok_or(NoAnswer::NobodyListens)
    }
}

/// A part of a page. An event stream ends with the current state.
fn shows(names: &[String], page: &Page, values: &Values, part: &Part) -> Response {
    let hostname = names.first().map_or("", |name| name);
    let about = About { program: "mclive", version: env!("CARGO_PKG_VERSION"), hostname };
    match part {
        Part::Redirect => Response::plain(302, ""),
        Part::Index => Response::plain(200, &page.html(values, &about)),
        Part::Script => Response::plain(200, page::SCRIPT),
        Part::Style => Response::plain(200, page::STYLE),
        Part::List => Response::plain(200, &page.list()),
        Part::Value(id) => match page.control(id) {
            Some(control) => Response::plain(200, &page::value_json(values.of(control))),
            None => Response::plain(404, "404 page not found\n"),
        },
        Part::Events => {
            let events = page.controls.iter().map(|control| page::event(&control.id, values.of(control)));
            Response::plain(200, &std::iter::once(page::beginning(page)).chain(events).collect::<String>())
        }
        Part::Save => Response::plain(405, "Method Not Allowed\n"),
        Part::Ping => Response::plain(200, ""),
    }
}

/// Caches an answer of a proxy; without room, it is requested again.
fn keep(tree: &mut Tree, place: &str, body: &[u8]) {
    let dir = path::parent(place).unwrap_or("/");
    let _ = tree.make_dir(dir, true, Some(0o700)).and_then(|()| tree.write(place, body.to_vec(), None));
}

/// The answer to a request; its owner stores the form.
fn answer(tree: &Tree, others: &BTreeMap<String, Remote>, taken: Taken) -> Response {
    match taken {
        Taken::Data(bytes) => Response { status: 200, body: bytes.to_vec() },
        Taken::File(file) => Response::file(tree, file),
        Taken::Below(dir, rest) => {
            let inside = |path: &str| tree.resolve(path, true).ok();
            let full = format!("{dir}{rest}");
            let within = inside(dir).zip(inside(&full)).is_some_and(|(dir, path)| {
                let dir = dir.trim_end_matches('/');
                path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            if within { Response::file(tree, &full) } else { Response::plain(404, "404 page not found\n") }
        }
        Taken::Form(_) => Response { status: 200, body: Vec::new() },
        Taken::Proxy { proxy, place, url } => {
            let kept = place.and_then(|place| tree.read(&format!("{}{place}", proxy.cache)).ok());
            match (kept, url.map(|url| others.get(&url).filter(|other| !other.is_down))) {
                (Some(body), _) => Response { status: 200, body: body.to_vec() },
                (None, None) => Response::plain(500, "can't proxy\n"),
                (None, Some(None)) => Response::plain(502, "502 Bad Gateway\n"),
                (None, Some(Some(other))) if other.status == 200 => Response { status: 200, body: other.body.clone() },
                (None, Some(Some(_))) => Response::plain(404, "404 page not found\n"),
            }
        }
        Taken::NotAllowed => Response::plain(405, "Method Not Allowed\n"),
        // The owner of the values answers for a page.
        Taken::Page(..) | Taken::NotFound => Response::plain(404, "404 page not found\n"),
    }
}

impl Response {
    fn plain(status: u16, text: &str) -> Response {
        Response { status, body: text.as_bytes().to_vec() }
    }

    fn file(tree: &Tree, path: &str) -> Response {
        match tree.read(path) {
            Ok(bytes) => Response { status: 200, body: bytes.to_vec() },
            Err(error) => match serve::Unread::from(error.kind) {
                serve::Unread::Missing => Response::plain(404, "404 page not found\n"),
                serve::Unread::Forbidden => Response::plain(403, "403 Forbidden\n"),
                serve::Unread::Failed => Response::plain(500, "500 Internal Server Error\n"),
            },
        }
    }
}

/// The host, the port and the target of a URL after its scheme. `None`: the port is not a number.
pub(super) fn parts(rest: &str) -> Option<((&str, u16), String)> {
    let rest = rest.split('#').next().unwrap_or_default();
    let (authority, target) = match rest.find(['/', '?']) {
        Some(at) if rest[at..].starts_with('/') => (&rest[..at], rest[at..].to_string()),
        Some(at) => (&rest[..at], format!("/{}", &rest[at..])),
        None => (rest, "/".to_string()),
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        _ => (authority, 80),
    };
    Some(((host.trim_start_matches('[').trim_end_matches(']'), port), target))
}

/// The host, without brackets, and the port.
fn split(address: &str) -> Option<(&str, u16)> {
    let (host, port) = address.rsplit_once(':')?;
    Some((host.trim_start_matches('[').trim_end_matches(']'), port.parse().ok()?))
}

fn is_any(host: &str) -> bool {
    host.is_empty() || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_unspecified())
}
