//! The graph of a host: the example of the specification (17.9), what belongs to which host, and what is purged.

use super::lowered;
use mclive_base::source::MemoryWorld;
use mclive_engine::rgraph::{self, LeftOut};
use mclive_inmanta::export::export;
use mclive_inmanta::lower::Lowering;
use mclive_inmanta::{Setup, compile};

const SITES: &str = r#"
entity Site:
    string name
    string motto = ""
    bool live = true
end
Site.host [1] -- std::Host.sites [0:]
index Site(host, name)

implementation webSite for Site:
    base = std::Directory(host=host, path="/srv/{{name}}", owner="root", group="root", mode=755)
    page = std::File(host=host, path="/srv/{{name}}/index.txt", owner="www", group="www", mode=640,
                     content=motto, reload=true, requires=base)
    web = std::Package(host=host, name="tinyweb", state="installed")
    daemon = std::Service(host=host, name="tinyweb", state=live ? "running" : "stopped", onboot=true)
    daemon.requires = [page, web]
    base.requires = self.requires
end
implement Site using webSite

node = std::Host(name="n1", os=std::linux)
tools = std::Package(host=node, name="disktools", state="latest")
Site(host=node, name="blog", motto="hello", requires=tools)
Site(host=node, name="wiki")
"#;

#[test]
fn the_example_of_the_specification() {
    let lowered = lowered(SITES, None).expect("it is fine");
    assert_eq!(lowered.host.as_deref(), Some("n1"));
    let mut edges: Vec<String> = lowered
        .graph
        .edges
        .iter()
        .map(|edge| format!("{}{}", edge.name, if edge.notify { " *" } else { "" }))
        .collect();
    edges.sort();
    assert_eq!(
        edges,
        [
            "file[/srv/blog/] -> file[/srv/blog/index.txt]",
            "file[/srv/blog/index.txt] -> svc[tinyweb] *",
            "file[/srv/wiki/] -> file[/srv/wiki/index.txt]",
            "file[/srv/wiki/index.txt] -> svc[tinyweb] *",
            "pkg[disktools] -> file[/srv/blog/]",
            "pkg[tinyweb] -> svc[tinyweb]",
        ]
    );
    let text = rgraph::text_with_fields(&lowered.graph);
    for wanted in ["0640", "hello", "newest", "installed", "running", "enabled"] {
        assert!(text.contains(wanted), "{wanted} is missing in {text}");
    }
}

/// No connection is opened here, so hosts need no address; a server would need one.
#[test]
fn a_host_needs_no_address() {
    let file = |host: &str, rest: &str| {
        let text = format!(
            "import fs\nimport mitogen\nh = std::Host(name=\"h\", os=std::linux{host})\nfs::File(host=h, path=\"/a\", content=\"x\"{rest})\n"
        );
        let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
        let understood = mclive_inmanta::understand(&world, "/main.cf", mclive_inmanta::Hosts::All);
        let is_exported = export(&understood.compilation).is_ok();
        let graphs = understood.graphs.iter().map(|(host, graph)| (host.clone(), graph.resources.len())).collect();
        (understood.diags.iter().next().map(|diag| diag.message.clone()), graphs, is_exported)
    };
    let one: Vec<(String, usize)> = vec![("h".into(), 1)];
    assert_eq!(file(", ip=\"10.0.0.1\"", ""), (None, one.clone(), true));
    assert_eq!(file("", ", via=mitogen::Local()"), (None, one.clone(), true));
    assert_eq!(file("", ""), (None, one.clone(), false));
    // The original's export of these reads an attribute that they have not.
    assert_eq!(file("", ", prefix_content=fs::Content(value=\"# mine\")"), (None, one, false));
}

/// Directories of a host that others lie in are required by them, however deep they are.
#[test]
fn what_lies_in_a_directory_requires_it() {
    let mut text = String::from("import fs\nh = std::Host(name=\"h\", os=std::linux, ip=\"10.0.0.1\")\n");
    for path in ["/", "/a", "/a/b/c", "/a/bc"] {
        text += &format!("fs::Directory(host=h, path=\"{path}\")\n");
    }
    text += "fs::File(host=h, path=\"/a/./b//x/../c/f\", content=\"\")\n";
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    let exported = export(&compilation).expect("it is fine");
    let path = |nr: usize| exported.resources[nr].id_value.as_str();
    let mut edges: Vec<String> =
        exported.requires.iter().map(|(from, to)| format!("{} > {}", path(*from), path(*to))).collect();
    edges.sort();
    assert_eq!(
        edges,
        [
            "/a > /",
            "/a/./b//x/../c/f > /",
            "/a/./b//x/../c/f > /a",
            "/a/./b//x/../c/f > /a/b/c",
            "/a/b/c > /",
            "/a/b/c > /a",
            "/a/bc > /",
            "/a/bc > /a",
        ]
    );
}

#[test]
fn each_host_has_its_own_graph() {
    let text = "import fs\nfor name in [\"a\", \"b\"]:\n    h = std::Host(name=name, os=std::linux, ip=\"10.0.0.1\")\n    fs::File(host=h, path=\"/etc/{{name}}\", content=name, mode=644)\nend\n";
    for host in ["a", "b"] {
        let lowered = lowered(text, Some(host)).expect("it is fine");
        let names: Vec<String> = lowered.graph.resources.values().map(|resource| resource.id.to_string()).collect();
        assert_eq!(names, [format!("file[/etc/{host}]")]);
    }
    let several = lowered(text, None).expect("it is fine");
    assert!(several.graph.resources.is_empty() && several.warnings[0].message.contains("several hosts"));
}

#[test]
fn a_host_among_thousands_has_what_is_its_own() {
    let text = "import std\nimport fs\nfor i in std::sequence(3000):\n    h = std::Host(name=f\"h{i}\", os=std::linux, ip=\"10.0.0.1\")\n    \
                dir = fs::Directory(host=h, path=\"/srv\", mode=755)\n    \
                fs::File(host=h, path=\"/srv/x\", content=f\"{i}\", mode=644, requires=dir)\nend\n";
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    let exported = export(&compilation).expect("it is fine");
    let lowering = Lowering::new(&compilation, &exported);
    assert_eq!(lowering.hosts().count(), 3000);
    for host in lowering.hosts() {
        let graph = lowering.host(Some(host)).expect("it is fine").graph;
        assert_eq!((graph.resources.len(), graph.edges.len()), (2, 1), "{host}");
    }
}

/// The engine removes what the model no longer has. A resource with an unknown field is still in the model.
#[test]
fn what_is_purged_once_it_is_gone_is_marked() {
    let model = "import fs\nimport exec\nimport posix\nh = std::Host(name=\"h\", os=std::linux)\n\
                 u = std::get_env(\"UNSET\")\n\
                 fs::File(host=h, path=\"/a\", content=\"x\", purge_on_delete=true)\n\
                 fs::File(host=h, path=\"/b\", content=\"x\")\n\
                 fs::File(host=h, path=\"/c\", content=\"x\", purged=true, purge_on_delete=true)\n\
                 fs::File(host=h, path=\"/d\", content=u, purge_on_delete=true)\n\
                 fs::File(host=h, path=\"/e\", content=u)\n\
                 fs::File(host=h, path=u, content=\"x\")\nfs::Directory(host=h, path=u)\n\
                 posix::Group(host=std::Host(name=u, os=std::linux), name=\"g\")\n\
                 posix::User(host=std::Host(name=\"other\", os=std::linux), name=u)\n\
                 exec::Run(host=h, command=\"true\", purge_on_delete=true)\n";
    let lowered = lowered(model, Some("h")).expect("it is fine");
    let mark = |id: String, is: bool, text: &str| if is { format!("{id} {text}") } else { id };
    let resources = lowered.graph.resources.values();
    let mut marks: Vec<String> =
        resources.map(|resource| mark(resource.id.to_string(), resource.meta.purge, "purge")).collect();
    marks.sort();
    assert_eq!(marks, ["exec[true]", "file[/a] purge", "file[/b]", "file[/c]"]);
    let left_out = lowered.graph.left_out.iter().map(|one| match one {
        LeftOut::Named { id, is_spared } => mark(id.to_string(), *is_spared, "spared"),
        LeftOut::Unnamed { kind } => (*kind).to_owned(),
    });
    assert_eq!(left_out.collect::<Vec<_>>(), ["file[/d]", "file[/e] spared", "file", "group"]);
    let told: Vec<&str> = lowered.warnings.iter().map(|warning| &*warning.message).collect();
    assert_eq!(told, ["`purge_on_delete` has no effect on a command, which cannot be undone"]);
}
