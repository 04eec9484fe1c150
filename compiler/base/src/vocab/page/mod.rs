//! [`Page`]: a form of controls shown by a web server, and [`Values`]: the values of its controls. Resource spec, 3.5.
//!
//! Both bodies answer by [`Page::part`], [`Page::html`] and [`Page::save`]; transport is up to them. Below the path of
//! the page:
//!
//! ```text
//! index.html  ui.js  ui.css   the page, which works without the script
//! list/  list/ID              the controls, and the value of one, as JSON
//! events                      each change of a value, as an event stream
//! save/                       takes a form of `id` and `value`
//! ping                        answers if the page exists
//! ```

mod html;

pub use html::CONTENT_SECURITY;

use super::json::quoted;
use super::store::Keys;
use super::{Datum, KeyStore, Route, RouteKind};
use crate::gather::{self, Boxed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The maximum number of bytes of a value.
const LARGEST_VALUE: usize = 64 << 10;

/// The script, served as `ui.js`.
pub const SCRIPT: &str = include_str!("ui.js");
/// The style sheet, served as `ui.css`.
pub const STYLE: &str = include_str!("ui.css");

/// A page as the program declares it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Page {
    /// The title.
    pub title: String,
    /// Raw HTML for the `head` element.
    pub head: String,
    /// Controls in order; ids are unique.
    pub controls: Vec<Control>,
}

/// One control.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Control {
    /// Its id, unique on the page.
    pub id: String,
    /// Its type and constraints.
    pub form: Form,
    /// The `sort` field of the control.
    pub sort: String,
    /// Its initial value.
    pub value: Vec<u8>,
    /// The store and key that also hold its value. Opening the page loads the value from there.
    pub store: Option<(KeyStore, String)>,
}

/// The values that a control accepts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Form {
    /// Any text.
    Text,
    /// An integer from `min` to `max`, in steps from `min`.
    Range {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
        /// The distance between values.
        step: i64,
    },
}

/// Information about the server that shows a page.
pub struct About<'a> {
    /// Name of the program.
    pub program: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The host name.
    pub hostname: &'a str,
}

/// The target of a request below a page's path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// A redirect to `index.html`.
    Redirect,
    /// The page itself.
    Index,
    /// The script.
    Script,
    /// The style sheet.
    Style,
    /// All controls as JSON.
    List,
    /// The value of the control with this id.
    Value(String),
    /// The event stream.
    Events,
    /// The form target.
    Save,
    /// The liveness check.
    Ping,
}

/// The values of a page's controls that were shown or saved, by id.
#[derive(Clone, Default, Debug)]
pub struct Values(Boxed<String, Held>);

#[derive(Clone, Debug)]
struct Held {
    value: Vec<u8>,
    is_saved: bool,
}

/// The value of a control, as seen by a check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shown {
    /// The path of the page.
    pub page: String,
    /// Id of the control.
    pub id: String,
    /// The value.
    pub value: Vec<u8>,
    /// A user saved it, and no step has shown another value since.
    pub is_saved: bool,
}

impl Page {
    /// The target of `rest`, the part after the page's own path; `None`: not found.
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

    /// An identifier of the page's content: a browser with another one reloads the page.
    pub fn edition(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// The control with this id.
    pub fn control(&self, id: &str) -> Option<&Control> {
        self.controls.iter().find(|control| control.id == id)
    }

    /// Stores a submitted form and returns its control. Errors: why it is refused; nothing is stored.
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
            values.0.insert(control.id.clone(), Box::new(Held { value: value.to_vec(), is_saved: true }));
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
    /// The name of the form: `text` or `range`.
    pub fn name(&self) -> &'static str {
        match self {
            Form::Text => "text",
            Form::Range { .. } => "range",
        }
    }

    /// Errors: why a control of this form does not accept a value.
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
    /// The current value of a control.
    pub fn of<'a>(&'a self, control: &'a Control) -> &'a [u8] {
        self.0.get(&control.id).map_or(&control.value, |held| &held.value)
    }

    /// Shows a value from elsewhere; `None` resets it to the program's.
    pub fn show(&mut self, id: &str, value: Option<&[u8]>) {
        match value {
            Some(value) => {
                let held = Held { value: value.to_vec(), is_saved: false };
                self.0.insert(id.to_owned(), Box::new(held));
            }
            None => drop(self.0.remove(id)),
        }
    }

    /// Carries values over to a new version of the page: unchanged controls keep theirs.
    pub fn follow(&mut self, old: &Page, new: &Page) {
        gather::keep(&mut self.0, |id, _| old.control(id).is_some_and(|control| new.controls.contains(control)));
    }

    /// The values, as seen by a check.
    pub fn shown(&self, path: &str) -> impl Iterator<Item = Shown> {
        self.0.iter().map(move |(id, held)| Shown {
            page: path.to_owned(),
            id: id.clone(),
            value: held.value.clone(),
            is_saved: held.is_saved,
        })
    }
}

/// The values of all pages of a server, by path.
#[derive(Clone, Default, Debug)]
pub struct Pages(BTreeMap<String, Values>);

impl Pages {
    /// The values of the page at this path.
    pub fn of(&mut self, path: &str) -> &mut Values {
        self.0.entry(path.to_owned()).or_default()
    }

    /// Carries values over to new routes of a server: see [`Values::follow`]. New controls load their value from their
    /// store.
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
        gather::keep(&mut self.0, |path, values| {
            let both = page(old, path).zip(page(new, path));
            both.into_iter().for_each(|(old, new)| values.follow(old, new));
            both.is_some()
        });
    }

    /// The values, as seen by a check.
    pub fn shown(&self) -> Vec<Shown> {
        self.0.iter().flat_map(|(path, values)| values.shown(path)).collect()
    }
}

/// The page at a path, among routes.
pub fn page<'a>(routes: &'a [Route], path: &str) -> Option<&'a Page> {
    routes.iter().find_map(|route| match &route.what {
        RouteKind::Page(page) if route.path == path => Some(page),
        _ => None,
    })
}

/// Whether a form comes from the page itself. `origin` and `host` are the headers of these names; clients other than
/// browsers send no origin.
pub fn is_own_form(origin: Option<&str>, host: Option<&str>) -> bool {
    let Some(origin) = origin else { return true };
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.zip(host).is_some_and(|(from, to)| from.eq_ignore_ascii_case(to))
}

/// One value as JSON.
pub fn value_json(value: &[u8]) -> String {
    format!("{{\"value\":{}}}\n", quoted(&String::from_utf8_lossy(value)))
}

/// The reason for refusing a form, as JSON.
pub fn error_json(why: &str) -> String {
    format!("{{\"error\":{}}}\n", quoted(why))
}

/// The first event of a stream, with the page's edition.
pub fn beginning(page: &Page) -> String {
    format!("event: page\ndata: {}\n\n", page.edition())
}

/// The value of a control, as an event of a stream.
pub fn event(id: &str, value: &[u8]) -> String {
    format!("data: {{\"id\":{},\"value\":{}}}\n\n", quoted(id), quoted(&String::from_utf8_lossy(value)))
}

#[cfg(test)]
mod tests;
