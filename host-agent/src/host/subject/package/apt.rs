//! apt: available versions, previews of transactions, and their execution. All of it without questions to the user.

use super::super::Place;
use super::database;
use super::lock;
use crate::host::exec;
use crate::host::program::{Asker, Executable};
use crate::process::Stream;
use mclive_base::vocab::package::{Offer, Package, Preview, Transaction};
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind};
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";
/// apt trusts its cache if the status file has the same size and modification time in seconds: it misses two changes
/// within a second.
const NO_CACHE: &str = "Dir::Cache::pkgcache=";
/// Rather fail than remove a package.
const KEEP: &str = "--no-remove";
/// The longest answer that is read: some hundred bytes for each package.
const LONGEST: usize = 64 << 20;
/// How much of a tool's output is included in a failure.
const LONGEST_REASON: usize = 2000;

/// Adds the installable versions.
pub(super) fn offers(at: &Place, packages: &mut [Package]) -> Result<(), HostError> {
    let mut args = vec!["policy".to_owned(), "--".to_owned()];
    args.extend(packages.iter().map(|package| package.name.clone()));
    let policy = Policy::parse(&ask(at, "apt-cache", &args)?);
    let all = ask(at, "apt-cache", &["policy".to_owned()])?;
    let sources = sources(&all);
    let distribution = distribution();
    for package in packages {
        let Some(known) = policy.0.get(bare(&package.name)) else { continue };
        package.candidate.clone_from(&known.candidate);
        for (version, from) in &known.versions {
            // A version that only the host has cannot be installed again.
            let from: Vec<&Release> = from.iter().filter_map(|source| sources.get(source.as_str())).collect();
            if !from.is_empty() {
                package.offers.push(Offer {
                    version: version.clone(),
                    is_free: from.iter().any(|source| source.is_free()),
                    is_supported: from.iter().any(|source| source.is_supported(&distribution)),
                });
            }
        }
    }
    Ok(())
}

/// apt omits this machine's own architecture.
fn bare(name: &str) -> &str {
    match name.split_once(':') {
        Some((bare, arch)) if arch == database::native_arch() => bare,
        Some(_) | None => name,
    }
}

/// The output of `apt-cache policy NAME...`, by name.
struct Policy(HashMap<String, Known>);

#[derive(Default, Debug, PartialEq)]
struct Known {
    candidate: Option<String>,
    /// Highest first, each with the lines of its sources.
    versions: Vec<(String, Vec<String>)>,
}

impl Policy {
    fn parse(text: &str) -> Policy {
        let mut all: HashMap<String, Known> = HashMap::new();
        let mut name = String::new();
        for line in text.lines() {
            if !line.starts_with(' ') {
                name = line.trim_end_matches(':').to_owned();
                continue;
            }
            let known = all.entry(name.clone()).or_default();
            if let Some(candidate) = line.strip_prefix("  Candidate: ") {
                known.candidate = (candidate != "(none)").then(|| candidate.to_owned());
            } else if let Some(source) = line.strip_prefix("        ") {
                if let Some((_, from)) = known.versions.last_mut() {
                    from.push(without_priority(source).to_owned());
                }
            } else if let Some(version) = line.strip_prefix("     ").or_else(|| line.strip_prefix(" *** ")) {
                let version = version.split(' ').next().unwrap_or_default();
                known.versions.push((version.to_owned(), Vec::new()));
            }
        }
        // Without versions only the name is known: other packages provide or need it.
        all.retain(|_, known| !known.versions.is_empty());
        Policy(all)
    }
}

/// `500 http://deb.debian.org/debian bookworm/main amd64 Packages` without the number.
fn without_priority(line: &str) -> &str {
    line.trim_start().split_once(' ').map_or("", |(_, rest)| rest)
}

/// The description of a repository.
#[derive(Default, Debug, PartialEq)]
struct Release {
    origin: String,
    component: String,
}

impl Release {
    /// Only packages known to be non-free are not free.
    fn is_free(&self) -> bool {
        let word = self.component.rsplit('/').next().unwrap_or_default();
        !["contrib", "non-free", "restricted", "multiverse"].iter().any(|other| word.starts_with(other))
    }

    /// A repository without an origin is the administrator's own.
    fn is_supported(&self, distribution: &[String]) -> bool {
        self.origin.is_empty() || distribution.iter().any(|name| name.eq_ignore_ascii_case(&self.origin))
    }
}

/// Every repository by its line, as `apt-cache policy` lists them.
fn sources(text: &str) -> BTreeMap<&str, Release> {
    let mut sources: BTreeMap<&str, Release> = BTreeMap::new();
    let mut line_of = "";
    for line in text.lines().skip(1).take_while(|line| line.starts_with(' ')) {
        let text = line.trim_start();
        if let Some(release) = text.strip_prefix("release ") {
            let field =
                |key: &str| release.split(',').find_map(|field| field.strip_prefix(key)).unwrap_or_default().to_owned();
            if let Some(source) = sources.get_mut(line_of) {
                (source.origin, source.component) = (field("o="), field("c="));
            }
        } else if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            line_of = without_priority(text);
            if line_of != database::STATUS {
                sources.insert(line_of, Release::default());
            }
        }
    }
    sources
}

/// The names under which this distribution signs: `debian`.
fn distribution() -> Vec<String> {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let fields = text.lines().filter_map(|line| line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE=")));
    fields.flat_map(|value| value.trim_matches('"').split(' ')).map(str::to_owned).collect()
}

/// The preview of apt itself.
pub(super) fn preview(at: &Place, transaction: &Transaction) -> Result<Preview, HostError> {
    match simulated(at, arguments(transaction)) {
        // That is mended first, and until then nothing else can be foreseen.
        Err(error) if is_torn_apart(&error) => Ok(foreseen(&simulated(at, mending())?, transaction)),
        said => Ok(foreseen(&said?, transaction)),
    }
}

/// What apt-get says that it would do.
fn simulated(at: &Place, rest: Vec<String>) -> Result<String, HostError> {
    let args = ["--simulate", "-o", "Debug::NoLocking=1"].map(str::to_owned);
    ask(at, "apt-get", &args.into_iter().chain(rest).collect::<Vec<_>>())
}

/// Did somebody take away by force what others need? apt then changes nothing before that is put right.
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
            (Some("Remv"), Some(name)) if !named(name) => preview.removes.push(name.to_owned()),
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
pub(super) fn commit(at: &Place, transaction: &Transaction) -> Result<(), HostError> {
    let packages = &at.shared.packages;
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

/// Removes nothing beside what was foreseen and the policy was asked for: meanwhile the lists may be others, or what was
/// torn apart is put right and apt sees further than before.
fn carry_out(at: &Place, transaction: &Transaction) -> Result<(), HostError> {
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

pub(super) fn refresh(at: &Place) -> Result<(), HostError> {
    let _nobody_of_ours = lock::ours(at, &at.shared.packages.one_at_a_time)?;
    let args = [
        "-q",
        "-o",
        "Acquire::http::Timeout=30",
        "-o",
        "Acquire::https::Timeout=30",
        "-o",
        "Acquire::Retries=1",
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

/// Runs a read-only tool.
fn ask(at: &Place, tool: &str, args: &[String]) -> Result<String, HostError> {
    let spec = spec(tool, args)?;
    let ran = run(at, &spec, &Executable::any(&spec)?)?;
    match ran.status {
        // A part of an answer would be taken for all of it.
        Some(0) if ran.said.len() >= LONGEST => {
            Err(HostError::new(HostErrorKind::Other, format!("{tool}: the answer is longer than {LONGEST} bytes")))
        }
        Some(0) => Ok(ran.said),
        _ => Err(failed(tool, &ran)),
    }
}

/// Runs a tool that changes something, if the policy allows it.
fn change(at: &Place, tool: &str, args: &[String]) -> Result<(), HostError> {
    let spec = spec(tool, args)?;
    let program = at.shared.may_run(Asker::Tool(&at.id.kind), &spec)?;
    let ran = run(at, &spec, &program)?;
    match ran.status {
        Some(0) => Ok(()),
        _ => Err(failed(tool, &ran)),
    }
}

struct Ran {
    status: Option<i32>,
    said: String,
    complained: String,
}

fn run(at: &Place, spec: &CommandSpec, program: &Executable) -> Result<Ran, HostError> {
    let (mut said, mut complained) = (Vec::new(), Vec::new());
    let status = exec::follow(spec, program, at.running, |stream, bytes| {
        let into = match stream {
            Stream::Stdout => &mut said,
            Stream::Stderr => &mut complained,
        };
        let room = LONGEST.saturating_sub(into.len());
        into.extend_from_slice(&bytes[..bytes.len().min(room)]);
    })?;
    if at.running.is_stopped() {
        return Err(HostError::new(HostErrorKind::Cancelled, format!("{} was stopped", spec.argv[0])));
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Ran { status: status.code(), said: text(said), complained: text(complained) })
}

fn spec(tool: &str, args: &[String]) -> Result<CommandSpec, HostError> {
    let found = PATH.split(':').map(|dir| format!("{dir}/{tool}")).find(|file| std::path::Path::new(file).is_file());
    let program = found.ok_or_else(|| {
        let package = if tool == "dpkg" { "dpkg" } else { "apt" };
        HostError::new(HostErrorKind::Unavailable, format!("{tool} is not installed: install the package `{package}`"))
    })?;
    let env = [
        ("PATH", PATH),
        ("LC_ALL", "C.UTF-8"),
        ("HOME", "/root"),
        ("DEBIAN_FRONTEND", "noninteractive"),
        ("DEBCONF_NONINTERACTIVE_SEEN", "true"),
        ("APT_LISTCHANGES_FRONTEND", "none"),
        ("NEEDRESTART_MODE", "l"),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let mut argv = vec![program];
    if tool != "dpkg" {
        argv.extend(["-o".to_owned(), NO_CACHE.to_owned()]);
    }
    argv.extend(args.iter().cloned());
    Ok(CommandSpec { argv, env, signal: "SIGTERM".into(), ..CommandSpec::default() })
}

/// The tool's errors, otherwise the end of its output.
fn failed(tool: &str, ran: &Ran) -> HostError {
    let error = |line: &&str| line.starts_with("E: ") || line.starts_with("dpkg: ");
    let mut reason: Vec<&str> =
        ran.complained.lines().filter(error).map(|line| line.trim_start_matches("E: ")).collect();
    if tool == "apt-get" {
        // The reasons for unmet dependencies come earlier in the output.
        let unmet = ran.said.lines().skip_while(|line| !line.contains("unmet dependencies")).skip(1);
        reason.extend(unmet.map(str::trim).filter(|line| !line.is_empty()).take(10));
    }
    if reason.is_empty() {
        let last = ran.complained.lines().chain(ran.said.lines()).rfind(|line| !line.trim().is_empty());
        reason.extend(last);
    }
    let mut reason = reason.join("; ");
    if reason.len() > LONGEST_REASON {
        reason.truncate(reason.floor_char_boundary(LONGEST_REASON));
        reason.push('…');
    }
    let text = match ran.status {
        None if reason.is_empty() => "it was killed".to_owned(),
        None => format!("it was killed: {reason}"),
        Some(status) if reason.is_empty() => format!("exit status {status}"),
        Some(_) => reason,
    };
    HostError::new(HostErrorKind::Other, format!("{tool}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "Package files:\n 100 /var/lib/dpkg/status\n     release a=now\n 500 http://deb.debian.org/debian bookworm/contrib amd64 Packages\n     release v=12.11,o=Debian,a=stable,n=bookworm,l=Debian,c=contrib,b=amd64\n     origin deb.debian.org\n 500 file:/srv/repo ./ Packages\n     release c=\nPinned packages:\n     x -> 1\n";
    const OF: &str = "tiny:\n  Installed: 1.0\n  Candidate: 2.0\n  Version table:\n     2.0 500\n        500 file:/srv/repo ./ Packages\n *** 1.0 100\n        100 /var/lib/dpkg/status\nvirtual:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n";

    #[test]
    fn the_answers_of_apt_are_read() {
        let policy = Policy::parse(OF);
        let tiny = &policy.0["tiny"];
        assert_eq!(tiny.candidate.as_deref(), Some("2.0"));
        assert_eq!(tiny.versions[0], ("2.0".to_owned(), vec!["file:/srv/repo ./ Packages".to_owned()]));
        assert_eq!(tiny.versions[1].0, "1.0");
        assert!(!policy.0.contains_key("virtual"));
        let sources = sources(ALL);
        let debian = &sources["http://deb.debian.org/debian bookworm/contrib amd64 Packages"];
        assert!(!debian.is_free() && debian.is_supported(&["debian".to_owned()]));
        assert!(!debian.is_supported(&["ubuntu".to_owned()]));
        let own = &sources["file:/srv/repo ./ Packages"];
        assert!(own.is_free() && own.is_supported(&["debian".to_owned()]));
        assert_eq!(sources.len(), 2, "what is only installed is no source");
    }

    #[test]
    fn what_comes_along_is_told() {
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
        let args = arguments(&transaction).join(" ");
        assert!(args.ends_with("--allow-downgrades install -- tiny=2.0"), "{args}");
    }

    #[test]
    fn a_failure_says_what_apt_complained_of() {
        let ran =
            Ran { status: Some(100), said: String::new(), complained: "W: x\nE: Unable to locate package y\n".into() };
        assert_eq!(failed("apt-get", &ran).message, "apt-get: Unable to locate package y");
        let ran = Ran { status: None, said: String::new(), complained: String::new() };
        assert_eq!(failed("apt-get", &ran).message, "apt-get: it was killed");
        let ran = Ran { said: "Setting up tiny (1.0) ...\n".into(), ..ran };
        assert_eq!(failed("apt-get", &ran).message, "apt-get: it was killed: Setting up tiny (1.0) ...");
    }
}
