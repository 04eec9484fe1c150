//! [`Class`]: the types of errors, with their importance. Spec, 11.7.

/// The type of an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// A general compiler error.
    Compiler,
    /// A syntax error.
    Parser,
    /// A namespace that is not imported.
    NamespaceAccess,
    /// Several errors.
    Multi,
    /// An invalid precedence rule.
    PrecedenceRule,
    /// A cycle of precedence rules.
    PrecedenceCycle,
    /// An invalid module.
    InvalidModule,
    /// A module that does not exist.
    ModuleNotFound,
    /// A general run-time error.
    Runtime,
    /// A hyphen in a name.
    Hyphen,
    /// A value that is missing at the end.
    Unset,
    /// An unknown type.
    TypeNotFound,
    /// A missing import.
    MissingImport,
    /// An ambiguous type.
    AmbiguousType,
    /// An unknown variable or attribute.
    NotFound,
    /// An error of an index.
    Index,
    /// Two instances with the same index key.
    IndexCollision,
    /// A type error.
    Typing,
    /// A missing index attribute in a constructor.
    MissingIndexAttribute,
    /// A cycle of types.
    Cycle,
    /// An expression that cannot be evaluated directly.
    DirectExecute,
    /// A duplicate definition.
    Duplicate,
    /// A value added to a complete list.
    ModifiedAfterFreeze,
    /// A variable set to two values.
    DoubleSet,
    /// A failed function.
    External,
    /// A deliberate error of a function.
    ExplicitPlugin,
    /// An optional value that is not set.
    OptionalValue,
    /// A missing key of a dict.
    Key,
    /// An error with a cause.
    Wrapping,
    /// An attribute that cannot be set.
    Attribute,
    /// A wrong argument or result type of a function.
    PluginType,
    /// A module that cannot be loaded.
    ModuleLoading,
    /// A cycle of requirements.
    DependencyCycle,
    /// A failure of the original that is not one of its error classes.
    Internal,
    /// A function written in Python.
    Foreign,
    /// Something that a resource graph cannot represent.
    Lowering,
    /// A limit of ours.
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

    /// The name in golden cases.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Its importance; lower numbers are reported first.
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
