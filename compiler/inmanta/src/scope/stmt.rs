//! Names in statements, and the promises of blocks. Spec, 4.4 and 10.5.

use super::block::Block;
use super::construct::Hint;
use super::{Resolved, Resolver};
use crate::ast::{ExprId, ExprKind, Path, StmtId, StmtKind};
use crate::fault::Within;
use crate::program::{Blocks, Promise, StmtMeaning, VarRef};
use mclive_base::ident::Name;

impl Resolver<'_> {
    /// Resolves a statement. An error ends the statement, but not the bodies in it.
    pub(super) fn stmt(&mut self, id: StmtId) {
        let depth = self.blocks.len();
        let result = self.stmt_inside(id);
        self.blocks.truncate(depth);
        self.keep_of(id, result);
    }

    fn keep_of(&mut self, id: StmtId, result: Resolved<()>) {
        if let Err(fault) = result {
            self.program.names.stmts[id] = StmtMeaning::Broken;
            self.keep(Err(fault.within(Within::Stmt(id))));
        }
    }

    fn stmt_inside(&mut self, id: StmtId) -> Resolved<()> {
        let tree = self.tree;
        match &tree.stmts[id].kind {
            StmtKind::Expr(expr) => self.expr(*expr, Hint::none()),
            StmtKind::Assign { target, value } => {
                let meaning = self.target(target)?;
                self.program.names.stmts[id] = StmtMeaning::Target(meaning);
                self.expr(*value, Hint::none())
            }
            StmtKind::Set { base, name, value, .. } => {
                self.expr(*base, Hint::none())?;
                self.expr(*value, Hint::assignment())?;
                self.promise(id, *base, name);
                Ok(())
            }
            StmtKind::For { var, iterable, body, .. } => {
                let is_sound = self.head(id, *iterable);
                let span = tree.stmts[id].at;
                self.program.names.stmts[id] = StmtMeaning::Blocks(Box::default());
                self.open(Block::of_loop(tree, var, span, body, id));
                self.body(id, body, 0);
                self.unless_broken(id, is_sound);
                Ok(())
            }
            StmtKind::If { condition, then, otherwise } => {
                let is_sound = self.head(id, *condition);
                self.program.names.stmts[id] = StmtMeaning::Blocks(Box::default());
                for (nr, body) in [then, otherwise].into_iter().enumerate() {
                    self.open(Block::of(tree, body, Some(id), false));
                    self.body(id, body, nr);
                }
                self.unless_broken(id, is_sound);
                Ok(())
            }
        }
    }

    /// The condition or list of an `if` or `for`, and whether it is sound: the bodies are resolved in any case.
    fn head(&mut self, id: StmtId, expr: ExprId) -> bool {
        let depth = self.blocks.len();
        let result = self.expr(expr, Hint::none());
        self.blocks.truncate(depth);
        let is_sound = result.is_ok();
        self.keep_of(id, result);
        is_sound
    }

    fn unless_broken(&mut self, id: StmtId, is_sound: bool) {
        if !is_sound {
            self.program.names.stmts[id] = StmtMeaning::Broken;
        }
    }

    /// The statements of an opened block, which is closed after them.
    fn body(&mut self, of: StmtId, body: &[StmtId], nr: usize) {
        self.stmts(body);
        let size = self.close();
        self.blocks_of(of).sizes[nr] = size;
    }

    fn blocks_of(&mut self, id: StmtId) -> &mut Blocks {
        let meaning = &mut self.program.names.stmts[id];
        if !matches!(meaning, StmtMeaning::Blocks(_)) {
            *meaning = StmtMeaning::Blocks(Box::default());
        }
        match meaning {
            StmtMeaning::Blocks(blocks) => blocks,
            StmtMeaning::None | StmtMeaning::Target(_) | StmtMeaning::Broken => unreachable!("it was just set"),
        }
    }

    /// The variable that an assignment sets: one of the block itself, or of a namespace.
    fn target(&mut self, path: &Path) -> Resolved<VarRef> {
        match &path.namespace {
            Some(namespace) => self.qualified(namespace, &path.name, path),
            None => Ok(match self.variable(&path.name).0 {
                // A block declares its assigned variables, so only the top level remains.
                VarRef::OfSelf { otherwise: Some((ns, slot)), .. } => VarRef::Global(ns, slot),
                found => found,
            }),
        }
    }

    /// Each enclosing `for` and `if` that does not declare the root of the path promises the assignment.
    fn promise(&mut self, stmt: StmtId, base: ExprId, attr: &Name) {
        let mut path: Vec<Name> = Vec::new();
        let mut root = base;
        while let ExprKind::Attr { base, name, .. } = &self.tree.exprs[root].kind {
            path.insert(0, name.clone());
            root = *base;
        }
        let ExprKind::Var(var) = &self.tree.exprs[root].kind else { return };
        let (meaning, declared_in) = match &var.namespace {
            Some(namespace) => match self.qualified(namespace, &var.name, var) {
                Ok(meaning) => (meaning, None),
                Err(_) => return,
            },
            None => self.variable(&var.name),
        };
        let outer: Vec<(usize, StmtId)> = self
            .blocks
            .iter()
            .enumerate()
            .filter(|(nr, _)| declared_in.is_none_or(|declared_in| *nr > declared_in))
            .filter_map(|(nr, block)| Some((nr, block.of?)))
            .collect();
        for (nr, of) in outer {
            let root = match meaning.clone() {
                VarRef::Local { up, slot } => VarRef::Local { up: up - self.frames_inside(nr), slot },
                other => other,
            };
            let promise = Promise { root, path: path.clone(), attr: attr.clone(), stmt };
            self.blocks_of(of).promises.push(promise);
        }
    }
}
