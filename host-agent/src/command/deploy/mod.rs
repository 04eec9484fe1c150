//! `mclive deploy`: stores a program for all hosts of a cluster, unless another operator has locked deploys.

mod back;
mod locking;
mod part;
mod progress;
mod seal;
mod wait;

pub(super) use locking::allowed;

use super::world::cluster;
use super::{Done, GOOD, REFUSED, coloured, failed, for_machines, prefix, unusable};
use crate::cli;
use crate::deploy::{Contents, LARGEST_RECORD, Record, Targets, Tree, commit_of};
use crate::embed::Sandbox;
use crate::host::{Newest, Proposed, Visit};
use crate::output::{print, print_json, tell};
use crate::program::{Failure, Loaded, Origin};
use crate::show::{counted, report};
use crate::utc;
use mclive_base::unicode::visible;
use seal::Seal;
use serde_json::json;
use std::sync::Arc;

/// How often to try while old deploys are removed.
const MOST_TRIES: usize = 10;

/// Why there is no deploy.
enum Stop {
    /// It was reported.
    Refused,
    /// A sentence without a full stop.
    Store(String),
    Failure(Failure),
}

pub(super) fn deploy(args: &cli::Deploy) -> Done {
    args.foreign.notes().iter().for_each(|note| tell(note));
    if args.members.world.is_empty() {
        return Err(unusable(cli::NO_WORLD.into()));
    }
    let cluster = cluster(&args.members.world, &args.members.world_name, &args.members.access)?;
    let name = cluster.name.clone();
    let visit = Visit::new(cluster);
    if let Some(why) = &args.lock {
        return locking::lock(args, &visit, why);
    }
    if args.unlock {
        return locking::unlock(args, &visit);
    }
    let seal = Seal::of(args, name)?;
    match create(args, &visit, seal.as_ref()) {
        Ok(_) if args.dry_run => Ok(GOOD),
        Ok((id, targets)) => match args.wait {
            Some(seconds) => Ok(wait::wait(args, &visit, id, targets.as_ref(), seconds)),
            None => Ok(GOOD),
        },
        Err(Stop::Refused) => Ok(REFUSED),
        Err(Stop::Store(why)) => Ok(failed(&why)),
        Err(Stop::Failure(failure)) => Err(failure),
    }
}

/// Creates the deploy and reports it. Returns the number of the newest one, and the hosts that are meant.
fn create(args: &cli::Deploy, visit: &Visit, seal: Option<&Seal>) -> Result<(u64, Option<Targets>), Stop> {
    let is_json = for_machines(&args.output);
    let targets = if args.to.is_empty() { None } else { Some(Targets::new(&args.to)) };
    let targets = targets.transpose().map_err(|why| unusable(format!("invalid --to: {why}")))?;
    let draft = match args.back {
        Some(id) => back::draft(args, visit, id, targets, seal)?,
        None if args.partial => part::draft(args, visit, seal)?,
        None => Draft::new(args, visit, targets)?,
    };
    let Draft { newest, record, contents, size } = draft;
    let record = record.spread_over(args.spread);
    locking::allowed(&newest.lock, &record.by, record.at).map_err(Stop::Store)?;
    let is_there = |newest: &&Record| newest.covers(&record) && seal.is_none_or(|seal| seal.is_on(newest));
    if let Some(newest) = newest.record.as_ref().filter(is_there) {
        if !args.dry_run {
            // Contents that were lost or damaged are stored again.
            visit.store(&newest.files, &Arc::new(contents)).map_err(Stop::Store)?;
        }
        match is_json {
            true => print_json(&format!("{}\n", json!({ "created": false, "deploy": newest.id }))),
            false => print(&format!("nothing new to deploy: deploy {} already has this program\n", newest.id)),
        }
        return Ok((newest.id, record.targets));
    }
    let record = match seal {
        Some(seal) => seal.put_on(&record),
        None => record,
    };
    if record.bytes().len() > LARGEST_RECORD {
        return Err(unusable("the program has too many files for a deploy".into()).into());
    }
    if !args.dry_run {
        store(visit, &record, contents, newest).map_err(Stop::Store)?;
    }
    let (id, n_files) = (record.id, record.files.len());
    let files = format!("{}, {} KiB", counted(n_files, "file"), size.div_ceil(1 << 10));
    let to = record.targets.as_ref().map(|targets| format!(" to {}", visible(&targets.words()))).unwrap_or_default();
    let signer = seal.map_or("not signed".into(), Seal::words);
    let over = record.spread.map(|seconds| format!(", spread over {seconds} s")).unwrap_or_default();
    match (is_json, args.dry_run) {
        (true, _) => {
            let line = json!({ "created": !args.dry_run, "deploy": id, "files": n_files, "signature": record.signature,
                "size": size, "spread": record.spread, "targets": record.targets });
            print_json(&format!("{line}\n"));
        }
        (false, true) => {
            print(&format!("would create deploy {id}{to} ({files}), {signer}{over}; nothing was stored\n"));
            if let Some(signature) = &record.signature {
                print(&format!("signature: {}\n", signature.text()));
            }
        }
        (false, false) => print(&format!("created deploy {id}{to} ({files}), {signer}{over}\n")),
    }
    Ok((id, record.targets))
}

/// A deploy that is not stored yet.
struct Draft {
    newest: Newest,
    record: Record,
    contents: Contents,
    /// Units: bytes.
    size: u64,
}

impl Draft {
    /// The program of the input.
    fn new(args: &cli::Deploy, visit: &Visit, targets: Option<Targets>) -> Result<Draft, Stop> {
        let Given { loaded, commit } = Given::new(args)?;
        let tree = checked(args, loaded)?;
        has_no_key(&tree)?;
        let newest = visit.newest().map_err(Stop::Store)?;
        Draft::of(tree, newest, targets, commit, args.note.clone())
    }

    fn of(
        tree: Tree,
        newest: Newest,
        targets: Option<Targets>,
        commit: Option<String>,
        note: String,
    ) -> Result<Draft, Stop> {
        let size = tree.size();
        let Tree { entry, files, contents } = tree;
        let planned = Record::after(newest.record.as_ref(), entry, files).map_err(unusable)?;
        let record = Record { at: utc::now(), by: by(), commit, note, ..planned.targeted(targets) };
        record.checked().map_err(unusable)?;
        Ok(Draft { newest, record, contents, size })
    }
}

/// The input.
struct Given {
    loaded: Loaded,
    /// The commit of its directory.
    commit: Option<String>,
}

impl Given {
    fn new(args: &cli::Deploy) -> Result<Given, Stop> {
        if args.input.is_omitted() {
            return Err(unusable("missing INPUT: the program to deploy".into()).into());
        }
        let loaded = super::compile::load(&args.input, &mut Sandbox::start()?)?;
        if loaded.origin == Origin::Link && !args.trust_link {
            return Err(unusable("deploying a program from a link requires --trust-link".into()).into());
        }
        super::share::gives_away_nothing(&loaded, "deploy")?;
        // A link is in no directory, so it has no commit.
        let commit = if loaded.origin == Origin::Local { commit_of(&args.input.input) } else { None };
        Ok(Given { loaded, commit })
    }
}

/// Refuses a program that contains a private key.
fn has_no_key(tree: &Tree) -> Result<(), Stop> {
    let Some(path) = tree.private_key() else { return Ok(()) };
    Err(unusable(format!("`{path}` is a private key for signing deploys: every host would get it; remove it")).into())
}

/// The files of a program without errors.
fn checked(args: &cli::Deploy, loaded: Loaded) -> Result<Tree, Stop> {
    let shown = loaded.shown(coloured(args.output.color, &std::io::stderr()));
    let said = Sandbox::start()?.check(&loaded.program, None, &[], &shown)?.map_err(unusable)?;
    report::print_to_errors(&said);
    report::tell(&said);
    if said.refused { Err(Stop::Refused) } else { Ok(Tree::of(loaded.program)) }
}

/// Stores the files, then the deploy. Errors: why there is no deploy, a sentence without a full stop.
fn store(visit: &Visit, record: &Record, contents: Contents, mut newest: Newest) -> Result<(), String> {
    let contents = Arc::new(contents);
    for _ in 0..MOST_TRIES {
        visit.store(&record.files, &contents)?;
        match propose(visit, record, &newest)? {
            // What was found in the store may be gone.
            Some(again) => newest = again,
            None => return Ok(()),
        }
    }
    Err("old deploys are being removed at the same time; run the command again".to_owned())
}

/// `Some`: to be tried again after the contents were stored again. Errors: as above.
fn propose(visit: &Visit, record: &Record, newest: &Newest) -> Result<Option<Newest>, String> {
    let proposed = visit.propose(record, newest).map_err(|why| {
        // Its answer may have been lost.
        format!(
            "{why}; the deploy may have been created: `mclive world deploys` lists it, and deploying an identical \
            program again changes nothing"
        )
    })?;
    match proposed {
        Proposed::Created => Ok(None),
        Proposed::Pruned(again) => Ok(Some(*again)),
        Proposed::Late(other) => Err(format!(
            "another deploy ({} by {}) was created first; check it and run the command again",
            other.id, other.by
        )),
        Proposed::Locked(lock) => Err(locking::raced(&lock, &record.by, record.at)),
    }
}

/// Who deploys: a user and a machine.
pub(super) fn by() -> String {
    let user = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let user =
        user.filter(|user| !user.is_empty()).unwrap_or_else(|| format!("uid-{}", rustix::process::getuid().as_raw()));
    let plain = |text: String| text.chars().filter(|c| !c.is_control()).take(60).collect::<String>();
    format!("{}@{}", plain(user), plain(prefix::own_name()))
}

impl<T: Into<Failure>> From<T> for Stop {
    fn from(why: T) -> Stop {
        Stop::Failure(why.into())
    }
}
