//! `pkg`: installs, removes or upgrades a distribution package. Resource spec, 9.

mod apply;

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, one_of};
use crate::kinds::walk::Walk;
use crate::kinds::{Claim, Decision, Field, FieldDefault, Kind, KindDecl, Owned, Params, Seen, Traits, Want};
use crate::vocab::{Datum, FactSpec, Watch, package};

/// The kind `pkg`.
pub(crate) struct Pkg;

static DECL: KindDecl = KindDecl {
    name: "pkg",
    doc: "Installs, removes or upgrades a distribution package, with dpkg and apt on Debian and Ubuntu, and with \
          PackageKit elsewhere. Packages with the same state are handled in one transaction. An interrupted \
          transaction is completed first. A virtual package is refused: use a package that provides it. Without a \
          supported package manager, the resource fails until one is installed.",
    fields: &[
        Field::str("state", "State", "`installed`, `uninstalled`, `newest`, or an exact version.")
            .default(FieldDefault::Str("installed")),
        Field::bool("allowdowngrade", "AllowDowngrade", "Allow a version that is older than the installed one."),
        Field::bool("allowuntrusted", "AllowUntrusted", "Allow packages without a trusted signature."),
        Field::bool("allownonfree", "AllowNonFree", "Also consider packages that are not marked as free."),
        Field::bool(
            "allowunsupported",
            "AllowUnsupported",
            "Also consider packages that the distribution does not support.",
        ),
    ],
    traits: Traits { edgeable: true, groupable: true, groups_others: true, compatible: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Packages),
        Required::list(PolicyList::Privileges).entry("`untrusted`").case("`allowuntrusted`"),
    ],
};

/// The directories of packaged system units; on many systems both are the same.
const UNITS: [&str; 2] = ["/usr/lib/systemd/system/", "/lib/systemd/system/"];

impl Kind for Pkg {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let state = want.text("state");
        ensure(!state.is_empty(), "`state` must not be empty")?;
        ensure(state != "latest", "invalid `state`: for the latest version use `newest`")
    }

    /// Only the host knows which files it owns.
    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::Pkg(want.name.to_owned())]
    }

    /// Packages of one state are handled in one transaction, unless the state is a version.
    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        ensure(member.decl.name == leader.decl.name, "only a `pkg` can be grouped with a `pkg`")?;
        let state = member.text("state");
        one_of(&state, &["installed", "uninstalled", "newest"], || {
            "a version can only be set for a single package".into()
        })?;
        ensure(state == leader.text("state"), "it has a different state")
    }

    /// `installed` and `newest` merge to `newest`.
    fn merge(&self, one: &Want, other: &Want) -> Result<Params, String> {
        for flag in ["allowdowngrade", "allowuntrusted", "allownonfree", "allowunsupported"] {
            let (one, other) = (one.bool(flag), other.bool(flag));
            ensure(one == other, format!("`{flag}` cannot be both `{one}` and `{other}`"))?;
        }
        let (state, other_state) = (one.text("state"), other.text("state"));
        let either = |text: &str| matches!(text, "installed" | "newest");
        let adaptable = state == other_state || either(&state) && either(&other_state);
        ensure(adaptable, format!("`state` cannot be both `{state}` and `{other_state}`"))?;
        Ok(if state == "newest" { one.params.clone() } else { other.params.clone() })
    }

    fn backend(&self) -> &'static str {
        "dpkg and apt, or PackageKit over D-Bus on hosts without dpkg (see `--packages`). All packages of a graph are \
         changed in one transaction. dpkg's database is watched with inotify, or PackageKit's signals are received."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        apply::walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, _want: &Want) -> Vec<Watch> {
        vec![package::Watch.into()]
    }

    fn keeps(&self, want: &Want) -> Vec<String> {
        if want.text("state") == "uninstalled" { Vec::new() } else { apply::names(want) }
    }

    fn spares(&self) -> bool {
        true
    }

    fn asks_for_edges(&self, want: &Want) -> Vec<FactSpec> {
        vec![package::Fact::Files { name: want.name.to_owned() }.into()]
    }

    /// The services whose units it contains, and every file.
    fn owns(&self, _want: &Want, facts: &[Option<&Datum>]) -> Owned {
        let Some(Some(Datum::List(files))) = facts.first() else { return Owned::default() };
        let text = |file: &Datum| match file {
            Datum::Bytes(path) => String::from_utf8(path.clone()).ok(),
            _ => None,
        };
        let paths: Vec<String> = files.iter().filter_map(text).collect();
        let unit = |path: &String| {
            let name = UNITS.iter().find_map(|dir| path.strip_prefix(dir))?.strip_suffix(".service")?;
            (!name.contains('/')).then(|| Claim::Svc { name: name.to_owned(), session: false })
        };
        Owned { claims: paths.iter().filter_map(unit).collect(), paths }
    }

    /// A resource with a version cannot be grouped.
    fn leads(&self, want: &Want) -> bool {
        matches!(&*want.text("state"), "installed" | "uninstalled" | "newest")
    }
}
