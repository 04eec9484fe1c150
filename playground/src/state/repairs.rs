//! [`Repairs`]: resources that were repaired just now. A repair takes a few milliseconds, so the graph shows them broken for
//! a moment.

use super::shared::Shared;
use mclive_base::shapes::host::LogLine;

/// How long a repaired resource is shown broken. Units: milliseconds.
const SHOWN_MS: u64 = 800;

/// How the log reports a repair.
const REPAIRED: &str = "repaired ";

/// Resources that were repaired just now.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Repairs {
    /// Those that are shown broken, as `kind[name]`.
    pub shown: Shared<Vec<String>>,
    /// How long each of them still is. Units: milliseconds.
    left_ms: Vec<u64>,
}

impl Repairs {
    /// Something happened.
    pub(super) fn see(&mut self, news: &[LogLine]) {
        let repaired = news.iter().filter(|line| line.text.starts_with(REPAIRED));
        for id in repaired.filter_map(|line| line.resource.as_ref()) {
            // What is repaired repeatedly is also shown repaired in between.
            if !self.shown.contains(id) {
                self.shown.make_mut().push(id.clone());
                self.left_ms.push(SHOWN_MS);
            }
        }
    }

    /// Real time passes.
    pub(super) fn pass(&mut self, ms: u64) {
        for left in &mut self.left_ms {
            *left = left.saturating_sub(ms);
        }
        if self.left_ms.contains(&0) {
            let mut left = self.left_ms.iter();
            self.shown.make_mut().retain(|_| left.next().is_some_and(|left| *left > 0));
            self.left_ms.retain(|left| *left > 0);
        }
    }
}
