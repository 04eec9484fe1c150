//! Collects the constraints of a program: which types must be equal, in the language's order. Language spec, 9.1 to
//! 9.4; this file walks statements, `expr.rs` expressions.
//!
//! A shared definition is collected once, into a separate chunk; a use leaves a marker, and the solver expands the
//! first marker of each. So definitions are collected in dependency order, with an explicit stack, and a chain of ten
//! thousand binds needs no deep recursion. The same applies to functions of `func` statements that call each other.

use super::constraint::{About, Constraint};
use super::fields;
use super::mismatch;
use super::statics::Statics;
use super::table::{Table, Ty, TyId};
use crate::diag::codes::{self, Code};
use crate::diag::{Diagnostic, Diags, suggest};
use crate::hir::{LoopOver, MetaProperty};
use crate::ident::Name;
use crate::index::IndexVec;
use crate::kinds::{self, HostType};
use crate::scope::linked::*;
use crate::span::Span;
use crate::types::compare;
use rustc_hash::{FxHashMap, FxHashSet};

/// The constraints of a definition or function.
pub(super) struct Chunk {
    pub(super) ty: TyId,
    pub(super) entries: Vec<Constraint>,
}

pub(super) struct Collector<'a, 'd> {
    pub(super) linked: &'a Linked,
    pub(super) table: Table,
    pub(super) statics: Statics,
    pub(super) diags: &'d mut Diags,
    /// Reported errors, by code, place and message.
    pub(super) said: FxHashSet<(Code, Option<Span>, String)>,
    /// Errors found while collecting. Chunks are collected before their first use, so these errors are reported in the
    /// order of the entries.
    pub(super) wrong: Vec<Diagnostic>,
    pub(super) defs: IndexVec<DefId, Option<Chunk>>,
    /// The functions of `func` statements, by the node of each call's own copy.
    pub(super) funcs: FxHashMap<NodeId, Chunk>,
    /// The chunk being collected.
    pub(super) entries: Vec<Constraint>,
    /// The solved signature of each builtin call, the function type of every other call.
    pub(super) calls: FxHashMap<NodeId, TyId>,
    /// How many nodes may still be revisited for iterated definitions.
    pub(super) revisits: usize,
    pub(super) revisit_depth: usize,
    /// Spans of values whose contradiction with a declared type was reported, and of keys that are wrong in their map.
    pub(super) contradicted: FxHashSet<Span>,
}

impl<'a, 'd> Collector<'a, 'd> {
    pub(super) fn new(linked: &'a Linked, diags: &'d mut Diags) -> Self {
        let mut defs = IndexVec::new();
        defs.grow_to(linked.defs.len(), || None);
        let of_keys = [codes::MIXED_MAP_KEYS, codes::UNHASHABLE_MAP_KEY];
        let wrong_keys = diags.iter().filter(|said| of_keys.contains(&said.code));
        let contradicted = wrong_keys.filter_map(|said| Some(said.primary.as_ref()?.span)).collect();
        Collector {
            linked,
            table: Table::new(),
            statics: Statics::new(linked),
            diags,
            said: FxHashSet::default(),
            wrong: Vec::new(),
            defs,
            funcs: FxHashMap::default(),
            // Most nodes have one.
            entries: Vec::with_capacity(linked.nodes.len()),
            calls: FxHashMap::default(),
            revisits: 4 * linked.nodes.len() + 100_000,
            revisit_depth: 0,
            contradicted,
        }
    }

    pub(super) fn equal(&mut self, want: TyId, got: TyId, span: Span, about: About) {
        // Most fields already have the right type: there is nothing to solve.
        if want == got
            && matches!(
                about,
                About::Nothing
                    | About::Element { .. }
                    | About::Value(_)
                    | About::Name(_)
                    | About::Field { .. }
                    | About::Property { .. }
            )
        {
            return;
        }
        self.entries.push(Constraint::Equal { want, got, span, about });
    }

    pub(super) fn wrong(&mut self, diagnostic: Diagnostic) {
        self.entries.push(Constraint::Wrong(self.wrong.len()));
        self.wrong.push(diagnostic);
    }

    pub(super) fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    /// Code that [`Self::block`] does not reach from the root.
    pub(super) fn aside(&mut self) {
        for block in &self.linked.aside {
            self.block(block);
        }
        for def in self.linked.defs.ids() {
            if self.defs[def].is_none() {
                self.root(self.linked.defs[def].value);
            }
        }
        let reached: FxHashSet<NodeId> = self.entries.iter().filter_map(Constraint::node).collect();
        let in_defs = self.defs.iter().filter_map(|(_, chunk)| chunk.as_ref()).flat_map(|chunk| &chunk.entries);
        let in_defs: FxHashSet<NodeId> = in_defs.filter_map(Constraint::node).collect();
        for (id, node) in self.linked.nodes.iter() {
            let is_statement = matches!(&node.kind, NodeKind::Func(func) if func.name.is_some());
            if is_statement && !reached.contains(&id) && !in_defs.contains(&id) && !self.funcs.contains_key(&id) {
                self.root(id);
            }
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Resource(resource) => self.resource(resource, stmt.span),
            StmtKind::Edge(edge) => self.edge(edge, stmt.span),
            StmtKind::If { cond, then, otherwise } => {
                self.condition(*cond, stmt.span);
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
            }
            StmtKind::For { id, subject, body } => {
                self.for_loop(*id, *subject, stmt.span);
                self.block(body);
            }
            StmtKind::Include { args, body, .. } => {
                args.iter().for_each(|arg| self.set_aside(*arg));
                self.block(body);
                for arg in args {
                    // The argument is inferred again, separately (9.10).
                    let def = &self.linked.defs[*arg];
                    self.prepare([def.value]);
                    let got = self.expr(def.value);
                    if let Some(Some(declared)) = &def.class_param {
                        let want = self.table.closed(declared);
                        let place = self.blame_within(def.value, stmt.span);
                        self.equal(want, got, stmt.span, About::ClassArg { arg: *arg, place });
                    }
                }
            }
        }
    }

    /// An argument that certainly does not have the declared type of the class's parameter is reported at the include,
    /// and has no type in the class: each use there would only report it again.
    fn set_aside(&mut self, arg: DefId) {
        let def = &self.linked.defs[arg];
        if let Some(Some(declared)) = &def.class_param
            && self.certain_type(def.value).is_some_and(|ty| compare(declared, &ty).is_err())
        {
            self.defs[arg] = Some(Chunk { ty: Table::ERROR, entries: Vec::new() });
            self.statics.set_aside(arg);
        }
    }

    /// Collects an expression at the root of a statement.
    fn root(&mut self, id: NodeId) -> TyId {
        self.prepare([id]);
        self.expr(id)
    }

    fn condition(&mut self, cond: NodeId, span: Span) {
        let got = self.root(cond);
        self.equal(Table::BOOL, got, self.blame_within(cond, span), About::Nothing);
    }

    /// The reference implementation blames the whole statement or item; the wrong part is more precise, and is inside
    /// it unless it is in another file.
    fn blame_within(&self, node: NodeId, outer: Span) -> Span {
        let inner = self.linked.nodes[node].span;
        let inside = inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end;
        if inside { inner } else { outer }
    }

    fn for_loop(&mut self, id: LoopId, subject: NodeId, span: Span) {
        let got = self.root(subject);
        let (first, second) = (self.linked.loops[id].first, self.linked.loops[id].second);
        let (key, value) = (
            self.statics.param(self.linked, &mut self.table, first),
            self.statics.param(self.linked, &mut self.table, second),
        );
        let blame = self.blame_within(subject, span);
        match self.linked.loops[id].over {
            LoopOver::List => {
                let want = self.table.list(value);
                self.equal(want, got, blame, About::Looped { index: key });
                self.equal(key, Table::INT, blame, About::Param(first));
            }
            LoopOver::Map => {
                let want = self.table.add(Ty::Map(key, value));
                self.equal(want, got, blame, About::Nothing);
                self.equal(key, key, blame, About::Param(first));
            }
        }
        self.equal(value, value, blame, About::Param(second));
    }

    fn resource(&mut self, resource: &'a Resource, span: Span) {
        let name = self.root(resource.name);
        let decl = kinds::lookup(&resource.kind).map(|kind| kind.decl());
        let mut unknown_kind = false;
        for item in &resource.items {
            match &item.kind {
                ItemKind::Field { name: field, value } => {
                    let got = self.root(*value);
                    let want = match decl {
                        None => {
                            if !std::mem::replace(&mut unknown_kind, true) {
                                self.unknown_kind(&resource.kind, resource.kind_span);
                            }
                            Table::ERROR
                        }
                        Some(decl) => match decl.field(field) {
                            Some(known) if known.host == HostType::Any => self.table.fresh(),
                            Some(known) => self.table.closed(&known.ty()),
                            None => {
                                let near = suggest::near(field, decl.fields.iter().map(|field| field.name));
                                let node = &self.linked.nodes[*value];
                                let literal = if let NodeKind::Const(value) = &node.kind {
                                    Some((value, node.span))
                                } else {
                                    None
                                };
                                let error = fields::unknown_field(decl.name, field, literal, near, item.name_span);
                                self.wrong(error);
                                Table::ERROR
                            }
                        },
                    };
                    self.item_condition(item);
                    let about = match decl.and_then(|decl| decl.field(field)) {
                        Some(known) => About::Field { name: known.name, doc: known.doc, value: *value },
                        None => About::Nothing,
                    };
                    self.equal(want, got, self.blame_within(*value, item.span), about);
                }
                ItemKind::Edge { half, .. } => {
                    self.half(half);
                    self.item_condition(item);
                }
                ItemKind::Meta { property, value } => {
                    let got = self.root(*value);
                    self.item_condition(item);
                    let want = self.table.closed(&property.ty());
                    let about = About::Property { property: *property, value: *value };
                    self.equal(want, got, self.blame_within(*value, item.span), about);
                }
                ItemKind::MetaStruct { value } => {
                    let got = self.root(*value);
                    self.item_condition(item);
                    let want = self.table.closed(&MetaProperty::struct_type());
                    self.equal(want, got, self.blame_within(*value, item.span), About::Meta);
                }
            }
        }
        if let Some(call) = resource.collect {
            let got = self.root(call);
            let want = self.table.signature("[]struct{name str; host str; data str}");
            self.equal(want, got, span, About::Nothing);
        }
        let want = self.name_type(resource);
        self.equal(want, name, self.blame_within(resource.name, span), About::Name(resource.name));
    }

    fn item_condition(&mut self, item: &'a Item) {
        if let Some(cond) = item.cond {
            self.condition(cond, item.span);
        }
    }

    /// Whether a single name is expected, or a list. Decided by static information (9.5).
    fn name_type(&mut self, resource: &'a Resource) -> TyId {
        let known = self.statics.ty(self.linked, &mut self.table, resource.name);
        if resource.collect.is_some() {
            let names = self.table.list(Table::STR);
            let pairs = self.table.signature("[]struct{name str; host str}");
            return known.filter(|known| [Table::STR, names, pairs].contains(known)).unwrap_or(pairs);
        }
        if known == Some(Table::STR) { Table::STR } else { self.table.list(Table::STR) }
    }

    fn half(&mut self, half: &'a Half) {
        let got = self.root(half.name);
        let known = self.statics.ty(self.linked, &mut self.table, half.name);
        let want = if known == Some(Table::STR) { Table::STR } else { self.table.list(Table::STR) };
        self.equal(want, got, self.blame_within(half.name, half.span), About::Name(half.name));
    }

    fn edge(&mut self, edge: &'a Edge, span: Span) {
        match edge.halves.as_slice() {
            [_] => self.wrong(mismatch::lone_half(span)),
            [from, to] => {
                if let (Some(sent), Some(received)) = (&from.field, &to.field) {
                    self.send_recv(from, sent, to, received, span);
                }
            }
            _ => {}
        }
        for half in &edge.halves {
            self.half(half);
        }
    }

    fn send_recv(&mut self, from: &'a Half, sent: &Name, to: &'a Half, received: &Name, span: Span) {
        let mut known = true;
        for half in [from, to] {
            if kinds::lookup(&half.kind).is_none() {
                self.unknown_kind_of_half(half);
                known = false;
            }
        }
        if known && let Err(unfit) = kinds::sendrecv::check(&from.kind, sent, &to.kind, received) {
            self.wrong(fields::cannot_send(unfit, from, to, span));
        }
    }

    fn unknown_kind(&mut self, kind: &str, span: Span) {
        let near = suggest::near(kind, kinds::all().map(|kind| kind.decl().name));
        self.wrong(mismatch::unknown_kind(kind, near, span));
    }

    /// In an edge the kind is capitalized, and followed by the name in brackets.
    fn unknown_kind_of_half(&mut self, half: &Half) {
        let near = suggest::near(&half.kind, kinds::all().map(|kind| kind.decl().name));
        let kind = Span { end: half.span.start + half.kind.len() as u32, ..half.span };
        self.wrong(mismatch::unknown_kind_of_half(&half.kind, near, kind));
    }
}
