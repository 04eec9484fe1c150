//! Which policy applies to a program: the given one, or that of its origin.

use super::super::unusable;
use crate::cli::Work;
use crate::embed::Sandbox;
use crate::host::{lead, read_rules};
use crate::policy::Policy;
use crate::program::{Failure, Foreign, Loaded, Origin};

pub(super) fn policy(args: &Work, sandbox: &mut Sandbox, loaded: &Loaded, trust_link: bool) -> Result<Policy, Failure> {
    if let Some(file) = &args.policy {
        let text =
            read_rules(file).map_err(|error| unusable(format!("cannot use the policy {}: {error}", file.display())))?;
        let invalid = |why| unusable(format!("invalid policy {}: {why}", file.display()));
        let policy = Policy::parse(&text).map_err(invalid)?;
        policy.check_kinds(&text, &sandbox.kinds()?).map_err(invalid)?;
        let policy = policy.on_this_host(lead);
        judge_places(&policy, loaded)?;
        return Ok(policy);
    }
    Ok(match loaded.origin {
        Origin::Local => Policy::all(),
        Origin::Link if trust_link => Policy::all(),
        Origin::Link => Policy::nothing(),
    })
}

/// Whether the program may read its files through links: they were read before the policy was known.
pub(in crate::command) fn judge_places(policy: &Policy, loaded: &Loaded) -> Result<(), Failure> {
    for Foreign { shown, place } in loaded.foreign() {
        policy.reads().judge(place.as_os_str(), shown).map_err(|error| unusable(error.message))?;
    }
    Ok(())
}
