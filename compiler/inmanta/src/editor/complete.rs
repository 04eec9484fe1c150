//! Completion at a position: members after a dot, names of a module after `::`, attributes in a constructor, modules
//! after `import`, and elsewhere keywords, variables, entities and modules.

use super::Own;
use super::hover::{by_name, summary};
use super::models::Lookup;
use super::names::Target;
use crate::lex::{KEYWORDS, Keyword, Tok, Token};
use crate::library::MODULES;
use crate::program::{AttrKind, Def, EntityId, NsId, Program};
use mclive_base::span::Span;
use mclive_ide::{Candidate, CandidateKind, Completion, Position};
use std::collections::{BTreeMap, BTreeSet};

/// Types without a definition.
const PRIMITIVES: [&str; 7] = ["string", "int", "float", "bool", "list", "dict", "number"];

pub(super) fn at(lookup: Lookup<'_>, at: Position) -> Completion {
    let nothing = |span| Completion { replace: span, candidates: Vec::new() };
    let Some(own) = lookup.own(at.file) else { return nothing(Span::new(at.file, 0, 0)) };
    let offset = at.offset.min(own.text.len() as u32);
    // The last one is the end of the file.
    let tokens = &own.lexed.tokens[..own.lexed.tokens.len().saturating_sub(1)];
    let here = Span { file: at.file, start: offset, end: offset };
    let in_comment = own.lexed.comments.iter().any(|span| span.start < offset && offset <= span.end);
    let touching = tokens.iter().find(|token| token.span.start < offset && offset <= token.span.end);
    let (replace, before) = match touching.map(|token| &token.tok) {
        _ if in_comment => return nothing(here),
        Some(Tok::Id(_) | Tok::Cid(_) | Tok::Keyword(_)) => {
            let span = touching.map_or(here, |token| token.span);
            (span, tokens.iter().filter(|token| token.span.end <= span.start).collect::<Vec<_>>())
        }
        Some(Tok::String | Tok::RawString | Tok::FString | Tok::LongString | Tok::Regex | Tok::Int | Tok::Float) => {
            return nothing(here);
        }
        _ => (here, tokens.iter().filter(|token| token.span.end <= offset).collect()),
    };
    let mut list = List { lookup, out: BTreeMap::new() };
    list.fill(own, &before, replace);
    Completion { replace, candidates: list.out.into_values().collect() }
}

struct List<'a> {
    lookup: Lookup<'a>,
    out: BTreeMap<String, Candidate>,
}

impl List<'_> {
    fn program(&self) -> &Program {
        &self.lookup.model().program
    }

    fn add(
        &mut self,
        label: &str,
        kind: CandidateKind,
        (detail, doc): (String, String),
        template: Option<String>,
        rank: i8,
    ) {
        let candidate = Candidate { label: label.to_owned(), kind, detail, doc, template, edits: Vec::new(), rank };
        self.out.entry(label.to_owned()).or_insert(candidate);
    }

    fn fill(&mut self, own: &Own, before: &[&Token], replace: Span) {
        let text = |token: &Token| &own.text[token.span.start as usize..token.span.end as usize];
        match before {
            [.., base, dot] if dot.tok == Tok::Sign('.') => {
                if let Some(entity) = self.holds(base.span) {
                    self.members(entity, &[], "");
                }
            }
            [rest @ .., path] if path.tok == Tok::Path => {
                let n_words = rest.iter().rev().take_while(|token| matches!(token.tok, Tok::Id(_) | Tok::Path)).count();
                let written: String = rest[rest.len() - n_words..].iter().map(|token| text(token)).collect();
                match rest.len().checked_sub(n_words + 1).map(|at| &rest[at].tok) {
                    Some(Tok::Keyword(Keyword::Import)) => self.modules(&format!("{written}::")),
                    _ => self.of_namespace(&written, replace),
                }
            }
            [.., word] if word.tok == Tok::Keyword(Keyword::Import) => self.modules(""),
            [.., word] if matches!(word.tok, Tok::Keyword(Keyword::Using)) => {
                self.visible(replace, false);
                self.add("parents", CandidateKind::Keyword, Default::default(), None, 1);
            }
            _ => {
                if let Some((entity, given)) = self.constructor(before) {
                    self.members(entity, &given, "=");
                }
                self.visible(replace, true);
            }
        }
    }

    /// The entity of the value of the name at a span.
    fn holds(&self, span: Span) -> Option<EntityId> {
        let lookup = self.lookup;
        let program = self.program();
        let mark = lookup.marks.starting(span.file, span.start);
        match mark.map(|mark| &mark.target) {
            Some(Target::Variable(first)) => lookup.marks.entity_of(*first),
            Some(Target::Attr(attr)) => program.end(*attr).map(|end| end.target),
            Some(_) => None,
            None => self.by_name(span),
        }
    }

    /// The same for a line that does not parse yet: by the name alone.
    fn by_name(&self, span: Span) -> Option<EntityId> {
        let model = self.lookup.model();
        let own = self.lookup.own(span.file)?;
        let name = own.text.get(span.start as usize..span.end as usize)?;
        let around = self.around(span);
        if name == "self" {
            return around;
        }
        let end =
            around.and_then(|entity| model.program.slot(entity, name)).and_then(|(_, attr)| model.program.end(attr));
        if let Some(end) = end {
            return Some(end.target);
        }
        let same = |first: &Span| model.sources.slice(*first) == name.as_bytes();
        let all = model.program.tree.stmts.values().filter_map(|stmt| match &stmt.kind {
            crate::ast::StmtKind::Assign { target, .. } if *target.name == *name => Some(target.span),
            crate::ast::StmtKind::For { var_span, .. } => Some(*var_span),
            _ => None,
        });
        all.filter(same).filter(|first| first.file == span.file).find_map(|first| self.lookup.marks.entity_of(first))
    }

    /// The entity whose implementation contains a position.
    fn around(&self, span: Span) -> Option<EntityId> {
        let own = self.lookup.own(span.file)?;
        let program = self.program();
        own.tree.items.iter().find_map(|item| match item {
            crate::ast::Item::Define(crate::ast::Definition::Implementation(def))
                if def.span.start <= span.start && span.end <= def.span.end =>
            {
                program
                    .implementations
                    .values()
                    .find(|known| known.name_span == def.name_span)
                    .map(|known| known.entity)
            }
            _ => None,
        })
    }

    /// The entity of the constructor at a position, if it is at the start of an argument, and the attributes already
    /// given.
    fn constructor(&self, before: &[&Token]) -> Option<(EntityId, Vec<String>)> {
        if !matches!(before.last()?.tok, Tok::Sign('(' | ',')) {
            return None;
        }
        let mut depth = 0;
        let open = before.iter().rposition(|token| match token.tok {
            Tok::Sign(')' | ']' | '}') => {
                depth += 1;
                false
            }
            Tok::Sign('(' | '[' | '{') if depth > 0 => {
                depth -= 1;
                false
            }
            Tok::Sign('(' | '[' | '{') => true,
            _ => false,
        })?;
        let name = before.get(open.checked_sub(1)?)?;
        let Tok::Cid(class) = &name.tok else { return None };
        let given =
            before[open..].windows(2).filter(|pair| pair[1].tok == Tok::Sign('=')).filter_map(|pair| {
                match &pair[0].tok {
                    Tok::Id(name) => Some(name.to_string()),
                    _ => None,
                }
            });
        let marked = self.lookup.marks.starting(name.span.file, name.span.start).map(|mark| mark.target.clone());
        match marked.or_else(|| by_name(self.program(), class))? {
            Target::Entity(entity) => Some((entity, given.collect())),
            _ => None,
        }
    }

    fn members(&mut self, entity: EntityId, given: &[String], behind: &str) {
        let attrs: Vec<_> = self.program().entities[entity].slots.values().copied().collect();
        for attr in attrs {
            let program = self.program();
            let name = program.attrs[attr].name.to_string();
            if given.contains(&name) {
                continue;
            }
            let is_needed = match &program.attrs[attr].kind {
                AttrKind::Plain(_) => {
                    let slot = program.slot(entity, &name).map(|(slot, _)| slot);
                    slot.is_some_and(|slot| program.entities[entity].defaults.get(slot).is_some_and(Option::is_none))
                }
                AttrKind::End(end) => end.low > 0,
            };
            let template = (!behind.is_empty()).then(|| format!("{name}{behind}"));
            let told = summary(self.lookup, &Target::Attr(attr));
            self.add(&name, CandidateKind::Field, told, template, if is_needed { 4 } else { 3 });
        }
    }

    fn modules(&mut self, prefix: &str) {
        let mut names: Vec<String> = MODULES.iter().map(|(name, _)| (*name).to_owned()).collect();
        names.extend(self.lookup.modules());
        for name in names {
            if let Some(rest) = name.strip_prefix(prefix).filter(|rest| !rest.is_empty() && !rest.contains("::")) {
                self.add(rest, CandidateKind::Module, (format!("module {name}"), String::new()), None, 1);
            }
        }
    }

    fn def(&mut self, label: &str, def: Def, rank: i8) {
        let (target, kind, template) = match def {
            Def::Entity(id) => (Target::Entity(id), CandidateKind::Class, None),
            Def::Typedef(id) => (Target::Typedef(id), CandidateKind::Type, None),
            Def::Implementation(id) => (Target::Implementation(id), CandidateKind::Function, None),
            Def::Function(id) => (Target::Function(id), CandidateKind::Function, Some(format!("{label}(#{{}})"))),
        };
        let told = summary(self.lookup, &target);
        self.add(label, kind, told, template, rank);
    }

    /// The members of a module.
    fn of_namespace(&mut self, written: &str, replace: Span) {
        let program = self.program();
        let here = crate::manual::namespace_of(program, replace.file);
        let visible = here.and_then(|here| program.namespaces[here].visible.get(written).copied());
        let Some(ns) = visible.or_else(|| program.by_name.get(written).copied()) else { return };
        let types: Vec<(String, Def)> =
            program.namespaces[ns].types.iter().map(|(name, def)| (name.to_string(), *def)).collect();
        let vars: Vec<String> = program.namespaces[ns].vars.keys().map(|name| name.to_string()).collect();
        for (name, def) in types {
            self.def(&name, def, 2);
        }
        for name in vars {
            self.add(&name, CandidateKind::Variable, Default::default(), None, 2);
        }
    }

    /// The names visible without a qualifier.
    fn visible(&mut self, replace: Span, with_words: bool) {
        let program = self.program();
        let here = crate::manual::namespace_of(program, replace.file);
        if let Some(entity) = self.around(replace) {
            self.members(entity, &[], "");
            self.add("self", CandidateKind::Variable, Default::default(), None, 2);
        }
        let mut local: Vec<(String, Span)> =
            self.lookup.marks.local(replace).map(|(name, first)| (name.to_string(), first)).collect();
        // An inner name hides the outer ones.
        let mut seen = BTreeSet::new();
        local.retain(|(name, _)| seen.insert(name.clone()));
        for (name, first) in local {
            let told = summary(self.lookup, &Target::Variable(first));
            self.add(&name, CandidateKind::Variable, told, None, 3);
        }
        if let Some(here) = here {
            self.of_file(here);
        }
        if with_words {
            for (word, _) in KEYWORDS {
                self.add(word, CandidateKind::Keyword, Default::default(), None, 0);
            }
            for name in PRIMITIVES {
                self.add(name, CandidateKind::Type, Default::default(), None, 0);
            }
        }
    }

    fn of_file(&mut self, here: NsId) {
        let program = self.program();
        let namespace = &program.namespaces[here];
        let vars: Vec<(String, Option<Span>)> =
            namespace.vars.iter().map(|(name, signs)| (name.to_string(), self.lookup.marks.first(signs))).collect();
        let types: Vec<(String, Def)> = namespace.types.iter().map(|(name, def)| (name.to_string(), *def)).collect();
        let mut modules: Vec<String> = namespace.visible.keys().map(|name| name.to_string()).collect();
        modules.sort();
        for (name, first) in vars {
            let told = first.map(|first| summary(self.lookup, &Target::Variable(first))).unwrap_or_default();
            self.add(&name, CandidateKind::Variable, told, None, 2);
        }
        for (name, def) in types {
            self.def(&name, def, 2);
        }
        for name in modules.iter().filter(|name| *name != "__config__") {
            self.add(
                name,
                CandidateKind::Module,
                (format!("module {name}"), String::new()),
                Some(format!("{name}::")),
                1,
            );
        }
    }
}
