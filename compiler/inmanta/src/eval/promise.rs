//! Promises: a `for` or `if` that may still add to an end keeps it open. Spec, 10.5.

use super::read::Root;
use super::store::Read;
use super::unit::{Needs, Work};
use super::{Done, Evaluator, FrameId, Promises, State};
use crate::ast::{StmtId, StmtKind};
use crate::fault::Within;
use crate::program::{Shape, StmtMeaning};
use crate::value::Value;

impl Evaluator<'_> {
    /// Makes the promises of a `for` or `if`. Spec, 10.5.
    pub(super) fn promise_set(&mut self, stmt: StmtId, frame: FrameId) -> Done<u32> {
        let program = self.program;
        let StmtMeaning::Blocks(blocks) = &program.names.stmts[stmt] else { return Ok(Promises::NONE) };
        if blocks.promises.is_empty() {
            return Ok(Promises::NONE);
        }
        let id = self.promises.add(frame);
        for (nr, promise) in blocks.promises.iter().enumerate() {
            match self.promise_root(&promise.root, frame)? {
                Root::Instance(instance) => {
                    let walked = self.walk_promise(stmt, nr as u32, id, &Value::Instance(instance), 0);
                    walked?;
                }
                Root::Var(var) if self.store.is_ready(var) => match self.store.read(var) {
                    Read::Value(value) => self.walk_promise(stmt, nr as u32, id, &value, 0)?,
                    Read::Empty(_) | Read::NotYet => {}
                },
                Root::Var(var) => {
                    let work = Work::Promise { stmt, nr: nr as u32, promises: id };
                    self.unit(work, frame, smallvec::smallvec![var]);
                }
            }
        }
        Ok(id)
    }

    pub(super) fn run_promise(&mut self, stmt: StmtId, nr: u32, promises: u32, needs: &Needs) -> Done {
        match self.store.read(needs[0]) {
            Read::Value(value) => {
                // The number of variables before shows how much of the path is known.
                self.walk_promise(stmt, nr, promises, &value, needs.len() - 1)
            }
            Read::Empty(_) | Read::NotYet => Ok(()),
        }
    }

    /// Follows a promise's path as far as it is known.
    fn walk_promise(&mut self, stmt: StmtId, nr: u32, promises: u32, root: &Value, done: usize) -> Done {
        let program = self.program;
        let StmtMeaning::Blocks(blocks) = &program.names.stmts[stmt] else { return Ok(()) };
        let promise = &blocks.promises[nr as usize];
        let mut value = root.clone();
        for (step, name) in promise.path.iter().enumerate().skip(done) {
            let Value::Instance(instance) = value else { return Ok(()) };
            let Ok(var) = self.slot_by_name(instance, name) else { return Ok(()) };
            if !self.store.is_ready(var) {
                let mut needs: Needs = smallvec::smallvec![var];
                // The variables after the first one are ready, and show how far the path is known.
                let ready = self.store.new_var();
                self.store.vars[ready].state = State::Set(Value::Null);
                needs.extend(std::iter::repeat_n(ready, step + 1));
                let frame = self.promises.frame(promises);
                self.unit(Work::Promise { stmt, nr, promises }, frame, needs);
                return Ok(());
            }
            match self.store.read(var) {
                Read::Value(next) => value = next,
                Read::Empty(_) | Read::NotYet => return Ok(()),
            }
        }
        let Value::Instance(instance) = value else { return Ok(()) };
        let var = self.slot_by_name(instance, &promise.attr).map_err(|fault| {
            let StmtKind::Set { base, name, .. } = &program.tree.stmts[promise.stmt].kind else { return fault };
            let text = format!("{}.{name}", self.path_text(*base));
            fault.within(Within::Text(text)).at(self.stmt_place(promise.stmt))
        })?;
        let slot = var.0 - self.store.instances[instance].first.0;
        // The attribute must exist even if the code never runs.
        if !self.promises.is_over(promises) && self.end_at(instance, slot).is_some_and(|end| end.shape() != Shape::One)
        {
            self.provide(instance, slot);
            self.promises.hold(promises, var);
        }
        Ok(())
    }

    /// The statement has emitted everything, so its promises end.
    pub(super) fn end_promises(&mut self, promises: u32) {
        for var in self.promises.end(promises) {
            self.release(var);
        }
    }
}
