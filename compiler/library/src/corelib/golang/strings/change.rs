//! Transforming text.

use crate::corelib::FnError;
use crate::corelib::bytes::{MAX_TEXT, chars, joined, map_chars, too_long};
use crate::corelib::golang::go_functions;
use crate::corelib::strings::replace::replace;
use crate::unicode::{to_lower, to_title, to_upper};
use crate::value::Value;

go_functions! {
    CLONE "golang/strings.clone" "func(s str) str" "Returns a copy of the string."
    [r#"strings.clone("a")"# => r#""a""#, r#"strings.clone("")"# => r#""""#, r#"strings.clone("é")"# => r#""é""#]
    |args| Ok(Value::str(args.bytes(0)?));

    JOIN "golang/strings.join" "func(elems []str, sep str) str" "Joins the elements with `sep` between them."
    [r#"strings.join(["a", "", "b"], "-")"# => r#""a--b""#, r#"strings.join(["a"], ",")"# => r#""a""#, r#"strings.join([], ",")"# => r#""""#]
    |args| {
        let items: Vec<&[u8]> = args.list(0)?.iter().filter_map(|item| item.as_bytes().map(|bytes| &**bytes)).collect();
        Ok(Value::from(joined(&items, args.bytes(1)?)?))
    };

    REPEAT "golang/strings.repeat" "func(s str, count int) str" "Returns `count` copies of `s`."
    [r#"strings.repeat("ab", 3)"# => r#""ababab""#, r#"strings.repeat("ab", 0)"# => r#""""#, r#"strings.repeat("ab", -1)"# => "error: panic in process: strings: negative Repeat count"]
    |args| {
        let (text, count) = (args.bytes(0)?, args.int(1)?);
        // In 64 bits, since sizes have 32 in the sandbox.
        let count = u64::try_from(count)
            .map_err(|_| FnError::fatal("panic in process: strings: negative Repeat count"))?;
        if (text.len() as u64).checked_mul(count).is_none_or(|size| size > MAX_TEXT as u64) {
            return Err(too_long());
        }
        Ok(Value::from(if text.is_empty() { Vec::new() } else { text.repeat(count as usize) }))
    };

    REPLACE "golang/strings.replace" "func(s str, old str, new str, n int) str"
    "Replaces the first `n` occurrences of `old` with `new`; all of them if `n` is negative."
    [r#"strings.replace("aaa", "a", "b", 2)"# => r#""bba""#, r#"strings.replace("abc", "", "-", 2)"# => r#""-a-bc""#, r#"strings.replace("aaa", "a", "b", -1)"# => r#""bbb""#]
    |args| {
        let n = usize::try_from(args.int(3)?).unwrap_or(usize::MAX);
        Ok(Value::from(replace(args.bytes(0)?, args.bytes(1)?, args.bytes(2)?, n)?))
    };

    REPLACE_ALL "golang/strings.replace_all" "func(s str, old str, new str) str" "Replaces every `old` with `new`."
    [r#"strings.replace_all("aaa", "aa", "b")"# => r#""ba""#, r#"strings.replace_all("é", "", "-")"# => r#""-é-""#, r#"strings.replace_all("a", "x", "y")"# => r#""a""#]
    |args| Ok(Value::from(replace(args.bytes(0)?, args.bytes(1)?, args.bytes(2)?, usize::MAX)?));

    TITLE "golang/strings.title" "func(s str) str" "Converts the first letter of each word to title case. Other \
                                                    letters are unchanged."
    [r#"strings.title("hello wOrld o'neil a_b")"# => r#""Hello WOrld O'Neil A_b""#, r#"strings.title("1b")"# => r#""1b""#, r#"strings.title("ǆa")"# => r#""ǅa""#]
    |args| {
        let mut before = ' ';
        let words = chars(args.bytes(0)?).map(|char| {
            // An invalid byte separates nothing.
            let char = char.unwrap_or(char::REPLACEMENT_CHARACTER);
            if is_separator(std::mem::replace(&mut before, char)) { to_title(char) } else { char }
        });
        Ok(Value::from(words.collect::<String>().into_bytes()))
    };

    TO_LOWER "golang/strings.to_lower" "func(s str) str" "Converts all letters to lower case."
    [r#"strings.to_lower("HÉ1")"# => r#""hé1""#, r#"strings.to_lower("ΑΣ")"# => r#""ασ""#, r#"strings.to_lower("")"# => r#""""#]
    |args| Ok(Value::from(map_chars(args.bytes(0)?, to_lower)));

    TO_TITLE "golang/strings.to_title" "func(s str) str" "Converts all letters to title case."
    [r#"strings.to_title("ab")"# => r#""AB""#, r#"strings.to_title("ǆ")"# => r#""ǅ""#, r#"strings.to_title("ß")"# => r#""ß""#]
    |args| Ok(Value::from(map_chars(args.bytes(0)?, to_title)));

    TO_UPPER "golang/strings.to_upper" "func(s str) str" "Converts all letters to upper case."
    [r#"strings.to_upper("aé1")"# => r#""AÉ1""#, r#"strings.to_upper("straße")"# => r#""STRAßE""#, r#"strings.to_upper("")"# => r#""""#]
    |args| Ok(Value::from(map_chars(args.bytes(0)?, to_upper)));

    TO_VALID_UTF_8 "golang/strings.to_valid_utf_8" "func(s str, replacement str) str" "Replaces each run of invalid UTF-8 bytes."
    [r#"strings.to_valid_utf_8("aé", "?")"# => r#""aé""#, r#"strings.to_valid_utf_8("", "?")"# => r#""""#, r#"strings.to_valid_utf_8("a", "")"# => r#""a""#]
    |args| {
        let (text, replacement) = (args.bytes(0)?, args.bytes(1)?);
        let mut out = Vec::with_capacity(text.len());
        let mut in_run = false;
        for chunk in text.utf8_chunks() {
            if !chunk.valid().is_empty() {
                in_run = false;
                out.extend_from_slice(chunk.valid().as_bytes());
            }
            if !chunk.invalid().is_empty() && !std::mem::replace(&mut in_run, true) {
                out.extend_from_slice(replacement);
            }
        }
        Ok(Value::from(out))
    };
}

/// Characters between words: in ASCII all except letters, digits and underscores, otherwise spaces.
fn is_separator(char: char) -> bool {
    if char.is_ascii() { !char.is_ascii_alphanumeric() && char != '_' } else { char.is_whitespace() }
}
