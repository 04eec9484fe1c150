//! Web servers that a program opens.

pub use super::ServeSpec as Watch;

use super::page::Shown;
use super::subject::never;
use super::{Change, Datum, HostError, HostErrorKind, Listen, Look, Power, RouteKind};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Fact }

const KIND: &str = "http:server";

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Forms`.
    Posted { address: String },
    /// → `Open`, or why the server that a watch should open at an address is not open.
    Open { address: String },
    /// → `Shown`.
    Shown { address: String },
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The forms that were posted last to the server at an address, a `Map` from the path of the route to a `List`
    /// of `List`s of key and value; `None`: there is no server.
    Forms(Option<Datum>),
    /// It is open, or nobody watches it.
    Open,
    /// What controls of the pages of the server at an address hold that was shown or saved; `None`: there is no server.
    Shown(Option<Vec<Shown>>),
}

/// Shows a value in a control of a page, as what a store has; `None`: as the program has it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub address: String,
    /// The path of the page.
    pub page: String,
    pub id: String,
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
    /// Said where it cannot be carried out.
    pub fn no_server(&self) -> HostError {
        HostError::new(HostErrorKind::NotFound, format!("no server is open on {}", self.address))
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

/// The server is open as long as it is watched; each form that is posted to it is a change. A host may go on trying to
/// open one that cannot be opened yet; it is a change when that succeeds, and until then `Probe::Open` fails.
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
