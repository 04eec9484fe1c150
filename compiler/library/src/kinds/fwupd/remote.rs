//! `fwupd:remote`: enables or disables an fwupd remote and keeps its metadata fresh. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::walk::Walk;
use crate::kinds::{Claim, Decision, Direction, Field, Kind, KindDecl, Seen, Traits, Want, WantBatch, duration};
use crate::vocab::firmware::{self, Step};
use crate::vocab::{Watch, time};

/// The kind `fwupd:remote`.
pub(crate) struct FwupdRemote;

static DECL: KindDecl = KindDecl {
    name: "fwupd:remote",
    doc: "Enables or disables an fwupd remote and keeps its metadata up to date.",
    fields: &[
        Field::bool("enabled", "Enabled", "Whether the remote is enabled; if unset, this is not managed.").nullable(),
        Field::str(
            "refresh_age",
            "RefreshAge",
            "Maximum age of the metadata as a duration. If empty, it is never \
                                                 refreshed.",
        ),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Firmware), Required::list(PolicyList::Hosts).case("the metadata")],
};

impl Kind for FwupdRemote {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (enabled, age) = (want.set("enabled"), want.text("refresh_age"));
        if !age.is_empty() {
            ensure(duration::parse(&age)? > 0, "`refresh_age` must be positive")?;
            ensure(enabled.is_none() || want.bool("enabled"), "`refresh_age` cannot be set when `enabled` is false")?;
        }
        ensure(enabled.is_some() || !age.is_empty(), "nothing to manage: set `enabled` or `refresh_age`")
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::FwupdRemote(want.name.to_owned())]
    }

    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let file = Claim::File(format!("/etc/fwupd/remotes.d/{}.conf", want.name));
        let svc = Claim::Svc { name: "fwupd".into(), session: false };
        vec![WantBatch { claims: vec![(file, Direction::Before), (svc, Direction::Before)], first_only: false }]
    }

    fn backend(&self) -> &'static str {
        "fwupd (package `fwupd`) over D-Bus. Changes are detected through its signals; the age of the metadata is also \
         checked twice per `refresh_age`. Metadata is downloaded with its signature, which fwupd verifies."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let half = refresh_age(want).map(|ns| time::Watch::Every { ms: (ns / 2_000_000).max(1) }.into());
        std::iter::once(firmware::Watch::Remotes.into()).chain(half).collect()
    }
}

/// Units: nanoseconds.
fn refresh_age(want: &Want) -> Option<u64> {
    duration::parse(&want.text("refresh_age")).ok().and_then(|ns| u64::try_from(ns).ok()).filter(|ns| *ns > 0)
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let missing = |why: String| Err(Decision::CannotTell(why));
    let Some(remote) = super::remotes(walk)?.iter().find(|remote| remote.id == want.name) else {
        return missing(format!("fwupd has no remote `{}`: `fwupdmgr get-remotes` lists the remotes", want.name));
    };
    let mut steps = Vec::new();
    let enabled = want.set("enabled").map(|_| want.bool("enabled"));
    if let Some(on) = enabled.filter(|on| *on != remote.is_enabled) {
        steps.push(Step::Enable { remote: remote.id.clone(), on }.into());
    }
    if let Some(most) = refresh_age(want) {
        if remote.url.is_empty() {
            return missing(format!("the remote {} is local, so its metadata cannot be refreshed", remote.id));
        }
        if !enabled.unwrap_or(remote.is_enabled) {
            return missing(format!(
                "the remote {} is disabled, so its metadata is not used: set `enabled => true`",
                remote.id
            ));
        }
        if remote.age_s.is_none_or(|age| age.saturating_mul(1_000_000_000) > most) {
            let (remote, url, age_s) = (remote.id.clone(), remote.url.clone(), remote.age_s);
            steps.push(Step::Refresh { remote, url, age_s }.into());
        }
    }
    walk.mend(steps)
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;

    #[test]
    fn a_disabled_remote_cannot_be_refreshed() {
        let draft = Draft::new("fwupd:remote", "lvfs").set("enabled", false.into()).text("refresh_age", "1h");
        draft.check("`refresh_age` cannot be set when `enabled` is false");
    }
}
