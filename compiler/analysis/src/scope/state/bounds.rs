//! [`Bounds`]: how much of its limits a program has used.

use crate::scope::Limits;
use crate::span::Span;

pub(in crate::scope) struct Bounds {
    limits: Limits,
    /// Nesting depth of the current block.
    depth: usize,
    /// Number of scope lookups.
    n_steps: usize,
    /// Number of statements; counted with nodes and scopes.
    n_stmts: usize,
    /// The statement being linked.
    stmt: Option<Span>,
    is_exceeded: bool,
}

impl Bounds {
    pub(in crate::scope) fn new(limits: Limits) -> Bounds {
        Bounds { limits, depth: 0, n_steps: 0, n_stmts: 0, stmt: None, is_exceeded: false }
    }

    /// Counts a lookup in one scope. Returns whether it is allowed.
    pub(in crate::scope) fn look_up(&mut self) -> bool {
        self.n_steps += 1;
        self.n_steps <= self.limits.steps
    }

    /// Number of lookups so far.
    pub(in crate::scope) fn n_steps(&self) -> usize {
        self.n_steps
    }

    pub(in crate::scope) fn add_stmt(&mut self) {
        self.n_stmts += 1;
    }

    /// Linking has come to this statement.
    pub(in crate::scope) fn come_to(&mut self, stmt: Span) {
        self.stmt = Some(stmt);
    }

    /// The statement at which a limit is exceeded, if it is exceeded now.
    pub(in crate::scope) fn stmt(&self) -> Option<Span> {
        self.stmt
    }

    /// Whether this many copies are allowed besides the statements.
    pub(in crate::scope) fn have_room(&self, n_copies: usize) -> bool {
        n_copies + self.n_stmts <= self.limits.copies
    }

    /// Enters another nesting level. Errors: the deepest one, if it is reached.
    pub(in crate::scope) fn enter(&mut self) -> Result<(), usize> {
        if self.depth >= self.limits.depth {
            return Err(self.limits.depth);
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves a nesting level.
    pub(in crate::scope) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// A limit is exceeded. Returns whether none was before.
    pub(in crate::scope) fn exceed(&mut self) -> bool {
        !std::mem::replace(&mut self.is_exceeded, true)
    }

    pub(in crate::scope) fn are_exceeded(&self) -> bool {
        self.is_exceeded
    }

    /// Forgets lookups, and the limit that they may have exceeded: the program does not need them.
    pub(in crate::scope) fn go_back_to(&mut self, n_steps: usize) {
        self.n_steps = n_steps;
        self.is_exceeded = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_allows_as_much_as_it_says() {
        let mut bounds = Bounds::new(Limits { copies: 3, steps: 2, depth: 1 });
        assert_eq!([0; 3].map(|_| bounds.look_up()), [true, true, false]);
        bounds.add_stmt();
        assert!(bounds.have_room(2) && !bounds.have_room(3));
        assert_eq!((bounds.enter(), bounds.enter()), (Ok(()), Err(1)));
        bounds.leave();
        assert_eq!(bounds.enter(), Ok(()));
    }

    #[test]
    fn a_limit_is_exceeded_once_until_that_is_forgotten() {
        let mut bounds = Bounds::new(Limits { steps: 1, ..Limits::default() });
        assert!(bounds.look_up());
        let n_steps = bounds.n_steps();
        assert!(!bounds.look_up());
        assert_eq!((bounds.exceed(), bounds.exceed(), bounds.are_exceeded()), (true, false, true));
        bounds.go_back_to(n_steps);
        assert!(!bounds.are_exceeded() && bounds.n_steps() == 1);
    }
}
