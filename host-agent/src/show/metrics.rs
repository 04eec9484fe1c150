//! [`Metrics`]: the metrics of a run in Prometheus' text format (engine spec, 25).

use mclive_base::protocol::{Event, Phase, ResourceId, What};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// By kind, in the order of the output.
#[derive(Default)]
pub(crate) struct Metrics {
    kinds: BTreeMap<Arc<str>, Kind>,
    /// Resources whose check is in progress: only finished checks count.
    checking: HashSet<ResourceId>,
    graph_start: f64,
}

#[derive(Default)]
struct Kind {
    n_resources: usize,
    /// Checks by `apply`, `eventful`, `errorful`.
    checks: [u64; 8],
    /// Failures so far, soft and hard.
    failures: [u64; 2],
    /// Resources that are failing now, soft and hard.
    failing: [BTreeSet<Arc<str>>; 2],
}

impl Metrics {
    /// Every combination of labels starts at 0, for every kind.
    pub(crate) fn new(kinds: impl IntoIterator<Item = String>) -> Metrics {
        let kinds = kinds.into_iter().map(|kind| (kind.into(), Kind::default())).collect();
        Metrics { kinds, ..Metrics::default() }
    }

    pub(crate) fn take(&mut self, event: &Event) {
        match &event.what {
            What::GraphSwitched { kinds, .. } => {
                self.graph_start = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
                for kind in self.kinds.values_mut() {
                    kind.n_resources = 0;
                }
                for (kind, n) in kinds {
                    self.kinds.entry(kind.clone()).or_default().n_resources = *n;
                }
            }
            What::Resource { id, phase, dry, .. } => self.resource(id, *phase, *dry),
            What::Refused { .. }
            | What::Stream { .. }
            | What::Steps { .. }
            | What::Grouped { .. }
            | What::Converged { .. }
            | What::Unconverged
            | What::Log { .. } => {}
        }
    }

    fn resource(&mut self, id: &ResourceId, phase: Phase, dry: bool) {
        // Eventful, errorful; soft or hard.
        let (ended, failure) = match phase {
            Phase::Checking => {
                self.checking.insert(id.clone());
                return;
            }
            Phase::InState => (Some((false, false)), None),
            Phase::Changed | Phase::WouldChange => (Some((true, false)), None),
            Phase::Retrying => (Some((true, true)), Some(0)),
            Phase::Failed => (Some((true, true)), Some(1)),
            Phase::Removed => (None, None),
            Phase::Waiting | Phase::Applying | Phase::Limited | Phase::Unknown => return,
        };
        let was_checking = self.checking.remove(id);
        let kind = self.kinds.entry(id.kind.clone()).or_default();
        if let Some((eventful, errorful)) = ended.filter(|_| was_checking) {
            kind.checks[index(!dry, eventful, errorful)] += 1;
        }
        for (which, failing) in kind.failing.iter_mut().enumerate() {
            if failure == Some(which) {
                kind.failures[which] += 1;
                failing.insert(id.name.clone());
            } else {
                failing.remove(&id.name);
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        head(&mut text, "mgmt_checkapply_total", "counter", "Number of CheckApply that have run.");
        for (name, kind) in &self.kinds {
            for (apply, eventful, errorful) in combinations() {
                let n = kind.checks[index(apply, eventful, errorful)];
                let _ = writeln!(
                    text,
                    "mgmt_checkapply_total{{apply=\"{apply}\",errorful=\"{errorful}\",eventful=\"{eventful}\",kind=\"{name}\"}} {n}"
                );
            }
        }
        head(&mut text, "mgmt_resources", "gauge", "Number of managed resources.");
        for (name, kind) in &self.kinds {
            let _ = writeln!(text, "mgmt_resources{{kind=\"{name}\"}} {}", kind.n_resources);
        }
        head(&mut text, "mgmt_failures_total", "counter", "Total number of resource failures.");
        for (name, kind) in &self.kinds {
            for (which, n) in ["soft", "hard"].iter().zip(kind.failures) {
                let _ = writeln!(text, "mgmt_failures_total{{failure=\"{which}\",kind=\"{name}\"}} {n}");
            }
        }
        head(&mut text, "mgmt_failures", "gauge", "Number of failing resources.");
        for (name, kind) in &self.kinds {
            for (which, failing) in ["soft", "hard"].iter().zip(&kind.failing) {
                let _ = writeln!(text, "mgmt_failures{{failure=\"{which}\",kind=\"{name}\"}} {}", failing.len());
            }
        }
        head(&mut text, "mgmt_graph_start_time_seconds", "gauge", "Start time of the current graph since unix epoch.");
        let _ = writeln!(text, "mgmt_graph_start_time_seconds {}", self.graph_start);
        text
    }
}

/// The lines before the values of a metric.
pub(super) fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

fn index(apply: bool, eventful: bool, errorful: bool) -> usize {
    usize::from(apply) << 2 | usize::from(eventful) << 1 | usize::from(errorful)
}

fn combinations() -> impl Iterator<Item = (bool, bool, bool)> {
    (0..8).map(|bits| (bits & 4 != 0, bits & 2 != 0, bits & 1 != 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::protocol::Moment;

    fn phase(name: &str, phase: Phase) -> Event {
        let what = What::Resource { id: ResourceId::new("file", name), phase, text: String::new(), dry: false };
        Event { at: Moment(0), what, because: Vec::new() }
    }

    #[test]
    fn only_what_was_looked_at_counts_as_a_check() {
        let mut metrics = Metrics::new(["exec".to_string(), "file".to_string()]);
        for (name, is) in [
            ("a", Phase::Checking),
            ("a", Phase::Changed),
            ("a", Phase::InState),
            ("b", Phase::Checking),
            ("b", Phase::Retrying),
            ("b", Phase::Checking),
            ("b", Phase::Failed),
        ] {
            metrics.take(&phase(name, is));
        }
        let text = metrics.text();
        let says = |line: &str| assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        says(r#"mgmt_checkapply_total{apply="true",errorful="false",eventful="true",kind="file"} 1"#);
        says(r#"mgmt_checkapply_total{apply="true",errorful="false",eventful="false",kind="file"} 0"#);
        says(r#"mgmt_checkapply_total{apply="true",errorful="true",eventful="true",kind="file"} 2"#);
        says(r#"mgmt_checkapply_total{apply="false",errorful="false",eventful="false",kind="exec"} 0"#);
        says(r#"mgmt_failures_total{failure="soft",kind="file"} 1"#);
        says(r#"mgmt_failures{failure="soft",kind="file"} 0"#);
        says(r#"mgmt_failures{failure="hard",kind="file"} 1"#);
    }
}
