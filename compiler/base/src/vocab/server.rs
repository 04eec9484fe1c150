//! Web servers that a program opens.

pub use super::ServeSpec as Watch;

use super::subject::never;
use super::{Datum, Listen, Look, Power, RouteKind};
use serde::{Deserialize, Serialize};

never! { Step, Fact }

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Forms`.
    Posted { address: String },
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The forms that were posted last to the server at an address, a `Map` from the path of the route to a `List`
    /// of `List`s of key and value; `None`: there is no server.
    Forms(Option<Datum>),
}

impl Look for Probe {
    type Finding = Finding;
}

/// The server is open as long as it is watched; each form that is posted to it is a change. One that cannot be
/// opened ends the whole watch with a failure.
impl Listen for Watch {
    fn words(&self, f: &mut dyn std::fmt::Write) -> std::fmt::Result {
        write!(f, "the server on {}", self.address)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        let asked = self.routes.iter().filter_map(|route| match &route.what {
            RouteKind::Proxy(proxy) if !proxy.head.is_empty() => Some(Power::Ask(&proxy.head)),
            RouteKind::Proxy(_) | RouteKind::Data(_) | RouteKind::File(_) | RouteKind::Below(_) | RouteKind::Form => {
                None
            }
        });
        std::iter::once(Power::Listen(&self.address)).chain(asked).collect()
    }
}
