//! What hosts export: a policy lists whose resources, and of which kinds, a program may collect.

use super::*;

/// A program that collects all files, and writes how many there are.
const COLLECTS: &str = "import \"world/collect\"\nimport \"fmt\"\ncollect file collect.res(\"file\") {}\n\
    file \"@ROOT@/srv/count\" {\n\tstate => \"exists\",\n\tcontent => fmt.printf(\"%d\", len(collect.res(\"file\"))),\n}\n";
const NOT_FROM: &str =
    "the policy does not allow collecting from the host `db1`: no pattern of `collect_from` matches it";
const NOT_OF_KIND: &str =
    "the policy does not allow collecting resources of kind `file`: no pattern of `collect_kinds` matches it";

/// Hosts that export a file each, in the store of a single machine.
fn exported(name: &str) -> Den {
    let den = Den::new(name);
    for host in ["web1", "db1"] {
        let export = format!("{CONTENT},\n\tMeta:hidden => true,\n\tMeta:export => [\"*\"]");
        fs::write(den.path("main.mcl"), den.here(&file(&format!("@ROOT@/srv/of-{host}"), &export))).unwrap();
        let output = den.case.run(&["run", "--once", "--prefix", "state", "--hostname", host, "main.mcl"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    den
}

/// The exit code and the whole output of the collecting program on a host.
fn collects(den: &Den, verb: &[&str], policy: &str) -> (Option<i32>, String) {
    den.policy(&format!("paths = ['@ROOT@/srv/**']\n{policy}"));
    fs::write(den.path("main.mcl"), den.here(COLLECTS)).unwrap();
    let of_host = ["--prefix", "state", "--hostname", "h1", "--policy", "policy.toml", "main.mcl"];
    let output = den.case.run(&[verb, &of_host].concat());
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code(), said.concat())
}

fn files(den: &Den) -> Vec<String> {
    let names = fs::read_dir(den.path("srv")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_exports_of_other_hosts_are_left_out_with_a_warning() {
    let den = exported("collect-from");
    let (code, said) = collects(&den, &["plan"], "collect_from = ['web*']");
    assert!(code == Some(0) && said.contains(NOT_FROM) && files(&den).is_empty(), "{code:?} {said}");
    let (code, said) = collects(&den, &["run", "--once"], "collect_from = ['web*']");
    assert_eq!((code, said.matches(NOT_FROM).count()), (Some(0), 1), "{said}");
    assert_eq!(files(&den), ["count", "of-web1"]);
    assert_eq!(fs::read_to_string(den.path("srv/count")).unwrap(), "1");
    let (code, said) = collects(&den, &["run", "--once"], "");
    assert!(code == Some(0) && !said.contains("collect_from"), "{code:?} {said}");
    assert_eq!(files(&den), ["count", "of-db1", "of-web1"]);
}

#[test]
fn a_kind_that_may_not_be_collected_is_refused() {
    let den = exported("collect-kinds");
    for verb in [&["plan"][..], &["run", "--once"]] {
        let (code, said) = collects(&den, verb, "collect_kinds = ['user', 'http:*']");
        assert!(code != Some(0) && said.contains(NOT_OF_KIND), "{code:?} {said}");
        assert!(files(&den).is_empty(), "{verb:?}");
    }
    let (code, said) = collects(&den, &["run", "--once"], "collect_kinds = ['file']");
    assert_eq!((code, files(&den).len()), (Some(0), 3), "{said}");
}
