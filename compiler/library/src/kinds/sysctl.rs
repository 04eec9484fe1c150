//! `sysctl`: sets a kernel parameter at run time and/or persistently. Resource spec, 9.

use crate::kinds::own_file::{self, Held};
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, file_exists};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Claim, Decided, Decision, Field, FieldDefault, Kind, KindDecl, Read, Seen, Traits, Want};
use crate::vocab::path::clean;
use crate::vocab::{Content, Datum, FactSpec, Finding, Probe, Step, Watch, file, sysctl};

/// The kind `sysctl`.
pub(crate) struct Sysctl;

static DECL: KindDecl = KindDecl {
    name: "sysctl",
    doc: "Sets a kernel parameter at runtime, persistently, or both.",
    fields: &[
        Field::str("value", "Value", "Value as a string.").required(),
        Field::bool("runtime", "Runtime", "Set the current value in `/proc/sys`.").default(FieldDefault::Bool(true)),
        Field::bool("persist", "Persist", "Set the value for the next boot in a `sysctl.d` file.")
            .default(FieldDefault::Bool(true)),
        Field::str("path", "Filename", "Path of the `sysctl.d` file; defaults to `/etc/sysctl.d/99-NAME.conf`."),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[Required::list(PolicyList::Sysctl), Required::list(PolicyList::Paths)],
};

impl Kind for Sysctl {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let name = want.name;
        // With dots for its slashes, it would be the name of another parameter.
        let is_dotted = name.contains('/') && name.contains('.');
        ensure(
            !is_dotted,
            "parameters of a network interface with a dot in its name, such as `eth0.100`, are not supported",
        )?;
        ensure(!name.contains('/'), "the name contains slashes")?;
        ensure(!name.contains('='), "the name contains an equals sign")?;
        ensure(!name.starts_with('.') && !name.ends_with('.'), "the name begins or ends with a dot")?;
        ensure(name.trim() == name, "the name contains leading or trailing whitespace")?;
        ensure(!has_control(name, &[]), "the name contains control characters")?;
        let value = want.text("value");
        ensure(!value.is_empty(), "`value` is empty")?;
        ensure(value.trim() == value, "`value` contains leading or trailing whitespace")?;
        // A second line in the file would set another parameter at the next boot.
        ensure(!has_control(&value, &['\t']), "`value` contains control characters")?;
        ensure(want.bool("runtime") || want.bool("persist"), "at least one of `runtime` and `persist` must be true")?;
        let path = want.text("path");
        if want.bool("persist") && !path.is_empty() {
            ensure(path.starts_with('/'), "`path` must be absolute")?;
            ensure(path.ends_with(".conf"), "`path` must end with `.conf`")?;
        }
        Ok(())
    }

    /// The kernel must know the parameter, even if only the file matters.
    fn asks_host(&self, want: &Want) -> Vec<FactSpec> {
        vec![FactSpec::File(file::Fact::State { path: sysctl::path(want.name) })]
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let exists = facts.iter().flatten().all(file_exists);
        let (path, source) = (sysctl::path(want.name), sysctl::source(want.name));
        ensure(exists, format!("name is not a valid kernel path: {path}{source}"))
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        want.bool("runtime").then(|| Claim::Sysctl(want.name.to_owned())).into_iter().collect()
    }

    /// Its file has no other parameter.
    fn decides<'a>(&self, want: &Want<'a>) -> Vec<Decided<'a>> {
        let file = || format!("the file {}", clean(&persistent(want)));
        want.bool("persist").then(|| Decided::shown(file(), setting(want))).into_iter().collect()
    }

    /// A parameter that sets others is set before them: afterwards it would take their values away.
    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        let is_set = want.bool("runtime");
        sysctl::set_by(want.name).into_iter().filter(|_| is_set).map(Claim::Sysctl).collect()
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        want.bool("persist").then(|| persistent(want)).into_iter().collect()
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        want.bool("persist").then(|| Read::of(&persistent(want))).flatten().into_iter().collect()
    }

    fn backend(&self) -> &'static str {
        "files in `/proc/sys` and `/etc/sysctl.d`, which are watched with inotify. A parameter that does not exist \
         yet, because its module is not loaded or its network interface is missing, is checked for every 5 seconds \
         until it exists."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let runtime = want.bool("runtime").then(|| sysctl::Watch { name: want.name.to_owned() }.into());
        let persist = want.bool("persist").then(|| file::Watch { path: persistent(want), recursive: false }.into());
        runtime.into_iter().chain(persist).collect()
    }
}

/// The usual folder of the files. It is made if it is missing.
const FOLDER: &str = "/etc/sysctl.d";
/// Longer than any parameter or its file.
const LONGEST: u64 = 64 << 10;

/// Whether a text contains control characters other than these. A line break is one.
fn has_control(text: &str, allowed: &[char]) -> bool {
    text.chars().any(|letter| letter.is_control() && !allowed.contains(&letter))
}

fn persistent(want: &Want) -> String {
    let path = want.text("path");
    if path.is_empty() { format!("{FOLDER}/99-{}.conf", want.name) } else { path.into_owned() }
}

/// Where it cannot be read, the write reports what is wrong.
fn has_folder(walk: &mut Walk) -> Result<bool, Decision> {
    let look = Probe::File(file::Probe::Stat { path: FOLDER.into(), follow: true });
    Ok(!matches!(walk.look(vec![look])?[0], Finding::File(file::Finding::Stat(None))))
}

/// The line of the file.
fn setting(want: &Want) -> String {
    format!("{} = {}", want.name, want.text("value"))
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (name, value) = (want.name, want.text("value").into_owned());
    let mut steps = Vec::new();
    if want.bool("runtime") {
        let now = look(walk, name)?;
        if !sysctl::holds(name, now, &value) {
            let step = sysctl::Step { name: name.to_owned(), value: value.clone(), now: now.to_owned() };
            steps.push(Step::Sysctl(step));
        }
    }
    let is_set = !steps.is_empty();
    if want.bool("persist") {
        let (path, wanted) = (persistent(want), format!("{}\n", setting(want)).into_bytes());
        let held = own_file::look(walk, &path, LONGEST)?;
        // The folder of another path belongs to the program.
        if held == Held::Nothing && want.text("path").is_empty() && !has_folder(walk)? {
            steps.push(file::Step::MakeDir { path: FOLDER.into(), parents: true, mode: Some(0o755) }.into());
        }
        if held == Held::Masked {
            steps.push(file::Step::Remove { path: path.clone(), recursive: false }.into());
        }
        if held != Held::Bytes(&wanted) {
            let content = Content::Bytes(wanted);
            steps.push(Step::File(file::Step::Write {
                path,
                content,
                attributes: file::Attributes::of_mode(Some(0o644)),
            }));
        }
    }
    let mended = walk.mend(steps)?;
    if is_set {
        // Of some values the kernel takes as much as it can.
        let now = look(walk, name)?;
        if !sysctl::holds(name, now, &value) {
            return Err(Decision::CannotTell(format!("{name} was set to {value}, but is now {now}")));
        }
    }
    Ok(mended)
}

/// The current value.
fn look<'a>(walk: &mut Walk<'a>, name: &str) -> Result<&'a str, Decision> {
    let look = Probe::Sysctl(sysctl::Probe { name: name.to_owned() });
    match &walk.look(vec![look])?[0] {
        Finding::Sysctl(sysctl::Finding::Value(now)) => Ok(now),
        other => Err(cannot_tell(other)),
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;
    use crate::kinds::{Decision, Seen};
    use crate::vocab::{Datum, Finding, Outcome, sysctl};

    #[test]
    fn a_value_is_one_line() {
        let sysctl = |value: &str| Draft::new("sysctl", "net.ipv4.tcp_rmem").text("value", value);
        sysctl("4096\t131072 6291456").check("");
        for value in ["1\nkernel.core_pattern = |/srv/evil", "1\r2", "1\0"] {
            sysctl(value).check("`value` contains control characters");
        }
        Draft::new("sysctl", "a\nb").text("value", "1").check("the name contains control characters");
        Draft::new("sysctl", "net/ipv4/ip_forward").text("value", "1").check("the name contains slashes");
        let why = "parameters of a network interface with a dot in its name, such as `eth0.100`, are not supported";
        Draft::new("sysctl", "net/ipv4/conf/eth0.100/rp_filter").text("value", "1").check(why);
    }

    #[test]
    fn what_brings_a_missing_parameter_is_named() {
        let draft = Draft::new("sysctl", "net.bridge.bridge-nf-call-iptables").text("value", "1");
        let missing = Datum::Struct(vec![("exists".into(), Datum::Bool(false))]);
        let why = draft.kind.validate_there(&draft.want(), &[Some(missing)]).unwrap_err();
        assert!(why.contains("`modprobe br_netfilter`"), "{why}");
        assert!(sysctl::source("net.ipv4.conf.eth0.rp_filter").ends_with("interface `eth0` exists"));
        let why = sysctl::source("net.ipv4.conf.eth0.100.rp_filter");
        assert!(why.contains("the network interface `eth0.100` are not supported"), "{why}");
    }

    #[test]
    fn what_the_kernel_makes_of_a_value_is_looked_at() {
        let decided = |after: &str| {
            let value = |text: &str| Finding::Sysctl(sysctl::Finding::Value(text.to_owned()));
            let (findings, outcomes) = ([value("0"), value(after)], [Outcome::Done]);
            let draft = Draft::new("sysctl", "vm.nr_hugepages").text("value", "64").set("persist", false.into());
            draft.kind.decide(&draft.want(), &Seen { findings: &findings, outcomes: &outcomes, ..Seen::first() })
        };
        assert_eq!(decided("64"), Decision::Mended(Vec::new()));
        let why = "vm.nr_hugepages was set to 64, but is now 12";
        assert_eq!(decided("12"), Decision::CannotTell(why.to_owned()));
    }

    #[test]
    fn a_file_is_of_one_parameter() {
        let decided = |name: &str, path: &str, persist: bool| {
            let draft = Draft::new("sysctl", name).text("value", "1").text("path", path).set("persist", persist.into());
            draft.decides()
        };
        let says = |what: &str, how: &str| vec![format!("{what}: {how}")];
        assert_eq!(decided("a.b", "", true), says("the file /etc/sysctl.d/99-a.b.conf", "a.b = 1"));
        assert_eq!(decided("c", "/etc//x.conf", true), says("the file /etc/x.conf", "c = 1"));
        assert_eq!(decided("c", "/etc/x.conf", false), [""; 0]);
    }
}
