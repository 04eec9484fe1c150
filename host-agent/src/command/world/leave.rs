//! `mclive world leave`: removes what a host has left in the store.

use super::super::{Done, GOOD, failed};
use crate::cli::Leave;
use crate::host::{Belongings, Visit};
use crate::output::say;
use mclive_base::unicode::visible;
use serde_json::json;
use std::fmt::Write;

pub(super) fn leave(visit: &Visit, args: &Leave, is_json: bool) -> Done {
    match remove(visit, args) {
        Ok(belongings) => {
            say(&said(args, &belongings, is_json), is_json);
            Ok(GOOD)
        }
        Err(why) => Ok(failed(&why)),
    }
}

/// Errors: why nothing was removed, a sentence without a full stop.
fn remove(visit: &Visit, Leave { host, dry_run }: &Leave) -> Result<Belongings, String> {
    let belongings = Belongings::of(&visit.read()?, host);
    if belongings.is_live {
        return Err(format!(
            "the agent of {host} is running; stop it first, and wait until `mclive world hosts` no longer lists it"
        ));
    }
    if belongings.keys.is_empty() {
        return Err(format!("the store has no data of the host {host}"));
    }
    if !dry_run {
        visit.remove(host, &belongings)?;
    }
    Ok(belongings)
}

fn said(Leave { host, dry_run }: &Leave, belongings: &Belongings, is_json: bool) -> String {
    if is_json {
        return format!("{}\n", json!({ "host": host, "keys": belongings.keys, "removed": !dry_run }));
    }
    let did = if *dry_run { "would remove" } else { "removed" };
    let mut out = String::new();
    for key in &belongings.keys {
        let _ = writeln!(out, "{did} {}", visible(key));
    }
    out
}
