//! Computes expressions whose inputs are ready. Spec, 8.

use super::rounds::MEMBER;
use super::unit::Needs;
use super::{Done, Evaluator, FrameId, VarId};
use crate::ast::{ExprId, ExprKind};
use crate::fault::{Class, Failure, Fault};
use crate::lex::Comparison;
use crate::program::VarRef;
use crate::value::{
    NoResult, Operator, Value, arithmetic, compare_numbers, message, number_of, plain, quoted, same, written,
};
use mclive_base::diag::suggest::closest;
use std::cmp::Ordering;

/// The inputs that are not consumed yet.
pub(super) struct Cursor<'n> {
    needs: &'n [VarId],
}

impl<'n> Cursor<'n> {
    pub(super) fn new(needs: &'n [VarId]) -> Cursor<'n> {
        Cursor { needs }
    }

    pub(super) fn take(&mut self) -> Option<VarId> {
        let (first, rest) = self.needs.split_first()?;
        self.needs = rest;
        Some(*first)
    }
}

impl Evaluator<'_> {
    /// The value of an expression with exactly these inputs.
    pub(super) fn compute_all(&mut self, expr: ExprId, frame: FrameId, needs: &Needs) -> Done<Value> {
        if let Some(value) = &self.program.tree.exprs[expr].constant {
            return Ok(value.clone());
        }
        self.compute(expr, frame, &mut Cursor::new(needs))
    }

    pub(super) fn compute(&mut self, expr: ExprId, frame: FrameId, needs: &mut Cursor<'_>) -> Done<Value> {
        let program = self.program;
        let node = &program.tree.exprs[expr];
        if let Some(value) = &node.constant {
            return Ok(value.clone());
        }
        match &node.kind {
            ExprKind::Var(_) => match self.meaning(expr) {
                Some(VarRef::SelfInstance) => match self.frames[frame].instance {
                    Some(instance) => Ok(Value::Instance(instance)),
                    None => Err(super::read::missing("self")),
                },
                _ => self.next_value(needs),
            },
            ExprKind::Interpolated { text, parts, .. } => {
                let mut has_unknown = false;
                let mut values = Vec::with_capacity(parts.len());
                for (replaced, part) in parts {
                    let value = self.compute(*part, frame, needs).map_err(|fault| self.in_expr(fault, expr))?;
                    has_unknown |= value.is_unknown();
                    let written = self.written(&value).map_err(|fault| self.in_expr(fault, expr))?;
                    values.push((&**replaced, written));
                }
                let out = self.filled(text, &values).map_err(|fault| self.in_expr(fault, expr))?;
                Ok(if has_unknown { self.unknown() } else { Value::Str(out.into()) })
            }
            ExprKind::FString(format) => {
                let result = self.format_string(format, frame, needs);
                result.map_err(|fault| self.in_expr(fault, expr))
            }
            ExprKind::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    match self.compute(*item, frame, needs)? {
                        Value::List(list) => {
                            self.spend(list.items.len() as u64 * MEMBER).map_err(|fault| self.in_expr(fault, expr))?;
                            values.extend(list.items.iter().cloned());
                        }
                        value => values.push(value),
                    }
                }
                self.spend(items.len() as u64 * MEMBER).map_err(|fault| self.in_expr(fault, expr))?;
                Ok(Value::raw_list(values))
            }
            ExprKind::Dict(entries) => {
                let mut map = indexmap::IndexMap::default();
                self.spend(entries.len() as u64 * 4 * MEMBER).map_err(|fault| self.in_expr(fault, expr))?;
                for (key, value) in entries {
                    map.insert(key.clone(), self.compute(*value, frame, needs)?);
                }
                Value::dict(map).map_err(|_| self.in_expr(too_deep(), expr))
            }
            ExprKind::Arithmetic(operator, a, b) => {
                let a = self.compute(*a, frame, needs)?;
                let b = self.compute(*b, frame, needs)?;
                self.calculate(*operator, &a, &b).map_err(|fault| self.in_expr(fault, expr))
            }
            ExprKind::Compare(comparison, a, b) => {
                let a = self.compute(*a, frame, needs)?;
                let b = self.compute(*b, frame, needs)?;
                self.compare(*comparison, &a, &b).map_err(|fault| self.in_expr(fault, expr))
            }
            ExprKind::In(a, b) => {
                let a = self.compute(*a, frame, needs)?;
                let b = self.compute(*b, frame, needs)?;
                self.is_in(&a, &b).map_err(|fault| self.in_expr(fault, expr))
            }
            ExprKind::Not(a) => {
                let value = self.compute(*a, frame, needs)?;
                self.negate(&value).map_err(|fault| self.in_expr(fault, expr))
            }
            ExprKind::Lookup { dict, key } => {
                let dict = self.compute(*dict, frame, needs)?;
                let key = self.compute(*key, frame, needs)?;
                self.look_up(&dict, &key).map_err(|fault| self.in_expr(fault, expr))
            }
            ExprKind::Literal(_)
            | ExprKind::Regex(_)
            | ExprKind::Attr { .. }
            | ExprKind::Construct { .. }
            | ExprKind::Call { .. }
            | ExprKind::Bool(..)
            | ExprKind::Conditional { .. }
            | ExprKind::IndexLookup { .. }
            | ExprKind::ShortLookup { .. }
            | ExprKind::IsDefined(_)
            | ExprKind::Comprehension { .. } => self.next_value(needs),
        }
    }

    /// A value as text.
    fn written(&mut self, value: &Value) -> Done<String> {
        self.write_out(value)?;
        let written = plain(value, self);
        self.spend(written.len() as u64)?;
        Ok(written)
    }

    /// The text with each reference replaced. References are processed from left to right, and each is replaced
    /// wherever it is found, even in values inserted before; so if only references contain braces, one pass is enough.
    fn filled(&mut self, text: &str, values: &[(&str, String)]) -> Done<String> {
        let n_braces = |text: &str| text.bytes().filter(|byte| matches!(byte, b'{' | b'}')).count();
        if n_braces(text) == 4 * values.len() && values.iter().all(|(_, value)| n_braces(value) == 0) {
            self.spend(text.len() as u64)?;
            let mut out = String::with_capacity(text.len());
            let mut rest = text;
            for (replaced, value) in values {
                let at = rest.find(replaced).unwrap_or(rest.len());
                out.push_str(&rest[..at]);
                out.push_str(value);
                rest = rest.get(at + replaced.len()..).unwrap_or_default();
            }
            out.push_str(rest);
            return Ok(out);
        }
        let mut out = text.to_owned();
        for (replaced, value) in values {
            self.work(out.len() as u64 / 64)?;
            let n_places = out.matches(replaced).count() as u64;
            self.spend(n_places.saturating_mul(value.len() as u64).saturating_add(out.len() as u64))?;
            out = out.replace(replaced, value);
        }
        Ok(out)
    }

    pub(super) fn next_value(&self, needs: &mut Cursor<'_>) -> Done<Value> {
        match needs.take() {
            Some(var) => self.value_of(var),
            None => Err(Fault::new(Class::Internal, "an expression needs more than it asked for")),
        }
    }

    pub(super) fn calculate(&mut self, operator: Operator, a: &Value, b: &Value) -> Done<Value> {
        if a.is_unknown() || b.is_unknown() {
            return Ok(self.unknown());
        }
        if operator == Operator::Plus
            && let Value::Str(left) = a
        {
            let Value::Str(right) = b else {
                let message = format!("Can only concatenate str (not '{}' ({})) to str", b.kind(), quoted(b, self));
                return Err(Fault::new(Class::Typing, message)
                    .help("convert the value with `string(...)`, or insert it into the string: `\"{{ name }}\"`"));
            };
            self.spend((left.len() + right.len()) as u64)?;
            return Ok(Value::Str(format!("{left}{right}").into()));
        }
        let (Some(left), Some(right)) = (number_of(a), number_of(b)) else {
            let message = format!(
                "Unsupported operand type(s) for {}: '{}' ({}) and '{}' ({})",
                operator.name(),
                a.kind(),
                quoted(a, self),
                b.kind(),
                quoted(b, self)
            );
            let fault = Fault::new(Class::Typing, message);
            return Err(match (a, b) {
                (Value::List(_), _) => fault.help("to join lists, nest them: `[a, b]`"),
                (_, Value::Str(_)) => fault.help("convert the string with `int(...)` or `float(...)`"),
                _ => fault,
            });
        };
        arithmetic(operator, &left, &right).map_err(|no_result| match no_result {
            NoResult::DivisionByZero => Fault::new(Class::Internal, "ZeroDivisionError: division by zero"),
            NoResult::TooLarge => Fault::new(Class::Limit, "the result is too large"),
            NoResult::NotANumber => Fault::new(Class::Limit, "the result is not a number"),
            NoResult::NotReal => Fault::new(
                Class::Limit,
                "the result is not a real number: a negative base requires an integer exponent",
            ),
        })
    }

    pub(super) fn compare(&mut self, comparison: Comparison, a: &Value, b: &Value) -> Done<Value> {
        if a.is_unknown() || b.is_unknown() {
            return Ok(self.unknown());
        }
        self.look_at(a)?;
        let wanted: &[Ordering] = match comparison {
            Comparison::Equal => return Ok(Value::Bool(same(a, b))),
            Comparison::NotEqual => return Ok(Value::Bool(!same(a, b))),
            Comparison::Less => &[Ordering::Less],
            Comparison::LessOrEqual => &[Ordering::Less, Ordering::Equal],
            Comparison::Greater => &[Ordering::Greater],
            Comparison::GreaterOrEqual => &[Ordering::Greater, Ordering::Equal],
        };
        match compare_numbers(a, b) {
            Some(order) => Ok(Value::Bool(wanted.contains(&order))),
            None => Err(Fault::new(Class::Typing, "Can only compare numbers.")
                .help("other values are compared with `==` and `!=`; `int(...)` converts a string")),
        }
    }

    pub(super) fn negate(&mut self, value: &Value) -> Done<Value> {
        match value {
            Value::Bool(value) => Ok(Value::Bool(!value)),
            Value::Unknown(_) => Ok(self.unknown()),
            other => {
                let message = format!("Invalid value `{}`: `not` expects a boolean", message(other, self));
                Err(Fault::new(Class::Runtime, message).about(written(other, self)).help(NO_CONDITION))
            }
        }
    }

    pub(super) fn is_in(&mut self, a: &Value, b: &Value) -> Done<Value> {
        match b {
            Value::List(list) => {
                self.look_at(b)?;
                if !a.is_unknown() && list.items.iter().any(|item| !item.is_unknown() && same(item, a)) {
                    return Ok(Value::Bool(true));
                }
                let is_unknown = a.is_unknown() || list.items.iter().any(Value::is_unknown);
                Ok(if is_unknown { self.unknown() } else { Value::Bool(false) })
            }
            Value::Dict(dict) => match a {
                Value::Unknown(_) => Ok(self.unknown()),
                Value::Str(key) => Ok(Value::Bool(dict.entries.contains_key(key))),
                Value::List(_) | Value::Dict(_) => {
                    Err(Fault::new(Class::Internal, format!("TypeError: unhashable type: '{}'", a.kind())))
                }
                _ => Ok(Value::Bool(false)),
            },
            other => {
                let message = format!("Operand two of 'in' can only be a list or dict ({})", message(other, self));
                Err(Fault::new(Class::Typing, message).about(written(other, self)))
            }
        }
    }

    pub(super) fn look_up(&mut self, dict: &Value, key: &Value) -> Done<Value> {
        let entries = match dict {
            Value::Unknown(_) => return Ok(self.unknown()),
            Value::Dict(dict) => &dict.entries,
            other => {
                let message =
                    format!("dict lookup is only possible on dicts, {} is not an object", message(other, self));
                let fault = Fault::new(Class::Typing, message).about(written(other, self));
                return Err(match other {
                    Value::List(_) => fault.help("to read an element of a list, write `std::at(list, 0)`"),
                    _ => fault,
                });
            }
        };
        let key = match key {
            Value::Unknown(_) => return Ok(self.unknown()),
            Value::Str(key) => key,
            other => {
                let message = format!("dict keys must be string, {} is not a string", message(other, self));
                return Err(Fault::new(Class::Typing, message).about(written(other, self)));
            }
        };
        entries.get(key).cloned().ok_or_else(|| {
            let options: Vec<&str> = entries.keys().map(|key| &**key).collect();
            let message = format!("key {key} not found in dict, options are [{}]", options.join(","));
            let fault = Fault::new(Class::Key, message);
            // Any other letter would be as near.
            match closest(key, options.iter().copied()).filter(|_| key.chars().count() > 1) {
                Some(meant) => fault.help(format!("did you mean `{meant}`?")),
                None if options.is_empty() || options.len() > MOST_KEYS => fault,
                None => fault.help(format!("its keys are `{}`", options.join("`, `"))),
            }
        })
    }
}

/// The maximum number of keys of a dict that are listed.
const MOST_KEYS: usize = 20;

/// What to write for a condition that is not a boolean.
pub(super) const NO_CONDITION: &str = "compare the value, as in `x == 1`, or convert it with `bool(...)`";

pub(super) fn too_deep() -> Failure {
    Fault::new(Class::Limit, "this value is nested too deeply")
}
