//! The differences of a package resource and its group, and the transaction that repairs them.

use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Seen, Want};
use crate::vocab::package::names::{self, Meaning};
use crate::vocab::package::{
    Finding as Found, Installed, OLD_LISTS_S, Offer, Package, PackageChange, Preview, Probe as Look, Step as Change,
    Transaction, version,
};
use crate::vocab::{Finding, Probe, Step};
use std::cmp::Ordering;

/// An unknown name may become known with another fetch, but not right after one: its own event would cause the next.
const RECENT_S: u64 = 10;

fn is_older(age: Option<u64>, limit: u64) -> bool {
    age.is_none_or(|age| age > limit)
}

/// Every package of the group, without duplicates.
pub(super) fn names(want: &Want) -> Vec<String> {
    let mut names: Vec<String> =
        std::iter::once(want.name.to_owned()).chain(want.members().map(|member| member.name.to_owned())).collect();
    names.sort();
    names.dedup();
    names
}

/// The wanted state of each of them.
enum Wish<'a> {
    Installed,
    Uninstalled,
    Newest,
    Version(&'a str),
}

pub(super) fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    let text = want.text("state");
    let state = match &*text {
        "installed" => Wish::Installed,
        "uninstalled" => Wish::Uninstalled,
        "newest" => Wish::Newest,
        version => Wish::Version(version),
    };
    let installs = !matches!(state, Wish::Uninstalled);
    let is_newest = matches!(state, Wish::Newest);
    let Looked { mut packages, mut age, mut held } = look(walk, names(want), is_newest)?;
    let (mut steps, mut is_fetched) = (Vec::new(), false);
    if is_newest && is_older(age, OLD_LISTS_S) && seen.apply {
        // The available versions may have changed since the lists were fetched.
        let refresh = Step::from(Change::Refresh { must: false });
        is_fetched = true;
        // A plan uses the current lists.
        if seen.is_plan {
            steps.push(refresh);
        } else {
            walk.act(vec![refresh])?;
            Looked { packages, age, held } = look(walk, names(want), true)?;
        }
    }
    packages.retain(|package| !is_right(want, &state, package));
    if packages.is_empty() {
        return if steps.is_empty() { Ok(settled(seen)) } else { walk.mend(steps) };
    }
    let wrong: Vec<String> = packages.iter().map(|package| package.name.clone()).collect();
    if !is_newest {
        Looked { packages, age, held } = look(walk, wrong.clone(), true)?;
    }
    let n_unknown = packages.iter().filter(|package| choose(want, &state, package).is_err()).count();
    let is_unknown = n_unknown > 0;
    if n_unknown == packages.len() && !steps.is_empty() {
        return walk.mend(steps);
    }
    let fetches = if is_unknown { is_older(age, RECENT_S) } else { installs && is_older(age, OLD_LISTS_S) };
    if fetches && !is_fetched {
        // Known packages do not wait for an unknown one.
        let refresh = Step::from(Change::Refresh { must: is_unknown && n_unknown == packages.len() });
        // Without a fetch, the changes of known packages can be shown.
        if seen.apply && !seen.is_plan || n_unknown == packages.len() {
            walk.act(vec![refresh])?;
            Looked { packages, held, .. } = look(walk, wrong, true)?;
        } else {
            steps.push(refresh);
        }
    }
    let wrong = packages.into_iter().filter(|package| !is_right(want, &state, package));
    let mut transaction = Transaction {
        changes: changes(want, &state, wrong, &held)?,
        allow_downgrade: want.bool("allowdowngrade") && matches!(state, Wish::Version(_)),
        allow_untrusted: want.bool("allowuntrusted"),
        also: Preview::default(),
    };
    if transaction.changes.is_empty() {
        return Ok(settled(seen));
    }
    transaction.also = preview(walk, &transaction)?;
    if let Some(kept) = kept(walk, seen, &transaction)? {
        let what: Vec<&str> = transaction.changes.iter().map(|change| change.name.as_str()).collect();
        let deed = if installs { "installing" } else { "removing" };
        return Err(Decision::CannotTell(format!(
            "{deed} {} would remove the package {kept}, which this program wants installed",
            what.join(", ")
        )));
    }
    let changed: Vec<String> = transaction.changes.iter().map(|change| change.name.clone()).collect();
    steps.push(Change::Transaction(transaction).into());
    walk.act(steps).map_err(|end| match end {
        Decision::CannotTell(message) => Decision::CannotTell(trusted_words(&message)),
        Decision::InState(_)
        | Decision::Drifted(_)
        | Decision::Mended(_)
        | Decision::LookFurther(_)
        | Decision::Apart(..) => end,
    })?;
    // A successful transaction may still have changed nothing.
    let Looked { packages, .. } = look(walk, changed, is_newest)?;
    let is_done = |package: &&Package| !installs && package.installed.is_none() || is_right(want, &state, package);
    match packages.iter().find(|package| !is_done(package)) {
        None => Ok(Decision::Mended(Vec::new())),
        Some(package) => Err(Decision::CannotTell(format!(
            "the transaction succeeded, but {} is {}",
            package.name,
            match &package.installed {
                None => "not installed".to_owned(),
                Some(Installed { version, broken, .. }) => format!("at {version} {broken}").trim_end().to_owned(),
            }
        ))),
    }
}

/// A package that the transaction would also remove, though this program wants it installed. The program may write it
/// with an architecture.
fn kept<'a>(walk: &mut Walk, seen: &Seen, transaction: &'a Transaction) -> Result<Option<&'a String>, Decision> {
    for removed in &transaction.also.removes {
        let bare = names::parts(removed).0;
        let any_arch = format!("{bare}:");
        let from = seen.managed.partition_point(|name| name.as_str() < any_arch.as_str());
        let with_arch = seen.managed.iter().skip(from).take_while(|name| name.starts_with(&any_arch));
        let without = seen.managed.binary_search_by(|name| name.as_str().cmp(bare)).ok();
        let wanted = without.and_then(|at| seen.managed.get(at)).into_iter().chain(with_arch);
        // What it installs replaces what it removes.
        for name in wanted.filter(|name| !transaction.changes.iter().any(|change| change.name == **name)) {
            let is_it = match names::compare(name, removed) {
                Meaning::Same => true,
                Meaning::Other => false,
                Meaning::SameUnlessNative => {
                    let own = look(walk, vec![format!("{bare}:native")], false)?;
                    own.packages.iter().all(|package| package.installed.is_none())
                }
            };
            if is_it {
                return Ok(Some(removed));
            }
        }
    }
    Ok(None)
}

/// Nothing is left to do, even if only the lists were fetched.
fn settled(seen: &Seen) -> Decision {
    if seen.outcomes.is_empty() { Decision::InState(Vec::new()) } else { Decision::Mended(Vec::new()) }
}

/// The state of packages, with the age of their lists.
struct Looked {
    packages: Vec<Package>,
    age: Option<u64>,
    /// Those that are held without being installed.
    held: Vec<String>,
}

fn look(walk: &mut Walk, names: Vec<String>, offers: bool) -> Result<Looked, Decision> {
    match &walk.look(vec![Probe::from(Look::Packages { names, offers })])?[0] {
        Finding::Package(Found::Packages { packages, lists_age_s }) => {
            Ok(Looked { packages: packages.clone(), age: *lists_age_s, held: Vec::new() })
        }
        Finding::Package(Found::Holding { packages, lists_age_s, held }) => {
            Ok(Looked { packages: packages.clone(), age: *lists_age_s, held: held.clone() })
        }
        other => Err(cannot_tell(other)),
    }
}

fn preview(walk: &mut Walk, transaction: &Transaction) -> Result<Preview, Decision> {
    match &walk.look(vec![Probe::from(Look::Preview(transaction.clone()))])?[0] {
        Finding::Package(Found::Preview(preview)) => Ok(preview.clone()),
        Finding::Failed(error) => Err(Decision::CannotTell(trusted_words(&error.message))),
        other => Err(cannot_tell(other)),
    }
}

/// Names the field that allows what the package system refused.
fn trusted_words(message: &str) -> String {
    if message.contains("unauthenticated") || message.contains("not be authenticated") {
        return format!("package is not trusted, use allowuntrusted to allow installing untrusted packages: {message}");
    }
    message.to_owned()
}

fn is_right(want: &Want, state: &Wish, package: &Package) -> bool {
    let installed = package.installed.as_ref();
    let whole = installed.filter(|installed| installed.is_whole());
    match state {
        Wish::Installed => whole.is_some(),
        Wish::Uninstalled => installed.is_none() && is_known(package),
        Wish::Version(version) => whole.is_some_and(|installed| installed.version == *version),
        Wish::Newest => whole.is_some_and(|installed| {
            let is_later = |version: &String| version::compare(version, &installed.version) == Ordering::Greater;
            // The newest of all may be one that the fields do not allow.
            let chosen = || choose(want, state, package).is_ok_and(|to| !to.as_ref().is_some_and(is_later));
            !package.candidate.as_ref().is_some_and(is_later) || chosen()
        }),
    }
}

/// A query for installed packages alone returns no candidate: that is requested later.
fn is_known(package: &Package) -> bool {
    package.candidate.is_some() || !package.offers.is_empty()
}

/// The change of each package. Members of a group that cannot be changed leave it.
fn changes(
    want: &Want,
    state: &Wish,
    packages: impl Iterator<Item = Package>,
    held: &[String],
) -> Result<Vec<PackageChange>, Decision> {
    let (mut changes, mut apart, mut first) = (Vec::new(), Vec::new(), None);
    for package in packages {
        let name = package.name.clone();
        match change(want, state, package, held) {
            Ok(change) => changes.push(change),
            Err(why) => {
                apart.push(name);
                first.get_or_insert(why);
            }
        }
    }
    match first {
        None => Ok(changes),
        Some(why) if want.members().next().is_some() => Err(Decision::Apart(apart, why)),
        Some(why) => Err(Decision::CannotTell(why)),
    }
}

fn change(want: &Want, state: &Wish, package: Package, held: &[String]) -> Result<PackageChange, String> {
    let to = choose(want, state, &package)?;
    if let (Some(to), Some(now)) = (&to, &package.installed) {
        let is_lower = version::compare(to, &now.version) == Ordering::Less;
        if is_lower && !want.bool("allowdowngrade") {
            return Err(format!(
                "higher version already installed, use allowdowngrade to allow pinning to lower version \"{to}\": {} is at {}",
                package.name, now.version
            ));
        }
    }
    // The package system would refuse it, and all others with it.
    let changes = |now: &&Installed| to.as_ref() != Some(&now.version);
    if let Some(now) = package.installed.as_ref().filter(|now| now.is_held).filter(changes) {
        return Err(format!(
            "the package {} is held at {}: release it with `apt-mark unhold {}`",
            package.name, now.version, package.name
        ));
    }
    if to.is_some() && held.contains(&package.name) {
        return Err(format!(
            "the package {} is held, though it is not installed: release it with `apt-mark unhold {}`",
            package.name, package.name
        ));
    }
    let is_pinned = to.is_some() && to != package.candidate;
    Ok(PackageChange { name: package.name, now: package.installed, to, is_pinned })
}

/// The version to install, or none.
///
/// Errors: no such package, or none that the fields allow.
fn choose(want: &Want, state: &Wish, package: &Package) -> Result<Option<String>, String> {
    let name = &package.name;
    if matches!(state, Wish::Uninstalled) {
        return if package.installed.is_some() || is_known(package) { Ok(None) } else { Err(nowhere(name)) };
    }
    let fits = |offer: &&Offer| match state {
        Wish::Version(version) => offer.version == *version,
        Wish::Installed | Wish::Uninstalled | Wish::Newest => true,
    };
    let offers: Vec<&Offer> = package.offers.iter().filter(fits).collect();
    let allowed = |offer: &&&Offer| {
        (offer.is_free || want.bool("allownonfree")) && (offer.is_supported || want.bool("allowunsupported"))
    };
    let candidate = package.candidate.as_ref();
    let by_itself = offers.iter().filter(allowed).find(|offer| Some(&offer.version) == candidate);
    if let Some(offer) = by_itself.or_else(|| offers.iter().find(allowed)) {
        return Ok(Some(offer.version.clone()));
    }
    // No longer available; repair the installed one.
    if let Some(now) = &package.installed
        && offers.is_empty()
        && !matches!(state, Wish::Version(version) if *version != now.version)
    {
        return Ok(Some(now.version.clone()));
    }
    // No version of this name is available, or none that the fields allow.
    Err(match (offers.as_slice(), state) {
        ([], Wish::Version(version)) if is_known(package) => {
            let known: Vec<&str> = package.offers.iter().map(|offer| offer.version.as_str()).collect();
            format!("can't find version {version} of the package '{name}'; available: {}", known.join(", "))
        }
        ([], _) => nowhere(name),
        ([one], _) => {
            let flags: Vec<&str> = [(one.is_free, "allownonfree"), (one.is_supported, "allowunsupported")]
                .into_iter()
                .filter_map(|(is_fine, flag)| (!is_fine).then_some(flag))
                .collect();
            format!("{}; you need to enable: {}", unknown(name), flags.join(", "))
        }
        (_, _) => {
            format!("{}; you need to enable one or more of: allownonfree, allowunsupported", unknown(name))
        }
    })
}

fn nowhere(name: &str) -> String {
    format!("{}: not found in any configured repository; check the name and the repositories", unknown(name))
}

fn unknown(name: &str) -> String {
    format!("can't find package named '{name}'")
}
