//! `is defined`. Spec, 8.7.

use super::store::Read;
use super::unit::{Needs, Target};
use super::{Done, Evaluator, FrameId, State};
use crate::ast::{ExprId, ExprKind};
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn run_is_defined(&mut self, expr: ExprId, frame: FrameId, needs: &Needs, target: Target) -> Done {
        let program = self.program;
        let ExprKind::IsDefined(subject) = &program.tree.exprs[expr].kind else { return Ok(()) };
        if let ExprKind::Lookup { dict, key } = &program.tree.exprs[*subject].kind {
            let mut cursor = super::compute::Cursor::new(needs);
            // Errors in the operands are reported for the whole expression.
            let whole = |mut fault: crate::fault::Failure| {
                (fault.within, fault.place) = (None, None);
                fault
            };
            let dict = self.compute(*dict, frame, &mut cursor).map_err(whole)?;
            let key = self.compute(*key, frame, &mut cursor).map_err(whole)?;
            let has = self.is_in(&key, &dict)?;
            if !matches!(has, Value::Bool(true)) {
                return self.assign(&target, has);
            }
            let value = self.look_up(&dict, &key)?;
            return self.answer(&value, target);
        }
        let Some(var) = needs.first().copied() else { return self.assign(&target, Value::Bool(true)) };
        let var = self.store.deref(var);
        if let State::End(end) = self.store.vars[var].state
            && !self.store.ends[end].is_closed
        {
            return self.assign(&target, Value::Bool(true));
        }
        match self.store.read(var) {
            Read::Value(value) => self.answer(&value, target),
            Read::Empty(_) | Read::NotYet => self.assign(&target, Value::Bool(false)),
        }
    }

    fn answer(&mut self, value: &Value, target: Target) -> Done {
        let answer = match value {
            Value::Null => Value::Bool(false),
            Value::Unknown(_) => self.unknown(),
            Value::List(list) if list.items.is_empty() => Value::Bool(false),
            Value::List(list) if list.items.iter().all(Value::is_unknown) => self.unknown(),
            _ => Value::Bool(true),
        };
        self.assign(&target, answer)
    }
}
