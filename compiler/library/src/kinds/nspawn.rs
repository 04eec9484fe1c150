//! `nspawn`: runs or stops a systemd-nspawn machine through its template service. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, file_exists, known_state};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, FieldDefault, Kind, KindDecl, Seen, Traits, Want, units};
use crate::vocab::guest::{self, Move, Step};
use crate::vocab::unit::{self, Unit};
use crate::vocab::{Datum, FactSpec, Finding, Watch, file};

/// The kind `nspawn`.
pub(crate) struct Nspawn;

static DECL: KindDecl = KindDecl {
    name: "nspawn",
    doc: "Runs or stops a systemd-nspawn machine through its template service.",
    fields: &[Field::str("state", "State", "`running` or `stopped`.").default(FieldDefault::Str("running"))],
    traits: Traits { refreshable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Units)],
};

impl Kind for Nspawn {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.name.chars().count() <= 64, "name must be 64 characters or less")?;
        let state = want.text("state");
        known_state(&state, &["running", "stopped"])
    }

    fn asks_host(&self, _want: &Want) -> Vec<FactSpec> {
        vec![FactSpec::File(file::Fact::State { path: "/run/systemd/system".into() })]
    }

    fn validate_there(&self, _want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let running = facts.iter().flatten().all(file_exists);
        ensure(running, "systemd is not running")
    }

    fn backend(&self) -> &'static str {
        "systemd-machined and the unit `systemd-nspawn@NAME.service` over D-Bus (package `systemd-container`). Changes \
         are detected through their signals. The image is a directory or file with that name in `/var/lib/machines`. A \
         machine that does not shut down is killed at the `TimeoutStopSec` of its unit, which is 90 seconds by \
         default, or after 5 minutes if that is `infinity`."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    /// The unit also reports its installation; the image, a folder or a file, may come later.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        let (name, unit) = (want.name.to_owned(), Unit::new(guest::unit(want.name), false));
        if unit.checked().is_err() {
            return Vec::new();
        }
        let images = ["", ".raw"].map(|ending| {
            let path = format!("/var/lib/machines/{name}{ending}");
            Watch::from(file::Watch { path, recursive: false })
        });
        let mut watches: Vec<Watch> = vec![guest::Watch { name }.into(), unit::Watch { unit }.into()];
        watches.extend(images);
        watches
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let unit = units::named(guest::unit(want.name), false)?;
    let runs = want.text("state") == "running";
    let (now, has_image) = look(walk, want.name)?;
    let step = |change, now: &str| {
        let (name, unit) = (want.name.to_owned(), unit.name.clone());
        vec![Step { name, change, unit, now: now.to_owned() }.into()]
    };
    match (runs, now) {
        // It is booting, and its end would be reported.
        (true, Some("running" | "opening")) | (false, None) => return Ok(Decision::InState(Vec::new())),
        (true, None) if !has_image => {
            return Err(Decision::CannotTell(format!("no machine nor image named '{}'", want.name)));
        }
        (true, now) => drop(walk.act(step(Move::Start, now.unwrap_or("stopped")))?),
        (false, Some(now)) => drop(walk.act(step(Move::Stop, now))?),
    }
    match (runs, look(walk, want.name)?.0) {
        (true, Some(_)) | (false, None) => {}
        (true, None) => {
            let why = format!(
                "{} was started but has already ended; for details, see `journalctl -u {}`",
                want.name, unit.name
            );
            return Err(Decision::CannotTell(why));
        }
        // It was not started by a unit.
        (false, Some(now)) => drop(walk.act(step(Move::Terminate, now))?),
    }
    Ok(Decision::Mended(Vec::new()))
}

/// The state of a machine, if it is up, and whether there is an image for it.
fn look<'a>(walk: &mut Walk<'a>, name: &str) -> Result<(Option<&'a str>, bool), Decision> {
    match &walk.look(vec![guest::Probe { name: name.to_owned() }.into()])?[0] {
        Finding::Guest(guest::Finding::Guest { state, has_image }) => Ok((state.as_deref(), *has_image)),
        other => Err(cannot_tell(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;

    #[test]
    fn an_image_may_be_a_file() {
        let draft = Draft::new("nspawn", "db");
        let watches = draft.kind.watches(&draft.want());
        for path in ["/var/lib/machines/db", "/var/lib/machines/db.raw"] {
            let image = Watch::File(file::Watch { path: path.into(), recursive: false });
            assert!(watches.contains(&image), "{path}");
        }
    }
}
