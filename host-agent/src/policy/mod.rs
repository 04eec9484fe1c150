//! [`Policy`]: what a program may do to this host. Every step, every command and every read passes it.
//!
//! ```toml
#![doc = include_str!("webserver.toml")]
//! ```
//!
#![doc = include_str!("help.txt")]
//!
//! # Places, not texts
//!
//! A pattern matches a place: the path without links, `.` and `..`. The host resolves the path of a program, holds the
//! folder open, asks the [`Permit`] about the place and acts through the descriptor, so an attacker cannot replace it
//! after the verdict. A place that is mounted twice is judged by all its paths. `kinds`, `environment` and `listen` are
//! judged here, by text.
//!
//! # Commands
//!
//! A program is judged by the place that its name resolves to: through `PATH` for a bare name, from `cwd` for a
//! relative one, after links. A link that is itself in `commands` and outside the program's reach counts as well:
//! `/bin/sh` may be listed, whatever the system's shell is. A file that `paths` lets the program change, by any of its
//! paths, is not run, for then `commands` would allow everything, unless `run_own_files` permits it. Arguments are not
//! judged, and a permitted command may do anything: list a script without arguments rather than a shell.
//!
//! # Privileges
//!
//! Set-ID bits, capabilities of files, device files, and mounts that show files under another path could circumvent the
//! other lists. Each has a word in `privileges`, and is refused without it, even where `paths` allows writing.
//!
//! # Without a policy
//!
//! Default for a program from this disk: everything. For one from a link: it may read files, but change and run
//! nothing, so it can be planned but not applied.

mod address;
mod boot;
mod environment;
mod glob;
mod list;
mod mistakes;
mod mounting;
mod permit;
mod privileges;
mod signatures;
#[cfg(test)]
mod tests;

pub(crate) use glob::{SPECIAL, matches};
pub(crate) use mistakes::FUNCTIONS;
pub(crate) use permit::Permit;

use list::List;
use mclive_base::protocol::ResourceId;
use mclive_base::vocab::path::{escaped, shown};
use mclive_base::vocab::request::authority;
use mclive_base::vocab::{Power, Step};
use permit::Way;
use privileges::{Privileges, Word};
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Policy {
    kinds: List,
    paths: List,
    reads: List,
    commands: List,
    environment: List,
    listen: List,
    markup: List,
    users: List,
    groups: List,
    sysctl: List,
    mounts: List,
    interfaces: List,
    units: List,
    packages: List,
    firewall: List,
    containers: List,
    images: List,
    r#virtual: List,
    firmware: List,
    hosts: List,
    collect_from: List,
    collect_kinds: List,
    privileges: Privileges,
    run_own_files: bool,
    /// There are no limits.
    #[serde(skip)]
    is_absent: bool,
    /// Nothing is run, not even read-only commands.
    #[serde(skip)]
    runs_nothing: bool,
}

/// The kind of commands of functions and watches.
pub(crate) const EXEC: &str = "exec";

impl Policy {
    pub(crate) fn all() -> Policy {
        Policy { is_absent: true, ..Policy::default() }
    }

    /// Files may be read; nothing may be changed or run.
    pub(crate) fn nothing() -> Policy {
        let none = List::nothing;
        Policy {
            kinds: none(),
            paths: none(),
            commands: none(),
            listen: none(),
            markup: none(),
            users: none(),
            groups: none(),
            sysctl: none(),
            mounts: none(),
            interfaces: none(),
            units: none(),
            packages: none(),
            firewall: none(),
            containers: none(),
            images: none(),
            r#virtual: none(),
            firmware: none(),
            hosts: none(),
            ..Policy::default()
        }
    }

    /// Parses a policy. Errors: the text is not a policy, or one of its patterns can never match. See also
    /// [`Policy::check_kinds`].
    pub(crate) fn parse(text: &str) -> Result<Policy, String> {
        let policy: Policy = toml::from_str(text).map_err(|error| error.to_string())?;
        policy.check_patterns(text)?;
        Ok(policy)
    }

    /// Resolves the patterns on this host: see [`List::follow_links`]. `lead` returns the target of a folder, and the
    /// places of the links on the way. Links that the program may change are ignored.
    pub(crate) fn on_this_host(mut self, lead: impl Fn(&Path) -> Option<(PathBuf, Vec<OsString>)>) -> Policy {
        let paths = self.paths.clone();
        let lead = |folder: &Path| {
            let (place, links) = lead(folder)?;
            (!links.iter().any(|link| paths.names_place(link))).then_some(place)
        };
        for list in [&mut self.paths, &mut self.reads, &mut self.commands] {
            list.follow_links(lead);
        }
        self
    }

    /// The paths that may be changed.
    pub(crate) fn changes(&self) -> Permit<'_> {
        Permit::new(Way::Change, &self.paths, &self.reads, self.lends())
    }

    /// The places that may be read.
    pub(crate) fn reads(&self) -> Permit<'_> {
        Permit::new(Way::Read, &self.paths, &self.reads, self.lends())
    }

    /// The places that a link may lead to.
    pub(crate) fn targets(&self) -> Permit<'_> {
        Permit::new(Way::Link, &self.paths, &self.reads, self.lends())
    }

    /// Whether this resource may take this step. Places and programs are judged when they are known.
    pub(crate) fn step(&self, of: &ResourceId, step: &Step) -> Result<(), String> {
        let powers = step.powers();
        let runs = powers.iter().any(|power| matches!(power, Power::Run(_)));
        self.kind(&of.kind, if runs { "run commands" } else { "change anything" })?;
        self.for_next_boot(of, step)?;
        self.signatures(step)?;
        powers.iter().try_for_each(|power| self.power(power))
    }

    /// Whether this is permitted, for a change or a read. Paths and programs are checked once the host has resolved
    /// them: [`Policy::changes`], [`Policy::reads`], [`Policy::program`].
    pub(crate) fn power(&self, power: &Power) -> Result<(), String> {
        match power {
            Power::Read(_) | Power::Write(_) | Power::Run(_) => Ok(()),
            Power::User(name, id) => self.account(&self.users, "users", ("user", name, *id)),
            Power::Group(name, id) => self.account(&self.groups, "groups", ("group", name, *id)),
            Power::Sysctl(name) => self.sysctl(name),
            Power::Mount(target) => named(&self.mounts, target, "mounting at", "mounts"),
            Power::Mounting { kind, options } => self.mounting(kind, options),
            Power::Remounting => self.remounting(),
            Power::Link(name) => named(&self.interfaces, name, "changing the network interface", "interfaces"),
            Power::Unit(name) => named(&self.units, name, "changing the unit", "units"),
            Power::Package(name) => self.package(name),
            Power::Firewall(entry) => self.firewall(entry),
            Power::Container(name) => named(&self.containers, name, "changing the container", "containers"),
            Power::Image(name) => named(&self.images, name, "using the image", "images"),
            Power::Virtual(entry) => {
                named(&self.r#virtual, entry, "changing the virtual machine or network", "virtual")
            }
            Power::Firmware(entry) => {
                named(&self.firmware, entry, "changing the firmware device or remote", "firmware")
            }
            Power::Ask(url) => self.host(url),
            Power::Listen(kind, address) => self.listen(kind, address),
            Power::Markup(path) => named(&self.markup, path, "a custom `head` on the page", "markup"),
        }
    }

    fn kind(&self, kind: &str, what: &str) -> Result<(), String> {
        judged(self.kinds.allows(kind), || format!("resources of kind `{kind}` to {what}"), "kinds")
    }

    /// An account may be listed by its name or its id. The administrator's accounts are listed as `root` or `0`, never
    /// by a pattern.
    fn account(&self, list: &List, of: &str, account: (&str, &str, Option<u32>)) -> Result<(), String> {
        let (what, name, id) = account;
        // Where a name is expected, a host also takes a number.
        let id = id.or_else(|| name.parse().ok());
        let is_root = name == "root" || id == Some(0);
        let by_id = || id.is_some_and(|id| list.names(&id.to_string()));
        let is_allowed = match (list.is_given(), is_root) {
            (false, is_root) => !is_root || self.is_absent,
            (true, true) => (name != "root" || list.holds("root")) && (id != Some(0) || list.holds("0")),
            (true, false) => list.names(name) || by_id(),
        };
        if is_allowed {
            return Ok(());
        }
        let who = match (name, id) {
            ("", Some(id)) => id.to_string(),
            (name, Some(0)) if !["root", "0"].contains(&name) => format!("{name}` with the ID `0"),
            (name, _) => name.to_owned(),
        };
        Err(format!("the policy does not allow changing the {what} `{}`: list it in `{of}`", shown(&who)))
    }

    /// A host is listed with its port.
    fn host(&self, url: &str) -> Result<(), String> {
        let authority = authority(url);
        judged(
            self.hosts.allows_address(&authority),
            || format!("contacting the host `{}`", shown(&authority)),
            "hosts",
        )
    }

    /// A pattern matches a package of every architecture.
    fn package(&self, name: &str) -> Result<(), String> {
        let bare = name.split(':').next().unwrap_or(name);
        judged(
            self.packages.allows(name) || self.packages.allows(bare),
            || format!("changing the package `{}`", shown(name)),
            "packages",
        )
    }

    fn firewall(&self, entry: &str) -> Result<(), String> {
        judged(self.firewall.allows(entry), || format!("changing `{}` in the firewall", shown(entry)), "firewall")
    }

    fn sysctl(&self, name: &str) -> Result<(), String> {
        judged(self.sysctl.allows(name), || format!("changing the kernel parameter `{name}`"), "sysctl")
    }

    /// The same policy for a plan, which runs no commands: their results stay unknown.
    pub(crate) fn running_nothing(self) -> Policy {
        Policy { runs_nothing: true, ..self }
    }

    /// Why a plan's policy forbids this even for reading.
    pub(crate) fn leaves_untried(&self, power: &Power) -> Option<String> {
        match power {
            Power::Run(spec) if self.runs_nothing => Some(format!(
                "it depends on `{}`, which was not run; use --run-checks to run commands that the policy allows",
                shown(&spec.argv.join(" "))
            )),
            _ => None,
        }
    }

    /// Whether this may stay unwatched, because the run does not wait for changes.
    pub(crate) fn leaves_unwatched(&self, power: &Power) -> bool {
        self.runs_nothing && matches!(power, Power::Run(_) | Power::Listen(..))
    }

    /// Whether a function may change this host.
    pub(crate) fn function(&self, name: &str) -> Result<(), String> {
        judged(self.kinds.allows(name), || format!("the function `{name}` to change anything"), "kinds")
    }

    /// Whether a server may listen on this address.
    fn listen(&self, kind: &str, address: &str) -> Result<(), String> {
        if self.kinds.allows(kind) && self.listen.allows_address(address) {
            return Ok(());
        }
        Err(format!("the policy does not allow listening on `{address}`"))
    }

    /// Whether exported resources of this kind may be collected.
    pub(crate) fn collect_kind(&self, kind: &str) -> Result<(), String> {
        judged(
            self.collect_kinds.allows(kind),
            || format!("collecting resources of kind `{}`", shown(kind)),
            "collect_kinds",
        )
    }

    /// Whether the exported resources of this host may be collected. The own host counts as any other: everyone who
    /// writes to the store can write in its name.
    pub(crate) fn collect_from(&self, host: &str) -> Result<(), String> {
        judged(self.collect_from.allows(host), || format!("collecting from the host `{}`", shown(host)), "collect_from")
    }

    /// Whether resources of this kind may run commands, for a change or a read.
    pub(crate) fn runs(&self, kind: &str) -> Result<(), String> {
        self.kind(kind, "run commands")
    }

    /// Whether the file of a command must be known.
    pub(crate) fn judges_programs(&self) -> bool {
        self.commands.is_given()
    }

    /// Which of these places is run: those from the `asked` name over links to the program itself. `aliases` are their
    /// other paths.
    pub(crate) fn program<'a>(
        &self,
        asked: &str,
        way: &'a [OsString],
        aliases: &[OsString],
    ) -> Result<&'a OsStr, String> {
        let own = |place: &OsString| self.paths.names_place(place);
        let refuse = |place: &OsStr, why: &str| {
            let (place, asked) = (escaped(place.as_bytes()).into_owned(), shown(asked));
            let led = if asked == *place { String::new() } else { format!(", which `{asked}` resolves to") };
            Err(format!("the policy does not allow the command `{}`{led}: {why}", shown(&place)))
        };
        if !self.run_own_files {
            let (changes, unset) = ("the program can change it", "(see `paths`), and `run_own_files` is not set");
            if let Some(place) = way.iter().find(|place| own(place)) {
                return refuse(place, &format!("{changes} {unset}"));
            }
            if let Some(alias) = aliases.iter().find(|alias| own(alias)) {
                let (place, alias) = (way.last().map_or(OsStr::new(""), |last| last), escaped(alias.as_bytes()));
                return refuse(place, &format!("{changes} as `{}` {unset}", shown(&alias)));
            }
        }
        // A link that the program may have made says nothing about its target.
        let counts = |at: &usize| self.commands.names_place(&way[*at]) && !way[*at..way.len() - 1].iter().any(own);
        match (0..way.len()).find(counts) {
            Some(at) => Ok(&way[at]),
            None => refuse(way.last().map_or(OsStr::new(""), |last| last), "no pattern of `commands` matches it"),
        }
    }
}

/// The verdict of a list on a thing by its name. `doing`: what the policy does not allow, before the name.
fn named(list: &List, name: &str, doing: &str, of: &str) -> Result<(), String> {
    judged(list.allows(name), || format!("{doing} `{}`", shown(name)), of)
}

/// The verdict of a list.
fn judged(allows: bool, what: impl FnOnce() -> String, list: &str) -> Result<(), String> {
    match allows {
        true => Ok(()),
        false => Err(format!("the policy does not allow {}: no pattern of `{list}` matches it", what())),
    }
}
