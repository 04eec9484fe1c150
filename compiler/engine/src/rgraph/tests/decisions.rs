//! Resources with different names that decide about one thing.

use super::collects::{Host, record};
use super::{NONE, graph};
use crate::react::check::Running;
use crate::rgraph::NextGraph;

/// Two resources of a kind: one of them with these fields, and another one.
struct Pair(&'static str, &'static str);

impl Pair {
    /// Whether a program with the other one is accepted; otherwise the error must be a contradiction.
    #[track_caller]
    fn allows(&self, other: &str) -> bool {
        let Pair(kind, one) = self;
        match graph(&format!("{kind} \"one\" {{ {one} }}\n{kind} \"other\" {{ {other} }}\n"), NONE) {
            Ok(_) => true,
            Err(error) => {
                let conflict = format!("E0706 errInterpret conflicting resources `{kind}[one]` and `{kind}[other]`: ");
                assert!(error.starts_with(&conflict), "{error}");
                false
            }
        }
    }
}

#[test]
fn files_of_one_path() {
    let file = Pair("file", r#"path => "/a/b", state => "exists", content => "x","#);
    assert!(!file.allows(r#"path => "/a//b", content => "y","#));
    assert!(!file.allows(r#"path => "/a/c/../b", state => "absent","#));
    assert!(!file.allows(r#"path => "/a/b/", state => "absent","#));
    assert!(!file.allows(r#"path => "/a/b/", state => "exists","#));
    assert!(!file.allows(r#"path => "/c/x", dirname => "/a/", basename => "b", state => "absent","#));
    for other in [
        r#"path => "/a//b", state => "exists", content => "x", mode => "0600","#,
        r#"path => "/a/b", mode => "0600","#,
        r#"path => "/a/b/", mode => "0700","#,
        r#"path => "/a/c", state => "absent","#,
        r#"path => "/a/b", state => "absent", Meta:noop => true,"#,
        r#"path => "/a/b", state => "absent", Meta:hidden => true,"#,
    ] {
        assert!(file.allows(other), "{other}");
    }
}

#[test]
fn what_a_file_receives_is_not_known_before() {
    let program = r#"
        password "pw" { length => 16, }
        file "/a" { state => "exists", content => "x", }
        file "b" { path => "/a", content => "", }
    "#;
    assert!(graph(program, NONE).is_err_and(|error| error.starts_with("E0706 ")));
    assert!(graph(&format!("{program}\nPassword[\"pw\"].password -> File[\"b\"].content\n"), NONE).is_ok());
}

#[test]
fn hosts_of_a_dhcp_server() {
    let host = Pair("dhcp:host", r#"mac => "02:00:00:00:00:07", ip => "10.0.0.7/24","#);
    assert!(!host.allows(r#"mac => "02:00:00:00:00:07", ip => "10.0.0.8/24","#));
    for other in [
        r#"mac => "02:00:00:00:00:08", ip => "10.0.0.8/24","#,
        r#"mac => "02:00:00:00:00:08", ip => "10.0.0.7/24","#,
        r#"mac => "02:00:00:00:00:07", ip => "10.0.0.7/24", nbp_path => "a","#,
        r#"mac => "02:00:00:00:00:07", ip => "10.0.1.7/24", server => "lab","#,
        r#"mac => "02:00:00:00:00:07", ip => "10.0.0.8/24", Meta:autogroup => false,"#,
    ] {
        assert!(host.allows(other), "{other}");
    }
}

#[test]
fn ports_of_containers() {
    let container = Pair("docker:container", r#"image => "a", ports => {"tcp" => {80 => 8080}},"#);
    assert!(!container.allows(r#"image => "b", ports => {"tcp" => {443 => 8443, 80 => 80}},"#));
    for other in [
        r#"image => "a", ports => {"tcp" => {81 => 8080}},"#,
        r#"image => "a", ports => {"udp" => {80 => 8080}},"#,
        r#"image => "a", ports => {"tcp" => {80 => 8080}}, state => "stopped","#,
        r#"image => "a","#,
    ] {
        assert!(container.allows(other), "{other}");
    }
}

#[test]
fn services_and_ports_of_zones() {
    let zone = Pair("firewalld", r#"zone => "dmz", services => ["ssh"], ports => ["80/tcp"],"#);
    assert!(!zone.allows(r#"zone => "dmz", state => "absent", services => ["http", "ssh"],"#));
    assert!(!zone.allows(r#"zone => "dmz", state => "absent", ports => ["080/TCP"],"#));
    for other in [
        r#"zone => "dmz", state => "exists", services => ["ssh"], ports => ["80/tcp", "81/tcp"],"#,
        r#"zone => "dmz", state => "absent", services => ["http"], ports => ["80/udp", "8080/tcp"],"#,
        r#"state => "absent", services => ["ssh"], ports => ["80/tcp"],"#,
    ] {
        assert!(zone.allows(other), "{other}");
    }
}

#[test]
fn values_in_a_file() {
    let sshd =
        Pair("augeas", r#"file => "/etc/ssh/a", lens => "Sshd.lns", sets => [struct{path => "Port", value => "22"}],"#);
    let other = |file: &str, lens: &str, path: &str, value: &str| {
        let set = format!("struct{{path => \"{path}\", value => \"{value}\"}}");
        sshd.allows(&format!("file => \"{file}\", lens => \"{lens}\", sets => [{set}],"))
    };
    assert!(!other("/etc//ssh/a", "Sshd.lns", "Port", "23"));
    assert!(other("/etc/ssh/a", "Sshd.lns", "Port", "22"));
    assert!(other("/etc/ssh/a", "Sshd.lns", "UsePAM", "23"));
    assert!(other("/etc/ssh/b", "Sshd.lns", "Port", "23"));
    assert!(other("/etc/ssh/a", "Simplevars.lns", "Port", "23"));
}

#[test]
fn one_statement_may_make_both() {
    let program = "docker:container [\"a\", \"b\"] { image => \"x\", ports => {\"tcp\" => {80 => 8080}}, }\n";
    let conflict = "E0706 errInterpret conflicting resources `docker:container[a]` and `docker:container[b]`: the container \
                    that publishes port 80/tcp cannot be both `a` and `b`";
    assert_eq!(graph(program, NONE).map(drop), Err(conflict.to_owned()));
}

/// One error for each resource, however many things it contradicts.
#[test]
fn a_resource_is_reported_once() {
    let ports =
        |state: &str| format!("state => \"{state}\", services => [\"a\", \"b\"], ports => [\"1/tcp\", \"2/tcp\"],");
    let absent: String = (0..3).map(|n| format!("firewalld \"n{n}\" {{ {} }}\n", ports("absent"))).collect();
    let program = format!("{absent}firewalld \"open\" {{ {} }}\n", ports("exists"));
    let ir = crate::react::check::ir(&program).expect("it compiles");
    let diags = crate::rgraph::foresee(ir, std::sync::Arc::new(crate::source::MemoryWorld::default()));
    assert_eq!(diags.iter().count(), 1);
}

/// If a few fields change, the rest of the graph is looked at only if other resources decide about the same things.
#[test]
fn a_lone_decision_may_change_without_a_new_graph() {
    let mut running = Running::new(
        r#"
        import "sys"
        file "/a" { state => "exists", content => sys.getenv("A"), }
        file "/b" { state => "exists", content => sys.getenv("B"), }
        file "b" { path => "//b", content => sys.getenv("C"), }
        file "c" { path => sys.getenv("D"), state => "exists", }
        "#,
    );
    let mut next = |name: &str, value: &str| {
        running.set(name, Some(value));
        running.run();
        match running.interpreter.update(&mut running.react) {
            Ok(NextGraph::Whole(_)) => "whole".to_owned(),
            Ok(NextGraph::Few(changes)) => format!("few {}", changes.len()),
            Err(diags) => diags.iter().map(|diag| diag.code.to_string()).collect(),
        }
    };
    for name in ["A", "B", "C"] {
        next(name, "1");
    }
    assert_eq!(next("D", "/d"), "whole");
    assert_eq!(next("A", "2"), "few 1");
    assert_eq!(next("B", "2"), "E0706");
    assert_eq!(next("C", "2"), "whole");
    assert_eq!(next("A", "3"), "few 1");
    assert_eq!(next("D", "/e"), "whole", "it may be the path of another file");
}

#[test]
fn an_exported_resource_that_contradicts_the_program_is_left_out() {
    let content = |name: &str, path: &str, content: &str| {
        record("file", name, &format!("path => \"{path}\", content => \"{content}\","))
    };
    let (same, other, rest) = (content("b", "//a", "own"), content("b", "//a", "other"), content("c", "/c", "c"));
    let program = "file \"/a\" { state => \"exists\", content => \"own\", }\ncollect file [\"b\", \"c\"] {}\n\
                   File[\"b\"] -> File[\"/a\"]";
    let mut host = Host::new(program);
    let (all, left) = ("file[/a], file[b], file[c]", "file[/a], file[c]");
    assert_eq!(host.sees("file", &[("b", "web1", &*same), ("c", "web1", &*rest)]), all);
    assert!(host.warnings().is_empty());
    host.hears("file", &[("b", "web1", &*other), ("c", "web1", &*rest)]);
    let why = "exported resource `file[b]` of host `web1` is left out: it conflicts with `file[/a]`: the content of /a \
               differs";
    let edge = format!("edge `file[b] -> file[/a]` is left out: {why}");
    assert_eq!(host.warnings(), [why.to_owned(), edge]);
    assert_eq!(host.sees("file", &[("b", "web1", &*other), ("c", "web1", &*rest)]), left);
    assert!(host.warnings().is_empty(), "what stays is not told again");
    assert_eq!(host.sees("file", &[("b", "web1", &*same), ("c", "web1", &*rest)]), all);
}

#[test]
fn of_exported_resources_that_contradict_each_other_the_one_that_was_there_stays() {
    let published = |name: &str, port: u16| {
        record("docker:container", name, &format!("image => \"x\", ports => {{\"tcp\" => {{{port} => 1}}}},"))
    };
    let (a, b, c, own) = (published("a", 80), published("b", 80), published("c", 80), published("d", 81));
    let mut host = Host::new(
        "collect docker:container [\"a\", \"b\", \"c\", \"d\"] {}\n\
         docker:container \"own\" { image => \"x\", ports => {\"tcp\" => {81 => 1}}, }",
    );
    let mut sees = |exported: &[(&str, &str, &str)]| {
        let seen = host.sees("docker:container", exported);
        (seen.replace("docker:container", ""), host.warnings())
    };
    let (a, b, c, d) = (("a", "web1", &*a), ("b", "web2", &*b), ("c", "web3", &*c), ("d", "web3", &*own));
    let warning = |(name, host): (&str, &str), other: &str, port: u16| {
        format!(
            "exported resource `docker:container[{name}]` of host `{host}` is left out: it conflicts with \
             `docker:container[{other}]`: the container that publishes port {port}/tcp cannot be both `{other}` and \
             `{name}`"
        )
    };
    let (mine, theirs) = ("[own]".to_owned(), "[a], [own]".to_owned());
    let [of_a, of_b] = [warning(("a", "web1"), "b", 80), warning(("b", "web2"), "a", 80)];
    assert_eq!(sees(&[a, b]), (mine, vec![of_a, of_b.clone()]));
    assert_eq!(sees(&[a]), (theirs.clone(), Vec::new()));
    let [of_c, of_d] = [warning(("c", "web3"), "a", 80), warning(("d", "web3"), "own", 81)];
    assert_eq!(sees(&[a, b, c, d]), (theirs, vec![of_b, of_c, of_d]));
    assert_eq!(sees(&[b, d]).0, "[b], [own]");
}
