//! The edges of a graph as few paths.

use super::GraphProps;
use crate::graphs::curve::add_curve;
use std::collections::BTreeMap;
use yew::prelude::*;

/// All lines of a class as one path, and their arrowheads as another: browsers are slow with many elements.
pub(super) fn lines(props: &GraphProps) -> Html {
    let touches = |(from, to): (u32, u32)| props.selected.is_some_and(|selected| selected == from || selected == to);
    let mut paths: BTreeMap<(&str, bool), (String, String)> = BTreeMap::new();
    let edges = props.shape.edges.iter().zip(&props.shape.drawing.lines).zip(props.shape.line_classes.iter());
    for ((edge, line), class) in edges.filter(|((_, line), _)| line.len() > 1) {
        let (lines, heads) = paths.entry((*class, touches(*edge))).or_default();
        add_curve(line, lines, heads);
    }
    // Those of the selected vertex come last, on top of the others.
    let mut paths: Vec<_> = paths.into_iter().collect();
    paths.sort_by_key(|((_, is_near), _)| *is_near);
    let path = |((class, is_near), (lines, heads)): ((&'static str, bool), (String, String))| {
        let near = is_near.then_some("near");
        html! {
            <>
                <path class={classes!("edge", class, near)} d={lines} />
                <path class={classes!("head", class, near)} d={heads} />
            </>
        }
    };
    paths.into_iter().map(path).collect()
}
