//! [`Held`]: the events of containers that are being replaced. They wait for the end of the replacement: if the old
//! container is put back, they were caused only by the attempt, and would trigger the next one, which interrupts the
//! container again.

use super::engine::Replaced;
use super::{Context, FOREVER, ask, checked, tell};
use mclive_base::vocab::HostError;
use mclive_base::vocab::container::{Phase, Spec, Watch};
use std::collections::BTreeMap;

/// The names of containers that are being replaced, and whether there was an event of each.
#[derive(Default)]
pub(super) struct Held(BTreeMap<String, bool>);

impl Held {
    /// Keeps an event for a watch; `false`: nothing holds it back.
    pub(super) fn keep(&mut self, watch: &Watch) -> bool {
        let heard = match watch {
            Watch::Container { name } => self.0.get_mut(name),
            Watch::Images => None,
        };
        heard.is_some_and(|heard| {
            *heard = true;
            true
        })
    }

    fn begin(&mut self, name: &str) {
        self.0.insert(name.to_owned(), false);
    }

    /// Whether there was an event.
    fn end(&mut self, name: &str) -> bool {
        self.0.remove(name).unwrap_or_default()
    }
}

/// Replaces a container.
pub(super) fn replace(at: &Context, name: &str, spec: Spec, old: Phase, version: String) -> Result<(), HostError> {
    let place = checked(name)?.to_owned();
    let containers = &at.shared.subjects.container;
    containers.watched().held.begin(name);
    let replaced = ask(at, FOREVER, |engine| async move { engine.replace(&version, &place, &spec, old).await });
    let has_news = containers.watched().held.end(name);
    match replaced {
        Ok(Replaced::Not(error)) => Err(error),
        other => {
            if has_news {
                tell(at.shared, |watch| matches!(watch, Watch::Container { name: it } if it == name));
            }
            other.map(drop)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_of_a_container_wait_for_the_end_of_its_replacement() {
        let watch = |name: &str| Watch::Container { name: name.into() };
        let mut held = Held::default();
        held.begin("web");
        assert!(!held.keep(&watch("web2")) && !held.keep(&Watch::Images));
        assert!(!held.end("web"));
        held.begin("web");
        assert!(held.keep(&watch("web")));
        assert!(held.end("web"));
        assert!(!held.keep(&watch("web")));
    }
}
