//! The examples in the definitions of functions are true, and every function is told about. Modules are accepted: those that
//! are built in, and what published ones use of the language.

use mclive_base::source::MemoryWorld;
use mclive_inmanta::{Setup, compile, library, value};

#[test]
fn examples_hold() {
    let mut n_examples = 0;
    for function in library::all_functions() {
        assert!(!function.doc.is_empty(), "{} has docs", function.name);
        for (call, result) in function.examples {
            let module = function.name.split("::").next().expect("it has a module");
            let text = format!("import {module}\nfound = {call}\nwanted = {result}\n");
            let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
            let compilation = compile(&world, "/main.cf", &Setup::default());
            assert!(compilation.faults.is_empty(), "{call}: {:?}", compilation.faults[0].message);
            let view = mclive_inmanta::model::View { compilation: &compilation };
            let first = compilation.globals[0];
            let values =
                [0, 1].map(|slot| view.value(mclive_inmanta::eval::VarId(first.0 + slot)).expect("it has a value"));
            assert!(value::same(&values[0], &values[1]), "{call} is {:?}, not {result}", values[0]);
            n_examples += 1;
        }
    }
    assert!(n_examples > 30, "{n_examples}");
}

#[test]
fn every_module_compiles() {
    let imports: String = library::MODULES
        .iter()
        .filter(|(name, _)| *name != "std")
        .map(|(name, _)| format!("import {name}\n"))
        .collect();
    let world = MemoryWorld::of([("/main.cf", imports.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    assert!(compilation.faults.is_empty(), "{}", compilation.faults[0].message);
}

/// Who connects to whom, and by which service: what the module is for.
#[test]
fn clients_and_servers_are_related() {
    let text = "import ip\nimport ip::services\n\
        entity Web extends ip::services::Server:\n    string name\nend\nimplement Web using std::none\n\
        h = ip::Host(name=\"web\", os=std::linux)\n\
        ports = ip::PortRange(low=1, high=65535)\n\
        http = ip::Service(proto=\"tcp\", dst_range=ip::Port(low=80), src_range=ports)\n\
        web = Web(name=\"w\", host=h, services=http)\n\
        ip::services::Client(host=h, servers=web)\n\
        net = ip::services::VirtualNetwork(network=\"10.0.0.0\", netmask=\"255.0.0.0\")\n\
        ip::services::VirtualClient(name=\"all\", servers=web, scope=net)\n\
        std::print(std::count(web.clients))\nstd::print(std::count(h.servers))\nstd::print(std::count(http.listening_servers))\n";
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    assert!(compilation.faults.is_empty(), "{}", compilation.faults[0].message);
    let mut printed = compilation.printed;
    printed.sort();
    assert_eq!(printed, ["1", "1", "2"]);
}

/// The names of the documentation of `fs` and `mitogen`, which models mention.
#[test]
fn files_are_reached_through_a_context() {
    let text = "import fs\nimport mitogen\n\
        entity Edit:\n    fs::json_format_t format\n    fs::operation_t operation = \"merge\"\nend\n\
        Edit.via [0:1] -- mitogen::Context\nimplement Edit using std::none\n\
        local = mitogen::Local(python_path=[\"python3.9\"])\n\
        edit = Edit(format=\"yaml\", via=mitogen::Sudo(username=\"www\", via=local))\n\
        host = std::Host(name=\"web\", os=std::linux, via=local)\n\
        fs::File(host=host, path=\"/srv/a\", content=\"a\", via=edit.via)\n\
        std::print(std::at(edit.via.via.python_path, 0))\n";
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    assert!(compilation.faults.is_empty(), "{}", compilation.faults[0].message);
    assert_eq!(compilation.printed, ["python3.9"]);
}

/// What published modules use of the language, in a model of the project: types with a regular expression or a function in
/// Python, documentation, namespaces, indexes that are used across relations, ends of relations of every form, parents in
/// `implement`, conditions, templates, and results for the functions in Python by pattern.
#[test]
fn what_published_modules_use_is_accepted() {
    let world = MemoryWorld::of([
        ("/main.cf", &include_bytes!("published/main.cf")[..]),
        ("/functions.json", &include_bytes!("published/functions.json")[..]),
        ("/libs/store/model/_init.cf", &include_bytes!("published/store.cf")[..]),
        ("/libs/store/model/keys.cf", &include_bytes!("published/keys.cf")[..]),
        ("/libs/store/plugins/__init__.py", &include_bytes!("published/plugins.py")[..]),
        ("/libs/store/templates/source.tmpl", &include_bytes!("published/source.tmpl")[..]),
    ]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    let messages: Vec<_> = compilation.faults.iter().map(|fault| &*fault.message).collect();
    assert!(messages.is_empty(), "{messages:?}");
    let mut printed = compilation.printed;
    printed.sort();
    assert_eq!(printed, ["8080", "a", "extra", "extra is signed"]);
}
