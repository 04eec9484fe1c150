//! What could be typed at a place. The caller filters by what is typed already; here the candidates are
//! ranked by how near they are.

use super::Position;
use super::analysis::Analysis;
use super::blocks::{self, Known, Text, What};
use super::context::{self, Context, MemberOf};
use super::manual;
use super::marks::Role;
use super::rename::TextEdit;
use super::resolve::{self, Member};
use super::words;
use crate::corelib::{self, FnDef, Variable};
use crate::kinds::{self, KindDecl, MetaProperty};
use crate::lex::TokenKind;
use crate::source::World;
use crate::span::Span;
use std::collections::BTreeSet;

/// The candidates for a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// What is typed already, and is replaced.
    pub replace: Span,
    pub candidates: Vec<Candidate>,
}

/// One thing that could be typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub label: String,
    pub kind: CandidateKind,
    /// Its type or signature.
    pub detail: String,
    /// A sentence or more, in Markdown.
    pub doc: String,
    /// A template where it is not the label: `#{name}` is a place to fill in.
    pub template: Option<String>,
    /// What else is to be changed, such as an import.
    pub edits: Vec<TextEdit>,
    /// Higher comes first.
    pub rank: i8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CandidateKind {
    Variable,
    Function,
    Class,
    Module,
    Kind,
    Field,
    Keyword,
    Type,
    Resource,
}

impl CandidateKind {
    pub fn name(self) -> &'static str {
        match self {
            CandidateKind::Variable => "variable",
            CandidateKind::Function => "function",
            CandidateKind::Class => "class",
            CandidateKind::Module => "module",
            CandidateKind::Kind => "kind",
            CandidateKind::Field => "field",
            CandidateKind::Keyword => "keyword",
            CandidateKind::Type => "type",
            CandidateKind::Resource => "resource",
        }
    }
}

impl Candidate {
    fn new(label: impl Into<String>, kind: CandidateKind) -> Candidate {
        let (detail, doc) = (String::new(), String::new());
        Candidate { label: label.into(), kind, detail, doc, template: None, edits: Vec::new(), rank: 0 }
    }

    fn detail(self, detail: impl Into<String>) -> Candidate {
        Candidate { detail: detail.into(), ..self }
    }

    fn doc(self, doc: impl Into<String>) -> Candidate {
        Candidate { doc: doc.into(), ..self }
    }

    fn template(self, template: impl Into<String>) -> Candidate {
        Candidate { template: Some(template.into()), ..self }
    }

    fn rank(self, rank: i8) -> Candidate {
        Candidate { rank, ..self }
    }
}

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
    visible: Vec<Known>,
    out: Vec<Candidate>,
    seen: BTreeSet<String>,
}

impl List<'_> {
    /// Adds a candidate, unless a nearer one has its label.
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
            // What cannot be applied yet comes last.
            let rank = if kind.is_applicable() { 2 } else { -2 };
            let doc = manual::first_sentence(decl.doc);
            let candidate = Candidate::new(decl.name, CandidateKind::Kind).detail("resource").doc(doc);
            self.add(candidate.template(resource_template(decl)).rank(rank));
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
        let stars: Vec<Known> = self.own(|what| matches!(what, What::Import(_) | What::Include(_)));
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

    /// The names of some sort, innermost first.
    fn own(&self, is_meant: impl Fn(&What) -> bool) -> Vec<Known> {
        self.visible.iter().filter(|known| is_meant(&known.what)).cloned().collect()
    }

    fn variables(&mut self, with_dollar: bool) {
        for known in self.own(|what| matches!(what, What::Var | What::Param)) {
            self.variable(&known, with_dollar, 3);
        }
        for alias in self.own(|what| matches!(what, What::Include(_) | What::Import(_))) {
            let members = resolve::members(self.analysis, self.at.file, &alias, &self.visible, 0);
            let prefix = if alias.name == "*" { String::new() } else { format!("{}.", alias.name) };
            for member in members {
                self.variable_behind(&prefix, &member, with_dollar);
            }
        }
        for known in corelib::top_level_variables() {
            self.core_variable("", known, with_dollar, 0);
        }
    }

    fn variable_behind(&mut self, prefix: &str, member: &Member, with_dollar: bool) {
        match member {
            Member::Variable(known) => self.core_variable(prefix, known, with_dollar, 1),
            Member::Own(_, known) if matches!(known.what, What::Var | What::Param) => {
                let known = Known { name: format!("{prefix}{}", known.name), ..known.clone() };
                self.variable(&known, with_dollar, 2);
            }
            Member::Own(..) | Member::Function(_) => {}
        }
    }

    fn variable(&mut self, known: &Known, with_dollar: bool, rank: i8) {
        let sigil = if with_dollar { "$" } else { "" };
        let detail = self.analysis.types_defined_at(known.span).join(" | ");
        let doc = match known.what {
            What::Var => super::hover::comment_above(self.analysis, known.span),
            _ => String::new(),
        };
        self.add(
            Candidate::new(format!("{sigil}{}", known.name), CandidateKind::Variable)
                .detail(detail)
                .doc(doc)
                .rank(rank),
        );
    }

    fn core_variable(&mut self, prefix: &str, known: &Variable, with_dollar: bool, rank: i8) {
        let sigil = if with_dollar { "$" } else { "" };
        let ty = match known.value {
            corelib::Builtin::Str(_) | corelib::Builtin::Hostname => "str",
            corelib::Builtin::Int(_) => "int",
        };
        let label = format!("{sigil}{prefix}{}", known.name);
        self.add(Candidate::new(label, CandidateKind::Variable).detail(ty).doc(known.doc).rank(rank));
    }

    fn members(&mut self, alias: &str, of: MemberOf) {
        let known = self.visible.iter().find(|known| resolve::is_alias(known) && known.name == alias).cloned();
        if let Some(known) = known {
            let members = resolve::members(self.analysis, self.at.file, &known, &self.visible, 0);
            return members.iter().for_each(|member| self.member(member, of));
        }
        // `const.` leads on to the constants of the language.
        if matches!(of, MemberOf::Variables | MemberOf::Holes) {
            let prefix = format!("{alias}.");
            for known in corelib::top_level_variables() {
                let Some(rest) = known.name.strip_prefix(prefix.as_str()) else { continue };
                self.add(Candidate::new(rest, CandidateKind::Variable).doc(known.doc));
            }
        }
        // A module that is not imported yet: the import comes along.
        let module =
            corelib::module_names().filter(|module| default_alias(module) == alias).min_by_key(|module| module.len());
        let Some(found) = module.and_then(corelib::module) else { return };
        let edit = module.map(|module| self.import(module));
        let members =
            found.functions.into_iter().map(Member::Function).chain(found.variables.into_iter().map(Member::Variable));
        let from = self.out.len();
        members.for_each(|member| self.member(&member, of));
        for candidate in &mut self.out[from..] {
            candidate.edits.extend(edit.clone());
        }
    }

    fn member(&mut self, member: &Member, of: MemberOf) {
        match (of, member) {
            (MemberOf::Functions, Member::Function(def)) if !def.name().starts_with('_') => {
                self.add(core_call(def));
            }
            (MemberOf::Functions, Member::Own(file, known)) if matches!(known.what, What::Func(_)) => {
                let head = resolve::own_head(self.analysis, *file, known);
                let doc = super::hover::comment_above(self.analysis, known.span);
                self.add(call(&known.name, head.strip_prefix(known.name.as_str()).unwrap_or(&head), &doc));
            }
            (MemberOf::Variables | MemberOf::Holes, Member::Variable(known)) => {
                self.core_variable("", known, false, 0);
            }
            (MemberOf::Variables | MemberOf::Holes, Member::Own(_, known))
                if matches!(known.what, What::Var | What::Param) =>
            {
                self.variable(known, false, 0);
            }
            (MemberOf::Classes, Member::Own(file, known)) if matches!(known.what, What::Class(_)) => {
                let head = resolve::own_head(self.analysis, *file, known);
                self.add(class(&known.name, &head, String::new()));
            }
            _ => {}
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

    fn items(&mut self, kind: &str, has: &[String]) {
        if let Some(kind) = kinds::lookup(kind) {
            for field in kind.decl().fields.iter().filter(|field| field.host.language().is_some()) {
                if has.iter().any(|set| set == field.name) {
                    continue;
                }
                let candidate = Candidate::new(field.name, CandidateKind::Field).detail(kinds::docs::type_text(field));
                let rank = if field.required { 3 } else { 2 };
                self.add(candidate.doc(manual::field(field)).template(format!("{} => #{{}},", field.name)).rank(rank));
            }
        }
        for (word, doc) in words::EDGES {
            let template = format!("{word} => #{{Kind}}[#{{\"name\"}}],");
            self.add(Candidate::new(word, CandidateKind::Keyword).detail("edge").doc(doc).template(template).rank(1));
        }
        let doc = "The engine's knobs for this resource.";
        self.add(
            Candidate::new("Meta", CandidateKind::Keyword)
                .detail("meta parameters")
                .doc(doc)
                .template("Meta:#{}")
                .rank(1),
        );
        for property in MetaProperty::ALL {
            let label = format!("Meta:{}", property.name());
            let template = format!("{label} => #{{}},");
            let candidate = Candidate::new(label, CandidateKind::Field).detail(property.ty().to_string());
            self.add(candidate.doc(property.doc()).template(template).rank(-1));
        }
    }

    fn metas(&mut self, between: &str, end: &str) {
        for property in MetaProperty::ALL {
            let candidate = Candidate::new(property.name(), CandidateKind::Field).detail(property.ty().to_string());
            self.add(candidate.doc(property.doc()).template(format!("{}{between}#{{}}{end}", property.name())));
        }
    }

    /// Kinds as edges write them, those that the program declares first.
    fn half_kinds(&mut self) {
        let marks = &self.analysis.parsed(self.at.file).marks;
        let declared: BTreeSet<&str> =
            marks.iter().filter(|mark| mark.role == Role::Kind).map(|mark| &*mark.name).collect();
        for kind in kinds::all() {
            let name = kind.decl().name;
            let chunks: Vec<String> = name.split(':').map(capitalized).collect();
            let label = chunks.join(":");
            let rank = if declared.contains(name) { 1 } else { -2 };
            let candidate = Candidate::new(label.clone(), CandidateKind::Kind).detail("edge").rank(rank);
            self.add(
                candidate.doc(manual::first_sentence(kind.decl().doc)).template(format!("{label}[\"#{{name}}\"]")),
            );
        }
    }

    fn resource_names(&mut self, kind: &str) {
        let start = format!("{kind}[");
        for (file, _) in self.analysis.sources().iter() {
            for symbol in super::symbols::of(self.analysis, file) {
                let name = symbol.name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(']'));
                if let Some(name) = name.filter(|name| !name.starts_with('$') && !name.ends_with('…')) {
                    self.add(Candidate::new(name, CandidateKind::Resource).detail(kind));
                }
            }
        }
    }

    fn sent_fields(&mut self, kind: &str) {
        let Some(kind) = kinds::lookup(kind) else { return };
        for sent in kind.decl().traits.sends {
            self.add(Candidate::new(sent.name, CandidateKind::Field).detail(format!("sends {}", sent.ty())).rank(1));
        }
        for field in kind.decl().fields.iter().filter(|field| field.host.language().is_some()) {
            self.add(Candidate::new(field.name, CandidateKind::Field).detail(field.ty().to_string()).doc(field.doc));
        }
    }

    fn classes(&mut self) {
        for known in self.own(|what| matches!(what, What::Class(_))) {
            let head = resolve::own_head(self.analysis, self.at.file, &known);
            let doc = super::hover::comment_above(self.analysis, known.span);
            self.add(class(&known.name, &head, doc));
        }
        for alias in self.own(|what| matches!(what, What::Import(_) | What::Include(_))) {
            let members = resolve::members(self.analysis, self.at.file, &alias, &self.visible, 0);
            for member in members {
                if let Member::Own(file, known) = member
                    && matches!(known.what, What::Class(_))
                {
                    let prefix = if alias.name == "*" { String::new() } else { format!("{}.", alias.name) };
                    let head = resolve::own_head(self.analysis, file, &known);
                    self.add(class(&format!("{prefix}{}", known.name), &format!("{prefix}{head}"), String::new()));
                }
            }
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

fn default_alias(module: &str) -> &str {
    module.rsplit('/').next().unwrap_or(module)
}

fn capitalized(chunk: &str) -> String {
    let mut chunk = chunk.to_owned();
    if let Some(first) = chunk.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    chunk
}

/// `name(…)`, ready for its arguments.
fn call(name: &str, signature: &str, doc: &str) -> Candidate {
    let template = if signature.starts_with("()") { format!("{name}()") } else { format!("{name}(#{{}})") };
    Candidate::new(name, CandidateKind::Function).detail(signature).doc(doc).template(template)
}

fn core_call(def: &'static FnDef) -> Candidate {
    let forms = manual::signatures(def);
    let first = forms.first().map_or("", |form| form.strip_prefix(def.path).unwrap_or(form));
    let more = if forms.len() > 1 { format!("{first}, …") } else { first.to_owned() };
    let candidate = call(def.name(), first, manual::first_sentence(def.doc));
    candidate.detail(more)
}

fn class(name: &str, head: &str, doc: String) -> Candidate {
    let has_params = head.contains('$');
    let template = if has_params { format!("{name}(#{{}})") } else { name.to_owned() };
    let detail = head.strip_prefix(name).unwrap_or_default();
    Candidate::new(name, CandidateKind::Class).detail(detail).doc(doc).template(template)
}

/// A resource with the fields that it must have.
fn resource_template(decl: &KindDecl) -> String {
    let required: Vec<&str> = decl.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut template = format!("{} \"#{{name}}\" {{\n", decl.name);
    for field in &required {
        template.push_str(&format!("\t{field} => #{{}},\n"));
    }
    if required.is_empty() {
        template.push_str("\t#{}\n");
    }
    template + "}"
}
