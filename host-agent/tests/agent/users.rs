//! A store with users: the rights that `mclive world grants` prints, logging in, and what a user may not do.

use crate::case::{Agent, Case, stderr, until};
use crate::fleet::{KEYS, file};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mclive_kit::etcd::Etcd;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

/// Knows no users, and writes down its arguments and what is passed to it.
const ETCDCTL: &str = "#!/bin/sh\ncase \"$1 $2\" in 'user get') exit 1 ;; 'user list') exit 0 ;; esac\nfor word in \"$@\"; do printf '%s\\n' \"$word\"; done >> calls\n\
                       case \"$1 $2\" in 'user add') cat >> calls ;; esac\necho . >> calls\n";

/// A store with the printed users. The passwords are in files of the case.
struct Users {
    etcd: Etcd,
    case: Case,
}

impl Users {
    fn new(name: &str, hosts: &str) -> Option<Users> {
        let mut etcd = Etcd::start()?;
        let case = Case::new(name, "");
        case.write("etcdctl", ETCDCTL);
        std::fs::set_permissions(case.path("etcdctl"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let printed = case.run(&["world", "grants", "--hosts", hosts]);
        assert!(printed.status.success(), "{printed:?}");
        let path = format!("{}:{}", case.root.display(), std::env::var("PATH").unwrap());
        let script = String::from_utf8(printed.stdout).unwrap();
        let ran = Command::new("sh").args(["-ec", &script]).env("PATH", path).current_dir(&case.root).output().unwrap();
        assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
        let calls = case.read("calls").unwrap();
        for call in calls.split("\n.\n").map(str::trim).filter(|call| !call.is_empty()) {
            let words: Vec<&str> = call.lines().collect();
            let (path, asked) = request(&words);
            etcd.ask(path, &asked);
        }
        etcd.log_in("root", case.read("root.password").unwrap().trim());
        Some(Users { etcd, case })
    }

    /// The options of a user, whose name is `mclive/main/` and this.
    fn as_user(&self, name: &str) -> Vec<String> {
        let (user, file) = (format!("mclive/main/{name}"), format!("{}.password", name.replace('/', "-")));
        let url = self.etcd.url();
        ["--world", &url, "--world-user", &user, "--world-password-file", &file].map(str::to_owned).to_vec()
    }

    fn run(&self, user: &str, args: &[&str]) -> Output {
        let options = self.as_user(user);
        self.case.run(&args.iter().copied().chain(options.iter().map(String::as_str)).collect::<Vec<_>>())
    }

    /// Starts a host that takes deploys.
    fn take(&self, host: &str) -> Agent {
        let (prefix, options) = (format!("state-{host}"), self.as_user(&format!("host/{host}")));
        let args = ["run", "--prefix", &prefix, "--hostname", host, "--world-ttl", "5", "--converger-timeout", "1"];
        let all: Vec<&str> = args.into_iter().chain(options.iter().map(String::as_str)).collect();
        Agent::spawn(self.case.command(&all))
    }

    /// What the store says to a host that sets a key.
    fn sets(&self, host: &str, key: &str) -> Result<Value, String> {
        let asked = json!({ "key": STANDARD.encode(format!("{KEYS}{key}")), "value": "YQ==" });
        self.etcd.ask_as(&format!("mclive/main/host/{host}"), self.password(host).trim(), "kv/put", &asked)
    }

    fn password(&self, host: &str) -> String {
        self.case.read(&format!("host-{host}.password")).unwrap()
    }
}

/// The request that a call of etcdctl makes.
fn request(words: &[&str]) -> (&'static str, Value) {
    match words {
        ["role", "add", name] => ("auth/role/add", json!({ "name": name })),
        ["role", "grant-permission", "--prefix=true", name, right, key] => {
            let mut end = key.as_bytes().to_vec();
            *end.last_mut().unwrap() += 1;
            let (key, end) = (STANDARD.encode(key), STANDARD.encode(end));
            let perm = json!({ "permType": right.to_uppercase(), "key": key, "range_end": end });
            ("auth/role/grant", json!({ "name": name, "perm": perm }))
        }
        ["user", "add", "--interactive=false", name, password] => {
            assert!(password.len() >= 32, "{password}");
            ("auth/user/add", json!({ "name": name, "password": password }))
        }
        ["user", "grant-role", user, role] => ("auth/user/grant", json!({ "user": user, "role": role })),
        ["auth", "enable"] => ("auth/enable", json!({})),
        other => panic!("{other:?}"),
    }
}

/// A command ended with this status, and said this.
#[track_caller]
fn refused(output: &Output, words: &str) {
    assert!(output.status.code() == Some(1) && stderr(output).contains(words), "expected {words:?}: {output:?}");
}

#[test]
fn with_the_printed_rights_hosts_do_their_work_and_only_an_operator_deploys() {
    let Some(users) = Users::new("users-rights", "h1,h2") else { return };
    let mode = |name: &str| std::fs::metadata(users.case.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("root.password"), mode("host-h1.password")), (0o600, 0o600));
    let hosts = ["h1", "h2"].map(|host| users.take(host));
    hosts.iter().for_each(|host| host.says("there is no deploy yet"));
    let seen = "fmt.printf(\"%v %d %d\", world.kvlookup(\"address\"), len(world.schedule(\"web\")), len(collect.res(\"file\")))";
    let program = format!(
        "import \"world\"\nimport \"world/collect\"\nimport \"fmt\"\nkv \"address\" {{ value => $hostname, mapped => true, }}\n\
         schedule \"web\" {{ max => 1, ttl => 5, }}\nfile \"/tmp/${{hostname}}\" {{ state => \"exists\", Meta:hidden => true, \
         Meta:export => [\"*\"], }}\n{}",
        file("${hostname}", seen)
    );
    users.case.program(&program);
    let deployed = users.run("operator", &["deploy", "--wait", "240", "main.mcl"]);
    assert!(deployed.status.success(), "{deployed:?}");
    for host in ["h1", "h2"] {
        users.case.holds(&format!("out/{host}"), r#"{"h1": "h1", "h2": "h2"} 1 2"#);
    }
    until("both say that they have converged", || {
        let said = users.run("viewer", &["world", "hosts"]);
        assert!(said.status.success(), "{said:?}");
        String::from_utf8_lossy(&said.stdout).matches("\"converged\":true").count() == 2
    });
    // A host that gets no processor for a while may lose the store for a moment; its rights are enough all the time.
    let is_odd = |line: &str| {
        line.contains("warning") && (!line.contains("the shared store is unreachable") || line.contains("permission"))
    };
    for host in &hosts {
        assert!(!host.said().lines().any(is_odd), "{}", host.said());
    }
    // What a host may not do, by the program and without it.
    users.case.program("print \"mine\" {}\n");
    let denied = "permission denied: the user `mclive/main/host/h1` needs permission to write /mclive/main/blob/";
    refused(&users.run("host/h1", &["deploy", "main.mcl"]), denied);
    refused(&users.run("host/h1", &["deploy", "--lock", "mine"]), "write /mclive/main/deploy/lock");
    for args in [&["deploy", "--lock", "mine"][..], &["deploy", "--unlock"]] {
        assert!(users.run("operator", args).status.success());
    }
    for key in [
        "deploy/head",
        "deploy/lock",
        "deploy/00000000000000000009",
        "blob/0/0",
        "agent/h2/state",
        "agent/h2/live",
        "layout",
    ] {
        assert!(users.sets("h1", key).is_err_and(|why| why.contains("permission denied")), "{key}");
    }
    for key in ["agent/h1/state", "strings/x", "exported/*/h1/file/x", "pool/x/vote/h1"] {
        assert!(users.sets("h1", key).is_ok(), "{key}");
    }
    for args in [&["world", "deploys"][..], &["world", "schedule"]] {
        assert!(users.run("viewer", args).status.success());
    }
    refused(&users.run("viewer", &["world", "list"]), "needs permission to read /mclive/main/strings/*");
    refused(&users.run("viewer", &["world", "watch"]), "needs permission to read /mclive/main/");
    refused(&users.run("viewer", &["world", "set", "k", "v"]), "needs permission to write /mclive/main/strings/k");
    // Without a user, and with a wrong password.
    let nobody = users.case.run(&["world", "status", "--world", &users.etcd.url()]);
    refused(&nobody, "the store requires a user: use --world-user NAME and --world-password-file FILE");
    let secret = "correct-horse-battery";
    users.case.write("host-h2.password", &format!("{secret}\n"));
    let wrong = users.run("host/h2", &["world", "status"]);
    refused(&wrong, "does not accept the user `mclive/main/host/h2` with the password in host-h2.password");
    assert!(!format!("{wrong:?}").contains(secret));
}

#[test]
fn a_host_logs_in_again_after_its_token_is_gone_and_when_its_password_changes() {
    let Some(mut users) = Users::new("users-tokens", "h1") else { return };
    let (own, options) = (file("k", "world.getval(\"k\")->value"), users.as_user("host/h1"));
    let program = format!("import \"world\"\n{own}kv \"own\" {{ value => world.getval(\"k\")->value, }}\n");
    users.case.program(&program);
    let args = ["run", "--prefix", "state", "--hostname", "h1", "--world-ttl", "5", "main.mcl"];
    users.etcd.put(&format!("{KEYS}strings/k"), "one");
    let all: Vec<&str> = args.into_iter().chain(options.iter().map(String::as_str)).collect();
    let mut agent = Agent::spawn(users.case.command(&all));
    users.case.holds("out/k", "one");
    // A member that was restarted knows no tokens.
    users.etcd.start_again();
    users.etcd.put(&format!("{KEYS}strings/k"), "two");
    users.case.holds("out/k", "two");
    let is_set = |users: &Users, value: &str| users.etcd.get(&format!("{KEYS}strings/own")).as_deref() == Some(value);
    until("it sets its value", || is_set(&users, "two"));
    // A password that changes only in the store.
    let name = "mclive/main/host/h1";
    let before = users.password("h1");
    users.etcd.ask("auth/user/changepw", &json!({ "name": name, "password": "correct-horse-battery" }));
    users.etcd.start_again();
    agent.says("cannot use the shared store; this host keeps its last values: ");
    agent.says("does not accept the user `mclive/main/host/h1` with the password in host-h1.password");
    users.etcd.put(&format!("{KEYS}strings/k"), "three");
    assert_eq!(users.case.read("out/k").as_deref(), Some("two"));
    users.case.write("host-h1.password", "correct-horse-battery\n");
    users.case.holds("out/k", "three");
    until("it sets its value again", || is_set(&users, "three"));
    agent.says("the shared store is reachable again after ");
    assert!(agent.runs());
    let said = agent.said();
    assert!(!said.contains("correct-horse-battery") && !said.contains(before.trim()), "{said}");
}

#[test]
fn a_user_of_a_store_without_users_is_an_error() {
    let Some(etcd) = Etcd::start() else { return };
    let case = Case::new("users-none", "");
    case.write("password", "secret\n");
    std::fs::set_permissions(case.path("password"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let url = etcd.url();
    let status =
        case.run(&["world", "status", "--world", &url, "--world-user", "a", "--world-password-file", "password"]);
    refused(&status, "the store has no users: enable authentication (`mclive world grants` prints the commands)");
    assert!(stderr(&status).contains("mclive: warning: other users can access password (mode 0644)"), "{status:?}");
    let one = case.run(&["world", "status", "--world", &url, "--world-user", "a"]);
    assert_eq!(one.status.code(), Some(2), "{one:?}");
    let from_environment = case
        .command(&["world", "status"])
        .env("MCLIVE_WORLD", &url)
        .env("MCLIVE_WORLD_USER", "a")
        .env("MCLIVE_WORLD_PASSWORD_FILE", "missing")
        .output()
        .unwrap();
    assert_eq!(from_environment.status.code(), Some(2), "{from_environment:?}");
    assert!(stderr(&from_environment).contains("missing: no such file or directory"), "{from_environment:?}");
    assert!(case.command(&["world", "status"]).env("MCLIVE_WORLD", &url).output().unwrap().status.success());
}
