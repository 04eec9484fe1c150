//! `mclive deploy --back`: the program of an older deploy, as a new one.

use super::super::compile;
use super::seal::Seal;
use super::{Draft, Stop, checked};
use crate::cli;
use crate::deploy::{Record, Targets};
use crate::host::Visit;
use crate::program::{self, Failure};

/// How many deploys before the newest one are looked at.
const MOST: usize = 100;

/// With a number: that deploy again, for the same hosts. Without one: the program that the hosts of the newest deploy had
/// before, for these hosts. `targets`: for other ones.
pub(super) fn draft(
    args: &cli::Deploy,
    visit: &Visit,
    id: Option<u64>,
    targets: Option<Targets>,
    seal: Option<&Seal>,
) -> Result<Draft, Stop> {
    let newest = visit.newest().map_err(Stop::Store)?;
    let (before, own) = match (id, newest.record.as_ref()) {
        (Some(id), _) => {
            let before = visit.record(id).map_err(Stop::Store)?;
            let own = before.targets.clone();
            (before, own)
        }
        (None, Some(newest)) => (earlier(visit, newest).map_err(Stop::Store)?, newest.targets.clone()),
        (None, None) => return Err(Stop::Store("there is no deploy yet".into())),
    };
    if let Some(seal) = seal {
        seal.vouch_for(&before, args.operators.as_deref())?;
    }
    let contents = visit.contents(&before.files).map_err(Stop::Store)?;
    let content = |sum| contents.get(sum).cloned().unwrap_or_default();
    let files = before.files.iter().map(|file| (file.path.clone(), content(&file.sha256))).collect();
    let mut loaded = program::deployed(&before.entry, files);
    loaded.program.environment = compile::search(&args.input).environment().map_err(Failure::from)?;
    let tree = checked(args, loaded)?;
    let note = if args.note.is_empty() { format!("rollback to deploy {}", before.id) } else { args.note.clone() };
    Draft::of(tree, newest, targets.or(own), before.commit, note)
}

/// The latest deploy before the newest one that was for all hosts or for the same ones. Errors: why there is none, a
/// sentence without a full stop.
fn earlier(visit: &Visit, newest: &Record) -> Result<Record, String> {
    for id in (1..newest.id).rev().take(MOST) {
        // Of old deploys some may have been removed.
        let Some(record) = visit.find(id)? else { continue };
        if record.is_for_all() || record.targets == newest.targets {
            return Ok(record);
        }
    }
    Err(match &newest.targets {
        None => "there is no deploy before the newest one".to_owned(),
        Some(targets) => format!(
            "there is no earlier deploy for {} among the latest {MOST}; select one with --back ID",
            targets.words()
        ),
    })
}
