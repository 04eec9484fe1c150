//! On a host, what reads or writes files comes after them and their directories.

use super::{NONE, graph, running};

const COPIES: &str = r#"
    file ["/s/a", "/s/deep/b", "/t/tree/", "/u/x"] { state => "exists", }
    file "/c/one" { state => "exists", source => "/s//a", }
    file "/c/all/" { state => "exists", source => "/s/", recurse => true, }
    file "/c/of a tree" { state => "exists", source => "/t/tree/x", }
    file "/c/link" { state => "exists", source => "/u/x", symlink => true, }
    tar "/p/s.tar" { inputs => ["/s", "/u/x"], }
    gzip "/p/x.gz" { input => "/u/x", }
    augeas "x" { file => "/u/x", lens => "Hosts.lns", sets => [struct{path => "a", value => "b"}], }
    json:edit "/u/x" { edits => [".a = 1"], }
"#;

#[test]
fn what_reads_files_comes_after_them_on_a_host() {
    let mut edges = running(COPIES);
    edges.sort_unstable();
    let wanted = [
        "file[/s/a] -> file[/c/all/]",
        "file[/s/a] -> file[/c/one]",
        "file[/s/a] -> tar[/p/s.tar]",
        "file[/s/deep/b] -> file[/c/all/]",
        "file[/s/deep/b] -> tar[/p/s.tar]",
        "file[/t/tree/] -> file[/c/of a tree]",
        "file[/u/x] -> augeas[x]",
        "file[/u/x] -> gzip[/p/x.gz]",
        "file[/u/x] -> json:edit[/u/x]",
        "file[/u/x] -> tar[/p/s.tar]",
    ];
    assert_eq!(edges, wanted);
    let mut drawn = graph(COPIES, NONE).unwrap();
    crate::rgraph::AutoEdges::default().update(&mut drawn, &|_| None);
    assert_eq!(drawn.edges.len(), 0, "the reference has none");
}

#[test]
fn copies_of_each_other_have_no_order() {
    let edges = running(
        r#"
        file "/a" { state => "exists", source => "/b", }
        file "/b" { state => "exists", source => "/a", }
        file "/c" { state => "exists", source => "/b", }
    "#,
    );
    assert_eq!(edges, ["file[/b] -> file[/c]"]);
}

#[test]
fn a_source_that_comes_later_is_waited_for() {
    let copy = "file \"/c/\" { state => \"exists\", source => \"/s/\", recurse => true, }\n";
    let made = |program: &str| graph(program, NONE).unwrap();
    let mut edges = crate::rgraph::AutoEdges::running();
    let mut n_edges = |more: &str| {
        let mut graph = made(&format!("{more}{copy}"));
        edges.update(&mut graph, &|_| None);
        graph.edges.len()
    };
    let deep = "file \"/s/deep/x\" { state => \"exists\", }\n";
    assert_eq!((n_edges(""), n_edges(deep), n_edges("")), (0, 1, 0));
}

#[test]
fn what_writes_a_file_comes_after_its_directory() {
    let mut edges = running(
        r#"
        line "in a file" { state => "exists", file => "/d//conf", content => "x", }
        line "below" { state => "exists", file => "/d/deep/other", content => "x", }
        ssh:authorized_key "key" {
            state => "exists",
            file => "/d/keys",
            content => "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIII9lamnKPFNYm35qJRwXdonQXuJJ0EjZCVbUV6fKsLi me",
        }
        tar "/d/a.tar" { inputs => ["/s"], }
        gzip "/d/a.gz" { content => "x", }
        deploy:tar "/d/p.tar" { format => 2, }
        http:client "/d/page" { url => "http://localhost/", }
        sysctl "net.ipv4.ip_forward" { value => "1", path => "/d/forward.conf", }
        sysctl "net.ipv4.ip_default_ttl" { value => "1", path => "/d/ttl.conf", persist => false, }
        file "/d/conf" { state => "exists", }
        file "/d/" { state => "exists", }
    "#,
    );
    edges.sort_unstable();
    let wanted = [
        "file[/d/] -> deploy:tar[/d/p.tar]",
        "file[/d/] -> file[/d/conf]",
        "file[/d/] -> gzip[/d/a.gz]",
        "file[/d/] -> http:client[/d/page]",
        "file[/d/] -> line[below]",
        "file[/d/] -> ssh:authorized_key[key]",
        "file[/d/] -> sysctl[net.ipv4.ip_forward]",
        "file[/d/] -> tar[/d/a.tar]",
        "file[/d/conf] -> line[in a file]",
    ];
    assert_eq!(edges, wanted);
}

#[test]
fn what_is_below_a_mount_comes_after_it() {
    let program = r#"
        file ["/m/", "/m/in/", "/m/in/x", "/m-other"] { state => "exists", }
        line "l" { state => "exists", file => "/m/in/deep/y", content => "x", }
        mount ["/m", "/m/in"] { state => "exists", type => "tmpfs", }
    "#;
    let mut edges = running(program);
    edges.sort_unstable();
    let wanted = [
        "file[/m/] -> file[/m/in/]",
        "file[/m/] -> mount[/m/in]",
        "file[/m/] -> mount[/m]",
        "file[/m/in/] -> file[/m/in/x]",
        "file[/m/in/] -> line[l]",
        "file[/m/in/] -> mount[/m/in]",
        "mount[/m/in] -> file[/m/in/x]",
        "mount[/m/in] -> line[l]",
        "mount[/m] -> file[/m/in/]",
        "mount[/m] -> file[/m/in/x]",
        "mount[/m] -> line[l]",
        "mount[/m] -> mount[/m/in]",
    ];
    assert_eq!(edges, wanted);
    let mut drawn = graph(program, NONE).unwrap();
    crate::rgraph::AutoEdges::default().update(&mut drawn, &|_| None);
    assert_eq!(drawn.edges.len(), 2, "the reference has only those of files");
}

#[test]
fn a_mount_that_comes_later_is_waited_for() {
    let made = |program: &str| graph(program, NONE).unwrap();
    let mut edges = crate::rgraph::AutoEdges::running();
    let mut n_edges = |more: &str| {
        let mut graph = made(&format!("{more}file \"/m/deep/x\" {{ state => \"exists\", }}\n"));
        edges.update(&mut graph, &|_| None);
        graph.edges.len()
    };
    let mount = "mount \"/m\" { state => \"exists\", type => \"tmpfs\", }\n";
    assert_eq!((n_edges(""), n_edges(mount), n_edges("")), (0, 1, 0));
}

#[test]
fn what_is_read_from_a_mount_comes_after_it() {
    let mut edges = running(
        r#"
        mount "/data" { state => "exists", type => "tmpfs", }
        mount "/view" { state => "exists", device => "/data/www", options => {"bind" => ""}, }
        tar "/all.tar" { inputs => ["/data"], }
        file "/copy/" { state => "exists", recurse => true, source => "/data/", }
    "#,
    );
    edges.sort_unstable();
    let wanted = ["mount[/data] -> file[/copy/]", "mount[/data] -> mount[/view]", "mount[/data] -> tar[/all.tar]"];
    assert_eq!(edges, wanted);
}

#[test]
fn what_is_mounted_in_a_mount_is_unmounted_before() {
    let edges = running("mount [\"/m\", \"/m/in\"] { state => \"absent\", }\n");
    assert_eq!(edges, ["mount[/m/in] -> mount[/m]"]);
    let made = |program: &str| graph(program, NONE).unwrap();
    let mut edges = crate::rgraph::AutoEdges::running();
    let mut n_edges = |more: &str| {
        let mut graph = made(&format!("mount \"/m\" {{ state => \"absent\", }}\n{more}"));
        edges.update(&mut graph, &|_| None);
        graph.edges.len()
    };
    assert_eq!((n_edges(""), n_edges("mount \"/m/in\" { state => \"absent\", }\n"), n_edges("")), (0, 1, 0));
}

#[test]
fn a_directory_is_removed_after_what_is_mounted_there_is_unmounted() {
    let mut edges = running(
        r#"
        file ["/m/", "/other/"] { state => "absent", recurse => true, }
        mount ["/m", "/m/in"] { state => "absent", }
    "#,
    );
    edges.sort_unstable();
    let wanted = ["mount[/m/in] -> file[/m/]", "mount[/m/in] -> mount[/m]", "mount[/m] -> file[/m/]"];
    assert_eq!(edges, wanted);
}

#[test]
fn nothing_waits_for_the_root() {
    let edges = running(
        r#"
        mount "/" { state => "exists", device => "/dev/vda", type => "ext4", }
        file "/x" { state => "exists", }
        line "l" { state => "exists", file => "/y", content => "y", }
    "#,
    );
    assert_eq!(edges, Vec::<String>::new());
}
