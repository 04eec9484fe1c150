//! [`Meta`]: what a resource tells the engine about itself. Engine spec, 4.

use serde::{Deserialize, Serialize};

/// The meta parameters of one resource, in range.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// Look only.
    pub noop: bool,
    /// Further attempts after a failed check, and separately after a failed watch; negative: for
    /// ever.
    pub retry: i16,
    /// A good check restores the budget.
    pub retryreset: bool,
    /// Before each retry. Units: milliseconds.
    pub delay: u64,
    /// For one check; 0: none. Units: milliseconds.
    pub timeout: u64,
    /// Instead of a watch, look each so many seconds; negative: once; 0: watch.
    pub poll: i32,
    /// Events per second. Infinity has no form in JSON, so it is left out there.
    #[serde(skip_serializing_if = "is_no_limit")]
    pub limit: f64,
    /// How many events may come at once.
    pub burst: i64,
    /// A graph switch restores the budget.
    pub reset: bool,
    /// Semaphores to hold while processed.
    pub sema: Vec<String>,
    /// After a failure, start anew at a graph switch even if nothing changed.
    pub rewatch: bool,
    /// Reserved.
    pub realize: bool,
    /// The name may begin with a dollar sign.
    pub dollar: bool,
    pub hidden: bool,
    /// Hosts to publish to; `*` is all.
    pub export: Vec<String>,
    /// Undo when it leaves the graph.
    pub reverse: bool,
    pub autoedge: bool,
    pub autogroup: bool,
}

fn is_no_limit(limit: &f64) -> bool {
    limit.is_infinite()
}

impl Default for Meta {
    fn default() -> Meta {
        Meta {
            noop: false,
            retry: 0,
            retryreset: false,
            delay: 0,
            timeout: 0,
            poll: 0,
            limit: f64::INFINITY,
            burst: 0,
            reset: false,
            sema: Vec::new(),
            rewatch: false,
            realize: false,
            dollar: false,
            hidden: false,
            export: Vec::new(),
            reverse: false,
            autoedge: true,
            autogroup: true,
        }
    }
}

/// Equality decides whether a running resource is kept: the order of semaphores and of hosts does
/// not count.
impl PartialEq for Meta {
    fn eq(&self, other: &Meta) -> bool {
        fn sorted(list: &[String]) -> Vec<&String> {
            let mut list: Vec<&String> = list.iter().collect();
            list.sort();
            list
        }
        let flags = |meta: &Meta| {
            (
                (meta.noop, meta.retryreset, meta.reset, meta.rewatch, meta.realize, meta.dollar),
                (meta.hidden, meta.reverse, meta.autoedge, meta.autogroup),
            )
        };
        let numbers = |meta: &Meta| (meta.retry, meta.delay, meta.timeout, meta.poll, meta.burst);
        flags(self) == flags(other)
            && numbers(self) == numbers(other)
            && (self.limit == other.limit || self.limit.is_nan() && other.limit.is_nan())
            && sorted(&self.sema) == sorted(&other.sema)
            && sorted(&self.export) == sorted(&other.export)
    }
}
