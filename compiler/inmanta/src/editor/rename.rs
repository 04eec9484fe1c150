//! Renaming: the edits, or why it is impossible. The result is compiled before it is returned.

use super::Analysis;
use super::names::{self, Target};
use crate::lex::Keyword;
use crate::program::Primitive;
use crate::understand::{Hosts, Understood, understand};
use mclive_base::diag::Diags;
use mclive_base::source::ProgramFiles;
use mclive_base::span::Span;
use mclive_ide::{Position, Refused, Services, TextEdit};
use std::collections::BTreeMap;

pub(super) fn renamable(analysis: &Analysis, at: Position) -> Option<(Span, String)> {
    let lookup = analysis.around(at.file);
    let mark = lookup.marks.at(at)?;
    let definition = names::definition(lookup.model(), &mark.target)?;
    if matches!(mark.target, Target::Namespace(_)) || analysis.own(definition.file).is_none() {
        return None;
    }
    Some((mark.span, String::from_utf8_lossy(lookup.model().sources.slice(mark.span)).into_owned()))
}

pub(super) fn rename(analysis: &Analysis, at: Position, name: &str) -> Result<Vec<TextEdit>, Refused> {
    let refuse = |why: &str| Err(Refused(why.to_owned()));
    let Some((_, old)) = renamable(analysis, at) else { return refuse("there is nothing to rename at this position") };
    if analysis.understood.diags.has_errors() {
        return refuse("the model has errors; fix them first");
    }
    let is_upper = |text: &str| text.starts_with(|first: char| first.is_ascii_uppercase());
    let is_word = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit());
    if !is_word || Keyword::of(name).is_some() || Primitive::of(name).is_some() {
        return Err(Refused(format!("`{name}` is not a name")));
    }
    if is_upper(name) != is_upper(&old) {
        return refuse("entity names begin with a capital letter, all other names with a lower case letter");
    }
    let spans = analysis.uses(at);
    let edits: Vec<TextEdit> = spans.into_iter().map(|span| TextEdit { span, text: name.to_owned() }).collect();
    match changes_nothing(analysis, &edits) {
        true => Ok(edits),
        false => Err(Refused(format!(
            "renaming to `{name}` would change the meaning of the model: the name may be in use, or `{old}` may occur \
             in a string or in a template"
        ))),
    }
}

/// Whether the model still means the same with these edits, and makes the same resources.
fn changes_nothing(analysis: &Analysis, edits: &[TextEdit]) -> bool {
    let mut world = analysis.world.clone();
    let mut by_file: BTreeMap<u32, Vec<&TextEdit>> = BTreeMap::new();
    edits.iter().for_each(|edit| by_file.entry(edit.span.file.0).or_default().push(edit));
    for edits in by_file.values_mut() {
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
        let path = &analysis.sources().get(edits[0].span.file).path;
        let Some(bytes) = world.read(path) else { return false };
        let mut text = bytes.to_vec();
        for edit in edits.iter() {
            text.splice(edit.span.start as usize..edit.span.end as usize, edit.text.bytes());
        }
        world.insert(&path.clone(), text);
    }
    let after = understand(&world, &analysis.entry, Hosts::All);
    let n_said = |diags: &Diags| diags.iter().count();
    let ids = |graphs: &[(String, mclive_engine::rgraph::ResGraph)]| -> Vec<String> {
        graphs.iter().flat_map(|(_, graph)| graph.resources.values().map(|resource| resource.id.to_string())).collect()
    };
    let n_instances = |understood: &Understood| -> Vec<usize> {
        understood.models().iter().map(|model| model.compilation.store.instances.len()).collect()
    };
    n_said(&after.diags) == n_said(&analysis.understood.diags)
        && ids(&after.graphs) == ids(&analysis.understood.graphs)
        && n_instances(&after) == n_instances(&analysis.understood)
}
