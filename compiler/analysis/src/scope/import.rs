//! Imports: checks of the name, loading of the file, and the names it adds to the block. Language spec, 7.1 to 7.6.

use super::block::BlockContext;
use super::env::{Env, EnvId, Names, Space};
use super::files::File;
use super::import_help;
use super::library;
use super::linker::Linker;
use super::module::{self, ImportKind, Input, InputError, import_name};
use super::state::{Site, SiteId, Target};
use crate::corelib;
use crate::diag::{Code, Diagnostic, Stage, codes};
use crate::hir::{self, Alias};
use crate::ident::Name;
use crate::span::Span;

/// The longest chain of files that import each other.
const MAX_CHAIN: usize = 100;

fn error(code: Code, message: String) -> Diagnostic {
    Diagnostic::error(code, Stage::Scope, message)
}

impl<'a> Linker<'a, '_> {
    /// One import of a block: adds its names under its alias.
    pub(super) fn link_import(&mut self, env: EnvId, context: BlockContext, import: &'a hir::Import, span: Span) {
        self.bounds.come_to(span);
        let name = &import.path;
        if let Some(first) = self.same_import(env, name) {
            let message = format!("duplicate import of `{name}` in one block");
            self.report(
                error(codes::IMPORTED_TWICE, message)
                    .at(span, "imported again here")
                    .also(first, "first imported here")
                    .help("remove one of the two"),
            );
            self.add_broken(env, import, span);
            return;
        }
        let parsed = match import_name::parse(name) {
            Ok(parsed) => parsed,
            Err(why) => {
                // An empty name was refused before.
                if !name.is_empty() {
                    let message = format!("`{name}` cannot be imported: {why}");
                    let mut said =
                        error(codes::BAD_IMPORT_NAME, message).at(import.path_span, "not a valid import name");
                    said.help.extend(import_help::for_name(name));
                    self.report(said);
                }
                self.add_broken(env, import, span);
                return;
            }
        };
        let alias = match &import.alias {
            Alias::Default => Name::from(parsed.alias.as_str()),
            Alias::Name(alias) => alias.clone(),
            Alias::Star => Name::from(""),
        };
        if import.alias != Alias::Star
            && let Some(first) = self.same_alias(env, &alias)
        {
            let message = format!("two imports in one block are both named `{alias}`");
            self.report(
                error(codes::ALIAS_TWICE, message)
                    .at(span, format!("`{alias}` again"))
                    .also(first, format!("`{alias}` first"))
                    .help("rename one of them with `as`"),
            );
            self.add_broken(env, import, span);
            return;
        }
        let target = self.load(context, &parsed.kind, import, span);
        if let Target::Env(module) = target
            && import.alias != Alias::Star
        {
            self.check_clash(env, module, &alias, span, "import");
        }
        self.add_prefix(env, import, span, alias, target);
    }

    /// A refused import: names that it would add are not reported as missing.
    fn add_broken(&mut self, env: EnvId, import: &hir::Import, span: Span) {
        let alias = match (&import.alias, import_name::parse(&import.path)) {
            (Alias::Name(alias), _) => alias.clone(),
            (Alias::Default | Alias::Star, Ok(parsed)) => Name::from(parsed.alias.as_str()),
            (Alias::Default | Alias::Star, Err(_)) => {
                // Its alias is unknown.
                self.scopes.damage(env);
                return;
            }
        };
        self.add_prefix(env, import, span, alias, Target::Broken);
    }

    fn add_prefix(&mut self, env: EnvId, import: &hir::Import, span: Span, alias: Name, target: Target<'a>) {
        if let Some(names) = self.scopes.block_mut(env) {
            names.prefixes.add_import(import, span, alias, target);
        }
    }

    fn same_import(&self, env: EnvId, name: &Name) -> Option<Span> {
        self.scopes.block(env)?.prefixes.first_import(name)
    }

    fn same_alias(&self, env: EnvId, alias: &Name) -> Option<Span> {
        self.scopes.block(env)?.prefixes.first_with(alias).map(|import| import.span)
    }

    /// The scope of an import.
    fn load(&mut self, context: BlockContext, kind: &ImportKind, import: &hir::Import, span: Span) -> Target<'a> {
        let base = self.sites[context.site].base.clone();
        let input = match kind {
            ImportKind::System => return self.load_system(context, import, span),
            ImportKind::File(path) => module::input::locate(self.setup.world, &format!("{base}{path}")),
            ImportKind::Directory(path) => module::input::locate(self.setup.world, &format!("{base}{path}")),
            ImportKind::Remote(path) => {
                let dir = format!("{}{path}", self.search(context.site, path));
                let found = module::input::locate(self.setup.world, &format!("{dir}metadata.yaml"));
                if let Err(InputError::NoMetadata(_)) = found {
                    self.setup.world.wants_module(&dir, import_name::clone_url(&import.path));
                }
                found
            }
        };
        match input {
            Ok(input) => self.load_file(context, input, import, span),
            Err(why) => {
                let said = not_found(&import.path, kind, &why).at(span, "imported here");
                let is_missing = matches!(why, InputError::NoFile(_) | InputError::NoDirectory(_));
                let is_local = matches!(kind, ImportKind::File(_) | ImportKind::Directory(_));
                let said = if is_missing && is_local { self.with_file(said, &base, import) } else { said };
                self.report(said);
                Target::Broken
            }
        }
    }

    /// Adds the file or directory that an import of a missing one may mean.
    fn with_file(&self, said: Diagnostic, base: &str, import: &hir::Import) -> Diagnostic {
        let world = self.setup.world;
        let meant =
            || import_help::beside(world, base, &import.path).or_else(|| import_help::near(world, base, &import.path));
        match self.still_suggests().then(meant).flatten() {
            Some(ours) => instead(said.help(format!("did you mean `{ours}`?")), import, &ours),
            None => said.help(import_help::for_missing(&import.path)),
        }
    }

    /// A module of the core library.
    fn load_system(&mut self, context: BlockContext, import: &hir::Import, span: Span) -> Target<'a> {
        let name = &import.path;
        if let Some(module) = corelib::module(name) {
            let main = module.embedded.iter().find(|file| file.name == "main.mcl");
            let parent = main.map(|_| context.parent);
            let names = Names::System(name.clone());
            let env = self.add_env(Env { parent, site: context.site, iterated: None, first: context.first, names });
            let Some(main) = main else { return Target::Env(env) };
            let path = format!("embeddedfs:///{name}/main.mcl");
            let base = format!("/{name}/");
            let input = Input { path, text: main.text.as_bytes().into(), base, metadata: None };
            return self.load_file(BlockContext { parent: env, ..context }, input, import, span);
        }
        let message = format!("cannot find module `{name}` in the core library");
        let mut diagnostic = error(codes::UNKNOWN_MODULE, message).at(span, "imported here");
        let close =
            self.still_suggests().then(|| crate::diag::suggest::closest(name, corelib::module_names())).flatten();
        let base = &self.sites[context.site].base;
        let beside = self.still_suggests().then(|| import_help::beside(self.setup.world, base, name)).flatten();
        let (plain, version) = import_help::versioned(name);
        if let Some(ours) = beside {
            diagnostic = instead(diagnostic.help(format!("did you mean `{ours}`?")), import, &ours);
        } else if let Some(ours) = super::foreign::module(name) {
            diagnostic = instead(diagnostic.help(format!("the module is named `{ours}`")), import, ours);
        } else if let Some(close) = close {
            diagnostic = instead(diagnostic.help(format!("did you mean `{close}`?")), import, close);
        } else if name.split('/').next().is_some_and(|host| host.contains('.') && host != "..") {
            diagnostic = diagnostic.help(format!("import a repository by its URL: `import \"git://{plain}\"`"));
        } else {
            diagnostic = diagnostic
                .help(format!("import your own module as a file, `{plain}.mcl`, or as a directory, `{plain}/`"));
        }
        if let Some(version) = version {
            diagnostic = diagnostic.help(format!("the name of a module has no version: remove `@{version}`"));
        }
        self.report(diagnostic);
        Target::Broken
    }

    /// Reads a file and checks all its definitions.
    fn load_file(&mut self, context: BlockContext, input: Input, import: &hir::Import, span: Span) -> Target<'a> {
        if self.sites.imports_itself(context.site, &import.path) {
            let message = format!("circular import of `{}`", import.path);
            let diagnostic = error(codes::RECURSIVE_IMPORT, message).at(span, "imported again here");
            self.report_in(context.site, diagnostic);
            return Target::Broken;
        }
        if self.sites.importers(context.site).count() >= MAX_CHAIN {
            let message = format!("more than {MAX_CHAIN} files import one another in a chain");
            let diagnostic = error(codes::NESTED_TOO_DEEPLY, message).at(span, "the limit is reached here");
            self.report(diagnostic.help("import files directly where they are used"));
            return Target::Broken;
        }
        // A file is read and checked once, but has a copy for each import.
        if self.check_budget() || !self.deeper(span) {
            return Target::Broken;
        }
        let Some(file) = self.files.read(&input, self.sources) else {
            self.bounds.leave();
            self.exhaust();
            return Target::Broken;
        };
        self.out.add_import(import.path_span, file.module.file);
        let dir = self.out.dir(&input.base);
        let importer = Some((context.site, span, import.path.clone()));
        let site = self.sites.add(Site { file, base: input.base, dir, metadata: input.metadata, importer });
        for diagnostic in file.diags.iter() {
            self.report_in(site, diagnostic.clone());
        }
        let env = self.open_block(&file.module.root, BlockContext { site, ..context });
        // The readable part is known; uses of the rest cause no errors.
        if file.diags.has_errors() {
            self.scopes.damage(env);
        }
        self.check_file(site);
        self.link_block(&file.module.root, env);
        self.forbid_statements(file, site);
        self.bounds.leave();
        Target::Env(env)
    }

    /// A module may only define: language spec, 7.6.
    fn forbid_statements(&mut self, file: &'a File, site: SiteId) {
        let offender = file.module.root.stmts.iter().find(|stmt| match stmt.kind {
            hir::StmtKind::Bind(_)
            | hir::StmtKind::Func { .. }
            | hir::StmtKind::Class(_)
            | hir::StmtKind::Import(_)
            | hir::StmtKind::Error => false,
            hir::StmtKind::Resource(_)
            | hir::StmtKind::Edge(_)
            | hir::StmtKind::If { .. }
            | hir::StmtKind::For(_)
            | hir::StmtKind::Include(_) => true,
        });
        if let Some(stmt) = offender {
            let message = "statement has no effect in an imported file".to_owned();
            let diagnostic = error(codes::STATEMENT_IN_MODULE, message)
                .at(stmt.span, "expected an import, variable, function or class")
                .help("move it into a class and include the class where the file is imported");
            self.report_in(site, diagnostic);
        }
    }

    /// The modules directory for a remote module: language spec, 7.8.
    fn search(&self, site: SiteId, path: &str) -> String {
        let mut candidates: Vec<String> = Vec::new();
        let mut precise: Option<String> = None;
        let mut at = Some(site);
        while let Some(site) = at {
            let Some((dir, metadata)) = &self.sites[site].metadata else {
                candidates.clear();
                break;
            };
            if let Some(own) = &metadata.path {
                let own = format!("{}/", import_name::clean(&format!("{dir}{own}")).trim_end_matches('/'));
                precise.get_or_insert_with(|| own.clone());
                candidates.push(own);
            }
            if metadata.parent_path_block {
                break;
            }
            at = self.sites[site].importer.as_ref().map(|(importer, _, _)| *importer);
        }
        candidates.push(self.setup.modules_dir.to_owned());
        let has = |dir: &String| self.setup.world.read(&format!("{dir}{path}metadata.yaml")).is_some();
        let fallback = precise.unwrap_or_else(|| self.setup.modules_dir.to_owned());
        candidates.into_iter().find(has).unwrap_or(fallback)
    }

    /// A prefixed name that a star import already provides: language spec, 7.2 and 6.4.
    pub(super) fn check_clash(&mut self, env: EnvId, module: EnvId, alias: &Name, span: Span, what: &str) {
        let Some(names) = self.scopes.block(env) else { return };
        let stars: Vec<_> = names.prefixes.stars().map(|prefix| (prefix.target, prefix.span)).collect();
        for (target, star) in stars {
            let Target::Env(star_env) = target else { continue };
            let Some((space, name)) = self.common_name(star_env, module, alias) else { continue };
            let shown = match space {
                Space::Var => format!("variable `${alias}.{name}`"),
                Space::Func => format!("function `{alias}.{name}`"),
                Space::Class => format!("class `{alias}.{name}`"),
            };
            let message = format!("the {shown} comes from both this {what} and a star import in the same block");
            self.report(
                error(codes::IMPORTS_CLASH, message)
                    .at(span, format!("imports `{alias}.{name}`"))
                    .also(star, format!("also imports `{alias}.{name}`"))
                    .help("rename this one with `as`"),
            );
            return;
        }
    }

    /// A name of `module` that is also a name of `star` under the alias.
    fn common_name(&mut self, star: EnvId, module: EnvId, alias: &Name) -> Option<(Space, String)> {
        // The scope of a file includes everything around it, so common names are found among the core functions and
        // variables, and the definitions of the module's file.
        let mut names: Vec<(Space, String)> = Vec::new();
        match &self.scopes[module].names {
            Names::System(system) => {
                names.extend(library::functions_of(system).map(|def| (Space::Func, def.name().to_owned())));
                names.extend(library::variables_of(system).map(|known| (Space::Var, known.name.to_owned())));
            }
            Names::Block(block) => {
                names.push((Space::Var, "hostname".to_owned()));
                names.extend(block.binds.iter().map(|entry| (Space::Var, entry.bind.name.to_string())));
                let mut functions: Vec<String> = block.funcs.keys().map(|name| name.to_string()).collect();
                functions.sort();
                names.extend(functions.into_iter().map(|name| (Space::Func, name)));
            }
            Names::Few(_) => {}
        }
        let found = |found: super::env::Found| !matches!(found, super::env::Found::Missing | super::env::Found::Broken);
        names.into_iter().find(|(space, name)| {
            let prefixed = format!("{alias}.{name}");
            found(self.find(star, *space, &prefixed))
        })
    }

    /// Checks the alias of an include against those of the block's imports: equal spelled aliases were found as
    /// duplicates, this finds aliases derived from a path.
    pub(super) fn check_include_alias(&mut self, env: EnvId, alias: &Name, span: Span) {
        let first = self.scopes.block(env).and_then(|names| names.prefixes.first_derived(alias));
        let Some(first) = first.map(|import| import.span) else { return };
        let message = format!("an import and an include in one block are both named `{alias}`");
        self.report(
            error(codes::ALIAS_TWICE, message)
                .at(span, format!("`{alias}` again"))
                .also(first, format!("`{alias}` first"))
                .help("rename one of them with `as`"),
        );
    }
}

/// Suggests another import.
fn instead(said: Diagnostic, import: &hir::Import, ours: &str) -> Diagnostic {
    said.edit(import.path_span, format!("\"{ours}\""), format!("import `{ours}`"))
}

fn not_found(name: &str, kind: &ImportKind, why: &InputError) -> Diagnostic {
    match kind {
        ImportKind::Remote(path) if matches!(why, InputError::NoMetadata(_)) => {
            let help = match import_help::versioned(name).1 {
                Some(version) => format!("the name of a module has no version: remove `@{version}`"),
                None => format!(
                    "download it with `--download`, or put it in a modules directory as `{path}` with a `metadata.yaml`"
                ),
            };
            error(codes::MODULE_NOT_FOUND, format!("the module `{name}` is not available here: {why}")).help(help)
        }
        ImportKind::System | ImportKind::File(_) | ImportKind::Directory(_) | ImportKind::Remote(_) => {
            error(codes::MODULE_NOT_FOUND, format!("could not import `{name}`: {why}"))
        }
    }
}
