//! The lanes of the timeline for the resources of one host: what happened to each of them, and when.

use super::marks::Marks;
use super::time::{column, worse};
use crate::graphs::search;
use mclive_base::shapes::host::{Mark, Tone};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The maximum number of lanes that are drawn; a search finds the others.
pub const MAX_LANES: usize = 40;

/// The lane of one resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// `kind[name]`.
    pub id: String,
    /// Step and column of each moment, ascending.
    pub moments: Vec<(u64, usize)>,
    /// Column and style of each bar, by column; the most severe of the moments that share one.
    pub bars: Vec<(usize, Tone)>,
}

impl Lane {
    fn add(&mut self, column: usize, mark: &Mark) {
        if self.moments.last().is_none_or(|(step, _)| *step != mark.step) {
            self.moments.push((mark.step, column));
        }
        match self.bars.last_mut() {
            Some((last, tone)) if *last == column => *tone = worse(*tone, mark.tone),
            _ => self.bars.push((column, mark.tone)),
        }
    }

    /// Whether more happened than that it left the graph.
    fn has_changed(&self) -> bool {
        self.bars.iter().any(|(_, tone)| !matches!(tone, Tone::Quiet | Tone::Info))
    }

    /// The moment before a step.
    pub fn before(&self, step: u64) -> Option<u64> {
        self.moments.iter().rev().map(|(own, _)| *own).find(|own| *own < step)
    }

    /// The moment after a step.
    pub fn after(&self, step: u64) -> Option<u64> {
        self.moments.iter().map(|(own, _)| *own).find(|own| *own > step)
    }

    /// The moment that is nearest to a position, counted in columns.
    pub fn nearest(&self, position: f64) -> Option<u64> {
        let distance = |column: usize| (column as f64 + 0.5 - position).abs();
        let nearest = self.moments.iter().min_by(|one, other| distance(one.1).total_cmp(&distance(other.1)));
        nearest.map(|(step, _)| *step)
    }
}

/// The lanes of all resources of a host that have changed, by kind and name.
pub fn lanes(marks: &Marks, host: &str) -> Vec<Rc<Lane>> {
    let mut lanes: BTreeMap<&str, Lane> = BTreeMap::new();
    for (at, mark) in marks.iter().enumerate().filter(|(_, mark)| mark.host == host) {
        let Some(id) = &mark.resource else { continue };
        let empty = || Lane { id: id.clone(), moments: Vec::new(), bars: Vec::new() };
        lanes.entry(id).or_insert_with(empty).add(column(at, marks.len()), mark);
    }
    lanes.into_values().filter(Lane::has_changed).map(Rc::new).collect()
}

/// The lanes whose kind and name contain every word; all of them without a word.
pub fn found<'a>(lanes: &'a [Rc<Lane>], sought: &str) -> Vec<&'a Rc<Lane>> {
    if sought.trim().is_empty() {
        return lanes.iter().collect();
    }
    let matches = search::matches(sought, lanes.iter().map(|lane| lane.id.as_str()));
    matches.into_iter().filter_map(|at| lanes.get(at as usize)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::time::COLUMNS;
    use super::*;

    fn mark(step: u64, host: &str, resource: &str, tone: Tone) -> Mark {
        let resource = (!resource.is_empty()).then(|| resource.to_owned());
        Mark { step, at_ms: step, tone, host: host.into(), text: String::new(), resource }
    }

    #[test]
    fn each_resource_that_changed_has_a_lane() {
        let marks: Marks = [
            mark(1, "web1", "", Tone::Info),
            mark(2, "web1", "file[/b]", Tone::Change),
            mark(2, "web1", "file[/b]", Tone::Good),
            mark(3, "web1", "file[/a]", Tone::Bad),
            mark(4, "web2", "file[/c]", Tone::Good),
            mark(5, "web1", "file[/gone]", Tone::Quiet),
            mark(6, "web1", "file[/b]", Tone::Warn),
        ]
        .into_iter()
        .collect();
        let lanes = lanes(&marks, "web1");
        assert_eq!(lanes.iter().map(|lane| lane.id.as_str()).collect::<Vec<_>>(), ["file[/a]", "file[/b]"]);
        assert_eq!(lanes[1].moments, [(2, 1), (6, 6)]);
        assert_eq!(lanes[1].bars, [(1, Tone::Change), (2, Tone::Good), (6, Tone::Warn)]);
        assert_eq!((lanes[1].before(6), lanes[1].before(2)), (Some(2), None));
        assert_eq!((lanes[1].after(0), lanes[1].after(2), lanes[1].after(6)), (Some(2), Some(6), None));
        assert_eq!((lanes[1].nearest(0.0), lanes[1].nearest(5.0)), (Some(2), Some(6)));
        assert_eq!(found(&lanes, " ").len(), 2);
        assert_eq!(found(&lanes, "FILE /a").len(), 1);
        assert!(found(&lanes, "print").is_empty());
    }

    #[test]
    fn a_lane_has_no_more_bars_than_columns() {
        let tone = |step| if step == 4_321 { Tone::Bad } else { Tone::Good };
        let marks: Marks = (0..10_000).map(|step| mark(step, "web1", "file[/a]", tone(step))).collect();
        let lanes = lanes(&marks, "web1");
        assert_eq!((lanes.len(), lanes[0].bars.len(), lanes[0].moments.len()), (1, COLUMNS, 10_000));
        assert_eq!(lanes[0].bars.iter().filter(|(_, tone)| *tone == Tone::Bad).count(), 1);
    }
}
