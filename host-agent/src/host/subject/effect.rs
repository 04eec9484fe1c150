//! [`Effect`]: a change that a function makes on this host.
//!
//! It is treated like a step of a resource: the policy judges it (`kinds` contains the function), the audit log records
//! it, and a plan only predicts it.

use super::refused;
use crate::host::Shared;
use crate::policy::FUNCTIONS;
use mclive_base::vocab::HostError;
use std::time::Instant;

pub(super) struct Effect {
    /// With its module: `local.vardir`.
    pub(super) function: &'static str,
    /// `make directory /x`.
    pub(super) words: String,
}

impl Effect {
    pub(super) fn carry_out(
        self,
        shared: &Shared,
        change: impl FnOnce() -> Result<(), HostError>,
    ) -> Result<(), HostError> {
        let Effect { function, words } = self;
        debug_assert!(FUNCTIONS.contains(&function), "no policy could list {function}");
        if shared.state.plans() {
            shared.show.remark(&format!("{function} would {words}"));
            return Ok(());
        }
        let began = Instant::now();
        let done = shared.policy.function(function).map_err(refused).and_then(|()| change());
        shared.audit.effect(function, &words, done.as_ref().err(), began.elapsed());
        done
    }
}
