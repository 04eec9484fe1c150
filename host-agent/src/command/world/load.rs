//! `mclive world load`: writes the keys of a dump again.

use super::super::{Done, GOOD, failed, is_file_name, unusable};
use super::archive::Archive;
use crate::cli::Load;
use crate::host::{Filling, Visit, Whole, io_words, is_of_hosts, other_layout, read_small, read_stdin};
use crate::output::{say, tell};
use crate::program::Failure;
use crate::show::counted;
use mclive_base::unicode::visible;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// The largest dump. Units: bytes.
const LARGEST: u64 = 512 << 20;

pub(super) fn load(visit: &Visit, args: &Load, world: &str, is_json: bool) -> Done {
    let archive = read(&args.file)?;
    if archive.world != world {
        tell(&format!(
            "mclive: warning: {} is a dump of the group `{}`; signatures in it are not valid in `{world}`",
            args.file.display(),
            visible(&archive.world)
        ));
    }
    match write(visit, args, archive) {
        Ok(plan) => {
            say(&plan.said(args, is_json), is_json);
            Ok(GOOD)
        }
        Err(why) => Ok(failed(&why)),
    }
}

fn read(file: &Path) -> Result<Archive, Failure> {
    is_file_name("FILE", file).map_err(unusable)?;
    let cannot = |why: &str| unusable(format!("cannot load `{}`: {why}", file.display()));
    let text = if file == Path::new("-") { read_stdin(LARGEST) } else { read_small(file, LARGEST) };
    let text = text.map_err(|error| cannot(&io_words(&error)))?;
    let archive = Archive::read(&text).map_err(|why| cannot(&format!("it is {}", visible(&why))))?;
    // With another layout in the group, none of its hosts would start again.
    match other_layout(archive.keys.get("layout").map(|item| item.value.as_slice())) {
        None => Ok(archive),
        Some(why) => Err(cannot(&visible(&why))),
    }
}

/// Errors: why not all was written, a sentence without a full stop.
fn write(visit: &Visit, args: &Load, archive: Archive) -> Result<Plan, String> {
    let whole = visit.whole()?;
    if !args.overwrite
        && let Some((key, _)) = whole.keys.iter().find(|(key, stored)| !is_of_hosts(key, stored.lease != 0))
    {
        return Err(format!(
            "the group is not empty: it has the key {key}; with --overwrite, keys of the file replace those of the same name, \
             and all other keys are kept"
        ));
    }
    let mut plan = Plan::of(archive, &whole);
    if !args.dry_run {
        visit.fill(std::mem::take(&mut plan.fillings), &whole)?;
    }
    Ok(plan)
}

/// What is written and what is not.
#[derive(Default)]
struct Plan {
    fillings: Vec<Filling>,
    n_loaded: usize,
    /// Keys that the group has already, with the same values.
    n_equal: usize,
    /// Those of hosts, by the first part of their keys.
    left_out: BTreeMap<String, usize>,
}

impl Plan {
    fn of(archive: Archive, whole: &Whole) -> Plan {
        let mut plan = Plan::default();
        for (key, item) in archive.keys {
            let stored = whole.keys.get(&key);
            if is_of_hosts(&key, item.leased) {
                let first = key.split('/').next().unwrap_or_default();
                *plan.left_out.entry(first.to_owned()).or_default() += 1;
            } else if stored.is_some_and(|stored| stored.value == item.value && stored.lease == 0) {
                plan.n_equal += 1;
            } else {
                plan.n_loaded += 1;
                plan.fillings.push(Filling { key, value: item.value, before: stored.map_or(0, |held| held.modified) });
            }
        }
        plan
    }

    fn said(&self, args: &Load, is_json: bool) -> String {
        let Plan { n_loaded, n_equal, left_out, .. } = self;
        if is_json {
            let line = json!({ "equal": n_equal, "keys": n_loaded, "left_out": left_out, "loaded": !args.dry_run });
            return format!("{line}\n");
        }
        let did = if args.dry_run { "would load" } else { "loaded" };
        let equal = if *n_equal == 0 { String::new() } else { format!("; {n_equal} already stored") };
        let counts: Vec<String> = left_out.iter().map(|(first, n)| format!("{n} below {}/", visible(first))).collect();
        let left_out = match counts.is_empty() {
            true => String::new(),
            false => format!("; left out what running agents write themselves: {}", counts.join(", ")),
        };
        format!("{did} {}{equal}{left_out}\n", counted(*n_loaded, "key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hosts_write_themselves_is_left_out_with_a_word() {
        let text = br#"{"keys":[
{"key":"agent/web1/live","leased":true,"value":"{}"},
{"key":"exported/*/web1/file//a","leased":true,"value":"{}"},
{"key":"exported/*/web1/file//b","leased":true,"value":"{}"},
{"key":"host/web1/signed/exported/*/web1/file//a/sig","leased":true,"value":"{}"},
{"key":"pool/web/chosen","value":"{}"},
{"key":"strings/colour","value":"green"}
],"v":1,"world":"main"}"#;
        let plan = Plan::of(Archive::read(text).unwrap(), &Whole::default());
        let colour = Filling { key: "strings/colour".into(), value: b"green".to_vec(), before: 0 };
        assert_eq!((&plan.fillings[..], plan.n_equal), (&[colour][..], 0));
        let args = |dry_run| Load { file: "-".into(), overwrite: false, dry_run };
        let words = "1 key; left out what running agents write themselves: 1 below agent/, 2 below exported/, 1 below host/, \
                     1 below pool/\n";
        assert_eq!(plan.said(&args(false), false), format!("loaded {words}"));
        assert_eq!(plan.said(&args(true), false), format!("would load {words}"));
        let json = r#"{"equal":0,"keys":1,"left_out":{"agent":1,"exported":2,"host":1,"pool":1},"loaded":true}"#;
        assert_eq!(plan.said(&args(false), true), format!("{json}\n"));
    }
}
