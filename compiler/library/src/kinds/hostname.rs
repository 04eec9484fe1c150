//! `hostname`: sets the pretty, static and transient host names through systemd-hostnamed. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::hostname::{self as names, Which};
use crate::vocab::{Finding, Probe, Step, Watch};

/// The kind `hostname`.
pub(crate) struct Hostname;

static DECL: KindDecl = KindDecl {
    name: "hostname",
    doc: "Sets the pretty, static and transient host names.",
    fields: &[
        Field::str(
            "hostname",
            "Hostname",
            "Value for those of the three names that are not set; defaults to the resource name.",
        )
        .not_compared(),
        Field::str("pretty_hostname", "PrettyHostname", "Pretty host name. An empty string leaves it unmanaged.")
            .nullable(),
        Field::str(
            "static_hostname",
            "StaticHostname",
            "Static host name, stored on disk. An empty string leaves it unmanaged.",
        )
        .nullable(),
        Field::str(
            "transient_hostname",
            "TransientHostname",
            "Transient host name, set in the kernel. An empty string \
                                                               leaves it unmanaged.",
        )
        .nullable(),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[
        Required::list(PolicyList::Paths),
        Required::list(PolicyList::Sysctl).entry("`kernel.hostname`").case("the transient name"),
    ],
};

impl Kind for Hostname {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "`sethostname(2)`, `/etc/hostname` and `/etc/machine-info`. The files and the name in the kernel are watched."
    }

    fn probes(&self, _want: &Want) -> Vec<Probe> {
        vec![names::Probe.into()]
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, _want: &Want) -> Vec<Watch> {
        vec![names::Watch.into()]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let now = match &walk.look(vec![names::Probe.into()])?[0] {
        Finding::Hostname(names::Finding::Names(now)) => now,
        other => return Err(cannot_tell(other)),
    };
    let all = [
        ("pretty_hostname", Which::Pretty, &now.pretty),
        ("static_hostname", Which::Static, &now.fixed),
        ("transient_hostname", Which::Transient, &now.transient),
    ];
    let mut steps = Vec::new();
    for (field, which, now) in all {
        let name = want.text_if_set(field).unwrap_or_else(|| want.effective("hostname")).into_owned();
        // An empty name is not managed.
        if name.is_empty() || name == *now {
            continue;
        }
        match which {
            Which::Pretty if name.contains('\n') => {
                return Err(Decision::CannotTell("a pretty host name must be a single line".into()));
            }
            Which::Static | Which::Transient if !names::is_valid(&name) => {
                let rule = "up to 64 letters, digits, dots, dashes and underscores";
                return Err(Decision::CannotTell(format!("`{name}` is not a valid host name: {rule}")));
            }
            Which::Pretty | Which::Static | Which::Transient => {}
        }
        steps.push(Step::Hostname(names::Step { which, name, now: now.clone() }));
    }
    walk.mend(steps)
}
