//! [`Linked`] as stable text, for tests and debugging.
//!
//! First the statements, then each definition and each copy of a function, numbered in the order of first occurrence.

use super::linked::{
    Block, Call, Callee, DefId, Func, Half, Item, ItemKind, Linked, LoopId, NodeId, NodeKind, ParamId, StmtKind,
};
use crate::hir::{LoopOver, print};
use crate::index::Id;
use crate::value::{Value, quote};
use std::fmt::Write;

/// The whole program, with one statement, definition or function per line.
pub fn dump(linked: &Linked) -> String {
    let mut dump =
        Dump { linked, out: String::new(), defs: Vec::new(), funcs: Vec::new(), params: Vec::new(), loops: Vec::new() };
    dump.block(&linked.root, 0);
    let (mut n_defs, mut n_funcs) = (0, 0);
    loop {
        if let Some(def) = dump.defs.get(n_defs).copied() {
            n_defs += 1;
            dump.def(def);
        } else if let Some(func) = dump.funcs.get(n_funcs).copied() {
            n_funcs += 1;
            dump.func_copy(func);
        } else {
            return dump.out;
        }
    }
}

struct Dump<'l> {
    linked: &'l Linked,
    out: String,
    defs: Vec<DefId>,
    funcs: Vec<NodeId>,
    params: Vec<ParamId>,
    loops: Vec<LoopId>,
}

/// The number of an id in the order of first occurrence.
fn number<I: Id>(met: &mut Vec<I>, id: I) -> usize {
    met.iter().position(|other| *other == id).unwrap_or_else(|| {
        met.push(id);
        met.len() - 1
    })
}

impl Dump<'_> {
    fn def_name(&mut self, id: DefId) -> String {
        format!("${}#d{}", self.linked.defs[id].name, number(&mut self.defs, id))
    }

    fn param_name(&mut self, id: ParamId) -> String {
        format!("${}#p{}", self.linked.params[id].name, number(&mut self.params, id))
    }

    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = indent * 2);
    }

    fn iterated(&mut self, id: Option<LoopId>) -> String {
        id.map(|id| format!(" per iteration of l{}", number(&mut self.loops, id))).unwrap_or_default()
    }

    fn def(&mut self, id: DefId) {
        let def = &self.linked.defs[id];
        let (name, value, iterated) = (self.def_name(id), self.expr(def.value), self.iterated(def.iterated));
        let class = match &def.class_param {
            None => String::new(),
            Some(None) => " argument".to_owned(),
            Some(Some(ty)) => format!(" argument {ty}"),
        };
        self.line(0, &format!("def {name} = {value}{class}{iterated}"));
    }

    fn func_copy(&mut self, id: NodeId) {
        let NodeKind::Func(func) = &self.linked.nodes[id].kind else { return };
        let name = format!("{}#f{}", func.name.as_deref().unwrap_or(""), number(&mut self.funcs, id));
        let (text, iterated) = (self.func(func), self.iterated(func.iterated));
        self.line(0, &format!("func {name} = {text}{iterated}"));
    }

    fn block(&mut self, block: &Block, indent: usize) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Resource(resource) => {
                    let collect = if resource.collect.is_some() { "collect " } else { "" };
                    let name = self.expr(resource.name);
                    self.line(indent, &format!("{collect}{} {name}", resource.kind));
                    for item in &resource.items {
                        let text = self.item(item);
                        self.line(indent + 1, &text);
                    }
                }
                StmtKind::Edge(edge) => {
                    let halves: Vec<String> = edge.halves.iter().map(|half| self.half(half)).collect();
                    self.line(indent, &halves.join(" -> "));
                }
                StmtKind::If { cond, then, otherwise } => {
                    let cond = self.expr(*cond);
                    self.line(indent, &format!("if {cond}"));
                    self.block(then, indent + 1);
                    if let Some(otherwise) = otherwise {
                        self.line(indent, "else");
                        self.block(otherwise, indent + 1);
                    }
                }
                StmtKind::For { id, subject, body } => {
                    let each = &self.linked.loops[*id];
                    let word = match each.over {
                        LoopOver::List => "for",
                        LoopOver::Map => "forkv",
                    };
                    let (first, second) = (self.param_name(each.first), self.param_name(each.second));
                    let (subject, number) = (self.expr(*subject), number(&mut self.loops, *id));
                    self.line(indent, &format!("{word} l{number} {first}, {second} in {subject}"));
                    self.block(body, indent + 1);
                }
                StmtKind::Include { class, args, body } => {
                    let args: Vec<String> = args.iter().map(|arg| self.def_name(*arg)).collect();
                    self.line(indent, &format!("include {class}({})", args.join(", ")));
                    self.block(body, indent + 1);
                }
            }
        }
    }

    fn item(&mut self, item: &Item) -> String {
        let cond = item.cond.map(|cond| format!("{} ?: ", self.expr(cond))).unwrap_or_default();
        match &item.kind {
            ItemKind::Field { name, value } => format!("{name} => {cond}{}", self.expr(*value)),
            ItemKind::Edge { property, half } => {
                format!("{} => {cond}{}", print::edge_name(*property), self.half(half))
            }
            ItemKind::Meta { property, value } => {
                format!("meta:{} => {cond}{}", property.name(), self.expr(*value))
            }
            ItemKind::MetaStruct { value } => format!("meta => {cond}{}", self.expr(*value)),
        }
    }

    fn half(&mut self, half: &Half) -> String {
        let field = half.field.as_ref().map(|field| format!(".{field}")).unwrap_or_default();
        format!("{}[{}]{field}", half.kind, self.expr(half.name))
    }

    fn list(&mut self, nodes: &[NodeId]) -> String {
        let texts: Vec<String> = nodes.iter().map(|node| self.expr(*node)).collect();
        texts.join(", ")
    }

    fn expr(&mut self, id: NodeId) -> String {
        let linked = self.linked;
        match &linked.nodes[id].kind {
            NodeKind::Const(Value::Str(bytes)) => quote(bytes),
            NodeKind::Const(value) => value.to_string(),
            NodeKind::List(items) => format!("[{}]", self.list(items)),
            NodeKind::Map(pairs) => {
                let pairs: Vec<String> =
                    pairs.iter().map(|(key, value)| format!("{} => {}", self.expr(*key), self.expr(*value))).collect();
                format!("{{{}}}", pairs.join(", "))
            }
            NodeKind::Struct(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name} => {}", self.expr(*value))).collect();
                format!("struct{{{}}}", fields.join(", "))
            }
            NodeKind::Def(def) => self.def_name(*def),
            NodeKind::Param(param) => self.param_name(*param),
            NodeKind::Call(call) => self.call(call),
            NodeKind::Func(func) => self.func(func),
            NodeKind::If { cond, then, otherwise } => {
                format!("if {} {{ {} }} else {{ {} }}", self.expr(*cond), self.expr(*then), self.expr(*otherwise))
            }
            NodeKind::Except { main, fallback } => format!("({} <|> {})", self.expr(*main), self.expr(*fallback)),
            NodeKind::Error => "<error>".to_owned(),
        }
    }

    fn call(&mut self, call: &Call) -> String {
        let callee = match &call.callee {
            Callee::Builtin(def) => def.path.to_owned(),
            Callee::Statement(func) => format!("{}#f{}", call.name, number(&mut self.funcs, *func)),
            Callee::Value(value) => self.expr(*value),
            Callee::Literal(func) => format!("({})", self.expr(*func)),
        };
        format!("{callee}({})", self.list(&call.args))
    }

    fn func(&mut self, func: &Func) -> String {
        let params: Vec<String> = func
            .params
            .iter()
            .map(|param| {
                let ty = self.linked.params[*param].ty.as_ref().map(|ty| format!(" {ty}")).unwrap_or_default();
                format!("{}{ty}", self.param_name(*param))
            })
            .collect();
        let ret = func.ret.as_ref().map(|ret| format!("{ret} ")).unwrap_or_default();
        format!("func({}) {ret}{{ {} }}", params.join(", "), self.expr(func.body))
    }
}
