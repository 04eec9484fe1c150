//! Module `golang/math`: floats as Go computes them. Functions spec, 11.2 and 15.2.
//!
//! Everything uses `libm`, never the platform's library, so that results are the same natively and in wasm.

pub(super) mod exponential;
pub(super) mod parts;
pub(super) mod rounding;
pub(super) mod special;
pub(super) mod trigonometric;

use crate::corelib::{Args, FnError};
use crate::value::Value;

/// Applies a function of one float.
fn of(args: &Args, function: impl Fn(f64) -> f64) -> Result<Value, FnError> {
    Ok(Value::Float(function(args.float(0)?)))
}

/// Applies a function of two floats.
fn of_two(args: &Args, function: impl Fn(f64, f64) -> f64) -> Result<Value, FnError> {
    Ok(Value::Float(function(args.float(0)?, args.float(1)?)))
}
