//! Partial exports: a model with parts that replace some of its resource sets.

use mclive_base::diag::Diagnostic;
use mclive_base::parts::{Part, Parts};
use mclive_base::source::MemoryWorld;
use mclive_base::vocab::{Datum, FactSpec, program};
use mclive_inmanta::model;
use mclive_inmanta::origin::origin_in;
use mclive_inmanta::partial::replaced;
use mclive_inmanta::{Environment, Hosts, Understood, understand, understand_in};

/// A shared directory, and a file in each of two sets.
const WHOLE: &str = r#"
import fs
h = std::Host(name="h", os=std::linux)
base = fs::Directory(host=h, path="/srv")
a = fs::File(host=h, path="/srv/a", content="one")
b = fs::File(host=h, path="/srv/b", content="one")
std::ResourceSet(name="a", resources=[a])
std::ResourceSet(name="b", resources=[b])
"#;

/// What each part begins with.
const HEAD: &str = r#"
import fs
h = std::Host(name="h", os=std::linux)
base = fs::Directory(host=h, path="/srv")
"#;

/// A model with parts: each with the sets that it deletes besides.
fn program(whole: &str, parts: &[(&str, &[&str])]) -> MemoryWorld {
    let mut world = MemoryWorld::of([("/main.cf", whole.as_bytes())]);
    let mut list = Parts::default();
    for (nr, (text, deleted)) in parts.iter().enumerate() {
        let main = format!("{}/main.cf", nr + 1);
        world.insert(&format!("/partial/{main}"), text.as_bytes());
        list.parts.push(Part { main, delete_resource_sets: deleted.iter().map(|set| (*set).to_owned()).collect() });
    }
    world.insert("/partial/parts.json", list.text().into_bytes());
    world
}

/// The resources of the host `h` with their contents, then the edges.
fn graph(understood: &Understood) -> (Vec<String>, Vec<String>) {
    let errors: Vec<&str> = understood.diags.iter().map(|one| &*one.message).collect();
    assert!(!understood.diags.has_errors(), "{errors:?}");
    let (_, graph) = understood.graphs.iter().find(|(host, _)| host == "h").expect("the host has a graph");
    let resource = |resource: &std::sync::Arc<mclive_engine::rgraph::Resource>| {
        let place = resource.span.expect("it is in a model");
        let source = understood.compilation.sources.get(place.file);
        format!("{} {}:{}", resource.id, source.path, source.line_of(place.start))
    };
    let resources = graph.resources.values().map(resource).collect();
    (resources, graph.edges.iter().map(|edge| edge.name.to_string()).collect())
}

/// The first diagnostic: its message, and its places.
fn told(understood: &Understood) -> (String, Vec<String>) {
    let found: &Diagnostic = understood.diags.iter().next().expect("something is told");
    let places = found.primary.iter().chain(&found.secondary).map(|label| {
        let source = understood.compilation.sources.get(label.span.file);
        format!("{}:{}", source.path, source.line_of(label.span.start))
    });
    (found.message.clone(), places.collect())
}

#[test]
fn a_part_replaces_its_sets_and_everything_else_stays() {
    let part = format!(
        "{HEAD}a = fs::File(host=h, path=\"/srv/a\", content=\"two\")\nc = fs::File(host=h, path=\"/srv/c\", content=\"c\")\n\
         std::ResourceSet(name=\"a\", resources=[a, c])\n"
    );
    let understood = understand(&program(WHOLE, &[(&*part, &[])]), "/main.cf", Hosts::All);
    let (resources, edges) = graph(&understood);
    assert_eq!(
        resources,
        [
            "file[/srv/] /main.cf:4",
            "file[/srv/b] /main.cf:6",
            "file[/srv/a] /partial/1/main.cf:5",
            "file[/srv/c] /partial/1/main.cf:6",
        ]
    );
    assert_eq!(edges, ["file[/srv/] -> file[/srv/a]", "file[/srv/] -> file[/srv/b]", "file[/srv/] -> file[/srv/c]"]);
    // The next part knows the ones before it.
    let next = format!("{HEAD}std::ResourceSet(name=\"a\")\n");
    let understood = understand(&program(WHOLE, &[(&*part, &[]), (&*next, &["b"])]), "/main.cf", Hosts::One("h"));
    assert_eq!(graph(&understood).0, ["file[/srv/] /main.cf:4"]);
}

#[test]
fn a_program_without_parts_is_not_affected_by_sets() {
    let across = WHOLE.replace("content=\"one\")\nstd::R", "content=\"one\", requires=a)\nstd::R");
    assert_ne!(across, WHOLE);
    let mut world = MemoryWorld::of([("/main.cf", across.as_bytes())]);
    let plain = graph(&understand(&world, "/main.cf", Hosts::All));
    assert!(plain.1.contains(&"file[/srv/a] -> file[/srv/b]".to_owned()), "{:?}", plain.1);
    world.insert("/partial/parts.json", &b"{\"parts\": []}"[..]);
    assert_eq!(graph(&understand(&world, "/main.cf", Hosts::All)), plain);
    // With an empty part, the same resources are merged.
    assert_eq!(graph(&understand(&program(&across, &[("", &[])]), "/main.cf", Hosts::All)), plain);
}

#[test]
fn a_resource_moves_between_two_sets_of_one_part() {
    let file = |name: &str| format!("{name} = fs::File(host=h, path=\"/srv/{name}\", content=\"one\")\n");
    let part = format!(
        "{HEAD}{}{}std::ResourceSet(name=\"a\", resources=[b])\nstd::ResourceSet(name=\"b\", resources=[a])\n",
        file("a"),
        file("b")
    );
    let (resources, edges) = graph(&understand(&program(WHOLE, &[(&*part, &[])]), "/main.cf", Hosts::All));
    assert_eq!(
        resources,
        ["file[/srv/] /main.cf:4", "file[/srv/a] /partial/1/main.cf:5", "file[/srv/b] /partial/1/main.cf:6"]
    );
    assert_eq!(edges, ["file[/srv/] -> file[/srv/a]", "file[/srv/] -> file[/srv/b]"]);
    // The set that a resource leaves may be empty, but it has to be in the export.
    let left = format!("{HEAD}{}std::ResourceSet(name=\"new\", resources=[a])\n", file("a"));
    let both = format!("{left}std::ResourceSet(name=\"a\", resources=[])\n");
    let (resources, _) = graph(&understand(&program(WHOLE, &[(&*both, &[])]), "/main.cf", Hosts::All));
    assert_eq!(resources.len(), 3, "{resources:?}");
    let refused = understand(&program(WHOLE, &[(&*left, &["a"])]), "/main.cf", Hosts::All);
    assert_eq!(
        told(&refused).0,
        "a partial export cannot move `fs::File[h,path=/srv/a]` from resource set `a` to resource set `new`"
    );
    let help = refused.diags.iter().next().map(|found| found.help.clone());
    let expected = "export both resource sets with all their resources, or deploy the whole model";
    assert_eq!(help, Some(vec![expected.to_owned()]));
}

#[test]
fn a_picture_shows_what_is_left_of_each_export() {
    let part = format!(
        "{HEAD}a = fs::File(host=h, path=\"/srv/a\", content=\"two\")\nstd::ResourceSet(name=\"a\", resources=[a])\n"
    );
    let world = program(WHOLE, &[(&*part, &[]), ("", &["b"])]);
    let mut understood = understand(&world, "/main.cf", Hosts::None);
    assert!(!understood.diags.has_errors());
    let heads = |understood: &Understood| -> Vec<String> {
        let text = model::text(&understood.models());
        text.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).map(str::to_owned).collect()
    };
    let host = "std::Host[name=\"h\"]";
    let expected = |whole: &str, first: &str, second: &str| {
        vec![
            format!("Model: {whole}"),
            format!("{host}  at {whole}:3"),
            format!("fs::Directory[host={host}, path=\"/srv\"]  at {whole}:4"),
            format!("Partial export: {first}"),
            format!("{host}  at {first}:3"),
            format!("std::ResourceSet[name=\"a\"]  at {first}:6"),
            format!("fs::Directory[host={host}, path=\"/srv\"]  at {first}:4"),
            format!("fs::File[host={host}, path=\"/srv/a\"]  at {first}:5"),
            format!("Partial export: {second}"),
        ]
    };
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    let found = sorted(heads(&understood));
    assert_eq!(found, sorted(expected("main.cf", "partial/1/main.cf", "partial/2/main.cf")));
    let graph = model::graph(&understood.models());
    let of_part = graph.instances.iter().filter(|one| one.partial_export.as_deref() == Some("partial/1/main.cf"));
    assert_eq!((graph.instances.len(), of_part.count()), (6, 4));
    let dot = model::dot(&understood.models());
    assert!(dot.contains("  subgraph cluster_1 {\n  label=\"partial/1/main.cf\";\n  p1_"), "{dot}");
    let picture = model::picture(&understood.models());
    assert_eq!(picture.vertices.len(), 6);
    assert!(picture.edges.iter().any(|edge| edge.from >= 2 && edge.to >= 2), "{:?}", picture.edges);
    understood.rename_files(&|path| path.replace("/partial/2/", "/srv/web/"));
    let found = sorted(heads(&understood));
    assert_eq!(found, sorted(expected("/main.cf", "/partial/1/main.cf", "/srv/web/main.cf")));
    // What is refused has no picture.
    let refused =
        understand(&program(WHOLE, &[("std::ResourceSet(name=\"a\", resources=[])\n", &["a"])]), "/", Hosts::None);
    assert!(refused.diags.has_errors() && refused.gone.is_empty());
}

#[test]
fn what_a_part_must_not_do_has_places() {
    let refused = |whole: &str, part: &str, deleted: &[&str]| {
        let understood = understand(&program(whole, &[(part, deleted)]), "/main.cf", Hosts::All);
        assert!(understood.diags.has_errors() && understood.graphs.is_empty());
        told(&understood)
    };
    let moved = format!(
        "{HEAD}b = fs::File(host=h, path=\"/srv/b\", content=\"one\")\nstd::ResourceSet(name=\"a\", resources=[b])\n"
    );
    let (message, places) = refused(WHOLE, &moved, &[]);
    assert_eq!(
        message,
        "a partial export cannot move `fs::File[h,path=/srv/b]` from resource set `b` to resource set `a`"
    );
    assert_eq!(places, ["/partial/1/main.cf:5", "/main.cf:6"]);
    let changed = HEAD.replace("path=\"/srv\"", "path=\"/srv\", mode=700");
    let (message, places) = refused(WHOLE, &changed, &[]);
    assert_eq!(
        message,
        "a partial export cannot change `fs::Directory[h,path=/srv]`, because it is in no resource set"
    );
    assert_eq!(places, ["/partial/1/main.cf:4", "/main.cf:4"]);
    let understood = understand(&program(WHOLE, &[(&*changed, &[])]), "/main.cf", Hosts::All);
    let notes = understood.diags.iter().next().map(|found| found.notes.clone());
    assert_eq!(notes, Some(vec!["these attributes differ: `mode`".to_owned()]));
    let (message, places) = refused(WHOLE, "std::ResourceSet(name=\"a\", resources=[])\n", &["a"]);
    assert_eq!(message, "a partial export cannot both export and delete resource set `a`");
    assert!(places.is_empty(), "{places:?}");
    let set = "std::ResourceSet(name=\"base\", resources=[base])\n";
    let (message, places) = refused(&format!("{WHOLE}{set}"), &format!("{HEAD}{set}"), &[]);
    assert_eq!(
        message,
        "`fs::File[h,path=/srv/a]` requires `fs::Directory[h,path=/srv]`, but the partial export replaces or deletes \
         resource set `base`, which contains it"
    );
    assert_eq!(places, ["/main.cf:5"]);
}

/// The order of a shared resource is that of the export which has what it requires.
#[test]
fn a_shared_resource_waits_for_what_is_replaced_with_it() {
    let export = |content: &str| {
        format!(
            "{HEAD}a = fs::File(host=h, path=\"/srv/a\", content=\"{content}\")\n\
             std::ResourceSet(name=\"a\", resources=[a])\n\
             fs::File(host=h, path=\"/all\", content=\"all\", requires=a)\n"
        )
    };
    let (part, again) = (export("two"), export("three"));
    let world = program(&export("one"), &[(&*part, &[]), (&*again, &[])]);
    let (resources, edges) = graph(&understand(&world, "/main.cf", Hosts::All));
    assert_eq!(resources, ["file[/srv/] /main.cf:4", "file[/all] /main.cf:7", "file[/srv/a] /partial/2/main.cf:5"]);
    assert_eq!(edges, ["file[/srv/] -> file[/srv/a]", "file[/srv/a] -> file[/all]"]);
    assert_eq!(replaced(&world, "/main.cf"), [0]);
}

#[test]
fn sets_of_partial_exports_have_names() {
    let whole = WHOLE.replace("std::ResourceSet(name=\"b\"", "std::ResourceSet(name=std::get_env(\"UNSET\")");
    assert!(!understand(&program(&whole, &[]), "/main.cf", Hosts::All).diags.has_errors());
    let understood = understand(&program(&whole, &[("", &[])]), "/main.cf", Hosts::All);
    assert!(understood.graphs.is_empty());
    let errors: Vec<&Diagnostic> = understood.diags.iter().filter(|one| one.is_error()).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "the name of a resource set is unknown, but partial exports need it");
}

/// Each export has an order; together they would have hosts wait for each other.
#[test]
fn requirements_of_several_exports_make_no_cycle() {
    let hosts =
        "import fs\nh = std::Host(name=\"h\", os=std::linux)\nother = std::Host(name=\"other\", os=std::linux)\n";
    let file = |name: &str, host: &str, more: &str| {
        format!("{name} = fs::File(host={host}, path=\"/{name}\", content=\"1\"{more})\n")
    };
    for host in ["h", "other"] {
        let whole = format!("{hosts}{}{}", file("a", "h", ""), file("b", host, ", requires=a"));
        let part = format!("{hosts}{}{}", file("b", host, ""), file("a", "h", ", requires=b"));
        let understood = understand(&program(&whole, &[(&*part, &[])]), "/main.cf", Hosts::All);
        assert!(understood.diags.has_errors() && understood.graphs.is_empty());
        let (message, places) = told(&understood);
        let ids = format!("fs::File[h,path=/a], fs::File[{host},path=/b]");
        assert_eq!(message, format!("circular requirements with earlier exports: {ids}"));
        assert_eq!(places, ["/partial/1/main.cf:5", "/main.cf:5"]);
    }
}

/// A shared resource waits for what it requires in any export.
#[test]
fn what_requires_an_unknown_value_in_one_export_is_left_out_of_all() {
    let host = "import fs\nh = std::Host(name=\"h\", os=std::linux)\n";
    let whole = format!(
        "{host}u = fs::File(host=h, path=\"/u\", content=std::get_env(\"UNSET\"))\n\
         fs::File(host=h, path=\"/s\", content=\"s\", requires=u)\n"
    );
    let part = format!(
        "{host}s = fs::File(host=h, path=\"/s\", content=\"s\")\n\
         t = fs::File(host=h, path=\"/t\", content=\"t\", requires=s)\n\
         std::ResourceSet(name=\"t\", resources=[t])\n"
    );
    let understood = understand(&program(&whole, &[(&*part, &[])]), "/main.cf", Hosts::All);
    assert_eq!(graph(&understood).0, Vec::<String>::new());
    let left_out = understood.graphs[0].1.left_out.iter().filter_map(|one| one.id().map(ToString::to_string));
    assert_eq!(left_out.collect::<Vec<_>>(), ["file[/u]", "file[/s]", "file[/t]"]);
}

#[test]
fn a_set_without_resources_is_reported_when_it_is_deleted() {
    let understood = understand(&program(WHOLE, &[(HEAD, &["gone"])]), "/main.cf", Hosts::All);
    assert_eq!(told(&understood).0, "resource set `gone` has no resources, so deleting it has no effect");
    assert_eq!(graph(&understood).0.len(), 3);
}

#[test]
fn errors_of_parts_are_in_their_files() {
    let understood = understand(&program(WHOLE, &[(HEAD, &[]), ("x = y\n", &[])]), "/main.cf", Hosts::All);
    let (message, places) = told(&understood);
    assert_eq!((&*message, &*places[0]), ("cannot find variable `y`", "/partial/2/main.cf:1"));
    assert!(understood.graphs.is_empty());
    let wrong = |list: &str| {
        let world = MemoryWorld::of([("/main.cf", WHOLE.as_bytes()), ("/partial/parts.json", list.as_bytes())]);
        told(&understand(&world, "/main.cf", Hosts::All)).0
    };
    assert!(wrong("[").starts_with("cannot read `partial/parts.json`: "));
    assert_eq!(wrong("{\"parts\": [{\"main\": \"1/main.cf\"}]}"), "cannot find file `/partial/1/main.cf`");
    let mut nested = program(WHOLE, &[(HEAD, &[])]);
    nested.insert("/partial/1/partial/parts.json", &b"{\"parts\": []}"[..]);
    assert_eq!(
        told(&understand(&nested, "/main.cf", Hosts::All)).0,
        "cannot read `partial/parts.json`: the part `1/main.cf` has parts itself"
    );
}

#[test]
fn a_part_may_read_the_environment() {
    let part = format!(
        "{HEAD}a = fs::File(host=h, path=\"/srv/a\", content=std::get_env(\"WORD\"))\n\
         std::ResourceSet(name=\"a\", resources=[a])\n"
    );
    let world = program(WHOLE, &[(&*part, &[])]);
    let asked = understand_in(&world, "/main.cf", Hosts::One("h"), Environment::asked());
    let word = FactSpec::from(program::Fact::Env { name: "WORD".to_owned() });
    assert!(asked.compilation.wanted.contains(&word) && !asked.diags.has_errors() && asked.graphs.is_empty());
    let mut known = Environment::asked();
    known.tell(word, Some(Datum::text("two")));
    let understood = understand_in(&world, "/main.cf", Hosts::One("h"), known);
    assert!(understood.compilation.wanted.is_empty());
    assert_eq!(graph(&understood).0.last().map(String::as_str), Some("file[/srv/a] /partial/1/main.cf:5"));
}

/// A host of which only the whole model knows keeps its resources, and the order between hosts holds in each export.
#[test]
fn a_part_may_be_for_one_of_several_hosts() {
    let hosts = "import fs\nh = std::Host(name=\"h\", os=std::linux)\nother = std::Host(name=\"other\", os=std::linux)\n\
                 db = fs::File(host=other, path=\"/db\", content=\"db\")\n";
    let whole = format!("{hosts}one = fs::File(host=h, path=\"/one\", content=\"1\", requires=db)\n");
    let part = format!(
        "{hosts}two = fs::File(host=h, path=\"/two\", content=\"2\", requires=db)\nstd::ResourceSet(name=\"two\", resources=[two])\n"
    );
    let understood = understand(&program(&whole, &[(&*part, &[])]), "/main.cf", Hosts::All);
    assert_eq!(graph(&understood).0, ["file[/one] /main.cf:5", "file[/two] /partial/1/main.cf:5"]);
    let waiting: Vec<&str> = understood.between["h"].awaited.iter().map(|awaited| &*awaited.waiting).collect();
    assert_eq!(waiting, ["fs::File[h,path=/one]", "fs::File[h,path=/two]"]);
    assert_eq!(understood.between["other"].told.len(), 1);
    let alone = understand(&program(&whole, &[("", &[])]), "/main.cf", Hosts::One("third"));
    assert_eq!(told(&alone).0, "the model has no resources for the host `third`; it has resources for h, other");
}

#[test]
fn the_origin_of_a_resource_is_in_the_export_that_has_it() {
    let part = format!(
        "{HEAD}c = fs::File(host=h, path=\"/srv/c\", content=\"c\")\nstd::ResourceSet(name=\"c\", resources=[c])\n"
    );
    let world = program(WHOLE, &[(&*part, &[])]);
    let place = |resource: &str| {
        let (sources, lines) = origin_in(&world, "/main.cf", &Environment::default(), "h", resource);
        let span = lines.first()?.span;
        Some(format!("{}:{}", sources.get(span.file).path, sources.get(span.file).line_of(span.start)))
    };
    assert_eq!(place("file[/srv/b]").as_deref(), Some("/main.cf:6"));
    assert_eq!(place("file[/srv/c]").as_deref(), Some("/partial/1/main.cf:5"));
    assert_eq!(place("file[/srv/d]"), None);
}

#[test]
fn a_part_is_replaced_if_the_model_is_the_same_without_it() {
    fn found(parts: &[(&str, &[&str])]) -> Vec<usize> {
        replaced(&program(WHOLE, parts), "/main.cf")
    }
    let set = |name: &str, content: &str| {
        format!(
            "{name} = fs::File(host=h, path=\"/srv/{name}\", content={content})\n\
             std::ResourceSet(name=\"{name}\", resources=[{name}])\n"
        )
    };
    let part = |sets: &str| format!("{HEAD}{sets}");
    let (first, other) = (part(&set("a", "\"2\"")), part(&set("b", "\"2\"")));
    let again = part(&set("a", "\"3\""));
    let none: Vec<usize> = Vec::new();
    assert_eq!(found(&[(&*first, &[]), (&*other, &[]), (&*again, &[])]), [0]);
    assert_eq!(found(&[(&*first, &[]), (&*again, &[]), (HEAD, &["a"])]), [0, 1]);
    assert_eq!(found(&[(HEAD, &["a"]), (&*again, &[])]), [0]);
    // The newest one stays, and those that have something which the others lack.
    assert_eq!(found(&[(&*first, &[])]), none);
    assert_eq!(found(&[(&*first, &[]), (&*other, &[])]), none);
    let both = part(&format!("{}{}", set("a", "\"2\""), set("b", "\"2\"")));
    assert_eq!(found(&[(&*both, &[]), (&*again, &[])]), none);
    let shared = format!("{first}fs::File(host=h, path=\"/srv/more\", content=\"1\")\n");
    assert_eq!(found(&[(&*shared, &[]), (&*again, &[])]), none);
    let ordered = format!("{HEAD}more = fs::File(host=h, path=\"/more\", content=\"1\")\n");
    let later = ordered.replace("content=\"1\"", "content=\"1\", requires=base");
    assert_eq!(found(&[(&*later, &[]), (&*ordered, &[])]), none);
    assert_eq!(found(&[(&*ordered, &[]), (&*later, &[])]), [0]);
    // What cannot be told for every host, and errors.
    let asks = part(&set("a", "std::get_env(\"WORD\")"));
    assert_eq!(found(&[(&*first, &[]), (&*asks, &[])]), none);
    assert_eq!(found(&[(&*first, &[]), (&*again, &[]), ("x = y\n", &[])]), none);
}
