//! `augeas`: sets values in a configuration file through Augeas. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decided, Decision, Field, HostField, HostType, Kind, KindDecl, Read, Seen, Traits, Want};
use crate::value::Value;
use crate::vocab::lens::{self, Set};
use crate::vocab::path::clean;
use crate::vocab::{Finding, Watch, file};
use std::collections::BTreeMap;

/// The kind `augeas`.
pub(crate) struct Augeas;

static DECL: KindDecl = KindDecl {
    name: "augeas",
    doc: "Sets values in a configuration file through Augeas.",
    fields: &[
        Field::str("file", "File", "Absolute path of the file.").required(),
        Field::str("lens", "Lens", "Lens module ending in .lns.").required(),
        Field::new(
            "sets",
            "Sets",
            HostType::List(&HostType::Struct(&[
                HostField::new("path", HostType::Str),
                HostField::new("value", HostType::Str),
            ])),
            "Path/value pairs relative to the file.",
        ),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[Required::list(PolicyList::Paths), Required::list(PolicyList::Commands).entry("`/usr/bin/augtool`")],
};

impl Kind for Augeas {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (file, lens) = (want.text("file"), want.text("lens"));
        ensure(file.is_empty() == lens.is_empty(), "set both `file` and `lens`, or neither")?;
        ensure(file.starts_with('/'), "`file` must be absolute")?;
        ensure(lens.ends_with(".lns"), "`lens` must end with `.lns`")?;
        // One of them would differ in every check.
        let mut values = BTreeMap::new();
        for (path, value) in sets(want) {
            let known = values.entry(path.clone()).or_insert_with(|| value.clone());
            ensure(*known == value, format!("`sets` has two values for `{path}`: `{known}` and `{value}`"))?;
        }
        Ok(())
    }

    /// The value of each path. With another lens, the same path leads elsewhere.
    fn decides<'a>(&self, want: &Want<'a>) -> Vec<Decided<'a>> {
        let (file, lens) = (clean(&want.text("file")), want.text("lens"));
        let decided = |(path, value): (String, String)| Decided::shown(format!("`{path}` of {file} ({lens})"), value);
        sets(want).into_iter().map(decided).collect()
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        vec![want.text("file").into_owned()]
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        Read::of(&want.text("file")).into_iter().collect()
    }

    fn backend(&self) -> &'static str {
        "`augtool` (package `augeas-tools`), limited to this lens and this file. The file is watched with inotify."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![file::Watch { path: want.text("file").into_owned(), recursive: false }.into()]
    }
}

/// The paths and their values.
fn sets(want: &Want) -> Vec<(String, String)> {
    let set = |item: &Value| {
        let text = |name| item.as_struct().and_then(|set| set.get(name)?.as_text()).unwrap_or_default().into_owned();
        (text("path"), text("value"))
    };
    want.items("sets").iter().map(set).collect()
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (given, mut sets) = (sets(want), Vec::new());
    for (path, value) in given {
        if path.is_empty() || [&path, &value].iter().any(|text| text.contains(['\n', '\r', '\0'])) {
            return Err(Decision::CannotTell(format!(
                "each entry of `sets` needs a path and a one-line value: {path:?}"
            )));
        }
        sets.push(Set { path, value, now: None });
    }
    differing(want, walk, &mut sets)?;
    if sets.is_empty() {
        return Ok(Decision::InState(Vec::new()));
    }
    let (file, lens) = (want.text("file").into_owned(), want.text("lens").into_owned());
    walk.act(vec![lens::Step { file: file.clone(), lens, sets: sets.clone() }.into()])?;
    differing(want, walk, &mut sets)?;
    match sets.first() {
        None => Ok(Decision::Mended(Vec::new())),
        Some(Set { path, value, now }) => {
            let now = now.as_deref().unwrap_or("none");
            Err(Decision::CannotTell(format!("{path} of {file} was set to {value}, but is now {now}")))
        }
    }
}

/// Keeps those that differ, with their current values.
fn differing(want: &Want, walk: &mut Walk, sets: &mut Vec<Set>) -> Result<(), Decision> {
    let paths = sets.iter().map(|set| set.path.clone()).collect();
    let (file, lens) = (want.text("file").into_owned(), want.text("lens").into_owned());
    let values = match &walk.look(vec![lens::Probe { file, lens, paths }.into()])?[0] {
        Finding::Lens(lens::Finding::Values(values)) if values.len() == sets.len() => values,
        other => return Err(cannot_tell(other)),
    };
    for (set, now) in sets.iter_mut().zip(values) {
        set.now.clone_from(now);
    }
    sets.retain(|set| set.now.as_ref() != Some(&set.value));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;
    use crate::value::Value;

    #[test]
    fn a_path_has_one_value() {
        let set = |path: &str, value: &str| Value::structure([("path", path.into()), ("value", value.into())]);
        let augeas = |other: &str| {
            let draft = Draft::new("augeas", "a").text("file", "/etc/ssh/sshd_config").text("lens", "Sshd.lns");
            draft.set("sets", Value::list([set("Port", "22"), set("PermitRootLogin", "no"), set("Port", other)]))
        };
        augeas("22").check("");
        augeas("23").check("`sets` has two values for `Port`: `22` and `23`");
    }

    #[test]
    fn each_path_of_a_file_and_its_lens_is_decided_about() {
        let set = Value::structure([("path", "Port".into()), ("value", "22".into())]);
        let draft = Draft::new("augeas", "a").text("file", "/etc//ssh/sshd_config").text("lens", "Sshd.lns");
        assert_eq!(draft.decides(), [""; 0]);
        let draft = draft.set("sets", Value::list([set]));
        assert_eq!(draft.decides(), ["`Port` of /etc/ssh/sshd_config (Sshd.lns): 22"]);
    }
}
