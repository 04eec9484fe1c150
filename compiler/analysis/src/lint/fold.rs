//! [`Constants`]: the strings that literals, variables and `+` make, as far as a lint can fold them.

use crate::hir::{Alias, Block, Callee, ExprId, ExprKind, Module, StmtKind};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The maximum number of expressions that are read for one string: each variable may use another one twice.
const MAX_STEPS: usize = 64;

/// The longest string that is made: no path is longer.
const MAX_LENGTH: usize = 4096;

/// The variables of the blocks around a place.
pub(super) struct Constants<'m> {
    module: &'m Module,
    blocks: Vec<Names<'m>>,
}

/// The names of a block.
struct Names<'m> {
    /// Each with its value; a parameter has none.
    values: FxHashMap<&'m str, Option<ExprId>>,
    /// `import … as *` may define any name.
    is_open: bool,
    /// A function `concat`, which then joins the parts of strings.
    has_concat: bool,
}

impl<'m> Constants<'m> {
    pub(super) fn new(module: &'m Module) -> Constants<'m> {
        Constants { module, blocks: Vec::new() }
    }

    /// Enters a block; `around` is the statement that it belongs to.
    pub(super) fn enter(&mut self, block: &'m Block, around: Option<&'m StmtKind>) {
        let mut names = Names { values: FxHashMap::default(), is_open: false, has_concat: false };
        match around {
            Some(StmtKind::For(each)) => {
                names.values.insert(&*each.first.name, None);
                names.values.insert(&*each.second.name, None);
            }
            Some(StmtKind::Class(class)) => names.values.extend(class.params.iter().map(|param| (&*param.name, None))),
            Some(_) | None => {}
        }
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Bind(bind) => {
                    names.values.insert(&*bind.name, Some(bind.value));
                }
                StmtKind::Import(import) => names.is_open |= import.alias == Alias::Star,
                StmtKind::Func { name, .. } => names.has_concat |= **name == *"concat",
                _ => {}
            }
        }
        self.blocks.push(names);
    }

    /// Leaves the block that was entered last.
    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    /// The string that an expression always is.
    pub(super) fn text(&self, expr: ExprId) -> Option<Cow<'m, str>> {
        if let ExprKind::Str(text) = &self.module.exprs[expr].kind {
            return std::str::from_utf8(text).ok().map(Cow::Borrowed);
        }
        let (mut steps, mut text) = (MAX_STEPS, Vec::new());
        self.fold(expr, self.blocks.len(), &mut steps, &mut text)?;
        String::from_utf8(text).ok().map(Cow::Owned)
    }

    /// Appends what an expression is in the innermost of the first `depth` blocks.
    fn fold(&self, expr: ExprId, depth: usize, steps: &mut usize, text: &mut Vec<u8>) -> Option<()> {
        *steps = steps.checked_sub(1)?;
        match &self.module.exprs[expr].kind {
            ExprKind::Str(part) if text.len() + part.len() > MAX_LENGTH => return None,
            ExprKind::Str(part) => text.extend_from_slice(part),
            ExprKind::Var(name) => {
                let knows = |names: &Names<'_>| names.is_open || names.values.contains_key(&**name);
                let at = self.blocks[..depth].iter().rposition(knows)?;
                let value = self.blocks[at].values.get(&**name).copied().flatten()?;
                self.fold(value, at + 1, steps, text)?;
            }
            ExprKind::Call(call) => {
                let parts = match &call.callee {
                    Callee::Named(name) if &**name == "concat" && self.joins(depth) => &call.args[..],
                    Callee::Hidden("_operator") if self.is_plus(*call.args.first()?) => &call.args[1..],
                    _ => return None,
                };
                for part in parts {
                    self.fold(*part, depth, steps, text)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether `concat` is the builtin in the innermost of the first `depth` blocks.
    fn joins(&self, depth: usize) -> bool {
        self.blocks[..depth].iter().all(|names| !names.is_open && !names.has_concat)
    }

    fn is_plus(&self, operator: ExprId) -> bool {
        matches!(&self.module.exprs[operator].kind, ExprKind::Str(text) if **text == *b"+")
    }
}
