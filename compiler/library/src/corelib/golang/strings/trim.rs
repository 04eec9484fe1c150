//! Trimming text.

use super::{placed, set};
use crate::corelib::golang::go_functions;
use crate::corelib::strings::trim::trim_space;
use crate::value::Value;
use rustc_hash::FxHashSet;

go_functions! {
    TRIM "golang/strings.trim" "func(s str, cutset str) str" "Removes all leading and trailing characters that are in `cutset`."
    [r#"strings.trim("abchicba", "abc")"# => r#""hi""#, r#"strings.trim("é!é", "é")"# => r#""!""#, r#"strings.trim("abc", "")"# => r#""abc""#]
    |args| {
        let cutset = set(args.bytes(1)?);
        Ok(Value::str(trim_right(trim_left(args.bytes(0)?, &cutset), &cutset)))
    };

    TRIM_LEFT "golang/strings.trim_left" "func(s str, cutset str) str" "Removes all leading characters that are in `cutset`."
    [r#"strings.trim_left("aab", "a")"# => r#""b""#, r#"strings.trim_left("b", "a")"# => r#""b""#, r#"strings.trim_left("aa", "a")"# => r#""""#]
    |args| Ok(Value::str(trim_left(args.bytes(0)?, &set(args.bytes(1)?))));

    TRIM_PREFIX "golang/strings.trim_prefix" "func(s str, prefix str) str" "Removes the prefix once, if present."
    [r#"strings.trim_prefix("aab", "a")"# => r#""ab""#, r#"strings.trim_prefix("b", "a")"# => r#""b""#, r#"strings.trim_prefix("a", "a")"# => r#""""#]
    |args| {
        let text = args.bytes(0)?;
        Ok(Value::str(text.strip_prefix(args.bytes(1)?).unwrap_or(text)))
    };

    TRIM_RIGHT "golang/strings.trim_right" "func(s str, cutset str) str" "Removes all trailing characters that are in `cutset`."
    [r#"strings.trim_right("baa", "a")"# => r#""b""#, r#"strings.trim_right("abc", "")"# => r#""abc""#, r#"strings.trim_right("aa", "a")"# => r#""""#]
    |args| Ok(Value::str(trim_right(args.bytes(0)?, &set(args.bytes(1)?))));

    TRIM_SPACE "golang/strings.trim_space" "func(s str) str" "Removes leading and trailing whitespace."
    [r#"strings.trim_space(" a b\n")"# => r#""a b""#, r#"strings.trim_space("  ")"# => r#""""#, r#"strings.trim_space("a")"# => r#""a""#]
    |args| Ok(Value::str(trim_space(args.bytes(0)?)));

    TRIM_SUFFIX "golang/strings.trim_suffix" "func(s str, suffix str) str" "Removes the suffix once, if present."
    [r#"strings.trim_suffix("a.txt", ".txt")"# => r#""a""#, r#"strings.trim_suffix("b", "a")"# => r#""b""#, r#"strings.trim_suffix("aa", "a")"# => r#""a""#]
    |args| {
        let text = args.bytes(0)?;
        Ok(Value::str(text.strip_suffix(args.bytes(1)?).unwrap_or(text)))
    };
}

fn trim_left<'t>(text: &'t [u8], cutset: &FxHashSet<char>) -> &'t [u8] {
    let kept = placed(text).find(|(_, _, char)| !cutset.contains(char));
    &text[kept.map_or(text.len(), |(at, _, _)| at)..]
}

fn trim_right<'t>(text: &'t [u8], cutset: &FxHashSet<char>) -> &'t [u8] {
    let kept = placed(text).filter(|(_, _, char)| !cutset.contains(char)).last();
    &text[..kept.map_or(0, |(at, width, _)| at + width)]
}
