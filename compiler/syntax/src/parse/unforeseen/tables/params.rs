//! Parameters, results and variables with the types of other languages: colons, unions, optional and generic types.

use super::super::Mistake;
use super::super::cover::Cover;

const PARAM: &str = "parameters begin with `$`";
const LIST: &str = "list types are written `[]T`";
const MAP: &str = "write `map{str: str}`, with the types of the keys and the values";
const ANY: &str = "remove it: a parameter without a type takes values of any type";
const WITHOUT_COLON: &str = "write `${4} str`: a parameter has a `$`, and its type follows the name without a colon";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE func/class NAME ( «NAME : str/int/float/bool , NAME : str/int/float/bool» )",
        PARAM,
        "expected `$`",
        "write `${3} {4}, ${5} {6}`: a type follows the name without a colon",
    )
    .edit("${3} {4}, ${5} {6}"),
    Mistake::new(
        "LINE func/class NAME ( …? ^ «NAME : str/int/float/bool» )",
        PARAM,
        "expected `$`",
        "write `${4} {5}`: a type follows the name without a colon",
    )
    .edit("${4} {5}"),
    Mistake::new("LINE func/class NAME ( …? ^ «NAME :» …", PARAM, "expected `$`", WITHOUT_COLON),
    Mistake::new(
        "(/, VAR WORD «| WORD» …?",
        "a value has a single type",
        "unexpected `|`",
        "write one type, or none: a parameter without a type takes values of any type",
    ),
    Mistake::new(
        "LINE VAR WORD «| WORD» =",
        "a value has a single type",
        "unexpected `|`",
        "write one type, or none: the type of each value is known before the program runs",
    ),
    Mistake::new(
        "(/, VAR WORD «?» ,/)",
        "MCL has no optional types",
        "unexpected `?`",
        "remove the `?`: a parameter always has a value",
    )
    .edit("")
    .covers(Cover::Match),
    Mistake::new(
        "LINE VAR WORD «?» =",
        "MCL has no optional types",
        "unexpected `?`",
        "remove the `?`: a variable always has a value",
    )
    .edit("")
    .covers(Cover::Match),
    Mistake::new(
        "(/, VAR «list/List/array/Array/vec/Vec/set/Set [/</( str/int/float/bool ]/>/)» ,/)",
        LIST,
        "unknown type",
        "write the type as `[]{5}`",
    )
    .edit("[]{5}"),
    Mistake::new(
        "(/, VAR «list/List/array/Array/vec/Vec/set/Set» …",
        LIST,
        "unknown type",
        "write `[]str`, with the type of the elements",
    ),
    Mistake::new("(/, VAR «dict/Dict/hash/Hash/Map/HashMap» …", "cannot find type `{3}`", "unknown type", MAP),
    result("func NAME? ( …? ) ^ «string/String/text» {", "write the type as `str`").edit("str"),
    result("func NAME? ( …? ) ^ «integer/Integer/number/Number/int64/int32/uint/long» {", "write the type as `int`")
        .edit("int"),
    result("func NAME? ( …? ) ^ «boolean/Boolean» {", "write the type as `bool`").edit("bool"),
    result("func NAME? ( …? ) ^ «double/float64/float32/Float/real» {", "write the type as `float`").edit("float"),
    result("func NAME? ( …? ) ^ «any/Any/void/error» {", "remove it: the type of the result is found from the body")
        .edit(""),
    Mistake::new("(/, VAR «any/Any/object/Object/mixed» ,/)", "cannot find type `{3}`", "unknown type", ANY).edit(""),
];

/// The type of the result of a function.
const fn result(pattern: &'static str, help: &'static str) -> Mistake {
    Mistake::new(pattern, "cannot find type `{3}`", "unknown type", help).covers(Cover::Match)
}
