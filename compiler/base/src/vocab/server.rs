//! Web servers run by a program.

pub use super::ServeSpec as Watch;

use super::page::Shown;
use super::subject::never;
use super::{Change, Datum, HostError, HostErrorKind, Listen, Look, Power, RouteKind};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Fact }

const KIND: &str = "http:server";

/// A query about an open server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Forms`.
    Posted { address: String },
    /// → `Open`, or the error that keeps the watched server at an address from opening.
    Open { address: String },
    /// → `Shown`.
    Shown { address: String },
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The last forms posted to the server at an address: a `Map` from the route's path to a `List` of `List`s of key
    /// and value; `None`: there is no server.
    Forms(Option<Datum>),
    /// It is open, or not watched.
    Open,
    /// The values shown or saved in the controls of the server's pages; `None`: there is no server.
    Shown(Option<Vec<Shown>>),
}

/// Shows a value in a control of a page, such as a store's; `None`: the program's own value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Address of the server.
    pub address: String,
    /// The path of the page.
    pub page: String,
    /// Id of the control.
    pub id: String,
    /// The value.
    pub value: Option<Vec<u8>>,
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Probe::Open { address } => vec![Power::Listen(KIND, address.into())],
            Probe::Posted { .. } | Probe::Shown { .. } => Vec::new(),
        }
    }
}

impl Step {
    /// The error if the server is not open.
    pub fn no_server(&self) -> HostError {
        HostError::new(HostErrorKind::NotFound, format!("no server is listening on {}", self.address))
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        self.audit(f)?;
        match &self.value {
            Some(value) => write!(f, ": {}", String::from_utf8_lossy(value)),
            None => Ok(()),
        }
    }

    fn audit(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "show the value of `{}` on the page {}{}", self.id, self.address, self.page)
    }
}

/// The server is open while it is watched; each posted form is a change. A host may keep trying to open one that cannot
/// be opened yet; success is a change, and until then `Probe::Open` fails.
impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "the server on {}", self.address)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        let asked = self.routes.iter().filter_map(|route| match &route.what {
            RouteKind::Proxy(proxy) => (!proxy.head.is_empty()).then_some(Power::Ask((&*proxy.head).into())),
            RouteKind::Page(page) => (!page.head.is_empty()).then_some(Power::Markup(&route.path)),
            RouteKind::Data(_) | RouteKind::File(_) | RouteKind::Below(_) | RouteKind::Form => None,
        });
        std::iter::once(Power::Listen(KIND, (&*self.address).into())).chain(asked).collect()
    }
}
