//! Candidates in and around resources: items, meta parameters, the ends of edges.

use super::List;
use super::candidate::{Candidate, CandidateKind};
use crate::ident::capitalized;
use crate::kinds::{self, MetaProperty};
use crate::marks::Role;
use crate::{manual, symbols, words};
use std::collections::BTreeSet;

impl List<'_> {
    pub(super) fn items(&mut self, kind: &str, has: &[String]) {
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
        let doc = "Meta parameters: how the engine handles this resource.";
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

    pub(super) fn metas(&mut self, between: &str, end: &str) {
        for property in MetaProperty::ALL {
            let candidate = Candidate::new(property.name(), CandidateKind::Field).detail(property.ty().to_string());
            self.add(candidate.doc(property.doc()).template(format!("{}{between}#{{}}{end}", property.name())));
        }
    }

    /// Kinds in the form of edges, those declared in the program first.
    pub(super) fn half_kinds(&mut self) {
        let marks = &self.analysis.parsed(self.at.file).marks;
        let declared: BTreeSet<&str> =
            marks.iter().filter(|mark| mark.role == Role::Kind).map(|mark| &*mark.name).collect();
        for kind in kinds::all() {
            let name = kind.decl().name;
            let label = capitalized(name);
            let rank = if declared.contains(name) { 1 } else { -2 };
            let candidate = Candidate::new(label.clone(), CandidateKind::Kind).detail("edge").rank(rank);
            self.add(
                candidate.doc(manual::first_sentence(kind.decl().doc)).template(format!("{label}[\"#{{name}}\"]")),
            );
        }
    }

    pub(super) fn resource_names(&mut self, kind: &str) {
        let start = format!("{kind}[");
        for (file, _) in self.analysis.sources().iter() {
            for symbol in symbols::of(self.analysis, file) {
                let name = symbol.name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(']'));
                if let Some(name) = name.filter(|name| !name.starts_with('$') && !name.ends_with('…')) {
                    self.add(Candidate::new(name, CandidateKind::Resource).detail(kind));
                }
            }
        }
    }

    pub(super) fn sent_fields(&mut self, kind: &str) {
        let Some(kind) = kinds::lookup(kind) else { return };
        for sent in kind.decl().traits.sends {
            self.add(Candidate::new(sent.name, CandidateKind::Field).detail(format!("sends {}", sent.ty())).rank(1));
        }
        for field in kind.decl().fields.iter().filter(|field| field.host.language().is_some()) {
            self.add(Candidate::new(field.name, CandidateKind::Field).detail(field.ty().to_string()).doc(field.doc));
        }
    }
}
