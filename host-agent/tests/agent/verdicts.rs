//! A plan predicts a run: programs whose outcome depends on the state, or on the policy.

use crate::case::{Case, cannot_look};
use crate::foresight::ends;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const ALL: &str = "paths = ['@OUT@/**']\nreads = ['@OUT@/**']\n";

struct Told {
    program: &'static str,
    policy: Option<&'static str>,
    /// The outcome of the last resource in the program.
    end: &'static str,
}

const fn told(end: &'static str, program: &'static str) -> Told {
    Told { program, policy: None, end }
}

const fn under(policy: &'static str, end: &'static str, program: &'static str) -> Told {
    Told { program, policy: Some(policy), end }
}

const TABLE: &[Told] = &[
    told("changes", "gzip \"@OUT@/a.gz\" { input => \"@OUT@/in\", }"),
    told("fails", "gzip \"@OUT@/missing/a.gz\" { input => \"@OUT@/in\", }"),
    told("fails", "gzip \"@OUT@/a.gz\" { input => \"@OUT@/nothing\", }"),
    told("changes", "tar \"@OUT@/a.tar\" { inputs => [\"@OUT@/in\", \"@OUT@/dir/\"], }"),
    told("fails", "tar \"@OUT@/missing/a.tar\" { inputs => [\"@OUT@/in\"], }"),
    told("fails", "tar \"@OUT@/a.tar\" { inputs => [\"@OUT@/nothing\"], }"),
    told(
        "changes",
        "file \"@OUT@/made\" { state => \"exists\", content => \"x\", }\ntar \"@OUT@/a.tar\" { inputs => [\"@OUT@/made\"], Depend => File[\"@OUT@/made\"], }",
    ),
    told(
        "changes",
        "file \"@OUT@/new/\" { state => \"exists\", }\nfile \"@OUT@/new/a\" { state => \"exists\", content => \"x\", }\ntar \"@OUT@/a.tar\" { inputs => [\"@OUT@/new\"], Depend => File[\"@OUT@/new/a\"], }",
    ),
    told(
        "changes",
        "file \"@OUT@/new/\" { state => \"exists\", }\ngzip \"@OUT@/new/a.gz\" { input => \"@OUT@/in\", Depend => File[\"@OUT@/new/\"], }",
    ),
    told("changes", "exec \"a\" { cmd => \"true\", shell => \"/bin/sh\", cwd => \"@OUT@\", }"),
    told("fails", "exec \"a\" { cmd => \"/no/such/command\", }"),
    told("fails", "exec \"a\" { cmd => \"no-such-command-anywhere\", }"),
    told("fails", "exec \"a\" { cmd => \"@OUT@/in\", }"),
    told("fails", "exec \"a\" { cmd => \"@OUT@/script\", }"),
    told("fails", "exec \"a\" { cmd => \"@OUT@/windows\", }"),
    told("fails", "exec \"a\" { cmd => \"@OUT@/plain\", }"),
    told("fails", "exec \"a\" { cmd => \"@OUT@/dir\", }"),
    told("changes", "exec \"a\" { cmd => \"./true\", cwd => \"/bin\", }"),
    told("fails", "exec \"a\" { cmd => \"./nothing\", cwd => \"@OUT@\", }"),
    told("fails", "exec \"a\" { cmd => \"./in\", cwd => \"@OUT@\", }"),
    told("fails", "exec \"a\" { cmd => \"true\", shell => \"/bin/sh\", cwd => \"no/such/folder\", }"),
    told(
        "fails",
        "file \"@OUT@/new\" { state => \"exists\", content => \"#!/bin/sh\\n\", mode => \"0644\", }\nexec \"a\" { cmd => \"@OUT@/new\", Depend => File[\"@OUT@/new\"], }",
    ),
    told(
        "fails",
        "file \"@OUT@/new\" { state => \"exists\", content => \"#!/no/such/interpreter\\n\", mode => \"0755\", }\nexec \"a\" { cmd => \"@OUT@/new\", Depend => File[\"@OUT@/new\"], }",
    ),
    told(
        "fails",
        "file \"@OUT@/dir/\" { state => \"absent\", recurse => true, force => true, }\nexec \"a\" { cmd => \"true\", shell => \"/bin/sh\", cwd => \"@OUT@/dir\", Depend => File[\"@OUT@/dir/\"], }",
    ),
    told(
        "changes",
        "file \"@OUT@/script\" { state => \"exists\", content => \"#!/bin/sh\\n\", }\nexec \"a\" { cmd => \"@OUT@/script\", Depend => File[\"@OUT@/script\"], }",
    ),
    told("fails", "exec \"a\" { cmd => \"true\", shell => \"/no/such/shell\", }"),
    told("fails", "exec \"a\" { cmd => \"true\", shell => \"/bin/sh\", cwd => \"@OUT@/missing\", }"),
    told("fails", "exec \"a\" { cmd => \"true\", shell => \"/bin/sh\", cwd => \"@OUT@/in\", }"),
    told("fails", "exec \"a\" { cmd => \"true\", shell => \"/bin/sh\", user => \"no-such-user\", }"),
    told("fails", "exec \"a\" { cmd => \"true\", shell => \"/bin/sh\", group => \"no-such-group\", }"),
    told(
        "changes",
        "file \"@OUT@/new/\" { state => \"exists\", }\nexec \"a\" { cmd => \"true\", shell => \"/bin/sh\", cwd => \"@OUT@/new\", Depend => File[\"@OUT@/new/\"], }",
    ),
    told("fails", "file \"/proc/mclive-new\" { state => \"exists\", content => \"x\", }"),
    told("fails", "file \"/sys/mclive-new/\" { state => \"exists\", }"),
    under(ALL, "changes", "file \"@OUT@/in\" { state => \"exists\", mode => \"0600\", }"),
    under(ALL, "fails", "file \"@OUT@/twice\" { state => \"exists\", mode => \"0600\", }"),
    under(
        "paths = ['@OUT@/tree', '@OUT@/tree/*']\n",
        "fails",
        "file \"@OUT@/tree/\" { state => \"absent\", recurse => true, force => true, }",
    ),
    under(
        "paths = ['@OUT@/tree', '@OUT@/tree/**']\n",
        "changes",
        "file \"@OUT@/tree/\" { state => \"absent\", recurse => true, force => true, }",
    ),
    under("commands = ['/usr/bin/none']\n", "fails", "exec \"a\" { cmd => \"true\", shell => \"/bin/sh\", }"),
    under(
        "commands = ['/usr/bin/none']\n",
        "fails",
        "exec \"a\" { cmd => \"true\", shell => \"/bin/sh\", ifcmd => \"true\", ifshell => \"/bin/sh\", }",
    ),
];

/// A file, a file with two names, three scripts whose interpreters do not exist or are no programs, a tree and a directory.
fn furnished(n: usize) -> Case {
    let case = Case::new(&format!("verdicts-{n}"), "");
    case.write("out/in", "input\n");
    case.write("out/twice", "x");
    let scripts = [
        ("out/script", "#! /no/such/interpreter -x\n"),
        ("out/windows", "#!/bin/sh\r\nexit 0\r\n"),
        ("out/plain", "#!/etc/passwd\n"),
    ];
    for (name, script) in scripts {
        case.write(name, script);
        std::fs::set_permissions(case.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::fs::hard_link(case.path("out/twice"), case.path("other-name")).unwrap();
    std::fs::create_dir_all(case.path("out/tree/a/b")).unwrap();
    std::fs::create_dir(case.path("out/dir")).unwrap();
    case.write("out/tree/a/b/c", "x");
    case.write("out/dir/a", "x");
    case
}

/// The outcome of the last resource in a program, in a plan and in a run.
fn verdicts(case: &Case, program: &str, policy: Option<&str>) -> [(String, String); 2] {
    let out = case.path("out");
    let out = out.to_str().unwrap();
    case.program(&format!("{program}\n"));
    let mut flags = Vec::new();
    if let Some(policy) = policy {
        case.write("policy.toml", &policy.replace("@OUT@", out));
        flags.extend(["--policy", "policy.toml"]);
    }
    let last = program.lines().last().expect("a resource").replace("@OUT@", out);
    let (kind, rest) = last.split_once(" \"").expect("a kind and a name");
    let id = format!("{kind}[{}]", rest.split_once('"').expect("a name").0);
    let end = |words: &[&str]| {
        let output = case.run(&[words, &flags, &["--json", "--prefix", words[0], "main.mcl"]].concat());
        ends(&output).remove(&id).unwrap_or_else(|| panic!("no report for {id}: {output:?}"))
    };
    [end(&["plan"]), end(&["run", "--once"])]
}

#[test]
fn a_plan_and_a_run_come_to_the_same_verdict() {
    let mut wrong = Vec::new();
    for (n, Told { program, policy, end }) in TABLE.iter().enumerate() {
        let case = furnished(n);
        let [plan, run] = verdicts(&case, program, *policy);
        if plan.0 != *end || run.0 != *end {
            wrong.push(format!("{program}\nexpected {end:?}, planned {plan:?}, was {run:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), TABLE.len(), wrong.join("\n"));
}

#[test]
fn a_plan_knows_what_is_immutable() {
    let case = furnished(TABLE.len());
    let file = case.path("out/in");
    let chattr = |flag: &str| Command::new("chattr").arg(flag).arg(&file).status().is_ok_and(|status| status.success());
    for (set, unset) in [("+i", "-i"), ("+a", "-a")] {
        if !chattr(set) {
            return cannot_look("cannot make files immutable here");
        }
        let changes = ["content => \"new\",", "mode => \"0600\","];
        let found = changes.map(|change| {
            verdicts(&case, &format!("file \"@OUT@/in\" {{ state => \"exists\", {change} }}"), None).map(|(end, _)| end)
        });
        assert!(chattr(unset));
        assert_eq!(found, [["fails", "fails"], ["fails", "fails"]], "{set}");
    }
}

/// In its own mounts, which the machine does not see.
#[test]
fn a_plan_knows_where_something_is_mounted() {
    let case = furnished(TABLE.len() + 1);
    let mounts = "mount --bind out/tree/a/b/c out/in && mount --bind out/tree out/dir";
    let within = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-U", "-r", "-m", "/bin/sh", "-c", script]).current_dir(&case.root);
        command.output().unwrap()
    };
    if !within(mounts).status.success() {
        return cannot_look("cannot mount in a user namespace here");
    }
    case.program(
        "file \"@OUT@/in\" { state => \"exists\", content => \"new\", }\n\
         file \"@OUT@/dir/\" { state => \"absent\", recurse => true, force => true, }\n",
    );
    let mclive = env!("CARGO_BIN_EXE_mclive");
    for words in ["plan", "run --once"] {
        let output = within(&format!("{mounts} && exec {mclive} {words} --json --prefix state main.mcl"));
        let said: Vec<String> = ends(&output).into_values().map(|(end, said)| format!("{end}: {said}")).collect();
        assert_eq!(said.len(), 2, "{words}: {said:?}");
        assert!(said.iter().all(|said| said.starts_with("fails: ") && said.contains("busy")), "{words}: {said:?}");
    }
}

#[test]
fn a_plan_says_so_if_it_shows_one_order_of_several() {
    let apart = "state => \"exists\", Meta:autoedge => false,";
    let program = |rest: &str| format!("file \"@OUT@/d/\" {{ {apart} }}\nfile \"@OUT@/d/x\" {{ {apart} {rest} }}\n");
    let case = Case::new("unordered", &program(""));
    let plan = || String::from_utf8(case.run(&["plan", "--prefix", "state", "main.mcl"]).stdout).unwrap();
    let path = case.path("out/d").display().to_string();
    let said = format!("both use `{path}`, and no edge sets their order: a run may differ from this plan");
    assert_eq!(plan().matches(&said).count(), 1, "{}", plan());
    case.program(&program("Depend => File[\"@OUT@/d/\"],"));
    assert!(!plan().contains("no edge sets"), "{}", plan());
}
