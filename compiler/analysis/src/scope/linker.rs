//! The linker's state, its limits, and how it reports.

use super::accidents::Accidents;
use super::check::Checked;
use super::env::{Env, EnvId, Names};
use super::files::{File, Files};
use super::linked::{Def, DefId, DirId, Linked, LoopId, Node, NodeId, NodeKind, ParamId, Use};
use super::module::Metadata;
use crate::define_id;
use crate::diag::{Diagnostic, Diags, Severity, codes};
use crate::hir::{self, ExprId};
use crate::ident::Name;
use crate::index::IndexVec;
use crate::source::{ProgramFiles, Sources};
use crate::span::{FileId, Span};
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

define_id!(
    /// One import of a file, or the main file.
    SiteId,
    "site"
);

/// What resolution is done with.
#[derive(Clone, Copy)]
pub struct Setup<'s> {
    pub world: &'s dyn ProgramFiles,
    /// The value of `$hostname`.
    pub hostname: &'s str,
    /// The directory that remote modules are looked for in last, with a trailing slash.
    pub modules_dir: &'s str,
    pub limits: Limits,
    /// Also link what no statement reaches ([`Linked::aside`]): editors look there.
    pub aside: bool,
}

/// How much work one program may be; beyond it there is an error instead of a full memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes, statements and scopes after copying.
    pub copies: usize,
    /// Scopes looked into.
    pub steps: usize,
    /// Blocks inside of blocks, with included class bodies and imported files; more than the
    /// parser lets through.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { copies: 1_000_000, steps: 100_000_000, depth: 250 }
    }
}

/// A file at the place of one import.
pub(super) struct Site<'a> {
    pub file: &'a File,
    /// The file's directory, with a trailing slash.
    pub base: String,
    pub dir: DirId,
    pub metadata: Option<(String, Metadata)>,
    /// Who imports it, by which statement, with which string.
    pub importer: Option<(SiteId, Span, Name)>,
}

/// An include whose class body has a scope.
#[derive(Debug)]
pub(super) struct Opened<'a> {
    pub class: &'a hir::Class,
    pub args: Vec<DefId>,
    pub body_env: EnvId,
}

pub(super) struct Linker<'a, 's> {
    pub setup: Setup<'s>,
    pub limits: Limits,
    pub accidents: Accidents,
    pub files: Files<'a>,
    pub sources: &'s mut Sources,
    pub diags: Diags,
    reported: FxHashSet<(Option<Span>, String)>,
    pub envs: IndexVec<EnvId, Env<'a>>,
    pub sites: IndexVec<SiteId, Site<'a>>,
    /// Includes with an alias whose scope was needed before their statement's turn.
    pub opened: FxHashMap<(EnvId, usize), Opened<'a>>,
    pub constants: FxHashMap<(EnvId, Name), DefId>,
    pub dirs: FxHashMap<String, DirId>,
    pub checked_files: FxHashMap<FileId, Checked>,
    pub tasks: Vec<Task<'a>>,
    pub out: Linked,
    pub depth: usize,
    pub n_steps: usize,
    /// Statements; counted with the nodes and scopes.
    pub n_stmts: usize,
    pub exhausted: bool,
    /// The alias or star import, by its block and number, that the last look for a name went through.
    pub via: Option<(EnvId, usize)>,
    /// Something can refer to itself in a way that the text alone does not show.
    pub devious: bool,
    /// The statement at work, for what has no better place.
    pub current: Option<Span>,
}

/// An expression still to be linked. A stack, so that deep expressions cost no call stack.
pub(super) enum Task<'a> {
    Expr {
        file: &'a File,
        expr: ExprId,
        env: EnvId,
        node: NodeId,
    },
    /// The callee's name, once the arguments are done.
    Callee {
        file: &'a File,
        expr: ExprId,
        env: EnvId,
        node: NodeId,
        args: Vec<NodeId>,
    },
}

impl<'a, 's> Linker<'a, 's> {
    pub(super) fn new(setup: Setup<'s>, files: Files<'a>, sources: &'s mut Sources) -> Linker<'a, 's> {
        Linker {
            setup,
            limits: setup.limits,
            accidents: Accidents::default(),
            files,
            sources,
            diags: Diags::default(),
            reported: FxHashSet::default(),
            envs: IndexVec::new(),
            sites: IndexVec::new(),
            opened: FxHashMap::default(),
            constants: FxHashMap::default(),
            dirs: FxHashMap::default(),
            checked_files: FxHashMap::default(),
            tasks: Vec::new(),
            out: Linked::default(),
            depth: 0,
            n_steps: 0,
            n_stmts: 0,
            exhausted: false,
            via: None,
            devious: false,
            current: None,
        }
    }

    /// Says something, once per place: copies of one text all say the same.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        if self.reported.insert((place, diagnostic.message.clone())) {
            self.diags.push(diagnostic);
        }
    }

    /// The import statements that led to a file, innermost first, as labels.
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

    /// A node whose kind comes later.
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

    /// Notes the alias that the name at a place begins with; it was the last to be looked for.
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

    /// `true`: the program has become too large. That is said once.
    pub(super) fn check_budget(&mut self) -> bool {
        if self.out.nodes.len() + self.envs.len() + self.n_stmts > self.limits.copies {
            self.exhaust();
        }
        self.exhausted
    }

    /// Gives up: nothing more is linked.
    pub(super) fn exhaust(&mut self) {
        if self.exhausted {
            return;
        }
        self.exhausted = true;
        self.tasks.clear();
        let message = "the program is too large once its classes and functions are copied for each use";
        let mut diagnostic = Diagnostic::error(codes::PROGRAM_TOO_LARGE, crate::diag::Stage::Scope, message);
        if let Some(span) = self.current {
            diagnostic = diagnostic.at(span, "limit reached here");
        }
        self.report(
            diagnostic.help("look for classes or functions that use one another more than once, over many levels"),
        );
    }

    /// One level deeper, if that is allowed.
    pub(super) fn deeper(&mut self, span: Span) -> bool {
        if self.depth >= self.limits.depth {
            let message = format!("blocks, includes and imports are nested deeper than {} levels", self.limits.depth);
            self.report(
                Diagnostic::error(codes::NESTED_TOO_DEEPLY, crate::diag::Stage::Scope, message)
                    .at(span, "nested too deeply")
                    .help("check whether a class includes itself indirectly"),
            );
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn n_errors(&self) -> usize {
        self.diags.iter().filter(|diagnostic| matches!(diagnostic.severity, Severity::Error | Severity::Bug)).count()
    }
}
