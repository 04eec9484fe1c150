//! Types and parameters of other languages.

use super::super::Mistake;

const PARAM: &str = "the type of a parameter follows its name";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new("«Integer VAR» ,/)", PARAM, "this looks like Puppet", "write `{1} int`").edit("{1} int"),
    Mistake::new("«String VAR» ,/)", PARAM, "this looks like Puppet", "write `{1} str`").edit("{1} str"),
    Mistake::new("«Boolean VAR» ,/)", PARAM, "this looks like Puppet", "write `{1} bool`").edit("{1} bool"),
    Mistake::new("«Float/Numeric VAR» ,/)", PARAM, "this looks like Puppet", "write `{2} float`").edit("{2} float"),
    Mistake::new(
        "(/, VAR «string/String/text» ,/)/=",
        "cannot find type `{3}`",
        "unknown type",
        "write the type as `str`",
    )
    .edit("str"),
    Mistake::new(
        "(/, VAR «integer/Integer/number/Number/int64/int32/uint/long» ,/)/=",
        "cannot find type `{3}`",
        "unknown type",
        "write the type as `int`",
    )
    .edit("int"),
    Mistake::new(
        "(/, VAR «boolean/Boolean» ,/)/=",
        "cannot find type `{3}`",
        "unknown type",
        "write the type as `bool`",
    )
    .edit("bool"),
    Mistake::new(
        "(/, VAR «double/float64/float32/Float/real» ,/)/=",
        "cannot find type `{3}`",
        "unknown type",
        "write the type as `float`",
    )
    .edit("float"),
    Mistake::new(
        "«Array/Set [ … ] VAR» …?",
        PARAM,
        "this looks like Puppet",
        "write `{3} []str`, or leave out the type",
    ),
    Mistake::new(
        "«Hash/Struct [ … ] VAR» …?",
        PARAM,
        "this looks like Puppet",
        "write `{3} map{str: str}`, or leave out the type",
    ),
    Mistake::new(
        "«Integer VAR =» …",
        PARAM,
        "this looks like Puppet",
        "write `{1} int`; parameters have no default values",
    ),
    Mistake::new(
        "«String VAR =» …",
        PARAM,
        "this looks like Puppet",
        "write `{1} str`; parameters have no default values",
    ),
    Mistake::new(
        "«Boolean VAR =» …",
        PARAM,
        "this looks like Puppet",
        "write `{1} bool`; parameters have no default values",
    ),
    Mistake::new("«CAP VAR»", PARAM, "this looks like Puppet", "write `{2} str`, or leave out the type"),
    Mistake::new(
        "«CAP [ … ] VAR =» …",
        PARAM,
        "this looks like Puppet",
        "write `{3} str`, or leave out the type; parameters have no default values",
    ),
    Mistake::new("«CAP [ … ] VAR»", PARAM, "this looks like Puppet", "write `{3} str`, or leave out the type"),
    Mistake::new("«CAP :: … VAR»", PARAM, "this looks like Puppet", "write `{3} str`, or leave out the type"),
    Mistake::new("«str/int/float/bool VAR» ,/)", PARAM, "expected `$`", "write `{2} {1}`").edit("{2} {1}"),
    Mistake::new(
        "VAR «:» str/int/float/bool",
        "the type follows the name without a colon",
        "unexpected `:`",
        "write `{1} {2}`",
    )
    .edit(""),
    Mistake::new(
        "struct { NAME «:» str/int/float/bool",
        "the type of a field follows its name without a colon",
        "unexpected `:`",
        "write `struct{{1} {2}}`: several fields are separated by `;`",
    ),
    Mistake::new(
        "struct { NAME str/int/float/bool «,» …",
        "the fields of a struct type are separated by `;`",
        "expected `;`",
        "write `struct{{1} {2}; …}`",
    ),
    Mistake::new(
        "«map { str/int/float/bool , str/int/float/bool }»",
        "the types of a map are separated by `:`",
        "expected `:`",
        "write `map{{1}: {2}}`",
    )
    .edit("map{{1}: {2}}"),
    Mistake::new(
        "VAR/) «str/int/float/bool [ ]»",
        "list types are written `[]T`",
        "the brackets go first",
        "write `[]{2}`",
    )
    .edit("[]{2}"),
    Mistake::new(
        "VAR «:» NAME/CAP/[",
        "the type follows the name without a colon",
        "unexpected `:`",
        "the types are `bool`, `str`, `int`, `float`, `[]T`, `map{K: V}` and `struct{…}`",
    ),
    Mistake::new(
        "@expr (/[/, ^ «String/Integer/Float/Boolean/Numeric/Number/Array/Hash/Int/Str/Bool/List/Dict»",
        "a type is not a value",
        "expected a value",
        "remove it: the type of each value is known before the program runs; a declared type follows the name, as in \
         `$port int = 80`",
    ),
];
