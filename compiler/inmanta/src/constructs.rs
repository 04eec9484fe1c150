//! The constructs of the language, for the manual.

/// Each construct: its name, its syntax, its meaning.
pub const CONSTRUCTS: &[(&str, &str, &str)] = &[
    (
        "entity",
        "entity Site extends Base:\n    string name\n    int port = 80\n    string[] tags = []\n    string? note = null\nend",
        "A type of object with typed attributes. Attributes without a default must be set, including nullable ones. `[]` is a list, `?` allows `null`.",
    ),
    (
        "relation",
        "Site.host [1] -- Host.sites [0:]",
        "Each `Site` has one `host`, and each `Host` has any number of `sites`; setting one end sets the other. Multiplicities: `[1]`, `[0:1]`, `[2]`, `[1:]`, `[0:5]`. For a one-way relation, omit the name on the right.",
    ),
    (
        "index",
        "index Site(host, name)",
        "These values identify an instance: constructing it twice gives the same instance. Required for lookups.",
    ),
    (
        "lookup",
        "blog = Site[host=web, name=\"blog\"]\nsame = web.sites[name=\"blog\"]",
        "Look up an instance by its index; this waits if the instance is constructed later.",
    ),
    (
        "implementation",
        "implementation page for Site:\n    fs::File(host=host, path=\"/srv/{{name}}\", content=\"\", mode=644)\nend",
        "Statements that run for each instance. Its attributes and relations are in scope by name; `self` is the instance.",
    ),
    (
        "implement",
        "implement Site using page\nimplement Site using tls, parents when port == 443",
        "Select the implementations of an entity, optionally with a condition. `parents` adds those of the parent entities. `std::none` is an empty implementation; every instance needs at least one.",
    ),
    (
        "typedef",
        "typedef port as int matching self > 0 and self < 65536\ntypedef slug as string matching /^[a-z-]+$/",
        "A type with a condition on `self`, or with a regular expression that is matched from the start of the value.",
    ),
    (
        "constructor",
        "site = Site(host=web, name=\"blog\", **defaults)",
        "Construct an instance. `**` takes arguments from a dict. The module can be omitted where the type of an attribute determines it.",
    ),
    (
        "assignment",
        "port = 80\nsite.note = \"x\"\nsite.tags += [\"new\"]",
        "A variable can have only one value: assigning the same value again is harmless, a different one is an error. Relations with several members collect all assigned values.",
    ),
    (
        "for",
        "for host in hosts:\n    Site(host=host, name=\"a\")\nend",
        "Run the body once for each member, including members that are added later. Variables are local to the body.",
    ),
    (
        "if",
        "if port == 443:\n    x = 1\nelif port == 80:\n    x = 2\nelse:\n    x = 3\nend",
        "Run one branch. Variables of a branch are local to it.",
    ),
    (
        "conditional expression",
        "state = live ? \"running\" : \"stopped\"",
        "Only the chosen branch is evaluated. The condition must be a boolean.",
    ),
    (
        "null",
        "site.note = null\nsite.proxy = null",
        "Nothing: for attributes of a type with `?`, and for relations that stay empty. `null` equals only itself.",
    ),
    (
        "unknown",
        "port = int(std::get_env(\"PORT\"))",
        "A value that is not known yet: an environment variable that is not set, or a fact (`std::getfact`). Anything computed from it is unknown as well; a resource with an unknown field is left out, with everything that requires it. `std::is_unknown` checks for it.",
    ),
    (
        "types",
        "string   int   float   bool   list   dict   string[]   int?   string[]?",
        "`[]` is a list of a type, and `?` allows `null`. An `int` is not a `float`. `number` is deprecated. To convert a value, call its new type: `int(\"5\")`, `string(2.5)`, `bool(x)`, `float(\"1.5\")`.",
    ),
    (
        "calls",
        "std::replace(\"banana\", \"a\", new=\"o\")\nshop::f(**options)",
        "Call a function of a module with positional or named arguments; `**` takes them from a dict. It runs once all arguments are known.",
    ),
    (
        "documentation",
        "entity Site:\n    \"\"\" A web site. \"\"\"\n    string name\nend",
        "A string in triple quotes at the start of a file, entity or implementation, or after a relation, typedef or implement statement. It is shown by the editor. `#` begins a comment.",
    ),
    (
        "regular expressions",
        "typedef slug as string matching /^[a-z-]+$/",
        "As in Python's `re`, matched from the start of the value; end with `$` to match all of it.",
    ),
    (
        "expressions",
        "a ? b : c\nx in [1, 2]   x not in list   not x\n2 ** 3   7 % 3   a and b or c",
        "`/` returns a float, `**` is left-associative, and a sign is part of the number: `a - 1` needs its spaces.",
    ),
    (
        "is defined",
        "site.note is defined",
        "True if the attribute is neither null nor empty. It is an error if the attribute is never set.",
    ),
    (
        "comprehension",
        "[site.name for site in sites if site.port == 443]",
        "Build a list from another list. Multiple `for` clauses nest from left to right.",
    ),
    ("dict", "d = {\"a\": 1}\nx = d[\"a\"]", "Keys are strings. A missing key is an error."),
    (
        "strings",
        "\"port {{port}}\"   f\"{port:>5}\"   r\"\\d+\"   \"\"\"several\nlines\"\"\"",
        "`{{name}}` inserts a value, an f-string formats it, and a raw string keeps backslashes.",
    ),
    (
        "import",
        "import shop\nimport shop::units as units",
        "Load a module: `libs/shop/model/_init.cf`, `libs/shop/model/units.cf`. It is visible in this file only, under exactly this name. `std` is always available. Published modules that are not built in are not downloaded: copy the directories `model`, `files`, `templates`, and `plugins` or `inmanta_plugins` of the module's source to `libs/shop`.",
    ),
    (
        "template",
        "content = std::template(\"shop/site.conf.tmpl\")\ncontent = std::template(\"shop/site.conf.tmpl\", name=name)",
        "Render `libs/shop/templates/site.conf.tmpl` (Jinja2) with the variables in scope, or with the given arguments. Not supported: the filter `random` and the function `lipsum`, whose results are random; the statements `include`, `extends` and `import`; the extensions `do`, `break`, `continue`, `trans` and `debug`; methods that change a list or dict (`append`, `update`); unary `+`; integer literals of more than 128 bits, and for such numbers `range`, `%x`, `%o`, and `%d` with a sign, a precision or leading zeros; custom delimiters and line statements. `{{ self.name }}` is not available, as in the original.",
    ),
    (
        "functions in Python",
        "functions.json:\n{\"shop::free_port\": [{\"args\": [\"web\"], \"result\": 8080}, {\"result\": 9000}], \"net::is_*\": [{\"result\": true}]}",
        "`libs/shop/plugins/*.py` and `libs/shop/inmanta_plugins/shop/*.py` are not run. Declare results in `functions.json` next to the main file: the first entry with matching arguments is used; an entry without `args` matches every call. As an argument, `{\"matching\": \"db-.*\"}` stands for strings that match a regular expression from their start, and `{\"any\": true}` for every value. A name that ends in `*` declares defaults for the functions that begin like this. If several functions that the model calls lack results, the first error has placeholders for all of them: paste them into `functions.json` to check the rest of the model. Functions that mclive has built in are run instead of those in Python: those of `std`, `ip` and `fs`; `net` has types only. Not built in: `files::jinja`, since it leaves references to be resolved on the host, and the functions of `config`, whose documentation does not define their results.",
    ),
    (
        "hosts",
        "mclive run --hostname web1 model/main.cf",
        "A resource belongs to the host that it is related to. `run` and `plan` use the resources of this host's name, `graph` and `check` those of all hosts. Resources of the agent `internal` belong to every host. A resource that requires one of another host is left out until that host has deployed it, if the hosts share a store (`--world`); otherwise it does not wait. Both are reported. The other host announces this with a `kv`, which its policy must allow in `kinds`.",
    ),
    (
        "resources",
        "fs::File -> file      fs::Directory -> file (with a slash)    fs::Symlink -> file (symlink)\nstd::Package -> pkg   std::Service -> svc    exec::Run -> exec\nposix::User -> user   posix::Group -> group",
        "`requires` and `provides` become edges; an edge notifies if the first resource has `send_event` and the second `receive_events`. `purged` means absent, `report_only` reports changes without applying them, and `managed = false` omits the resource. Files, directories, links, users and groups with `purge_on_delete` are removed from the host once the model no longer has them, even if it changed while the agent was stopped. `returns`, `reload` and `reload_only` of `exec::Run` are rejected.",
    ),
];
