//! [`Why`]: what led to the selected thing, the same in every view: the values that feed it, their places in the text,
//! the resources that read it, and the moments that changed it.

use super::model::Model;
use super::shared::Shared;
use super::view::Selection;
use crate::graphs::reach;
use crate::worker::protocol::Picture;
use mclive_base::shapes::host::LogLine;
use mclive_base::shapes::{FunctionGraph, Place, Reads, ResourceGraph};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What led to the selection. Kept with its origin, because the graphs are large and most actions change neither.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Why {
    /// The part that the program determines.
    pub chain: Shared<Chain>,
    /// The part that the run of the displayed host determines.
    pub moments: Shared<Moments>,
    of: Option<Of>,
    log: Shared<VecDeque<LogLine>>,
}

#[derive(Clone, PartialEq, Debug)]
struct Of {
    selected: Selection,
    functions: Shared<Picture<FunctionGraph>>,
    reads: Shared<Vec<Reads>>,
    resources: Shared<Picture<ResourceGraph>>,
}

/// The values that led to the selection, and the resources it is about.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Chain {
    /// Vertices of the function graph, ascending; with the selected one.
    pub vertices: Vec<u32>,
    /// The names of the vertices, as causes in the log are called.
    labels: BTreeSet<String>,
    /// The selected resource, or the resources that read the selected value; as `kind[name]`.
    pub resources: BTreeSet<String>,
    /// Where the values are in the program.
    pub places: Vec<Place>,
}

/// What happened to the selection.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Moments {
    /// The simulation steps, ascending.
    pub steps: Vec<u64>,
    /// The last line about it that has causes.
    pub last: Option<LogLine>,
}

impl Why {
    /// Brings it up to date.
    pub(super) fn refresh(model: &mut Model) {
        let of = model.selected.clone().map(|selected| Of {
            selected,
            functions: model.check.functions.clone(),
            reads: model.check.reads.clone(),
            resources: model.resources().clone(),
        });
        let is_another = model.why.of != of;
        if is_another {
            model.why.chain = Shared::new(of.as_ref().map(Of::chain).unwrap_or_default());
            model.why.of = of;
        }
        let is_selected = model.why.of.is_some();
        if is_another || (is_selected && model.why.log != model.sim.log) {
            let by_value = matches!(model.selected, Some(Selection::Function(_)));
            let moments =
                if is_selected { Moments::of(&model.why.chain, by_value, &model.sim.log) } else { Moments::default() };
            (model.why.moments, model.why.log) = (Shared::new(moments), model.sim.log.clone());
        }
    }
}

impl Of {
    fn chain(&self) -> Chain {
        let graph = &self.functions.graph;
        let n_vertices = graph.vertices.len();
        let forward = || graph.edges.iter().map(|edge| (edge.from, edge.to));
        let before = |starts: &[u32]| reach::reached(n_vertices, forward().map(|(from, to)| (to, from)), starts);
        let (is_before, resources) = match &self.selected {
            Selection::Resource(id) => (before(&self.read_by(id)), BTreeSet::from([id.clone()])),
            Selection::Function(at) => {
                let is_after = reach::reached(n_vertices, forward(), &[*at]);
                (before(&[*at]), self.resources_of(&is_after))
            }
        };
        let vertices: Vec<u32> = is_before.iter().zip(0..).filter(|(is, _)| **is).map(|(_, at)| at).collect();
        let named = vertices.iter().filter_map(|at| graph.vertices.get(*at as usize));
        Chain {
            labels: named.clone().map(|vertex| vertex.label.clone()).collect(),
            places: named.filter_map(|vertex| vertex.place.clone()).collect(),
            resources,
            vertices,
        }
    }

    /// What the statement of a resource reads. In a model the instance itself is a vertex.
    fn read_by(&self, id: &str) -> Vec<u32> {
        let vertex = self.resources.graph.vertices.iter().find(|vertex| vertex.has_id(id));
        let Some(place) = vertex.and_then(|vertex| vertex.place.as_ref()) else { return Vec::new() };
        let reads = self.reads.iter().filter(|reads| contains(&reads.place, place));
        let own = self.functions.graph.vertices.iter().zip(0..);
        let own = own.filter(|(vertex, _)| vertex.place.as_ref() == Some(place)).map(|(_, at)| at);
        reads.flat_map(|reads| reads.vertices.iter().copied()).chain(own).collect()
    }

    /// The resources whose statements read one of these vertices.
    fn resources_of(&self, is_read: &[bool]) -> BTreeSet<String> {
        let reads =
            self.reads.iter().filter(|reads| reads.vertices.iter().any(|at| is_read.get(*at as usize) == Some(&true)));
        let own = self.functions.graph.vertices.iter().zip(is_read).filter(|(_, is)| **is);
        let exact = |place: &Place| (place.file.clone(), place.start, place.end);
        let own: BTreeSet<_> = own.filter_map(|(vertex, _)| vertex.place.as_ref().map(exact)).collect();
        let spans = Spans::of(reads.map(|reads| &reads.place));
        let is_of = |place: &Place| spans.contain(place) || own.contains(&exact(place));
        let all = self.resources.graph.vertices.iter();
        all.filter(|vertex| vertex.place.as_ref().is_some_and(is_of)).map(|vertex| vertex.id()).collect()
    }
}

/// Spans by file, ascending: where each begins, and the furthest end so far. So a place is looked up without walking all
/// of them: a program may have 100,000 statements.
struct Spans<'a>(BTreeMap<&'a str, Vec<(u32, u32)>>);

impl<'a> Spans<'a> {
    fn of(places: impl Iterator<Item = &'a Place>) -> Spans<'a> {
        let mut by_file: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
        places.for_each(|place| by_file.entry(&place.file).or_default().push((place.start, place.end)));
        for spans in by_file.values_mut() {
            spans.sort_unstable();
            let mut furthest = 0;
            for (_, end) in spans {
                furthest = furthest.max(*end);
                *end = furthest;
            }
        }
        Spans(by_file)
    }

    fn contain(&self, place: &Place) -> bool {
        let Some(spans) = self.0.get(place.file.as_str()) else { return false };
        let n_before = spans.partition_point(|(start, _)| *start <= place.start);
        n_before > 0 && place.end <= spans[n_before - 1].1
    }
}

fn contains(outer: &Place, inner: &Place) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

impl Moments {
    /// Whether a line of the log is one of these moments.
    pub fn is_at(&self, chain: &Chain, line: &LogLine) -> bool {
        line.resource.as_ref().is_some_and(|id| chain.resources.contains(id))
            && self.steps.binary_search(&line.step).is_ok()
    }

    /// For a value, only what happened because of it.
    fn of(chain: &Chain, by_value: bool, log: &VecDeque<LogLine>) -> Moments {
        let lines = log.iter().filter(|line| {
            let is_about = line.resource.as_ref().is_some_and(|id| chain.resources.contains(id));
            is_about && (!by_value || line.because.iter().any(|cause| chain.labels.contains(cause)))
        });
        let steps: BTreeSet<u64> = lines.clone().map(|line| line.step).filter(|step| *step > 0).collect();
        Moments { steps: steps.into_iter().collect(), last: lines.rev().find(|line| !line.because.is_empty()).cloned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::Around;
    use mclive_base::shapes::host::Tone;
    use mclive_base::shapes::{FunctionEdge, FunctionVertex, ResourceVertex};

    fn place(start: u32, end: u32) -> Place {
        let (start_line, end_line) = (start / 10 + 1, end / 10 + 1);
        Place { file: "/main.mcl".into(), start, end, start_line, start_col: 1, end_line, end_col: 1 }
    }

    /// `$now` feeds `$text` and `$odd`; `file[/a]` reads `$text`, and `print[x]` is inside an `if` on `$odd`.
    fn of(selected: Selection) -> Of {
        let vertex =
            |label: &str, start| FunctionVertex { label: label.into(), ty: None, place: Some(place(start, start + 9)) };
        let vertices = vec![vertex("$now", 0), vertex("$text", 10), vertex("$odd", 20), vertex("if $odd", 40)];
        let edge = |from, to| FunctionEdge { from, to, label: String::new() };
        let functions = FunctionGraph { version: 1, vertices, edges: vec![edge(0, 1), edge(0, 2), edge(2, 3)] };
        let resource = |kind: &str, name: &str, start, end| ResourceVertex {
            kind: kind.into(),
            name: name.into(),
            fields: Vec::new(),
            meta: Vec::new(),
            grouped: Vec::new(),
            place: Some(place(start, end)),
        };
        let vertices =
            vec![resource("file", "/a", 30, 39), resource("print", "x", 44, 48), resource("print", "y", 60, 69)];
        let resources = ResourceGraph { version: 1, vertices, edges: Vec::new() };
        let reads =
            vec![Reads { place: place(30, 39), vertices: vec![1] }, Reads { place: place(40, 49), vertices: vec![3] }];
        Of {
            selected,
            functions: Shared::new(Picture {
                graph: functions,
                drawing: None,
                n_left_out: 0,
                around: Around::default(),
            }),
            reads: Shared::new(reads),
            resources: Shared::new(Picture {
                graph: resources,
                drawing: None,
                n_left_out: 0,
                around: Around::default(),
            }),
        }
    }

    fn line(step: u64, resource: &str, because: &[&str]) -> LogLine {
        LogLine {
            at_ms: step,
            step,
            tone: Tone::Good,
            resource: Some(resource.into()),
            text: "changed".into(),
            diff: None,
            because: because.iter().map(|cause| (*cause).to_owned()).collect(),
        }
    }

    #[test]
    fn a_resource_is_led_to_by_what_its_statement_reads() {
        let chain = of(Selection::Resource("file[/a]".into())).chain();
        assert_eq!(chain.vertices, [0, 1]);
        assert_eq!(chain.places, [place(0, 9), place(10, 19)]);
        let inside = of(Selection::Resource("print[x]".into())).chain();
        assert_eq!(inside.vertices, [0, 2, 3], "the condition around it");
        assert_eq!(of(Selection::Resource("print[y]".into())).chain().vertices, [0; 0]);
        assert_eq!(of(Selection::Resource("gone[z]".into())).chain().vertices, [0; 0]);
    }

    #[test]
    fn a_value_leads_to_the_resources_that_read_it() {
        let ids = |at| of(Selection::Function(at)).chain().resources.into_iter().collect::<Vec<_>>();
        assert_eq!(ids(0), ["file[/a]", "print[x]"]);
        assert_eq!(ids(1), ["file[/a]"]);
        assert_eq!(ids(2), ["print[x]"]);
        assert_eq!(of(Selection::Function(2)).chain().vertices, [0, 2]);
    }

    #[test]
    fn a_place_is_found_in_nested_and_neighbouring_spans() {
        let all = [place(0, 100), place(10, 20), place(120, 130)];
        let spans = Spans::of(all.iter());
        for (start, end, is_inside) in [
            (0, 100, true),
            (30, 40, true),
            (15, 25, true),
            (90, 110, false),
            (120, 130, true),
            (119, 130, false),
            (140, 141, false),
        ] {
            assert_eq!(spans.contain(&place(start, end)), is_inside, "{start}-{end}");
            assert_eq!(all.iter().any(|span| contains(span, &place(start, end))), is_inside);
        }
        assert!(!spans.contain(&Place { file: "/other.mcl".into(), ..place(10, 20) }));
    }

    #[test]
    fn moments_of_a_value_are_those_that_it_caused() {
        let log: VecDeque<LogLine> = [
            line(1, "file[/a]", &["started"]),
            line(2, "file[/a]", &["/a changed"]),
            line(3, "file[/a]", &["$now", "$text"]),
            line(4, "print[x]", &["$now", "$odd"]),
            line(5, "file[/a]", &[]),
        ]
        .into();
        let resource = Moments::of(&of(Selection::Resource("file[/a]".into())).chain(), false, &log);
        assert_eq!((resource.steps, resource.last.map(|line| line.step)), (vec![1, 2, 3, 5], Some(3)));
        let value = Moments::of(&of(Selection::Function(1)).chain(), true, &log);
        assert_eq!((value.steps, value.last.map(|line| line.step)), (vec![3], Some(3)));
    }
}
