//! Statements: `panic` and `collect` are desugared. Language spec, 2.3.

use super::classes::{BlockStmt, entries};
use super::expr::param;
use super::init::edge_property;
use super::{Lowering, refuse};
use crate::ast;
use crate::hir::{
    Alias, Bind, Block, Call, Callee, Class, Edge, ExprId, ExprKind, For, Half, Import, Include, Item, ItemKind,
    Resource, Stmt, StmtKind,
};
use crate::parse::MAX_NESTING;
use crate::property::MetaProperty;
use crate::span::Span;

impl Lowering<'_> {
    pub(super) fn block(&mut self, entries: Vec<BlockStmt>) -> Block {
        let mut nested = self.nest_classes(entries);
        let mut stmts = Vec::with_capacity(nested.stays.len());
        for entry in nested.stays {
            let moved_in = nested.moved.remove(&entry.id).unwrap_or_default();
            stmts.push(self.stmt(entry, moved_in));
        }
        Block { stmts }
    }

    fn inner(&mut self, block: &ast::Block) -> Block {
        self.block(entries(block))
    }

    /// A statement; for a class, with the classes moved into it.
    fn stmt(&mut self, entry: BlockStmt, moved_in: Vec<BlockStmt>) -> Stmt {
        let tree = self.tree;
        let stmt = &tree.stmts[entry.id];
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Bind { name, name_span, ty, value } => {
                let ty = ty.as_ref().map(|note| note.ty.clone());
                let value = self.expr(*value);
                if ty.is_some() {
                    self.exprs[value].known = ty.clone();
                }
                StmtKind::Bind(Bind { name: name.clone(), name_span: *name_span, ty, value })
            }
            ast::StmtKind::Panic { args } => self.panic(args, span),
            ast::StmtKind::Resource(resource) => StmtKind::Resource(self.resource(resource)),
            ast::StmtKind::Edge { halves } => {
                StmtKind::Edge(Edge { halves: halves.iter().map(|half| self.half(half)).collect() })
            }
            ast::StmtKind::If { cond, then, otherwise } => StmtKind::If {
                cond: self.expr(*cond),
                then: self.inner(then),
                otherwise: otherwise.as_ref().map(|block| self.inner(block)),
            },
            ast::StmtKind::For { over, first, second, subject, body } => StmtKind::For(For {
                over: *over,
                first: param(first),
                second: param(second),
                subject: self.expr(*subject),
                body: self.inner(body),
            }),
            ast::StmtKind::Func { name, name_span, func } => {
                let func = ExprKind::Func(self.func(func));
                StmtKind::Func { name: name.clone(), name_span: *name_span, func: self.push(func, span) }
            }
            ast::StmtKind::Class { name, name_span, params, body } => {
                let mut inside = entries(body);
                inside.extend(moved_in);
                StmtKind::Class(Class {
                    name: entry.renamed.unwrap_or_else(|| name.clone()),
                    name_span: *name_span,
                    params: params.iter().flatten().map(param).collect(),
                    body: self.class_body(inside, *name_span),
                })
            }
            ast::StmtKind::Include { class, class_span, args, alias } => StmtKind::Include(Include {
                class: class.clone(),
                class_span: *class_span,
                args: self.all(args.as_deref().unwrap_or_default()),
                alias: alias.clone(),
            }),
            ast::StmtKind::Import { path, path_span, alias } => StmtKind::Import(Import {
                path: path.clone(),
                path_span: *path_span,
                alias: match alias {
                    ast::Alias::Default => Alias::Default,
                    ast::Alias::Name(name) => Alias::Name(name.clone()),
                    ast::Alias::Star => Alias::Star,
                },
            }),
            ast::StmtKind::Error => StmtKind::Error,
        };
        Stmt { kind, span }
    }

    /// Moved classes can nest deeper than the source, so there is a limit here too.
    fn class_body(&mut self, inside: Vec<BlockStmt>, span: Span) -> Block {
        if self.depth >= MAX_NESTING {
            self.diags.push(refuse::too_deep(span));
            return Block::default();
        }
        self.depth += 1;
        let body = self.block(inside);
        self.depth -= 1;
        body
    }

    /// `panic(…)`: a resource of the hidden kind `_panic`, if the condition holds.
    fn panic(&mut self, args: &[ast::ExprId], span: Span) -> StmtKind {
        let args = self.all(args);
        let callee = self.name(if args.len() == 2 { "panic_debug" } else { "panic" });
        let callee_span = Span { end: span.start + "panic".len() as u32, ..span };
        let call = Call { callee: Callee::Named(callee), args, callee_span };
        let cond = self.push(ExprKind::Call(call), span);
        let resource = Resource {
            kind: self.name("_panic"),
            kind_span: callee_span,
            name: self.text("panic", span),
            items: Vec::new(),
            collect: None,
        };
        let then = Block { stmts: vec![Stmt { kind: StmtKind::Resource(resource), span }] };
        StmtKind::If { cond, then, otherwise: None }
    }

    fn resource(&mut self, resource: &ast::Resource) -> Resource {
        let name = self.expr(resource.name);
        let collect = resource.collect.map(|word| self.collect(resource, word, name));
        // Nearly always all of them: growing would reserve room for more.
        let mut items = Vec::with_capacity(resource.items.len());
        items.extend(resource.items.iter().filter_map(|item| self.item(item)));
        Resource { kind: resource.kind.clone(), kind_span: resource.kind_span, name, items, collect }
    }

    /// `_collect(kind, NAME)`. The name is one expression used twice.
    fn collect(&mut self, resource: &ast::Resource, word: Span, name: ExprId) -> ExprId {
        let kind = self.text(&resource.kind, resource.kind_span);
        let call = Call { callee: Callee::Hidden("_collect"), args: vec![kind, name], callee_span: word };
        self.push(ExprKind::Call(call), word.to(resource.kind_span))
    }

    /// An item; `None` if its word is unknown. The value comes before the condition: this is the order of errors.
    fn item(&mut self, item: &ast::Item) -> Option<Item> {
        let kind = match &item.kind {
            ast::ItemKind::Field { name, value } => {
                ItemKind::Field { name: name.clone(), value: self.expr(*value) } //
            }
            ast::ItemKind::Edge { property, half } => {
                let half = self.half(half);
                ItemKind::Edge { property: edge_property(property)?, half }
            }
            ast::ItemKind::Meta { property, value } if **property == *"meta" => {
                ItemKind::MetaStruct { value: self.expr(*value) }
            }
            ast::ItemKind::Meta { property, value } => {
                let value = self.expr(*value);
                ItemKind::Meta { property: MetaProperty::named(property)?, value }
            }
            ast::ItemKind::MetaStruct { value } => ItemKind::MetaStruct { value: self.expr(*value) },
        };
        let cond = item.cond.map(|cond| self.expr(cond));
        Some(Item { kind, cond, span: item.span, name_span: item.name_span })
    }

    fn half(&mut self, half: &ast::Half) -> Half {
        Half {
            kind: half.kind.clone(),
            name: self.expr(half.name),
            field: half.field.as_ref().map(|field| field.name.clone()),
            span: half.span,
        }
    }
}
