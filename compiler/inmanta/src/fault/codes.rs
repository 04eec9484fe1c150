//! The register of diagnostic codes: one per class of errors, with a page each. `E11` is the band of this front end; a
//! number is never reused.

use super::{Class, Fault, WARNING};
use mclive_base::diag::Code;

/// One entry of the register.
pub struct Registered {
    /// The code.
    pub code: Code,
    /// Its class; `None` for warnings.
    pub class: Option<Class>,
    /// The title of the page.
    pub title: &'static str,
    /// The page, in Markdown.
    pub page: &'static str,
}

macro_rules! register {
    ($($number:literal $class:ident $title:literal;)*) => {
        /// Every code, ascending.
        pub static REGISTER: &[Registered] = &[
            $(Registered {
                code: Code($number),
                class: Some(Class::$class),
                title: $title,
                page: include_str!(concat!("explain/E", stringify!($number), ".md")),
            },)*
            Registered {
                code: WARNING,
                class: None,
                title: "possible mistake",
                page: include_str!("explain/E1150.md"),
            },
        ];
    };
}

register! {
    1101 Parser "unexpected token";
    1102 NamespaceAccess "`.` instead of `::`";
    1103 Hyphen "hyphen in a name";
    1104 ModuleLoading "cannot find a module";
    1105 TypeNotFound "cannot find a type";
    1106 MissingImport "module is not imported in this file";
    1107 AmbiguousType "ambiguous short name";
    1108 NotFound "cannot find a name";
    1109 Index "attribute cannot be part of an index";
    1110 IndexCollision "conflicting indexes";
    1111 Typing "mismatched types";
    1112 MissingIndexAttribute "missing index argument";
    1113 Cycle "circular inheritance";
    1114 DirectExecute "expression is not allowed in the condition of a type";
    1115 Duplicate "duplicate definition";
    1116 ModifiedAfterFreeze "value assigned after the relation was complete";
    1117 DoubleSet "conflicting values for one variable";
    1118 External "function failed";
    1119 ExplicitPlugin "function rejected its arguments";
    1120 OptionalValue "optional relation is empty";
    1121 Key "missing key in a dict";
    1122 Wrapping "template failed";
    1123 Attribute "cannot set an attribute";
    1124 PluginType "mismatched argument type";
    1125 Unset "incomplete instance";
    1126 Runtime "runtime error";
    1127 Compiler "invalid model";
    1128 PrecedenceRule "invalid precedence rule";
    1129 PrecedenceCycle "circular precedence rules";
    1130 DependencyCycle "circular requirements";
    1131 Internal "operation without a result";
    1132 Foreign "function in Python is not available";
    1133 Lowering "unsupported resource";
    1134 Limit "model is too large";
}

impl Class {
    /// The code of a class. Loading errors share one, and multiple errors have those of their parts.
    pub fn code(self) -> Code {
        let class = match self {
            Class::InvalidModule | Class::ModuleNotFound => Class::ModuleLoading,
            Class::Multi => Class::Runtime,
            class => class,
        };
        REGISTER
            .iter()
            .find(|entry| entry.class == Some(class))
            .map_or(mclive_base::diag::codes::BUG, |entry| entry.code)
    }
}

impl Fault {
    /// The code of the most helpful page: for an attribute that cannot be set, that of the cause.
    pub fn code(&self) -> Code {
        match (self.class, self.causes.first()) {
            (Class::Attribute, Some(cause)) => match cause.code() {
                code if matches!(cause.class, Class::Attribute | Class::ModifiedAfterFreeze | Class::DoubleSet) => code,
                _ => self.class.code(),
            },
            (class, _) => class.code(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hosts, understand};
    use mclive_base::source::MemoryWorld;

    #[test]
    fn every_class_has_a_page() {
        assert!(Class::all().all(|class| class.code() != mclive_base::diag::codes::BUG));
        assert!(REGISTER.is_sorted_by_key(|entry| entry.code));
        assert!(REGISTER.iter().all(|entry| entry.page.starts_with(&format!("# {}: {}", entry.code, entry.title))));
    }

    #[test]
    fn the_example_of_a_page_triggers_its_code_and_its_fix_compiles() {
        let (mut n_examples, mut n_fixes) = (0, 0);
        for entry in REGISTER.iter().filter(|entry| entry.class.is_some()) {
            let Some((_, rest)) = entry.page.split_once("```cf\n") else { continue };
            let text = rest.split("```").next().unwrap_or_default();
            let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
            let found = understand(&world, "/main.cf", Hosts::All).diags.first_error().map(|error| error.code);
            assert_eq!(found, Some(entry.code), "{text}");
            n_examples += 1;
            if let Some((_, rest)) = rest.split_once("```cf\n") {
                let text = rest.split("```").next().unwrap_or_default();
                let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
                let diags = understand(&world, "/main.cf", Hosts::All).diags;
                assert!(!diags.has_errors(), "{text}: {diags:?}");
                n_fixes += 1;
            }
        }
        assert!(n_examples >= 22 && n_fixes >= 15, "{n_examples} examples, {n_fixes} fixes");
    }
}
