//! The models of a program that services look into: the whole one, and those of its partial exports. A place belongs to
//! the model that its file was read for.

use super::names::Marks;
use super::{Analysis, Own};
use crate::compile::{Compilation, Setup, compile};
use crate::environment::Environment;
use crate::fault::Class;
use crate::partial;
use crate::understand::Understood;
use mclive_base::source::{MemoryWorld, ProgramFiles, Sources};
use mclive_base::span::{FileId, Span};

/// A model for lookups.
pub(super) struct LookupModel {
    /// Its main file.
    main: String,
    /// What stands for the one of [`Understood`]: the model without the lines that do not parse, or one that is compiled only
    /// for lookups, because there are errors in those before it.
    instead: Option<Compilation>,
    /// The names in its files.
    marks: Marks,
}

/// The model that a file belongs to, as the services see it.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'a> {
    analysis: &'a Analysis,
    compilation: &'a Compilation,
    /// The names in its files.
    pub(super) marks: &'a Marks,
    main: &'a str,
}

impl<'a> Lookup<'a> {
    /// The model.
    pub(super) fn model(self) -> &'a Compilation {
        self.compilation
    }

    /// One of the program's own files.
    pub(super) fn own(self, file: FileId) -> Option<&'a Own> {
        self.analysis.own(file)
    }

    /// The names of the modules next to its main file.
    pub(super) fn modules(self) -> Vec<String> {
        let folder = &self.main[..self.main.rfind('/').map_or(0, |slash| slash + 1)];
        let libs = format!("{folder}libs/");
        let below = self.analysis.world.list(&libs);
        below.iter().filter_map(|path| Some(path.strip_prefix(&libs)?.split('/').next()?.to_owned())).collect()
    }
}

impl Analysis {
    /// The model that a file belongs to.
    pub(super) fn around(&self, file: FileId) -> Lookup<'_> {
        let is_behind = |nr: &usize| self.compilation(*nr).first_file <= file;
        let nr = (0..self.models.len()).rev().find(is_behind).unwrap_or_default();
        let LookupModel { main, marks, .. } = &self.models[nr];
        Lookup { analysis: self, compilation: self.compilation(nr), marks, main }
    }

    /// The model with this number: the whole one is the first.
    pub(super) fn compilation(&self, nr: usize) -> &Compilation {
        chosen(self.models[nr].instead.as_ref(), &self.understood, nr)
    }
}

fn chosen<'a>(instead: Option<&'a Compilation>, understood: &'a Understood, nr: usize) -> &'a Compilation {
    match (instead, nr.checked_sub(1)) {
        (Some(instead), _) => instead,
        (None, None) => &understood.compilation,
        (None, Some(part)) => &understood.parts[part],
    }
}

/// The models of a program, with the files of all of them.
pub(super) fn known(world: &MemoryWorld, main: &str, understood: &Understood) -> (Vec<LookupModel>, Vec<Option<Own>>) {
    let parts = partial::parts(world, main).unwrap_or_default();
    let mut found = vec![mended(world, main, &understood.compilation)];
    for (nr, part) in parts.iter().enumerate() {
        let last = chosen(found[nr].as_ref(), understood, nr);
        if last.faults.iter().any(|fault| fault.class == Class::Limit) {
            break;
        }
        // Files have other numbers if another model stands for one before it.
        let same = understood.parts.get(nr).filter(|_| found.iter().all(Option::is_none));
        let next = match same {
            Some(same) => mended(world, &part.main, same),
            None => {
                let compiled = partial::compiled_after(world, part, last, &Environment::default());
                Some(mended(world, &part.main, &compiled).unwrap_or(compiled))
            }
        };
        found.push(next);
    }
    let sources = &chosen(found.last().and_then(Option::as_ref), understood, found.len() - 1).sources;
    let files: Vec<Option<Own>> = sources.iter().map(|(file, source)| super::own(world, file, &source.path)).collect();
    let mains = std::iter::once(main).chain(parts.iter().map(|part| part.main.as_str()));
    let models = found.into_iter().zip(mains).enumerate().map(|(nr, (instead, main))| {
        let marks = Marks::of(chosen(instead.as_ref(), understood, nr), &files);
        LookupModel { main: main.to_owned(), instead, marks }
    });
    let models = models.collect();
    (models, files)
}

/// The maximum number of lines left out.
const MAX_LEFT_OUT: usize = 8;

/// A model without the lines that do not parse; `None` if all do.
fn mended(world: &MemoryWorld, main: &str, torn: &Compilation) -> Option<Compilation> {
    let is_syntax = |compilation: &Compilation| compilation.is_torn || compilation.program.namespaces.is_empty();
    if !is_syntax(torn) {
        return None;
    }
    let mut before = Sources::default();
    for (_, source) in torn.sources.iter().take(torn.first_file.0 as usize) {
        before.add(source.clone());
    }
    let mut world = world.clone();
    let mut sources = torn.sources.clone();
    let mut places: Vec<Span> = torn.faults.iter().filter_map(|fault| Some(fault.place?.span())).collect();
    let mut last = None;
    for _ in 0..MAX_LEFT_OUT {
        let place = places.first()?;
        let source = sources.get(place.file);
        let line = source.line_of(place.start.min(place.end));
        let mut text = world.read(&source.path)?.to_vec();
        let end: usize = (1..=line).map(|line| source.line(line).len() + 1).sum();
        let start = end - source.line(line).len() - 1;
        let end = (end - 1).min(text.len());
        text.get_mut(start..end)?.fill(b' ');
        world.insert(&source.path.clone(), text);
        let compilation = compile(&world, main, &Setup { before: before.clone(), ..Setup::default() });
        places = compilation.faults.iter().filter_map(|fault| Some(fault.place?.span())).collect();
        sources = compilation.sources.clone();
        let is_done = !is_syntax(&compilation);
        last = Some(compilation);
        if is_done {
            break;
        }
    }
    last
}
