//! Links on the command line: a program or a recorded run is shared, opened, replayed, applied and tested.

use super::{Server, case, port_in, program};
use crate::case::Agent;
use serde_json::json;

#[test]
fn the_command_line_shares_and_opens_links() {
    let case = case("command");
    let server = Server::start(&case, &[]);
    std::fs::create_dir_all(case.path("project/parts")).unwrap();
    std::fs::create_dir_all(case.path("project/files")).unwrap();
    case.write(
        "project/main.mcl",
        "import \"parts/\" as parts\ninclude parts.one\nprint \"main\" { msg => \"from a link\", }\n",
    );
    case.write("project/parts/main.mcl", "class one {\n\tprint \"part\" { msg => \"from a part\", }\n}\n");
    std::fs::write(case.path("project/files/data"), [0xff, 0]).unwrap();
    let shared = case.run(&["share", "project", "--server", &server.url()]);
    let link = String::from_utf8(shared.stdout).unwrap().trim().to_owned();
    let server_said = String::from_utf8_lossy(&shared.stderr).into_owned();
    assert!(link.starts_with(&format!("{}/s/", server.url())), "{link} {server_said}");
    // The output says what is sent where, also if the server was not named this time.
    let announced = format!("uploading files/data, main.mcl, parts/main.mcl to {}, to be stored", server.url());
    assert!(server_said.contains(&announced), "{server_said}");
    let by_variable = case.command(&["share", "project"]).env("MCLIVE_SERVER", server.url()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&by_variable.stdout).trim(), link);
    assert!(String::from_utf8_lossy(&by_variable.stderr).contains(&announced), "{by_variable:?}");
    let nobody = case.run(&["share", "project", "--server", "http://127.0.0.1:1"]);
    let nobody = String::from_utf8_lossy(&nobody.stderr).into_owned();
    assert!(nobody.find("uploading") < nobody.find("connection refused") && nobody.contains("uploading"), "{nobody}");
    let check = case.run(&["check", &link]);
    assert!(check.status.success(), "{check:?}");
    let graph = case.run(&["graph", "--of", "resources", &link]);
    let graph = String::from_utf8(graph.stdout).unwrap();
    assert!(graph.contains("main") && graph.contains("part"), "{graph}");
    // A link may do nothing by itself, and a plan says so.
    let plan = case.run(&["plan", &link]);
    let told = String::from_utf8_lossy(&plan.stdout).into_owned();
    assert!(plan.status.code() == Some(3) && told.contains("the policy does not allow"), "{plan:?}");
    case.write("policy.toml", "kinds = [\"print\"]\n");
    let plan = case.run(&["plan", "--policy", "policy.toml", &link]);
    assert!(plan.status.success(), "{plan:?}");
    // The same in the page's forms and with what other programs append, and for another ID.
    for form in [
        link.replace("/s/", "/#s="),
        link.replace("/s/", "/embed/#s=") + "&theme=dark",
        link.replace("/s/", "/?x=1#s="),
        format!("{link}/"),
        format!("{link}?utm_source=x"),
    ] {
        let check = case.run(&["check", &form]);
        assert!(check.status.success(), "{form}: {check:?}");
    }
    let other = case.run(&["check", &format!("{}/s/abcdefghij", server.url())]);
    assert!(String::from_utf8_lossy(&other.stderr).contains("no program found for this link"), "{other:?}");

    // A link is formatted to standard output; one to several files is only checked.
    let format = |args: &[&str]| case.run(&[&["fmt"], args].concat());
    let one = |text: &str| format!("{}/s/{}", server.url(), server.share(text));
    let formatted = format(&[&one("$a   =  1\n")]);
    assert!(formatted.status.success() && formatted.stdout == b"$a = 1\n", "{formatted:?}");
    let checked = format(&["--check", &one("$a   =  1\n")]);
    assert!(checked.status.code() == Some(1) && checked.stdout == b"link:/main.mcl\n", "{checked:?}");
    let broken = format(&[&one("$a = \n")]);
    assert!(broken.status.code() == Some(1) && broken.stdout.is_empty(), "{broken:?}");
    let several = format(&[&link]);
    assert!(several.status.code() == Some(2) && String::from_utf8_lossy(&several.stderr).contains("several files"));
    let checked = format(&["--check", &link]);
    let listed = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.code() != Some(2) && listed.lines().all(|line| line.starts_with("link:/")), "{checked:?}");

    // Without a server, the link contains the program: all its files and the version that made it. An empty variable
    // names no server.
    let unnamed = case.command(&["share", "main.mcl"]).env("MCLIVE_SERVER", "").output().unwrap();
    assert!(unnamed.status.success() && unnamed.stdout.starts_with(b"#c="), "{unnamed:?}");
    for (program, form) in [("main.mcl", "#c="), ("project", "#p=")] {
        let long = String::from_utf8(case.run(&["share", program]).stdout).unwrap();
        let version = concat!("&v=", env!("CARGO_PKG_VERSION"));
        assert!(long.starts_with(form) && long.trim().ends_with(version), "{long}");
        assert!(case.run(&["check", long.trim()]).status.success());
    }
    let opened = case.run(&[
        "graph",
        "--of",
        "resources",
        String::from_utf8(case.run(&["share", "project"]).stdout).unwrap().trim(),
    ]);
    assert!(String::from_utf8_lossy(&opened.stdout).contains("part"), "{opened:?}");
}

#[test]
fn a_recorded_run_is_shared_and_replayed_from_its_link() {
    let case = case("recorded");
    let server = Server::start(&case, &[]);
    case.program("file \"@OUT@/a\" { state => \"exists\", content => \"recorded\\n\", }\n");
    let recorded = case.run(&["run", "--once", "--prefix", "state", "--record", "run.trace", "main.mcl"]);
    assert!(recorded.status.success(), "{recorded:?}");
    let replay = |input: &str, show: &str| {
        let replayed = case.run(&["replay", input, "--show", show]);
        assert!(replayed.status.success(), "{input}: {replayed:?}");
        String::from_utf8(replayed.stdout).unwrap()
    };
    let share = |args: &[&str]| {
        let shared = case.run(&[&["share", "run.trace"], args].concat());
        assert!(shared.status.success(), "{shared:?}");
        String::from_utf8(shared.stdout).unwrap().trim().to_owned()
    };
    let (short, long) = (share(&["--server", &server.url()]), share(&[]));
    assert!(short.starts_with(&format!("{}/s/", server.url())) && long.starts_with("#p="), "{short} {long}");
    for show in ["outputs", "events", "digest"] {
        let told = replay("run.trace", show);
        assert!(told.len() > 60, "{told}");
        for link in [&short, &long, &short.replace("/s/", "/#s="), &format!("https://play.example/{long}")] {
            assert_eq!(replay(link, show), told, "{link} --show {show}");
        }
    }
    let told = case.run(&["share", "run.trace"]);
    assert!(String::from_utf8_lossy(&told.stderr).contains("the whole run with its program"), "{told:?}");
    // The same run has the same link, from its file and from another link.
    assert_eq!(share(&["--server", &server.url()]), short);
    let again = case.run(&["share", &long, "--server", &server.url()]);
    assert_eq!(String::from_utf8(again.stdout).unwrap().trim(), short);
    let id = short.rsplit('/').next().unwrap();
    let page = server.get(&format!("/s/{id}")).text();
    assert!(page.contains("<title>Recorded run · mclive</title>"), "{page}");
    let preview = server.get(&format!("/preview/{id}.svg"));
    assert!(preview.status == 200 && preview.text().contains("1 resource<"), "{}", preview.text());

    // It is no program, and a program is no run.
    let text = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    for command in ["check", "plan", "test"] {
        let refused = case.run(&[command, &short]);
        assert!(refused.status.code() == Some(2) && text(&refused).contains("recorded run"), "{command}: {refused:?}");
    }
    let program = format!("{}/s/{}", server.url(), server.share("$a = 1\n"));
    let refused = case.run(&["replay", &program]);
    assert!(refused.status.code() == Some(2) && text(&refused).contains("not a recorded run"), "{refused:?}");
    let cut = case.run(&["replay", &long[..long.len() / 2]]);
    assert!(cut.status.code() == Some(2) && text(&cut).contains("damaged"), "{cut:?}");
}

#[test]
fn a_program_from_a_link_is_applied_only_as_far_as_somebody_allows() {
    let case = case("applied");
    let server = Server::start(&case, &[]);
    let out = case.path("out").display().to_string();
    let id = server.share(&format!("file \"{out}/a\" {{ state => \"exists\", content => \"from a link\\n\", }}\n"));
    let link = format!("{}/s/{id}", server.url());
    let run = |args: &[&str]| case.run(&[&["run", "--once", "--prefix", "state"], args, &[&*link]].concat());
    let told = |output: &std::process::Output| {
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    let refused = run(&[]);
    assert!(
        refused.status.code() == Some(2) && told(&refused).contains("--policy FILE or --trust-link"),
        "{refused:?}"
    );
    case.write("elsewhere.toml", "kinds = [\"file\"]\npaths = [\"/srv/**\"]\n");
    let refused = run(&["--policy", "elsewhere.toml"]);
    assert!(refused.status.code() == Some(3) && told(&refused).contains("the policy does not allow"), "{refused:?}");
    case.write("kinds.toml", "kinds = [\"print\"]\n");
    let refused = run(&["--policy", "kinds.toml"]);
    assert!(refused.status.code() == Some(3) && told(&refused).contains("the policy does not allow"), "{refused:?}");
    assert!(case.tree().is_empty(), "nothing has changed: {:?}", case.tree());
    case.write("policy.toml", &format!("kinds = [\"file\"]\npaths = [\"{out}/*\"]\n"));
    let applied = run(&["--policy", "policy.toml"]);
    assert!(applied.status.success(), "{applied:?}");
    case.holds("out/a", "from a link\n");
    case.write("out/a", "changed\n");
    assert!(run(&["--trust-link"]).status.success());
    case.holds("out/a", "from a link\n");
}

#[test]
fn the_scenarios_of_a_link_are_played_on_simulated_hosts() {
    let case = case("tested");
    let server = Server::start(&case, &[]);
    let main = "file \"/etc/motd\" {\n\tstate => \"exists\",\n\tcontent => \"hello\\n\",\n}\n";
    let link = |scenarios: &[(&str, &str)]| {
        let mut files = serde_json::Map::from_iter([("main.mcl".to_owned(), json!(main))]);
        files.extend(scenarios.iter().map(|(name, text)| ((*name).to_owned(), json!(text))));
        let stored = server.post("/api/v1/programs", &json!({ "entry": "main.mcl", "files": files }));
        stored.json()["url"].as_str().unwrap().replace("http://h.example", &server.url())
    };
    let comes_back = "run\nremove /etc/motd\nexpect file /etc/motd holds \"hello\\n\" within 1s\n";
    let good = case.run(&[
        "test",
        "--verbose",
        &link(&[("back.scenario", comes_back), ("quiet.scenario", "run\nexpect no steps for 24h\n")]),
    ]);
    let told = String::from_utf8_lossy(&good.stdout).into_owned();
    assert!(good.status.success() && told.contains("back") && told.contains("2 scenarios: all passed"), "{good:?}");
    let bad = case
        .run(&["test", &link(&[("back.scenario", comes_back), ("bad.scenario", "run\nexpect no file /etc/motd\n")])]);
    let told = String::from_utf8_lossy(&bad.stdout).into_owned();
    assert!(bad.status.code() == Some(1) && told.contains("link:/bad.scenario:2"), "{bad:?}");
    // A program that is refused does not pass, however little is expected of it.
    let broken = json!({ "entry": "main.mcl", "files": { "main.mcl": "$a = \n", "a.scenario": "run\n" } });
    let broken =
        format!("{}/s/{}", server.url(), server.post("/api/v1/programs", &broken).json()["id"].as_str().unwrap());
    let refused = case.run(&["test", &broken]);
    let told = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(refused.status.code() == Some(1) && told.contains("the program was refused: E0"), "{refused:?}");
    let simulated = server.post("/api/v1/simulate", &json!({ "program": program("$a = \n"), "scenario": "run\n" }));
    assert_eq!((simulated.status, &simulated.json()["passed"]), (200, &json!(false)), "{simulated:?}");
    let none = case.run(&["test", &link(&[])]);
    assert!(
        none.status.code() == Some(2) && String::from_utf8_lossy(&none.stderr).contains("has no scenario"),
        "{none:?}"
    );
    let real = case.run(&["test", "--real", &link(&[("back.scenario", comes_back)])]);
    assert!(real.status.code() == Some(2) && String::from_utf8_lossy(&real.stderr).contains("from links"), "{real:?}");
}

#[test]
fn open_shows_a_program_in_a_playground_of_its_own() {
    let case = case("open");
    let mut agent = Agent::spawn(case.command(&["open", "--no-browser", "--site", "site", "main.mcl"]));
    agent.says("/s/");
    let port = port_in(&agent.said());
    let link = agent.said().lines().find(|line| line.contains("/s/")).unwrap().to_owned();
    assert!(case.run(&["check", &link]).status.success(), "{link}");
    let server = Server { agent: Agent::spawn(case.command(&["help"])), port };
    let ask = |method: &str, path: &str, headers: &str, body: &[u8]| {
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
        server.say(&[head.as_bytes(), body].concat()).unwrap()
    };
    let own = format!("Host: localhost:{port}\r\n");
    assert_eq!(ask("GET", "/", &own, b"").text(), "<!doctype html>the page");
    // No page of anybody else reaches it, neither by a name that leads here nor by its address.
    assert_eq!(server.get("/").status, 403);
    let body = program("$a = 1\n").to_string();
    let post = |origin: &str| ask("POST", "/api/v1/programs", &format!("{own}Origin: {origin}\r\n"), body.as_bytes());
    let made = post(&format!("http://localhost:{port}"));
    assert_eq!((made.status, made.header("access-control-allow-origin")), (201, ""));
    for origin in ["https://evil.example", "null", "http://localhost:1"] {
        let refused = post(origin);
        assert!(refused.status == 403 && refused.header("access-control-allow-origin").is_empty(), "{refused:?}");
    }
    // What it keeps in memory is bounded.
    let large = |n: u64| program(&format!("$a = {n}\n{}", "#".repeat(1_000_000))).to_string();
    let full = (0..100).map(|n| ask("POST", "/api/v1/programs", &own, large(n).as_bytes()));
    let full = full.into_iter().find(|answer| answer.status != 201).unwrap();
    assert!(full.status == 507 && full.text().contains("no room for another program"), "{full:?}");
    assert!(case.run(&["check", &link]).status.success(), "what is there stays");
    assert!(agent.stop().success());
}
