//! `mclive deploy --partial`: the program of the newest deploy with a partial export of a model.

use super::seal::Seal;
use super::{Draft, Given, Stop, checked};
use crate::cli;
use crate::embed::Sandbox;
use crate::host::Visit;
use crate::program;

/// For the hosts of the newest deploy, since its program is only theirs.
pub(super) fn draft(args: &cli::Deploy, visit: &Visit, seal: Option<&Seal>) -> Result<Draft, Stop> {
    let Given { loaded, commit } = Given::new(args)?;
    let newest = visit.newest().map_err(Stop::Store)?;
    let Some(before) = newest.record.as_ref() else {
        return Err(Stop::Store("there is no deploy yet; deploy the whole model first".into()));
    };
    if let Some(seal) = seal {
        seal.vouch_for(before, args.operators.as_deref())?;
    }
    let contents = visit.contents(&before.files).map_err(Stop::Store)?;
    let content = |sum| contents.get(sum).cloned().unwrap_or_default();
    let files = before.files.iter().map(|file| (file.path.clone(), content(&file.sha256))).collect();
    let whole = program::deployed(&before.entry, files);
    let targets = before.targets.clone();
    let mut loaded = whole.with_part(loaded, &args.delete_resource_set)?;
    // Without an answer they stay, which costs hosts more, and changes nothing else.
    let replaced = Sandbox::start()?.replaced_parts(&loaded.program).unwrap_or_default();
    loaded.remove_parts(&replaced);
    let tree = checked(args, loaded)?;
    super::has_no_key(&tree)?;
    Draft::of(tree, newest, targets, commit, args.note.clone())
}
