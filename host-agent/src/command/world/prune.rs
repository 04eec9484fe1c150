//! `mclive world prune`: removes old deploys, and the contents that no other deploy needs.

use super::super::deploy::{allowed, by};
use super::super::{Done, GOOD, failed};
use crate::cli::Prune;
use crate::host::{Surplus, Visit};
use crate::output::say;
use crate::show::counted;
use crate::utc;
use serde_json::json;
use std::fmt::Write;

pub(super) fn prune(visit: &Visit, args: &Prune, is_json: bool) -> Done {
    match remove(visit, args) {
        Ok(surplus) => {
            say(&said(args, &surplus, is_json), is_json);
            Ok(GOOD)
        }
        Err(why) => Ok(failed(&why)),
    }
}

/// Errors: why not all was removed, a sentence without a full stop.
fn remove(visit: &Visit, args: &Prune) -> Result<Surplus, String> {
    let surplus = visit.surplus(usize::try_from(args.keep).unwrap_or(usize::MAX))?;
    if !args.dry_run {
        allowed(&surplus.lock, &by(), utc::now())?;
        visit.prune(&surplus)?;
    }
    Ok(surplus)
}

fn said(args: &Prune, surplus: &Surplus, is_json: bool) -> String {
    let Surplus { deploys, pieces, kept, .. } = surplus;
    if is_json {
        let line = json!({ "deploys": deploys, "kept": kept, "pieces": pieces.len(), "removed": !args.dry_run });
        return format!("{line}\n");
    }
    let remain = format!("{} remain{}", counted(kept.len(), "deploy"), if kept.len() == 1 { "s" } else { "" });
    if deploys.is_empty() && pieces.is_empty() {
        return format!("nothing to remove: {remain}\n");
    }
    let did = if args.dry_run { "would remove" } else { "removed" };
    let mut out = String::new();
    for id in deploys {
        let _ = writeln!(out, "{did} deploy {id}");
    }
    let _ = writeln!(out, "{did} {} of files; {remain}", counted(pieces.len(), "unused piece"));
    out
}
