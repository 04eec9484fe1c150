//! Completion at a position. The caller filters by the typed text; here candidates are ranked by proximity.

mod candidate;
mod names;
mod resources;

pub use candidate::{Candidate, CandidateKind, Completion};

use super::Position;
use super::analysis::Analysis;
use super::blocks::{self, Definition, Text, What};
use super::context::{self, Context, MemberOf};
use super::manual;
use super::rename::TextEdit;
use super::resolve;
use super::words;
use crate::corelib;
use crate::kinds;
use crate::lex::TokenKind;
use crate::source::ProgramFiles;
use crate::span::Span;
use candidate::{call, core_call, default_alias, resource_template};
use std::collections::BTreeSet;

pub(super) fn at(analysis: &Analysis, at: Position) -> Completion {
    let (context, replace) = context::at(analysis, at);
    let text = Text::of(analysis, at);
    let offset = analysis.clamp(at);
    let mut list = List { analysis, at, text: &text, visible: Vec::new(), out: Vec::new(), seen: BTreeSet::new() };
    if context != Context::Nothing {
        list.visible = blocks::visible(&text, offset);
    }
    match context {
        Context::Nothing => {}
        Context::Statement => list.statement(),
        Context::Expression => list.expression(),
        Context::Operator => list.words(&[TokenKind::And, TokenKind::Or, TokenKind::In]),
        Context::Variable { in_hole } => list.variables(!in_hole),
        Context::Member { alias, of } => list.members(&alias, of),
        Context::Type => list.types(),
        Context::Item { kind, has } => list.items(&kind, &has),
        Context::MetaProperty => list.metas(" => ", ","),
        Context::MetaField => list.metas(" => ", ","),
        Context::HalfKind => list.half_kinds(),
        Context::ResourceName { kind } => list.resource_names(&kind),
        Context::SentField { kind } => list.sent_fields(&kind),
        Context::Class => list.classes(),
        Context::ImportPath => list.import_paths(),
    }
    Completion { replace, candidates: list.out }
}

struct List<'a> {
    analysis: &'a Analysis,
    at: Position,
    text: &'a Text<'a>,
    visible: Vec<Definition>,
    out: Vec<Candidate>,
    seen: BTreeSet<String>,
}

impl List<'_> {
    /// Adds a candidate, unless a closer one has the same label.
    fn add(&mut self, candidate: Candidate) {
        if self.seen.insert(candidate.label.clone()) {
            self.out.push(candidate);
        }
    }

    fn words(&mut self, kinds: &[TokenKind]) {
        for kind in kinds {
            let word = kind.shown().trim_matches('`');
            self.add(Candidate::new(word, CandidateKind::Keyword).doc(words::doc(*kind).unwrap_or_default()));
        }
    }

    fn statement(&mut self) {
        let templates = [
            (TokenKind::If, "if #{condition} {\n\t#{}\n}"),
            (TokenKind::For, "for #{$index}, #{$value} in #{$list} {\n\t#{}\n}"),
            (TokenKind::ForKv, "forkv #{$key}, #{$value} in #{$map} {\n\t#{}\n}"),
            (TokenKind::Func, "func #{name}(#{$x}) {\n\t#{$x}\n}"),
            (TokenKind::Class, "class #{name}(#{$x}) {\n\t#{}\n}"),
            (TokenKind::Include, "include #{class}"),
            (TokenKind::Import, "import \"#{module}\""),
            (TokenKind::Panic, "panic(#{condition})"),
            (TokenKind::Collect, "collect #{kind} #{$names} {\n\t#{}\n}"),
        ];
        for (kind, template) in templates {
            let word = kind.shown().trim_matches('`');
            let doc = words::doc(kind).unwrap_or_default();
            self.add(Candidate::new(word, CandidateKind::Keyword).doc(doc).template(template).rank(1));
        }
        for kind in kinds::all() {
            let decl = kind.decl();
            let doc = manual::first_sentence(decl.doc);
            let candidate = Candidate::new(decl.name, CandidateKind::Kind).detail("resource").doc(doc);
            self.add(candidate.template(resource_template(decl)).rank(2));
        }
        self.half_kinds();
        for name in self.own(|what| matches!(what, What::Var)) {
            self.variable(&name, true, -1);
        }
    }

    fn expression(&mut self) {
        self.variables(true);
        for known in self.own(|what| matches!(what, What::Func(_))) {
            let head = resolve::own_head(self.analysis, self.at.file, &known);
            let doc = super::hover::comment_above(self.analysis, known.span);
            self.add(call(&known.name, head.strip_prefix(known.name.as_str()).unwrap_or(&head), &doc).rank(2));
        }
        let stars: Vec<Definition> = self.own(|what| matches!(what, What::Import(_) | What::Include(_)));
        for alias in &stars {
            if alias.name == "*" {
                let members = resolve::members(self.analysis, self.at.file, alias, &self.visible, 0);
                members.iter().for_each(|member| self.member(member, MemberOf::Functions));
            } else {
                let detail = match &alias.what {
                    What::Import(path) => format!("import \"{path}\""),
                    _ => "include".to_owned(),
                };
                self.add(
                    Candidate::new(&alias.name, CandidateKind::Module)
                        .detail(detail)
                        .template(format!("{}.", alias.name))
                        .rank(1),
                );
            }
        }
        for def in corelib::top_level().filter(|def| !def.path.starts_with('_')) {
            self.add(core_call(def));
        }
        for module in corelib::module_names().filter(|module| !module.is_empty()) {
            let alias = default_alias(module);
            let candidate = Candidate::new(alias, CandidateKind::Module).detail(format!("import \"{module}\""));
            let candidate = Candidate { edits: vec![self.import(module)], ..candidate };
            self.add(candidate.template(format!("{alias}.")).rank(-1));
        }
        self.words(&[TokenKind::If, TokenKind::Func, TokenKind::Not, TokenKind::Struct]);
        for word in ["true", "false"] {
            self.add(Candidate::new(word, CandidateKind::Keyword).detail("bool"));
        }
    }

    fn types(&mut self) {
        self.words(&[TokenKind::StrType, TokenKind::IntType, TokenKind::BoolType, TokenKind::FloatType]);
        let composed = [
            ("[]str", "[]#{str}", "A list."),
            ("map", "map{#{str}: #{str}}", "Keys and values."),
            ("struct", "struct{#{name} #{str}}", "Named fields."),
            ("func", "func(#{str}) #{str}", "A function."),
        ];
        for (label, template, doc) in composed {
            self.add(Candidate::new(label, CandidateKind::Type).doc(doc).template(template));
        }
        for candidate in &mut self.out {
            candidate.kind = CandidateKind::Type;
        }
    }

    fn import_paths(&mut self) {
        for module in corelib::module_names() {
            let rank = if module.contains('/') { 0 } else { 1 };
            self.add(Candidate::new(module, CandidateKind::Module).detail("core library").rank(rank));
        }
        let here = &self.text.source.path;
        let base = &here[..here.rfind('/').map_or(0, |at| at + 1)];
        for path in self.analysis.world.list(base).into_iter().filter(|path| path != here) {
            let Some(rest) = path.strip_prefix(base) else { continue };
            if rest.ends_with(".mcl") {
                self.add(Candidate::new(rest, CandidateKind::Module).detail("file").rank(2));
            } else if let Some(dir) = rest.strip_suffix("metadata.yaml") {
                self.add(Candidate::new(dir, CandidateKind::Module).detail("module").rank(2));
            }
        }
    }

    fn import(&self, module: &str) -> TextEdit {
        let at = crate::scope::import_place(&self.text.source.text);
        TextEdit { span: Span::new(self.at.file, at, at), text: format!("import \"{module}\"\n") }
    }
}
