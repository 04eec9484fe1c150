//! Arithmetic and comparison of numbers. Spec, 8.2 and 8.5.

use super::int::NoResult;
use super::{Int, Value};

/// An arithmetic operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `*`.
    Times,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
    /// `**`.
    Power,
}

impl Operator {
    /// The operator as written.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Times => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
            Operator::Power => "**",
        }
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Plus => "plus",
            Operator::Minus => "minus",
            Operator::Times => "multiplication",
            Operator::Divide => "division",
            Operator::Modulo => "modulo",
            Operator::Power => "exponentiation",
        }
    }
}

/// A number: whole (booleans are 0 and 1) or a float.
#[derive(Clone, Debug)]
pub enum Number {
    /// A whole number.
    Whole(Int),
    /// A float.
    Float(f64),
}

/// A value as a number.
pub fn number_of(value: &Value) -> Option<Number> {
    match value {
        Value::Bool(value) => Some(Number::Whole(Int::from(i64::from(*value)))),
        Value::Int(int) => Some(Number::Whole(int.clone())),
        Value::Float(float) => Some(Number::Float(*float)),
        _ => None,
    }
}

impl Number {
    /// As a float; `None` if it is too large.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Number::Whole(int) => int.to_f64(),
            Number::Float(float) => Some(*float),
        }
    }
}

/// Evaluates an operator on two numbers.
pub fn arithmetic(operator: Operator, a: &Number, b: &Number) -> Result<Value, NoResult> {
    if let (Number::Whole(a), Number::Whole(b)) = (a, b) {
        return whole(operator, a, b);
    }
    let (a, b) = a.to_f64().zip(b.to_f64()).ok_or(NoResult::TooLarge)?;
    let result = match operator {
        Operator::Plus => a + b,
        Operator::Minus => a - b,
        Operator::Times => a * b,
        Operator::Divide | Operator::Modulo if b == 0.0 => return Err(NoResult::DivisionByZero),
        Operator::Divide => a / b,
        Operator::Modulo => {
            let rest = libm::fmod(a, b);
            // The sign of the divisor, also for zero.
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { libm::copysign(rest, b) }
        }
        Operator::Power if a == 0.0 && b < 0.0 => return Err(NoResult::DivisionByZero),
        Operator::Power if a < 0.0 && libm::trunc(b) != b => return Err(NoResult::NotReal),
        Operator::Power => libm::pow(a, b),
    };
    if result.is_nan() {
        Err(NoResult::NotANumber)
    } else if result.is_infinite() && a.is_finite() && b.is_finite() {
        Err(NoResult::TooLarge)
    } else {
        Ok(Value::Float(result))
    }
}

fn whole(operator: Operator, a: &Int, b: &Int) -> Result<Value, NoResult> {
    Ok(Value::Int(match operator {
        Operator::Plus => a.add(b)?,
        Operator::Minus => a.sub(b)?,
        Operator::Times => a.mul(b)?,
        Operator::Divide => return a.divide(b).map(Value::Float),
        Operator::Modulo => a.modulo(b)?,
        Operator::Power if b.is_negative() => {
            return arithmetic(
                operator,
                &Number::Float(a.to_f64().ok_or(NoResult::TooLarge)?),
                &Number::Whole(b.clone()),
            );
        }
        Operator::Power => a.power(b)?,
    }))
}
