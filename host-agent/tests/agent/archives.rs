//! `gzip`, `tar` and `json:edit`, checked with the usual tools for these formats.

use crate::case::Case;
use std::process::Command;
use std::time::{Duration, Instant};

fn says(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs the program twice: the second run makes no step.
#[track_caller]
fn applies(case: &Case) {
    let output = case.once();
    assert!(output.status.success(), "{output:?}");
    let steps = case.lines("state/audit.log");
    let output = case.once();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(case.lines("state/audit.log"), steps, "a second run makes no step");
}

#[test]
fn what_is_compressed_is_read_by_gzip() {
    let levels = [-2, -1, 0, 1, 9];
    let program: String = levels
        .iter()
        .map(|level| format!("gzip \"@OUT@/{level}.gz\" {{ input => \"@OUT@/in\", level => {level}, }}\n"))
        .collect();
    let case = Case::new("gzip", &program);
    let text: String = (0..100_000).map(|n| format!("{n} ")).collect();
    case.write("out/in", &text);
    applies(&case);
    for level in levels {
        let path = case.path(&format!("out/{level}.gz"));
        assert_eq!(says("gzip", &["-dc", path.to_str().unwrap()]), text, "{level}");
    }
    let size = |level: i32| std::fs::metadata(case.path(&format!("out/{level}.gz"))).unwrap().len();
    let sizes = levels.map(size);
    assert!(levels.iter().all(|&level| level == 0 || size(level) < size(0)), "{sizes:?}");
    let mut agent = case.start();
    let one = || std::fs::read(case.path("out/1.gz")).unwrap_or_default();
    let good = one();
    for spoil in [
        &(|| case.write("out/1.gz", "x")) as &dyn Fn(),
        &|| std::fs::remove_file(case.path("out/1.gz")).unwrap(),
        &|| std::fs::rename(case.path("out/1.gz"), case.path("out/away")).unwrap(),
    ] {
        spoil();
        crate::case::until("it is made again", || one() == good);
    }
    case.write("out/in", "new");
    let path = case.path("out/9.gz");
    crate::case::until("it follows its input", || {
        let output = Command::new("gzip").args(["-dc"]).arg(&path).output().unwrap();
        output.stdout == b"new"
    });
    assert!(agent.stop().success());
}

#[test]
fn what_is_packed_is_read_by_tar() {
    let case = Case::new("tar", "");
    let long = format!("{}/{}", "d".repeat(120), "f".repeat(150));
    let program: String = [0, 4, 8]
        .iter()
        .map(|format| {
            format!("tar \"@OUT@/{format}.tar\" {{ inputs => [\"@OUT@/in\", \"@OUT@/bare/\"], format => {format}, }}\n")
        })
        .collect();
    case.program(&program);
    std::fs::create_dir_all(case.path(&format!("out/in/{}", "d".repeat(120)))).unwrap();
    std::fs::create_dir_all(case.path("out/bare")).unwrap();
    case.write(&format!("out/in/{long}"), "deep");
    case.write("out/in/a", &"x".repeat(1000));
    case.write("out/bare/b", "");
    applies(&case);
    for format in [0, 4, 8] {
        let path = case.path(&format!("out/{format}.tar"));
        let path = path.to_str().unwrap();
        let dir = format!("in/{}/", "d".repeat(120));
        assert_eq!(says("tar", &["-tf", path]), format!("in/\nin/a\n{dir}\nin/{long}\nb\n"), "{format}");
        assert_eq!(says("tar", &["-xOf", path, &format!("in/{long}")]), "deep");
        let python = "import sys, tarfile; print(len(tarfile.open(sys.argv[1]).getmembers()))";
        assert_eq!(says("python3", &["-c", python, path]), "5\n");
    }
    // USTAR has no room for it, and the old file stays.
    case.program("tar \"@OUT@/2.tar\" { inputs => [\"@OUT@/in\"], format => 2, }\n");
    case.write("out/2.tar", "old");
    let output = case.once();
    assert!(String::from_utf8_lossy(&output.stdout).contains("too large for the USTAR format"), "{output:?}");
    assert_eq!(case.read("out/2.tar").as_deref(), Some("old"));
    let socket = std::os::unix::net::UnixListener::bind(case.path("out/bare/socket")).unwrap();
    case.program(&program);
    let output = case.once();
    assert!(String::from_utf8_lossy(&output.stdout).contains("cannot add non-regular file"), "{output:?}");
    drop(socket);
}

/// Symbolic links stay links, even dangling ones and those out of the tree; each name of a file is a separate file.
#[test]
fn a_tree_with_links_is_packed() {
    let case = Case::new("tar-links", "");
    let program = [0, 2, 4, 8].map(|format| {
        format!("tar \"@OUT@/{format}.tar\" {{ inputs => [\"@OUT@/in/\", \"@OUT@/top\"], format => {format}, }}\n")
    });
    std::fs::create_dir_all(case.path("out/in/sub")).unwrap();
    case.write("out/in/a", "one");
    std::fs::hard_link(case.path("out/in/a"), case.path("out/in/sub/b")).unwrap();
    let links = [("in/far", "/etc/passwd"), ("in/gone", "nothing"), ("in/dir", "sub"), ("top", "in")];
    for (name, target) in links {
        std::os::unix::fs::symlink(target, case.path(&format!("out/{name}"))).unwrap();
    }
    case.program(&program.concat());
    applies(&case);
    let is_right = |format: i32| {
        let (path, to) = (case.path(&format!("out/{format}.tar")), case.path(&format!("to-{format}")));
        let _ = std::fs::remove_dir_all(&to);
        std::fs::create_dir(&to).unwrap();
        says("tar", &["-xf", path.to_str().unwrap(), "-C", to.to_str().unwrap()]);
        for (name, target) in links {
            let name = name.trim_start_matches("in/");
            assert_eq!(std::fs::read_link(to.join(name)).unwrap(), std::path::Path::new(target), "{format}: {name}");
        }
        for name in ["a", "sub/b"] {
            assert_eq!(std::fs::read_to_string(to.join(name)).unwrap(), "one", "{format}: {name}");
        }
    };
    [0, 2, 4, 8].into_iter().for_each(is_right);
    // A target that fits in no header, and a link in place of a file with the same text.
    let long = "t".repeat(300);
    std::fs::remove_file(case.path("out/in/gone")).unwrap();
    std::os::unix::fs::symlink(&long, case.path("out/in/gone")).unwrap();
    case.program(&[&program[0][..], &program[2], &program[3]].concat());
    applies(&case);
    for format in [0, 4, 8] {
        let listed = says("tar", &["-tvf", case.path(&format!("out/{format}.tar")).to_str().unwrap()]);
        assert!(listed.contains(&format!("gone -> {long}\n")), "{format}: {listed}");
    }
    case.program(&program[1]);
    let output = case.once();
    assert!(String::from_utf8_lossy(&output.stdout).contains("too large for the USTAR format"), "{output:?}");
}

#[test]
fn an_archive_follows_the_modes_of_its_inputs() {
    let case = Case::new("tar-modes", "tar \"@OUT@/m.tar\" { inputs => [\"@OUT@/in\"], }\n");
    std::fs::create_dir(case.path("out/in")).unwrap();
    case.write("out/in/a", "one");
    applies(&case);
    for (name, mode, listed) in [("in/a", 0o600, "-rw------- "), ("in", 0o700, "drwx------ ")] {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(case.path(&format!("out/{name}")), permissions).unwrap();
        applies(&case);
        let members = says("tar", &["-tvf", case.path("out/m.tar").to_str().unwrap()]);
        assert!(members.lines().any(|line| line.starts_with(listed)), "{name}: {members}");
    }
    // It has the same content and mode, and another time.
    let before = std::fs::read(case.path("out/m.tar")).unwrap();
    std::fs::File::options()
        .write(true)
        .open(case.path("out/in/a"))
        .unwrap()
        .set_modified(std::time::UNIX_EPOCH)
        .unwrap();
    applies(&case);
    assert_eq!(std::fs::read(case.path("out/m.tar")).unwrap(), before);
}

#[test]
fn an_archive_that_would_contain_itself_behind_a_link_is_not_made() {
    let program = |to: &str| format!("tar \"@OUT@/{to}\" {{ inputs => [\"@OUT@/in/\"], }}\n");
    let case = Case::new("tar-itself", &program("link/all.tar"));
    std::fs::create_dir_all(case.path("out/in/deep")).unwrap();
    case.write("out/in/a", "x");
    std::os::unix::fs::symlink("in/deep", case.path("out/link")).unwrap();
    std::os::unix::fs::symlink("in/all.tar", case.path("out/all.tar")).unwrap();
    for to in ["link/all.tar", "all.tar"] {
        case.program(&program(to));
        let output = case.once();
        assert!(!output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("would contain itself"), "{output:?}");
    }
    assert!(!case.path("out/in/deep/all.tar").exists() && !case.path("out/in/all.tar").exists());
}

#[test]
fn users_who_cannot_read_an_input_cannot_read_a_new_archive() {
    use std::os::unix::fs::PermissionsExt;
    let program = "gzip \"@OUT@/secret.gz\" { input => \"@OUT@/secret\", }\n\
        gzip \"@OUT@/open.gz\" { input => \"@OUT@/open\", }\n\
        tar \"@OUT@/all.tar\" { inputs => [\"@OUT@/open\", \"@OUT@/closed/\"], }\n";
    let case = Case::new("archives-closed", program);
    std::fs::create_dir(case.path("out/closed")).unwrap();
    for name in ["out/secret", "out/open", "out/closed/a"] {
        case.write(name, "x");
    }
    for (name, mode) in [("out/secret", 0o600), ("out/closed", 0o700)] {
        std::fs::set_permissions(case.path(name), PermissionsExt::from_mode(mode)).unwrap();
    }
    applies(&case);
    let read = |name: &str| std::fs::metadata(case.path(name)).unwrap().permissions().mode() & 0o044;
    assert_eq!((read("out/secret.gz"), read("out/all.tar")), (0, 0));
    assert_eq!(read("out/open.gz"), read("out/open"));
}

#[test]
fn many_members_and_a_policy() {
    let case = Case::new("tar-many", "tar \"@OUT@/m.tar\" { inputs => [\"@OUT@/in\"], }\n");
    std::fs::create_dir(case.path("out/in")).unwrap();
    for n in 0..10_000 {
        case.write(&format!("out/in/{n}"), "x");
    }
    applies(&case);
    assert_eq!(says("tar", &["-tf", case.path("out/m.tar").to_str().unwrap()]).lines().count(), 10_001);
    std::fs::remove_file(case.path("out/m.tar")).unwrap();
    let root = case.path("out").canonicalize().unwrap();
    case.write("policy.toml", &format!("paths = ['{0}/m.tar']\nreads = ['{0}/m.tar']\n", root.display()));
    let output = case.run(&["run", "--once", "--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("the policy does not allow reading"), "{output:?}");
    assert!(!case.path("out/m.tar").exists());
    // Nothing is disclosed about unreadable links either.
    std::fs::create_dir(case.path("out/links")).unwrap();
    std::os::unix::fs::symlink("/secret", case.path("out/links/l")).unwrap();
    case.program("tar \"@OUT@/m.tar\" { inputs => [\"@OUT@/links\"], }\n");
    let run = |reads: &str| {
        let reads = format!("paths = ['{0}/m.tar']\nreads = ['{0}/links'{reads}]\n", root.display());
        case.write("policy.toml", &reads);
        case.run(&["run", "--once", "--prefix", "state", "--policy", "policy.toml", "main.mcl"])
    };
    let output = run("");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("the policy does not allow reading") && said.contains("/links/l`"), "{output:?}");
    let output = run(&format!(", '{}/links/*'", root.display()));
    assert!(output.status.success() && case.path("out/m.tar").exists(), "{output:?}");
}

#[test]
fn edits_of_json_are_repaired_and_keep_the_rest() {
    let case = Case::new("json", "json:edit \"@OUT@/a.json\" { edits => [\".a.b = 1\", \"del(.old)\"], }\n");
    case.write("out/a.json", "{\n    \"old\": 1,\n    \"keep\": 1e400\n}\n");
    std::fs::set_permissions(case.path("out/a.json"), std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    applies(&case);
    let expect = "{\n    \"keep\": 1e400,\n    \"a\": {\"b\": 1}\n}\n";
    assert_eq!(case.read("out/a.json").as_deref(), Some(expect));
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(case.path("out/a.json")).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o640);
    let mut agent = case.start();
    case.write("out/a.json", &expect.replace(": 1}", ": 2}"));
    case.holds("out/a.json", expect);
    says("sed", &["-i", "s/\"b\": 1/\"c\": 3/", case.path("out/a.json").to_str().unwrap()]);
    case.holds("out/a.json", &expect.replace("\"b\": 1", "\"c\": 3,\"b\": 1"));
    assert!(agent.stop().success());
}

#[test]
fn the_program_itself_is_archived_as_tar_reads_it() {
    let case = Case::new("deploy-tar", "deploy:tar \"@OUT@/p.tar\" { }\n");
    applies(&case);
    let path = case.path("out/p.tar");
    let list = || says("tar", &["-tPf", path.to_str().unwrap()]);
    assert!(list().contains("/main.mcl\n"), "{}", list());
    assert!(says("tar", &["-xPOf", path.to_str().unwrap(), "/main.mcl"]).contains("deploy:tar"));
    let python = "import sys, tarfile; print([m.mode for m in tarfile.open(sys.argv[1]) if m.name == '/main.mcl'])";
    assert_eq!(says("python3", &["-c", python, path.to_str().unwrap()]), "[420]\n");
    // If the directory is removed it fails, and it recovers when the directory is back.
    let mut agent = case.start();
    std::fs::rename(case.path("out"), case.path("away")).unwrap();
    agent.says("p.tar");
    std::fs::rename(case.path("away"), case.path("out")).unwrap();
    std::fs::remove_file(&path).unwrap();
    crate::case::until("it is made again", || path.exists());
    assert!(agent.stop().success());
    // In another program the resource has not changed, but its archive is a new one.
    case.program("# a comment\ndeploy:tar \"@OUT@/p.tar\" { }\n");
    applies(&case);
    assert!(says("tar", &["-xPOf", path.to_str().unwrap(), "/main.mcl"]).contains("a comment"));
}

#[test]
fn an_archive_is_never_its_own_input() {
    let program = "gzip \"@OUT@/itself\" { input => \"@OUT@/itself\", }
gzip \"@OUT@/alias\" { input => \"@OUT@/original\", }
";
    let case = Case::new("gzip-itself", program);
    case.write("out/itself", "precious");
    case.write("out/original", "precious too");
    std::os::unix::fs::symlink("original", case.path("out/alias")).unwrap();
    let output = case.once();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    case.holds("out/itself", "precious");
    case.holds("out/original", "precious too");
}

#[test]
fn the_archive_of_a_program_does_not_contain_itself() {
    let case = Case::new("deploy-itself", "");
    std::fs::create_dir_all(case.path("prog/files")).unwrap();
    case.write("prog/main.mcl", &format!("deploy:tar {:?} {{}}\n", case.path("prog/files/out.tar")));
    case.write("prog/metadata.yaml", "main: \"main.mcl\"\nfiles: \"files/\"\n");
    case.write("prog/files/a", "a");
    let once = || case.run(&["run", "--once", "--prefix", "state", "prog"]);
    let output = once();
    assert!(output.status.success(), "{output:?}");
    let first = std::fs::read(case.path("prog/files/out.tar")).unwrap();
    let output = once();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(std::fs::read(case.path("prog/files/out.tar")).unwrap(), first);
    case.write("prog/files/a", "another");
    assert!(once().status.success());
    let listed = says("tar", &["-tf", case.path("prog/files/out.tar").to_str().unwrap()]);
    assert!(listed.contains("files/a") && !listed.contains("out.tar"), "{listed}");
}

/// It can be made again: neither hashing its inputs nor writing it keeps the agent from ending.
#[test]
fn the_end_of_the_agent_does_not_wait_for_an_archive() {
    let programs = [
        ("tar", "tar \"@OUT@/made\" { inputs => [\"@OUT@/large\"], }\n"),
        ("gzip", "gzip \"@OUT@/made\" { input => \"@OUT@/large\", }\n"),
    ];
    for (name, program) in programs {
        let case = Case::new(&format!("archive-stop-{name}"), program);
        case.write("out/large", "");
        // A TiB of zeros, which take no room, and hours to read.
        let large = std::fs::File::options().write(true).open(case.path("out/large")).unwrap();
        large.set_len(1 << 40).unwrap();
        let ends_soon = |_: u32| {
            let mut agent = case.start();
            agent.says("checking");
            let told = Instant::now();
            agent.signal(rustix::process::Signal::TERM);
            assert!(agent.ends().success(), "{name}: {}", agent.said());
            // Then everything is stopped, whatever it is.
            told.elapsed() < Duration::from_secs(15)
        };
        // On a busy machine even what does not wait may take that long.
        assert!((0..5).any(ends_soon), "{name}: it waits for the archive");
    }
}
