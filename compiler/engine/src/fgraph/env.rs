//! [`Env`]: the values of parameters and loop variables while a body is built, and [`Code`]: the content of a function
//! value, a body together with its environment.
//!
//! An environment is a chain of frames, as long as functions and loops are nested in the text.

use super::graph::VertexId;
use super::ir::{IrCall, IrFunc};
use crate::corelib::FnDef;
use crate::scope::linked::{LoopId, ParamId};
use smallvec::SmallVec;
use std::sync::Arc;

/// The environment of an expression; `None` at the top level of the program.
pub(crate) type EnvRef = Option<Arc<Env>>;

#[derive(Debug)]
pub(crate) struct Env {
    pub(crate) outer: EnvRef,
    pub(crate) frame: Frame,
}

#[derive(Debug)]
pub(crate) enum Frame {
    /// A function's parameters. Of two with the same name the body sees the last one (6.3), which has a separate id.
    Params(SmallVec<[(ParamId, Bound); 2]>),
    /// One iteration of a loop.
    Iteration { of: LoopId, id: IterationId, first: (ParamId, Bound), second: (ParamId, Bound) },
}

/// Id of one iteration; never reused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct IterationId(pub(crate) u64);

/// A vertex that may be gone when it is looked up: a function value can outlive its environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound {
    pub(crate) vertex: VertexId,
    pub(crate) birth: u32,
}

/// The vertex of a parameter or loop variable.
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

/// The environment of a loop's current iteration, with the iteration.
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

/// The content of a function value.
#[derive(Debug)]
pub(crate) enum Code {
    /// A function of the program, closed over its environment.
    Closure { func: Arc<IrFunc>, env: EnvRef },
    /// A builtin turned into a value by a call.
    Builtin { def: &'static FnDef, call: Arc<IrCall> },
}
