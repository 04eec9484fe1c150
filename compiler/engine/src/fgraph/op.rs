//! [`Op`]: the operation of a vertex; its label and the names of its arguments (language spec, 10.1, 10.2).

use super::env::EnvRef;
use super::graph::VertexId;
use super::ir::{BlockId, Composite, Form, IrCall};
use crate::corelib::{FnDef, IterShape, Label};
use crate::scope::linked::{LoopId, NodeId};
use crate::types::Type;
use crate::value::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// The operation of a vertex. Each variant documents the order of its inputs.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// No inputs.
    Const { value: Value, ty: Type },
    /// The index or key of one iteration; its label is the name of the loop variable.
    Key { value: Value, name: Arc<str> },
    /// One input per part.
    Composite(Arc<Composite>),
    /// One input per argument.
    Builtin { def: &'static FnDef, call: Arc<IrCall> },
    /// No inputs; the value is the function.
    FuncValue(Value),
    /// Input: the function. The arguments are held, not connected.
    Call { args: Vec<VertexId> },
    /// Input: the condition.
    IfExpr { then: NodeId, otherwise: NodeId, env: EnvRef },
    /// Input: the main expression.
    Except { fallback: NodeId, env: EnvRef },
    /// Inputs: the construct, then the attached output, if there is one.
    Output(OutputKind),
    /// Input: the condition.
    IfStmt { then: BlockId, otherwise: Option<BlockId>, env: EnvRef },
    /// Input: the list or map.
    Loop { id: LoopId, body: BlockId, map: bool, env: EnvRef },
    /// Inputs: those of the function.
    Iter { shape: IterShape, call: Arc<IrCall> },
    /// Input: a list; the value is its element.
    Element { index: usize, label: &'static str },
    /// Input: a map; the value is that of the key.
    Entry { key: Value },
    /// `iter.map`, `iter.zip`: collects the results in a list.
    Collect { label: &'static str },
    /// `iter.filter`: inputs are pairs of element and verdict; keeps the wanted elements.
    Sift,
    /// Removed, or never valid.
    Gone,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputKind {
    Call,
    If,
    Except,
    Func,
}

impl Op {
    /// Whether the call with this output may be built in place.
    pub(crate) fn is_in_place(&self) -> bool {
        match self {
            Op::Builtin { def, .. } => def.shape.inline,
            Op::Element { .. } | Op::Entry { .. } | Op::Key { .. } => true,
            Op::Const { .. }
            | Op::Composite(_)
            | Op::FuncValue(_)
            | Op::Call { .. }
            | Op::IfExpr { .. }
            | Op::Except { .. }
            | Op::Output(_)
            | Op::IfStmt { .. }
            | Op::Loop { .. }
            | Op::Iter { .. }
            | Op::Collect { .. }
            | Op::Sift
            | Op::Gone => false,
        }
    }

    /// The label in the printed function graph.
    pub(crate) fn label(&self) -> String {
        match self {
            Op::Const { value, ty } => format!("const: {ty}({})", String::from_utf8_lossy(&value.to_text())),
            Op::Key { name, .. } => name.to_string(),
            Op::Composite(composite) => format!("composite: {}", composite.ty),
            Op::Builtin { def, call } => match def.shape.label {
                Label::Path => def.path.to_owned(),
                Label::Short(label) => label.to_owned(),
                Label::WithType(label) => format!("{label}: {}", Type::Func(call.ty.clone())),
            },
            Op::FuncValue(_) => "FuncValue".to_owned(),
            Op::Call { .. } => "call".to_owned(),
            Op::IfExpr { .. } => "exprif".to_owned(),
            Op::Except { .. } => "exprexcept".to_owned(),
            Op::Output(OutputKind::Call) => "callSubgraphOutput".to_owned(),
            Op::Output(OutputKind::If) => "exprIfSubgraphOutput".to_owned(),
            Op::Output(OutputKind::Except) => "exprExceptSubgraphOutput".to_owned(),
            Op::Output(OutputKind::Func) => "funcSubgraphOutput".to_owned(),
            Op::IfStmt { .. } => "stmtif".to_owned(),
            Op::Loop { map: false, .. } => "for".to_owned(),
            Op::Loop { map: true, .. } => "forkv".to_owned(),
            Op::Iter { shape: IterShape::Map, .. } => "map".to_owned(),
            Op::Iter { shape: IterShape::Filter, .. } => "filter".to_owned(),
            Op::Iter { shape: IterShape::Reduce, .. } => "reduce".to_owned(),
            Op::Iter { shape: IterShape::Zip, .. } => "zip".to_owned(),
            Op::Element { index, label } => format!("{label}[{index}]"),
            Op::Entry { key } => format!("forkvInputElemVal[{}]", String::from_utf8_lossy(&key.to_text())),
            Op::Collect { label } => (*label).to_owned(),
            Op::Sift => "filterOutputList".to_owned(),
            Op::Gone => "gone".to_owned(),
        }
    }

    /// The core function that it calls.
    pub(crate) fn function(&self) -> Option<&'static str> {
        match self {
            Op::Builtin { def, .. } => Some(def.path),
            Op::Iter { shape: IterShape::Map, .. } => Some("iter.map"),
            Op::Iter { shape: IterShape::Filter, .. } => Some("iter.filter"),
            Op::Iter { shape: IterShape::Reduce, .. } => Some("iter.reduce"),
            Op::Iter { shape: IterShape::Zip, .. } => Some("iter.zip"),
            _ => None,
        }
    }

    /// The type of its value, if the vertex alone determines it.
    pub(crate) fn ty(&self) -> Option<Type> {
        match self {
            Op::Const { ty, .. } => Some(ty.clone()),
            Op::Composite(composite) => Some(composite.ty.clone()),
            Op::Builtin { call, .. } | Op::Iter { call, .. } => Some(call.ty.ret.clone()),
            Op::FuncValue(value) => value.as_func().map(|func| func.ty.clone()),
            Op::Key { .. }
            | Op::Call { .. }
            | Op::IfExpr { .. }
            | Op::Except { .. }
            | Op::Output(_)
            | Op::IfStmt { .. }
            | Op::Loop { .. }
            | Op::Element { .. }
            | Op::Entry { .. }
            | Op::Collect { .. }
            | Op::Sift
            | Op::Gone => None,
        }
    }

    /// The name of the argument that an input feeds.
    pub(crate) fn arg(&self, input: usize) -> Cow<'_, str> {
        match self {
            Op::Composite(composite) => match &composite.form {
                Form::List => input.to_string().into(),
                Form::Map if input.is_multiple_of(2) => format!("key:{}", input / 2).into(),
                Form::Map => format!("val:{}", input / 2).into(),
                Form::Struct(names) => names[input].as_ref().into(),
            },
            Op::Builtin { call, .. } | Op::Iter { call, .. } => match call.ty.params.get(input) {
                Some((name, _)) if !name.is_empty() => name.as_ref().into(),
                Some(_) | None => input.to_string().into(),
            },
            Op::Call { .. } => "fn".into(),
            Op::IfExpr { .. } | Op::IfStmt { .. } => "condition".into(),
            Op::Except { .. } => "value".into(),
            Op::Output(_) if input == 0 => "dummy".into(),
            Op::Output(_) => "out".into(),
            Op::Loop { map: false, .. } | Op::Element { .. } => "list".into(),
            Op::Loop { map: true, .. } | Op::Entry { .. } => "map".into(),
            Op::Collect { .. } => input.to_string().into(),
            Op::Sift if input.is_multiple_of(2) => format!("elem:{}", input / 2).into(),
            Op::Sift => format!("keep:{}", input / 2).into(),
            Op::Const { .. } | Op::Key { .. } | Op::FuncValue(_) | Op::Gone => "".into(),
        }
    }

    /// Whether the printed edge names all inputs from one vertex, and not only the last.
    pub(crate) fn prints_all_args(&self) -> bool {
        !matches!(self, Op::Composite(_))
    }
}
