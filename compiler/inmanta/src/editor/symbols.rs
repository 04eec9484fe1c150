//! The outline of a file: its definitions, nested as written.

use super::Own;
use crate::ast::{Definition, Item, StmtId, StmtKind};
use mclive_base::span::Span;
use mclive_ide::{Symbol, SymbolKind};

pub(super) fn of(own: &Own) -> Vec<Symbol> {
    let mut out = Vec::new();
    for item in &own.tree.items {
        match item {
            Item::Stmt(stmt) => statement(own, *stmt, 0, &mut out),
            Item::Define(definition) => define(own, definition, &mut out),
        }
    }
    out.sort_by_key(|symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
    out
}

fn symbol(name: impl ToString, kind: SymbolKind, span: Span, name_span: Span, depth: u32) -> Symbol {
    Symbol { name: name.to_string(), kind, span, name_span, depth }
}

fn define(own: &Own, definition: &Definition, out: &mut Vec<Symbol>) {
    match definition {
        Definition::Import(def) => {
            out.push(symbol(&def.module, SymbolKind::Import, def.span, def.module_span, 0));
        }
        Definition::Entity(def) => {
            out.push(symbol(&def.name, SymbolKind::Class, def.span, def.name_span, 0));
            let attributes = def.attributes.iter();
            out.extend(attributes.map(|attribute| {
                symbol(&attribute.name, SymbolKind::Variable, attribute.span, attribute.name_span, 1)
            }));
        }
        Definition::Implementation(def) => {
            let name = format!("{} for {}", def.name, def.entity.text());
            out.push(symbol(name, SymbolKind::Function, def.span, def.name_span, 0));
            def.body.iter().for_each(|stmt| statement(own, *stmt, 1, out));
        }
        Definition::Relation(def) => {
            let name = format!("{}.{}", def.left.text(), def.left_end.name);
            out.push(symbol(name, SymbolKind::Variable, def.span, def.left_end.name_span, 0));
        }
        Definition::Typedef(def) => out.push(symbol(&def.name, SymbolKind::Class, def.span, def.name_span, 0)),
        Definition::Implement(_) | Definition::Index(_) => {}
    }
}

fn statement(own: &Own, id: StmtId, depth: u32, out: &mut Vec<Symbol>) {
    let stmt = &own.nodes.stmts[id];
    match &stmt.kind {
        StmtKind::Assign { target, .. } => {
            out.push(symbol(target.text(), SymbolKind::Variable, stmt.span, target.span, depth));
        }
        StmtKind::For { var, var_span, body, .. } => {
            out.push(symbol(format!("for {var}"), SymbolKind::Loop, stmt.span, *var_span, depth));
            body.iter().for_each(|stmt| statement(own, *stmt, depth + 1, out));
        }
        StmtKind::If { then, otherwise, .. } => {
            out.push(symbol("if", SymbolKind::Condition, stmt.span, stmt.at, depth));
            then.iter().chain(otherwise).for_each(|stmt| statement(own, *stmt, depth + 1, out));
        }
        StmtKind::Set { .. } | StmtKind::Expr(_) => {}
    }
}
