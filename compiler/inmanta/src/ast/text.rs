//! Statements and expressions in the form of messages. Spec, 11.5.

use super::{Arg, BoolOperator, ExprId, ExprKind, StmtId, StmtKind, Tree};
use crate::lex::Comparison;
use crate::value::{NoInstances, Value, inner, quoted_text};

/// The context in which an expression is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Alone: `Construct(A)`, `List()`, `Not(a)`.
    Alone,
    /// As an operand: `A(n=1)`, `[a]`, `(not a)`.
    Inside,
}

/// The text of a statement.
pub fn stmt_text(tree: &Tree, id: StmtId) -> String {
    match &tree.stmts[id].kind {
        StmtKind::Assign { target, value } => format!("{} = {}", target.text(), expr_text(tree, *value, Style::Alone)),
        StmtKind::Set { base, name, value, .. } => {
            let base = expr_text(tree, *base, Style::Alone);
            format!("{base}.{name} = {}", expr_text(tree, *value, Style::Alone))
        }
        StmtKind::For { var, .. } => format!("For({var})"),
        StmtKind::If { .. } => "If".into(),
        StmtKind::Expr(expr) => expr_text(tree, *expr, Style::Alone),
    }
}

fn constant_text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        value => inner(value, &NoInstances),
    }
}

fn comparison_sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

/// The text of an expression.
pub fn expr_text(tree: &Tree, id: ExprId, style: Style) -> String {
    let expr = &tree.exprs[id];
    if let Some(value) = &expr.constant {
        return constant_text(value);
    }
    let alone = |id: &ExprId| expr_text(tree, *id, Style::Alone);
    let inside = |id: &ExprId| expr_text(tree, *id, Style::Inside);
    let binary = |a: &ExprId, sign: &str, b: &ExprId| format!("({} {sign} {})", inside(a), inside(b));
    match &expr.kind {
        ExprKind::Literal(_) => String::new(),
        ExprKind::Interpolated { text, .. } => format!("Format({})", quoted_text(text)),
        ExprKind::FString(format) => quoted_text(&format.text),
        ExprKind::Var(path) => path.text(),
        ExprKind::Attr { base, name, .. } => format!("{}.{name}", alone(base)),
        ExprKind::List(items) if style == Style::Inside => {
            format!("[{}]", items.iter().map(inside).collect::<Vec<_>>().join(", "))
        }
        ExprKind::List(_) => "List()".into(),
        ExprKind::Dict(entries) if style == Style::Inside => {
            let entries: Vec<_> =
                entries.iter().map(|(key, value)| format!("{}: {}", quoted_text(key), inside(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        ExprKind::Dict(_) => "Dict()".into(),
        ExprKind::Arithmetic(operator, a, b) => binary(a, operator.sign(), b),
        ExprKind::Compare(comparison, a, b) => binary(a, comparison_sign(*comparison), b),
        ExprKind::Bool(BoolOperator::And, a, b) => binary(a, "and", b),
        ExprKind::Bool(BoolOperator::Or, a, b) => binary(a, "or", b),
        ExprKind::In(a, b) => binary(a, "in", b),
        ExprKind::Not(a) if style == Style::Inside => format!("(not {})", inside(a)),
        ExprKind::Not(a) => format!("Not({})", alone(a)),
        ExprKind::IsDefined(subject) => match &tree.exprs[*subject].kind {
            ExprKind::Lookup { dict, key } => {
                let (dict, key) = (inside(dict), inside(key));
                format!("(({key} in {dict}) and ({dict}[{key}] != null))")
            }
            _ => format!("{} is defined", alone(subject)),
        },
        ExprKind::Lookup { dict, key } => format!("{}[{}]", alone(dict), alone(key)),
        ExprKind::IndexLookup { class, args } => format!("{}[{}]", class.text(), key_text(tree, args)),
        ExprKind::ShortLookup { base, relation, args, .. } => {
            format!("{}.{relation}[{}]", alone(base), key_text(tree, args))
        }
        ExprKind::Construct { class, args } if style == Style::Inside => {
            let args: Vec<_> = args.iter().map(|arg| arg_text(tree, arg, Style::Inside)).collect();
            format!("{}({})", class.text(), args.join(", "))
        }
        ExprKind::Construct { class, .. } => format!("Construct({})", class.text()),
        ExprKind::Call { function, args } => {
            // The original writes those by position first, then those by name, then what is unpacked.
            let mut args: Vec<&Arg> = args.iter().collect();
            args.sort_by_key(|arg| match arg {
                Arg::Positional(_) => 0,
                Arg::Named { .. } => 1,
                Arg::Unpacked { .. } => 2,
            });
            let args: Vec<_> = args.into_iter().map(|arg| arg_text(tree, arg, Style::Alone)).collect();
            format!("{}({})", function.text(), args.join(","))
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            let part = |id: &ExprId| expr_text(tree, *id, style);
            format!("{} ? {} : {}", part(condition), part(then), part(otherwise))
        }
        ExprKind::Comprehension { value, clauses, guard } => {
            let mut text = format!("[{}", inside(value));
            for clause in clauses {
                text += &format!(" for {} in {}", clause.var, inside(&clause.iterable));
            }
            if let Some(guard) = guard {
                text += &format!(" if {}", inside(guard));
            }
            text + "]"
        }
        ExprKind::Regex(pattern) => format!("/{}/", pattern.source()),
    }
}

fn arg_text(tree: &Tree, arg: &Arg, style: Style) -> String {
    match arg {
        Arg::Positional(value) => expr_text(tree, *value, style),
        Arg::Named { name, value, .. } => format!("{name}={}", expr_text(tree, *value, style)),
        Arg::Unpacked { value, .. } => format!("**{}", expr_text(tree, *value, style)),
    }
}

/// `[('a', 1), ('b', x)]`.
fn key_text(tree: &Tree, args: &[Arg]) -> String {
    let parts: Vec<_> = args
        .iter()
        .map(|arg| match arg {
            Arg::Named { name, value, .. } => format!("('{name}', {})", expr_text(tree, *value, Style::Alone)),
            arg => arg_text(tree, arg, Style::Alone),
        })
        .collect();
    format!("[{}]", parts.join(", "))
}
