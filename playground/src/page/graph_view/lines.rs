//! The edges of a graph as few paths.

use super::Shape;
use crate::graphs::curve::add_curve;
use crate::state::Shared;
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq, Clone)]
pub(super) struct LinesProps {
    pub(super) shape: Shared<Shape>,
    pub(super) selected: Option<u32>,
    pub(super) around: Rc<Vec<u32>>,
    pub(super) led: Rc<Vec<u32>>,
}

/// How near an edge is to the selected vertex; those that touch it come last, on top of the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    Far,
    Led,
    Around,
    Touches,
}

/// All lines of a class as one path, and their arrowheads as another: browsers are slow with many elements.
#[component]
pub(super) fn Lines(props: &LinesProps) -> Html {
    let is_around = |vertex: u32| props.around.binary_search(&vertex).is_ok();
    let is_led = |vertex: u32| props.led.binary_search(&vertex).is_ok();
    let nearness = |(from, to): (u32, u32)| match props.selected {
        Some(selected) if selected == from || selected == to => Nearness::Touches,
        _ if is_around(from) && is_around(to) => Nearness::Around,
        _ if is_led(from) && is_led(to) => Nearness::Led,
        _ => Nearness::Far,
    };
    let mut paths: BTreeMap<(Nearness, &str), (String, String)> = BTreeMap::new();
    let edges = props.shape.edges.iter().zip(&props.shape.drawing.lines).zip(props.shape.line_classes.iter());
    for ((edge, line), class) in edges.filter(|((_, line), _)| line.len() > 1) {
        let (lines, heads) = paths.entry((nearness(*edge), *class)).or_default();
        add_curve(line, lines, heads);
    }
    let path = |((nearness, class), (lines, heads)): ((Nearness, &'static str), (String, String))| {
        let near = match nearness {
            Nearness::Far => None,
            Nearness::Led => Some("led"),
            Nearness::Around => Some("around"),
            Nearness::Touches => Some("near"),
        };
        html! {
            <>
                <path class={classes!("edge", class, near)} d={lines} />
                <path class={classes!("head", class, near)} d={heads} />
            </>
        }
    };
    html! { <g class="edges" aria-hidden="true">{ for paths.into_iter().map(path) }</g> }
}
