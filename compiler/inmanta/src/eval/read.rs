//! Reads variables and attributes. Spec, 8.1.

use super::store::Read;
use super::{Done, Evaluator, FrameId, VarId};
use crate::ast::{ExprId, ExprKind, Style, expr_text};
use crate::fault::{Class, Failure, Fault, Missing};
use crate::program::{Meaning, VarRef};
use crate::value::{InstId, Namer, Value, inner, message};

/// The root of a reference.
pub(super) enum Root {
    Var(VarId),
    Instance(InstId),
}

impl Evaluator<'_> {
    /// The value of a variable that is ready.
    pub(super) fn value_of(&self, var: VarId) -> Done<Value> {
        match self.store.read(var) {
            Read::Value(value) => Ok(value),
            Read::Empty(var) => Err(self.empty_optional(var)),
            Read::NotYet => Err(Fault::new(Class::Internal, "a value was read before it was there")),
        }
    }

    pub(super) fn empty_optional(&self, var: VarId) -> Failure {
        let message = match self.store.owner(var, self.program) {
            Some((instance, slot)) => {
                let entity = &self.program.entities[self.store.instances[instance].entity];
                let name = entity.slots.get_index(slot as usize).map_or("", |(name, _)| &**name);
                let full = &entity.full_name;
                let text = self.instance(instance);
                format!("Optional variable accessed that has no value (attribute `{full}.{name}` of `{text}`)")
            }
            None => "Optional variable accessed that has no value".into(),
        };
        Fault::new(Class::OptionalValue, message)
            .help("check it first: `x is defined ? x.y : ...`, or assign the relation from its other side")
    }

    /// The variable of a name.
    pub(super) fn variable(&self, meaning: &VarRef, frame: FrameId) -> Done<Root> {
        Ok(match meaning {
            VarRef::Local { up, slot } => {
                let mut frame = frame;
                for _ in 0..*up {
                    frame = self.frames[frame].parent.unwrap_or(frame);
                }
                Root::Var(VarId(self.frames[frame].first.0 + slot))
            }
            VarRef::Global(ns, slot) => Root::Var(self.frames.global(*ns, *slot)),
            VarRef::SelfInstance => match self.frames[frame].instance {
                Some(instance) => Root::Instance(instance),
                None => return Err(missing("self")),
            },
            VarRef::OfSelf { name, otherwise } => {
                let attribute = self.frames[frame].instance.and_then(|instance| {
                    let entity = self.store.instances[instance].entity;
                    let (slot, _) = self.program.slot(entity, name)?;
                    Some(self.store.slot_var(instance, slot))
                });
                match (attribute, otherwise) {
                    (Some(var), _) => Root::Var(var),
                    (None, Some((ns, slot))) => Root::Var(self.frames.global(*ns, *slot)),
                    (None, None) => return Err(missing(name)),
                }
            }
            VarRef::Missing(name) => return Err(missing(name)),
        })
    }

    pub(super) fn meaning(&self, expr: ExprId) -> Option<&VarRef> {
        match &self.program.names.exprs[expr] {
            Meaning::Var(meaning) => Some(meaning),
            Meaning::None | Meaning::Class(_) | Meaning::Callee(_) => None,
        }
    }

    /// The root of a variable expression.
    pub(super) fn root(&self, expr: ExprId, frame: FrameId) -> Done<Root> {
        match self.meaning(expr) {
            // The place of the error may be the statement around the name.
            Some(meaning) => self
                .variable(meaning, frame)
                .map_err(|fault| fault.also(self.program.tree.exprs[expr].span, "this name")),
            None => Err(Fault::new(Class::Internal, "a name without a meaning")),
        }
    }

    /// The variable of a referenced attribute, once its base is ready.
    pub(super) fn attribute_of(&self, expr: ExprId, base: VarId) -> Done<VarId> {
        let value = self.value_of(base)?;
        self.attribute_in(expr, &value)
    }

    pub(super) fn attribute_in(&self, expr: ExprId, base_value: &Value) -> Done<VarId> {
        let ExprKind::Attr { base, name, .. } = &self.program.tree.exprs[expr].kind else {
            return Err(Fault::new(Class::Internal, "no reference to an attribute"));
        };
        let path = || expr_text(&self.program.tree, *base, Style::Alone);
        match base_value {
            Value::Instance(instance) => self.slot_by_name(*instance, name),
            Value::List(_) => {
                let text = inner(base_value, self);
                let message = format!("can not get attribute {name}, {text} is not an entity but a list");
                let each = format!("to read it from each element, write `[x.{name} for x in {}]`", path());
                Err(Fault::new(Class::Runtime, message).help(each))
            }
            other => {
                let (kind, text) = (other.kind(), message(other, self));
                let message = format!(
                    "can not get attribute {name}, {} is not an entity but a {kind} with value '{text}'",
                    path()
                );
                let fault = Fault::new(Class::Runtime, message);
                Err(match other {
                    Value::Dict(_) => fault.help(format!("to read an entry of a dict, write `{}[\"{name}\"]`", path())),
                    _ => fault,
                })
            }
        }
    }

    pub(super) fn slot_by_name(&self, instance: InstId, name: &str) -> Done<VarId> {
        let entity = self.store.instances[instance].entity;
        match self.program.slot(entity, name) {
            Some((slot, _)) => Ok(self.store.slot_var(instance, slot)),
            None => {
                let full = &self.program.entities[entity].full_name;
                let fault =
                    Fault::new(Class::NotFound, format!("could not find attribute with name: {name} in type {full}"));
                Err(fault.missing(Missing::Attribute(entity, name.into())))
            }
        }
    }
}

pub(crate) fn missing(name: &str) -> Failure {
    let short = name.rsplit("::").next().unwrap_or(name);
    let fault =
        Fault::new(Class::NotFound, format!("variable {short} not found")).missing(Missing::Variable(name.into()));
    if let Some((left, right)) = name.split_once('-') {
        return fault.help(format!("`-` is part of a name: add spaces to subtract, as in `{left} - {right}`"));
    }
    let digits = name.strip_prefix(['e', 'E']).unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return fault.help(format!("numbers have no exponent: write `10 ** {digits}` for a power of ten"));
    }
    match crate::parse::foreign_word(name) {
        Some(help) => fault.help(help),
        None => fault,
    }
}
