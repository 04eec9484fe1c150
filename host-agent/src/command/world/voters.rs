//! `mclive world voters`: the hosts whose signed votes count. An operator signs and publishes the list of their keys;
//! each list has a higher number than the previous one.

use super::super::key::{operators, signing};
use super::super::{Done, GOOD, REFUSED, failed, unusable};
use crate::cli;
use crate::deploy::{OperatorKey, Operators};
use crate::host::{StoredVoters, Visit, Voters};
use crate::output::say;
use crate::program::Failure;
use crate::show::counted;
use mclive_base::unicode::visible;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// Another operator was faster.
const CHANGED: &str = "another list of voters was published at the same time; run the command again";

pub(super) fn voters(visit: &Visit, args: &cli::Voters, cluster: &str, is_json: bool) -> Done {
    if let Some(list) = &args.publish {
        let key = signing(args.key.as_deref())?.ok_or_else(no_key)?;
        return publish(visit, list, &key, args.dry_run, cluster, is_json);
    }
    let operators = args.operators.as_deref().map(operators).transpose().map_err(unusable)?;
    let list = match visit.stored_voters(cluster) {
        Ok(StoredVoters { list, .. }) => list.transpose(),
        Err(why) => return Ok(failed(&why)),
    };
    match list {
        Ok(list) => {
            say(&said(list.as_ref(), operators.as_ref(), is_json), is_json);
            let is_known = |list: &Voters| operators.as_ref().is_none_or(|known| known.name(list.by()).is_some());
            Ok(if list.as_ref().is_none_or(is_known) { GOOD } else { REFUSED })
        }
        Err(why) => Ok(failed(&format!("the list of voters in the store is {why}"))),
    }
}

fn no_key() -> Failure {
    unusable("missing --key FILE: a list of voters must be signed; create a key with `mclive key new`".into())
}

fn publish(visit: &Visit, file: &Path, key: &OperatorKey, dry_run: bool, cluster: &str, is_json: bool) -> Done {
    let voters = Voters::of_file(file, 0, cluster, key).map_err(unusable)?;
    match replace(visit, voters, key, dry_run, cluster) {
        Ok((list, is_new)) => {
            say(&done(&list, is_new, dry_run, is_json), is_json);
            Ok(GOOD)
        }
        Err(why) => Ok(failed(&why)),
    }
}

/// Returns the list that is in the store then, and whether it is a new one. Errors: why it is not there, a sentence without
/// a full stop.
fn replace(
    visit: &Visit,
    voters: Voters,
    key: &OperatorKey,
    dry_run: bool,
    cluster: &str,
) -> Result<(Voters, bool), String> {
    let stored = visit.stored_voters(cluster)?;
    let named = visit.read()?.latest_list(cluster, &voters);
    let last = match &stored.list {
        // Hosts that have seen a later list use that one.
        Some(Ok(list)) if list.has_same_hosts(&voters) && list.by() == key.public() && named <= list.n => {
            return Ok((list.clone(), false));
        }
        Some(Ok(list)) => list.n.max(named),
        Some(Err(_)) | None => named,
    };
    let next = last.checked_add(1).ok_or("the store has run out of numbers for lists of voters")?;
    let voters = voters.numbered(next, cluster, key);
    match dry_run || visit.publish(&voters, cluster, &stored)? {
        true => Ok((voters, true)),
        false => Err(CHANGED.to_owned()),
    }
}

fn done(list: &Voters, is_new: bool, dry_run: bool, is_json: bool) -> String {
    let (n, n_hosts) = (list.n, list.hosts().len());
    if is_json {
        return format!("{}\n", json!({ "hosts": list.hosts(), "list": n, "published": is_new && !dry_run }));
    }
    let hosts = counted(n_hosts, "host");
    match (is_new, dry_run) {
        (false, _) => format!("nothing new to publish: list {n} already has these keys ({hosts})\n"),
        (true, true) => format!("would publish list {n} of voters ({hosts}); nothing was stored\n"),
        (true, false) => format!("published list {n} of voters ({hosts})\n"),
    }
}

/// The list as in its file, after a comment with its signer.
fn said(list: Option<&Voters>, operators: Option<&Operators>, is_json: bool) -> String {
    let Some(list) = list else {
        let none = "no list of voters: all votes count";
        return if is_json { format!("{}\n", json!({ "hosts": {}, "list": null })) } else { format!("{none}\n") };
    };
    let (by, n) = (list.by(), list.n);
    let name = operators.and_then(|operators| operators.name(by));
    if is_json {
        let valid = operators.map(|_| name.is_some());
        let signature = json!({ "id": by.id(), "key": by, "operator": name, "valid": valid });
        return format!("{}\n", json!({ "hosts": list.hosts(), "list": n, "signature": signature }));
    }
    let signed = match (operators, name) {
        (None, _) => format!("signed by {}", by.id()),
        (Some(_), None) => format!("signed by {}, an unknown key", by.id()),
        (Some(_), Some(name)) => format!("valid signature of {}", visible(&by.words(name))),
    };
    let mut out = format!("# list {n} of voters, {signed}\n");
    for (host, keys) in list.hosts() {
        for key in keys {
            let _ = writeln!(out, "{}", visible(&key.line(host)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_reported_with_its_number_and_who_has_signed_it() {
        let [alice, web1] = ["alice", "web1"].map(|name| OperatorKey::generate(name).unwrap().0);
        let list = Voters::of_text(&web1.line(), 3, "main", &alice).unwrap();
        let id = alice.public().id();
        let line = web1.line();
        assert_eq!(said(Some(&list), None, false), format!("# list 3 of voters, signed by {id}\n{line}\n"));
        let known = Operators::parse(&alice.line()).unwrap();
        let valid = said(Some(&list), Some(&known), false);
        assert!(valid.starts_with(&format!("# list 3 of voters, valid signature of alice ({id})\n")), "{valid}");
        let other = Operators::parse(&web1.line()).unwrap();
        let unknown = said(Some(&list), Some(&other), false);
        assert!(unknown.starts_with(&format!("# list 3 of voters, signed by {id}, an unknown key\n")), "{unknown}");
        let read = |text: String| serde_json::from_str::<serde_json::Value>(&text).unwrap();
        let told = read(said(Some(&list), Some(&other), true));
        assert_eq!((&told["list"], &told["signature"]["valid"]), (&json!(3), &json!(false)));
        assert_eq!(told["hosts"], json!({ "web1": [web1.public()] }));
        assert_eq!(said(None, None, false), "no list of voters: all votes count\n");
        assert_eq!(read(said(None, None, true))["list"], json!(null));
    }

    #[test]
    fn what_was_published_is_reported() {
        let [alice, web1] = ["alice", "web1"].map(|name| OperatorKey::generate(name).unwrap().0);
        let list = Voters::of_text(&web1.line(), 3, "main", &alice).unwrap();
        let told = |is_new: bool, dry_run: bool| done(&list, is_new, dry_run, false);
        assert_eq!(told(true, false), "published list 3 of voters (1 host)\n");
        assert_eq!(told(true, true), "would publish list 3 of voters (1 host); nothing was stored\n");
        assert_eq!(told(false, false), "nothing new to publish: list 3 already has these keys (1 host)\n");
        let json = |dry_run: bool| done(&list, true, dry_run, true).contains("\"published\":true");
        assert!(json(false) && !json(true));
    }
}
