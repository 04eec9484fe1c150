//! Messages of a call whose signature cannot be inferred: mostly a format that does not fit its values.

use super::mismatch::{error, unknown_kind};
use crate::diag::{Diagnostic, codes, suggest};
use crate::kinds;
use crate::span::Span;

/// What a format consists of.
const VERBS: &str =
    "the verbs are `%s`, `%d`, `%f`, `%t`, `%q`, `%v` and `%T`, without a width or precision; `%%` is a percent sign";

/// How the reason for a verb with a width or precision ends.
const NO_WIDTH: &str = "verbs have no width, precision or flags, as in `%d`, `%f` or `%s`";

/// `args` are the places of the arguments; `format` is the first one, if it is a known text.
pub(super) fn inference_failed(
    name: &str,
    reason: &str,
    span: Span,
    args: &[Span],
    format: Option<&str>,
) -> Diagnostic {
    if let Some(said) = other_verb(name, reason, span, args) {
        return said;
    }
    if let (Some(kind), Some(first)) = (reason.strip_prefix("format string was a "), args.first()) {
        let verb = match kind {
            "int" => "%d",
            "float" => "%f",
            "bool" => "%t",
            _ => "%v",
        };
        let message = format!("argument 1 of `{name}`: expected `str`, found `{kind}`");
        return error(codes::BAD_CALL, message, *first, "this is not a format")
            .reported_at(span)
            .help(format!("pass the format first, and then the values: `{name}(\"{verb}\", …)`"));
    }
    if let Some(kind) = reason.strip_prefix("invalid resource kind: ").filter(|_| name == "_collect") {
        let near = suggest::near(kind, kinds::all().map(|kind| kind.decl().name));
        let unknown = unknown_kind(kind, near, span);
        let message = format!("cannot collect resources of kind `{kind}`");
        // The edit of an unknown kind would replace the whole statement.
        let said = error(codes::BAD_CALL, message, span, "unknown kind");
        return Diagnostic { help: unknown.help, ..said };
    }
    let said = error(codes::BAD_CALL, format!("invalid call of `{name}`: {reason}"), span, "in this call");
    match () {
        () if reason.contains("invalid format string") => said.help(VERBS),
        () if has_percent_sign(reason) => said.help("write `%%` for a percent sign"),
        () if reason.ends_with(NO_WIDTH) => match format.and_then(with_width) {
            Some(verb) => said.help(format!(
                "to format such a value, use a template: `golang.template(\"{{{{ printf \\\"{verb}\\\" . }}}}\", \
                $value)`, after `import \"golang\"`"
            )),
            None => said.help(
                "write only the letter of the verb; to pad a text, write `strings.left_pad($text, \"0\", 5)`, after `import \"strings\"`",
            ),
        },
        () if reason.starts_with("the format has ") && format.is_some_and(has_braces) => {
            said.help("a verb begins with `%`: write `%s` for a string, `%d` for an int, and `%v` for any other value")
        }
        () if reason.starts_with("the format has ") => said.help("pass one value for each verb of the format"),
        () => said,
    }
}

/// Whether the wrong verb is not a letter: `% of`, `%,`.
fn has_percent_sign(reason: &str) -> bool {
    let verb = reason.split("`%").nth(1).and_then(|rest| rest.chars().next());
    reason.contains(" in the format") && verb.is_some_and(|char| !char.is_alphanumeric() && !".+-#".contains(char))
}

/// Whether a format has the verbs of another language: `{}`, `{0}`, `{name}`.
fn has_braces(format: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let inside = |rest: &str| rest.split_once('}').is_some_and(|(verb, _)| verb.bytes().all(is_word));
    format.split('{').skip(1).any(inside)
}

/// The first verb of a format with a width, precision or flags.
fn with_width(format: &str) -> Option<&str> {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        rest = &rest[at..];
        let letter = 1 + rest[1..].find(|char: char| !char.is_ascii_digit() && !".+-#".contains(char))?;
        let verb = rest[letter..].chars().next()?;
        if letter > 1 && verb.is_ascii_alphabetic() {
            return Some(&rest[..=letter]);
        }
        rest = &rest[letter + verb.len_utf8()..];
    }
    None
}

/// A value that does not fit its verb in a format: the first argument is the format, the values follow.
fn other_verb(name: &str, reason: &str, span: Span, args: &[Span]) -> Option<Diagnostic> {
    let (reason, fits) = reason.split_once(": use ")?;
    let number: usize = reason.strip_prefix("value ")?.split(' ').next()?.parse().ok()?;
    let place = *args.get(number)?;
    let message = format!("invalid call of `{name}`: {reason}");
    Some(
        error(codes::BAD_CALL, message, place, "this value")
            .reported_at(span)
            .help(format!("write {fits} in the format")),
    )
}

#[cfg(test)]
mod tests {
    use super::{has_braces, has_percent_sign, with_width};

    #[test]
    fn a_percent_sign_is_no_verb() {
        assert!(has_percent_sign("`% ` in the format: verbs have no width"));
        assert!(has_percent_sign("unknown verb `%,` in the format; a string is `%s`"));
        assert!(!has_percent_sign("unknown verb `%y` in the format; a string is `%s`"));
        assert!(!has_percent_sign("`%5` in the format: verbs have no width"));
    }

    #[test]
    fn a_verb_with_a_width_is_found() {
        assert_eq!(with_width("%s: %05d"), Some("%05d"));
        assert_eq!(with_width("100%% or %.2f"), Some("%.2f"));
        assert_eq!(with_width("%-8s|"), Some("%-8s"));
        for format in ["%s", "100%", "5%é %d", ""] {
            assert_eq!(with_width(format), None, "{format}");
        }
    }

    #[test]
    fn verbs_of_other_languages_are_found() {
        for format in ["{}", "port {0}", "{name} and {port}"] {
            assert!(has_braces(format), "{format}");
        }
        for format in ["%s", "{\"a\": 1}", "{ a }", "{"] {
            assert!(!has_braces(format), "{format}");
        }
    }
}
