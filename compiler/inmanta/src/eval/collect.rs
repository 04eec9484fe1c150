//! Errors that do not follow from the first one.

use super::{Done, Evaluator};
use crate::fault::{Class, Failure, Fault};

/// The maximum number of errors that are looked for after the first one.
const MOST_FAULTS: usize = 50;

impl Evaluator<'_> {
    /// Keeps an error, to continue: `kept` is the first one, and further ones are reported with it. Errors: a limit.
    pub(super) fn keep(&mut self, done: Done, kept: &mut Done) -> Done {
        match done {
            Ok(()) => {}
            Err(fault) if fault.class == Class::Limit => return Err(fault),
            Err(fault) if kept.is_ok() => *kept = Err(fault),
            Err(fault) if self.late_faults.len() < MOST_FAULTS => self.late_faults.push(fault),
            Err(_) => {}
        }
        Ok(())
    }

    /// After an error: those of the statements that are left, and of everything that can be evaluated while all relations
    /// stay open. What needs a value that is missing now waits, so these errors do not follow from the first one. A
    /// mistake in a loop is reported once, for its first element.
    pub(super) fn others(&mut self, first: Option<&Fault>) -> Vec<Failure> {
        let program = self.program;
        if self.has_closed {
            return Vec::new();
        }
        let (n_printed, n_warnings) = (self.printed.len(), self.warnings.len());
        let stmts =
            program.namespaces.iter().flat_map(|(ns, namespace)| namespace.stmts.iter().map(move |stmt| (ns, stmt)));
        let mut left = stmts.skip(self.n_emitted);
        let mut found = Vec::new();
        std::mem::take(&mut self.late_faults).into_iter().for_each(|fault| add(&mut found, first, fault));
        while found.len() < MOST_FAULTS {
            let done = match left.next() {
                Some((ns, stmt)) => self.emit_stmt(*stmt, self.frames.root(ns)),
                None if self.units.is_idle() => break,
                None => self.run_queue(),
            };
            match done {
                Ok(()) => {}
                Err(fault) if fault.class == Class::Limit => break,
                Err(fault) => add(&mut found, first, fault),
            }
        }
        std::mem::take(&mut self.late_faults).into_iter().for_each(|fault| add(&mut found, first, fault));
        found.truncate(MOST_FAULTS);
        self.printed.truncate(n_printed);
        self.warnings.truncate(n_warnings);
        found
    }
}

/// Adds an error that is not known yet.
fn add(found: &mut Vec<Failure>, first: Option<&Fault>, fault: Failure) {
    let is_known = |known: &Fault| is_again(known, &fault);
    if !first.is_some_and(is_known) && !found.iter().any(|known| is_known(known.as_ref())) {
        found.push(fault);
    }
}

/// Whether two errors are of one mistake that was met twice. A constructor may have several wrong arguments.
fn is_again(one: &Fault, other: &Fault) -> bool {
    let is_here = one.class == other.class
        && one.place.is_some()
        && one.place == other.place
        && one.missing == other.missing
        && (one.class != Class::Attribute || one.message == other.message);
    is_here || is_same_excess(root(one), root(other))
}

/// Whether both are about one value too many, which was added from both sides of a relation.
fn is_same_excess(one: &Fault, other: &Fault) -> bool {
    one.message.starts_with("Exceeded relation arity ")
        && one.message == other.message
        && one.place.is_some()
        && one.place == other.place
}

/// The innermost cause.
fn root(fault: &Fault) -> &Fault {
    let mut at = fault;
    while let Some(cause) = at.causes.first() {
        at = cause;
    }
    at
}
