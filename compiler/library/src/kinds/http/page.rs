//! The pages of an `http:server`: the page served for an `http:server:ui`, and synchronisation of its controls with a
//! store. Resource spec, 3.5.
//!
//! Values saved by a user go to the store, and changes of the store are shown.

use crate::kinds::Want;
use crate::kinds::kind::{Decision, Seen, Sent};
use crate::kinds::rules::ensure;
use crate::kinds::url::Url;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::sort;
use crate::value::Value;
use crate::vocab::page::{Control, Form, Page, Shown};
use crate::vocab::{Datum, Finding, KeyStore, Probe, Route, RouteKind, Step, Watch, serve, server, store};

const PAGE: &str = "http:server:ui";
const INPUT: &str = "http:server:ui:input";

/// The pages of a server.
pub(super) fn pages<'a>(server: &Want<'a>) -> impl Iterator<Item = Want<'a>> + use<'a> {
    server.members().filter(|member| member.decl.name == PAGE)
}

fn inputs<'a>(page: &Want<'a>) -> impl Iterator<Item = Want<'a>> + use<'a> {
    page.members().filter(|member| member.decl.name == INPUT)
}

/// The route of a page, if it can be served.
pub(super) fn route(page: &Want) -> Option<Route> {
    let what = RouteKind::Page(self::page(page).ok()?);
    Some(Route { path: page.effective("path").into_owned(), what, is_held: false })
}

/// Errors: why it cannot be served.
pub(super) fn page(want: &Want) -> Result<Page, String> {
    let mut controls = Vec::new();
    for input in inputs(want) {
        let id = input.effective("id").into_owned();
        let is_new = controls.iter().all(|known: &Control| known.id != id);
        ensure(is_new, format!("{input}: duplicate id `{id}` in {want}"))?;
        let form = form(&input.text("type")).map_err(|why| format!("{input}: {why}"))?;
        controls.push(Control {
            id,
            form,
            sort: input.text("sort").into_owned(),
            value: input.bytes("value").to_vec(),
            store: place(&input)?,
        });
    }
    sort::by(&mut controls, |one, other| one.sort.cmp(&other.sort));
    let part = |name: &str| match want.set("data") {
        Some(Value::Struct(data)) => data.get(name).and_then(Value::as_text).unwrap_or_default().into_owned(),
        _ => String::new(),
    };
    Ok(Page { title: part("title"), head: part("head"), controls })
}

/// `text://`, or `range://?min=0&max=100&step=1`, which are the defaults of a range.
fn form(text: &str) -> Result<Form, String> {
    let url = Url::parse(text)?;
    let number = |name: &str, default: i64| {
        let query = serve::form(url.query.unwrap_or_default().as_bytes());
        let Some((_, value)) = query.iter().find(|(key, _)| key == name.as_bytes()) else { return Ok(default) };
        let number = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
        number.ok_or_else(|| format!("`{name}` of the type `{text}` must be a whole number"))
    };
    match &*url.scheme {
        "text" => Ok(Form::Text),
        "range" => {
            let (min, max, step) = (number("min", 0)?, number("max", 100)?, number("step", 1)?);
            ensure(min <= max && step > 0, format!("the range of the type `{text}` is empty"))?;
            Ok(Form::Range { min, max, step })
        }
        _ => Err(format!("the type must be text:// or range://, found `{text}`")),
    }
}

/// The store of an input, if it has one, and its key.
fn place(input: &Want) -> Result<Option<(KeyStore, String)>, String> {
    let text = input.text("store");
    if text.is_empty() {
        return Ok(None);
    }
    let url = Url::parse(&text)?;
    let query = serve::form(url.query.unwrap_or_default().as_bytes());
    let key = query.iter().find(|(key, value)| key == b"key" && !value.is_empty());
    let key = key.map_or(input.name.into(), |(_, key)| String::from_utf8_lossy(key));
    match &*url.scheme {
        "local" => Ok(Some((KeyStore::Local, key.into_owned()))),
        "world" => Ok(Some((KeyStore::World, format!("strings/{key}")))),
        _ => Err(format!("{input}: the store must be local:// or world://, found `{text}`")),
    }
}

/// The stores of the controls of a page.
pub(super) fn watches(page: &Want) -> impl Iterator<Item = Watch> {
    let places = inputs(page).filter_map(|input| place(&input).ok()?);
    places.map(|(store, key)| store::Watch { store, key }.into())
}

/// A control with its current values.
struct Seeing<'a> {
    input: Want<'a>,
    page: String,
    shown: Option<&'a Shown>,
    /// Where it is stored, and the stored value.
    stored: Option<((KeyStore, String), Option<&'a Datum>)>,
}

/// The controls of all pages, as far as they were looked at: the shown values come first, then those of the stores.
fn controls<'a>(server: &Want<'a>, seen: &Seen<'a>) -> Vec<Seeing<'a>> {
    let is_shown = |finding: &Finding| matches!(finding, Finding::Server(server::Finding::Shown(_)));
    let at = seen.findings.iter().position(is_shown);
    let (shown, stores) = match at.map(|at| seen.findings[at..].split_first()) {
        Some(Some((Finding::Server(server::Finding::Shown(shown)), stores))) => {
            (shown.as_deref().unwrap_or_default(), stores)
        }
        _ => (&[][..], &[][..]),
    };
    let mut stores = stores.iter();
    let mut controls = Vec::new();
    for page in pages(server) {
        let path = page.effective("path").into_owned();
        for input in inputs(&page) {
            let id = input.effective("id");
            let shown = shown.iter().find(|shown| shown.page == path && shown.id == id);
            let stored = place(&input).ok().flatten().map(|place| match stores.next() {
                Some(Finding::Store(store::Finding::Held(held))) => (place, held.as_ref()),
                _ => (place, None),
            });
            controls.push(Seeing { input, page: path.clone(), shown, stored });
        }
    }
    controls
}

/// Synchronises the pages of a server with the stores.
pub(super) fn walk(server: &Want, seen: &Seen, walk: &mut Walk) -> Result<(), Decision> {
    if pages(server).next().is_none() {
        return Ok(());
    }
    let address = server.effective("address").into_owned();
    let found = &walk.look(vec![Probe::Server(server::Probe::Shown { address: address.clone() })])?[0];
    let Finding::Server(server::Finding::Shown(open)) = found else { return Err(cannot_tell(found)) };
    let places = controls(server, seen).into_iter().filter_map(|control| control.stored);
    let probes = places.map(|((store, key), _)| Probe::Store(store::Probe { store, key })).collect();
    for found in walk.look(probes)? {
        match found {
            Finding::Store(store::Finding::Held(None | Some(Datum::Bytes(_)))) => {}
            Finding::Store(store::Finding::Held(Some(_))) => {
                return Err(Decision::CannotTell("the stored value of a control is not a string".into()));
            }
            other => return Err(cannot_tell(other)),
        }
    }
    let mut steps = Vec::new();
    for Seeing { input, page, shown, stored } in controls(server, seen) {
        let Some(((store, key), stored)) = stored else { continue };
        let stored = bytes(stored);
        let saved = shown.filter(|shown| shown.is_saved).map(|shown| &shown.value);
        if let Some(saved) = saved.filter(|saved| stored != Some(saved)) {
            steps.push(store::Step { store, key, value: Some(Datum::Bytes(saved.clone())) }.into());
        }
        if saved.is_some() || shown.map(|shown| shown.value.as_slice()) != stored {
            let value = saved.cloned().or(stored.map(<[u8]>::to_vec));
            let id = input.effective("id").into_owned();
            steps.push(Step::Server(server::Step { address: address.clone(), page, id, value }));
        }
    }
    // A page shows nothing before it is opened, and then it shows the stores' values.
    if !steps.is_empty() && open.is_some() {
        walk.act(steps)?;
    }
    Ok(())
}

fn bytes(stored: Option<&Datum>) -> Option<&[u8]> {
    match stored {
        Some(Datum::Bytes(stored)) => Some(stored),
        _ => None,
    }
}

/// The value each control sends: the saved one, otherwise the stored one, otherwise the initial one.
pub(super) fn sent<'a>(server: &Want<'a>, seen: &Seen<'a>) -> Vec<(&'static str, String, Vec<u8>)> {
    let sent = |control: Seeing| {
        let value = match (control.shown, control.stored) {
            (Some(shown), None) => shown.value.clone(),
            (Some(shown), Some(_)) if shown.is_saved => shown.value.clone(),
            (_, Some((_, stored))) => bytes(stored).unwrap_or_default().to_vec(),
            (None, None) => control.input.bytes("value").to_vec(),
        };
        (INPUT, control.input.name.to_owned(), value)
    };
    controls(server, seen).into_iter().map(sent).collect()
}

/// The values sent by the controls of a page without a server.
pub(super) fn begin(page: &Want) -> Vec<(&'static str, String, Sent)> {
    inputs(page).map(|input| (INPUT, input.name.to_owned(), first(&input))).collect()
}

/// The value sent by a control without a page.
pub(super) fn first(input: &Want) -> Sent {
    vec![("value", Some(Value::str(&input.bytes("value")[..])))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_controls() {
        let range = |min, max, step| Ok(Form::Range { min, max, step });
        assert_eq!(form("text://"), Ok(Form::Text));
        assert_eq!(form("range://"), range(0, 100, 1));
        assert_eq!(form("range://?min=-5&max=5&step=5"), range(-5, 5, 5));
        for bad in ["", "color://", "range://?min=x", "range://?min=2&max=1", "range://?step=0"] {
            assert!(form(bad).is_err(), "{bad}");
        }
    }
}
