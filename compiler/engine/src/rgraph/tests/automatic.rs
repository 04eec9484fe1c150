//! Automatic edges, those of the reference and those that only hosts have.

use super::{ALL, NONE, check, graph, graph_with, refused, running};
use crate::rgraph::{AutoEdges, Passes, text};
use crate::vocab::{Datum, FactSpec};

#[test]
fn a_file_waits_for_its_directory_and_keeps_an_explicit_edge() {
    let program = r#"
        file "/d/" { state => "exists", Notify => File["/d/f"], }
        file "/d/f" { state => "exists", }
        file "/d/sub/g" { state => "exists", }
        file "/d/off" { state => "exists", Meta:autoedge => false, }
    "#;
    let expect = [
        "Edge: file[/d/] -> file[/d/f] # file[/d/] -> file[/d/f]",
        "Edge: file[/d/] -> file[/d/sub/g] # file[/d/] -> file[/d/sub/g]",
        "Vertex: file[/d/]",
        "Vertex: file[/d/f]",
        "Vertex: file[/d/off]",
        "Vertex: file[/d/sub/g]",
    ];
    let edges_only = Passes { autoedge: true, autogroup: false, ask_host: false };
    check(program, edges_only, &expect);
    assert!(graph(program, edges_only).unwrap().edges[0].notify, "the explicit edge stays");
}

#[test]
fn an_automatic_cycle_shows_when_grouping() {
    let program = r#"
        file "/d/" { state => "exists", }
        file "/d/f" { state => "exists", Before => File["/d/"], }
    "#;
    refused(program, "E0712 errAutoGroup");
    assert_eq!(graph(program, Passes { autoedge: true, autogroup: false, ask_host: false }).unwrap().edges.len(), 2);
}

#[test]
fn each_of_many_nested_directories_finds_its_parent_in_one_search() {
    let n = 400;
    let deep: Vec<String> = (1..=n).map(|depth| format!("\"{}/\"", "/d".repeat(depth))).collect();
    let program = format!("file [{}] {{\n\tstate => \"exists\",\n}}\n", deep.join(", "));
    let mut plain = graph(&program, NONE).unwrap();
    let mut edges = AutoEdges::default();
    edges.update(&mut plain, &|_| None);
    assert_eq!(plain.edges.len(), n - 1);
    assert!(edges.n_above() <= 2 * n as u64, "{}", edges.n_above());
}

#[test]
fn a_file_of_fragments_waits_for_the_files_of_a_directory() {
    let program = r#"
        file "/t/whole" { state => "exists", fragments => ["/t/parts.d/"], }
        file "/t/parts.d/" { state => "exists", }
        file ["/t/parts.d/1", "/t/parts.d/2"] { state => "exists", content => "x", }
        file "/t/parts.d/deeper/3" { state => "exists", content => "x", }
    "#;
    let mut graph = graph(program, NONE).unwrap();
    AutoEdges::running().update(&mut graph, &|_| None);
    let edges: Vec<String> =
        text(&graph).lines().filter_map(|line| line.strip_prefix("Edge: ").map(str::to_owned)).collect();
    let of_whole = edges.iter().filter(|edge| edge.contains("-> file[/t/whole] #"));
    let from: Vec<&str> = of_whole.filter_map(|edge| edge.split(" -> ").next()).collect();
    assert_eq!(from, ["file[/t/parts.d/1]", "file[/t/parts.d/2]", "file[/t/parts.d/]"], "{edges:#?}");
}

const ALICE: &str = r#"
    user "alice" { state => "exists", uid => 1234, }
    group "web" { state => "exists", }
    file "/srv/a" { state => "exists", owner => "alice", group => "web", }
    file "/srv/b" { state => "exists", owner => "1234", }
    file "/srv/c" { state => "exists", owner => "nobody", }
    ssh:authorized_key "key" { state => "exists", user => "alice", content => "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIII9lamnKPFNYm35qJRwXdonQXuJJ0EjZCVbUV6fKsLi me", }
    line "rc" { state => "exists", file => "~alice/.profile", content => "umask 077", }
    exec "by number" { cmd => "/bin/true", user => "1234", }
"#;

#[test]
fn what_is_given_to_an_account_comes_after_it_on_a_host() {
    let edges = running(ALICE);
    let wanted = [
        "group[web] -> file[/srv/a]",
        "user[alice] -> exec[by number]",
        "user[alice] -> file[/srv/a]",
        "user[alice] -> file[/srv/b]",
        "user[alice] -> line[rc]",
        "user[alice] -> ssh:authorized_key[key]",
    ];
    let mut edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    edges.sort_unstable();
    assert_eq!(edges, wanted);
    // The reference draws none of them.
    let mut drawn = graph(ALICE, NONE).unwrap();
    AutoEdges::default().update(&mut drawn, &|_| None);
    assert_eq!(drawn.edges.len(), 0);
}

#[test]
fn an_order_that_somebody_wrote_down_stands_before_that_of_accounts() {
    let edges = running(&format!("{ALICE}File[\"/srv/a\"] -> User[\"alice\"]\n"));
    assert!(edges.contains(&"file[/srv/a] -> user[alice]".to_owned()), "{edges:#?}");
    assert!(!edges.contains(&"user[alice] -> file[/srv/a]".to_owned()), "{edges:#?}");
    assert!(edges.contains(&"user[alice] -> file[/srv/b]".to_owned()), "{edges:#?}");
}

#[test]
fn a_kernel_parameter_comes_after_those_that_set_it() {
    let mut edges = running(
        r#"
        sysctl "net.ipv4.conf.eth0.forwarding" { value => "0", }
        sysctl "net.ipv4.conf.all.forwarding" { value => "1", }
        sysctl "net.ipv4.ip_forward" { value => "1", }
        sysctl "net.ipv6.conf.eth0.accept_ra" { value => "0", }
        sysctl "net.ipv6.conf.all.accept_ra" { value => "0", runtime => false, }
        sysctl "kernel.panic" { value => "10", }
    "#,
    );
    edges.sort_unstable();
    let [all, eth0, forward] =
        ["conf.all.forwarding", "conf.eth0.forwarding", "ip_forward"].map(|name| format!("sysctl[net.ipv4.{name}]"));
    assert_eq!(edges, [format!("{all} -> {eth0}"), format!("{forward} -> {all}"), format!("{forward} -> {eth0}")]);
}

#[test]
fn a_mount_comes_after_its_mount_point_and_what_is_on_the_way_to_it() {
    let program = r#"
        mount "/srv/a/m" { state => "exists", type => "none", device => "/data/shown", options => {"bind" => ""}, }
        mount "/srv/gone" { state => "absent", }
        file ["/srv/a/", "/srv/a/m/", "/srv/gone/", "/data/shown/", "/data/other/"] { state => "exists", }
    "#;
    let mut edges = running(&format!("{program}\n"));
    edges.retain(|edge| edge.contains("mount["));
    let before = ["/data/shown/", "/srv/a/", "/srv/a/m/"];
    assert_eq!(edges, before.map(|path| format!("file[{path}] -> mount[/srv/a/m]")));
    let drawn = graph(program, NONE).unwrap();
    assert!(drawn.edges.iter().all(|edge| !format!("{edge:?}").contains("mount")), "the reference has none");
}

/// Things that the program makes need not exist when it begins.
#[test]
fn what_the_program_brings_is_not_asked_of_the_host() {
    let there = |program: &str| {
        let passes = Passes { ask_host: true, ..ALL };
        let missing = Datum::Struct(vec![("exists".into(), Datum::Bool(false))]);
        let mut answer = |_: &FactSpec, _: u64| Some(Ok(missing.clone()));
        graph_with(&format!("{program}\n"), &mut answer, passes).is_ok()
    };
    let mount = "mount \"/srv/m\" { state => \"exists\", type => \"tmpfs\", }\n";
    assert!(!there(mount), "there is no mount point");
    assert!(there(&format!("{mount}file \"/srv/m/\" {{ state => \"exists\", }}")));
    assert!(!there(&format!("{mount}file \"/srv/n/\" {{ state => \"exists\", }}")));
}

#[test]
fn a_file_that_comes_later_into_a_directory_of_fragments_is_waited_for() {
    let whole = "file \"/t/whole\" { state => \"exists\", fragments => [\"/t/parts.d/\"], }\n";
    let part = "file \"/t/parts.d/1\" { state => \"exists\", content => \"x\", }\n";
    let made = |program: &str| graph(program, NONE).unwrap();
    let mut edges = AutoEdges::running();
    let mut n_edges = |program: &str| {
        let mut graph = made(program);
        edges.update(&mut graph, &|_| None);
        graph.edges.len()
    };
    assert_eq!((n_edges(whole), n_edges(&format!("{part}{whole}")), n_edges(whole)), (0, 1, 0));
}
