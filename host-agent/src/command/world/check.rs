//! `mclive world check`: what is wrong with the keys of a cluster, and what to do about it.

use super::super::key::operators;
use super::super::{Done, GOOD, REFUSED, failed, unusable};
use crate::cli::WorldCheck;
use crate::host::{Checkup, Expected, Fault, Fix, HostKeys, Visit, Whole};
use crate::output::say;
use crate::show::{counted, shell_word};
use mclive_base::unicode::visible;
use serde_json::{Value, json};

pub(super) fn check(visit: &Visit, args: &WorldCheck, cluster: &str, is_json: bool) -> Done {
    let operators = args.operators.as_deref().map(operators).transpose().map_err(unusable)?;
    let host_keys = args.host_keys.as_deref().map(HostKeys::read).transpose().map_err(unusable)?;
    let list = args.host_keys.as_ref().map(|list| list.display().to_string()).unwrap_or_default();
    let whole = match visit.whole() {
        Ok(whole) => whole,
        Err(why) => return Ok(failed(&why)),
    };
    let host_keys = host_keys.as_ref().map(|keys| (keys, list.as_str()));
    let checkup = Checkup::of(&whole, &Expected { cluster, operators: operators.as_ref(), host_keys });
    say(&said(&checkup, &whole, cluster, is_json), is_json);
    Ok(if checkup.faults.is_empty() { GOOD } else { REFUSED })
}

/// A line for each fault, and one about everything.
fn said(checkup: &Checkup, whole: &Whole, cluster: &str, is_json: bool) -> String {
    let line = |fault: &Fault| {
        let command = fault.fix.as_ref().map(|fix| command(cluster, &fault.key, fix));
        let Fault { key, what, remedy, .. } = fault;
        match is_json {
            true => json!({ "command": command, "fault": what, "key": key, "remedy": remedy }).to_string(),
            false => {
                let command = command.map(|command| format!(": `{command}`")).unwrap_or_default();
                visible(&format!("{key}: {what}; {remedy}{command}")).into_owned()
            }
        }
    };
    let mut out: String = checkup.faults.iter().map(|fault| line(fault) + "\n").collect();
    out += &summary(checkup, whole, is_json);
    out.push('\n');
    out
}

fn summary(checkup: &Checkup, whole: &Whole, is_json: bool) -> String {
    let Checkup { faults, n_deploys, n_contents, n_signatures, n_unneeded } = checkup;
    let (n_keys, revision) = (whole.keys.len(), whole.revision);
    if is_json {
        let summary: Value = json!({ "deploys": n_deploys, "faults": faults.len(), "files": n_contents, "keys": n_keys,
            "revision": revision, "signatures": n_signatures, "unneeded": n_unneeded });
        return summary.to_string();
    }
    let unneeded = match n_unneeded {
        0 => String::new(),
        n => format!("; `mclive world prune` removes {} of files that no deploy needs", counted(*n, "piece")),
    };
    let found = if faults.is_empty() { "no faults".to_owned() } else { counted(faults.len(), "fault") };
    format!(
        "checked {} at revision {revision}, with {}, {} and {}: {found}{unneeded}",
        counted(n_keys, "key"),
        counted(*n_deploys, "deploy"),
        counted(*n_contents, "file"),
        counted(*n_signatures, "valid signature")
    )
}

/// The command that changes the key.
fn command(cluster: &str, key: &str, fix: &Fix) -> String {
    let key = shell_word(&format!("/mclive/{cluster}/{key}"));
    match fix {
        Fix::Remove => format!("etcdctl del {key}"),
        Fix::Set(value) => format!("etcdctl put {key} {}", shell_word(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(key: &str, fix: Option<Fix>) -> Fault {
        Fault { key: key.into(), what: "it is odd".into(), remedy: "remove it".into(), fix }
    }

    #[test]
    fn a_fault_is_reported_with_its_key_and_what_to_do() {
        let set = Fix::Set(r#"{"before":1,"v":1}"#.into());
        let faults = vec![fault("deploy/7", Some(Fix::Remove)), fault("deploy/pruned", Some(set)), fault("it's", None)];
        let mut checkup = Checkup { faults, n_deploys: 1, n_contents: 2, n_signatures: 0, n_unneeded: 1 };
        let whole = Whole::default();
        assert_eq!(
            said(&checkup, &whole, "main", false),
            "deploy/7: it is odd; remove it: `etcdctl del /mclive/main/deploy/7`\n\
             deploy/pruned: it is odd; remove it: `etcdctl put /mclive/main/deploy/pruned '{\"before\":1,\"v\":1}'`\n\
             it's: it is odd; remove it\n\
             checked 0 keys at revision 0, with 1 deploy, 2 files and 0 valid signatures: 3 faults; `mclive world prune` \
             removes 1 piece of files that no deploy needs\n"
        );
        let json = said(&checkup, &whole, "main", true);
        let first = r#"{"command":"etcdctl del /mclive/main/deploy/7","fault":"it is odd","key":"deploy/7","remedy":"remove it"}"#;
        let last = r#"{"deploys":1,"faults":3,"files":2,"keys":0,"revision":0,"signatures":0,"unneeded":1}"#;
        assert_eq!((json.lines().next(), json.lines().last()), (Some(first), Some(last)));
        (checkup.faults, checkup.n_unneeded) = (Vec::new(), 0);
        let none = "checked 0 keys at revision 0, with 1 deploy, 2 files and 0 valid signatures: no faults\n";
        assert_eq!(said(&checkup, &whole, "main", false), none);
    }
}
