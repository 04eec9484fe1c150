//! The original's messages in the words of this project. A message without an entry keeps its own words.
//!
//! Values are not taken from the message, where a string looks like the number in it, but from the fault.

mod call;
mod define;
mod export;
mod value;

pub(super) use call::python_cause;

/// The message in our words; `text` is on one line, and `values` are those that it is about.
pub(super) fn reworded(text: &str, values: &[String]) -> Option<String> {
    value::mismatch(text, values)
        .or_else(|| define::incomplete(text))
        .or_else(|| call::function(text))
        .or_else(|| call::argument(text, values))
        .or_else(|| call::arguments(text))
        .or_else(|| value::key(text))
        .or_else(|| value::operation(text, values))
        .or_else(|| value::access(text, values))
        .or_else(|| define::definition(text))
        .or_else(|| define::index(text, values))
        .or_else(|| define::constructor(text))
        .or_else(|| value::short_lookup(text, values))
        .or_else(|| value::direct(text))
        .or_else(|| value::format(text))
        .or_else(|| export::resources(text, values))
        .or_else(|| define::incompatible(text, values))
        .or_else(|| plain(text).map(str::to_owned))
        .or_else(|| syntax(text))
}

fn plain(text: &str) -> Option<&'static str> {
    Some(match text {
        "ZeroDivisionError: division by zero" => "division by zero",
        "TypeError: unhashable type: 'list'" => "a list cannot be a key of a dict",
        "TypeError: unhashable type: 'dict'" => "a dict cannot be a key of a dict",
        "AssertionError: a regular expression matches strings only" => "only strings can match a regular expression",
        "List modified after freeze" => "value assigned after the relation was complete",
        "Can only compare numbers." => "only numbers can be compared",
        "Unexpected end of file" => "unexpected end of file",
        "Invalid identifier: Entity names must start with a capital" => {
            "the name of an entity must begin with a capital letter"
        }
        "Invalid identifier: attribute names must start with a lower case character" => {
            "the name of an attribute must begin with a lower-case letter"
        }
        "The use of default constructors is no longer supported" => "default constructors are no longer supported",
        "Only positional arguments allowed in type cast" => "a conversion takes no named arguments",
        "Can not use += on relations with multiplicity 1" => "`+=` is only for relations with several values",
        "The ** operator can only be applied to dictionaries" => "only a dict can be unpacked with `**`",
        "same parent defined twice" => "duplicate parent",
        "Two import statements have the same name" => "duplicate import",
        "Conditional implementation with parents not allowed" => "`parents` cannot be combined with a condition",
        "Relation annotation can not be Unknown" => "the annotation of a relation is unknown",
        "Type found in index is not an exact match" => "the index already contains an instance of another entity",
        "Inconsistent indexes detected!" => "the indexes contain different instances",
        "typedef expressions should reference the self variable" => "the condition of a type must refer to `self`",
        _ => return None,
    })
}

fn syntax(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("invalid identifier, ") {
        return Some(format!("unexpected keyword `{}`", rest.strip_suffix(" is a reserved keyword")?));
    }
    if let Some(char) = text.strip_prefix("Illegal character ") {
        return Some(format!("unexpected character `{}`", char.strip_prefix('\'')?.strip_suffix('\'')?));
    }
    if let Some((pattern, bad)) = text.strip_prefix("Regex error in ").and_then(|rest| rest.rsplit_once(": '")) {
        return Some(format!("invalid regular expression `{pattern}`: {}", bad.strip_suffix('\'')?));
    }
    if let Some(name) = text.strip_prefix("The use of '-' in identifiers is not allowed. please rename ") {
        return Some(format!("a name cannot contain `-`: `{}`", name.strip_suffix('.')?));
    }
    if let Some((name, _)) = text.split_once(" is not a valid module name: hyphens are not allowed") {
        return Some(format!("the name of a module cannot contain `-`: `{name}`"));
    }
    if let Some(rest) = text.strip_prefix("invalid namespace access `") {
        let (written, rest) = rest.split_once('`')?;
        let (_, meant) = rest.rsplit_once("Did you mean: `")?;
        return Some(format!("`{written}` must be written `{}`", meant.strip_suffix('`')?));
    }
    if let Some(meant) = text.strip_prefix("null can not be assigned to dict, did you mean \"") {
        return Some(format!("a dict cannot be null: write `{}`", meant.strip_suffix('"')?));
    }
    if text.starts_with("String interpolation is not supported in dictionary keys. ") {
        return Some("a key of a dict cannot be interpolated: write `r\"...\"` for braces in a key".into());
    }
    if let Some(name) = text.strip_prefix("Can not perform += on variable ") {
        return Some(format!("`+=` adds to a relation, and `{name}` is a variable"));
    }
    if text.starts_with("UnicodeDecodeError: 'unicodeescape' codec ") {
        return Some(format!("invalid escape: {}", text.rsplit_once(": ")?.1));
    }
    if let Some(reason) = text.strip_prefix("Invalid f-string: ") {
        return Some(format!("invalid f-string: {reason}"));
    }
    let token = text.strip_prefix("Syntax error at token ")?;
    Some(format!("unexpected token `{token}`"))
}

#[cfg(test)]
mod tests {
    use super::reworded;

    #[test]
    fn messages_have_our_words() {
        for (text, words) in [
            (
                "The object m::A (instantiated at main.cf:3) is not complete: attribute n (main.cf:1) is not set",
                "attribute `n` of `m::A` is not set",
            ),
            (
                "The object A (instantiated at main.cf:3) is not complete: attribute b (main.cf:1) requires 2 values but only 1 are set",
                "relation `b` of `A` requires 2 values, but only 1 is set",
            ),
            (
                "The object A (instantiated at main.cf:3) is not complete: attribute b (main.cf:1) requires 1 values but only 0 are set",
                "relation `b` of `A` requires 1 value, but none is set",
            ),
            ("Exception in plugin std::at", "function `std::at` failed"),
            ("PluginException in plugin m::f it is too late", "function `m::f` failed: it is too late"),
            ("key a not found in dict, options are [b]", "cannot find key `a` in the dict"),
            ("Syntax error at token =", "unexpected token `=`"),
            ("invalid identifier, end is a reserved keyword", "unexpected keyword `end`"),
            ("The use of '-' in identifiers is not allowed. please rename n-x.", "a name cannot contain `-`: `n-x`"),
            (
                "n-x is not a valid module name: hyphens are not allowed, please use underscores instead.",
                "the name of a module cannot contain `-`: `n-x`",
            ),
            (
                "invalid namespace access `a.f`. Namespaces should be accessed with '::' rather than '.'. The '.' separator is reserved for attribute and relation access. Did you mean: `a::f`",
                "`a.f` must be written `a::f`",
            ),
            ("Illegal character ';'", "unexpected character `;`"),
            ("Illegal character '''", "unexpected character `'`"),
            (
                "Unsupported operand type(s) for plus: 'list' ([1, 2]) and 'NoneValue' (null)",
                "cannot apply `+` to a list and null",
            ),
            (
                "Can only concatenate str (not 'int' (1)) to str",
                "only a string can be added to a string, found an integer",
            ),
            (
                "can not get attribute x, a.n is not an entity but a int with value '1'",
                "cannot find attribute `x`: `a.n` is an integer, not an instance",
            ),
            (
                "can not get attribute x, [1, 2] is not an entity but a list",
                "cannot find attribute `x`: `[1, 2]` is a list, not an instance",
            ),
            (
                "The object at a.n is not an Entity but a <class 'int'> with value 1",
                "cannot set an attribute: `a.n` is an integer, not an instance",
            ),
            (
                "The object at a is not an Entity but a <class 'inmanta.execute.util.NoneValue'> with value null",
                "cannot set an attribute: `a` is null, not an instance",
            ),
            (
                "Optional variable accessed that has no value (attribute `A.o` of `A (instantiated at main.cf:5)`)",
                "the optional relation `o` of `A` has no value",
            ),
            (
                "Exceeded relation arity on attribute 'l' of instance 'A (instantiated at main.cf:5)'",
                "relation `l` has too many values",
            ),
            ("Can not call 'A', can only call plugin or primitive type cast", "`A` is not a function"),
            ("attribute 'n' already exists on entity 'A'", "duplicate attribute `n` of `A`"),
            ("Entity A is already defined", "duplicate entity `A`"),
            ("Implementation i for type A is already defined", "duplicate implementation `i`"),
            ("Entity can not be its own parent A,B", "circular inheritance: A, B"),
            (
                "Type mismatch: cannot use i as implementation for A because its implementing type is B",
                "implementation `i` is for `B`, not for `A`",
            ),
            ("Can not assign a value of type A to a variable of type B", "expected `B`, found `A`"),
            ("Unable to select implementation for entity A", "no implementation is selected for this `A`"),
            (
                "Invalid Constructor call: * Missing attribute 'name'. The attribute A.name is part of an index.",
                "missing `name` of `A`: it is part of an index",
            ),
            (
                "Invalid Constructor call: * Missing attribute 'n'. The attribute m::A.n is part of an index. * Missing relation 'h'. The relation m::A.h is part of an index.",
                "missing `n` and `h` of `m::A`: they are part of an index",
            ),
            ("No match in index on type A with key k='b'", "cannot find an instance of `A` with k='b'"),
            ("Duplicate key in index. k='b'", "the index already contains an instance with k='b'"),
            ("The attribute x in the constructor call of A is already set.", "duplicate argument `x` of `A`"),
            ("The attribute x is set twice in the constructor call of A.", "duplicate argument `x` of `A`"),
            ("Attribute n provided twice in index lookup", "duplicate argument `n` of a lookup"),
            (
                "Attribute name a is already defined in A, unable to define relationship",
                "duplicate attribute `a`: `A` already has one",
            ),
            ("x is not a constant", "a default must be a constant, found `x`"),
            ("Format('{{x}}') is not a constant", "a default must be a constant, found an interpolated string"),
            ("Illegal arguments 1,2: type cast expects exactly 1 argument", "a conversion takes exactly one argument"),
            ("not all statements executed: [b, a]", "these wait for one another: `b`, `a`"),
            (
                "short index lookup is only possible on relations, n is an attribute",
                "a lookup requires a relation, but `n` is an attribute",
            ),
            (
                "short index lookup is only possible on bi-drectional relations, A.b is unidirectional",
                "a lookup requires a relation with two ends, but `A.b` has one",
            ),
            (
                "Unable to resolve `self.x`: a type constraint can not reference variables.",
                "the condition of a type cannot use `self.x`",
            ),
            (
                "The statement Format('{{self}}') can not be executed in this context",
                "the condition of a type cannot contain an interpolated string",
            ),
            (
                "The statement self is defined can not be executed in this context",
                "the condition of a type cannot contain `self is defined`",
            ),
            ("Exception in direct execution for plugin std::at", "function `std::at` failed"),
            ("Invalid key in f-string: ''x''", "a field after `{{` or `}}` must occur before it as well: `x`"),
            (
                "TypeError: unsupported format string passed to NoneValue.__format__",
                "null cannot be formatted with a specification",
            ),
            ("No index defined on A for this lookup: [('n', 3)]", "`A` has no index of exactly these attributes"),
            (
                "Index can not contain optional relations, Relation ' x.m::A' is optional",
                "an index cannot contain the optional relation `x`",
            ),
            (
                "Index can not contain list attributes, Attribute ' x.A' is a list",
                "an index cannot contain the list `x`",
            ),
        ] {
            assert_eq!(reworded(text, &[]).as_deref(), Some(words), "{text}");
        }
        assert_eq!(reworded("variable x not found", &[]), None);
    }

    /// The message of a string and of a number is the same.
    #[test]
    fn values_are_shown_with_their_type() {
        for (text, value, words) in [
            ("Invalid value 'x', expected int", "\"x\"", "expected `int`, found `\"x\"`"),
            ("Invalid value '80', expected int?", "\"80\"", "expected `int?`, found `\"80\"`"),
            ("Invalid value '8.5', expected int", "8.5", "expected `int`, found `8.5`"),
            ("Invalid value '8.5', expected int", "\"8.5\"", "expected `int`, found `\"8.5\"`"),
            ("Invalid value '5', expected string", "5", "expected `string`, found `5`"),
            ("Invalid value 'true', expected bool", "\"true\"", "expected `bool`, found `\"true\"`"),
            ("Invalid type for value '1', should be type m::T", "1", "expected `m::T`, found `1`"),
            (
                "Invalid value 3, does not match constraint `self < 2`",
                "3",
                "`3` does not match the constraint `self < 2`",
            ),
            (
                "Invalid value 3, does not match constraint `((self > 0) and (self < 2))`",
                "3",
                "`3` does not match the constraint `(self > 0) and (self < 2)`",
            ),
            (
                "Invalid value 'x', does not match constraint `/^[a]+$/`",
                "\"x\"",
                "`\"x\"` does not match the constraint `/^[a]+$/`",
            ),
            ("Invalid right hand value `1`: `and` expects a boolean", "1", "expected `bool`, found `1`"),
            (
                "Invalid value `1`: the condition for an if statement can only be a boolean expression",
                "\"1\"",
                "expected `bool`, found `\"1\"`",
            ),
            (
                "Value 1 for argument s of plugin std::upper has incompatible type. Expected type: string",
                "1",
                "expected `string` for argument `s` of `std::upper`, found `1`",
            ),
            (
                "Return value 80 of plugin m::f has incompatible type. Expected type: int",
                "\"80\"",
                "expected `int` as the result of `m::f`, found `\"80\"`",
            ),
            (
                "short index lookup is only possible one objects, x is not an object",
                "\"x\"",
                "a lookup requires a relation of an instance, found `\"x\"`",
            ),
            ("No match in index on type A with key k=True", "k=true", "cannot find an instance of `A` with k=true"),
            ("Duplicate key in index. k='b'", "k=\"b\"", "the index already contains an instance with k=\"b\""),
            ("Failed to cast 'x' to int", "\"x\"", "cannot convert `\"x\"` to `int`"),
            (
                "A for loop can only be applied to lists and relations. Hint: '5' is not a list.",
                "5",
                "expected a list or relation, found `5`",
            ),
            (
                "A list comprehension can only be applied to lists and relations, got str",
                "\"x\"",
                "expected a list or relation, found `\"x\"`",
            ),
            (
                "Operand two of 'in' can only be a list or dict (6)",
                "\"6\"",
                "the right side of `in` must be a list or dict, found `\"6\"`",
            ),
            ("dict keys must be string, 4 is not a string", "4", "the key of a dict must be a string, found `4`"),
            ("dict lookup is only possible on dicts, 4 is not an object", "4", "only a dict has keys, found `4`"),
        ] {
            assert_eq!(reworded(text, &[value.to_owned()]).as_deref(), Some(words), "{text}");
        }
    }

    #[test]
    fn calls_have_our_words() {
        for (text, words) in [
            ("m::f() missing 1 required positional argument: 'a'", "missing argument `a` of `m::f`"),
            (
                "m::f() missing 3 required positional arguments: 'a', 'b' and 'c'",
                "missing arguments `a`, `b` and `c` of `m::f`",
            ),
            ("m::f() missing 1 required keyword-only argument: 'k'", "missing argument `k` of `m::f`"),
            (
                "m::f() takes 1 positional arguments but 2 were given",
                "`m::f` takes 1 positional argument, but 2 were given",
            ),
            (
                "m::f() takes 0 positional arguments but 1 were given",
                "`m::f` takes 0 positional arguments, but 1 was given",
            ),
            ("m::f() got multiple values for argument 'a'", "argument `a` of `m::f` is given twice"),
            ("m::f() got an unexpected keyword argument: 'x'", "unknown argument `x` of `m::f`"),
            ("Keyword argument a repeated in function call", "duplicate argument `a`"),
            ("Keyword argument a repeated in function call m::f()", "duplicate argument `a` of `m::f`"),
            ("Can not perform += on variable x", "`+=` adds to a relation, and `x` is a variable"),
            ("AssertionError: m::t is not an implementation", "`m::t` is not an implementation"),
            (
                "UnicodeDecodeError: 'unicodeescape' codec can't decode bytes in position 0-1: truncated \\xXX escape",
                "invalid escape: truncated \\xXX escape",
            ),
            (
                "Could not determine namespace for type X. 2 possible candidates exists: [m::X, n::X]. To resolve this, use the fully qualified name instead of the short name.",
                "several entities are named `X`: `m::X`, `n::X`",
            ),
            (
                "Trying to set relation attribute `p` of instance `A (instantiated at main.cf:4)` to null but it has values `A (instantiated at main.cf:4)` assigned already",
                "relation `p` already has values, so it cannot be null",
            ),
        ] {
            assert_eq!(reworded(text, &[]).as_deref(), Some(words), "{text}");
        }
    }
}
