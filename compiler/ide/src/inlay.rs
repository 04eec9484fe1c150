//! Hints between the tokens: types that are not written, and the names of parameters before literal arguments.
//!
//! Cost: linear in the program.

use super::analysis::Analysis;
use super::manual;
use super::marks::{Mark, Role};
use crate::gather;
use crate::scope::linked::{Call, Callee, NodeId, NodeKind};
use crate::span::Span;
use std::collections::BTreeMap;

/// The maximum number of characters of a type; a long one hides more than it shows.
const MAX_TYPE: usize = 32;

/// A text to show at an offset, which is not part of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The offset in the file. Units: bytes.
    pub at: u32,
    /// The text, with its spaces: ` int`, `width: `.
    pub text: String,
}

pub(super) fn of(analysis: &Analysis, range: Span) -> Vec<Hint> {
    let mut hints: Vec<Hint> = types(analysis, range).chain(parameters(analysis, range)).collect();
    hints.sort_by_cached_key(|hint| hint.at);
    hints
}

/// The types of variables without a written one; none where copies of the code differ.
fn types(analysis: &Analysis, range: Span) -> impl Iterator<Item = Hint> {
    let marks = &analysis.parsed(range.file).marks;
    let text = &analysis.source(range.file).text;
    let is_typed = |mark: &Mark, next: Option<&Mark>| {
        next.is_some_and(|next| {
            let between = text.get(mark.span.end as usize..next.span.start as usize).unwrap_or_default();
            next.role == Role::Type && between.iter().all(u8::is_ascii_whitespace)
        })
    };
    let untyped = marks.iter().enumerate().filter(|(at, mark)| {
        matches!(mark.role, Role::Bind | Role::Param)
            && range.start <= mark.span.start
            && mark.span.end <= range.end
            && !is_typed(mark, marks.get(at + 1))
    });
    let mut known: BTreeMap<Span, Vec<String>> = gather::map(untyped.map(|(_, mark)| (mark.span, Vec::new())));
    analysis.add_types(&mut known);
    known.into_iter().filter_map(|(span, types)| match &types[..] {
        [one] if one.chars().count() <= MAX_TYPE => Some(Hint { at: span.end, text: format!(" {one}") }),
        _ => None,
    })
}

/// The names of the parameters of calls with several arguments, before those that are literals.
fn parameters(analysis: &Analysis, range: Span) -> impl Iterator<Item = Hint> {
    let linked = analysis.linked();
    let mut found: BTreeMap<u32, String> = BTreeMap::new();
    for node in linked.nodes.values() {
        let NodeKind::Call(call) = &node.kind else { continue };
        let within = |span: Span| span.file == range.file && range.start <= span.start && span.end <= range.end;
        // The operands of an operator are on both sides of it.
        let is_behind = |arg: &NodeId| linked.nodes[*arg].span.start >= call.callee_span.end;
        if call.args.len() < 2 || !within(call.callee_span) || !call.args.iter().all(is_behind) {
            continue;
        }
        for (arg, name) in call.args.iter().zip(names(analysis, call)) {
            let arg = &linked.nodes[*arg];
            if name.len() > 1 && within(arg.span) && is_literal(&arg.kind) {
                found.entry(arg.span.start).or_insert(name);
            }
        }
    }
    found.into_iter().map(|(at, name)| Hint { at, text: format!("{name}: ") })
}

fn is_literal(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Const(_) | NodeKind::List(_) | NodeKind::Map(_) | NodeKind::Struct(_))
}

/// The names of a call's parameters, in order; none if they are unknown. Those of the rest of the arguments have none.
fn names(analysis: &Analysis, call: &Call) -> Vec<String> {
    let linked = analysis.linked();
    match call.callee {
        Callee::Builtin(def) => {
            let named = |form: String| {
                let form = super::signature::form(form);
                let name = |(from, to): &(u32, u32)| {
                    let param = &form.label[*from as usize..*to as usize];
                    let (name, ty) = param.split_once(' ').unwrap_or_default();
                    if ty.starts_with("...") { String::new() } else { name.to_owned() }
                };
                form.params.iter().map(name).collect::<Vec<_>>()
            };
            let forms: Vec<Vec<String>> = manual::signatures(def).into_iter().map(named).collect();
            let fits = |names: &&Vec<String>| names.len() == call.args.len();
            forms.iter().find(fits).or(forms.first()).cloned().unwrap_or_default()
        }
        Callee::Statement(function) => match &linked.nodes[function].kind {
            NodeKind::Func(func) => func.params.iter().map(|id| linked.params[*id].name.to_string()).collect(),
            _ => Vec::new(),
        },
        Callee::Value(_) | Callee::Literal(_) => Vec::new(),
    }
}
