//! Unused definitions that would be broken: the language checks types only on use.

use super::{Subject, words};
use crate::diag::{Diags, codes};
use crate::hir::{Block, Expr, ExprId, ExprKind, Include, Item, ItemKind, Module, Resource, Stmt, StmtKind};
use crate::ident::Name;
use crate::span::Span;
use crate::understand::understand_edited;
use std::collections::BTreeSet;

/// The type errors that unused definitions at these places of the main file would have if they were used, as warnings.
pub(super) fn definitions(subject: Subject<'_>, unused: &BTreeSet<Span>) -> Diags {
    let mut diags = Diags::default();
    let Some(main) = subject.modules.first().filter(|_| !unused.is_empty()) else { return diags };
    let mut definitions = Vec::new();
    let mut main = main.clone();
    let mut root = std::mem::take(&mut main.root);
    use_all(&mut main, &mut root, unused, &mut definitions);
    main.root = root;
    let understood = understand_edited(subject.world, subject.path, subject.setup, main);
    for said in understood.diags.iter().filter(|said| said.is_error()) {
        // The argument for a parameter would determine its type.
        if said.code == codes::AMBIGUOUS {
            continue;
        }
        let Some(place) = &said.primary else { continue };
        let inside =
            |span: &Span| span.file == place.span.file && span.start <= place.span.start && place.span.end <= span.end;
        if definitions.iter().any(inside) {
            let message = format!("type error in an unused definition: {}", said.message);
            let warning = words::warning(codes::BROKEN_DEFINITION, message, place.span, place.text.clone());
            diags.push(said.help.iter().fold(warning, |warning, help| warning.help(help)));
        }
    }
    diags
}

/// Adds a use of each of these definitions to its block.
fn use_all(module: &mut Module, block: &mut Block, unused: &BTreeSet<Span>, definitions: &mut Vec<Span>) {
    let mut uses = Vec::new();
    for stmt in &mut block.stmts {
        let span = stmt.span;
        let is_unused = |name: &Span| unused.contains(name);
        match &mut stmt.kind {
            StmtKind::Bind(bind) if is_unused(&bind.name_span) => {
                definitions.push(span);
                let value = module.exprs.push(Expr { kind: ExprKind::Var(bind.name.clone()), span, known: None });
                uses.push(using(module, value, span));
            }
            StmtKind::Func { func, name_span, .. } if is_unused(name_span) => {
                definitions.push(span);
                uses.push(using(module, *func, span));
            }
            StmtKind::Class(class) => {
                if is_unused(&class.name_span) && class.params.is_empty() && !class.name.contains(':') {
                    definitions.push(span);
                    let class = class.name.clone();
                    let include = Include { class, class_span: span, args: Vec::new(), alias: None };
                    uses.push(Stmt { kind: StmtKind::Include(include), span });
                }
                use_all(module, &mut class.body, unused, definitions);
            }
            StmtKind::If { then, otherwise, .. } => {
                use_all(module, then, unused, definitions);
                otherwise.iter_mut().for_each(|block| use_all(module, block, unused, definitions));
            }
            StmtKind::For(looped) => use_all(module, &mut looped.body, unused, definitions),
            StmtKind::Bind(_)
            | StmtKind::Func { .. }
            | StmtKind::Resource(_)
            | StmtKind::Edge(_)
            | StmtKind::Include(_)
            | StmtKind::Import(_)
            | StmtKind::Error => {}
        }
    }
    block.stmts.extend(uses);
}

/// A resource that accepts any value.
fn using(module: &mut Module, value: ExprId, span: Span) -> Stmt {
    let name = module.exprs.push(Expr { kind: ExprKind::Str(b"lint".as_slice().into()), span, known: None });
    let kind = ItemKind::Field { name: Name::from("any"), value };
    let items = vec![Item { kind, cond: None, span, name_span: span }];
    let resource = Resource { kind: Name::from("value"), kind_span: span, name, items, collect: None };
    Stmt { kind: StmtKind::Resource(resource), span }
}
