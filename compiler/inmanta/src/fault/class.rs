//! [`Class`]: the types of errors, with their importance. Spec, 11.7.

/// The type of an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    Compiler,
    Parser,
    NamespaceAccess,
    Multi,
    PrecedenceRule,
    PrecedenceCycle,
    InvalidModule,
    ModuleNotFound,
    Runtime,
    Hyphen,
    Unset,
    TypeNotFound,
    MissingImport,
    AmbiguousType,
    NotFound,
    Index,
    IndexCollision,
    Typing,
    MissingIndexAttribute,
    Cycle,
    DirectExecute,
    Duplicate,
    ModifiedAfterFreeze,
    DoubleSet,
    External,
    ExplicitPlugin,
    OptionalValue,
    Key,
    Wrapping,
    Attribute,
    PluginType,
    ModuleLoading,
    DependencyCycle,
    /// What stops the original in another way than by an error of its own.
    Internal,
    /// A function in Python.
    Foreign,
    /// Something that a resource graph cannot hold.
    Lowering,
    /// A bound of ours.
    Limit,
}

/// Every class with its name and its importance.
const CLASSES: &[(Class, &str, u16)] = &[
    (Class::Compiler, "CompilerException", 100),
    (Class::Parser, "ParserException", 100),
    (Class::NamespaceAccess, "InvalidNamespaceAccess", 100),
    (Class::Multi, "MultiException", 100),
    (Class::PrecedenceRule, "InvalidRelationPrecedenceRuleError", 100),
    (Class::PrecedenceCycle, "CycleInRelationPrecedencePolicyError", 100),
    (Class::InvalidModule, "InvalidModuleException", 100),
    (Class::ModuleNotFound, "ModuleNotFoundException", 100),
    (Class::Runtime, "RuntimeException", 100),
    (Class::Hyphen, "HyphenException", 100),
    (Class::Unset, "UnsetException", 100),
    (Class::TypeNotFound, "TypeNotFoundException", 20),
    (Class::MissingImport, "MissingImportException", 20),
    (Class::AmbiguousType, "AmbiguousTypeException", 20),
    (Class::NotFound, "NotFoundException", 20),
    (Class::Index, "IndexException", 10),
    (Class::IndexCollision, "IndexCollisionException", 10),
    (Class::Typing, "TypingException", 10),
    (Class::MissingIndexAttribute, "IndexAttributeMissingInConstructorException", 10),
    (Class::Cycle, "CycleException", 10),
    (Class::DirectExecute, "DirectExecuteException", 11),
    (Class::Duplicate, "DuplicateException", 40),
    (Class::ModifiedAfterFreeze, "ModifiedAfterFreezeException", 50),
    (Class::DoubleSet, "DoubleSetException", 51),
    (Class::External, "ExternalException", 60),
    (Class::ExplicitPlugin, "ExplicitPluginException", 60),
    (Class::OptionalValue, "OptionalValueException", 61),
    (Class::Key, "KeyException", 70),
    (Class::Wrapping, "WrappingRuntimeException", 101),
    (Class::Attribute, "AttributeException", 101),
    (Class::PluginType, "PluginTypeException", 101),
    (Class::ModuleLoading, "ModuleLoadingException", 5),
    (Class::DependencyCycle, "DependencyCycleException", 100),
    (Class::Internal, "internal", 100),
    (Class::Foreign, "ForeignFunction", 60),
    (Class::Lowering, "LoweringException", 100),
    (Class::Limit, "LimitException", 100),
];

impl Class {
    fn row(self) -> &'static (Class, &'static str, u16) {
        CLASSES.iter().find(|(class, _, _)| *class == self).unwrap_or(&CLASSES[0])
    }

    /// The name that golden cases write.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    pub fn importance(self) -> u16 {
        self.row().2
    }

    /// Every class.
    pub fn all() -> impl Iterator<Item = Class> {
        CLASSES.iter().map(|(class, _, _)| *class)
    }
}

#[cfg(test)]
mod tests {
    use super::Class;

    #[test]
    fn every_class_has_a_row() {
        assert_eq!(Class::Limit.name(), "LimitException");
        assert_eq!(Class::all().count(), Class::Limit as usize + 1);
        assert!(Class::all().enumerate().all(|(nr, class)| class as usize == nr));
    }
}
