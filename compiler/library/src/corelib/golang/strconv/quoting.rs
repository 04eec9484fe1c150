//! Quoting and unquoting.

use super::number::appended;
use super::unquote::{literal, unquote};
use crate::corelib::FnError;
use crate::corelib::golang::go_functions;
use crate::value::{Keep, Value, quote, quote_keeping};

go_functions! {
    APPEND_QUOTE "golang/strconv.append_quote" "func(dst str, s str) str" "Appends `s` in double quotes to `dst`."
    [r#"strconv.append_quote("a", "b")"# => r#""a\"b\"""#, r#"strconv.append_quote("", "é")"# => r#""\"é\"""#, r#"strconv.append_quote("", "")"# => r#""\"\"""#]
    |args| appended(args, quote(args.bytes(1)?));

    APPEND_QUOTE_TO_ASCII "golang/strconv.append_quote_to_ascii" "func(dst str, s str) str" "Appends `s` in double \
                                                                                             quotes to `dst`, escaping \
                                                                                             everything that is not \
                                                                                             ASCII."
    [r#"strconv.append_quote_to_ascii("a", "b")"# => r#""a\"b\"""#, r#"strconv.append_quote_to_ascii("", "é")"# => r#""\"\\u00e9\"""#, r#"strconv.append_quote_to_ascii("", "")"# => r#""\"\"""#]
    |args| appended(args, quote_keeping(args.bytes(1)?, Keep::Ascii));

    APPEND_QUOTE_TO_GRAPHIC "golang/strconv.append_quote_to_graphic" "func(dst str, s str) str" "Appends `s` in double \
                                                                                                 quotes to `dst`, \
                                                                                                 leaving Unicode \
                                                                                                 spaces unescaped."
    [r#"strconv.append_quote_to_graphic("a", "b")"# => r#""a\"b\"""#, r#"strconv.append_quote_to_graphic("", "é")"# => r#""\"é\"""#, r#"strconv.append_quote_to_graphic("", "")"# => r#""\"\"""#]
    |args| appended(args, quote_keeping(args.bytes(1)?, Keep::Graphic));

    CAN_BACKQUOTE "golang/strconv.can_backquote" "func(s str) bool" "Reports whether the string can be written unchanged in backquotes."
    [r#"strconv.can_backquote("a b")"# => "true", r#"strconv.can_backquote("a\tb")"# => "true", r#"strconv.can_backquote("a\nb")"# => "false"]
    |args| Ok(Value::Bool(std::str::from_utf8(args.bytes(0)?).is_ok_and(|text| {
        text.chars().all(|char| char == '\t' || !(char.is_ascii_control() || char == '`' || char == '\u{feff}'))
    })));

    QUOTE "golang/strconv.quote" "func(s str) str" "Returns the string in double quotes, with escapes."
    [r#"strconv.quote("a\tb")"# => r#""\"a\\tb\"""#, r#"strconv.quote("é")"# => r#""\"é\"""#, r#"strconv.quote("")"# => r#""\"\"""#]
    |args| Ok(Value::from(quote(args.bytes(0)?)));

    QUOTE_TO_ASCII "golang/strconv.quote_to_ascii" "func(s str) str" "Returns the string in double quotes, escaping \
                                                                      everything that is not ASCII."
    [r#"strconv.quote_to_ascii("☺")"# => r#""\"\\u263a\"""#, r#"strconv.quote_to_ascii("a")"# => r#""\"a\"""#, r#"strconv.quote_to_ascii("😀")"# => r#""\"\\U0001f600\"""#]
    |args| Ok(Value::from(quote_keeping(args.bytes(0)?, Keep::Ascii)));

    QUOTE_TO_GRAPHIC "golang/strconv.quote_to_graphic" "func(s str) str" "Returns the string in double quotes, leaving Unicode spaces unescaped."
    [r#"strconv.quote_to_graphic("a\tb")"# => r#""\"a\\tb\"""#, r#"strconv.quote_to_graphic("é")"# => r#""\"é\"""#, r#"strconv.quote_to_graphic("")"# => r#""\"\"""#]
    |args| Ok(Value::from(quote_keeping(args.bytes(0)?, Keep::Graphic)));

    QUOTED_PREFIX "golang/strconv.quoted_prefix" "func(s str) str" "Returns the quoted literal at the start of the string, unchanged."
    [r#"strconv.quoted_prefix("\"a\" b")"# => r#""\"a\"""#, r#"strconv.quoted_prefix("`a`b")"# => r#""`a`""#, r#"strconv.quoted_prefix("a")"# => "error: invalid syntax"]
    |args| {
        let text = args.bytes(0)?;
        let end = literal(text).map(|(_, end)| end).ok_or_else(invalid)?;
        Ok(Value::str(&text[..end]))
    };

    UNQUOTE "golang/strconv.unquote" "func(s str) str" "Returns the value of a literal in double quotes, backquotes or \
                                                        single quotes."
    [r#"strconv.unquote("\"a\\tb\"")"# => r#""a\tb""#, r#"strconv.unquote("`a`")"# => r#""a""#, r#"strconv.unquote("'x'")"# => r#""x""#, r#"strconv.unquote("a")"# => "error: invalid syntax"]
    |args| unquote(args.bytes(0)?).map(Value::from).ok_or_else(invalid);
}

fn invalid() -> FnError {
    FnError::fatal("invalid syntax")
}
