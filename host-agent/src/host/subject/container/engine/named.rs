//! Changes of one container, by its exact name.
//!
//! If no container has a name, an engine interprets it as the beginning of an id: `db` could then mean an unrelated
//! container. So if a name looks like the beginning of an id, the container's id is queried first.

use super::{Engine, LONG, text};
use crate::network::http::Method;
use mclive_base::vocab::{HostError, HostErrorKind};

impl Engine {
    /// Makes a request about a container. `rest`: its path after the name; `good`: the status codes that confirm it.
    pub(super) async fn change(
        &self,
        method: Method,
        version: &str,
        name: &str,
        rest: &str,
        good: &[u16],
        what: &str,
    ) -> Result<(), HostError> {
        let Some(exact) = self.exact(version, name).await? else {
            let gone = || HostError::new(HostErrorKind::NotFound, format!("{what}: no such container: {name}"));
            return if good.contains(&404) { Ok(()) } else { Err(gone()) };
        };
        let mut message = self.message(method, version, &format!("/containers/{exact}{rest}"));
        message.patience = LONG;
        self.make(message, good, what).await.map(drop)
    }

    /// A name or ID that means this container only; `None`: no container has this name.
    async fn exact(&self, version: &str, name: &str) -> Result<Option<String>, HostError> {
        if !may_be_id(name) {
            return Ok(Some(name.to_owned()));
        }
        let seen = self.inspect(version, name).await?;
        Ok(seen.map(|seen| text(&seen, "/Id").to_owned()).map(|id| if id.is_empty() { name.to_owned() } else { id }))
    }
}

fn may_be_id(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether an engine says that several ids begin with a name: then no container has that name.
pub(super) fn is_ambiguous(why: &str) -> bool {
    ["multiple IDs found", "more than one result"].iter().any(|said| why.contains(said))
}

#[cfg(test)]
mod tests {
    use super::may_be_id;

    #[test]
    fn a_name_of_digits_and_the_first_letters_may_be_an_id() {
        for (name, expect) in [("db", true), ("cafe1", true), ("7", true), ("web", false), ("db.mclive-old", false)] {
            assert_eq!(may_be_id(name), expect, "{name}");
        }
    }
}
