//! Errors at the end of evaluation, when nothing more can happen. Spec, 10.6.

use super::unit::Work;
use super::{Annotation, Done, Evaluator, State, VarId};
use crate::fault::{Class, Failure, Fault, Location, Within};
use crate::program::{AttrId, AttrKind, Shape};
use crate::value::{InstId, Namer};
use rustc_hash::FxHashSet;

impl Evaluator<'_> {
    pub(super) fn finish(&mut self, annotations: &[Annotation], noted: &[VarId]) -> Done {
        let mut faults: Vec<Failure> = self.indexes.pending().map(|pending| self.no_match(pending)).collect();
        for (annotation, var) in annotations.iter().zip(noted) {
            if let Ok(value) = self.value_of(*var)
                && value.is_unknown()
            {
                faults.push(
                    Fault::new(Class::Runtime, "Relation annotation can not be Unknown")
                        .within(Within::Text(annotation.relation.clone()))
                        .at(annotation.place),
                );
            }
        }
        let undecided: FxHashSet<InstId> = self
            .units
            .waiting()
            .filter_map(|work| match work {
                Work::Implement { instance, .. } => Some(*instance),
                _ => None,
            })
            .collect();
        for id in self.store.instances.ids().collect::<Vec<_>>() {
            self.check_instance_complete(id, &undecided, &mut faults);
        }
        faults.sort_by_key(|fault| self.rank(fault));
        Fault::all(faults).map_or_else(|| self.nothing_waits(), Err)
    }

    /// By importance, then by file and line; those without a place come first.
    fn rank(&self, fault: &Fault) -> (u16, String, u32) {
        let place = fault.place.map(|place| {
            let span = place.span();
            let source = self.around.sources.get(span.file);
            (source.path.clone(), source.line_of(span.start))
        });
        let (file, line) = place.unwrap_or_default();
        (fault.importance(), file, line)
    }

    fn check_instance_complete(&mut self, id: InstId, undecided: &FxHashSet<InstId>, faults: &mut Vec<Failure>) {
        let program = self.program;
        let instance = &self.store.instances[id];
        let entity = &program.entities[instance.entity];
        if !instance.is_selected && !undecided.contains(&id) {
            faults.push(self.not_selected(id));
        }
        for (slot, attr) in entity.slots.values().enumerate() {
            let var = self.store.slot_var(id, slot);
            if self.store.is_ready(var) {
                continue;
            }
            let is_list = match &program.attrs[*attr].kind {
                AttrKind::Plain(_) => false,
                AttrKind::End(end) => {
                    if let State::Untouched | State::End(_) = self.store.vars[var].state {
                        let n_members = match self.store.vars[var].state {
                            State::End(end) => self.store.ends[end].members.len() as i64,
                            _ => 0,
                        };
                        if n_members >= end.low {
                            self.close(var);
                            continue;
                        }
                        if end.shape() == Shape::List {
                            faults.push(self.lacks_members(id, *attr, n_members));
                            continue;
                        }
                    }
                    end.shape() == Shape::List
                }
            };
            if !is_list {
                faults.push(self.lacks_value(id, *attr));
            }
        }
    }

    /// No implementation was selected for an instance.
    pub(super) fn not_selected(&self, id: InstId) -> Failure {
        let entity = &self.program.entities[self.store.instances[id].entity];
        let message = format!("Unable to select implementation for entity {}", entity.name);
        let fault = Fault::new(Class::Runtime, message).within(Within::Text(self.instance(id))).help(format!(
            "add an `implement` statement whose condition holds; if there is nothing to do, `implement {} using \
             std::none`",
            entity.name
        ));
        match self.instance_place(id) {
            Some(place) => fault.at(place),
            None => fault,
        }
    }

    /// An attribute or single end has no value.
    pub(super) fn lacks_value(&self, id: InstId, attr: AttrId) -> Failure {
        let definition = &self.program.attrs[attr];
        let place = self.texts().place(Location::Column(definition.span));
        let message = format!(
            "The object {} is not complete: attribute {} ({place}) is not set",
            self.instance(id),
            definition.name
        );
        self.unset(message, id, definition.span)
    }

    /// A list end has fewer members than its lower bound.
    pub(super) fn lacks_members(&self, id: InstId, attr: AttrId, n_members: i64) -> Failure {
        let definition = &self.program.attrs[attr];
        let place = self.texts().place(Location::Column(definition.span));
        let low = self.program.end(attr).map_or(0, |end| end.low);
        let message = format!(
            "The object {} is not complete: attribute {} ({place}) requires {low} values but only {n_members} are set",
            self.instance(id),
            definition.name
        );
        self.unset(message, id, definition.span)
    }

    fn unset(&self, message: String, id: InstId, attr: mclive_base::span::Span) -> Failure {
        let fault = Fault::new(Class::Unset, message);
        match self.store.instances[id].constructs.first() {
            Some(construct) => fault
                .also(self.program.tree.exprs[*construct].span, "this instance is not complete")
                .also(attr, "this is not set"),
            None => fault,
        }
    }

    /// Units that still wait, such as those of `a = b` and `b = a`.
    fn nothing_waits(&self) -> Done {
        let mut waiting: Vec<&Work> = self.units.waiting().collect();
        waiting.retain(|work| !matches!(work, Work::Done | Work::Promise { .. }));
        let expr_of = |work: &Work| match work {
            Work::Compute { expr, .. }
            | Work::Construct { expr, .. }
            | Work::Call { expr, .. }
            | Work::Bool { expr, .. }
            | Work::Conditional { expr, .. }
            | Work::IndexLookup { expr, .. }
            | Work::IsDefined { expr, .. }
            | Work::Iterate { expr, .. }
            | Work::Guard { expr, .. } => Some(*expr),
            Work::Hook { .. }
            | Work::SetAttr { .. }
            | Work::If { .. }
            | Work::BoolRight { .. }
            | Work::Collect { .. }
            | Work::Implement { .. }
            | Work::Promise { .. }
            | Work::Listen { .. }
            | Work::Done => None,
        };
        // The original has them in source order.
        waiting.sort_by_key(|work| expr_of(work).map_or((1, 0), |expr| (0, expr.0)));
        let Some(first) = waiting.first() else { return Ok(()) };
        const MANY: usize = 50;
        let texts: Vec<String> = waiting
            .iter()
            .take(MANY)
            .map(|work| match expr_of(work) {
                Some(expr) => self.path_text(expr),
                None => "<a step of the evaluation>".into(),
            })
            .collect();
        let fault = Fault::new(Class::Runtime, format!("not all statements executed: [{}]", texts.join(", ")))
            .help("these wait for one another: give one of them a value that does not depend on the others");
        Err(match (expr_of(first), first) {
            (Some(expr), _) => self.in_expr(fault, expr),
            (None, Work::SetAttr { stmt } | Work::If { stmt, .. }) => self.in_stmt(fault, *stmt),
            (None, Work::Hook { expr, .. } | Work::Listen { expr, .. } | Work::BoolRight { expr, .. }) => {
                self.in_expr(fault, *expr)
            }
            (None, _) => fault,
        })
    }
}
