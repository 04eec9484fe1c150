//! `mclive deploy`: stores a program for all hosts of a cluster.

use super::world::cluster;
use super::{Done, GOOD, REFUSED, coloured, for_machines, prefix, unusable};
use crate::cli;
use crate::deploy::{Contents, LARGEST_RECORD, Record, Tree, commit_of};
use crate::embed::Sandbox;
use crate::embed::contract::Shown;
use crate::host::{Newest, Proposed, Visit};
use crate::output::{print, print_json, tell};
use crate::program::{Failure, Origin};
use crate::show::report;
use mclive_base::unicode::visible;
use serde_json::json;
use std::time::SystemTime;

pub(super) fn deploy(args: &cli::Deploy) -> Done {
    if args.members.world.is_empty() {
        return Err(unusable(cli::NO_WORLD.into()));
    }
    let (urls, name) = cluster(&args.members.world, &args.members.world_name)?;
    let visit = Visit::new(urls, &name);
    let Some(tree) = tree(args)? else { return Ok(REFUSED) };
    match create(args, &visit, tree)? {
        Ok(()) => Ok(GOOD),
        Err(why) => {
            tell(&format!("mclive: error: {}", visible(&why)));
            Ok(REFUSED)
        }
    }
}

/// The checked program. `None`: it was refused, which has been reported.
fn tree(args: &cli::Deploy) -> Result<Option<Tree>, Failure> {
    if args.input.is_omitted() {
        return Err(unusable("missing INPUT: the program to deploy".into()));
    }
    let mut sandbox = Sandbox::start()?;
    let loaded = super::compile::load(&args.input, &mut sandbox)?;
    if loaded.origin == Origin::Link && !args.trust_link {
        return Err(unusable("deploying a program from a link requires --trust-link".into()));
    }
    let shown = Shown { colour: coloured(args.output.color, &std::io::stderr()), root: loaded.root.clone() };
    let said = sandbox.check(&loaded.program, None, &[], &shown)?.map_err(unusable)?;
    report::print_to_errors(&said);
    report::tell(&said);
    Ok((!said.refused).then(|| Tree::of(loaded.program)))
}

/// Creates the deploy and reports it. The inner error: why it was not created.
fn create(args: &cli::Deploy, visit: &Visit, tree: Tree) -> Result<Result<(), String>, Failure> {
    let size = tree.size();
    let Tree { entry, files, contents } = tree;
    let newest = match visit.newest() {
        Ok(newest) => newest,
        Err(why) => return Ok(Err(why)),
    };
    let planned = Record::after(newest.record.as_ref(), entry, files).map_err(unusable)?;
    let (by, at) = (by(), SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_secs()));
    let record = Record { at, by, commit: commit_of(&args.input.input), note: args.note.clone(), ..planned };
    record.checked().map_err(unusable)?;
    if record.bytes().len() > LARGEST_RECORD {
        return Err(unusable("the program has too many files for a deploy".into()));
    }
    let is_json = for_machines(&args.output);
    if let Some(newest) = newest.record.as_ref().filter(|newest| newest.is_like(&record)) {
        match is_json {
            true => print_json(&format!("{}\n", json!({ "created": false, "deploy": newest.id }))),
            false => print(&format!("nothing new to deploy: the program is that of deploy {}\n", newest.id)),
        }
        return Ok(Ok(()));
    }
    if !args.dry_run
        && let Err(why) = store(visit, &record, contents, &newest)
    {
        return Ok(Err(why));
    }
    let (id, n_files) = (record.id, record.files.len());
    let files = format!("{n_files} file{}, {} KiB", if n_files == 1 { "" } else { "s" }, size.div_ceil(1 << 10));
    match (is_json, args.dry_run) {
        (true, _) => {
            let line = json!({ "created": !args.dry_run, "deploy": id, "files": n_files, "size": size });
            print_json(&format!("{line}\n"));
        }
        (false, true) => print(&format!("would create deploy {id} ({files}); nothing was stored\n")),
        (false, false) => print(&format!("created deploy {id} ({files})\n")),
    }
    Ok(Ok(()))
}

/// Stores the files, then the deploy. Errors: why there is no deploy, a sentence without a full stop.
fn store(visit: &Visit, record: &Record, contents: Contents, newest: &Newest) -> Result<(), String> {
    visit.store(&record.files, contents)?;
    let proposed = visit.propose(record, newest).map_err(|why| {
        // Its answer may have been lost.
        format!("{why}; whether the deploy was created is unknown: run the command again, an equal program is not deployed twice")
    })?;
    match proposed {
        Proposed::Created => Ok(()),
        Proposed::Late(other) => Err(format!(
            "another deploy ({} by {}) was created first; check it and run the command again",
            other.id, other.by
        )),
    }
}

/// Who deploys: a user and a machine.
fn by() -> String {
    let user = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let user = user.filter(|user| !user.is_empty()).unwrap_or_else(|| "unknown".into());
    let plain = |text: String| text.chars().filter(|c| !c.is_control()).take(60).collect::<String>();
    format!("{}@{}", plain(user), plain(prefix::own_name()))
}
