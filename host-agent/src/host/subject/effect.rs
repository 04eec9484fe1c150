//! [`Effect`]: what a function changes on this host.
//!
//! It is a step like those of resources: the policy is asked (`kinds` names the function), the audit log tells of
//! it, and where nothing is to change it is only told.

use super::refused;
use crate::host::Shared;
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
