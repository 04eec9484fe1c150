//! [`Sites`]: the imports of files, each with the file that it is in.

use crate::define_id;
use crate::diag::Diagnostic;
use crate::ident::Name;
use crate::index::IndexVec;
use crate::scope::files::File;
use crate::scope::linked::DirId;
use crate::scope::module::Metadata;
use crate::span::Span;
use std::ops::Index;

define_id!(
    /// Id of one import of a file, or of the main file.
    SiteId,
    "site"
);

/// A file in the context of one import.
pub(in crate::scope) struct Site<'a> {
    /// The file.
    pub file: &'a File,
    /// The file's directory, with a trailing slash.
    pub base: String,
    /// The same as an id.
    pub dir: DirId,
    /// The path and content of its metadata file, if any.
    pub metadata: Option<(String, Metadata)>,
    /// The importing file, the statement and its string.
    pub importer: Option<(SiteId, Span, Name)>,
}

/// A site is added after its importer, so the chains of importers end.
#[derive(Default)]
pub(in crate::scope) struct Sites<'a>(IndexVec<SiteId, Site<'a>>);

impl<'a> Sites<'a> {
    pub(in crate::scope) fn add(&mut self, site: Site<'a>) -> SiteId {
        self.0.push(site)
    }

    pub(in crate::scope) fn n_all(&self) -> usize {
        self.0.len()
    }

    /// The files that led to this one, innermost first, each with its import statement and the string of it.
    pub(in crate::scope) fn importers(&self, site: SiteId) -> impl Iterator<Item = (SiteId, Span, &Name)> {
        let importer =
            move |site: SiteId| self.0[site].importer.as_ref().map(|(importer, span, name)| (*importer, *span, name));
        std::iter::successors(importer(site), move |(above, _, _)| importer(*above))
    }

    /// Whether this import is already being processed. Imports are identified by directory and string.
    pub(in crate::scope) fn imports_itself(&self, site: SiteId, name: &Name) -> bool {
        let base = &self.0[site].base;
        self.importers(site).any(|(importer, _, imported)| imported == name && self.0[importer].base == *base)
    }

    /// Adds the import statements that led to a file, innermost first, as labels.
    pub(in crate::scope) fn with_importers(&self, mut diagnostic: Diagnostic, site: SiteId) -> Diagnostic {
        for (_, span, _) in self.importers(site) {
            diagnostic = match &diagnostic.primary {
                None => diagnostic.at(span, "in the file imported here"),
                Some(_) => diagnostic.also(span, "imported here"),
            };
        }
        diagnostic
    }
}

impl<'a> Index<SiteId> for Sites<'a> {
    type Output = Site<'a>;

    fn index(&self, site: SiteId) -> &Site<'a> {
        &self.0[site]
    }
}
