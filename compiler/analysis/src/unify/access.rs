//! What is wrong with a `->` whose type is not known, or whose value is a number.

use super::builtin::{missing_field, no_struct};
use super::collect::Collector;
use super::constraint::{About, Subject};
use super::table::{Ty, TyId};
use crate::diag::Diagnostic;
use crate::scope::linked::{Call, Callee, NodeId, NodeKind};
use crate::span::Span;
use crate::types::{FuncType, Type};

/// What is found at an expression of unknown type.
pub(super) enum Access {
    /// It is not a field access.
    Other,
    /// The type of its value is not known, which was reported.
    Reported,
    /// Its value has no such field.
    Wrong(Box<Diagnostic>),
    /// The language needs the type of its value to be declared; what to write.
    Unknown(String),
}

impl Collector<'_, '_> {
    /// Explains an expression of unknown type, if it is a field access.
    pub(super) fn unknown_access(&mut self, about: About, span: Span) -> Access {
        let linked = self.linked;
        let Some(Subject::Node(node)) = about.subject() else { return Access::Other };
        let NodeKind::Call(call) = &linked.nodes[node].kind else { return Access::Other };
        if let Some(element) = self.element(call) {
            return Access::Unknown(format!("define a variable with its type, as in `$element []int = {element}`"));
        }
        let (Some((value, field)), Some(is)) = (self.accessed(call), self.type_of_value(node)) else {
            return Access::Other;
        };
        let said = match self.table.get(is).clone() {
            Ty::Error => return Access::Reported,
            Ty::Var(_) => return Access::Unknown(self.declaration(value, "struct{name str; port int}")),
            Ty::Func(_) => return Access::Other,
            Ty::Struct(fields) => match fields.iter().find(|(name, _)| **name == *field) {
                Some((_, ty)) if self.table.kind(*ty).is_none() => return Access::Reported,
                Some(_) => match self.table.finish_open(is).map(|ty| ty.to_string()) {
                    Some(ty) if !ty.contains('?') => return Access::Unknown(self.declaration(value, &ty)),
                    _ => return Access::Other,
                },
                None => {
                    let names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
                    missing_field(&field, &names, span)
                }
            },
            // An empty list or map, for example.
            Ty::List(part) | Ty::Map(part, _) if self.table.kind(part).is_none() => return Access::Reported,
            Ty::Bool | Ty::Str | Ty::Int | Ty::Float | Ty::Variant | Ty::List(_) | Ty::Map(..) => {
                match self.table.finish_open(is) {
                    Some(ty) if !ty.has_vars() => no_struct(&ty, span),
                    Some(_) | None => return Access::Other,
                }
            }
        };
        Access::Wrong(Box::new(self.with_own_names(said, call)))
    }

    /// The text of an element of a variable, such as `$list[0]`.
    fn element(&self, call: &Call) -> Option<String> {
        let is_lookup = matches!(call.callee, Callee::Builtin(def) if def.path == "_lookup");
        let [value, key] = call.args[..] else { return None };
        let name = self.variable(value).filter(|_| is_lookup)?;
        let NodeKind::Const(key) = &self.linked.nodes[key].kind else { return Some(format!("${name}[…]")) };
        Some(match key.as_text() {
            Some(_) => format!("${name}[\"…\"]"),
            None => format!("${name}[{key}]"),
        })
    }

    /// The value and the field of a field access without a fallback.
    fn accessed(&self, call: &Call) -> Option<(NodeId, String)> {
        let is_access = matches!(call.callee, Callee::Builtin(def) if def.path == "_struct_lookup");
        let [value, field] = call.args[..] else { return None };
        let NodeKind::Const(field) = &self.linked.nodes[field].kind else { return None };
        is_access.then_some((value, field.as_text()?.into_owned()))
    }

    /// The type of the value of the field access at this node.
    fn type_of_value(&mut self, node: NodeId) -> Option<TyId> {
        let call = self.table.shallow(*self.calls.get(&node)?);
        let Ty::Func(func) = self.table.get(call).clone() else { return None };
        func.params.first().map(|(_, ty)| self.table.shallow(*ty))
    }

    /// How to declare the type of a value.
    fn declaration(&self, value: NodeId, ty: &str) -> String {
        match self.variable(value) {
            Some(name) => format!("declare the type of `${name}` where it is defined, as in `${name} {ty}`"),
            None => format!("define a variable with this type, as in `$x {ty} = …`"),
        }
    }

    /// The function that gives what is meant by `$now->hour`, where `$now` is a Unix time.
    pub(super) fn part_of_time(&self, call: &Call, func: &FuncType) -> Option<String> {
        let (value, field) = self.accessed(call)?;
        if !matches!(func.params.first(), Some((_, Type::Int))) {
            return None;
        }
        let time = match (self.variable(value), &self.linked.nodes[value].kind) {
            (Some(name), _) => format!("${name}"),
            (None, NodeKind::Call(call)) if &*call.name == "datetime.now" => "datetime.now()".to_owned(),
            _ => return None,
        };
        let written = match field.as_str() {
            "hour" | "hours" => format!("datetime.hour({time})"),
            "weekday" | "day_of_week" => format!("datetime.weekday({time})"),
            "year" => format!("datetime.format({time}, \"2006\")"),
            "month" => format!("datetime.format({time}, \"01\")"),
            "day" => format!("datetime.format({time}, \"02\")"),
            "minute" | "minutes" => format!("datetime.format({time}, \"04\")"),
            "second" | "seconds" => format!("datetime.format({time}, \"05\")"),
            "date" => format!("datetime.format({time}, \"2006-01-02\")"),
            "time" => format!("datetime.format({time}, \"15:04:05\")"),
            _ => return None,
        };
        Some(format!("a Unix time is a number without fields: write `{written}`, after `import \"datetime\"`"))
    }
}
