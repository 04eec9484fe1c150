//! The store that several hosts share: joining it for a run, and `mclive world`, which shows and changes its contents.

mod archive;
mod check;
mod cluster;
mod converged;
mod dump;
mod grants;
mod join;
mod leave;
mod load;
mod prune;
mod sealing;
mod show;
mod signers;
mod voters;

pub(super) use cluster::cluster;
pub(super) use join::join;
pub(super) use show::state_words;

use super::{Done, GOOD, failed, unusable};
use crate::cli::{self, WorldCommand};
use crate::host::{AGENTS, EXPORTS, HostKeys, POOLS, Seen, VALUES, Visit, within_limits};
use crate::output::{flush, is_unread, print, print_exact, say};
use crate::utc;
use signers::Signers;
use std::io::IsTerminal;
use std::ops::ControlFlow;

pub(super) fn world(args: &cli::SharedWorld) -> Done {
    if let WorldCommand::Grants { hosts } = &args.command {
        let name = cluster::named(&args.world_name)?;
        print(&grants::commands(name, hosts).map_err(unusable)?);
        return Ok(GOOD);
    }
    if args.world.is_empty() {
        return Err(unusable(cli::NO_WORLD.into()));
    }
    let visit = Visit::new(cluster(&args.world, &args.world_name, &args.access)?);
    let write = |place: Result<String, String>, value: Option<&str>| match visit.set(&place.map_err(unusable)?, value) {
        Ok(()) => Ok(GOOD),
        Err(why) => Ok(failed(&why)),
    };
    if let WorldCommand::Hosts { wait_converged: Some(seconds) } = &args.command
        && let Err(why) = converged::wait(&visit, *seconds)
    {
        return Ok(failed(&why));
    }
    let is_terminal = std::io::stdout().is_terminal();
    let is_json = args.json || !is_terminal;
    let shown = match &args.command {
        WorldCommand::Set(set) if !set.seal_for.is_empty() => return sealing::seal(&visit, &args.world_name, set),
        WorldCommand::Set(set) => {
            let value = set.value.as_deref().unwrap_or_default();
            let place = place(&set.key).and_then(plain);
            let fits = |place: String| within_limits(&place, value.as_bytes()).map(|()| place);
            return write(place.and_then(fits), Some(value));
        }
        // Whatever there is can be removed.
        WorldCommand::Unset { key } => return write(place(key), None),
        WorldCommand::Get { key } => {
            let place = place(key).map_err(unusable)?;
            match visit.read_values() {
                Ok(seen) => match (show::sealed_for(&seen, &place), seen.keys.get(&place)) {
                    (Some(hosts), _) if args.json => show::sealed_line(&key.key, &hosts),
                    // A script must not take these words for the value.
                    (Some(hosts), _) => {
                        let why = format!("the value `{}` is {}", key.key, show::sealed_words(&hosts));
                        return Ok(failed(&why));
                    }
                    (None, Some(value)) if args.json => show::value_line(&key.key, value),
                    (None, Some(value)) => {
                        print_exact(&show::value(value, is_terminal));
                        return Ok(GOOD);
                    }
                    (None, None) => return Ok(failed(&format!("there is no value `{}`", key.key))),
                },
                Err(why) => return Ok(failed(&why)),
            }
        }
        WorldCommand::Watch => {
            let followed = visit.follow(move |key, value| {
                say(&show::change(key, value, is_json), is_json);
                flush();
                if is_unread() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            return Ok(followed.map_or_else(|why| failed(&why), |()| GOOD));
        }
        WorldCommand::Leave(args) => return leave::leave(&visit, args, is_json),
        WorldCommand::Prune(args) => return prune::prune(&visit, args, is_json),
        WorldCommand::Check(check) => return check::check(&visit, check, &args.world_name, is_json),
        WorldCommand::Dump(dump) => return dump::dump(&visit, dump, &args.world_name, is_json),
        WorldCommand::Load(load) => return load::load(&visit, load, &args.world_name, is_json),
        WorldCommand::Voters(voters) => return voters::voters(&visit, voters, &args.world_name, is_json),
        WorldCommand::Deploys { operators } => {
            let operators = operators.as_deref().map(super::key::operators).transpose().map_err(unusable)?;
            let signers = Signers { cluster: args.world_name.clone(), operators };
            match visit.deploys() {
                Ok(all) => show::deploys(&all, &signers, is_json),
                Err(why) => return Ok(failed(&why)),
            }
        }
        WorldCommand::List { prefix, host_keys: Some(list) } => {
            let keys = HostKeys::read(list).map_err(unusable)?;
            match visit.read() {
                Ok(seen) => {
                    let list = list.display().to_string();
                    let verdict = |value: &str| seen.verdict(&args.world_name, value, &keys, &list);
                    show::judged_values(&seen, prefix.as_deref().unwrap_or_default(), verdict, is_json)
                }
                Err(why) => return Ok(failed(&why)),
            }
        }
        WorldCommand::Exports { host_keys: Some(list) } => {
            let keys = HostKeys::read(list).map_err(unusable)?;
            match visit.read() {
                Ok(seen) => {
                    let list = list.display().to_string();
                    let doubt = |export: &str| seen.doubt(&args.world_name, export, &keys, &list);
                    show::judged_exports(&seen, doubt, is_json)
                }
                Err(why) => return Ok(failed(&why)),
            }
        }
        command => match read(&visit, command) {
            Ok(seen) => show::table(&seen, command, utc::now(), is_json),
            Err(why) => return Ok(failed(&why)),
        },
    };
    say(&shown, is_json);
    Ok(GOOD)
}

/// Reads what a command shows: a user may have no right to read the rest. Errors: why it cannot, a sentence without a full
/// stop.
fn read(visit: &Visit, command: &WorldCommand) -> Result<Seen, String> {
    match command {
        WorldCommand::Hosts { .. } => visit.read_below(AGENTS),
        WorldCommand::List { .. } => visit.read_values(),
        WorldCommand::Exports { .. } => visit.read_below(EXPORTS),
        WorldCommand::Schedule => visit.read_below(POOLS),
        WorldCommand::Status
        | WorldCommand::Deploys { .. }
        | WorldCommand::Grants { .. }
        | WorldCommand::Leave(_)
        | WorldCommand::Prune(_)
        | WorldCommand::Check(_)
        | WorldCommand::Dump(_)
        | WorldCommand::Load(_)
        | WorldCommand::Voters(_)
        | WorldCommand::Watch
        | WorldCommand::Get { .. }
        | WorldCommand::Set(_)
        | WorldCommand::Unset { .. } => visit.read(),
    }
}

/// The key of a value in the store. Errors: why it is none.
fn place(key: &cli::Key) -> Result<String, String> {
    if key.key.is_empty() {
        return Err("a key cannot be empty".into());
    }
    Ok(match &key.host {
        Some(host) => format!("{VALUES}{}/{host}", key.key),
        None => format!("{VALUES}{}", key.key),
    })
}

/// A new key is one that every list can show.
fn plain(place: String) -> Result<String, String> {
    match place.chars().any(char::is_control) {
        true => Err("a key cannot contain control characters".into()),
        false => Ok(place),
    }
}
