//! The linker: its scopes, its result and its parts, with the operations that all its files use.

use super::accidents::Accidents;
use super::check::Checked;
use super::env::{Env, EnvId, Names};
use super::files::{File, Files};
use super::linked::{Def, DefId, DirId, Linked, LoopId, Node, NodeId, NodeKind, ParamId, Use};
use super::module::Metadata;
use super::state::{Bounds, Reports, Tasks};
use crate::define_id;
use crate::diag::{Diagnostic, codes};
use crate::hir::{self, ExprId};
use crate::ident::Name;
use crate::index::IndexVec;
use crate::source::{ProgramFiles, Sources};
use crate::span::{FileId, Span};
use crate::types::Type;
use rustc_hash::FxHashMap;

define_id!(
    /// Id of one import of a file, or of the main file.
    SiteId,
    "site"
);

/// Parameters of name resolution.
#[derive(Clone, Copy)]
pub struct Setup<'s> {
    /// The program's files.
    pub world: &'s dyn ProgramFiles,
    /// The value of `$hostname`.
    pub hostname: &'s str,
    /// The last directory searched for remote modules, with a trailing slash.
    pub modules_dir: &'s str,
    /// Limits on the work.
    pub limits: Limits,
    /// Whether to also link code that no statement reaches ([`Linked::aside`]), for editors.
    pub aside: bool,
}

/// Limits on the work for one program; exceeding one is an error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most nodes, statements, scopes and imported files after copying.
    pub copies: usize,
    /// The most scope lookups.
    pub steps: usize,
    /// Maximum nesting of blocks, including included class bodies and imported files; higher than the parser's limit.
    pub depth: usize,
}

/// How many nodes the copy of a file counts as: it has names of its own.
const PER_IMPORT: usize = 8;

impl Default for Limits {
    fn default() -> Limits {
        Limits { copies: 1_000_000, steps: 100_000_000, depth: 250 }
    }
}

/// A file in the context of one import.
pub(super) struct Site<'a> {
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

/// An include whose class body has a scope.
#[derive(Debug)]
pub(super) struct Opened<'a> {
    /// The class.
    pub class: &'a hir::Class,
    /// The arguments.
    pub args: Vec<DefId>,
    /// The scope of the body.
    pub body_env: EnvId,
}

pub(super) struct Linker<'a, 's> {
    /// Parameters of name resolution.
    pub setup: Setup<'s>,
    /// How much of the limits is used.
    pub bounds: Bounds,
    /// The order of the walk.
    pub accidents: Accidents,
    /// The program's files.
    pub files: Files<'a>,
    /// The files that were read.
    pub sources: &'s mut Sources,
    /// Diagnostics so far.
    pub reports: Reports,
    /// All scopes.
    pub envs: IndexVec<EnvId, Env<'a>>,
    /// All imports of files.
    pub sites: IndexVec<SiteId, Site<'a>>,
    /// Includes with an alias whose scope was needed before their statement's turn.
    pub opened: FxHashMap<(EnvId, usize), Opened<'a>>,
    /// Definitions of core constants.
    pub constants: FxHashMap<(EnvId, Name), DefId>,
    /// Ids of directories by path.
    dirs: FxHashMap<String, DirId>,
    /// Results of checking each file.
    pub checked_files: FxHashMap<FileId, Checked>,
    /// Expressions still to be linked.
    pub tasks: Tasks<'a>,
    /// The result.
    pub out: Linked,
    /// The alias or star import, by scope and index, used by the last lookup.
    pub via: Option<(EnvId, usize)>,
    /// Whether something may refer to itself in a way that the text alone does not show.
    pub may_recur: bool,
    /// The current statement, for errors without a better place.
    pub current: Option<Span>,
}

impl<'a, 's> Linker<'a, 's> {
    pub(super) fn new(setup: Setup<'s>, files: Files<'a>, sources: &'s mut Sources) -> Linker<'a, 's> {
        Linker {
            setup,
            bounds: Bounds::new(setup.limits),
            accidents: Accidents::default(),
            files,
            sources,
            reports: Reports::default(),
            envs: IndexVec::new(),
            sites: IndexVec::new(),
            opened: FxHashMap::default(),
            constants: FxHashMap::default(),
            dirs: FxHashMap::default(),
            checked_files: FxHashMap::default(),
            tasks: Tasks::default(),
            out: Linked::default(),
            via: None,
            may_recur: false,
            current: None,
        }
    }

    /// Reports a diagnostic, once per place: copies of one text report the same.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.reports.add(diagnostic);
    }

    /// Adds the import statements that led to a file, innermost first, as labels.
    pub(super) fn with_importers(&self, mut diagnostic: Diagnostic, site: SiteId) -> Diagnostic {
        let mut at = Some(site);
        while let Some((importer, span, _)) = at.and_then(|at| self.sites[at].importer.as_ref()) {
            diagnostic = match &diagnostic.primary {
                None => diagnostic.at(*span, "in the file imported here"),
                Some(_) => diagnostic.also(*span, "imported here"),
            };
            at = Some(*importer);
        }
        diagnostic
    }

    pub(super) fn dir(&mut self, base: &str) -> DirId {
        if let Some(dir) = self.dirs.get(base) {
            return *dir;
        }
        let dir = self.out.dirs.push(base.to_owned());
        self.dirs.insert(base.to_owned(), dir);
        dir
    }

    pub(super) fn add_env(&mut self, env: Env<'a>) -> EnvId {
        self.check_budget();
        self.envs.push(env)
    }

    /// A node whose kind is set later.
    pub(super) fn blank(&mut self, span: Span, known: Option<Type>) -> NodeId {
        self.out.nodes.push(Node { kind: NodeKind::Error, span, known })
    }

    pub(super) fn set(&mut self, node: NodeId, kind: NodeKind) {
        self.out.nodes[node].kind = kind;
    }

    /// A definition whose value is linked when the tasks run.
    pub(super) fn define(&mut self, name: &Name, span: Span, value: ExprId, file: &'a File, env: EnvId) -> DefId {
        let node = self.later(file, value, env);
        let iterated: Option<LoopId> = self.envs[env].iterated;
        self.out.defs.push(Def { name: name.clone(), span, value: node, iterated, class_param: None })
    }

    pub(super) fn record_use(&mut self, env: EnvId, name: &Name, span: Span, definition: Span) {
        if self.envs[env].first {
            self.out.uses.push(Use { name: name.clone(), span, definition });
        }
        self.record_alias(env, span);
    }

    /// Records the alias at the start of a name, from the last lookup.
    pub(super) fn record_alias(&mut self, env: EnvId, span: Span) {
        let Some((block, at)) = self.via.filter(|_| self.envs[env].first) else { return };
        let Names::Block(names) = &self.envs[block].names else { return };
        let prefix = &names.prefixes[at];
        let name = prefix.alias.clone().unwrap_or_else(|| "*".into());
        self.out.aliases.push(Use { name, span, definition: prefix.span });
    }

    pub(super) fn add_param(&mut self, param: &hir::Param, role: super::linked::ParamRole) -> ParamId {
        let hir::Param { name, ty, span } = param;
        self.out.params.push(super::linked::Param { name: name.clone(), ty: ty.clone(), span: *span, role })
    }

    /// Whether the program has exceeded a limit; reports it once.
    pub(super) fn check_budget(&mut self) -> bool {
        let imports = PER_IMPORT * self.sites.len();
        if !self.bounds.have_room(self.out.nodes.len() + self.envs.len() + imports) {
            self.exhaust();
        }
        self.bounds.are_exceeded()
    }

    /// Stops linking.
    pub(super) fn exhaust(&mut self) {
        if !self.bounds.exceed() {
            return;
        }
        self.tasks.clear();
        let message = "the program is too large once its classes, functions and imported files are copied for each use";
        let mut diagnostic = Diagnostic::error(codes::PROGRAM_TOO_LARGE, crate::diag::Stage::Scope, message);
        if let Some(span) = self.current {
            diagnostic = diagnostic.at(span, "limit reached here");
        }
        self.report(
            diagnostic
                .help("look for classes, functions or files that use one another more than once, over many levels"),
        );
    }

    /// Enters another nesting level, if allowed.
    pub(super) fn deeper(&mut self, span: Span) -> bool {
        let Err(deepest) = self.bounds.enter() else { return true };
        let message = format!("blocks, includes and imports are nested deeper than {deepest} levels");
        self.report(
            Diagnostic::error(codes::NESTED_TOO_DEEPLY, crate::diag::Stage::Scope, message)
                .at(span, "nested too deeply")
                .help("check whether a class includes itself indirectly"),
        );
        false
    }
}
