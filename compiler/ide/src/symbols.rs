//! The outline of a file: its definitions and declarations, nested as written.

use super::analysis::Analysis;
use crate::ast::{Alias, Resource, StmtKind, Tree};
use crate::span::{FileId, Span};

/// An entry of the outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole statement.
    pub span: Span,
    /// Span of its name.
    pub name_span: Span,
    /// The number of symbols around it.
    pub depth: u32,
}

/// The kind of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A variable.
    Variable,
    /// A function.
    Function,
    /// A class.
    Class,
    /// A resource.
    Resource,
    /// An include.
    Include,
    /// An import.
    Import,
    /// A loop.
    Loop,
    /// An `if`.
    Condition,
}

impl SymbolKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            SymbolKind::Variable => "variable",
            SymbolKind::Function => "function",
            SymbolKind::Class => "class",
            SymbolKind::Resource => "resource",
            SymbolKind::Include => "include",
            SymbolKind::Import => "import",
            SymbolKind::Loop => "loop",
            SymbolKind::Condition => "condition",
        }
    }
}

pub(super) fn of(analysis: &Analysis, file: FileId) -> Vec<Symbol> {
    let tree = &analysis.parsed(file).tree;
    // Parts of a broken block that were read before the error are in the arena too.
    let mut symbols: Vec<Symbol> =
        tree.stmts.values().filter_map(|stmt| symbol(analysis, tree, &stmt.kind, stmt.span)).collect();
    symbols.sort_by_cached_key(|symbol| symbol.span.outermost_first());
    symbols.dedup_by_key(|symbol| symbol.span);
    let mut around: Vec<u32> = Vec::new();
    for symbol in &mut symbols {
        while around.last().is_some_and(|end| *end <= symbol.span.start) {
            around.pop();
        }
        symbol.depth = around.len() as u32;
        around.push(symbol.span.end);
    }
    symbols
}

fn symbol(analysis: &Analysis, tree: &Tree, stmt: &StmtKind, span: Span) -> Option<Symbol> {
    let (name, kind, name_span) = match stmt {
        StmtKind::Bind { name, name_span, .. } => (format!("${name}"), SymbolKind::Variable, *name_span),
        StmtKind::Func { name, name_span, .. } => (name.to_string(), SymbolKind::Function, *name_span),
        StmtKind::Class { name, name_span, .. } => (name.to_string(), SymbolKind::Class, *name_span),
        StmtKind::Resource(resource) => {
            (resource_name(analysis, tree, resource), SymbolKind::Resource, resource.kind_span)
        }
        StmtKind::Include { class, class_span, alias, .. } => {
            let alias = alias.as_ref().map(|alias| format!(" as {alias}")).unwrap_or_default();
            (format!("{class}{alias}"), SymbolKind::Include, *class_span)
        }
        StmtKind::Import { path, path_span, alias } => {
            let alias = match alias {
                Alias::Default => String::new(),
                Alias::Name(alias) => format!(" as {alias}"),
                Alias::Star => " as *".into(),
            };
            (format!("{path}{alias}"), SymbolKind::Import, *path_span)
        }
        StmtKind::For { first, second, .. } => {
            (format!("for ${}, ${}", first.name, second.name), SymbolKind::Loop, first.span)
        }
        StmtKind::If { cond, .. } => {
            let cond = tree.exprs[*cond].span;
            (format!("if {}", shortened(&analysis.text(cond))), SymbolKind::Condition, cond)
        }
        StmtKind::Panic { .. } | StmtKind::Edge { .. } | StmtKind::Error => return None,
    };
    Some(Symbol { name, kind, span, name_span, depth: 0 })
}

/// `file["/etc/motd"]`, or with the expression of the name.
fn resource_name(analysis: &Analysis, tree: &Tree, resource: &Resource) -> String {
    let name = analysis.text(tree.exprs[resource.name].span);
    format!("{}[{}]", resource.kind, shortened(name.trim_matches('"')))
}

fn shortened(text: &str) -> String {
    const MOST: usize = 48;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() > MOST || line.len() < text.len() {
        format!("{}…", line.chars().take(MOST).collect::<String>().trim_end())
    } else {
        line.to_owned()
    }
}
