//! Words of other languages that MCL does not have.

/// Words that import a module in other languages.
pub(super) fn is_import_word(word: &str) -> bool {
    matches!(word, "use" | "using" | "require" | "load" | "source" | "from")
}

/// Words that close a block in other languages.
pub(super) fn is_end_word(word: &str) -> bool {
    matches!(word, "end" | "endif" | "fi" | "done" | "esac" | "endfor")
}

/// The type that a name of another language means.
pub(super) fn type_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "string" | "text" | "bytes" => "str",
        "integer" | "number" | "int64" | "int32" | "uint" | "long" => "int",
        "boolean" => "bool",
        "double" | "float64" | "float32" | "real" => "float",
        "list" | "array" | "slice" => "[]T",
        "dict" | "hash" | "object" => "map{str: int}",
        _ => return None,
    })
}
