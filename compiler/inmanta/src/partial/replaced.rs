//! [`replaced()`]: the partial exports that later ones have replaced, so that the model is the same without them.

use super::merge::{Exported, Merged};
use super::{Layer, compiled, parts};
use crate::compile::{Compilation, Setup, compile};
use crate::environment::Environment;
use crate::understand::main_file;
use mclive_base::source::ProgramFiles;
use std::collections::BTreeSet;

/// What an export contributes to the decision.
struct Contribution {
    exported: Exported,
    /// Whether a resource has no name: it may be any other one, so its export stays.
    has_unnamed: bool,
}

/// The places in its list of the partial exports without which a model is the same on every host. Empty if that is not
/// certain, because there are errors, or because a model depends on the environment of the host.
pub fn replaced(world: &dyn ProgramFiles, entry: &str) -> Vec<usize> {
    let main = main_file(entry);
    let Ok(parts) = parts(world, &main) else { return Vec::new() };
    let environment = Environment::asked();
    let first = compile(world, &main, &Setup { environment: environment.clone(), ..Setup::default() });
    let others = compiled(world, &parts, &first, &environment);
    let models: Vec<&Compilation> = std::iter::once(&first).chain(&others).collect();
    let is_certain = |model: &&Compilation| model.faults.is_empty() && model.wanted.is_empty();
    if models.len() != parts.len() + 1 || !models.iter().all(is_certain) {
        return Vec::new();
    }
    let mut contributions = Vec::with_capacity(models.len());
    for model in models {
        let Ok(layer) = Layer::new(model) else { return Vec::new() };
        contributions.push(Contribution { exported: layer.exported(), has_unnamed: !layer.export.unnamed.is_empty() });
    }
    let merged = |left: &[usize]| {
        let mut merged = Merged::whole(&contributions[0].exported);
        for nr in left {
            merged = merged.with(&contributions[nr + 1].exported, &parts[*nr].deleted).ok()?;
        }
        Some(merged)
    };
    let mut left: Vec<usize> = (0..parts.len()).collect();
    let Some(all) = merged(&left) else { return Vec::new() };
    let named = |nr: usize| contributions[nr + 1].exported.sets.union(&parts[nr].deleted);
    let mut found = Vec::new();
    // The newest one has just been exported.
    for nr in 0..parts.len().saturating_sub(1) {
        let later: BTreeSet<&String> =
            left.iter().filter(|other| **other > nr).flat_map(|other| named(*other)).collect();
        if contributions[nr + 1].has_unnamed || !named(nr).all(|set| later.contains(set)) {
            continue;
        }
        let without: Vec<usize> = left.iter().copied().filter(|other| *other != nr).collect();
        if merged(&without).is_some_and(|merged| merged.is_same_as(&all)) {
            left = without;
            found.push(nr);
        }
    }
    found
}
