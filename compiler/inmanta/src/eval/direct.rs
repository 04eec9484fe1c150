//! Evaluates the conditions of typedefs, without the scheduler. Spec, 8.12.

use super::{Done, Evaluator};
use crate::ast::{Arg, BoolOperator, ExprId, ExprKind, Style, expr_text};
use crate::fault::{Class, Failure, Fault};
use crate::program::{Callee, Meaning};
use crate::value::{Value, message, written};
use mclive_base::ident::Name;

/// The variables of a condition: `self`, and those of comprehensions.
struct Variables<'k> {
    names: Vec<(&'k str, Value)>,
}

impl Evaluator<'_> {
    /// Evaluates a condition for a value.
    pub(super) fn direct(&mut self, condition: ExprId, value: &Value) -> Done<Value> {
        self.evaluate(condition, &mut Variables { names: vec![("self", value.clone())] })
    }

    fn evaluate<'k>(&mut self, expr: ExprId, variables: &mut Variables<'k>) -> Done<Value>
    where
        Self: 'k,
    {
        self.evaluate_inside(expr, variables).map_err(|fault| self.in_expr(fault, expr))
    }

    fn evaluate_inside<'k>(&mut self, expr: ExprId, variables: &mut Variables<'k>) -> Done<Value>
    where
        Self: 'k,
    {
        self.step()?;
        let program = self.program;
        let node = &program.tree.exprs[expr];
        if let Some(value) = &node.constant {
            return Ok(value.clone());
        }
        match &node.kind {
            ExprKind::Var(path) => {
                let found =
                    variables.names.iter().rev().find(|(name, _)| path.namespace.is_none() && *name == &*path.name);
                match found {
                    Some((_, value)) => Ok(value.clone()),
                    None => Err(self.no_variable(expr)),
                }
            }
            ExprKind::Attr { .. } => Err(self.no_variable(expr)),
            ExprKind::List(items) => {
                let values = items.iter().map(|item| self.evaluate(*item, variables)).collect::<Done<Vec<_>>>()?;
                Ok(Value::list(values))
            }
            ExprKind::Dict(entries) => {
                let mut map = indexmap::IndexMap::default();
                for (key, value) in entries {
                    map.insert(key.clone(), self.evaluate(*value, variables)?);
                }
                Value::dict(map).map_err(|_| super::compute::too_deep())
            }
            ExprKind::Arithmetic(operator, a, b) => {
                let (a, b) = (self.evaluate(*a, variables)?, self.evaluate(*b, variables)?);
                self.calculate(*operator, &a, &b)
            }
            ExprKind::Compare(comparison, a, b) => {
                let (a, b) = (self.evaluate(*a, variables)?, self.evaluate(*b, variables)?);
                self.compare(*comparison, &a, &b)
            }
            ExprKind::In(a, b) => {
                let (a, b) = (self.evaluate(*a, variables)?, self.evaluate(*b, variables)?);
                self.is_in(&a, &b)
            }
            ExprKind::Not(a) => {
                let value = self.evaluate(*a, variables)?;
                self.negate(&value)
            }
            ExprKind::Bool(operator, a, b) => self.direct_bool(*operator, *a, *b, variables),
            ExprKind::Regex(pattern) => match variables.names.first() {
                Some((_, Value::Str(text))) => self.matches(pattern, text).map(Value::Bool),
                _ => Err(Fault::new(Class::Internal, "AssertionError: a regular expression matches strings only")),
            },
            ExprKind::Conditional { condition, then, otherwise } => match self.evaluate(*condition, variables)? {
                Value::Bool(true) => self.evaluate(*then, variables),
                Value::Bool(false) => self.evaluate(*otherwise, variables),
                other => Err(self.no_condition(&other)),
            },
            ExprKind::Comprehension { value, clauses, guard } => {
                let names: Vec<(&Name, ExprId)> = clauses.iter().map(|clause| (&clause.var, clause.iterable)).collect();
                let mut values = Vec::new();
                self.direct_clauses(&names, *value, *guard, variables, &mut values)?;
                Ok(Value::list(values))
            }
            ExprKind::Call { args, .. } => self.direct_call(expr, args, variables),
            ExprKind::Literal(_)
            | ExprKind::Interpolated { .. }
            | ExprKind::FString(_)
            | ExprKind::IsDefined(_)
            | ExprKind::Lookup { .. }
            | ExprKind::IndexLookup { .. }
            | ExprKind::ShortLookup { .. }
            | ExprKind::Construct { .. } => {
                let text = expr_text(&program.tree, expr, Style::Alone);
                Err(Fault::new(
                    Class::DirectExecute,
                    format!("The statement {text} can not be executed in this context"),
                ))
            }
        }
    }

    fn no_variable(&self, expr: ExprId) -> Failure {
        let text = expr_text(&self.program.tree, expr, Style::Alone);
        Fault::new(
            Class::NotFound,
            format!("Unable to resolve `{text}`: a type constraint can not reference variables."),
        )
    }

    fn direct_bool<'k>(
        &mut self,
        operator: BoolOperator,
        a: ExprId,
        b: ExprId,
        variables: &mut Variables<'k>,
    ) -> Done<Value>
    where
        Self: 'k,
    {
        let is_and = operator == BoolOperator::And;
        let word = if is_and { "and" } else { "or" };
        match self.evaluate(a, variables)? {
            Value::Bool(value) if value != is_and => return Ok(Value::Bool(value)),
            Value::Bool(_) => {}
            Value::Unknown(_) => return Ok(self.unknown()),
            other => {
                let text = message(&other, self);
                let message = format!("Invalid left hand value `{text}`: `{word}` expects a boolean");
                return Err(Fault::new(Class::Runtime, message).about(written(&other, self)));
            }
        }
        match self.evaluate(b, variables)? {
            value @ (Value::Bool(_) | Value::Unknown(_)) => Ok(value),
            other => {
                let text = message(&other, self);
                let message = format!("Invalid right hand value `{text}`: `{word}` expects a boolean");
                Err(Fault::new(Class::Runtime, message).about(written(&other, self)))
            }
        }
    }

    fn direct_clauses<'k>(
        &mut self,
        clauses: &[(&'k Name, ExprId)],
        value: ExprId,
        guard: Option<ExprId>,
        variables: &mut Variables<'k>,
        out: &mut Vec<Value>,
    ) -> Done
    where
        Self: 'k,
    {
        let Some(((name, iterable), rest)) = clauses.split_first() else {
            let passes = match guard.map(|guard| self.evaluate(guard, variables)).transpose()? {
                None | Some(Value::Bool(true)) => true,
                Some(Value::Bool(false)) => false,
                Some(other) => {
                    let text = message(&other, self);
                    let message = format!(
                        "Invalid value `{text}`: the guard condition for a list comprehension must be a boolean expression"
                    );
                    return Err(Fault::new(Class::Runtime, message).about(written(&other, self)));
                }
            };
            if passes {
                out.push(self.evaluate(value, variables)?);
            }
            return Ok(());
        };
        let items = match self.evaluate(*iterable, variables)? {
            Value::List(list) => list.items.clone(),
            other => {
                let message = format!(
                    "A list comprehension in a direct execute context can only be applied to lists, got {}",
                    other.kind()
                );
                return Err(Fault::new(Class::Typing, message));
            }
        };
        for item in items {
            variables.names.push((&***name, item));
            let result = self.direct_clauses(rest, value, guard, variables, out);
            variables.names.pop();
            result?;
        }
        Ok(())
    }

    fn direct_call<'k>(&mut self, expr: ExprId, args: &[Arg], variables: &mut Variables<'k>) -> Done<Value>
    where
        Self: 'k,
    {
        let mut arguments = super::call::Arguments::default();
        for arg in args {
            let value = self.evaluate(arg.value(), variables)?;
            self.add_argument(&mut arguments, arg, value)?;
        }
        let callee = match &self.program.names.exprs[expr] {
            Meaning::Callee(callee) => callee.clone(),
            Meaning::None | Meaning::Var(_) | Meaning::Class(_) => return Ok(Value::Null),
        };
        match callee {
            Callee::Cast(primitive) => self.cast(primitive, &arguments),
            Callee::Function(function) => self.direct_function(function, expr, &arguments),
        }
    }
}
