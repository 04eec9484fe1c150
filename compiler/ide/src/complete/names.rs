//! Candidates that are names: variables, members after a dot, classes.

use super::List;
use super::candidate::{Candidate, CandidateKind, call, class, core_call, default_alias};
use crate::blocks::{Definition, What};
use crate::context::MemberOf;
use crate::corelib::{self, Variable};
use crate::hover;
use crate::resolve::{self, Member};

impl List<'_> {
    /// The names of one sort, innermost first.
    pub(super) fn own(&self, is_meant: impl Fn(&What) -> bool) -> Vec<Definition> {
        self.visible.iter().filter(|known| is_meant(&known.what)).cloned().collect()
    }

    pub(super) fn variables(&mut self, with_dollar: bool) {
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

    pub(super) fn variable_behind(&mut self, prefix: &str, member: &Member, with_dollar: bool) {
        match member {
            Member::Variable(known) => self.core_variable(prefix, known, with_dollar, 1),
            Member::Own(_, known) if matches!(known.what, What::Var | What::Param) => {
                let known = Definition { name: format!("{prefix}{}", known.name), ..known.clone() };
                self.variable(&known, with_dollar, 2);
            }
            Member::Own(..) | Member::Function(_) => {}
        }
    }

    pub(super) fn variable(&mut self, known: &Definition, with_dollar: bool, rank: i8) {
        let sigil = if with_dollar { "$" } else { "" };
        let detail = self.analysis.types_defined_at(known.span).join(" | ");
        let doc = match known.what {
            What::Var => hover::comment_above(self.analysis, known.span),
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

    pub(super) fn members(&mut self, alias: &str, of: MemberOf) {
        let known = self.visible.iter().find(|known| resolve::is_alias(known) && known.name == alias).cloned();
        if let Some(known) = known {
            let members = resolve::members(self.analysis, self.at.file, &known, &self.visible, 0);
            return members.iter().for_each(|member| self.member(member, of));
        }
        // `const.` continues to the constants of the language.
        if matches!(of, MemberOf::Variables | MemberOf::Holes) {
            let prefix = format!("{alias}.");
            for known in corelib::top_level_variables() {
                let Some(rest) = known.name.strip_prefix(prefix.as_str()) else { continue };
                self.add(Candidate::new(rest, CandidateKind::Variable).doc(known.doc));
            }
        }
        // A module that is not imported yet: the candidate adds the import.
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

    pub(super) fn member(&mut self, member: &Member, of: MemberOf) {
        match (of, member) {
            (MemberOf::Functions, Member::Function(def)) if !def.name().starts_with('_') => {
                self.add(core_call(def));
            }
            (MemberOf::Functions, Member::Own(file, known)) if matches!(known.what, What::Func(_)) => {
                let head = resolve::own_head(self.analysis, *file, known);
                let doc = hover::comment_above(self.analysis, known.span);
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

    pub(super) fn classes(&mut self) {
        for known in self.own(|what| matches!(what, What::Class(_))) {
            let head = resolve::own_head(self.analysis, self.at.file, &known);
            let doc = hover::comment_above(self.analysis, known.span);
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
}
