//! A password appears only where the program writes it.

use crate::case::Case;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const PROGRAM: &str = "password \"p\" { saved => true, length => 32, }
file \"@OUT@/secret\" { state => \"exists\", mode => \"u=rw\", }
Password[\"p\"].password -> File[\"@OUT@/secret\"].content
";

fn files(dir: &Path, into: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() { files(&path, into) } else { into.push(path) }
    }
}

#[test]
fn a_password_is_in_no_log_plan_trace_or_open_file() {
    let case = Case::new("secrets", PROGRAM);
    let flags = ["run", "--once", "--prefix", "state", "--record", "trace", "--log", "log", "main.mcl"];
    let output = case.run(&flags);
    assert!(output.status.success(), "{output:?}");
    let password = case.read("out/secret").unwrap();
    assert_eq!(password.len(), 32);
    let holds = |bytes: &[u8]| bytes.windows(password.len()).any(|part| part == password.as_bytes());
    assert!(!holds(&output.stdout) && !holds(&output.stderr), "{output:?}");
    std::fs::remove_file(case.path("out/secret")).unwrap();
    for args in
        [&["plan", "--prefix", "state", "main.mcl"][..], &["graph", "main.mcl"], &["why", "--log", "log", "file"]]
    {
        let output = case.run(args);
        assert!(!holds(&output.stdout) && !holds(&output.stderr), "{args:?}: {output:?}");
    }
    let replayed = case.run(&["replay", "trace"]);
    assert!(replayed.status.success(), "{replayed:?}");
    let mut all = Vec::new();
    files(&case.root, &mut all);
    let with: Vec<PathBuf> = all.into_iter().filter(|file| holds(&std::fs::read(file).unwrap())).collect();
    let [token] = &with[..] else { panic!("{with:?}") };
    assert!(token.ends_with("password") && token.starts_with(case.path("state")), "{token:?}");
    let mode = std::fs::metadata(token).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn a_new_token_is_drawn_when_the_old_one_is_removed() {
    let case = Case::new("secrets-drift", PROGRAM);
    let mut agent = case.start();
    let secret = || case.read("out/secret").filter(|text| text.len() == 32);
    crate::case::until("a password is there", || secret().is_some());
    let first = secret();
    let mut all = Vec::new();
    files(&case.path("state"), &mut all);
    let token = all.into_iter().find(|file| file.ends_with("password")).unwrap();
    std::fs::remove_file(&token).unwrap();
    crate::case::until("another password", || secret().is_some_and(|now| Some(now) != first));
    assert!(agent.stop().success());
    let last = secret();
    assert!(case.once().status.success());
    assert_eq!(secret(), last, "a second run sends it again");
}

/// The value store keeps it in clear, as the program asks; nothing that tells of the run does.
#[test]
fn a_password_that_the_program_reads_again_is_in_no_log_and_no_trace() {
    let program = "import \"value\"
$p = value.get_str(\"v\")
password \"p\" { length => 32, }
value \"v\" { any => \"none\", }
Password[\"p\"].password -> Value[\"v\"].any
file \"@OUT@/secret\" { state => \"exists\", mode => \"u=rw\", content => $p->value, }
";
    let case = Case::new("secrets-again", program);
    let flags = ["run", "--once", "--prefix", "state", "--record", "trace", "--log", "log", "main.mcl"];
    let output = case.run(&flags);
    assert!(output.status.success(), "{output:?}");
    let password = case.read("out/secret").unwrap();
    assert_eq!(password.len(), 32, "{output:?}");
    let holds = |bytes: &[u8]| bytes.windows(password.len()).any(|part| part == password.as_bytes());
    assert!(!holds(&output.stdout) && !holds(&output.stderr), "{output:?}");
    for file in ["log", "trace", "state/audit.log"] {
        assert!(!holds(&std::fs::read(case.path(file)).unwrap()), "{file}");
    }
    let replayed = case.run(&["replay", "trace"]);
    assert!(replayed.status.success(), "{replayed:?}");
}

#[test]
fn tokens_in_urls_are_in_no_log() {
    let program = "http:client \"@OUT@/got\" {
\turl => \"http://127.0.0.1:1/p?page=2&access_token=QSECRET\",
\tMeta:poll => 60,
}
";
    let case = Case::new("secrets-url", program);
    let output = case.run(&["run", "--once", "--prefix", "state", "--log", "log", "main.mcl"]);
    assert!(!output.status.success(), "{output:?}");
    let told = [output.stdout, output.stderr, std::fs::read(case.path("log")).unwrap()].concat();
    let told = String::from_utf8_lossy(&told);
    assert!(!told.contains("QSECRET") && told.contains("page=2&access_token="), "{told}");
}
