//! [`Page`]: a form of controls that a web server shows, and [`Values`]: what its controls hold. Resource spec, 3.5.
//!
//! Both bodies answer by [`Page::part`], [`Page::html`] and [`Page::save`]; how bytes reach a reader is their own concern.
//! Below the path of the page:
//!
//! ```text
//! index.html  ui.js  ui.css   the page, which works without the script
//! list/  list/ID              the controls, and the value of one, as JSON
//! events                      each change of a value, as an event stream
//! save/                       takes a form of `id` and `value`
//! ping                        says that the page is there
//! ```

mod html;

pub use html::CONTENT_SECURITY;

use super::json::quoted;
use super::store::Keys;
use super::{Datum, KeyStore, Route, RouteKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Bytes of a value.
const LARGEST_VALUE: usize = 64 << 10;

pub const SCRIPT: &str = include_str!("ui.js");
pub const STYLE: &str = include_str!("ui.css");

/// A page as a program describes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Page {
    pub title: String,
    /// Markup that is sent as it is.
    pub head: String,
    /// In the order in which they are shown; each has an id of its own.
    pub controls: Vec<Control>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Control {
    pub id: String,
    pub form: Form,
    pub sort: String,
    /// What it holds before anything else was shown or saved.
    pub value: Vec<u8>,
    /// Where it is stored besides, with its key there. When the page is opened it shows what is there.
    pub store: Option<(KeyStore, String)>,
}

/// What a control takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Form {
    Text,
    /// A whole number from `min` to `max`, in steps from `min`.
    Range {
        min: i64,
        max: i64,
        step: i64,
    },
}

/// Who shows a page.
pub struct About<'a> {
    pub program: &'a str,
    pub version: &'a str,
    pub hostname: &'a str,
}

/// What a request below the path of a page is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// To `index.html`.
    Redirect,
    Index,
    Script,
    Style,
    List,
    /// The value of the control with this id.
    Value(String),
    Events,
    Save,
    Ping,
}

/// What the controls of a page hold that was shown or saved, by id.
#[derive(Clone, Default, Debug)]
pub struct Values(BTreeMap<String, Held>);

#[derive(Clone, Debug)]
struct Held {
    value: Vec<u8>,
    is_saved: bool,
}

/// The value of a control, as a check sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shown {
    /// The path of the page.
    pub page: String,
    pub id: String,
    pub value: Vec<u8>,
    /// A reader saved it, and no check has shown another one since.
    pub is_saved: bool,
}

impl Page {
    /// What `rest`, the path behind the page's own, is for. `None`: nothing is there.
    pub fn part(&self, rest: &str) -> Option<Part> {
        Some(match rest {
            "" => Part::Redirect,
            "index.html" => Part::Index,
            "ui.js" => Part::Script,
            "ui.css" => Part::Style,
            "list/" => Part::List,
            "events" => Part::Events,
            "save/" => Part::Save,
            "ping" => Part::Ping,
            rest => Part::Value(self.control(rest.strip_prefix("list/")?)?.id.clone()),
        })
    }

    /// Tells it from every other page: a reader who has another one loads it anew.
    pub fn edition(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    pub fn control(&self, id: &str) -> Option<&Control> {
        self.controls.iter().find(|control| control.id == id)
    }

    /// Keeps what a form says, and gives its control. Errors: why it is refused, and nothing is kept.
    pub fn save(&self, values: &mut Values, form: &[(Vec<u8>, Vec<u8>)]) -> Result<&Control, String> {
        let all = |key: &'static str| {
            form.iter().filter(move |(of, _)| of == key.as_bytes()).map(|(_, value)| value.as_slice())
        };
        let id = all("id").next().ok_or("the form has no `id`")?;
        let mut given = all("value");
        let value = given.next().ok_or("the form has no `value`")?;
        let n_more = given.count();
        if n_more > 0 {
            return Err(format!("expected one `value`, found {}", n_more + 1));
        }
        let id = String::from_utf8_lossy(id);
        let control = self.control(&id).ok_or_else(|| format!("cannot find a control with the id `{id}`"))?;
        control.form.takes(value)?;
        if values.of(control) != value {
            values.0.insert(control.id.clone(), Held { value: value.to_vec(), is_saved: true });
        }
        Ok(control)
    }

    /// The controls as JSON.
    pub fn list(&self) -> String {
        let element = |control: &Control| {
            let [id, kind, sort] = [&*control.id, control.form.name(), &control.sort].map(quoted);
            format!(r#"{{"kind":"http:server:ui:input","id":{id},"type":{kind},"sort":{sort}}}"#)
        };
        format!("{{\"elements\":[{}]}}\n", self.controls.iter().map(element).collect::<Vec<_>>().join(","))
    }
}

impl Form {
    pub fn name(&self) -> &'static str {
        match self {
            Form::Text => "text",
            Form::Range { .. } => "range",
        }
    }

    /// Errors: why a control of this form does not take a value.
    pub fn takes(&self, value: &[u8]) -> Result<(), String> {
        if value.len() > LARGEST_VALUE {
            return Err(format!("the value is longer than {LARGEST_VALUE} bytes"));
        }
        let text = std::str::from_utf8(value).map_err(|_| "the value is not UTF-8")?;
        let Form::Range { min, max, step } = *self else { return Ok(()) };
        let number: i64 = text.parse().map_err(|_| format!("expected a whole number, found `{text}`"))?;
        if number < min || number > max {
            return Err(format!("expected a number from {min} to {max}, found {number}"));
        }
        if (i128::from(number) - i128::from(min)) % i128::from(step) != 0 {
            return Err(format!("expected a number in steps of {step} from {min}, found {number}"));
        }
        Ok(())
    }
}

impl Values {
    pub fn of<'a>(&'a self, control: &'a Control) -> &'a [u8] {
        self.0.get(&control.id).map_or(&control.value, |held| &held.value)
    }

    /// Shows a value that comes from elsewhere; `None`: what the program gives.
    pub fn show(&mut self, id: &str, value: Option<&[u8]>) {
        match value {
            Some(value) => drop(self.0.insert(id.to_owned(), Held { value: value.to_vec(), is_saved: false })),
            None => drop(self.0.remove(id)),
        }
    }

    /// Another program's page takes the place of one: what it shows as before keeps its value.
    pub fn follow(&mut self, old: &Page, new: &Page) {
        self.0.retain(|id, _| old.control(id).is_some_and(|control| new.controls.contains(control)));
    }

    /// What a check sees of them.
    pub fn shown(&self, path: &str) -> impl Iterator<Item = Shown> {
        let shown = move |(id, held): (&String, &Held)| Shown {
            page: path.to_owned(),
            id: id.clone(),
            value: held.value.clone(),
            is_saved: held.is_saved,
        };
        self.0.iter().map(shown)
    }
}

/// Those of a server's pages, by path.
#[derive(Clone, Default, Debug)]
pub struct Pages(BTreeMap<String, Values>);

impl Pages {
    pub fn of(&mut self, path: &str) -> &mut Values {
        self.0.entry(path.to_owned()).or_default()
    }

    /// Other routes take the place of a server's: see [`Values::follow`]. What is new shows what its store holds.
    pub fn follow(&mut self, old: &[Route], new: &[Route], keys: &dyn Keys) {
        self.keep(old, new);
        for route in new {
            let RouteKind::Page(page) = &route.what else { continue };
            let values = self.of(&route.path);
            for control in &page.controls {
                let stored = control.store.as_ref().and_then(|(store, key)| keys.get(*store, key));
                if let (Some(Datum::Bytes(stored)), false) = (stored, values.0.contains_key(&control.id)) {
                    values.show(&control.id, Some(&stored));
                }
            }
        }
    }

    fn keep(&mut self, old: &[Route], new: &[Route]) {
        self.0.retain(|path, values| {
            let both = page(old, path).zip(page(new, path));
            both.into_iter().for_each(|(old, new)| values.follow(old, new));
            both.is_some()
        });
    }

    /// What a check sees of them.
    pub fn shown(&self) -> Vec<Shown> {
        self.0.iter().flat_map(|(path, values)| values.shown(path)).collect()
    }
}

/// The page among routes that has a path.
pub fn page<'a>(routes: &'a [Route], path: &str) -> Option<&'a Page> {
    routes.iter().find_map(|route| match &route.what {
        RouteKind::Page(page) if route.path == path => Some(page),
        _ => None,
    })
}

/// May a form come from where a browser says it does? `origin` and `host` are the headers of these names. What is
/// no browser says nothing.
pub fn is_own_form(origin: Option<&str>, host: Option<&str>) -> bool {
    let Some(origin) = origin else { return true };
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.zip(host).is_some_and(|(from, to)| from.eq_ignore_ascii_case(to))
}

/// One value as JSON.
pub fn value_json(value: &[u8]) -> String {
    format!("{{\"value\":{}}}\n", quoted(&String::from_utf8_lossy(value)))
}

/// Why a form was refused, as JSON.
pub fn error_json(why: &str) -> String {
    format!("{{\"error\":{}}}\n", quoted(why))
}

/// The page itself as the first event of a stream.
pub fn beginning(page: &Page) -> String {
    format!("event: page\ndata: {}\n\n", page.edition())
}

/// The value of a control as one event of a stream.
pub fn event(id: &str, value: &[u8]) -> String {
    format!("data: {{\"id\":{},\"value\":{}}}\n\n", quoted(id), quoted(&String::from_utf8_lossy(value)))
}

#[cfg(test)]
mod tests;
