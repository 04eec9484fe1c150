//! [`Kept`]: a moment of a host that was kept, and its differences from the displayed one, which is at another time or
//! of another host.

use super::model::Model;
use super::shared::Shared;
use mclive_base::protocol::Phase;
use mclive_base::shapes::host::{Holding, HostFile, HostFileKind, ResourceState};
use std::collections::BTreeMap;

/// A moment of a host.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept {
    /// The host.
    pub host: String,
    /// The simulated time. Units: milliseconds.
    pub at_ms: u64,
    files: Shared<Vec<HostFile>>,
    holdings: Shared<Vec<Holding>>,
    states: Shared<Vec<ResourceState>>,
}

/// A thing that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// `Resources`, `Files`, or the title of a subject.
    pub group: String,
    /// The thing.
    pub name: String,
    /// Whether it exists in the kept moment, and in the displayed one.
    pub exists: (bool, bool),
    /// The fields that differ.
    pub fields: Vec<Values>,
}

/// The two values of a field; `None`: it is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the type describes its fields")]
pub struct Values {
    pub name: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The place of a group, its name, and the name of a thing.
type Key = (usize, String, String);
type Fields = Vec<(String, String)>;

impl Kept {
    /// The displayed moment.
    pub fn of(model: &Model) -> Kept {
        Kept {
            host: model.sim.hostname.clone(),
            at_ms: model.sim.snapshot.now_ms,
            files: model.sim.files.clone(),
            holdings: model.sim.holdings.clone(),
            states: model.sim.states.clone(),
        }
    }

    fn things(&self, word: impl Fn(Phase) -> &'static str) -> BTreeMap<Key, Fields> {
        let states = self.states.iter().map(|state| {
            // Whether it was changed on the way is not a property of the moment.
            let phase = if state.phase == Phase::Changed { Phase::InState } else { state.phase };
            let fields = vec![("state".to_owned(), word(phase).to_owned())];
            ((0, "Resources".to_owned(), state.id.clone()), fields)
        });
        let files = self.files.iter().map(|file| ((1, "Files".to_owned(), file.path.clone()), fields_of(file)));
        let holdings = self.holdings.iter().enumerate().flat_map(|(place, holding)| {
            holding.things.iter().map(move |thing| {
                let fields = thing.fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
                ((place + 2, holding.title.clone(), thing.name.clone()), fields)
            })
        });
        states.chain(files).chain(holdings).collect()
    }
}

fn fields_of(file: &HostFile) -> Fields {
    let content = match file.kind {
        HostFileKind::File => Some(("content", file.text.clone())),
        HostFileKind::Link => Some(("target", file.text.clone())),
        HostFileKind::Dir => None,
    };
    let owner = format!("{}:{}", file.owner, file.group);
    let fields = [("mode", format!("{:04o}", file.mode)), ("owner", owner)];
    content.into_iter().chain(fields).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What differs between two moments, in the order of the host view. `word` names a phase.
pub fn differences(before: &Kept, after: &Kept, word: impl Fn(Phase) -> &'static str) -> Vec<Difference> {
    let (before, mut after) = (before.things(&word), after.things(&word));
    let mut all: BTreeMap<Key, (Option<Fields>, Option<Fields>)> = BTreeMap::new();
    for (key, fields) in before {
        let now = after.remove(&key);
        all.insert(key, (Some(fields), now));
    }
    all.extend(after.into_iter().map(|(key, fields)| (key, (None, Some(fields)))));
    let difference = |((_, group, name), (before, after)): (Key, (Option<Fields>, Option<Fields>))| {
        let exists = (before.is_some(), after.is_some());
        let fields = values(before.unwrap_or_default(), after.unwrap_or_default());
        (exists.0 != exists.1 || !fields.is_empty()).then_some(Difference { group, name, exists, fields })
    };
    all.into_iter().filter_map(difference).collect()
}

/// The fields that differ, in their order.
fn values(before: Fields, mut after: Fields) -> Vec<Values> {
    let mut values = Vec::new();
    for (name, value) in before {
        let now = after.iter().position(|(of, _)| *of == name).map(|at| after.remove(at).1);
        if now.as_ref() != Some(&value) {
            values.push(Values { name, before: Some(value), after: now });
        }
    }
    values.extend(after.into_iter().map(|(name, value)| Values { name, before: None, after: Some(value) }));
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::shapes::host::{Thing, ThingField};

    fn file(path: &str, text: &str) -> HostFile {
        HostFile {
            path: path.into(),
            kind: HostFileKind::File,
            mode: 0o644,
            owner: "root".into(),
            group: "root".into(),
            size: text.len() as u64,
            text: text.into(),
        }
    }

    fn kept(files: Vec<HostFile>, shell: &str, phase: Phase) -> Kept {
        let field = ThingField { name: "shell".into(), value: shell.into(), is_fixed: false };
        let bob = Thing { name: "bob".into(), fields: vec![field], verbs: Vec::new() };
        Kept {
            host: "web1".into(),
            at_ms: 0,
            files: Shared::new(files),
            holdings: Shared::new(vec![Holding { subject: "user".into(), title: "Users".into(), things: vec![bob] }]),
            states: Shared::new(vec![ResourceState { id: "file[/a]".into(), phase, text: String::new() }]),
        }
    }

    fn told(before: &Kept, after: &Kept) -> Vec<String> {
        let line = |one: Difference| {
            let fields = one.fields.iter().map(|field| format!(" {} {:?} {:?}", field.name, field.before, field.after));
            format!("{} {} {:?}{}", one.group, one.name, one.exists, fields.collect::<String>())
        };
        let word = |phase| if phase == Phase::Failed { "failed" } else { "up to date" };
        differences(before, after, word).into_iter().map(line).collect()
    }

    #[test]
    fn what_differs_is_listed_once_and_the_rest_is_not() {
        let before = kept(vec![file("/a", "one"), file("/b", "same"), file("/c", "gone")], "/bin/sh", Phase::Changed);
        assert_eq!(told(&before, &before), [""; 0]);
        let after = kept(vec![file("/a", "two"), file("/b", "same")], "/bin/zsh", Phase::InState);
        assert_eq!(
            told(&before, &after),
            [
                r#"Files /a (true, true) content Some("one") Some("two")"#,
                r#"Files /c (true, false) content Some("gone") None mode Some("0644") None owner Some("root:root") None"#,
                r#"Users bob (true, true) shell Some("/bin/sh") Some("/bin/zsh")"#,
            ]
        );
        let failed = kept(vec![file("/a", "two"), file("/b", "same"), file("/d", "")], "/bin/zsh", Phase::Failed);
        assert_eq!(
            told(&after, &failed),
            [
                r#"Resources file[/a] (true, true) state Some("up to date") Some("failed")"#,
                r#"Files /d (false, true) content None Some("") mode None Some("0644") owner None Some("root:root")"#,
            ]
        );
    }
}
