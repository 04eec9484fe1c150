//! The tree as stable text: one node per line, children indented. Positions are left out, so two programs with the same
//! dump mean the same.

use super::{
    Alias, Block, Callee, ExprId, ExprKind, Func, Half, Item, ItemKind, Param, StmtId, StmtKind, Tree, TypeNote,
};
use crate::ast::LoopOver;
use crate::source::Source;
use crate::value::quote;
use std::fmt::Write;

/// Dumps the whole tree. Strings are shown raw.
pub fn dump(tree: &Tree, source: &Source) -> String {
    let mut dumper = Dumper { tree, source, out: String::new(), depth: 0 };
    dumper.stmts(&tree.root);
    dumper.out
}

struct Dumper<'a> {
    tree: &'a Tree,
    source: &'a Source,
    out: String,
    depth: usize,
}

impl Dumper<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = self.depth * 2);
    }

    fn within(&mut self, head: &str, children: impl FnOnce(&mut Self)) {
        self.line(head);
        self.depth += 1;
        children(self);
        self.depth -= 1;
    }

    fn stmts(&mut self, block: &Block) {
        block.stmts.iter().for_each(|id| self.stmt(*id));
    }

    fn stmt(&mut self, id: StmtId) {
        let tree = self.tree;
        match &tree.stmts[id].kind {
            StmtKind::Bind { name, ty, value, .. } => {
                self.within(&format!("bind {name}{}", note(ty)), |d| d.expr(*value));
            }
            StmtKind::Panic { args } => self.within("panic", |d| args.iter().for_each(|arg| d.expr(*arg))),
            StmtKind::Resource(resource) => {
                let word = if resource.collect.is_some() { "collect" } else { "resource" };
                self.within(&format!("{word} {}", resource.kind), |d| {
                    d.expr(resource.name);
                    resource.items.iter().for_each(|item| d.item(item));
                });
            }
            StmtKind::Edge { halves } => self.within("edge", |d| halves.iter().for_each(|half| d.half(half))),
            StmtKind::If { cond, then, otherwise } => {
                self.within("if", |d| d.expr(*cond));
                self.within("then", |d| d.stmts(then));
                if let Some(otherwise) = otherwise {
                    self.within("else", |d| d.stmts(otherwise));
                }
            }
            StmtKind::For { over, first, second, subject, body } => {
                let word = match over {
                    LoopOver::List => "for",
                    LoopOver::Map => "forkv",
                };
                self.within(&format!("{word} {} {}", first.name, second.name), |d| d.expr(*subject));
                self.within("do", |d| d.stmts(body));
            }
            StmtKind::Func { name, func, .. } => self.func(&format!("func {name}"), func),
            StmtKind::Class { name, params, body, .. } => {
                let params = params.as_ref().map_or(String::new(), |params| format!("({})", param_list(params)));
                self.within(&format!("class {name}{params}"), |d| d.stmts(body));
            }
            StmtKind::Include { class, args, alias, .. } => {
                let alias = alias.as_ref().map_or(String::new(), |alias| format!(" as {alias}"));
                let parens = if args.is_some() { "()" } else { "" };
                let args = args.as_deref().unwrap_or_default();
                self.within(&format!("include {class}{parens}{alias}"), |d| args.iter().for_each(|arg| d.expr(*arg)));
            }
            StmtKind::Import { path, alias, .. } => {
                let alias = match alias {
                    Alias::Default => String::new(),
                    Alias::Name(name) => format!(" as {name}"),
                    Alias::Star => " as *".to_owned(),
                };
                self.line(&format!("import {}{alias}", quote(path.as_bytes())));
            }
            StmtKind::Error => self.line("error"),
        }
    }

    fn item(&mut self, item: &Item) {
        let head = match &item.kind {
            ItemKind::Field { name, .. } => format!("field {name}"),
            ItemKind::Edge { property, .. } => format!("edge {property}"),
            ItemKind::Meta { property, .. } if **property == *"meta" => "meta".to_owned(),
            ItemKind::Meta { property, .. } => format!("meta {property}"),
            ItemKind::MetaStruct { .. } => "meta".to_owned(),
        };
        self.within(&head, |d| {
            if let Some(cond) = item.cond {
                d.within("when", |d| d.expr(cond));
            }
            match &item.kind {
                ItemKind::Field { value, .. } | ItemKind::Meta { value, .. } | ItemKind::MetaStruct { value } => {
                    d.expr(*value);
                }
                ItemKind::Edge { half, .. } => d.half(half),
            }
        });
    }

    fn half(&mut self, half: &Half) {
        let field = half.field.as_ref().map_or(String::new(), |field| format!(".{}", field.name));
        self.within(&format!("half {}{field}", half.kind), |d| d.expr(half.name));
    }

    fn func(&mut self, head: &str, func: &Func) {
        let head = format!("{head}({}){}", param_list(&func.params), note(&func.ret));
        self.within(&head, |d| d.expr(func.body));
    }

    fn expr(&mut self, id: ExprId) {
        let tree = self.tree;
        let expr = &tree.exprs[id];
        match &expr.kind {
            ExprKind::Bool(value) => self.line(&format!("bool {value}")),
            ExprKind::Int(value) => self.line(&format!("int {value}")),
            ExprKind::Float(value) => self.line(&format!("float {value:?}")),
            ExprKind::Str => {
                let raw = &self.source.text[expr.span.start as usize + 1..expr.span.end as usize - 1];
                self.line(&format!("str {}", quote(raw)));
            }
            ExprKind::List(items) => self.within("list", |d| items.iter().for_each(|item| d.expr(*item))),
            ExprKind::Map(pairs) => self.within("map", |d| {
                for pair in pairs {
                    d.expr(pair.key);
                    d.expr(pair.value);
                }
            }),
            ExprKind::Struct(fields) => self.within("struct", |d| {
                for field in fields {
                    d.within(&field.name, |d| d.expr(field.value));
                }
            }),
            ExprKind::Var(name) => self.line(&format!("var {name}")),
            ExprKind::Call { callee, args, .. } => {
                let head = match callee {
                    Callee::Named(name) => format!("call {name}"),
                    Callee::Var(name) => format!("call ${name}"),
                    Callee::Literal(_) => "call".to_owned(),
                };
                self.within(&head, |d| {
                    if let Callee::Literal(func) = callee {
                        d.expr(*func);
                    }
                    args.iter().for_each(|arg| d.expr(*arg));
                });
            }
            ExprKind::Func(func) => self.func("func", func),
            ExprKind::If { cond, then, otherwise, .. } => self.within("if", |d| {
                d.expr(*cond);
                d.expr(*then);
                d.expr(*otherwise);
            }),
            ExprKind::Binary { .. } => self.within("chain", |d| {
                let (first, links) = tree.chain(id);
                d.expr(first);
                links.iter().for_each(|link| d.within(link.op.text(), |d| d.expr(link.right)));
            }),
            ExprKind::Not { operand, .. } => self.within("not", |d| d.expr(*operand)),
            ExprKind::Index { base, index } => self.within("index", |d| {
                d.expr(*base);
                d.expr(*index);
            }),
            ExprKind::Field { base, name, .. } => self.within(&format!("->{name}"), |d| d.expr(*base)),
            ExprKind::FieldOr { base, name, fallback, .. } => self.within(&format!("->{name} <|>"), |d| {
                d.expr(*base);
                d.expr(*fallback);
            }),
            ExprKind::Paren(inner) => self.within("paren", |d| d.expr(*inner)),
            ExprKind::Error => self.line("error"),
        }
    }
}

fn note(ty: &Option<TypeNote>) -> String {
    ty.as_ref().map_or(String::new(), |note| format!(" {}", note.ty))
}

fn param_list(params: &[Param]) -> String {
    let params = params.iter().map(|param| format!("{}{}", param.name, note(&param.ty)));
    params.collect::<Vec<_>>().join(", ")
}
