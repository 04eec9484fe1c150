//! Lints of resources that compile but do nothing, or fail, on every host: files that are never created, commands that
//! need a shell, fields that no host accepts, and edges whose values never fit. Only unconditional literals are
//! considered.

use super::body::Body;
use super::{arguments, commands, fields, words};
use crate::diag::{Diagnostic, suggest};
use crate::hir::{Block, Edge, Expr, ExprKind, Half, Item, ItemKind, MetaProperty, Module, StmtKind};
use crate::kinds::{crontab, sendrecv};
use crate::source::Source;
use crate::span::Span;
use rustc_hash::FxHashMap;

pub(super) fn find(module: &Module, source: &Source, found: &mut Vec<Diagnostic>) {
    let mut finder = Finder { module, source, sends_state: false, found };
    finder.sends_state = finder.sends_state(&module.root);
    finder.block(&module.root, &mut PlainFiles::default());
}

/// Ends of the names of units that are not services.
const OTHER_UNITS: [&str; 9] = ["socket", "timer", "mount", "automount", "target", "path", "slice", "scope", "swap"];

/// Regular files that exist: by path, with the place that names them; `None`: the block that had it has ended.
type PlainFiles<'m> = FxHashMap<&'m str, Option<Span>>;

struct Finder<'m, 'f> {
    module: &'m Module,
    source: &'m Source,
    /// An edge sends a `state`, so no statement needs to set it.
    sends_state: bool,
    found: &'f mut Vec<Diagnostic>,
}

impl<'m> Finder<'m, '_> {
    /// `files` are the regular files of this block and those around it, which exist together. Returns those that the
    /// block has added: they end with it.
    fn block(&mut self, block: &'m Block, files: &mut PlainFiles<'m>) -> Vec<(&'m str, Span)> {
        let module = self.module;
        let resources = || Body::all(module, block);
        let is_known = |path: &str| files.get(path).is_some_and(Option::is_some);
        let inner: Vec<(&'m str, Span)> =
            resources().filter_map(Body::plain_file).filter(|(path, _)| !is_known(path)).collect();
        files.extend(inner.iter().map(|(path, span)| (*path, Some(*span))));
        for body in resources() {
            match &*body.resource.kind {
                "file" => self.file(body, files),
                "pkg" => self.package(body),
                "cron" => self.cron(body),
                "svc" => self.service(body),
                "mount" => self.mount(body),
                "user" => self.user(body),
                "timer" => self.timer(body),
                "exec" => self.exec(body),
                _ => {}
            }
            fields::find(body, self.found);
            self.meta(body);
        }
        for stmt in &block.stmts {
            if let StmtKind::Edge(edge) = &stmt.kind {
                self.edge(edge);
            }
        }
        for block in block.stmts.iter().flat_map(|stmt| stmt.kind.blocks()) {
            for (path, _) in self.block(block, files) {
                files.insert(path, None);
            }
        }
        inner
    }

    fn file(&mut self, body: Body<'m>, files: &PlainFiles<'m>) {
        let contents = ["content", "source", "fragments"].iter().find_map(|field| body.item(field));
        if let Some(first) = contents.filter(|_| body.item("state").is_none() && !self.sends_state) {
            let said = words::never_created(body.name_span());
            let said = self.with_item(said, first, "state => \"exists\",");
            self.found.push(said);
        }
        if body.path().is_some_and(|path| path.contains('*')) {
            self.found.push(words::wildcard(body.name_span()));
        }
        let is_link = body.item("symlink").is_some_and(|_| body.bool("symlink") != Some(false));
        if let Some((path, span)) = body.text("source")
            && !is_link
            && !path.is_empty()
            && !path.starts_with('/')
        {
            self.found.push(words::relative_source(path, span));
        }
        // With `absent` it has no effect, which is told as that.
        if let Some((owner, span)) = body.text("owner")
            && let Some((owner, group)) = owner.split_once(':')
            && body.text("state").is_none_or(|(state, _)| state != "absent")
        {
            self.found.push(words::owner_and_group(owner, group, span));
        }
        let is_absent =
            body.item("state").is_some_and(|_| body.text("state").is_none_or(|(state, _)| state != "exists"));
        let Some(path) = body.path().filter(|_| !is_absent) else { return };
        let plain = |path: &str| files.get_key_value(path).and_then(|(file, span)| Some((*file, (*span)?)));
        let mut above = path.match_indices('/').filter_map(|(at, _)| plain(&path[..at]));
        if let Some((file, span)) = above.next() {
            self.found.push(words::file_in_file(path, file, body.name_span(), span));
        }
    }

    /// A value that is sent to a field of another type.
    fn edge(&mut self, edge: &Edge) {
        let [from, to] = &*edge.halves else { return };
        let (Some(sent), Some(received)) = (&from.field, &to.field) else { return };
        if let Some((is, expects)) = sendrecv::never_fits(&from.kind, sent, &to.kind, received) {
            self.found.push(words::other_type(from, to, &is, &expects));
        }
    }

    fn cron(&mut self, body: Body<'m>) {
        let is_absent = body.text("state").is_some_and(|(state, _)| state == "absent");
        if let Some((time, span)) = body.text("time").filter(|(time, _)| !is_absent && crontab::is_crontab(time)) {
            self.found.push(words::crontab_time(time, span));
        }
        let unit = body.text("unit").filter(|(unit, _)| !is_absent && !unit.is_empty() && !unit.contains('.'));
        if let Some((unit, span)) = unit {
            self.found.push(words::bare_unit(unit, span));
        }
    }

    /// Any text is read as a version, also the states of other tools and a word that is misspelled.
    fn package(&mut self, body: Body<'m>) {
        if self.has_path_as_name(body) {
            return;
        }
        if let Some((name, span)) = body.name() {
            match pinned(name) {
                Some((package, version)) => self.found.push(words::pinned_name(package, version, span)),
                // That a variable is not replaced is another lint.
                None if name.contains("{{") => {}
                None if name.trim().contains(' ') => self.found.push(words::several_names(name, span)),
                None => {}
            }
        }
        let Some((state, span)) = body.text("state") else { return };
        let exact = state.trim_start_matches(['=', ' ']);
        let ours = match state {
            "installed" | "uninstalled" | "newest" | "latest" | "" => return,
            "present" | "exists" | "install" | "created" => "installed",
            "absent" | "removed" | "purged" | "deleted" | "missing" => "uninstalled",
            "upgraded" | "updated" => "newest",
            _ if state.starts_with('=') && !exact.is_empty() && !exact.contains('*') => exact,
            _ if state.starts_with(['<', '>', '=', '^', '~']) || state.contains('*') => "newest",
            // Every version has a number.
            _ if !state.bytes().any(|byte| byte.is_ascii_digit()) => {
                suggest::closest(state, ["installed", "newest", "uninstalled"]).unwrap_or("installed")
            }
            _ => return,
        };
        self.found.push(words::foreign_version(state, ours, span));
    }

    /// The unit of a `svc` is its name with `.service`.
    fn service(&mut self, body: Body<'m>) {
        if self.has_path_as_name(body) {
            return;
        }
        let Some((name, span)) = body.name() else { return };
        if let Some(service) = name.strip_suffix(".service").filter(|service| !service.is_empty()) {
            self.found.push(words::unit_name(name, service, span));
        }
        if name.rsplit_once('.').is_some_and(|(_, kind)| OTHER_UNITS.contains(&kind)) {
            self.found.push(words::other_unit(name, span));
        }
    }

    /// Reports a path or a URL in place of the name of a package or a service; `true` if there is one.
    fn has_path_as_name(&mut self, body: Body<'m>) -> bool {
        let Some((path, span)) = body.name().filter(|(name, _)| name.contains('/')) else { return false };
        let is_package = &*body.resource.kind == "pkg";
        let last = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path);
        let is_file = path.starts_with(['/', '.', '~']) || path.contains("://");
        let name = if let Some(file) = last.strip_suffix(".deb") {
            // Behind the name of the package are its version and its architecture.
            file.split('_').next().unwrap_or(file)
        } else if let Some(file) = [".rpm", ".service"].iter().find_map(|end| last.strip_suffix(end)) {
            file
        } else if is_package && !is_file {
            // As for `apt`, a release is behind the name.
            path.split('/').next().unwrap_or(path)
        } else {
            last
        };
        self.found.push(words::path_as_name(&body.resource.kind, name, span));
        true
    }

    fn user(&mut self, body: Body<'m>) {
        // With `absent` it has no effect, which is told as that.
        let is_absent = body.text("state").is_some_and(|(state, _)| state == "absent");
        let is_relative = |(shell, _): &(&str, Span)| !is_absent && !shell.is_empty() && !shell.starts_with('/');
        if let Some((shell, span)) = body.text("shell").filter(is_relative) {
            let folder = if shell == "nologin" { "/usr/sbin" } else { "/bin" };
            self.found.push(words::relative("shell", &format!("{folder}/{shell}"), span));
        }
    }

    fn mount(&mut self, body: Body<'m>) {
        if let Some((place, span)) = body.name().filter(|(place, _)| !place.starts_with('/')) {
            self.found.push(words::relative_mount(place, span));
        }
    }

    /// Numbers that the language accepts, although they mean nothing.
    fn meta(&mut self, body: Body<'m>) {
        for item in &body.resource.items {
            let ItemKind::Meta { property, value } = item.kind else { continue };
            let Expr { kind, span, .. } = &self.module.exprs[value];
            let (is, least) = match (property, kind) {
                (MetaProperty::Retry | MetaProperty::Poll, ExprKind::Int(is)) => (*is as f64, -1),
                (MetaProperty::Burst, ExprKind::Int(is)) => (*is as f64, 0),
                (MetaProperty::Limit, ExprKind::Float(is)) => (*is, 0),
                _ => continue,
            };
            if is < f64::from(least) {
                self.found.push(words::negative_meta(property, least, *span));
            }
        }
    }

    fn timer(&mut self, body: Body<'m>) {
        match body.item("interval") {
            None => self.found.push(words::no_interval(body.name_span())),
            Some(item) => {
                if let Some(Expr { kind: ExprKind::Int(0), span, .. }) = body.value(item) {
                    self.found.push(words::zero_interval(*span));
                }
            }
        }
    }

    fn exec(&mut self, body: Body<'m>) {
        // Another relative path may exist below the directory of the agent, but only a shell expands `~`.
        if let Some((cwd, span)) = body.text("cwd")
            && let Some(behind) = cwd.strip_prefix('~')
        {
            // `~` or `~user`
            let home = if behind.is_empty() || behind.starts_with('/') { "/root" } else { "/home/" };
            self.found.push(words::relative("cwd", &format!("{home}{behind}"), span));
        }
        for (field, shell) in commands::FIELDS {
            let has_shell = body.item(shell).is_some_and(|_| body.text(shell).is_none_or(|(path, _)| !path.is_empty()));
            let item = body.item(field);
            let command = if item.is_none() && field == "cmd" { body.name() } else { body.text(field) };
            let Some((command, span)) = command.filter(|_| !has_shell) else { continue };
            let Some(problem) = commands::problem(command) else { continue };
            let said = words::needs_shell(&problem, field, shell, span);
            let is_cmd_with_args = field == "cmd" && body.item("args").is_some();
            let said = match item {
                Some(item) if !is_cmd_with_args && problem.needs_shell() => {
                    self.with_item(said, item, &format!("{shell} => \"/bin/sh\","))
                }
                _ => said,
            };
            self.found.push(said);
        }
        self.arguments(body);
    }

    fn arguments(&mut self, body: Body<'m>) {
        let command = if body.item("cmd").is_none() { body.name() } else { body.text("cmd") };
        let args = body.texts("args").filter(|_| body.item("shell").is_none());
        let (Some((command, _)), Some(args)) = (command, args) else { return };
        let texts: Vec<Option<&str>> = args.iter().map(|arg| arg.map(|(text, _)| text)).collect();
        let Some((at, sign)) = arguments::sign(command, &texts) else { return };
        let Some((_, span)) = args[at] else { return };
        let is_word = |arg: &&str| !arg.contains(char::is_whitespace) || arg.starts_with("$(");
        let words = texts.into_iter().map(|arg| arg.filter(is_word)).collect::<Option<Vec<&str>>>();
        let whole = words.map(|words| format!("{command} {}", words.join(" ")));
        self.found.push(words::shell_in_args(sign, whole.as_deref(), span));
    }

    /// Adds an edit that inserts another item before this one, on a separate line if this one has a separate line.
    fn with_item(&self, said: Diagnostic, before: &Item, item: &str) -> Diagnostic {
        let start = before.span.start as usize;
        let ahead = &self.source.text[..start];
        let line = ahead.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let indent = &ahead[line..];
        let behind = match std::str::from_utf8(indent) {
            Ok(indent) if indent.bytes().all(|byte| matches!(byte, b' ' | b'\t')) => format!("\n{indent}"),
            _ => " ".to_owned(),
        };
        let place = Span { end: before.span.start, ..before.span };
        said.edit(place, format!("{item}{behind}"), format!("add `{item}`"))
    }

    fn sends_state(&self, block: &Block) -> bool {
        let is_state = |half: &Half| half.field.as_deref() == Some("state");
        block.stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Edge(edge) => edge.halves.iter().any(is_state),
            kind => kind.blocks().any(|block| self.sends_state(block)),
        })
    }
}

/// The name and the version in `nginx=1.20`, also in a requirement such as `nginx >= 1.20`.
fn pinned(name: &str) -> Option<(&str, &str)> {
    let (package, version) = name.split_once('=')?;
    let package = package.trim_end_matches([' ', '<', '>', '~', '!']).trim_start();
    let version = version.trim_start_matches(['=', ' ']).trim_end();
    let is_one = |part: &str| !part.is_empty() && !part.contains(' ');
    (is_one(package) && is_one(version)).then_some((package, version))
}
