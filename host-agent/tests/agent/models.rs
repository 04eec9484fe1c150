//! Models on a real file system: planned, applied, repaired, and idempotent.

mod between;
mod hostile;

use crate::case::{Agent, Case, stderr, until};
use std::fs;
use std::path::Path;
use std::process::Output;

/// The shop below `tests/models`, with its files below the case's output folder.
fn shop(name: &str) -> Case {
    let case = Case::new(name, "");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/models/shop");
    copy(&model, &case.path("shop"));
    let main = fs::read_to_string(model.join("main.cf")).unwrap();
    case.write("shop/main.cf", &main.replace("/srv/shop", case.path("out").to_str().unwrap()));
    case
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() { copy(&entry, &target) } else { fs::copy(&entry, &target).map(|_| ()).unwrap() }
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The number of the agent's steps, from its JSON lines.
fn n_steps(output: &Output) -> usize {
    stdout(output).lines().filter(|line| line.contains("\"type\":\"steps\"")).count()
}

#[test]
fn each_host_of_a_model_gets_what_is_its_own_once() {
    let case = shop("models-hosts");
    let run = |host: &str, flags: &[&str]| {
        let args = [&["run", "--once", "--json", "--prefix", "state", "--hostname", host], flags, &["shop/main.cf"]];
        let output = case.run(&args.concat());
        assert!(output.status.success(), "{host}: {}{}", stdout(&output), stderr(&output));
        output
    };
    let planned = case.run(&["plan", "--json", "--hostname", "web1", "shop"]);
    assert!(planned.status.success() && n_steps(&planned) == 5, "{}", stdout(&planned));
    assert!(case.tree().is_empty());

    run("web1", &[]);
    let link = fs::read_link(case.path("out/public-shop")).unwrap();
    assert_eq!(link, case.path("out/shop"));
    assert_eq!(
        case.read("out/shop/service.conf").unwrap(),
        "# shop on web1\nlisten 10.0.0.11:8080\ndatabase orders at 10.0.0.21:5432\ndatabase sessions at 10.0.0.21:6379\n"
    );
    assert!(!case.path("out/orders").exists(), "that is for another host");
    let before = case.tree();
    assert_eq!(n_steps(&run("web1", &[])), 0);
    assert_eq!(case.tree(), before);

    run("db1", &[]);
    assert_eq!(case.read("out/orders/clients").unwrap(), "10.0.0.11 admin\n10.0.0.11 shop\n10.0.0.12 shop\n");
    run("web2", &["--noop"]);
    assert!(case.read("out/shop/service.conf").unwrap().starts_with("# shop on web1"));

    let other = run("elsewhere", &[]);
    assert!(
        stderr(&other)
            .contains("the model has no resources for the host `elsewhere`; it has resources for db1, web1, web2")
    );
}

#[test]
fn drift_from_a_model_is_repaired_and_explained() {
    let case = shop("models-drift");
    let args = ["run", "--json", "--prefix", "state", "--hostname", "web1", "shop/main.cf"];
    let agent = Agent::spawn(case.command(&args));
    let (conf, good) =
        ("out/admin/service.conf", "# admin on web1\nlisten 10.0.0.11:8081\ndatabase orders at 10.0.0.21:5432\n");
    case.holds(conf, good);
    case.write(conf, "broken");
    case.holds(conf, good);
    fs::remove_file(case.path(conf)).unwrap();
    case.holds(conf, good);
    let id = format!("file[{}]", case.path(conf).display());
    let mut why = String::new();
    // Where something is declared is left out of an answer that a busy machine would delay.
    until("it is told what happened, and where it is declared", || {
        why = stdout(&case.run(&["why", "--prefix", "state", &id]));
        why.contains("changed") && why.contains("declared by `fs::")
    });
    // Its instance, and the implementation that constructed it.
    for words in ["in the implementation `shop::", "shop/main.cf:", "_init.cf:"] {
        assert!(why.contains(words), "{words}: {why}");
    }
    let audit = case.read("state/audit.log").unwrap_or_default();
    assert!(audit.contains("admin/service.conf") && !audit.contains("listen"), "{audit}");
    drop(agent);
}

#[test]
fn a_policy_holds_for_models() {
    let case = shop("models-policy");
    case.write("policy.toml", "kinds = [\"noop\"]\n");
    let args = ["run", "--once", "--json", "--prefix", "state", "--hostname", "db1", "--policy", "policy.toml", "shop"];
    let output = case.run(&args);
    assert_eq!(output.status.code(), Some(3), "{}{}", stdout(&output), stderr(&output));
    assert!(case.tree().is_empty());
}

#[test]
fn a_refused_change_is_tried_once_and_the_run_ends() {
    let case = Case::new("models-refused", "");
    case.write("policy.toml", &format!("kinds = [\"file\"]\npaths = [{:?}]\n", case.path("allowed/**")));
    fs::create_dir_all(case.path("out")).unwrap();
    let file = |name: &str| {
        format!(
            "h.files += std::File(host=h, path=\"{}\", owner=\"root\", group=\"root\", mode=644, content=\"x\")\n",
            case.path(name).display()
        )
    };
    case.write(
        "main.cf",
        &format!("h = std::Host(name=\"n1\", os=std::linux)\n{}{}", file("out/one"), file("out/two")),
    );
    let programs = ["main.cf".to_string(), "main.mcl".to_string()];
    let mcl = |name: &str| {
        format!("file {:?} {{\n\tstate => \"exists\",\n\tcontent => \"x\",\n\tMeta:retry => 5,\n}}\n", case.path(name))
    };
    case.write("main.mcl", &format!("{}{}", mcl("out/one"), mcl("out/two")));
    for program in programs {
        let args =
            ["run", "--once", "--json", "--prefix", "state", "--hostname", "n1", "--policy", "policy.toml", &program];
        let output = case.run(&args);
        assert_eq!(output.status.code(), Some(3), "{program}: {}{}", stdout(&output), stderr(&output));
        assert_eq!(n_steps(&output), 2, "{program}: {}", stdout(&output));
        assert!(stdout(&output).contains("the policy does not allow changing"), "{program}: {}", stdout(&output));
    }
}

/// Environment variables are facts of the host: the model is compiled with those of the agent.
#[test]
fn a_model_reads_the_environment() {
    let text = "import fs\nhost = std::Host(name=\"h\", os=std::linux, ip=\"10.0.0.1\")\n\
        lang = std::get_env(\"GREETING_IN\", \"en\")\n\
        std::print(lang)\n\
        text = lang == \"fr\" ? std::get_env(\"GREETING_FR\") : \"hello\"\n\
        fs::File(host=host, path=\"@OUT@/greeting\", mode=644, owner=\"root\", group=\"root\", content=text)\n";
    let case = Case::new("models-environment", "");
    case.write("main.cf", &text.replace("@OUT@", case.path("out").to_str().unwrap()));
    let run = |command: &[&str], variables: &[(&str, &str)]| {
        let args = [command, &["--hostname", "h", "main.cf"]].concat();
        let output = case.command(&args).envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{command:?}: {}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    let once = ["run", "--once", "--prefix", "state"];
    run(&once, &[]);
    assert_eq!(case.read("out/greeting").unwrap(), "hello");
    let french = [("GREETING_IN", "fr"), ("GREETING_FR", "bonjour")];
    let said = run(&once, &french);
    assert_eq!(case.read("out/greeting").unwrap(), "bonjour");
    assert!(said.contains("fr"), "{said}");
    let drawn = run(&["graph", "--of", "resources"], &french);
    assert!(drawn.contains("bonjour"), "{drawn}");
    let simulated = ["graph", "--of", "resources", "--any-host"];
    assert!(!run(&simulated, &french).contains("bonjour"));
    let given = ["--env", "GREETING_IN", "--env", "GREETING_FR=salut"];
    assert!(run(&[&simulated[..], &given].concat(), &french).contains("salut"));
    assert_eq!(run(&[&["check"][..], &given].concat(), &french), "fr\n");
    run(&[&once[..], &given].concat(), &french);
    assert_eq!(case.read("out/greeting").unwrap(), "salut");

    let said = |given: &[&str]| {
        let output = case.run(&[&["check", "--hostname", "h", "main.cf"], given].concat());
        (output.status.code(), stderr(&output))
    };
    let (status, unset) = said(&["--env", "GREETING_IN=fr"]);
    assert!(status == Some(0) && unset.contains("pass `--env GREETING_FR`"), "{unset}");
    let (status, missing) = said(&["--env", "GREETING_FR"]);
    assert!(status == Some(2) && missing.contains("`--env GREETING_FR=VALUE`"), "{missing}");
}

/// The example of the specification, 17.9. A test's host has no such packages and services: it is planned, and its
/// files are applied without their dependencies.
#[test]
fn the_example_of_the_specification() {
    let case = Case::new("models-sites", "");
    let text = include_str!("sites.cf").replace("@OUT@", case.path("out").to_str().unwrap());
    fs::create_dir(case.path("model")).unwrap();
    case.write("model/main.cf", &text);
    let planned = case.run(&["graph", "--of", "resources", "--hostname", "n1", "model/main.cf"]);
    let graph = stdout(&planned);
    let count = |word: &str| graph.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!((count("Vertex: "), count("Edge: ")), (7, 6), "{graph}");
    case.write("model/main.cf", &text.replace("requires=tools", "").replace("[page, web]", "[page]"));
    // The test must not touch packages and services of this machine.
    let model = std::fs::read_to_string(case.path("model/main.cf")).unwrap();
    let foreign = ["std::Package", "std::Service", "daemon."];
    let rest = model.lines().filter(|line| foreign.iter().all(|word| !line.contains(word)));
    case.write("model/main.cf", &rest.map(|line| format!("{line}\n")).collect::<String>());
    let args = ["run", "--once", "--json", "--prefix", "state", "--hostname", "n1", "model/main.cf"];
    case.run(&args);
    assert_eq!(case.read("out/blog/index.txt").as_deref(), Some("hello"));
    assert_eq!(case.read("out/wiki/index.txt").as_deref(), Some(""));
    case.write("out/blog/index.txt", "drifted");
    assert_eq!(n_steps(&case.run(&args)), 1);
    assert_eq!(case.read("out/blog/index.txt").as_deref(), Some("hello"));
    assert_eq!(n_steps(&case.run(&args)), 0);
}

#[test]
fn models_are_checked_drawn_and_formatted() {
    let case = shop("models-commands");
    let empty = case.path("empty.cf");
    fs::write(&empty, "").unwrap();
    assert!(case.run(&["check", "empty.cf"]).status.success());
    case.write(
        "bad.cf",
        "entity A:\n    int n\nend\nimplement A using std::none\nA(n=\"x\")\nA(n=true ? 1 : 2, m=3)\n",
    );
    let bad = case.run(&["check", "bad.cf"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("error[E11") && stderr(&bad).contains("bad.cf:"), "{}", stderr(&bad));

    let model = stdout(&case.run(&["graph", "--format", "json", "shop"]));
    let model: serde_json::Value = serde_json::from_str(&model).unwrap();
    assert!(model["instances"].as_array().unwrap().len() > 15);
    let hosts = stdout(&case.run(&["graph", "--of", "resources", "--format", "json", "shop"]));
    let hosts: serde_json::Value = serde_json::from_str(&hosts).unwrap();
    assert_eq!(hosts["hosts"].as_array().unwrap().len(), 3);
    let functions = case.run(&["graph", "--of", "functions", "shop"]);
    assert_eq!(functions.status.code(), Some(2));
    assert!(stderr(&functions).contains("model or resources"));
    assert!(stdout(&case.run(&["graph", "--format", "dot", "shop"])).starts_with("digraph model {"));

    let formatted = case.run(&["fmt", "--check", "shop"]);
    assert!(formatted.status.success(), "{}", stdout(&formatted));
    case.write("odd.cf", "x=1 # one\ny  =  [ x,2 ]\n");
    assert!(case.run(&["fmt", "odd.cf"]).status.success());
    assert_eq!(case.read("odd.cf").unwrap(), "x = 1  # one\ny = [x, 2]\n");
    // The text of standard input tells its language, as that of a link does.
    case.write("piped.cf", "entity A:\n    int  n\nend\nimplement A using std::none\n");
    let piped = || fs::File::open(case.path("piped.cf")).unwrap();
    let checked = case.command(&["check", "-"]).stdin(piped()).output().unwrap();
    assert!(checked.status.success(), "{}", stderr(&checked));
    let formatted = case.command(&["fmt", "-"]).stdin(piped()).output().unwrap();
    assert!(stdout(&formatted).contains("    int n\n"), "{}", stderr(&formatted));
    assert!(stdout(&case.run(&["explain", "e1117"])).starts_with("E1117: "));
    assert!(stdout(&case.run(&["docs", "fs::File"])).contains("string content"));
}

/// A function in Python is not run; an answer declared next to the model replaces it.
#[test]
fn declared_answers_stand_for_functions_in_python() {
    let case = Case::new("models-python", "");
    fs::create_dir_all(case.path("net/libs/net/model")).unwrap();
    fs::create_dir_all(case.path("net/libs/net/plugins")).unwrap();
    case.write("net/libs/net/model/_init.cf", "");
    case.write(
        "net/libs/net/plugins/__init__.py",
        "@plugin\ndef free_port(name: \"string\") -> \"int\":\n    return allocate(name)\n",
    );
    case.write("net/main.cf", "import net\nstd::print(net::free_port(\"web\"))\n");
    let refused = case.run(&["check", "net/main.cf"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("E1132"), "{}", stderr(&refused));
    case.write("net/functions.json", "{\"net::free_port\": [{\"args\": [\"web\"], \"result\": 8080}]}");
    let answered = case.run(&["check", "net/main.cf"]);
    assert!(answered.status.success(), "{}", stderr(&answered));
    assert_eq!(stdout(&answered), "8080\n");
}

/// The model, its modules, their templates and the declared answers are followed while it runs.
#[test]
fn changed_files_of_a_model_are_deployed() {
    let case = Case::new("models-reload", "");
    for folder in ["m/libs/web/model", "m/libs/web/templates", "m/libs/web/plugins"] {
        fs::create_dir_all(case.path(folder)).unwrap();
    }
    let main = |word: &str| {
        format!(
            "import web\nimport fs\nhost = std::Host(name=\"h\", os=std::linux)\nword = \"{word}\"\n\
             page = std::template(\"web/page\")\nlibrary = web::library\nport = web::port()\n\
             content = \"{{{{page}}}}{{{{library}}}}{{{{port}}}}\\n\"\n\
             fs::File(host=host, path=\"{}\", mode=644, owner=\"root\", group=\"root\", content=content)\n",
            case.path("out/page").display()
        )
    };
    case.write("m/main.cf", &main("one"));
    case.write("m/libs/web/model/_init.cf", "library = \" library\"\n");
    case.write("m/libs/web/templates/page", "{{ word }}");
    case.write("m/libs/web/plugins/__init__.py", "@plugin\ndef port() -> \"string\":\n    return find()\n");
    case.write("m/functions.json", "{\"web::port\": [{\"args\": [], \"result\": \" 80\"}]}");
    let agent = Agent::spawn(case.command(&["run", "--prefix", "state", "--hostname", "h", "m"]));
    case.holds("out/page", "one library 80\n");
    case.write("m/main.cf", &main("two"));
    case.holds("out/page", "two library 80\n");
    case.write("m/libs/web/model/_init.cf", "library = \" books\"\n");
    case.holds("out/page", "two books 80\n");
    case.write("m/libs/web/templates/page", "<{{ word }}>");
    case.holds("out/page", "<two> books 80\n");
    case.write("m/functions.json", "{\"web::port\": [{\"args\": [], \"result\": \" 443\"}]}");
    case.holds("out/page", "<two> books 443\n");
    case.write("m/main.cf", "x = nothing\n");
    agent.says("the previous version keeps running");
    case.write("out/page", "drifted");
    case.holds("out/page", "<two> books 443\n");
    case.write("m/main.cf", &main("three"));
    case.holds("out/page", "<three> books 443\n");
    drop(agent);
}
