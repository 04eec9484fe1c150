//! Emits the [`Ir`]: from a typed program to statements and nodes that are ready to be built.
//!
//! Decides how each call is built (language spec, 10.4), and checks for the single error of this stage (`errGraph`): a
//! duplicate meta parameter.

use super::ir::*;
use super::output;
use crate::diag::{Diagnostic, Diags, Severity, Stage, codes};
use crate::hir::MetaProperty;
use crate::index::IndexVec;
use crate::scope::Linked;
use crate::scope::linked::{Block, Callee, Item, ItemKind, NodeId, NodeKind, Resource, StmtKind};
use crate::types::{FuncType, Type};
use crate::unify::Types;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The IR of a program without errors. After an error the result must not run.
pub(crate) fn emit(linked: &Linked, types: &Types, diags: &mut Diags) -> Ir {
    let mut emitter = Emitter {
        linked,
        types,
        diags,
        blocks: IndexVec::new(),
        refused: FxHashMap::default(),
        depth: 0,
        hostname: None,
    };
    let (nodes, known) = emitter.nodes();
    let root = emitter.block(&linked.root);
    let defs = linked.defs.values().map(|def| IrDef { value: def.value, iterated: def.iterated }).collect();
    let loops = linked.loops.values();
    let loops = loops.map(|known| IrLoop { over: known.over, first: known.first, second: known.second }).collect();
    let mut ir = Ir {
        nodes,
        defs,
        params: linked.params.values().map(|param| param.name.clone()).collect(),
        loops,
        blocks: emitter.blocks,
        refused: emitter.refused,
        hostname: emitter.hostname,
        root,
    };
    output::settle(&mut ir, &known);
    ir
}

struct Emitter<'a> {
    linked: &'a Linked,
    types: &'a Types,
    diags: &'a mut Diags,
    blocks: IndexVec<BlockId, Vec<IrStmt>>,
    refused: FxHashMap<BlockId, Diagnostic>,
    /// The number of blocks around the statements: those of the outermost block are built before the program runs.
    depth: usize,
    hostname: Option<Arc<[u8]>>,
}

impl Emitter<'_> {
    fn ty(&self, node: NodeId) -> Type {
        self.types.of(node).cloned().unwrap_or(Type::Variant)
    }

    /// All nodes, and the function's body for each call of a known function.
    fn nodes(&mut self) -> (IndexVec<NodeId, IrNode>, FxHashMap<NodeId, NodeId>) {
        let linked = self.linked;
        let dirs: Vec<Arc<str>> = linked.dirs.values().map(|dir| dir.as_str().into()).collect();
        let statements = statement_funcs(linked);
        let mut known = FxHashMap::default();
        let mut nodes = IndexVec::with_capacity(linked.nodes.len());
        for (id, node) in linked.nodes.iter() {
            let kind = match &node.kind {
                NodeKind::Const(Value::Str(text)) if linked.hostnames.contains(&node.span) => {
                    let value = Value::Str(self.hostname.get_or_insert_with(|| text.clone()).clone());
                    IrKind::Const { value, ty: self.ty(id) }
                }
                NodeKind::Const(value) => IrKind::Const { value: value.clone(), ty: self.ty(id) },
                NodeKind::List(items) => self.composite(id, Form::List, items.clone()),
                NodeKind::Map(pairs) => {
                    self.composite(id, Form::Map, pairs.iter().flat_map(|(key, value)| [*key, *value]).collect())
                }
                NodeKind::Struct(fields) => {
                    let names = fields.iter().map(|(name, _)| name.clone()).collect();
                    self.composite(id, Form::Struct(names), fields.iter().map(|(_, value)| *value).collect())
                }
                NodeKind::Def(def) => IrKind::Def(*def),
                NodeKind::Param(param) => IrKind::Param(*param),
                NodeKind::Call(call) => {
                    let target = match call.callee {
                        Callee::Builtin(def) => Target::Builtin(def),
                        Callee::Statement(value) | Callee::Value(value) | Callee::Literal(value) => {
                            match self.types.callee(id) {
                                Some(func) => {
                                    known.insert(id, func);
                                    Target::Known { func, value }
                                }
                                None => Target::Dynamic(value),
                            }
                        }
                    };
                    let ty = self.types.call(id).cloned();
                    let ty = ty.unwrap_or_else(|| Arc::new(FuncType { params: Vec::new(), ret: Type::Variant }));
                    let dir = dirs[crate::index::Id::index(call.dir)].clone();
                    IrKind::Call(Arc::new(IrCall { target, args: call.args.clone(), ty, dir, span: node.span }))
                }
                NodeKind::Func(func) => {
                    let home = if statements.contains(&id) { Home::Statement(func.iterated) } else { Home::Here };
                    let params = func.params.clone();
                    IrKind::Func(Arc::new(IrFunc { params, body: func.body, ty: self.ty(id), home }))
                }
                NodeKind::If { cond, then, otherwise } => {
                    IrKind::If { cond: *cond, then: *then, otherwise: *otherwise }
                }
                NodeKind::Except { main, fallback } => IrKind::Except { main: *main, fallback: *fallback },
                NodeKind::Error => IrKind::Error,
            };
            nodes.push(IrNode { kind, span: node.span, output: OutputOf::Apart });
        }
        (nodes, known)
    }

    fn composite(&self, id: NodeId, form: Form, parts: Vec<NodeId>) -> IrKind {
        IrKind::Composite(Arc::new(Composite { ty: self.ty(id), form }), parts)
    }

    fn block(&mut self, block: &Block) -> BlockId {
        let (mut stmts, mut refused) = (Vec::new(), None);
        self.depth += 1;
        self.statements(block, &mut stmts, &mut refused);
        self.depth -= 1;
        let id = self.blocks.push(stmts);
        match refused {
            Some(refused) if self.depth == 0 => self.diags.push(refused),
            // It fails when the block is built, and that may never happen.
            Some(refused) => {
                let warning =
                    Diagnostic { severity: Severity::Warning, code: codes::DUPLICATE_META_LATER, ..refused.clone() };
                self.diags.push(warning.help("the program fails when this resource is evaluated"));
                self.refused.insert(id, refused);
            }
            None => {}
        }
        id
    }

    /// The statements of a block and of the classes it includes; and the first one that cannot be built.
    fn statements(&mut self, block: &Block, out: &mut Vec<IrStmt>, refused: &mut Option<Diagnostic>) {
        out.reserve(block.stmts.len());
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Resource(resource) => {
                    if refused.is_none() {
                        *refused = duplicate_meta(resource, stmt.span);
                    }
                    out.push(IrStmt::Resource(Arc::new(self.resource(resource, stmt.span))));
                }
                StmtKind::Edge(edge) => {
                    let halves = edge.halves.iter().map(|half| EdgeHalf {
                        kind: half.kind.clone(),
                        name: half.name,
                        field: half.field.clone(),
                        span: half.span,
                    });
                    out.push(IrStmt::Edge(Arc::new(EdgeStmt { halves: halves.collect(), span: stmt.span })));
                }
                StmtKind::If { cond, then, otherwise } => {
                    let then = self.block(then);
                    let otherwise = otherwise.as_ref().map(|block| self.block(block));
                    out.push(IrStmt::If { cond: *cond, then, otherwise, span: stmt.span });
                }
                StmtKind::For { id, subject, body } => {
                    let body = self.block(body);
                    out.push(IrStmt::For { id: *id, subject: *subject, body, span: stmt.span });
                }
                StmtKind::Include { body, .. } => self.statements(body, out, refused),
            }
        }
    }

    fn resource(&self, resource: &Resource, span: crate::span::Span) -> ResourceStmt {
        let items = resource.items.iter().map(|item| {
            let (what, value) = match &item.kind {
                ItemKind::Field { name, value } => (ItemOf::Field(name.clone()), *value),
                ItemKind::Edge { property, half } => {
                    (ItemOf::Edge { property: *property, kind: half.kind.clone(), target: half.span }, half.name)
                }
                ItemKind::Meta { property, value } => (ItemOf::Meta(*property), *value),
                ItemKind::MetaStruct { value } => (ItemOf::MetaStruct, *value),
            };
            ResourceItem {
                what,
                value,
                ty: self.ty(value),
                cond: item.cond,
                span: item.span,
                value_span: self.linked.nodes[value].span,
            }
        });
        ResourceStmt {
            kind: resource.kind.clone(),
            name: resource.name,
            items: items.collect(),
            collect: resource.collect,
            span,
            name_span: self.linked.nodes[resource.name].span,
        }
    }
}

/// A property both in a `Meta` struct and alone, or in two structs (10.7). Twice alone is refused earlier.
fn duplicate_meta(resource: &Resource, span: crate::span::Span) -> Option<Diagnostic> {
    let mut seen: BTreeMap<MetaProperty, &Item> = BTreeMap::new();
    let mut whole: Option<&Item> = None;
    for item in &resource.items {
        let (earlier, name) = match &item.kind {
            ItemKind::Meta { property, .. } => {
                let twice = seen.insert(*property, item);
                (whole.or(twice), format!("{property:?}").to_lowercase())
            }
            ItemKind::MetaStruct { .. } => {
                let name = seen.keys().next().map_or("noop".to_owned(), |first| format!("{first:?}").to_lowercase());
                let earlier = whole.or(seen.values().next().copied());
                whole = Some(item);
                (earlier, name)
            }
            ItemKind::Field { .. } | ItemKind::Edge { .. } => continue,
        };
        if let Some(earlier) = earlier {
            // The place is a line of the statement, so it is inside the span that the reference reports.
            let message = format!("the meta parameter `{name}` is set twice");
            let place = if item.span.file == span.file { item.name_span } else { span };
            let diag = Diagnostic::error(codes::META_TWICE, Stage::Graph, message)
                .at(place, "set again here")
                .also(earlier.name_span, "first set here")
                .help(
                    "a `Meta` struct sets every meta parameter: change the value in the struct, or set the \
                       parameters individually",
                );
            return Some(diag);
        }
    }
    None
}

/// The functions of `func` statements.
fn statement_funcs(linked: &Linked) -> rustc_hash::FxHashSet<NodeId> {
    let calls = linked.nodes.values().filter_map(|node| match &node.kind {
        NodeKind::Call(call) => Some(call),
        NodeKind::Const(_)
        | NodeKind::List(_)
        | NodeKind::Map(_)
        | NodeKind::Struct(_)
        | NodeKind::Def(_)
        | NodeKind::Param(_)
        | NodeKind::Func(_)
        | NodeKind::If { .. }
        | NodeKind::Except { .. }
        | NodeKind::Error => None,
    });
    calls.filter_map(|call| if let Callee::Statement(func) = call.callee { Some(func) } else { None }).collect()
}
