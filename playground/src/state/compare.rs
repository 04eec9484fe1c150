//! [`HostMoment`]: a moment of a host, and how a kept one differs from the displayed one, which is at another time or
//! of another host.

use super::model::Model;
use super::outline::{Fate, Fates, Fields, Outline, unique};
use super::program::Program;
use super::shared::Shared;
use crate::worker::protocol::{Parts, Picture, Simulated};
use mclive_base::protocol::Phase;
use mclive_base::shapes;
use mclive_base::shapes::host::{Holding, HostFile, HostFileKind, ResourceState};
use std::collections::BTreeMap;

/// A moment of a host.
#[derive(Clone, PartialEq, Debug)]
pub struct HostMoment {
    /// The host.
    pub host: String,
    /// The simulated time. Units: milliseconds.
    pub at_ms: u64,
    files: Shared<Vec<HostFile>>,
    holdings: Shared<Vec<Holding>>,
    states: Shared<Vec<ResourceState>>,
    /// The resource graph.
    pub resources: Shared<Picture<shapes::ResourceGraph>>,
    /// The function graph.
    pub functions: Shared<Picture<shapes::FunctionGraph>>,
    value_of: Shared<Vec<u32>>,
    /// `None`: the host runs another program than the displayed one.
    values: Option<Shared<Vec<Option<String>>>>,
    /// Whether its function graph is a model of instances in place of functions.
    pub is_model: bool,
    in_full: bool,
    /// The program that ran then; `None`: it differs from the displayed one, or cannot be run alone.
    pub program: Option<Program>,
    /// Whether this is not what happened, but what would have happened with this program.
    pub is_rerun: bool,
}

/// A thing that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// `Resources`, `Values`, `Resource graph`, `Function graph` or `Model`, `Files`, or the title of a subject.
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

impl HostMoment {
    /// The displayed moment.
    pub fn of(model: &Model) -> HostMoment {
        HostMoment {
            host: model.sim.hostname.clone(),
            at_ms: model.sim.snapshot.now_ms,
            files: model.sim.files.clone(),
            holdings: model.sim.holdings.clone(),
            states: model.sim.states.clone(),
            resources: model.resources().clone(),
            functions: model.check.functions.clone(),
            value_of: model.check.value_of.clone(),
            values: model.tells_values().then(|| model.sim.values.clone()),
            is_model: model.has_model(),
            in_full: model.in_full,
            program: is_alone(model).then(|| model.program.clone()),
            is_rerun: false,
        }
    }

    /// The same program after a repetition, as the worker describes it.
    pub fn rerun(&self, simulated: Simulated) -> HostMoment {
        let Simulated { snapshot, parts, resources, host, .. } = simulated;
        let Parts { resources: states, values, files, cards: _, holdings } = parts;
        HostMoment {
            host,
            at_ms: snapshot.now_ms,
            files: Shared::new(files.unwrap_or_default()),
            holdings: Shared::new(holdings.unwrap_or_default()),
            states: Shared::new(states.unwrap_or_default()),
            resources: Shared::new(resources.unwrap_or_default()),
            values: self.values.is_some().then(|| Shared::new(values.unwrap_or_default())),
            is_rerun: true,
            ..self.clone()
        }
    }

    /// The value of a vertex of the function graph.
    pub fn value(&self, vertex: usize) -> Option<&str> {
        let at = self.value_of.get(vertex).map_or(vertex, |at| *at as usize);
        self.values.as_ref()?.get(at)?.as_deref()
    }

    /// Whether the function graphs are displayed in the same way, so that their vertices have comparable names. A model is
    /// always displayed in the same way, and has nothing in common with functions.
    pub fn is_comparable(&self, other: &HostMoment) -> bool {
        self.is_model || other.is_model || self.in_full == other.in_full
    }

    /// The fates in the resource graphs: those of `self`, the earlier moment, and those of `after`.
    pub fn resource_fates(&self, after: &HostMoment) -> (Fates, Fates) {
        let of = |kept: &HostMoment| Outline::of_resources(&kept.resources.graph);
        both(&of(self), &of(after))
    }

    /// The fates in the function graphs, like [`HostMoment::resource_fates`].
    pub fn function_fates(&self, after: &HostMoment) -> (Fates, Fates) {
        both(&self.function_outline(), &after.function_outline())
    }

    fn function_outline(&self) -> Outline {
        Outline::of_functions(&self.functions.graph, |at| self.value(at))
    }

    /// The variables that have a value.
    fn named_values(&self) -> Vec<(String, Fields)> {
        let named = self.functions.graph.vertices.iter().enumerate().filter_map(|(at, vertex)| {
            let name = vertex.label.strip_prefix('$')?;
            let is_name = name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '.'));
            let value = self.value(at).filter(|_| is_name)?;
            Some((vertex.label.clone(), vec![("value".to_owned(), value.to_owned())]))
        });
        unique(named)
    }

    /// The parts of the graphs. Graphs that are the same object have no differences and are not walked.
    fn parts(&self, other: &HostMoment) -> Vec<(Key, Fields)> {
        let mut parts = Vec::new();
        let mut add = |place: usize, group: &str, outline: Outline| {
            let edges: Vec<_> = outline.named_edges().collect();
            let all = outline.vertices.into_iter().chain(edges);
            parts.extend(all.map(|(name, fields)| ((place, group.to_owned(), name), fields)));
        };
        if self.resources != other.resources {
            add(2, "Resource graph", Outline::of_resources(&self.resources.graph));
        }
        if self.functions != other.functions && self.is_comparable(other) {
            // The values are listed by name.
            let title = if self.is_model { "Model" } else { "Function graph" };
            add(3, title, Outline::of_functions(&self.functions.graph, |_| None));
        }
        parts
    }

    fn things(&self, other: &HostMoment, word: impl Fn(Phase) -> &'static str) -> BTreeMap<Key, Fields> {
        let states = self.states.iter().map(|state| {
            // Whether it was changed on the way is not a property of the moment.
            let phase = if state.phase == Phase::Changed { Phase::InState } else { state.phase };
            let fields = vec![("state".to_owned(), word(phase).to_owned())];
            ((0, "Resources".to_owned(), state.id.clone()), fields)
        });
        let files = self.files.iter().map(|file| ((4, "Files".to_owned(), file.path.clone()), fields_of(file)));
        let holdings = self.holdings.iter().enumerate().flat_map(|(place, holding)| {
            holding.things.iter().map(move |thing| {
                let fields = thing.fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
                ((place + 5, holding.title.clone(), thing.name.clone()), fields)
            })
        });
        let values = self.named_values().into_iter().map(|(name, fields)| ((1, "Values".to_owned(), name), fields));
        states.chain(values).chain(self.parts(other)).chain(files).chain(holdings).collect()
    }
}

/// Whether the hosts run the displayed program, and nothing but that.
fn is_alone(model: &Model) -> bool {
    let is_it = model.is_running() && model.sim.edit == model.edit && !model.sim.is_earlier_program;
    is_it && model.staged.is_none() && model.learn.at.is_none()
}

fn both(before: &Outline, after: &Outline) -> (Fates, Fates) {
    (before.fates(after, Fate::Removed), after.fates(before, Fate::Added))
}

fn fields_of(file: &HostFile) -> Fields {
    let content = match file.kind {
        HostFileKind::File => Some(("content", file.text.clone())),
        HostFileKind::Link => Some(("target", file.text.clone())),
        HostFileKind::Dir => None,
    };
    // Of a long content, and of one that is not text, the rest counts as well.
    let checksum =
        file.checksum.map(|checksum| [("size", file.size.to_string()), ("checksum", format!("{checksum:08x}"))]);
    let owner = format!("{}:{}", file.owner, file.group);
    let fields = [("mode", format!("{:04o}", file.mode)), ("owner", owner)];
    content
        .into_iter()
        .chain(checksum.into_iter().flatten())
        .chain(fields)
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// What differs between two moments, in the order of the host view. `word` names a phase.
pub fn differences(before: &HostMoment, after: &HostMoment, word: impl Fn(Phase) -> &'static str) -> Vec<Difference> {
    let (before, mut after) = (before.things(after, &word), after.things(before, &word));
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
    use crate::worker::protocol::Around;
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
            checksum: None,
        }
    }

    fn partial(path: &str, text: &str, size: u64, checksum: u32) -> HostFile {
        HostFile { size, checksum: Some(checksum), ..file(path, text) }
    }

    fn kept(files: Vec<HostFile>, shell: &str, phase: Phase) -> HostMoment {
        let field = ThingField::new("shell", shell.to_owned());
        let bob = Thing { name: "bob".into(), fields: vec![field], verbs: Vec::new() };
        let holding =
            Holding { subject: "user".into(), title: "Users".into(), things: vec![bob], additions: Vec::new() };
        HostMoment {
            host: "web1".into(),
            at_ms: 0,
            files: Shared::new(files),
            holdings: Shared::new(vec![holding]),
            states: Shared::new(vec![ResourceState { id: "file[/a]".into(), phase, text: String::new() }]),
            resources: Shared::default(),
            functions: functions("int"),
            value_of: Shared::default(),
            values: None,
            is_model: false,
            in_full: false,
            program: None,
            is_rerun: false,
        }
    }

    fn functions(ty: &str) -> Shared<Picture<shapes::FunctionGraph>> {
        let vertex = |label: &str| shapes::FunctionVertex { label: label.into(), ty: Some(ty.into()), place: None };
        let vertices = vec![vertex("$mood"), vertex("$now % 10")];
        let edges = vec![shapes::FunctionEdge { from: 1, to: 0, label: "x".into() }];
        let graph = shapes::FunctionGraph { version: 1, vertices, edges };
        Shared::new(Picture { graph, drawing: None, n_left_out: 0, around: Around::default() })
    }

    fn with_values(mut kept: HostMoment, values: &[&str]) -> HostMoment {
        kept.values = Some(Shared::new(values.iter().map(|value| Some((*value).to_owned())).collect()));
        kept
    }

    fn told(before: &HostMoment, after: &HostMoment) -> Vec<String> {
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

    #[test]
    fn the_rest_of_a_content_that_is_not_displayed_is_compared() {
        let moment = |files: Vec<HostFile>| kept(files, "", Phase::InState);
        let before = moment(vec![partial("/long", "aaa", 100, 7), partial("/binary", "", 100, 8)]);
        assert_eq!(told(&before, &before), [""; 0]);
        let after = moment(vec![partial("/long", "aaa", 100, 0x1f), partial("/binary", "", 200, 9)]);
        assert_eq!(
            told(&before, &after),
            [
                r#"Files /binary (true, true) size Some("100") Some("200") checksum Some("00000008") Some("00000009")"#,
                r#"Files /long (true, true) checksum Some("00000007") Some("0000001f")"#,
            ]
        );
    }

    #[test]
    fn named_values_and_graphs_are_compared() {
        let same = kept(Vec::new(), "", Phase::InState);
        let before = with_values(same.clone(), &["1", "5"]);
        let mut after = with_values(same, &["2", "6"]);
        after.functions = before.functions.clone();
        // What has no name is marked in the graph only.
        assert_eq!(told(&before, &after), [r#"Values $mood (true, true) value Some("1") Some("2")"#]);
        assert_eq!(before.function_fates(&after).1.vertices, [Fate::Changed; 2]);
        after.functions = functions("float");
        assert_eq!(
            told(&before, &after)[1..],
            [
                r#"Function graph $mood (true, true) type Some("int") Some("float")"#,
                r#"Function graph $now % 10 (true, true) type Some("int") Some("float")"#,
            ]
        );
        after.in_full = true;
        assert_eq!(told(&before, &after).len(), 1);
    }

    #[test]
    fn a_model_has_instances_and_not_a_function_graph() {
        let kept = || HostMoment { is_model: true, ..kept(Vec::new(), "", Phase::InState) };
        let (before, mut after) = (kept(), kept());
        after.functions = functions("float");
        // Whether all vertices of a function graph are shown does not matter.
        after.in_full = true;
        let all = differences(&before, &after, |_| "");
        assert_eq!(all.iter().map(|one| one.group.as_str()).collect::<Vec<_>>(), ["Model"; 2]);
        after.is_model = false;
        let all = differences(&before, &after, |_| "");
        assert!(all.iter().any(|one| one.group == "Model" && one.exists == (true, false)));
        assert!(all.iter().any(|one| one.group == "Function graph" && one.exists == (false, true)));
    }

    #[test]
    fn a_repetition_with_the_kept_program_takes_the_place_of_the_kept_moment() {
        let before = with_values(kept(vec![file("/a", "one")], "/bin/sh", Phase::InState), &["1", "5"]);
        let parts = Parts {
            files: Some(vec![file("/a", "two")]),
            values: Some(vec![Some("3".to_owned()), None]),
            ..Parts::default()
        };
        let after = before.rerun(Simulated { host: "web2".into(), parts, ..Simulated::default() });
        assert_eq!((after.host.as_str(), after.is_rerun, after.value(0)), ("web2", true, Some("3")));
        assert!(after.functions == before.functions, "it is the same program");
        assert_eq!(after.files.iter().map(|file| file.text.as_str()).collect::<Vec<_>>(), ["two"]);
    }
}
