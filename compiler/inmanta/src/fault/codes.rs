//! The register of codes: one per class of errors, with a page each. `E11` is the band of this
//! front end; a number is never reused.

use super::{Class, Fault, WARNING};
use mclive_base::diag::Code;

/// One entry of the register.
pub struct Registered {
    pub code: Code,
    /// What it stands for; nothing for warnings.
    pub class: Option<Class>,
    /// A few words, the page's title.
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
                title: "something that may not be meant",
                page: include_str!("explain/E1150.md"),
            },
        ];
    };
}

register! {
    1101 Parser "a word or sign that cannot stand here";
    1102 NamespaceAccess "dots where colons belong";
    1103 Hyphen "a dash in a name";
    1104 ModuleLoading "a module that is not there";
    1105 TypeNotFound "a type that does not exist";
    1106 MissingImport "a module that is not imported here";
    1107 AmbiguousType "a short name with several meanings";
    1108 NotFound "something that is not found";
    1109 Index "an index over something that cannot be a key";
    1110 IndexCollision "indexes that find different instances";
    1111 Typing "a value of the wrong kind";
    1112 MissingIndexAttribute "a constructor without its key";
    1113 Cycle "an entity that extends itself";
    1114 DirectExecute "something that a type's condition cannot have";
    1115 Duplicate "something that is defined twice";
    1116 ModifiedAfterFreeze "a value that comes too late";
    1117 DoubleSet "two different values for one variable";
    1118 External "a function that fails";
    1119 ExplicitPlugin "a function that refuses";
    1120 OptionalValue "an optional relation without a value";
    1121 Key "a dict without that key";
    1122 Wrapping "a template that fails";
    1123 Attribute "an attribute that cannot be set";
    1124 PluginType "an argument of the wrong type";
    1125 Unset "an instance that is not complete";
    1126 Runtime "something that cannot run";
    1127 Compiler "a model that cannot be compiled";
    1128 PrecedenceRule "a precedence rule that cannot hold";
    1129 PrecedenceCycle "precedence rules in a cycle";
    1130 DependencyCycle "resources that require each other";
    1131 Internal "something that has no value";
    1132 Foreign "a function in Python";
    1133 Lowering "a resource that cannot be made here";
    1134 Limit "a model that is too large";
}

impl Class {
    /// The code that stands for it. Errors of loading share one, and several errors have those of their parts.
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
    /// The code of the page that helps most: of an attribute that cannot be set, why not.
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
    use crate::{Setup, compile};
    use mclive_base::source::MemoryWorld;

    #[test]
    fn every_class_has_a_page() {
        assert!(Class::all().all(|class| class.code() != mclive_base::diag::codes::BUG));
        assert!(REGISTER.is_sorted_by_key(|entry| entry.code));
        assert!(REGISTER.iter().all(|entry| entry.page.starts_with(&format!("# {}: {}", entry.code, entry.title))));
    }

    #[test]
    fn the_example_of_a_page_triggers_its_code() {
        let mut n_examples = 0;
        for entry in REGISTER.iter().filter(|entry| entry.class.is_some()) {
            let Some((_, rest)) = entry.page.split_once("```cf\n") else { continue };
            let text = rest.split("```").next().unwrap_or_default();
            let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
            let compilation = compile(&world, "/main.cf", &Setup::default());
            let found = compilation.faults.first().map(|fault| fault.code());
            assert_eq!(found, Some(entry.code), "{text}");
            n_examples += 1;
        }
        assert!(n_examples >= 22, "{n_examples}");
    }
}
