//! [`Analysis`]: one analysed program, with lookups for the services.
//!
//! Data that not every query needs is computed on first use: a file's tree, the types of code that no statement
//! reaches, the order of nodes by place.

use super::Position;
use super::marks::Mark;
use crate::compile;
use crate::diag::Diags;
use crate::fgraph::Ir;
use crate::lex::{Token, TokenKind, Tokens};
use crate::parse::recover::Partners;
use crate::scope::Linked;
use crate::scope::linked::{NodeId, Param, ParamId, Use};
use crate::sort;
use crate::source::{MemoryWorld, Source, Sources};
use crate::span::{FileId, Span};
use crate::types::Type;
use crate::understand::{Reach, Setup, Understood, understand};
use crate::unify::{self, Types};
use crate::{ast, lex, parse};
use mclive_syntax::hir::Module;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of types that are notified of one definition.
const MOST_TYPES: usize = 4;

/// One analysed program.
pub struct Analysis {
    pub(super) world: MemoryWorld,
    pub(super) entry: String,
    hostname: String,
    understood: Understood,
    ir: Option<Arc<Ir>>,
    files: Vec<OnceCell<Parsed>>,
    everything: OnceCell<Types>,
    nodes: OnceCell<Vec<(Span, NodeId)>>,
}

/// One file as the parser saw it.
pub(super) struct Parsed {
    pub(super) tokens: Tokens,
    pub(super) tree: ast::Tree,
    pub(super) partners: Partners,
    /// By place, not nested.
    pub(super) marks: Vec<Mark>,
}

impl Analysis {
    /// Analyses the program of a path in its world.
    pub fn new(world: MemoryWorld, entry: &str, hostname: &str) -> Analysis {
        let mut understood = understand(&world, entry, Setup { hostname }, Reach::Everything);
        let ir = compile::emit(&understood.linked, &understood.types, &mut understood.diags);
        let files = understood.sources.iter().map(|_| OnceCell::new()).collect();
        Analysis {
            world,
            entry: entry.to_owned(),
            hostname: hostname.to_owned(),
            understood,
            ir,
            files,
            everything: OnceCell::new(),
            nodes: OnceCell::new(),
        }
    }

    /// The same program with other files.
    pub(super) fn with(&self, world: MemoryWorld) -> Analysis {
        Analysis::new(world, &self.entry, &self.hostname)
    }

    /// All diagnostics.
    pub fn diags(&self) -> &Diags {
        &self.understood.diags
    }

    /// The files that were read.
    pub fn sources(&self) -> &Sources {
        &self.understood.sources
    }

    /// The trees of its files, the main file's first.
    pub fn modules(&self) -> &[Module] {
        &self.understood.modules
    }

    /// The program's files.
    pub fn world(&self) -> &MemoryWorld {
        &self.world
    }

    /// The IR of the program, unless there are errors.
    pub fn ir(&self) -> Option<&Arc<Ir>> {
        self.ir.as_ref()
    }

    /// The file of a path in the program's tree, if it was read.
    pub fn file(&self, path: &str) -> Option<FileId> {
        self.sources().iter().find(|(_, source)| source.path == path).map(|(file, _)| file)
    }

    /// The program after names were resolved.
    pub fn linked(&self) -> &Linked {
        &self.understood.linked
    }

    pub(super) fn source(&self, file: FileId) -> &Source {
        self.sources().get(file)
    }

    /// The text of a span; invalid UTF-8 is replaced.
    pub(super) fn text(&self, span: Span) -> String {
        String::from_utf8_lossy(self.sources().slice(span)).into_owned()
    }

    pub(super) fn parsed(&self, file: FileId) -> &Parsed {
        self.files[file.0 as usize].get_or_init(|| {
            // The analysis has already reported all errors.
            let mut said = Diags::default();
            let source = self.source(file);
            let tokens = lex::lex(source, file, &mut said);
            let tree = parse::parse(&tokens, source, &mut said);
            let partners = Partners::new(&tokens.tokens);
            let marks = super::marks::of(&tree, &tokens, source);
            Parsed { tokens, tree, partners, marks }
        })
    }

    /// The offset of a position, clamped to the file.
    pub(super) fn clamp(&self, at: Position) -> u32 {
        at.offset.min(self.source(at.file).text.len() as u32)
    }

    /// The mark that contains a position or ends there.
    pub(super) fn mark_at(&self, at: Position) -> Option<&Mark> {
        let (marks, offset) = (&self.parsed(at.file).marks, self.clamp(at));
        let behind = marks.partition_point(|mark| mark.span.start <= offset);
        let mark = &marks[behind.checked_sub(1)?];
        if offset <= mark.span.end { Some(mark) } else { None }
    }

    /// The use of a name at exactly this span.
    pub(super) fn use_at(&self, span: Span) -> Option<&Use> {
        find_use(&self.linked().uses, span)
    }

    /// The alias at the start of the name at exactly this span.
    pub(super) fn alias_at(&self, span: Span) -> Option<&Use> {
        find_use(&self.linked().aliases, span)
    }

    /// The file of an import.
    pub(super) fn imported(&self, path: Span) -> Option<FileId> {
        let imports = &self.linked().imports;
        let at = imports.partition_point(|(span, _)| *span < path);
        imports.get(at).filter(|(span, _)| *span == path).map(|(_, file)| *file)
    }

    /// The nodes at exactly this span: the copies of one text.
    pub(super) fn nodes_at(&self, span: Span) -> impl Iterator<Item = NodeId> {
        let nodes = self.nodes.get_or_init(|| {
            let mut nodes: Vec<_> = self.linked().nodes.iter().map(|(id, node)| (node.span, id)).collect();
            sort::items(&mut nodes);
            nodes
        });
        let from = nodes.partition_point(|(other, _)| *other < span);
        nodes[from..].iter().take_while(move |(other, _)| *other == span).map(|(_, id)| *id)
    }

    pub(super) fn type_of(&self, node: NodeId) -> Option<Type> {
        known(self.understood.types.of(node)).or_else(|| known(self.everything().of(node)))
    }

    fn everything(&self) -> &Types {
        self.everything.get_or_init(|| unify::infer_everything(self.linked()))
    }

    /// The types of a definition at a span, one for each type among its copies.
    pub(super) fn types_defined_at(&self, name: Span) -> Vec<String> {
        let mut types = BTreeMap::from([(name, Vec::new())]);
        self.add_types(&mut types);
        types.remove(&name).unwrap_or_default()
    }

    /// Adds the types of these definitions, each once, at most [`MOST_TYPES`] of one.
    pub(super) fn add_types(&self, of: &mut BTreeMap<Span, Vec<String>>) {
        let linked = self.linked();
        for def in linked.defs.values() {
            if let Some(types) = of.get_mut(&def.span) {
                add_distinct(types, self.type_of(def.value));
            }
        }
        for (id, param) in linked.params.iter() {
            if let Some(types) = of.get_mut(&param.span) {
                add_distinct(types, self.type_of_param(id, param));
            }
        }
    }

    fn type_of_param(&self, id: ParamId, param: &Param) -> Option<Type> {
        let ty = known(self.understood.types.param(id)).or_else(|| known(self.everything().param(id)));
        ty.or_else(|| param.ty.clone())
    }

    /// The types of the expressions at a span.
    pub(super) fn types_at(&self, span: Span) -> Vec<String> {
        let mut types = Vec::new();
        self.nodes_at(span).for_each(|node| add_distinct(&mut types, self.type_of(node)));
        types
    }

    /// The token that contains a position, or the one that ends there.
    pub(super) fn token_at(&self, at: Position) -> Option<Token> {
        let (tokens, offset) = (&self.parsed(at.file).tokens.tokens, self.clamp(at));
        let from = tokens.partition_point(|token| token.end < offset);
        let touching = tokens[from..].iter().take_while(|token| token.start <= offset);
        let words = touching.filter(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::End));
        words.max_by_key(|token| (is_word(token.kind), token.end > offset)).copied()
    }
}

fn find_use(uses: &[Use], span: Span) -> Option<&Use> {
    uses.get(uses.partition_point(|used| used.span < span)).filter(|used| used.span == span)
}

/// A type with some information.
fn known(ty: Option<&Type>) -> Option<Type> {
    ty.filter(|ty| !matches!(ty, Type::Variant)).cloned()
}

/// Adds the text of a type to distinct ones, up to a limit.
fn add_distinct(texts: &mut Vec<String>, ty: Option<Type>) {
    let Some(text) = ty.map(|ty| ty.to_string()) else { return };
    if texts.len() < MOST_TYPES && !texts.contains(&text) {
        texts.push(text);
    }
}

fn is_word(kind: TokenKind) -> bool {
    kind.is_reserved_word() || matches!(kind, TokenKind::Ident | TokenKind::CapIdent | TokenKind::Str)
}
