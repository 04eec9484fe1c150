//! Resolves the names in statements and conditions, before anything runs. Spec, 4.3, 4.4, 6.6, and 10.1, phase 3.
//!
//! In: the definitions. Out: the names of the program: the variable, entity or function of each expression, and the
//! declarations and promises of each block. Missing types, functions and namespaces are errors here; a missing variable
//! is one only when its statement is emitted.

mod block;
mod construct;
mod expr;
mod stmt;

use crate::ast::{Definition, ExprId, FileTree, Item, StmtId, Tree};
use crate::define::DefinedModel;
use crate::fault::{Failure, Location, Texts, Warning, Within};
use crate::program::{
    EntityId, ImplementId, ImplementationId, IndexId, Meaning, NsId, Program, StmtMeaning, TypedefId,
};
use block::Block;
use construct::Hint;
pub(crate) use construct::{missing_keys, missing_keys_fault};
use mclive_base::source::Sources;

type Resolved<T> = Result<T, Failure>;

/// What names could not be resolved.
#[derive(Default)]
pub struct Unresolved {
    /// The errors, of which the original reports the first.
    pub faults: Vec<Failure>,
    /// All of them are in statements, without which the model can be evaluated.
    pub only_in_stmts: bool,
}

/// Resolves every name.
pub fn resolve(model: &mut DefinedModel, sources: &Sources, root: &str) -> Unresolved {
    let tree = std::mem::take(&mut model.program.tree);
    let mut resolver = Resolver {
        program: &mut model.program,
        tree: &tree,
        sources,
        root,
        warnings: Vec::new(),
        ns: NsId(0),
        entity: None,
        blocks: Vec::new(),
        uses_number: false,
        faults: Vec::new(),
        in_conditions: false,
    };
    resolver.run();
    resolver.annotations(&model.files);
    let only_in_stmts = !resolver.in_conditions;
    let faults = std::mem::take(&mut resolver.faults);
    let warnings = std::mem::take(&mut resolver.warnings);
    let uses_number = resolver.uses_number;
    model.program.tree = tree;
    model.warnings.extend(warnings);
    if uses_number {
        model.number_warning();
    }
    Unresolved { faults, only_in_stmts }
}

struct Resolver<'a> {
    program: &'a mut Program,
    tree: &'a Tree,
    sources: &'a Sources,
    root: &'a str,
    warnings: Vec<Warning>,
    ns: NsId,
    /// The entity whose implementation or condition this is.
    entity: Option<EntityId>,
    /// The enclosing blocks, the innermost last.
    blocks: Vec<Block>,
    uses_number: bool,
    faults: Vec<Failure>,
    /// There are errors in conditions of types or implementations.
    in_conditions: bool,
}

/// The maximum number of errors that are collected.
const MAX_FAULTS: usize = 50;

impl Resolver<'_> {
    fn run(&mut self) {
        self.program.names.exprs.grow_to(self.tree.exprs.len(), Meaning::default);
        self.program.names.stmts.grow_to(self.tree.stmts.len(), StmtMeaning::default);
        for id in self.program.typedefs.ids().collect::<Vec<TypedefId>>() {
            let result = self.typedef(id);
            self.in_conditions |= result.is_err();
            self.keep(result);
        }
        for id in self.program.implementations.ids().collect::<Vec<ImplementationId>>() {
            self.implementation(id);
        }
        for id in self.program.implements.ids().collect::<Vec<ImplementId>>() {
            let result = self.implement(id);
            self.in_conditions |= result.is_err();
            self.keep(result);
        }
        for ns in self.program.namespaces.ids().collect::<Vec<NsId>>() {
            self.enter(ns, None);
            let stmts = self.program.namespaces[ns].stmts.clone();
            self.stmts(&stmts);
        }
    }

    /// Keeps an error; the next definition or statement is independent of it.
    fn keep(&mut self, result: Resolved<()>) {
        self.faults.extend(result.err().filter(|_| self.faults.len() < MAX_FAULTS));
    }

    /// The statements of a block. An error ends its statement only.
    fn stmts(&mut self, stmts: &[StmtId]) {
        stmts.iter().for_each(|stmt| self.stmt(*stmt));
    }

    /// The annotations of relations are at the top level.
    fn annotations(&mut self, files: &[(NsId, FileTree)]) {
        for (ns, tree) in files {
            self.enter(*ns, None);
            for item in &tree.items {
                let Item::Define(Definition::Relation(def)) = item else { continue };
                for expr in &def.annotations {
                    let text = format!("Relation({}, {})", def.left.text(), def.right.text());
                    let result = self.expr(*expr, Hint::none());
                    self.keep(result.map_err(|fault| fault.within(Within::Text(text)).at(Location::Line(def.span))));
                }
            }
        }
    }

    fn enter(&mut self, ns: NsId, entity: Option<EntityId>) {
        self.ns = ns;
        self.entity = entity;
        self.blocks.clear();
    }

    /// Only calls have a meaning in the condition of a typedef: `self` is the value.
    fn typedef(&mut self, id: TypedefId) -> Resolved<()> {
        let typedef = &self.program.typedefs[id];
        let (ns, condition) = (typedef.ns, typedef.condition);
        let text = format!("Type({})", typedef.full_name.rsplit("::").next().unwrap_or_default());
        self.enter(ns, None);
        self.calls_below(condition).map_err(|fault| fault.within(Within::Text(text)))
    }

    fn calls_below(&mut self, expr: ExprId) -> Resolved<()> {
        let node = &self.tree.exprs[expr];
        if let crate::ast::ExprKind::Call { function, .. } = &node.kind {
            self.callee(expr, function)?;
        }
        let mut children = Vec::new();
        node.kind.for_each_child(|child| children.push(child));
        children.into_iter().try_for_each(|child| self.calls_below(child))
    }

    fn implementation(&mut self, id: ImplementationId) {
        let implementation = &self.program.implementations[id];
        let (ns, entity, body) = (implementation.ns, implementation.entity, implementation.body.clone());
        self.enter(ns, Some(entity));
        self.open(Block::of(self.tree, &body, None, true));
        self.stmts(&body);
        let n_vars = self.close();
        self.program.implementations[id].n_vars = n_vars;
    }

    fn implement(&mut self, id: ImplementId) -> Resolved<()> {
        let implement = &self.program.implements[id];
        let Some(condition) = implement.condition else { return Ok(()) };
        let text = implement.text.clone();
        let (ns, entity) = (implement.ns, implement.entity);
        self.enter(ns, Some(entity));
        self.expr(condition, Hint::none()).map_err(|fault| fault.within(Within::Text(text)))
    }

    fn texts(&self) -> Texts<'_> {
        Texts { sources: self.sources, tree: self.tree, root: self.root }
    }

    /// The attributes of an index.
    fn index_attrs(&self, index: IndexId) -> &[mclive_base::ident::Name] {
        &self.program.indexes[index].attrs
    }
}
