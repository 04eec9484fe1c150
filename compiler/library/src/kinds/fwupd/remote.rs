//! `fwupd:remote`: Enables or disables an fwupd remote and keeps its metadata fresh. Resource spec,
//! 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Claim, Direction, Field, Kind, KindDecl, Traits, Want, WantBatch, duration};

/// The kind `fwupd:remote`.
pub(crate) struct FwupdRemote;

static DECL: KindDecl = KindDecl {
    name: "fwupd:remote",
    doc: "Enables or disables an fwupd remote and keeps its metadata fresh.",
    fields: &[
        Field::bool("enabled", "Enabled", "Null leaves it as is.").nullable(),
        Field::str("refresh_age", "RefreshAge", "Maximum metadata age as a duration; empty never refreshes."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for FwupdRemote {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (enabled, age) = (want.set("enabled"), want.text("refresh_age"));
        if !age.is_empty() {
            ensure(duration::parse(&age)? > 0, "`refresh_age` must be positive")?;
            ensure(enabled.is_none() || want.bool("enabled"), "can't refresh a remote we're disabling")?;
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
}
