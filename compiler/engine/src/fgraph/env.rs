//! [`Env`]: what parameters and loop variables stand for while a body is built, and [`Code`]: what
//! a function value holds, a body together with its surroundings.
//!
//! An environment is a chain of frames, as long as functions and loops are nested in the text.

use super::graph::VertexId;
use super::plan::{PlanCall, PlanFunc};
use crate::corelib::FnDef;
use crate::scope::linked::{LoopId, ParamId};
use std::sync::Arc;

/// The surroundings of an expression; `None` at the program's top level.
pub(crate) type EnvRef = Option<Arc<Env>>;

#[derive(Debug)]
pub(crate) struct Env {
    pub(crate) outer: EnvRef,
    pub(crate) frame: Frame,
}

#[derive(Debug)]
pub(crate) enum Frame {
    /// A function's parameters. Of two with one name the body sees the last one (6.3), which has
    /// an id of its own.
    Params(Vec<(ParamId, Bound)>),
    /// One iteration of a loop.
    Iteration { of: LoopId, id: IterationId, first: (ParamId, Bound), second: (ParamId, Bound) },
}

/// Names one iteration; never used twice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct IterationId(pub(crate) u64);

/// A vertex that may be gone when it is looked up: a function value can outlive its surroundings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound {
    pub(crate) vertex: VertexId,
    pub(crate) birth: u32,
}

/// What the parameter or loop variable stands for.
pub(crate) fn lookup(env: &EnvRef, param: ParamId) -> Option<Bound> {
    let mut at = env.as_ref();
    while let Some(env) = at {
        match &env.frame {
            Frame::Params(params) => {
                if let Some((_, bound)) = params.iter().find(|(known, _)| *known == param) {
                    return Some(*bound);
                }
            }
            Frame::Iteration { first, second, .. } => {
                if let Some((_, bound)) = [second, first].into_iter().find(|(known, _)| *known == param) {
                    return Some(*bound);
                }
            }
        }
        at = env.outer.as_ref();
    }
    None
}

/// The surroundings from the loop's current iteration outwards, with the iteration.
pub(crate) fn iteration(env: &EnvRef, wanted: LoopId) -> Option<(EnvRef, IterationId)> {
    let mut at = env.as_ref();
    while let Some(env) = at {
        match &env.frame {
            Frame::Iteration { of, id, .. } if *of == wanted => return Some((Some(env.clone()), *id)),
            Frame::Iteration { .. } | Frame::Params(_) => {}
        }
        at = env.outer.as_ref();
    }
    None
}

/// The inside of a function value.
#[derive(Debug)]
pub(crate) enum Code {
    /// A function of the program, closed over its surroundings.
    Closure { func: Arc<PlanFunc>, env: EnvRef },
    /// A builtin that a call of its own made into a value.
    Builtin { def: &'static FnDef, call: Arc<PlanCall> },
}
