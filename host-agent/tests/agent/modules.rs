//! Programs of several files: modules fetched by git, imports from above, formatting of a folder.

use crate::case::{Agent, Case, processes, stderr, until};
use std::path::Path;
use std::process::{Command, Stdio};

/// A git repository with these files.
pub(crate) fn repository(dir: &Path, files: &[(&str, &str)]) {
    std::fs::create_dir_all(dir).unwrap();
    git(dir, &["init", "--quiet"]);
    commit(dir, files);
}

fn commit(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(dir.join(name), text).unwrap();
    }
    git(dir, &["add", "."]);
    git(dir, &["-c", "user.name=Case", "-c", "user.email=case@example.com", "commit", "--quiet", "-m", "State"]);
}

fn git(dir: &Path, args: &[&str]) {
    let output = Command::new("git").args(args).current_dir(dir).output().expect("git is there");
    assert!(output.status.success(), "git {args:?}: {}", stderr(&output));
}

#[test]
fn a_main_file_that_the_metadata_names_is_read_without_an_import_that_leads_there() {
    let case = Case::new("metadata", "");
    std::fs::create_dir_all(case.path("project/code")).unwrap();
    case.write("project/metadata.yaml", "main: code/site.mcl\n");
    case.write("project/code/site.mcl", "noop \"a\" {}\n");
    for input in ["project", "project/metadata.yaml"] {
        let output = case.run(&["graph", "--of", "resources", "--any-host", input]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "Vertex: noop[a]\n", "{input}: {}", stderr(&output));
    }
}

#[test]
fn names_of_local_modules_may_have_escapes_a_query_and_a_fragment() {
    let case = Case::new("escapes", "");
    std::fs::create_dir_all(case.path("lib")).unwrap();
    for file in ["lib/main.mcl", "near.mcl"] {
        case.write(file, "$word = \"w\"\n");
    }
    for name in ["lib/?x=1", "lib/#y", "lib%2f", "near%2emcl", "near.mcl?x=1"] {
        case.program(&format!("import \"{name}\" as near\nprint \"p\" {{\n\tmsg => $near.word,\n}}\n"));
        let output = case.run(&["check", "main.mcl"]);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
    }
}

#[test]
fn the_data_of_each_module_belongs_to_the_program() {
    let imports = ["lib/", "near/file.mcl", "https://example.com/far"].map(|name| format!("import \"{name}\"\n"));
    let text = "deploy.readfile(\"/data/sub/a\") + $lib.text + $file.text + $far.text";
    let program = format!("import \"deploy\"\n{}print \"p\" {{\n\tmsg => {text},\n}}\n", imports.concat());
    let case = Case::new("data", &program);
    let far = "modules/example.com/far";
    for dir in ["data/sub", "lib/more", "near/files", &format!("{far}/files")] {
        std::fs::create_dir_all(case.path(dir)).unwrap();
    }
    let reads = |path: &str| format!("import \"deploy\"\n$text = deploy.readfile(\"{path}\")\n");
    case.write("metadata.yaml", "files: data/\n");
    case.write("data/sub/a", "a");
    case.write("lib/metadata.yaml", "files: more/\n");
    case.write("lib/main.mcl", &reads("/more/b"));
    case.write("lib/more/b", "b");
    case.write("near/file.mcl", &reads("/files/c"));
    case.write("near/files/c", "c");
    case.write(&format!("{far}/metadata.yaml"), "");
    case.write(&format!("{far}/main.mcl"), &reads("/files/d"));
    case.write(&format!("{far}/files/d"), "d");
    let output = case.run(&["graph", "--of", "resources", "--any-host", "."]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("Field: print[p].Msg = \"abcd\"\n"), "{told}{}", stderr(&output));
}

#[test]
fn modules_with_a_url_are_fetched_when_asked_to_and_updated_when_asked_to() {
    let case = Case::new("modules", "");
    let (inner, outer) = (case.path("inner"), case.path("outer"));
    repository(&inner, &[("metadata.yaml", ""), ("main.mcl", "$word = \"one\\n\"\n")]);
    let main = format!("import \"file://{}\" as inner\n$text = $inner.word\n", inner.display());
    repository(&outer, &[("metadata.yaml", ""), ("main.mcl", &main)]);
    let import = format!("import \"file://{}?x=1\" as outer\n", outer.display());
    case.program(&format!("{import}file \"@OUT@/a\" {{\n\tstate => \"exists\",\n\tcontent => $outer.text,\n}}\n"));

    let refused = case.run(&["check", "main.mcl"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("--download"), "{}", stderr(&refused));
    assert!(!case.path("modules").exists());

    let near = case.run(&["check", "--download", "--depth", "1", "main.mcl"]);
    assert!(stderr(&near).contains("inner"), "{}", stderr(&near));
    assert_eq!(near.status.code(), Some(1));

    let run = |flags: &[&str]| {
        let args = ["run", "--once", "--prefix", "state"];
        let output = case.run(&[&args, flags, &["main.mcl"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    };
    run(&["--download"]);
    case.holds("out/a", "one\n");
    commit(&inner, &[("main.mcl", "$word = \"two\\n\"\n")]);
    run(&[]);
    case.holds("out/a", "one\n");
    run(&["--update"]);
    case.holds("out/a", "two\n");

    case.program(&format!("import \"file://{}/nothing\" as x\n", case.root.display()));
    let missing = case.run(&["check", "--download", "--module-path", "elsewhere", "main.mcl"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("cannot download"), "{}", stderr(&missing));
    let left = std::fs::read_dir(case.root.join("elsewhere").join(case.root.strip_prefix("/").unwrap())).unwrap();
    assert_eq!(left.count(), 0, "a failed download leaves nothing");
}

/// A bare repository as plain files, as a module can contain it: using it as a repository runs its configuration.
fn trap(dir: &Path, sprung: &Path) {
    for below in ["objects", "refs/heads", "hooks"] {
        std::fs::create_dir_all(dir.join(below)).unwrap();
        std::fs::write(dir.join(below).join("kept"), "").unwrap();
    }
    let command = format!("touch {}", sprung.display());
    let config = format!(
        "[core]\n\tbare = false\n\tworktree = {}\n\tfsmonitor = \"{command}; false\"\n\tsshCommand = {command}\n\
         [remote \"origin\"]\n\turl = ext::sh -c \"{command}\"\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
         [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
        dir.display()
    );
    for (name, text) in
        [("HEAD", "ref: refs/heads/main\n"), ("config", &config), ("metadata.yaml", ""), ("main.mcl", "")]
    {
        std::fs::write(dir.join(name), text).unwrap();
    }
}

#[test]
fn what_mclive_did_not_download_is_not_touched_by_an_update() {
    let case = Case::new("module-trap", "");
    let sprung = case.path("sprung");
    let url = format!("{}/evil", case.root.display());
    trap(&case.path(&format!("modules{url}")), &sprung);
    case.program(&format!("import \"file://{url}\" as evil\n"));
    let output = case.run(&["check", "--update", "main.mcl"]);
    assert!(!sprung.exists(), "the module's configuration was run");
    assert!(stderr(&output).contains("did not download it"), "{}", stderr(&output));
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_module_is_data_whatever_it_carries() {
    let case = Case::new("module-data", "");
    let (sprung, hostile) = (case.path("sprung"), case.path("hostile"));
    repository(&hostile, &[("metadata.yaml", ""), ("main.mcl", "$word = \"$Id$\\n\"\n")]);
    std::fs::create_dir_all(hostile.join("files")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", hostile.join("files/passwd")).unwrap();
    std::os::unix::fs::symlink("/etc", hostile.join("etc")).unwrap();
    trap(&hostile.join("nested"), &sprung);
    let oid = "0123456789012345678901234567890123456789";
    let sub = format!("[submodule \"sub\"]\n\tpath = sub\n\turl = ext::touch {}\n", sprung.display());
    commit(&hostile, &[(".gitattributes", "* filter=evil diff=evil ident\n"), (".gitmodules", &sub)]);
    git(&hostile, &["update-index", "--add", "--cacheinfo", &format!("160000,{oid},sub")]);
    git(&hostile, &["-c", "user.name=Case", "-c", "user.email=case@example.com", "commit", "--quiet", "-m", "Sub"]);
    // What the user's own configuration would do with it.
    let home = case.path("who");
    std::fs::create_dir_all(home.join("hooks")).unwrap();
    let command = format!("touch {}", sprung.display());
    let config = format!(
        "[filter \"evil\"]\n\tsmudge = {command}; cat\n\tprocess = {command}\n[core]\n\tfsmonitor = {command}\n\
         \thooksPath = {}\n\tsshCommand = {command}\n[submodule]\n\trecurse = true\n[credential]\n\thelper = !{command}\n",
        home.join("hooks").display()
    );
    std::fs::write(home.join(".gitconfig"), config).unwrap();
    for hook in ["post-checkout", "reference-transaction", "post-merge"] {
        let path = home.join("hooks").join(hook);
        std::fs::write(&path, format!("#!/bin/sh\n{command}\n")).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let import = format!("import \"file://{}\" as hostile\n", hostile.display());
    case.program(&format!("{import}test \"a\" {{\n\tstringptr => $hostile.word,\n}}\n"));
    let place = case.path(&format!("modules{}", hostile.display()));
    let run = |flag: &str| {
        let mut command = case.command(&["check", flag, "main.mcl"]);
        let output = command.env("HOME", &home).env("GIT_DIR", case.path("nowhere")).output().unwrap();
        assert!(!sprung.exists(), "{flag}: something of the module was run");
        output
    };

    let output = run("--download");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("skipped 3 entries"), "{}", stderr(&output));
    let there = |below: &str| std::fs::symlink_metadata(place.join(below)).is_ok();
    assert!(there("nested/config") && there("nested/HEAD") && there(".gitattributes"), "data comes as it is");
    assert!(!there("files") && !there("etc") && !there("sub") && !there(".git"));
    assert_eq!(std::fs::read_to_string(place.join("main.mcl")).unwrap(), "$word = \"$Id$\\n\"\n");

    // Nothing inside a module is fetched as a repository.
    let nested = place.join("nested");
    case.program(&format!("import \"file://{}\" as nested\n", nested.display()));
    let output = run("--download");
    assert!(stderr(&output).contains("treated as data only"), "{}", stderr(&output));
    case.program(&format!("import \"ext::touch {}\" as nested\n", sprung.display()));
    assert!(!run("--download").status.success());

    // Modified files stay.
    case.program(&import);
    commit(&hostile, &[("main.mcl", "$word = \"new\"\n")]);
    std::fs::write(place.join("main.mcl"), "$word = \"mine\"\n").unwrap();
    let output = run("--update");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("modified after the download"), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(place.join("main.mcl")).unwrap(), "$word = \"mine\"\n");
    std::fs::remove_dir_all(&place).unwrap();
    assert!(run("--download").status.success());
    assert_eq!(std::fs::read_to_string(place.join("main.mcl")).unwrap(), "$word = \"new\"\n");
    let beside = std::fs::read_dir(place.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = beside.filter(|name| name.as_encoded_bytes().starts_with(b".")).collect();
    assert_eq!(left, [""; 0], "nothing is left beside it");
}

#[test]
fn a_download_follows_no_link_of_the_program_s_folder() {
    let case = Case::new("module-link", "");
    let good = case.path("good");
    repository(&good, &[("metadata.yaml", ""), ("main.mcl", "")]);
    std::fs::create_dir(case.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(case.path("elsewhere"), case.path("modules")).unwrap();
    case.program(&format!("import \"file://{}\" as good\n", good.display()));
    let output = case.run(&["check", "--download", "main.mcl"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("is not a directory"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(case.path("elsewhere")).unwrap().count(), 0);
}

#[test]
fn an_import_may_lead_above_the_program() {
    let case = Case::new("above", "");
    std::fs::create_dir_all(case.path("lib/deep")).unwrap();
    std::fs::create_dir_all(case.path("site/files")).unwrap();
    case.write("lib/words.mcl", "import \"deep/more.mcl\"\n$word = $more.word\n");
    case.write("lib/deep/more.mcl", "import \"../../top.mcl\"\n$word = $top.word\n");
    case.write("top.mcl", "$word = \"from above\"\n");
    case.write("site/main.mcl", "import \"../lib/words.mcl\"\ntest \"a\" {\n\tstringptr => $words.word,\n}\n");
    for input in ["site/main.mcl", "site"] {
        let output = case.run(&["check", input]);
        assert!(output.status.success(), "{input}: {}", stderr(&output));
    }
}

#[test]
fn the_main_program_is_the_top_of_the_deploy_whatever_it_imports() {
    let case = Case::new("top", "");
    std::fs::create_dir_all(case.path("pack/files")).unwrap();
    std::fs::create_dir_all(case.path("site/files")).unwrap();
    case.write("site/files/a", "mine\n");
    case.write("pack/files/a", "of the pack\n");
    case.write(
        "pack/main.mcl",
        "import \"deploy\"\n$a = deploy.readfile(\"/files/a\")\n$d = deploy.directory(\"/files/\")\n",
    );
    let out = case.path("out");
    let file = |name: &str, content: &str| {
        format!("file \"{}/{name}\" {{\n\tstate => \"exists\",\n\tcontent => {content},\n}}\n", out.display())
    };
    let imports = "import \"deploy\"\nimport \"../pack/\"\n";
    let files = [
        file("path", "deploy.abspath(\"/files/a\")"),
        file("mine", "deploy.readfile(\"/files/a\") + deploy.readfileabs(\"/files/a\")"),
        file("pack", "$pack.a"),
        file("copy", "$pack.d"),
    ];
    case.write("site/main.mcl", &format!("{imports}{}", files.concat()));
    let output = case.run(&["run", "--once", "--prefix", "state", "site/main.mcl"]);
    assert!(output.status.success(), "{}", stderr(&output));
    case.holds("out/path", "/files/a");
    case.holds("out/mine", "mine\nmine\n");
    case.holds("out/pack", "of the pack\n");
    let copy = case.read("out/copy").expect("the copy's place was written");
    assert_eq!(std::fs::read_to_string(Path::new(&copy).join("a")).unwrap(), "of the pack\n");
}

#[test]
fn a_folder_is_formatted_with_all_below_it() {
    let case = Case::new("fmt", "$a=1\n");
    std::fs::create_dir_all(case.path("sub/.hidden")).unwrap();
    case.write("sub/b.mcl", "$b=2\n");
    case.write("sub/.hidden/c.mcl", "$c=3\n");
    case.write("sub/d\ne.mcl", "$d=4\n");
    let look = case.run(&["fmt", "--check", "."]);
    assert_eq!(look.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&look.stdout), "./main.mcl\n./sub/b.mcl\n./sub/d\\ne.mcl\n");
    assert!(case.run(&["fmt", "."]).status.success());
    assert_eq!(case.read("sub/b.mcl").as_deref(), Some("$b = 2\n"));
    assert_eq!(case.read("sub/.hidden/c.mcl").as_deref(), Some("$c=3\n"));
    assert!(case.run(&["fmt", "--check", "."]).status.success());
    assert_eq!(case.run(&["fmt", "out"]).status.code(), Some(2));
}

/// The output of `git`, with this standard input.
fn written(dir: &Path, args: &[&str], input: &str) -> String {
    use std::io::Write;
    let mut command = Command::new("git");
    command.args(args).current_dir(dir).stdin(Stdio::piped()).stdout(Stdio::piped());
    let who = [("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b"), ("GIT_COMMITTER_NAME", "a")];
    let mut child = command.envs(who).env("GIT_COMMITTER_EMAIL", "a@b").spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository of a dozen objects whose list of files has 10,000,000,000 entries, or as many folders without a file.
fn bomb(dir: &Path, has_files: bool) {
    std::fs::create_dir_all(dir).unwrap();
    git(dir, &["init", "--quiet"]);
    let blob = written(dir, &["hash-object", "-w", "--stdin"], "");
    let ten = |entry: &str| (0..10).map(|nth| format!("{entry}\t{nth}\n")).collect::<String>();
    let leaves = if has_files { ten(&format!("100644 blob {blob}")) } else { String::new() };
    let mut tree = written(dir, &["mktree"], &leaves);
    for _ in 0..9 {
        tree = written(dir, &["mktree"], &ten(&format!("040000 tree {tree}")));
    }
    let files = format!("040000 tree {tree}\ta\n100644 blob {blob}\tmetadata.yaml\n100644 blob {blob}\tmain.mcl\n");
    let tree = written(dir, &["mktree"], &files);
    let commit = written(dir, &["commit-tree", "-m", "Bomb", &tree], "");
    git(dir, &["update-ref", "HEAD", &commit]);
}

#[test]
fn a_repository_with_endless_files_is_refused_while_it_is_read() {
    let case = Case::new("module-bomb", "");
    let url = case.path("bomb");
    bomb(&url, true);
    case.program(&format!("import \"file://{}\" as x\n", url.display()));
    let output = case.run(&["check", "--download", "main.mcl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("more than 10000 files"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(case.path("home/modules")).unwrap().count(), 1, "only the lock is left");
}

#[test]
fn a_download_ends_with_whoever_asked_for_it() {
    let case = Case::new("module-killed", "");
    let url = case.path("bomb");
    bomb(&url, false);
    case.program(&format!("import \"file://{}\" as x\n", url.display()));
    let agent = Agent::spawn(case.command(&["check", "--download", "main.mcl"]));
    let place = case.path("home").display().to_string();
    let lists = || processes(|words| words.contains(&"ls-tree") && words.iter().any(|word| word.contains(&place)));
    until("git lists the files", || lists() > 0);
    agent.signal(rustix::process::Signal::KILL);
    until("git has ended", || lists() == 0);
}
