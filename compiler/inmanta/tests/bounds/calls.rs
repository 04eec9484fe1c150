//! Everything that templates may call, each with a call that wants as much as it can.
//!
//! The names come from the definitions: what has no call here fails. Each call stands in a loop that nobody waits for, so what
//! it costs must be counted, or the test does not come to an end.

use super::{Ended, MOST_HELD, run_within};
use mclive_inmanta::eval::Limits;
use std::collections::{BTreeMap, BTreeSet};

/// In the templates, `t` is a long text of words, `l` a long list of texts, `n` one of numbers, `d` a large dict, `p` a list of
/// pairs that is as large, and `w` a text without a space.
const CALLS: &[(&str, &[(&str, &str)])] = &[
    (
        "filter",
        &[
            ("abs", "1.5|abs"),
            ("attr", "d|attr(t)"),
            ("batch", "n|batch(999999999, t)"),
            ("bool", "l|bool"),
            ("capitalize", "t|capitalize"),
            ("center", "t|center(999999999)"),
            ("chain", "l|chain(l, l, l)"),
            ("count", "t|count"),
            ("d", "z|d(t)"),
            ("default", "z|default(t)"),
            ("dictsort", "d|dictsort(by='value')"),
            ("e", "t|e"),
            ("escape", "p|escape"),
            ("filesizeformat", "1e300|filesizeformat"),
            ("first", "t|first"),
            ("float", "t|float(0)"),
            ("forceescape", "p|forceescape"),
            ("format", "('%*d%.99999f' * 9999)|format(99999, 1)"),
            ("groupby", "p|groupby(0)"),
            ("indent", "t|indent(99999, true, true)"),
            ("int", "('9' * 99999)|int(0)"),
            ("items", "d|items"),
            ("join", "l|join(t)"),
            ("last", "t|last"),
            ("length", "t|length"),
            ("lines", "t|lines"),
            ("list", "t|list"),
            ("lower", "t|lower"),
            ("map", "l|map('replace', '', t)"),
            ("max", "p|max"),
            ("min", "l|min"),
            ("pprint", "p|pprint"),
            ("reject", "l|reject('eq', t)"),
            ("rejectattr", "p|rejectattr(0, 'in', t)"),
            ("replace", "t|replace('', t)"),
            ("reverse", "t|reverse"),
            ("round", "1.5|round(1074) ~ (2 ** 9999)|round(-999)"),
            ("safe", "t|safe"),
            ("select", "l|select('in', t)"),
            ("selectattr", "p|selectattr(0, 'in', t)"),
            ("slice", "n|slice(999999999, t)"),
            ("sort", "l|sort(reverse=true)"),
            ("split", "t|split(' ')"),
            ("string", "p|string"),
            ("striptags", "('<' * 99999)|striptags"),
            ("sum", "[l, l]|sum(start=[])"),
            ("title", "t|title"),
            ("tojson", "p|tojson(indent=99999)"),
            ("trim", "t|trim(t)"),
            ("truncate", "t|truncate(999999999)"),
            ("unique", "l|unique"),
            ("upper", "t|upper"),
            ("urlencode", "t|urlencode"),
            ("urlize", "t|urlize(9, true, t)"),
            ("wordcount", "t|wordcount"),
            ("wordwrap", "w|wordwrap(1, true, t)"),
            ("xmlattr", "d|xmlattr"),
            ("zip", "l|zip(l, l, l)"),
        ],
    ),
    (
        "test",
        &[
            ("undefined", "z is undefined"),
            ("defined", "t is defined"),
            ("none", "t is none"),
            ("safe", "t is safe"),
            ("escaped", "t is escaped"),
            ("boolean", "t is boolean"),
            ("callable", "t is callable"),
            ("odd", "3 is odd"),
            ("even", "3 is even"),
            ("divisibleby", "3 is divisibleby 2"),
            ("number", "3 is number"),
            ("integer", "3 is integer"),
            ("int", "3 is int"),
            ("float", "3 is float"),
            ("string", "t is string"),
            ("sequence", "l is sequence"),
            ("iterable", "t is iterable"),
            ("mapping", "d is mapping"),
            ("startingwith", "t is startingwith t"),
            ("endingwith", "t is endingwith t"),
            ("lower", "w is lower"),
            ("upper", "w is upper"),
            ("sameas", "p is sameas p"),
            ("eq", "p is eq p"),
            ("equalto", "l is equalto l"),
            ("==", "p|select('==', p)"),
            ("ne", "p is ne p"),
            ("!=", "p|select('!=', p)"),
            ("lt", "p is lt p"),
            ("lessthan", "p is lessthan p"),
            ("<", "p|select('<', p)"),
            ("le", "p is le p"),
            ("<=", "p|select('<=', p)"),
            ("gt", "p is gt p"),
            ("greaterthan", "p is greaterthan p"),
            (">", "p|select('>', p)"),
            ("ge", "p is ge p"),
            (">=", "p|select('>=', p)"),
            ("in", "t is in l"),
            ("true", "t is true"),
            ("false", "t is false"),
            ("filter", "t is filter"),
            ("test", "t is test"),
        ],
    ),
    (
        "function",
        &[
            ("range", "range(-99999, 0)"),
            ("dict", "dict(d, a=1)"),
            ("namespace", "namespace(x=p)"),
            ("joiner", "joiner(t)()"),
            ("cycler", "cycler(p, t).next()"),
        ],
    ),
    (
        "method",
        &[
            ("capitalize", "t.capitalize()"),
            ("casefold", "t.casefold()"),
            ("center", "t.center(999999999)"),
            ("count", "p.count(p)"),
            ("endswith", "t.endswith(l)"),
            ("expandtabs", "('\\t' * 9999).expandtabs(99999)"),
            ("find", "t.find('z')"),
            ("format", "('{:{}}' * 9999).format(1, 99999)"),
            ("get", "d.get(t)"),
            ("index", "l.index('w0')"),
            ("isalnum", "w.isalnum()"),
            ("isalpha", "w.isalpha()"),
            ("isascii", "t.isascii()"),
            ("isdecimal", "('1' * 9999).isdecimal()"),
            ("isdigit", "('1' * 9999).isdigit()"),
            ("isidentifier", "w.isidentifier()"),
            ("islower", "t.islower()"),
            ("isnumeric", "('1' * 9999).isnumeric()"),
            ("isspace", "(' ' * 9999).isspace()"),
            ("istitle", "t.istitle()"),
            ("isupper", "t.isupper()"),
            ("items", "d.items()"),
            ("join", "t.join(l)"),
            ("keys", "d.keys()"),
            ("ljust", "t.ljust(999999999)"),
            ("lower", "t.lower()"),
            ("lstrip", "w.lstrip(w)"),
            ("partition", "t.partition('z')"),
            ("removeprefix", "t.removeprefix('word')"),
            ("removesuffix", "t.removesuffix('w0')"),
            ("replace", "t.replace('', t)"),
            ("rfind", "t.rfind('z')"),
            ("rindex", "t.rindex('w')"),
            ("rjust", "t.rjust(999999999)"),
            ("rpartition", "t.rpartition('z')"),
            ("rsplit", "t.rsplit()"),
            ("rstrip", "w.rstrip(w)"),
            ("split", "t.split()"),
            ("splitlines", "t.splitlines(true)"),
            ("startswith", "t.startswith(l)"),
            ("strip", "w.strip(w)"),
            ("swapcase", "t.swapcase()"),
            ("title", "t.title()"),
            ("upper", "t.upper()"),
            ("values", "d.values()"),
            ("zfill", "t.zfill(999999999)"),
        ],
    ),
    (
        "operator",
        &[
            ("<read", "p == p and t < t < t"),
            ("<joined", "t ~ (p + l)"),
            ("<searched", "t in p or t in t"),
            ("<contained", "t in p or t in t"),
            ("<made", "[[p, t], {t: p}, (p, p)]"),
            ("<kept", "ns.x"),
            ("<count", "1 if 1 else 2"),
            ("<places", "t[-1]"),
            ("<attribute", "d.w0"),
            ("<plus", "p + l + [t + t]"),
            ("<minus", "2 ** 9999 - 1"),
            ("<times", "t * 99 * 99"),
            ("<divided", "2 ** 9999 / 3 ** 6300"),
            ("<floor", "2 ** 9999 // 7"),
            ("<power", "2 ** 9999"),
            ("<percent", "('%*d%.99999f' * 9999) % (99999, 1)"),
            ("<summed", "n|sum"),
            ("<negated", "-i"),
            ("<slice", "t[::-1] ~ t[1:9]"),
            ("<ordered", "l < l or t < t"),
            ("<chained", "t <= t <= t"),
            // They stand at loops and at definitions of macros only, each of which is charged as a node.
            ("<iterated", "1 if 1 else 2"),
            ("<unpacked", "1 if 1 else 2"),
            ("<cycle", "loop.cycle(p, t)"),
            ("<macro", "1 if 1 else 2"),
        ],
    ),
];

/// In the models, `t` is a long text, `l` a list of texts, `n` one of numbers, `d` a dict of both, `j` a long text of JSON, `a`
/// an instance and `i` a list of them, each with `t` as its `t`.
const FUNCTIONS: &[(&str, &str)] = &[
    ("add", "ip::add(\"10.0.0.1\", 99999)"),
    ("add_to_ip", "std::add_to_ip(\"10.0.0.1\", 99999)"),
    ("assert", "std::assert(true, t)"),
    ("at", "std::at(l, -1)"),
    ("attr", "std::attr(a, \"t\")"),
    ("capitalize", "std::capitalize(t)"),
    ("cidr_to_network", "ip::cidr_to_network(t)"),
    ("concat", "ip::concat(\"www\", \"example.org\")"),
    ("contains", "std::contains(d, t)"),
    ("count", "std::count(l)"),
    ("dict_get", "std::dict_get({\"t\": t}, \"t\")"),
    ("dict_keys", "std::dict_keys(d)"),
    ("environment", "std::environment()"),
    ("environment_name", "std::environment_name()"),
    ("environment_server", "std::environment_server()"),
    ("equals", "std::equals(d, d)"),
    ("familyof", "std::familyof(std::linux, t)"),
    ("file", "std::file(\"m/f\")"),
    ("filter", "std::filter(i, a)"),
    ("flatten", "std::flatten(std::json_loads(j))"),
    ("format", "std::format(\"{0:>99999}{0:>99999}\", t)"),
    ("generate_password", "std::generate_password(t)"),
    ("get_env", "std::get_env(\"HOME\", t)"),
    ("get_env_int", "std::get_env_int(\"HOME\", 1)"),
    ("getattr", "std::getattr(a, \"t\")"),
    ("getfact", "std::getfact(a, t, t)"),
    ("hostname", "std::hostname(t)"),
    ("inlineif", "std::inlineif(true, t, t)"),
    ("invert", "std::invert(true)"),
    ("ip_address_from_interface", "std::ip_address_from_interface(\"10.0.0.1/8\")"),
    ("ipindex", "std::ipindex(\"10.0.0.0/8\", 99999)"),
    ("ipnet", "ip::ipnet(\"10.0.0.1/8\", t)"),
    ("is_base64_encoded", "std::is_base64_encoded(t)"),
    ("is_instance", "std::is_instance(a, t)"),
    ("is_unknown", "std::is_unknown(t)"),
    ("is_valid_cidr", "ip::is_valid_cidr(t)"),
    ("is_valid_cidr_v10", "ip::is_valid_cidr_v10(t)"),
    ("is_valid_cidr_v6", "ip::is_valid_cidr_v6(t)"),
    ("is_valid_ip", "ip::is_valid_ip(t)"),
    ("is_valid_ip_v10", "ip::is_valid_ip_v10(t)"),
    ("is_valid_ip_v6", "ip::is_valid_ip_v6(t)"),
    ("is_valid_netmask", "ip::is_valid_netmask(t)"),
    ("isset", "std::isset(t)"),
    ("item", "std::item(std::json_loads(j), 0)"),
    ("json_dumps", "std::json_dumps(d)"),
    ("json_loads", "std::json_loads(j)"),
    ("key_sort", "std::key_sort(i, \"t\")"),
    ("len", "std::len(l)"),
    ("length", "std::length(t)"),
    ("limit", "std::limit(t, -1)"),
    ("list_files", "std::list_files(\"m/\")"),
    ("lower", "std::lower(t)"),
    ("net_to_nm", "ip::net_to_nm(t)"),
    ("netmask", "std::netmask(\"10.0.0.1/8\")"),
    ("network", "ip::network(t, t)"),
    ("network_address", "std::network_address(\"10.0.0.1/8\")"),
    ("objid", "std::objid(a)"),
    ("password", "std::password(t)"),
    ("prefixlen", "std::prefixlen(\"10.0.0.1/8\")"),
    ("prefixlength_to_netmask", "std::prefixlength_to_netmask(8)"),
    ("print", "std::print(d)"),
    ("replace", "std::replace(t, \"x\", t)"),
    ("select", "std::select(i, \"t\")"),
    ("sequence", "std::sequence(1000000)"),
    ("server_ca", "std::server_ca()"),
    ("server_port", "std::server_port()"),
    ("server_ssl", "std::server_ssl()"),
    ("server_token", "std::server_token(l)"),
    ("source", "std::source(\"m/f\")"),
    ("split", "std::split(t, \"x\")"),
    ("template", "std::template(\"m/t\", t=t)"),
    ("timestamp", "std::timestamp(t)"),
    ("to_number", "std::to_number(t)"),
    ("type", "std::type(t)"),
    ("unique", "std::unique(l)"),
    ("unique_file", "std::unique_file(t, t, t)"),
    ("upper", "std::upper(t)"),
    ("validate_type", "std::validate_type(\"pydantic.constr\", t, {\"regex\": \"(x*)*y\"})"),
];

const MODEL: &str = "m = {\"w0\": \"a\", \"w1\": \"b\"}";

/// What stands before the calls: it must leave most of the budget to them. It begins with what it asks the model for.
const HEAD: &str = "{% if m.w0 %}{% endif %}{% set t = 'word '*9999 ~ 'w0' %}{% set w = 'a'*9999 %}{% set n = range(999) %}\
    {% set l = n|map('string')|map('replace', '1', 'w')|list + ['w0'] %}{% set p = l|zip(l) %}\
    {% set d = dict(m) %}{% set ns = namespace() %}";

fn hostile(expression: &str) -> Ended {
    // Small limits: the same share of what there is, and the test is quick.
    let limits = Limits { work: 400_000, memory: 48 << 20, ..Limits::default() };
    let template = format!(
        "{HEAD}{{% for i in range(9999) %}}{{% for j in range(999) %}}{{% set ns.x = [p, t] %}}\
         {{% set x = {expression} %}}{{% endfor %}}{{% endfor %}}"
    );
    run_within(MODEL, &template, limits)
}

#[test]
fn what_stands_before_the_calls_is_within_the_budget() {
    let limits = Limits { work: 200_000, memory: 32 << 20, ..Limits::default() };
    assert_eq!(run_within(MODEL, HEAD, limits).message, "");
}

#[test]
fn each_call_is_bounded() {
    let offered: BTreeSet<String> = mclive_inmanta::template::offered().into_iter().collect();
    let calls: BTreeMap<String, &str> = CALLS
        .iter()
        .flat_map(|(kind, calls)| calls.iter().map(move |(name, call)| (format!("{kind} {name}"), *call)))
        .collect();
    assert_eq!(offered, calls.keys().cloned().collect(), "each has its call");
    for (name, call) in calls {
        let ended = hostile(call);
        assert!(ended.is_refused(), "{name}: {:.300}", ended.message);
        assert!(ended.held < MOST_HELD / 5.0, "{name} held {} MiB", ended.held);
    }
}

#[test]
fn each_function_is_bounded() {
    let offered: BTreeSet<&str> =
        mclive_inmanta::library::all_functions().map(|function| function.short_name()).collect();
    assert_eq!(offered, FUNCTIONS.iter().map(|(name, _)| *name).collect(), "each has its call");
    for (name, call) in FUNCTIONS {
        let limits = Limits { work: 400_000, memory: 48 << 20, ..Limits::default() };
        let model = format!(
            "import ip\nentity A:\n    string t\nend\nimplement A using std::none\nn = std::sequence(199)\n\
             t0 = \"xxxxxxxxx x\"\nt1 = std::replace(t0, \"x\", t0)\nt2 = std::replace(t1, \"x\", t0)\n\
             t3 = std::replace(t2, \"x\", t0)\nt = std::replace(t3, \"x\", t0)\n\
             l = [\"{{{{t1}}}}{{{{k}}}}\" for k in n]\nd = {{\"t\": t, \"l\": l, \"n\": n}}\n\
             j = std::format(\"[{{}}[0]]\", std::replace(t3, \"x\", \"[1],\"))\na = A(t=t)\n\
             i = [A(t=\"{{{{t2}}}}{{{{k}}}}\") for k in n]\n\
             for v in n:\n    w = {call}\nend\n"
        );
        let ended = run_within(&model, "{{ t }}", limits);
        assert!(ended.held < MOST_HELD / 5.0, "{name} held {} MiB", ended.held);
    }
}
