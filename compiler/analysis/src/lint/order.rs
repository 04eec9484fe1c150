//! Arguments in the order of another language: `strings.split(",", $text)` and `regexp.match($text, "^web")`. Both are
//! strings, so type inference does not find the mistake.

use super::words;
use crate::diag::Diagnostic;
use crate::hir::{Alias, Callee, ExprId, ExprKind, Module, StmtKind};

/// Looks at the calls of two functions of core modules that are imported with their own names.
pub(super) fn find(module: &Module, found: &mut Vec<Diagnostic>) {
    let imports = |path: &str| {
        let mut stmts = module.root.stmts.iter();
        stmts.any(|stmt| {
            matches!(&stmt.kind, StmtKind::Import(import) if *import.path == *path && import.alias == Alias::Default)
        })
    };
    let (has_strings, has_regexp) = (imports("strings"), imports("regexp"));
    if !has_strings && !has_regexp {
        return;
    }
    let text = |id: ExprId| match &module.exprs[id].kind {
        ExprKind::Str(text) => std::str::from_utf8(text).ok(),
        _ => None,
    };
    for (_, expr) in module.exprs.iter() {
        let ExprKind::Call(call) = &expr.kind else { continue };
        let (Callee::Named(name), [first, second]) = (&call.callee, &call.args[..]) else { continue };
        match (&**name, text(*first), text(*second)) {
            ("strings.split", Some(separator), other) if has_strings && is_separator(separator, other) => {
                found.push(words::separator_first(separator, module.exprs[*first].span));
            }
            ("regexp.match", None, Some(pattern)) if has_regexp && is_pattern(pattern) => {
                found.push(words::pattern_second(pattern, module.exprs[*second].span));
            }
            _ => {}
        }
    }
}

/// Whether the first argument of `strings.split` is a single sign, and the other one may be the text with it.
fn is_separator(first: &str, other: Option<&str>) -> bool {
    let mut signs = first.chars();
    let is_sign = signs.next().is_some_and(|sign| !sign.is_alphanumeric()) && signs.next().is_none();
    is_sign && other.is_none_or(|other| other.len() > first.len() && other.contains(first))
}

/// Whether a text is hardly anything but a regular expression.
fn is_pattern(text: &str) -> bool {
    text.starts_with('^')
        || text.ends_with('$')
        || [".*", ".+", "\\d", "\\w", "\\."].iter().any(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_is_one_sign_and_the_text_has_it() {
        assert!(is_separator(",", None) && is_separator(",", Some("a,b")) && is_separator("\n", None));
        assert!(!is_separator("a", None) && !is_separator("", None) && !is_separator(", ", None));
        assert!(!is_separator(",", Some(",")) && !is_separator(",", Some("ab")));
    }

    #[test]
    fn a_pattern_has_signs_that_a_text_has_not() {
        assert!(is_pattern("^web") && is_pattern("web.*") && is_pattern("web\\d+") && is_pattern("db$"));
        assert!(!is_pattern("web1") && !is_pattern("a.b") && !is_pattern(""));
    }
}
