//! apt: available versions, previews of transactions, and their execution. All of it runs without prompts.

mod policy;
mod providers;
mod tool;

use super::super::Context;
use super::database;
use super::{lists, lock};
use mclive_base::vocab::package::{Preview, Transaction};
use mclive_base::vocab::{HostError, HostErrorKind};
pub(super) use policy::offers;
pub(super) use providers::providers;
use std::time::Instant;
use tool::{ask, change};

/// Rather fail than remove a package.
const KEEP: &str = "--no-remove";

/// apt omits this machine's own architecture, which includes packages for `all`. It answers `any` for this one.
fn bare(name: &str) -> &str {
    match name.split_once(':') {
        Some((bare, arch)) if ["all", "any", "native", database::native_arch()].contains(&arch) => bare,
        Some(_) | None => name,
    }
}

/// The preview of apt itself.
pub(super) fn preview(at: &Context, transaction: &Transaction) -> Result<Preview, HostError> {
    match simulated(at, arguments(transaction)) {
        // That is mended first, and until then nothing else can be foreseen.
        Err(error) if is_torn_apart(&error) => Ok(foreseen(&simulated(at, mending())?, transaction)),
        said => Ok(foreseen(&said?, transaction)),
    }
}

/// What apt-get reports that it would do.
fn simulated(at: &Context, rest: Vec<String>) -> Result<String, HostError> {
    let args = ["--simulate", "-o", "Debug::NoLocking=1"].map(str::to_owned);
    ask(at, "apt-get", &args.into_iter().chain(rest).collect::<Vec<_>>())
}

/// Did someone take away by force what others need? apt then changes nothing before that is put right.
fn is_torn_apart(error: &HostError) -> bool {
    error.message.contains("--fix-broken")
}

/// Repairs broken dependencies, and nothing else.
fn mending() -> Vec<String> {
    let nothing =
        Transaction { changes: Vec::new(), allow_downgrade: false, allow_untrusted: false, also: Preview::default() };
    let rest = arguments(&nothing).into_iter().take_while(|arg| !matches!(arg.as_str(), "install" | "remove"));
    rest.chain(["--fix-broken".to_owned(), "install".to_owned()]).collect()
}

fn foreseen(text: &str, transaction: &Transaction) -> Preview {
    let named = |name: &str| transaction.changes.iter().any(|change| bare(&change.name) == bare(name));
    let mut preview = Preview::default();
    for line in text.lines() {
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            // With `APT::Get::Purge`, a removal takes the configuration files as well.
            (Some("Remv" | "Purg"), Some(name)) if !named(name) => preview.removes.push(name.to_owned()),
            (Some("Inst"), Some(name)) if !named(name) => {
                let version = words.find_map(|word| word.strip_prefix('(')).unwrap_or_default();
                preview.installs.push((name.to_owned(), version.to_owned()));
            }
            _ => {}
        }
    }
    preview.installs.sort();
    preview.removes.sort();
    preview
}

/// The rest of the command line: the packages with their actions.
fn arguments(transaction: &Transaction) -> Vec<String> {
    let removes = transaction.changes.iter().all(|change| change.to.is_none());
    let mut args: Vec<String> = ["-q", "-y"].map(str::to_owned).to_vec();
    let patience = format!("DPkg::Lock::Timeout={}", lock::PATIENCE.as_secs());
    // Modified configuration files stay as the administrator has them.
    let settings = ["Dpkg::Use-Pty=0", "Dpkg::Options::=--force-confdef", "Dpkg::Options::=--force-confold", &patience];
    args.extend(settings.iter().flat_map(|setting| ["-o".to_owned(), setting.to_string()]));
    args.extend(transaction.allow_downgrade.then(|| "--allow-downgrades".to_owned()));
    args.extend(transaction.allow_untrusted.then(|| "--allow-unauthenticated".to_owned()));
    // A package that dpkg marked this way must be unpacked again.
    let is_torn = |word: &str| word.contains("reinstalled");
    let torn = transaction.changes.iter().any(|change| change.now.as_ref().is_some_and(|now| is_torn(&now.broken)));
    args.extend((torn && !removes).then(|| "--reinstall".to_owned()));
    args.extend([if removes { "remove" } else { "install" }.to_owned(), "--".to_owned()]);
    args.extend(transaction.changes.iter().map(|change| match &change.to {
        Some(version) if change.is_pinned => format!("{}={version}", change.name),
        Some(_) | None => change.name.clone(),
    }));
    args
}

/// Installs or removes. An interrupted transaction is finished first.
pub(super) fn commit(at: &Context, transaction: &Transaction) -> Result<(), HostError> {
    let packages = &at.shared.subjects.package;
    let _nobody_of_ours = lock::ours(at, &packages.one_at_a_time)?;
    lock::others(at)?;
    if packages.database.read()?.is_unfinished {
        let args = ["--force-confdef", "--force-confold", "--configure", "--pending"].map(str::to_owned);
        // A package that cannot be configured may be one that is to be replaced or removed.
        if let Err(error) = change(at, "dpkg", &args) {
            if error.kind != HostErrorKind::Other {
                return Err(error);
            }
            at.shared.show.line(at.id, &error.message);
        }
    }
    match carry_out(at, transaction) {
        Err(error) if is_torn_apart(&error) => {
            let mut mends = mending();
            if transaction.also.removes.is_empty() {
                mends.insert(0, KEEP.to_owned());
            }
            change(at, "apt-get", &mends)?;
            carry_out(at, transaction)
        }
        done => done,
    }
}

/// Removes nothing except what was planned and checked by the policy: the lists may have changed since then, or apt may
/// find more to do after an interrupted transaction has been completed.
fn carry_out(at: &Context, transaction: &Transaction) -> Result<(), HostError> {
    let mut args = arguments(transaction);
    let installs = transaction.changes.iter().any(|change| change.to.is_some());
    if installs && transaction.also.removes.is_empty() {
        args.insert(0, KEEP.to_owned());
    } else {
        let now = foreseen(&simulated(at, arguments(transaction))?, transaction);
        now.is_within(&transaction.also, "apt-get")?;
    }
    change(at, "apt-get", &args)
}

pub(super) fn refresh(at: &Context) -> Result<(), HostError> {
    let _nobody_of_ours = lock::ours(at, &at.shared.subjects.package.one_at_a_time)?;
    let args = [
        "-q",
        "-o",
        "Acquire::http::Timeout=30",
        "-o",
        "Acquire::https::Timeout=30",
        "-o",
        "Acquire::Retries=1",
        "-o",
        lists::TOUCH,
        "update",
    ]
    .map(str::to_owned);
    let began = Instant::now();
    loop {
        match change(at, "apt-get", &args) {
            // apt waits for the lock of the packages, but not for the one of its lists.
            Err(error) if error.message.contains("Could not get lock") && began.elapsed() < lock::PATIENCE => {
                lock::pause(at, began)?;
            }
            Err(error) if error.kind == HostErrorKind::Other => {
                let message = format!("cannot refresh the package lists: {}", error.message);
                return Err(HostError::new(HostErrorKind::Other, message));
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_architecture_is_left_out() {
        let native = format!("tiny:{}", database::native_arch());
        for name in [&*native, "tiny:native", "tiny:any", "tiny:all", "tiny"] {
            assert_eq!(bare(name), "tiny", "{name}");
        }
        assert_eq!(bare("tiny:zz"), "tiny:zz");
    }

    #[test]
    fn what_comes_along_is_reported() {
        let text = "Reading package lists...\nRemv rival [1]\nInst lib (3.0 localhost [all])\nInst tiny [1.0] (2.0 localhost [all])\nConf lib (3.0 localhost [all])\n";
        let change = |name: &str| mclive_base::vocab::package::PackageChange {
            name: name.into(),
            now: None,
            to: Some("2.0".into()),
            is_pinned: true,
        };
        let transaction = Transaction {
            changes: vec![change("tiny")],
            allow_downgrade: true,
            allow_untrusted: false,
            also: Preview::default(),
        };
        let expect = Preview { installs: vec![("lib".into(), "3.0".into())], removes: vec!["rival".into()] };
        assert_eq!(foreseen(text, &transaction), expect);
        assert_eq!(foreseen(&text.replace("Remv", "Purg"), &transaction), expect);
        let args = arguments(&transaction).join(" ");
        assert!(args.ends_with("--allow-downgrades install -- tiny=2.0"), "{args}");
    }
}
