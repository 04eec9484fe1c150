//! Searching text.

use super::{placed, set};
use crate::corelib::bytes::{chars, find, find_all, find_last, pieces};
use crate::corelib::golang::go_functions;
use crate::corelib::{Args, FnError};
use crate::unicode::{to_lower, to_upper};
use crate::value::Value;

go_functions! {
    COMPARE "golang/strings.compare" "func(a str, b str) int" "Compares two strings byte by byte: returns -1, 0 or 1."
    [r#"strings.compare("a", "b")"# => "-1", r#"strings.compare("a", "a")"# => "0", r#"strings.compare("b", "a")"# => "1"]
    |args| Ok(Value::Int(args.bytes(0)?.cmp(args.bytes(1)?) as i64));

    CONTAINS "golang/strings.contains" "func(s str, substr str) bool" "Reports whether `s` contains `substr`."
    [r#"strings.contains("abc", "b")"# => "true", r#"strings.contains("abc", "x")"# => "false", r#"strings.contains("abc", "")"# => "true"]
    |args| Ok(Value::Bool(find(args.bytes(0)?, args.bytes(1)?).is_some()));

    CONTAINS_ANY "golang/strings.contains_any" "func(s str, chars str) bool" "Reports whether `s` contains any character of `chars`."
    [r#"strings.contains_any("abc", "xb")"# => "true", r#"strings.contains_any("abc", "x")"# => "false", r#"strings.contains_any("abc", "")"# => "false"]
    |args| first_of(args).map(|at| Value::Bool(at.is_some()));

    COUNT "golang/strings.count" "func(s str, substr str) int"
    "Counts the non-overlapping occurrences of `substr` in `s`. An empty `substr` occurs before each character and at \
     the end."
    [r#"strings.count("ababa", "aba")"# => "1", r#"strings.count("five", "")"# => "5", r#"strings.count("cheese", "e")"# => "3"]
    |args| {
        let (text, part) = (args.bytes(0)?, args.bytes(1)?);
        let count = if part.is_empty() { pieces(text).count() + 1 } else { find_all(text, part).count() };
        Ok(Value::Int(count as i64))
    };

    EQUAL_FOLD "golang/strings.equal_fold" "func(s str, t str) bool" "Reports whether two strings are equal when case is ignored."
    [r#"strings.equal_fold("Go", "GO")"# => "true", r#"strings.equal_fold("ß", "ẞ")"# => "true", r#"strings.equal_fold("Straße", "STRASSE")"# => "false", r#"strings.equal_fold("ı", "I")"# => "false"]
    |args| {
        let folded = |text| chars(text).map(|char| fold(char.unwrap_or(char::REPLACEMENT_CHARACTER)));
        Ok(Value::Bool(folded(args.bytes(0)?).eq(folded(args.bytes(1)?))))
    };

    HAS_PREFIX "golang/strings.has_prefix" "func(s str, prefix str) bool" "Reports whether `s` begins with `prefix`."
    [r#"strings.has_prefix("abc", "ab")"# => "true", r#"strings.has_prefix("abc", "b")"# => "false", r#"strings.has_prefix("", "")"# => "true"]
    |args| Ok(Value::Bool(args.bytes(0)?.starts_with(args.bytes(1)?)));

    HAS_SUFFIX "golang/strings.has_suffix" "func(s str, suffix str) bool" "Reports whether `s` ends with `suffix`."
    [r#"strings.has_suffix("abc", "bc")"# => "true", r#"strings.has_suffix("abc", "b")"# => "false", r#"strings.has_suffix("", "")"# => "true"]
    |args| Ok(Value::Bool(args.bytes(0)?.ends_with(args.bytes(1)?)));

    INDEX "golang/strings.index" "func(s str, substr str) int" "Returns the byte offset of the first `substr`, or -1."
    [r#"strings.index("é1", "1")"# => "2", r#"strings.index("abc", "x")"# => "-1", r#"strings.index("a", "")"# => "0"]
    |args| Ok(Value::Int(offset(find(args.bytes(0)?, args.bytes(1)?))));

    INDEX_ANY "golang/strings.index_any" "func(s str, chars str) int" "Returns the byte offset of the first character \
                                                                       that is in `chars`, or -1."
    [r#"strings.index_any("éab", "ba")"# => "2", r#"strings.index_any("abc", "x")"# => "-1", r#"strings.index_any("abc", "")"# => "-1"]
    |args| first_of(args).map(|at| Value::Int(offset(at)));

    LAST_INDEX "golang/strings.last_index" "func(s str, substr str) int" "Returns the byte offset of the last `substr`, or -1."
    [r#"strings.last_index("abab", "ab")"# => "2", r#"strings.last_index("abc", "")"# => "3", r#"strings.last_index("abc", "x")"# => "-1"]
    |args| Ok(Value::Int(offset(find_last(args.bytes(0)?, args.bytes(1)?))));

    LAST_INDEX_ANY "golang/strings.last_index_any" "func(s str, chars str) int" "Returns the byte offset of the last \
                                                                                 character that is in `chars`, or -1."
    [r#"strings.last_index_any("abab", "xa")"# => "2", r#"strings.last_index_any("abc", "x")"# => "-1", r#"strings.last_index_any("", "a")"# => "-1"]
    |args| {
        let wanted = set(args.bytes(1)?);
        let found = placed(args.bytes(0)?).filter(|(_, _, char)| wanted.contains(char)).last();
        Ok(Value::Int(offset(found.map(|(at, _, _)| at))))
    };
}

fn offset(at: Option<usize>) -> i64 {
    at.map_or(-1, |at| at as i64)
}

fn first_of(args: &Args) -> Result<Option<usize>, FnError> {
    let wanted = set(args.bytes(1)?);
    Ok(placed(args.bytes(0)?).find(|(_, _, char)| wanted.contains(char)).map(|(at, _, _)| at))
}

/// One representative for all characters that differ only by case.
fn fold(char: char) -> char {
    match char {
        // These two are separate letters.
        'ı' | 'İ' => char,
        _ => to_lower(to_upper(char)),
    }
}
