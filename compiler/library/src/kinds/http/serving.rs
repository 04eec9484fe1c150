//! Check of an `http:server`, and the data served for its grouped children. Resource spec, 3.1 to 3.5.
//!
//! The watch opens the server. The check reads the posted forms, and sends them on.

use super::page;
use crate::hash::sha256;
use crate::kinds::Want;
use crate::kinds::kind::{Decision, Seen, Sent};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::value::Value;
use crate::vocab::{
    Datum, FileKind, Finding, HostErrorKind, Probe, Proxy, Route, RouteKind, ServeSpec, Watch, file, server,
};

pub(super) fn watches(want: &Want) -> Vec<Watch> {
    let mut routes = Vec::new();
    for member in want.members() {
        match member.decl.name {
            "http:server:file" => routes.push(file_route(&member)),
            "http:server:flag" => {
                let path = member.effective("path").into_owned();
                routes.push(Route { path, what: RouteKind::Form, is_held: false });
            }
            "http:server:proxy" => routes.push(proxy_route(&member)),
            // Invalid pages are not served; the check reports them.
            "http:server:ui" => routes.extend(page::route(&member)),
            _ => {}
        }
    }
    let seconds = |field: &str| {
        let set = |field: &str| Some(want.set(field)?.as_int()?.unsigned_abs());
        set(field).or_else(|| set("timeout")).unwrap_or(0)
    };
    let serve = ServeSpec {
        name: want.name.to_owned(),
        address: want.effective("address").into_owned(),
        read_timeout_s: seconds("read_timeout"),
        write_timeout_s: seconds("write_timeout"),
        shutdown_timeout_s: seconds("shutdown_timeout"),
        routes,
        root: want.text("root").into_owned(),
    };
    // The check reports a missing root.
    let root = file::Watch { path: serve.root.clone(), recursive: false };
    let mut watches = vec![Watch::Server(serve)];
    watches.extend((!root.path.is_empty()).then(|| root.into()));
    page::pages(want).for_each(|page| watches.extend(page::watches(&page)));
    watches
}

fn file_route(file: &Want) -> Route {
    let path = file.text("path");
    let what = match &*path {
        "" => RouteKind::Data(file.bytes("data").to_vec()),
        dir if dir.ends_with('/') => RouteKind::Below(dir.to_owned()),
        path => RouteKind::File(path.to_owned()),
    };
    Route { path: file.effective("filename").into_owned(), what, is_held: file.bool("longpoll") }
}

fn proxy_route(proxy: &Want) -> Route {
    let text = |field: &str| proxy.text(field).into_owned();
    let what = RouteKind::Proxy(Proxy { sub: text("sub"), head: text("head"), cache: text("cache") });
    Route { path: proxy.effective("path").into_owned(), what, is_held: false }
}

pub(super) fn decide(want: &Want, seen: &Seen) -> Decision {
    walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
}

fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    for member in page::pages(want) {
        page::page(&member).map_err(Decision::CannotTell)?;
    }
    let address = want.effective("address").into_owned();
    match &walk.look(vec![Probe::Server(server::Probe::Open { address: address.clone() })])?[0] {
        Finding::Server(server::Finding::Open) => {}
        other => return Err(cannot_tell(other)),
    }
    let root = want.text("root").into_owned();
    if !root.is_empty() {
        match &walk.look(vec![Probe::File(file::Probe::Stat { path: root.clone(), follow: true })])?[0] {
            Finding::File(file::Finding::Stat(Some(stat))) if stat.kind == FileKind::Dir => {}
            Finding::File(file::Finding::Stat(Some(_))) => {
                return Err(Decision::CannotTell("the path in `root` is not a directory".into()));
            }
            Finding::File(file::Finding::Stat(None)) => {
                return Err(Decision::CannotTell(format!("the directory {root} in `root` does not exist")));
            }
            other => return Err(cannot_tell(other)),
        }
    }
    // A missing file shows when it is requested; a forbidden one, now.
    let files = want.members().filter(|member| member.decl.name == "http:server:file");
    let paths = files.map(|file| file.text("path").into_owned()).filter(|path| !path.is_empty());
    let stats = paths.map(|path| Probe::File(file::Probe::Stat { path, follow: true }));
    for found in walk.look(stats.collect())? {
        if matches!(found, Finding::Failed(error) if error.kind == HostErrorKind::Refused) {
            return Err(cannot_tell(found));
        }
    }
    page::walk(want, seen, walk)?;
    if want.members().any(|member| member.decl.name == "http:server:flag") {
        match &walk.look(vec![Probe::Server(server::Probe::Posted { address })])?[0] {
            Finding::Server(server::Finding::Forms(_)) => {}
            other => return Err(cannot_tell(other)),
        }
    }
    let differs = match (seen.kept, kept(want, seen)) {
        (Some(before), now) => *before != now,
        // Before the first check nothing was posted.
        (None, _) => flags(want, seen).iter().any(|(_, _, value)| value.is_some()),
    };
    let differs = differs || !seen.outcomes.is_empty();
    Ok(if differs { Decision::Mended(Vec::new()) } else { Decision::InState(Vec::new()) })
}

/// The data for comparison by a later check: posted forms, and served contents.
pub(super) fn kept(want: &Want, seen: &Seen) -> Datum {
    let flags = flags(want, seen).into_iter().map(|(_, name, value)| {
        let value = value.map(|value| Datum::Bytes(value.to_vec()));
        Datum::List(std::iter::once(Datum::text(name)).chain(value).collect())
    });
    let files = want.members().filter(|member| member.decl.name == "http:server:file");
    let data = files.map(|file| Datum::Bytes(sha256(&file.bytes("data")).to_vec()));
    let controls = page::sent(want, seen).into_iter();
    let controls = controls.map(|(_, name, value)| Datum::List(vec![Datum::text(name), Datum::Bytes(value)]));
    Datum::List(vec![Datum::List(flags.collect()), Datum::List(data.collect()), Datum::List(controls.collect())])
}

/// Null is sent as the empty string.
pub(super) fn members_send(want: &Want, seen: &Seen) -> Vec<(&'static str, String, Sent)> {
    let value = |value: Option<&[u8]>| Some(Value::str(value.unwrap_or_default()));
    let flags = flags(want, seen).into_iter().map(|(kind, name, posted)| (kind, name, vec![("value", value(posted))]));
    let controls = page::sent(want, seen).into_iter();
    flags.chain(controls.map(|(kind, name, held)| (kind, name, vec![("value", value(Some(&held)))]))).collect()
}

/// Every flag, including nested ones: kind, name, and its posted value, unless that is empty.
fn flags<'a>(want: &Want, seen: &Seen<'a>) -> Vec<(&'static str, String, Option<&'a [u8]>)> {
    let posted = seen.findings.iter().find_map(|finding| match finding {
        Finding::Server(server::Finding::Forms(Some(Datum::Map(forms)))) => Some(forms.as_slice()),
        _ => None,
    });
    let mut flags = Vec::new();
    let mut ahead: Vec<Want> = want.members().collect();
    ahead.reverse();
    while let Some(member) = ahead.pop() {
        if member.decl.name == "http:server:flag" {
            let value = value(posted.unwrap_or_default(), &member.effective("path"), &member.bytes("key"));
            flags.push((member.decl.name, member.name.to_owned(), value));
            ahead.extend(member.members());
        }
    }
    flags
}

/// The first value of a key in the last form posted to a path.
fn value<'a>(forms: &'a [(Datum, Datum)], path: &str, key: &[u8]) -> Option<&'a [u8]> {
    let (_, form) = forms.iter().find(|(of, _)| matches!(of, Datum::Bytes(of) if of == path.as_bytes()))?;
    let Datum::List(pairs) = form else { return None };
    pairs
        .iter()
        .find_map(|pair| match pair {
            Datum::List(pair) => match pair.as_slice() {
                [Datum::Bytes(known), Datum::Bytes(value)] if known == key => Some(value.as_slice()),
                _ => None,
            },
            _ => None,
        })
        .filter(|value| !key.is_empty() && !value.is_empty())
}
