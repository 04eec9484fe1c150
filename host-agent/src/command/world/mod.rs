//! The store that several hosts share: joining it for a run, and `mclive world`, which shows and changes what it holds.

mod join;
mod leave;
mod show;

pub(super) use join::join;
pub(super) use show::state_words;

use super::{Done, GOOD, REFUSED, unusable};
use crate::cli::{self, WorldCommand};
use crate::host::Visit;
use crate::output::{flush, is_unread, print, tell};
use crate::program::Failure;
use mclive_base::unicode::visible;
use std::io::IsTerminal;
use std::ops::ControlFlow;

/// The longest name of a cluster.
const LONGEST: usize = 253;

pub(super) fn world(args: &cli::SharedWorld) -> Done {
    if args.world.is_empty() {
        return Err(unusable(cli::NO_WORLD.into()));
    }
    let (urls, name) = cluster(&args.world, &args.world_name)?;
    let visit = Visit::new(urls, &name);
    let failed = |why: String| {
        tell(&format!("mclive: error: {why}"));
        Ok(REFUSED)
    };
    let write = |key: &cli::Key, value: Option<&str>| match visit.set(&place(key).map_err(unusable)?, value) {
        Ok(()) => Ok(GOOD),
        Err(why) => failed(why),
    };
    let is_terminal = std::io::stdout().is_terminal();
    let is_json = args.json || !is_terminal;
    let shown = match &args.command {
        WorldCommand::Set { key, value } => return write(key, Some(value)),
        WorldCommand::Unset { key } => return write(key, None),
        WorldCommand::Get { key } => {
            let place = place(key).map_err(unusable)?;
            match visit.read() {
                Ok(seen) => match seen.keys.get(&place) {
                    Some(value) => show::value(&key.key, value, args.json, is_terminal),
                    None => return failed(format!("there is no value `{}`", visible(&key.key))),
                },
                Err(why) => return failed(why),
            }
        }
        WorldCommand::Watch => {
            let followed = visit.follow(move |key, value| {
                print(&show::change(key, value, is_json));
                flush();
                if is_unread() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            return followed.map_or_else(failed, |()| Ok(GOOD));
        }
        WorldCommand::Leave(args) => return leave::leave(&visit, args, is_json),
        WorldCommand::Deploys => match visit.deploys() {
            Ok(all) => show::deploys(&all, is_json),
            Err(why) => return failed(why),
        },
        command => match visit.read() {
            Ok(seen) => show::table(&seen, command, is_json),
            Err(why) => return failed(why),
        },
    };
    print(&shown);
    Ok(GOOD)
}

/// The key of a value in the store. Errors: why it is none.
fn place(key: &cli::Key) -> Result<String, String> {
    if key.key.is_empty() {
        return Err("a key cannot be empty".into());
    }
    Ok(match &key.host {
        Some(host) => format!("strings/{}/{host}", key.key),
        None => format!("strings/{}", key.key),
    })
}

/// The URLs and the name of a cluster, checked.
pub(super) fn cluster(urls: &[String], name: &str) -> Result<(Vec<String>, String), Failure> {
    let urls = urls.iter().map(|text| endpoint(text)).collect::<Result<Vec<_>, _>>().map_err(unusable)?;
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !letters || !(1..=LONGEST).contains(&name.len()) {
        return Err(unusable(format!("invalid --world-name `{name}`: use letters, digits, `.`, `_` and `-`")));
    }
    Ok((urls, name.to_owned()))
}

/// A URL of a member of the store, without a slash at its end.
fn endpoint(text: &str) -> Result<String, String> {
    let url = text.trim().trim_end_matches('/');
    let authority = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    match authority {
        Some(authority) if !authority.is_empty() && !authority.contains(['/', '?', '#', '@']) => Ok(url.to_owned()),
        _ => Err(format!(
            "invalid --world URL `{text}`: expected the address of an etcd member, such as http://10.0.0.1:2379"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_scheme_and_an_address() {
        assert_eq!(endpoint(" http://10.0.0.1:2379/ ").as_deref(), Ok("http://10.0.0.1:2379"));
        for wrong in ["10.0.0.1:2379", "ftp://h:1", "http://", "http://u:p@h:1", "http://h:1/path"] {
            assert!(endpoint(wrong).is_err(), "{wrong}");
        }
    }
}
