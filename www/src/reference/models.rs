//! Models: each construct of the Inmanta language, then its modules, entities and functions.

use super::{Reference, html};
use mclive_compiler::language::{FrontEnd, Inmanta};
use serde_json::Value as Json;
use std::fmt::Write;

/// A construct: its name, its syntax, its meaning.
const CONSTRUCTS: &[(&str, &str, &str)] = &[
    (
        "entity",
        "entity Site extends Base:\n    string name\n    int port = 80\n    string[] tags = []\n    string? note = null\nend",
        "A kind of thing with typed attributes. An attribute without a default has to be set, a nullable one too. `[]` is a list, `?` allows `null`.",
    ),
    (
        "relation",
        "Site.host [1] -- Host.sites [0:]",
        "Each `Site` has one `host`, each `Host` any number of `sites`; setting one end sets the other. Multiplicities: `[1]`, `[0:1]`, `[2]`, `[1:]`, `[0:5]`. An end of one side only leaves out the right name.",
    ),
    (
        "index",
        "index Site(host, name)",
        "These values identify an instance: constructing it twice gives one instance. Needed for lookups.",
    ),
    (
        "lookup",
        "blog = Site[host=web, name=\"blog\"]\nsame = web.sites[name=\"blog\"]",
        "Finds an instance by its index, and waits for it if it is constructed later.",
    ),
    (
        "implementation",
        "implementation page for Site:\n    fs::File(host=host, path=\"/srv/{{name}}\", content=\"\", mode=644)\nend",
        "Statements that run for each instance. Attributes and ends are in scope by their names; `self` is the instance.",
    ),
    (
        "implement",
        "implement Site using page\nimplement Site using tls, parents when port == 443",
        "Which implementations run for an entity, and under which condition. `parents` adds those of the parents. `std::none` is the empty one; every instance needs at least one.",
    ),
    (
        "typedef",
        "typedef port as int matching self > 0 and self < 65536\ntypedef slug as string matching /^[a-z-]+$/",
        "A type with a condition on `self`, or a regular expression that matches from the beginning.",
    ),
    (
        "constructor",
        "site = Site(host=web, name=\"blog\", **defaults)",
        "Makes an instance. `**` takes arguments from a dict. Short names of entities are enough where the type of an attribute tells the module.",
    ),
    (
        "assignment",
        "port = 80\nsite.note = \"x\"\nsite.tags += [\"new\"]",
        "A variable gets one value; the same value again is harmless, another one is an error. Ends of relations with many members collect what is assigned.",
    ),
    (
        "for",
        "for host in hosts:\n    Site(host=host, name=\"a\")\nend",
        "The body once per member, also for members that come later. Its variables are its own.",
    ),
    (
        "if",
        "if port == 443:\n    x = 1\nelif port == 80:\n    x = 2\nelse:\n    x = 3\nend",
        "One branch. Variables of a branch are not seen outside of it.",
    ),
    (
        "expressions",
        "a ? b : c\nx in [1, 2]   x not in list   not x\n2 ** 3   7 % 3   a and b or c",
        "`/` gives a float, `**` binds to the left, and a sign belongs to its number: `a - 1` needs its blanks.",
    ),
    (
        "is defined",
        "site.note is defined",
        "True if the attribute is neither null nor empty. An attribute that is never set is an error instead.",
    ),
    (
        "comprehension",
        "[site.name for site in sites if site.port == 443]",
        "A list from a list. Several `for` nest from left to right.",
    ),
    ("dict", "d = {\"a\": 1}\nx = d[\"a\"]", "Keys are texts. A missing key is an error."),
    (
        "strings",
        "\"port {{port}}\"   f\"{port:>5}\"   r\"\\d+\"   \"\"\"several\nlines\"\"\"",
        "`{{name}}` puts in a value, an f-string formats it, a raw string keeps its backslashes.",
    ),
    (
        "import",
        "import shop\nimport shop::units as units",
        "Loads a module: `libs/shop/model/_init.cf`, `libs/shop/model/units.cf`. It is visible in this file only, under exactly that name. `std` is always there.",
    ),
    (
        "template",
        "content = std::template(\"shop/site.conf.tmpl\")\ncontent = std::template(\"shop/site.conf.tmpl\", name=name)",
        "Renders `libs/shop/templates/site.conf.tmpl` (Jinja2) with the names around the call, or with those given. Differences to Jinja2: tuples are written as lists; a text before `%` is not formatted (use the filter `format`); the filters `random`, `urlize` and `xmlattr`, the function `lipsum`, `varargs` and `kwargs` of macros, numbers beyond 128 bits, `include`, `extends` and `import`, extensions, custom delimiters and line statements are missing; `{{ self.name }}` is not available, as in the original.",
    ),
    (
        "functions in Python",
        "functions.json:\n{\"shop::free_port\": [{\"args\": [\"web\"], \"result\": 8080}, {\"result\": 9000}]}",
        "`libs/shop/plugins/*.py` is not run. Declare answers in `functions.json` beside the main file: the first entry whose arguments fit is the result; one without `args` fits every call.",
    ),
    (
        "hosts",
        "mclive run --hostname web1 model/main.cf",
        "A resource belongs to the host that it is related to. `run` and `plan` take those of this host's name, `graph` and `check` those of all hosts. What belongs to the agent `internal` counts for each. Order between hosts is not kept, and a warning says so.",
    ),
    (
        "resources",
        "fs::File -> file      fs::Directory -> file (with a slash)    fs::Symlink -> file (symlink)\nstd::Package -> pkg   std::Service -> svc    exec::Run -> exec\nposix::User -> user   posix::Group -> group",
        "`requires` and `provides` become edges; an edge notifies when the first has `send_event` and the second `receive_events`. `purged` means absent, `report_only` looks without changing, `managed = false` leaves out. `returns`, `reload` and `reload_only` of `exec::Run` are refused; `purge_on_delete` has no effect.",
    ),
];

pub(super) fn write(made: &mut Reference) {
    let about =
        "<p>The second language: a model of instances and relations, in files that end with <code>.cf</code>.</p>\n";
    made.open("models:", "Models: the language", about);
    for (name, code, doc) in CONSTRUCTS {
        let body = format!("<pre tabindex=\"0\">{}</pre>\n{}", html::escape(code), html::markdown(doc));
        made.entry(&format!("models:{}", name.replace(' ', "-")), name, "model", &body);
    }
    made.close();
    let Some(library) = Inmanta.page_json("models") else { return };
    made.open("models:library", "Models: entities and functions", "<p>What comes with the language.</p>\n");
    let list = |json: &Json, name: &str| json[name].as_array().cloned().unwrap_or_default();
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    for entity in list(&library, "entities") {
        let name = text(&entity["name"]);
        let mut lines: Vec<String> =
            ["members", "indexes"].iter().flat_map(|part| list(&entity, part)).map(|line| text(&line)).collect();
        let parents: Vec<String> = list(&entity, "parents").iter().map(&text).collect();
        if !parents.is_empty() {
            lines.insert(0, format!("extends {}", parents.join(", ")));
        }
        let mut body = html::markdown(&text(&entity["doc"]));
        if !lines.is_empty() {
            let _ = writeln!(body, "<pre tabindex=\"0\">{}</pre>", html::escape(&lines.join("\n")));
        }
        made.entry(&format!("models:{name}"), &name, "entity", &body);
    }
    for function in list(&library, "functions") {
        let name = text(&function["name"]);
        let mut body = format!("<pre tabindex=\"0\">{}</pre>\n", html::escape(&text(&function["signature"])));
        body += &html::markdown(&text(&function["doc"]));
        for example in list(&function, "examples") {
            let (call, gives) = (html::escape(&text(&example["call"])), html::escape(&text(&example["gives"])));
            let _ = writeln!(body, "<p><code>{call}</code> is <code>{gives}</code></p>");
        }
        made.entry(&format!("models:{name}()"), &name, "function of models", &body);
    }
    made.close();
}
