//! Programs of several files: modules fetched by git, imports from above, a folder that is formatted.

use crate::case::{Case, stderr};
use std::path::Path;
use std::process::Command;

/// A git repository with these files.
fn repository(dir: &Path, files: &[(&str, &str)]) {
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
    let look = case.run(&["fmt", "--check", "."]);
    assert_eq!(look.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&look.stdout), "./main.mcl\n./sub/b.mcl\n");
    assert!(case.run(&["fmt", "."]).status.success());
    assert_eq!(case.read("sub/b.mcl").as_deref(), Some("$b = 2\n"));
    assert_eq!(case.read("sub/.hidden/c.mcl").as_deref(), Some("$c=3\n"));
    assert!(case.run(&["fmt", "--check", "."]).status.success());
    assert_eq!(case.run(&["fmt", "out"]).status.code(), Some(2));
}
