//! What is told about resources: those that no kind can express, wrong values, unknown ones, and contradictions.

use super::lowered;
use mclive_base::source::MemoryWorld;
use mclive_engine::rgraph;
use mclive_inmanta::export::export_to_lower;
use mclive_inmanta::lower::Lowering;
use mclive_inmanta::{Hosts, Setup, compile, understand};

#[test]
fn what_cannot_be_said_is_refused() {
    let run = |rest: &str| {
        let text = format!(
            "import exec\nh = std::Host(name=\"h\", os=std::linux, ip=\"10.0.0.1\")\nexec::Run(host=h, command=\"make -j 'a b'\"{rest})\n"
        );
        lowered(&text, Some("h"))
    };
    assert!(run("").is_ok());
    assert!(run(", returns=[0, 2]").is_err_and(|reason| reason.contains("`returns` is not supported")));
    assert!(run(", reload_only=true").is_err_and(|reason| reason.contains("reload_only")));
}

/// The original edits values in place; there is no kind for that, which is reported once.
#[test]
fn a_json_file_has_no_counterpart() {
    let found = lowered(
        r#"
import fs
import mitogen
gate = mitogen::Ssh(hostname="gate")
h = std::Host(name="h", os=std::linux, via=mitogen::Sudo(username="root", via=gate))
fs::JsonFile(
    host=h, path="/etc/a.json", indent=4, mode=644,
    values=[fs::JsonObject(path=".", value={"a": 1}), fs::JsonValue(path="b", operation="remove")]
)
fs::JsonFile(host=h, path="/etc/a.json", resource_discriminator="two", format="yaml")
fs::Directory(host=h, path="/srv")
"#,
        Some("h"),
    );
    let found = found.expect("it is fine");
    assert_eq!(
        found.graph.resources.values().map(|resource| resource.id.to_string()).collect::<Vec<_>>(),
        ["file[/srv/]"]
    );
    let wrong = "import fs\nfs::JsonFile(host=std::Host(name=\"h\", os=std::linux), path=\"/a\", format=\"xml\")\n";
    assert!(lowered(wrong, None).is_err_and(|report| report.contains("does not match constraint")));
}

/// Resources that no kind can express are told at once, and those of several hosts.
#[test]
fn every_resource_without_a_counterpart_is_reported() {
    let text = "import fs\nimport exec\nfor name in [\"a\", \"b\"]:\n    \
                h = std::Host(name=name, os=std::linux, ip=\"10.0.0.1\")\n    \
                fs::File(host=h, path=\"x\", content=\"\")\n    \
                fs::File(host=h, path=\"/y\", content=\"\", mode=798)\n    \
                exec::Run(host=h, command=\"z\", returns=[1])\nend\n";
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    let understood = understand(&world, "/main.cf", Hosts::All);
    let mut messages: Vec<&str> = understood.diags.iter().map(|one| &*one.message).collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        [
            "`returns` is not supported: a command must exit with status 0",
            "expected an absolute path, found `x`",
            "the mode must be an octal number of up to four digits, such as 644",
        ]
    );
    assert!(understood.graphs.is_empty());
}

/// An error points to the value that is wrong, wherever the model gives it, and otherwise to the resource.
#[test]
fn errors_of_resources_point_to_the_value() {
    let told = |rest: &str| -> (String, Vec<String>) {
        let head = "import fs\nimport exec\nimport posix\nh = std::Host(name=\"h\", os=std::linux)\n";
        let model = format!("{head}{rest}\n");
        let world = MemoryWorld::of([("/main.cf", model.as_bytes())]);
        let understood = understand(&world, "/main.cf", Hosts::All);
        let found = understood.diags.iter().next().expect("it is refused").clone();
        let text =
            |label: &mclive_base::diag::Label| model[label.span.start as usize..label.span.end as usize].to_owned();
        (found.primary.as_ref().map(text).expect("it has a place"), found.secondary.iter().map(text).collect())
    };
    let at = |value: &str| (value.to_owned(), Vec::<String>::new());
    assert_eq!(told("fs::File(host=h, path=\"x\", content=\"\")"), at("\"x\""));
    assert_eq!(told("fs::File(host=h, path=\"/y/\", content=\"\")"), at("\"/y/\""));
    assert_eq!(told("fs::Symlink(host=h, src=\"/a\", dst=\"b\")"), at("\"b\""));
    assert_eq!(told("fs::File(host=h, path=\"/y\", content=\"\", mode=798)"), at("798"));
    assert_eq!(told("exec::Run(host=h, command=\"z\", returns=[1])"), at("[1]"));
    assert_eq!(told("exec::Run(host=h, command=\"z\", reload_only=true)"), at("true"));
    assert_eq!(told("posix::User(host=h, name=\"Bad Name\")"), at("\"Bad Name\""));
    assert_eq!(told("posix::User(host=h, name=\"u\", group=\"a\", groups=[\"a\"])"), at("[\"a\"]"));
    // Set by its own statement, and by the default of an entity.
    let made = "std::File(host=h, path=\"/y\", owner=\"a\", group=\"a\", content=\"\")";
    assert_eq!(told(&format!("f = {made}\nf.mode = 798")), ("798".to_owned(), vec![made.to_owned()]));
    let page = "entity Page extends fs::File:\n    int? mode = 798\nend\nimplement Page using parents\n";
    let made = "Page(host=h, path=\"/y\", content=\"\")";
    assert_eq!(told(&format!("{page}{made}")), ("798".to_owned(), vec![made.to_owned()]));
}

/// No wrong value of a resource hides another one.
#[test]
fn all_wrong_values_of_a_resource_are_reported() {
    let model = "import fs\nimport exec\nh = std::Host(name=\"h\", os=std::linux)\n\
        fs::File(host=h, path=\"x\", content=\"\", mode=798)\n\
        exec::Run(host=h, command=\"a 'b\", returns=[1], reload_only=true)\n";
    let world = MemoryWorld::of([("/main.cf", model.as_bytes())]);
    let understood = understand(&world, "/main.cf", Hosts::All);
    let places = understood.diags.iter().filter_map(|found| found.primary.as_ref());
    let mut told: Vec<&str> = places.map(|label| &model[label.span.start as usize..label.span.end as usize]).collect();
    told.sort_unstable();
    assert_eq!(told, ["\"a 'b\"", "\"x\"", "798", "[1]", "true"]);
}

/// Instances that a module registers as resources in Python never vanish silently, and another version of a built-in
/// module is lowered like it.
#[test]
fn resources_of_modules_are_reported_or_lowered() {
    let apt = "entity Repository extends std::PurgeableResource:\n    string name\nend\nRepository.host [1] -- std::Host\n\
               index Repository(host, name)\nimplement Repository using std::none\n";
    let registered = "from inmanta.resources import resource\n\n@resource(\"apt::Repository\", agent=\"host.name\", \
                      id_attribute=\"name\")\nclass Repository:\n    fields = (\"name\",)\n";
    let fs = "entity File extends std::PurgeableResource:\n    string path\n    string content\n    int? mode = null\n    \
              string? owner = null\n    string? group = null\nend\nFile.host [1] -- std::Host\nindex File(host, path)\n\
              implement File using std::none\n";
    let main = "import apt\nimport fs\nhost = std::Host(name=\"web\", os=std::linux)\n\
                apt::Repository(host=host, name=\"a\")\napt::Repository(host=host, name=\"b\")\n\
                fs::File(host=host, path=\"/srv/x\", content=\"y\")\n";
    let world = MemoryWorld::of([
        ("/main.cf", main.as_bytes()),
        ("/libs/apt/model/_init.cf", apt.as_bytes()),
        ("/libs/apt/plugins/deep/types.py", registered.as_bytes()),
        ("/libs/fs/model/_init.cf", fs.as_bytes()),
    ]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    assert!(compilation.faults.is_empty(), "{:?}", compilation.faults);
    let exported = export_to_lower(&compilation).expect("it is fine");
    let lowering = Lowering::new(&compilation, &exported);
    let warnings: Vec<&str> = lowering.warnings.iter().map(|warning| &*warning.message).collect();
    let told = "`apt::Repository` is not supported and was left out, along with one other instance: use \
        `std::Package` for packages, and `fs::File` in `/etc/apt/sources.list.d/` for repositories";
    assert_eq!(warnings, [told]);
    let graph = lowering.host(Some("web")).expect("it is fine").graph;
    let ids: Vec<String> = graph.resources.values().map(|resource| resource.id.to_string()).collect();
    assert_eq!(ids, ["file[/srv/x]"]);
}

/// The original drops resources without a known name silently; here they are told, with the reason.
#[test]
fn resources_with_an_unknown_name_are_reported() {
    let model = "import fs\nh = std::Host(name=\"h\", os=std::linux)\n\
                 for n in [\"A\", \"B\"]:\n    fs::File(host=h, path=std::get_env(n), content=\"\")\nend\n";
    let world = MemoryWorld::of([("/main.cf", model.as_bytes())]);
    let understood = understand(&world, "/main.cf", Hosts::All);
    let told: Vec<&str> = understood.diags.iter().map(|warning| &*warning.message).collect();
    let first = "this `fs::File` was left out, because its name or its host is unknown; one other resource was left \
                 out for the same reason";
    assert_eq!(told.first(), Some(&first), "{told:?}");
    let is_told = |name: &str| told.iter().any(|told| told.starts_with(&format!("the environment variable `{name}`")));
    assert!(is_told("A") && is_told("B"), "{told:?}");
}

/// An instance without its own resources forwards nothing, which the model has to do.
#[test]
fn requirements_without_effect_are_reported_once() {
    let told = |rest: &str| {
        let model = format!(
            "import fs\nentity Db:\nend\nimplement Db using std::none\nh = std::Host(name=\"h\", os=std::linux)\n\
             db = Db()\nz = fs::File(host=h, path=\"/z\", content=\"z\")\n\
             for i in [\"a\", \"b\"]:\n    fs::File(host=h, path=f\"/{{i}}\", content=i{rest})\nend\n"
        );
        let world = MemoryWorld::of([("/main.cf", model.as_bytes())]);
        let compilation = compile(&world, "/main.cf", &Setup::default());
        assert!(compilation.faults.is_empty(), "{:?}", compilation.faults);
        let exported = export_to_lower(&compilation).expect("it is fine");
        let lowering = Lowering::new(&compilation, &exported);
        lowering.warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(told(""), none);
    assert_eq!(told(", requires=[db, z]"), none);
    let found = told(", requires=db");
    let [warning] = &found[..] else { panic!("it is told once: {found:?}") };
    let said = "the requirements of `fs::File[h,path=/a]` and of one other resource have no effect";
    assert!(warning.starts_with(said), "{warning}");
}

/// What contradicts itself among resources has places, and the words of this project.
#[test]
fn contradictions_among_resources_have_places() {
    let told = |rest: &str| {
        let model = format!("import fs\nimport std::testing\nh = std::Host(name=\"h\", os=std::linux)\n{rest}\n");
        let world = MemoryWorld::of([("/main.cf", model.as_bytes())]);
        let understood = understand(&world, "/main.cf", Hosts::All);
        let found = understood.diags.iter().next().expect("it is refused").clone();
        let places = found.primary.iter().chain(&found.secondary);
        let lines = places.map(|label| understood.compilation.sources.get(label.span.file).line_of(label.span.start));
        (found.message.clone(), lines.collect::<Vec<_>>())
    };
    assert_eq!(
        told("fs::Directory(host=h, path=\"/p\", purged=true)\nfs::File(host=h, path=\"/p/x\", content=\"\")"),
        ("`fs::Directory[h,path=/p]` is purged, but `fs::File[h,path=/p/x]` is in it".to_owned(), vec![4, 5])
    );
    assert_eq!(
        told(
            "a = std::testing::NullResource(name=\"a\", agentname=\"h\")\nstd::ResourceSet(name=\"s\", resources=[a])\n\
             std::ResourceSet(name=\"t\", resources=[a])"
        ),
        ("`std::testing::NullResource[h,name=a]` cannot be in several resource sets: s and t".to_owned(), vec![5, 6])
    );
    let itself = "a = std::testing::NullResource(name=\"a\", agentname=\"h\")\na.requires = a";
    assert_eq!(told(itself), ("circular requirements: std::testing::NullResource[h,name=a]".to_owned(), vec![4]));
    let links = "std::Symlink(host=h, source=\"/q\", target=\"/t\")\n".repeat(2);
    assert_eq!(told(links.trim_end()), ("duplicate resource `std::Symlink[h,target=/t]`".to_owned(), vec![4, 5]));
    let file = |path: &str, content: &str| format!("fs::File(host=h, path=\"{path}\", content=\"{content}\")");
    assert_eq!(
        told(&[file("/a/b", "x"), file("/a//b", "y")].join("\n")),
        ("conflicting resources `file[/a/b]` and `file[/a//b]`: the content of /a/b differs".to_owned(), vec![5, 4])
    );
    let host = "import fs\nh = std::Host(name=\"h\", os=std::linux)\n";
    let both = [host.to_owned(), file("/a/b", "x"), "\n".to_owned(), file("/a//b", "x")].concat();
    assert!(lowered(&both, Some("h")).is_ok());
}

/// A fact is declared or set: until then, the resources that need it are left out.
#[test]
fn facts_are_declared() {
    let model = "import fs\nh = std::Host(name=\"h\", os=std::linux)\na = fs::File(host=h, path=\"/a\", content=\"x\")\n\
                 uid = std::getfact(a, \"uid\")\nfs::File(host=h, path=\"/b\", content=f\"{uid}\")\n\
                 fs::File(host=h, path=\"/c\", content=std::getfact(a, \"gid\", \"none\"))\n";
    let told = |answers: &str| {
        let world = MemoryWorld::of([("/main.cf", model.as_bytes()), ("/functions.json", answers.as_bytes())]);
        let understood = understand(&world, "/main.cf", Hosts::One("h"));
        let messages: Vec<String> = understood.diags.iter().map(|diagnostic| diagnostic.message.clone()).collect();
        let graph = understood.graphs.into_iter().next().expect("a host").1;
        (messages, rgraph::text_with_fields(&graph))
    };
    let (messages, graph) = told("{}");
    let words = "the fact `uid` of `fs::File[h,path=/a]` is unknown unless the shared store has it: set it with `mclive \
                 world set 'facts/uid/fs::File[h,path=/a]' VALUE`, declare it in `functions.json`, or pass a `default_value`";
    assert_eq!(messages, ["left out because of unknown values: fs::File[h,path=/b]", words]);
    assert!(!graph.contains("file[/b]") && graph.contains("none"), "{graph}");
    // Starts of names are for functions in Python.
    let (messages, graph) = told(
        "{\"std::getfact\": [{\"args\": [{\"any\": true}, \"uid\"], \"result\": 1007}], \"*\": [{\"result\": 2}]}",
    );
    assert_eq!(messages, [""; 0]);
    assert!(graph.contains("1007") && graph.contains("none"), "{graph}");
}

/// A call that asks for facts of many resources is reported once, and its command works in a shell.
#[test]
fn facts_of_many_resources_are_reported_once() {
    let model = "import fs\nh = std::Host(name=\"h\", os=std::linux)\nfor path in [\"/it's\", \"/b\", \"/c\"]:\n    \
                 f = fs::File(host=h, path=path, content=\"\")\n    \
                 fs::File(host=h, path=f\"{path}.size\", content=std::getfact(f, \"size\"))\nend\n";
    let told = |model: &str| -> Vec<String> {
        let world = MemoryWorld::of([("/main.cf", model.as_bytes())]);
        let understood = understand(&world, "/main.cf", Hosts::All);
        understood.diags.iter().map(|warning| warning.message.clone()).collect()
    };
    let messages = told(model);
    let [_, facts] = &messages[..] else { panic!("two warnings: {messages:?}") };
    assert!(
        facts.starts_with("the fact `size` of `fs::File[h,path=/b]` and of 2 other resources is unknown"),
        "{facts}"
    );
    let messages = told(&model.replace(", \"/b\", \"/c\"", ""));
    let command = r"`mclive world set 'facts/size/fs::File[h,path=/it'\''s]' VALUE`";
    assert!(messages.iter().any(|told| told.contains(command)), "{messages:?}");
}

/// A declared result is of the type of its function, and the help names the file to change.
#[test]
fn results_of_another_type_are_refused() {
    let answers = "{\"std::server_port\": [{\"result\": \"ssh\"}]}";
    let world =
        MemoryWorld::of([("/main.cf", &b"x = std::server_port()\n"[..]), ("/functions.json", answers.as_bytes())]);
    let understood = understand(&world, "/main.cf", Hosts::All);
    let helps: Vec<&String> = understood.diags.iter().flat_map(|told| &told.help).collect();
    assert!(helps.iter().any(|help| help.contains("is declared in `functions.json`")), "{helps:?}");
}

/// A module of which nothing is known, and an entity of a built-in one.
#[test]
fn what_has_no_counterpart_comes_with_advice() {
    let rack = "entity Server extends std::PurgeableResource:\n    string name\nend\nServer.host [1] -- std::Host\n\
                implement Server using std::none\n";
    let registered = "from inmanta.resources import resource\n\n@resource(\"rack::Server\", agent=\"host.name\", \
                      id_attribute=\"name\")\nclass Server:\n    fields = (\"name\",)\n";
    let main = "import rack\nimport fs\nhost = std::Host(name=\"web\", os=std::linux)\n\
                rack::Server(host=host, name=\"a\")\nfs::JsonFile(host=host, path=\"/j\")\n";
    let world = MemoryWorld::of([
        ("/main.cf", main.as_bytes()),
        ("/libs/rack/model/_init.cf", rack.as_bytes()),
        ("/libs/rack/plugins/__init__.py", registered.as_bytes()),
    ]);
    let understood = understand(&world, "/main.cf", Hosts::All);
    let mut told: Vec<&str> = understood.diags.iter().map(|warning| &*warning.message).collect();
    told.sort_unstable();
    let [json, server] = told[..] else { panic!("each is told once: {told:?}") };
    assert!(json.starts_with("`fs::JsonFile` is not supported") && json.contains("`std::json_dumps`"), "{json}");
    assert!(server.starts_with("`rack::Server` is not supported") && server.contains("`exec::Run`"), "{server}");
}

/// What a host brings along is not told, only what the model constructs.
#[test]
fn a_configuration_of_an_agent_is_reported() {
    let main = "h = std::Host(name=\"web\", os=std::linux, ip=\"10.0.0.1\", remote_agent=true)\n\
                std::AgentConfig(agentname=\"db\", autostart=true)\nstd::Package(host=h, name=\"a\", state=\"latest\")\n";
    let world = MemoryWorld::of([("/main.cf", main.as_bytes())]);
    let understood = understand(&world, "/main.cf", Hosts::All);
    let told: Vec<&str> = understood.diags.iter().map(|warning| &*warning.message).collect();
    let [config] = told[..] else { panic!("it is told once: {told:?}") };
    assert!(config.starts_with("`std::AgentConfig` is not supported and was left out: "), "{config}");
}
