//! What a program may read, and the ways around that.

use super::*;

#[test]
fn what_may_not_be_read_is_not_copied_or_put_together() {
    let den = Den::new("read");
    den.link("srv/l", "@ROOT@/outside");
    den.link("srv/secret", "@ROOT@/outside/secret");
    for source in ["@ROOT@/outside/secret", "@ROOT@/srv/l/secret", "@ROOT@/srv/secret", "@ROOT@/srv/../outside/secret"]
    {
        let copy = format!("state => \"exists\",\n\tsource => \"{source}\"");
        den.refuses(&file("@ROOT@/srv/copy", &copy), NOT_READ);
        let whole = format!("state => \"exists\",\n\tfragments => [\"{source}\"]");
        den.refuses(&file("@ROOT@/srv/copy", &whole), NOT_READ);
    }
    let tree = "state => \"exists\",\n\tsource => \"@ROOT@/srv/l/\",\n\trecurse => true";
    den.refuses(&file("@ROOT@/srv/copy/", tree), NOT_READ);
    den.refuses(&file("@ROOT@/srv/copy", "state => \"exists\",\n\tfragments => [\"@ROOT@/srv/l/\"]"), NOT_READ);
    // Testing for existence is reading, too.
    den.refuses(&exec("cmd => \"@ROOT@/bin/good\",\n\tcreates => \"@ROOT@/outside/secret\""), NOT_READ);
    assert!(!den.path("srv/copy").exists() || fs::read_dir(den.path("srv/copy")).is_ok_and(|dir| dir.count() == 0));
}

#[test]
fn functions_read_what_may_be_read() {
    let den = Den::new("functions");
    den.link("srv/l", "@ROOT@/outside");
    den.link("srv/secret", "@ROOT@/outside/secret");
    fs::write(den.path("srv/own"), "own").unwrap();
    let shown = |imports: &str, call: &str| {
        let imports: String = imports.split(' ').map(|name| format!("import \"{name}\"\n")).collect();
        imports + &file("@ROOT@/srv/shown", &format!("state => \"exists\",\n\tcontent => {call}"))
    };
    for path in ["@ROOT@/outside/secret", "@ROOT@/srv/l/secret", "@ROOT@/srv/secret", "@ROOT@/srv/../outside/secret"] {
        for (imports, call) in [
            ("os", format!("os.readfile(\"{path}\")")),
            ("os fmt", format!("fmt.printf(\"%t\", os.file_exists(\"{path}\"))")),
            ("golang/os", format!("os.read_file(\"{path}\")")),
            ("golang/path/filepath", format!("filepath.eval_symlinks(\"{path}\")")),
        ] {
            den.refuses(&shown(imports, &call), NOT_READ);
        }
        assert!(!den.path("srv/shown").exists());
    }
    den.allows(&shown("os", "os.readfile(\"@ROOT@/srv/own\")"));
    assert_eq!(fs::read_to_string(den.path("srv/shown")).unwrap(), "own");
}

/// Services get secrets in their environment.
#[test]
fn the_agents_variables_are_read_where_files_may_be_read() {
    let den = Den::new("environment");
    let run = |call: &str| {
        let shown = file("@ROOT@/srv/shown", &format!("state => \"exists\",\n\tcontent => {call}"));
        fs::write(den.path("main.mcl"), den.here(&format!("import \"sys\"\n{shown}"))).unwrap();
        let args = ["run", "--once", "--prefix", "state", "--policy", "policy.toml", "main.mcl"];
        let output = den.case.command(&args).env("AGENT_TOKEN", "hush").output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.success(), said.concat())
    };
    let (is_good, said) = run("sys.getenv(\"AGENT_TOKEN\")");
    assert!(!is_good && said.contains("does not allow reading the environment variable `AGENT_TOKEN`"), "{said}");
    assert!(!den.path("srv/shown").exists());
    let shown = |call: &str| {
        let (is_good, said) = run(call);
        assert!(is_good, "{said}");
        fs::read_to_string(den.path("srv/shown")).unwrap()
    };
    assert_eq!(shown("sys.env()[\"AGENT_TOKEN\"] <|> \"none\""), "none");
    assert_eq!(shown("sys.getenv(\"PATH\")"), std::env::var("PATH").unwrap());
    den.policy(&format!("{POLICY}environment = ['AGENT_*']\n"));
    assert_eq!(shown("sys.getenv(\"AGENT_TOKEN\")"), "hush");
    den.policy("paths = ['@ROOT@/srv/**']\n");
    assert_eq!(shown("sys.getenv(\"AGENT_TOKEN\") + sys.env()[\"AGENT_TOKEN\"]"), "hushhush");
}

/// A program brings its own files; a link among them may lead anywhere.
#[test]
fn what_a_link_brings_into_a_program_was_read_as_well() {
    let den = Den::new("program");
    fs::create_dir_all(den.path("it/files")).unwrap();
    den.link("it/files/secret", "@ROOT@/outside/secret");
    fs::write(den.path("it/files/own"), "own").unwrap();
    let program = |name: &str| {
        let content = format!("state => \"exists\",\n\tcontent => deploy.readfile(\"/files/{name}\")");
        format!("import \"deploy\"\n{}", file("@ROOT@/srv/shown", &content))
    };
    let run = |name: &str| {
        fs::write(den.path("it/main.mcl"), den.here(&program(name))).unwrap();
        let output = den.case.run(&["run", "--once", "--prefix", "state", "--policy", "policy.toml", "it/main.mcl"]);
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (is_good, said) = run("secret");
    let words = den.here("does not allow reading `@ROOT@/outside/secret`, which `it/files/secret` resolves to");
    assert!(!is_good && said.contains(&words), "{said}");
    assert!(!den.path("srv/shown").exists());
    let shared = den.case.run(&["share", "it"]);
    let said = String::from_utf8_lossy(&shared.stderr).into_owned();
    assert!(!shared.status.success() && shared.stdout.is_empty(), "{said}");
    assert!(said.contains("`it/files/secret` is a link to"), "{said}");
    fs::remove_file(den.path("it/files/secret")).unwrap();
    let (is_good, said) = run("own");
    assert!(is_good, "{said}");
    assert_eq!(fs::read_to_string(den.path("srv/shown")).unwrap(), "own");
    assert!(den.case.run(&["share", "it"]).status.success());
}

#[test]
fn what_a_process_has_open_is_no_way() {
    let den = Den::new("proc");
    den.policy("paths = ['@ROOT@/srv/**', '/proc/**']\n");
    den.link("srv/magic", "/proc/self/root@ROOT@/outside");
    den.link("srv/cwd", "/proc/self/cwd/outside");
    let ours = format!("/proc/{}/root@ROOT@/outside/new", std::process::id());
    for path in [
        &ours,
        "/proc/self/root@ROOT@/outside/new",
        "/proc/self/cwd/outside/new",
        "/proc/thread-self/root@ROOT@/outside/new",
        "@ROOT@/srv/magic/new",
        "@ROOT@/srv/cwd/new",
        "@ROOT@/srv/cwd/../outside/new",
    ] {
        den.refuses(&file(path, CONTENT), "is a kernel link to an open file of a process; such links are not followed");
    }
    // Not even without a policy: the texts of these links are not their targets.
    den.policy("");
    let before = den.outside();
    let (_, said) = den.run(&file("@ROOT@/srv/cwd/new", CONTENT));
    assert!(said.contains("a kernel link") && den.outside() == before, "{said}");
}

#[test]
fn links_of_other_users_are_followed_for_nothing() {
    if !is_root() {
        return cannot_look("only root can create links owned by other users");
    }
    let den = Den::new("foreign");
    den.policy("");
    den.link("srv/secret", "@ROOT@/outside/secret");
    den.link("srv/l", "@ROOT@/outside");
    for link in ["srv/secret", "srv/l"] {
        lchown(den.path(link), Some(12345), Some(12345)).unwrap();
    }
    let words = "is a symbolic link owned by user 12345; such links are not followed";
    for source in ["@ROOT@/srv/secret", "@ROOT@/srv/l/secret"] {
        den.refuses(&file("@ROOT@/srv/copy", &format!("state => \"exists\",\n\tsource => \"{source}\"")), words);
        den.refuses(&file("@ROOT@/srv/copy", &format!("state => \"exists\",\n\tfragments => [\"{source}\"]")), words);
        den.refuses(&file(source, CONTENT), words);
        den.refuses(&file(source, "mode => \"0777\""), words);
    }
    den.refuses(&file("@ROOT@/srv/copy", "state => \"exists\",\n\tfragments => [\"@ROOT@/srv/l/\"]"), words);
    assert!(!den.path("srv/copy").exists());
    // The link itself may be removed.
    den.allows(&file("@ROOT@/srv/l", ABSENT));
    assert!(fs::symlink_metadata(den.path("srv/l")).is_err());
}
