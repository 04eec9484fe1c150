//! The branches of an `if` that is an expression have different types.

use super::collect::Collector;
use super::join::Mismatch;
use super::literal::as_element;
use super::mismatch::{shown, types_differ};
use super::table::TyId;
use crate::diag::{Diagnostic, Label};
use crate::scope::linked::{NodeId, NodeKind};
use crate::span::Span;

/// What both branches have in common.
const ONE_TYPE: &str = "both branches of an `if` must have the same type";

impl Collector<'_, '_> {
    /// The value after `else`, at `span`, has another type than the one before it.
    pub(super) fn wrong_branch(
        &mut self,
        choice: NodeId,
        (want, got): (TyId, TyId),
        why: &Mismatch,
        span: Span,
    ) -> Diagnostic {
        let linked = self.linked;
        let said = types_differ(&mut self.table, want, got, why, span);
        let NodeKind::If { then, otherwise, .. } = &linked.nodes[choice].kind else { return said };
        let (first, second) = (shown(&mut self.table, want), shown(&mut self.table, got));
        if !matches!(why, Mismatch::Kinds { .. }) || first == second {
            return said.help(ONE_TYPE);
        }
        let place = linked.nodes[*then].span;
        let fixed = self.literal_as(*otherwise, want).map(|text| (span, text));
        let fixed = fixed.or_else(|| self.literal_as(*then, got).map(|text| (place, text)));
        let said = Diagnostic {
            message: format!("expected {first} in the `else` branch, found {second}"),
            primary: Some(Label { span, text: format!("this is {second}") }),
            secondary: vec![Label { span: place, text: format!("the first branch is {first}") }],
            ..said
        };
        match fixed {
            Some((at, text)) => {
                let branch = if at == span { "`else`" } else { "first" };
                let help = vec![format!("{ONE_TYPE}: write `{text}` in the {branch} branch")];
                Diagnostic { help, ..said }.edit(at, text.clone(), format!("write `{text}`"))
            }
            None => {
                let help = [ONE_TYPE.to_owned()].into_iter().chain(said.help).collect();
                Diagnostic { help, ..said }
            }
        }
    }

    /// A literal as a literal of another type.
    fn literal_as(&mut self, node: NodeId, want: TyId) -> Option<String> {
        let NodeKind::Const(value) = &self.linked.nodes[node].kind else { return None };
        as_element(value, &self.table.finish_open(want)?)
    }
}
