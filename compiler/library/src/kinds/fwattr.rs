//! `fwattr`: sets a firmware (BIOS) attribute exposed by the kernel. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, file_exists};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, FieldDefault, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::{Datum, FactSpec, Finding, HostErrorKind, Probe, Step, Watch, attribute, file, state};

/// Contains a directory for each driver with attributes.
const ALL: &str = "/sys/class/firmware-attributes";
/// Longer than any attribute. Units: bytes.
const LONGEST: u64 = 64 << 10;
/// The state file with the last written value, which waits for a reboot.
const WRITTEN: &str = "written";

/// The kind `fwattr`.
pub(crate) struct Fwattr;

static DECL: KindDecl = KindDecl {
    name: "fwattr",
    doc: "Sets a firmware (BIOS) attribute that the kernel exposes.",
    fields: &[
        Field::str("driver", "Driver", "Driver directory. May be empty if there is only one."),
        Field::str("key", "Key", "Attribute; defaults to the resource name."),
        Field::str("value", "Value", "Value, spelled as the kernel reports it."),
        Field::bool("check", "Check", "Validate the value against the attribute's type.")
            .default(FieldDefault::Bool(true)),
        Field::bool("strict", "Strict", "Do not use the built-in table of alternative values."),
        Field::bool("skip", "Skip", "Do nothing if the attribute, or the whole interface, is missing."),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[
        Required::list(PolicyList::Paths).entry("the file of the attribute"),
        Required::list(PolicyList::Reads).entry("the directory"),
    ],
};

impl Kind for Fwattr {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(!want.effective("key").contains('/'), "the name of the attribute must not contain slashes")?;
        // Without a possible driver there is no attribute: nothing to do, with `skip`.
        ensure(want.bool("skip") || !want.text("driver").contains('/'), "`driver` must be a name without slashes")
    }

    /// The attribute's file or, if only the host knows the driver, the directory of all drivers.
    fn asks_host(&self, want: &Want) -> Vec<FactSpec> {
        let (driver, key) = (want.text("driver"), want.effective("key"));
        let path =
            if driver.is_empty() { ALL.into() } else { format!("{ALL}/{driver}/attributes/{key}/current_value") };
        vec![FactSpec::File(file::Fact::State { path })]
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let exists = facts.iter().flatten().all(file_exists);
        ensure(exists || want.bool("skip"), "cannot find this firmware attribute")
    }

    fn backend(&self) -> &'static str {
        "files in `/sys/class/firmware-attributes`, which exist if a driver supports the firmware of the machine \
         (`thinklmi`, `dell-wmi-sysman`, `hp-bioscfg`). The files are watched. A value that takes effect after a \
         reboot counts as set."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let (driver, key) = (want.text("driver"), want.effective("key"));
        let whole = file::Watch { path: format!("{ALL}/"), recursive: true };
        if driver.is_empty() || driver.contains('/') || key.contains('/') {
            return vec![whole.into()];
        }
        vec![file::Watch { path: format!("{ALL}/{driver}/attributes/{key}/current_value"), recursive: false }.into()]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (key, skip) = (want.effective("key"), want.bool("skip"));
    let missing = |why: String| if skip { Decision::InState(Vec::new()) } else { Decision::CannotTell(why) };
    let driver = driver(want, walk)?.map_err(missing)?;
    let attributes = format!("{ALL}/{driver}/attributes");
    let path = format!("{attributes}/{key}/current_value");
    let Some(now) = read(walk, &path)? else { return Err(missing(format!("invalid kernel path: {path}"))) };
    let mut value = want.text("value").into_owned();
    if want.bool("check") {
        let about = About::read(walk, &format!("{attributes}/{key}"))?;
        let fitting = about.fitting(&value, want.bool("strict"));
        value = fitting.map_err(|why| Decision::CannotTell(format!("value {value} is invalid for {key}: {why}")))?;
    }
    if now == value {
        return Ok(Decision::InState(Vec::new()));
    }
    let waits = format!("{attributes}/pending_reboot");
    let written = match &walk.look(vec![Probe::State(state::Probe::Read { name: WRITTEN.into() })])?[0] {
        Finding::State(state::Finding::Bytes(bytes)) => Some(bytes.as_slice()),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => None,
        other => return Err(cannot_tell(other)),
    };
    let kept = format!("{driver} {key} {value}").into_bytes();
    if written == Some(&kept) && read(walk, &waits)?.as_deref() == Some("1") {
        return Ok(Decision::InState(Vec::new()));
    }
    walk.act(vec![
        attribute::Step { path: path.clone(), key: key.into_owned(), value: value.clone(), now }.into(),
        Step::State(state::Step::Write { name: WRITTEN.into(), content: kept }),
    ])?;
    let after = read(walk, &path)?;
    if after.as_deref() == Some(&*value) || read(walk, &waits)?.as_deref() == Some("1") {
        return Ok(Decision::Mended(Vec::new()));
    }
    let after = after.unwrap_or_default();
    Err(Decision::CannotTell(format!(
        "the firmware did not accept the value {value}: it is still {after}, and no reboot is pending"
    )))
}

/// The field, otherwise the only driver; the inner error: there is none.
fn driver(want: &Want, walk: &mut Walk) -> Result<Result<String, String>, Decision> {
    let driver = want.text("driver");
    if !driver.is_empty() {
        let is_one = !driver.contains('/');
        return Ok(if is_one { Ok(driver.into_owned()) } else { Err(format!("{driver} is not a driver")) });
    }
    let path = format!("{ALL}/");
    let found = match &walk.look(vec![file::Probe::List { path, recursive: false }.into()])?[0] {
        Finding::File(file::Finding::Entries(entries)) => entries.iter().map(|(name, _)| &**name).collect(),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => Vec::new(),
        other => return Err(cannot_tell(other)),
    };
    Ok(match found[..] {
        [one] => Ok(one.to_owned()),
        [] => Err(format!("the kernel exposes no firmware attributes ({ALL} is empty)")),
        _ => {
            return Err(Decision::CannotTell(format!("set `driver`, because there are several: {}", found.join(", "))));
        }
    })
}

/// A file without its final newline; `None`: it does not exist.
fn read(walk: &mut Walk, path: &str) -> Result<Option<String>, Decision> {
    match &walk.look(vec![file::Probe::Read { path: path.to_owned(), limit: LONGEST }.into()])?[0] {
        Finding::File(file::Finding::Bytes(bytes)) => Ok(Some(String::from_utf8_lossy(bytes).trim_end().to_owned())),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => Ok(None),
        other => Err(cannot_tell(other)),
    }
}

/// The kernel's description of an attribute's values.
#[derive(Default)]
struct About {
    kind: String,
    possible: String,
    smallest: Option<i64>,
    largest: Option<i64>,
    step: Option<i64>,
}

/// Equivalent spellings, of which each driver has its own.
const ALTERNATIVES: [&[&str]; 4] =
    [&["Enable", "Enabled", "On"], &["Disable", "Disabled", "Off"], &["Yes", "True"], &["No", "False"]];

impl About {
    fn read(walk: &mut Walk, dir: &str) -> Result<About, Decision> {
        let mut text = |name: &str| read(walk, &format!("{dir}/{name}")).map(Option::unwrap_or_default);
        let kind = text("type")?;
        let (smallest, largest, step) = match &*kind {
            "integer" => ("min_value", "max_value", "scalar_increment"),
            "string" => ("min_length", "max_length", ""),
            _ => ("", "", ""),
        };
        let mut number = |name: &str| {
            if name.is_empty() { Ok(None) } else { text(name).map(|text| text.parse().ok()) }
        };
        let (smallest, largest, step) = (number(smallest)?, number(largest)?, number(step)?);
        let possible = if kind == "enumeration" { text("possible_values")? } else { String::new() };
        Ok(About { kind, possible, smallest, largest, step })
    }

    /// The value in the attribute's spelling. Errors: why it is not accepted.
    fn fitting(&self, value: &str, strict: bool) -> Result<String, String> {
        let within = |number: i64, what: &str| {
            let is_within =
                self.smallest.is_none_or(|least| number >= least) && self.largest.is_none_or(|most| number <= most);
            let bound = |bound: Option<i64>| bound.map_or("any".into(), |bound| bound.to_string());
            ensure(is_within, format!("{what} must be from {} to {}", bound(self.smallest), bound(self.largest)))
        };
        match &*self.kind {
            "enumeration" => {
                let possible: Vec<&str> =
                    self.possible.split(';').map(str::trim).filter(|one| !one.is_empty()).collect();
                let alike = || ALTERNATIVES.iter().find(|all| all.contains(&value)).filter(|_| !strict);
                let other = || alike().and_then(|all| possible.iter().find(|one| all.contains(one)));
                let found = possible.iter().find(|one| **one == value).or_else(other);
                found.map(|one| (*one).to_owned()).ok_or_else(|| format!("it must be one of {}", possible.join(", ")))
            }
            "integer" => {
                let number: i64 = value.trim().parse().map_err(|_| "it must be a number".to_owned())?;
                within(number, "it")?;
                let step = self.step.unwrap_or(1).max(1);
                let is_step = number.wrapping_sub(self.smallest.unwrap_or(0)) % step == 0;
                ensure(is_step, format!("it must be the minimum plus a multiple of {step}"))?;
                Ok(number.to_string())
            }
            "string" => {
                within(value.len() as i64, "its length")?;
                ensure(!value.contains('\n'), "it must be one line")?;
                Ok(value.to_owned())
            }
            _ => Ok(value.to_owned()),
        }
    }
}
