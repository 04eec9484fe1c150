//! `pkg`.

use super::{NOTHING, Run};
use crate::brain::Brain;
use crate::protocol::{Deploy, Input, Options, What};
use crate::{Release, Sim, SimHost, World};
use std::collections::BTreeSet;

fn tiny(version: &str) -> Release {
    Release::new("tiny", version, &[("/usr/bin/tiny", version)])
}

/// A repository with these packages, with fetched lists.
fn offers(releases: Vec<Release>) -> impl FnOnce(&mut World) {
    move |world| {
        world.subjects.package.repository = releases.clone();
        world.subjects.package.lists = releases;
    }
}

fn installs(world: &mut World, release: Release) {
    world.subjects.package.installed.insert(release.name.clone(), Box::new(release));
}

#[test]
fn a_package_is_installed_with_what_it_needs_and_comes_back() {
    let mut run = Run::new(r#"pkg "nginx" { state => "installed", }"#);
    assert_eq!(run.steps(), ["install nginx 1.26.3-3; also installs libpcre2 10.45-1"]);
    assert_eq!(run.read("/etc/nginx/nginx.conf"), "events {}\n");
    let again = run.change(|world| world.subjects.package.remove("libpcre2"));
    assert_eq!(again, ["install nginx 1.26.3-3; also installs libpcre2 10.45-1"]);
    let mended = run.change(|world| {
        world.subjects.package.broken.insert("nginx".into(), "half-configured".into());
    });
    assert_eq!(mended, ["install nginx 1.26.3-3 (1.26.3-3 is half-configured)"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn packages_of_one_state_are_one_transaction() {
    let mut run = Run::new("pkg [\"curl\", \"libpcre2\"] {}\npkg \"nginx\" { state => \"uninstalled\", }");
    assert_eq!(run.steps(), ["install curl 8.14.1-2, libpcre2 10.45-1"]);
    assert_eq!(run.change(|world| world.subjects.package.remove("curl")), ["install curl 8.14.1-2"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn one_that_is_unknown_leaves_its_group_and_fails_alone() {
    // The last name leads a group.
    for unknown in ["aaa", "zzz"] {
        let group = format!("pkg [\"curl\", \"{unknown}\", \"libpcre2\"] {{}}\n");
        let program = format!("{group}file \"/after\" {{ state => \"exists\", }}\nPkg[\"curl\"] -> File[\"/after\"]");
        let mut run = Run::new(&program);
        let failed: BTreeSet<String> = run.failed().into_iter().collect();
        assert_eq!(failed, BTreeSet::from([format!("pkg[{unknown}]")]));
        assert!(run.failures().iter().all(|why| why.contains(&format!("named '{unknown}'"))), "{:?}", run.failures());
        let steps = run.steps();
        assert!(steps.contains(&"install curl 8.14.1-2, libpcre2 10.45-1".to_owned()), "{steps:?}");
        assert_eq!(run.read("/after"), "", "it comes after its own package alone");
        let came = run.change(|world| {
            world.subjects.package.lists.push(Release::new(unknown, "1.0", &[]));
            world.subjects.package.repository.push(Release::new(unknown, "1.0", &[]));
        });
        assert_eq!(came.last(), Some(&format!("install {unknown} 1.0")));
        assert_eq!(run.change(|world| world.subjects.package.remove("curl")), ["install curl 8.14.1-2"]);
        assert_eq!(run.again().0, NOTHING);
    }
}

#[test]
fn where_all_of_a_group_are_unknown_each_fails_with_its_own_name() {
    let run = Run::new("pkg [\"aaa\", \"bbb\"] {}");
    let failed: BTreeSet<String> = run.failed().into_iter().collect();
    assert_eq!(failed, BTreeSet::from(["pkg[aaa]".to_owned(), "pkg[bbb]".to_owned()]));
}

#[test]
fn newest_follows_the_repository() {
    let mut run = Run::after(offers(vec![tiny("1.0")]), r#"pkg "tiny" { state => "newest", }"#);
    assert_eq!(run.steps(), ["install tiny 1.0"]);
    let upgrade = run.change(|world| {
        world.subjects.package.lists.push(tiny("2.0"));
        world.subjects.package.repository.push(tiny("2.0"));
    });
    assert_eq!(upgrade, ["install tiny 2.0 (have 1.0)"]);
    // A version higher than any available one stays.
    assert_eq!(run.change(|world| installs(world, tiny("3.0"))), NOTHING);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn the_newest_is_one_that_the_fields_allow() {
    let both = |world: &mut World| {
        offers(vec![tiny("1.0"), Release { is_foreign: true, ..tiny("2.0") }])(world);
        installs(world, tiny("1.0"));
    };
    let mut run = Run::after(both, r#"pkg "tiny" { state => "newest", }"#);
    assert_eq!(run.failures(), NOTHING);
    assert_eq!(run.steps(), NOTHING);
    assert_eq!(run.change(|world| world.subjects.package.lists.push(tiny("1.5"))), ["install tiny 1.5 (have 1.0)"]);
    assert_eq!(run.again().0, NOTHING);
    let mut run = Run::after(both, r#"pkg "tiny" { state => "newest", allowunsupported => true, }"#);
    assert_eq!(run.steps(), ["install tiny 2.0 (have 1.0)"]);
}

#[test]
fn old_lists_are_fetched_before_something_is_installed() {
    let old = |world: &mut World| {
        world.subjects.package.repository.push(tiny("1.0"));
        world.subjects.package.fetched_ns = None;
    };
    let mut run = Run::after(old, r#"pkg "tiny" {}"#);
    assert_eq!(run.steps(), ["refresh the package lists", "install tiny 1.0"]);
    // Known packages are installed, even without an answer.
    let unreachable = |world: &mut World| {
        world.subjects.package.fetched_ns = None;
        world.subjects.package.unreachable = Some("no route to host".into());
    };
    let mut run = Run::after(unreachable, r#"pkg "curl" {}"#);
    assert_eq!(run.steps(), ["refresh the package lists", "install curl 8.14.1-2"]);
    let run = Run::after(unreachable, r#"pkg "tiny" {}"#);
    assert_eq!(run.failures(), ["cannot refresh the package lists: no route to host"]);
}

/// The steps of a plan on a host whose lists are old.
fn planned(program: &str) -> Vec<String> {
    let mut host = SimHost::new("host1");
    host.change(|world| {
        offers(vec![tiny("1.0"), tiny("2.0"), Release::new("other", "1", &[])])(world);
        installs(world, tiny("1.0"));
        world.subjects.package.fetched_ns = None;
    });
    let mut sim = Sim::new(Brain::new(), host);
    let files = vec![("/main.mcl".to_owned(), format!("{program}\n").into_bytes())];
    let options = Options { rehearse: true, once: true, ..Options::default() };
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options }));
    let until = sim.now().plus_ms(5_000);
    assert!(sim.advance(until, 100_000), "it ends");
    let steps = sim.take_reports().into_iter().filter_map(|event| match event.what {
        What::Steps { steps, .. } => Some(steps.into_iter().map(|step| step.summary)),
        _ => None,
    });
    steps.flatten().collect()
}

#[test]
fn a_plan_with_old_lists_shows_what_happens_to_known_packages() {
    let refresh = "refresh the package lists";
    assert_eq!(planned(r#"pkg "other" {}"#), [refresh, "install other 1"]);
    let newest = planned(r#"pkg "tiny" { state => "newest", }"#);
    assert_eq!(newest, [refresh, "install tiny 2.0 (have 1.0)"]);
    for state in ["installed", "newest"] {
        assert_eq!(planned(&format!("pkg \"zzz\" {{ state => \"{state}\", }}")), [refresh], "{state}");
        let both = planned(&format!("pkg [\"other\", \"zzz\"] {{ state => \"{state}\", }}"));
        assert!(both.contains(&"install other 1".to_owned()), "{both:?}");
    }
}

#[test]
fn a_version_is_exact_and_lower_only_on_purpose() {
    let both = || offers(vec![tiny("1.0"), tiny("2.0")]);
    let mut run = Run::after(both(), r#"pkg "tiny" { state => "1.0", }"#);
    assert_eq!(run.steps(), ["install tiny 1.0"]);
    let higher = |world: &mut World| {
        both()(world);
        installs(world, tiny("2.0"));
    };
    let refused = "higher version already installed, use allowdowngrade to allow pinning to lower version \"1.0\": tiny is at 2.0";
    let run = Run::after(higher, r#"pkg "tiny" { state => "1.0", }"#);
    assert_eq!(run.failures(), [refused]);
    let mut run = Run::after(higher, r#"pkg "tiny" { state => "1.0", allowdowngrade => true, }"#);
    assert_eq!(run.steps(), ["install tiny 1.0 (have 2.0)"]);
    let run = Run::after(both(), r#"pkg "tiny" { state => "3.0", }"#);
    assert_eq!(run.failures(), ["can't find version 3.0 of the package 'tiny'; available: 2.0, 1.0"]);
}

#[test]
fn what_is_not_offered_says_which_field_allows_it() {
    let fails = |releases: Vec<Release>, fields: &str| {
        Run::after(offers(releases), &format!("pkg \"tiny\" {{ {fields} }}")).failures().concat()
    };
    let nonfree = || Release { is_nonfree: true, ..tiny("1.0") };
    let foreign = || Release { is_foreign: true, ..tiny("2.0") };
    let nowhere = "can't find package named 'tiny': not found in any configured repository; check the name and the \
                   repositories";
    assert_eq!(fails(vec![], ""), nowhere);
    assert_eq!(fails(vec![], "state => \"uninstalled\","), nowhere);
    assert_eq!(fails(vec![nonfree()], ""), "can't find package named 'tiny'; you need to enable: allownonfree");
    assert_eq!(
        fails(vec![nonfree(), foreign()], ""),
        "can't find package named 'tiny'; you need to enable one or more of: allownonfree, allowunsupported"
    );
    assert_eq!(fails(vec![nonfree(), foreign()], "allownonfree => true,"), "");
    let untrusted = || Release { is_untrusted: true, ..tiny("1.0") };
    assert!(fails(vec![untrusted()], "").contains("use allowuntrusted to allow"));
    assert_eq!(fails(vec![untrusted()], "allowuntrusted => true,"), "");
}

#[test]
fn nothing_that_the_program_wants_is_taken_away() {
    let rivals =
        offers(vec![tiny("1.0"), Release { conflicts: vec!["tiny".into()], ..Release::new("rival", "1", &[]) }]);
    let run = Run::after(rivals, "pkg \"tiny\" {}\npkg \"rival\" { state => \"1\", Depend => Pkg[\"tiny\"], }");
    assert_eq!(run.failures(), ["installing rival would remove the package tiny, which this program wants installed"]);
    let held = |world: &mut World| {
        offers(vec![tiny("2.0")])(world);
        installs(world, tiny("1.0"));
        world.subjects.package.held.insert("tiny".into());
    };
    let run = Run::after(held, r#"pkg "tiny" { state => "newest", }"#);
    assert_eq!(run.failures(), ["the package tiny is held at 1.0: release it with `apt-mark unhold tiny`"]);
}

#[test]
fn a_wanted_package_is_kept_under_each_of_its_names() {
    let says = |wanted: &str, installed: &[&str]| {
        let rival = Release { conflicts: vec![installed[0].into()], ..Release::new("rival", "1", &[]) };
        let before = |world: &mut World| {
            offers(vec![rival])(world);
            installed.iter().for_each(|name| installs(world, Release::new(name, "1.0", &[])));
        };
        let run = Run::after(before, &format!("pkg \"{wanted}\" {{}}\npkg \"rival\" {{ state => \"1\", }}"));
        run.failures().into_iter().find(|failure| failure.starts_with("installing rival")).unwrap_or_default()
    };
    let why =
        |name: &str| format!("installing rival would remove the package {name}, which this program wants installed");
    for name in ["tiny", "tiny:amd64", "tiny:native", "tiny:all"] {
        assert_eq!(says(name, &["tiny"]), why("tiny"), "{name}");
    }
    assert_eq!(says("tiny", &["tiny:i386"]), why("tiny:i386"));
    assert_eq!(says("tiny", &["tiny:i386", "tiny:native"]), "", "the one of this machine stays");
    for name in ["tiny:native", "tiny:amd64", "tiny-dev"] {
        assert_eq!(says(name, &["tiny:i386"]), "", "{name}");
    }
}

#[test]
fn a_virtual_package_is_refused_with_those_that_provide_it() {
    let mail = |name: &str| Release { provides: vec!["mailer".into()], ..Release::new(name, "1", &[]) };
    let before = |world: &mut World| {
        offers(vec![tiny("1.0"), mail("exim"), mail("postfix")])(world);
        installs(world, mail("postfix"));
    };
    let why = "can't find package named 'mailer': it is a virtual package; use a package that provides it: postfix \
               (installed), exim";
    for state in ["installed", "newest", "1", "uninstalled"] {
        let run = Run::after(before, &format!("pkg \"mailer\" {{ state => \"{state}\", }}"));
        assert_eq!(run.failures(), [why], "{state}");
    }
    let mut run = Run::after(before, r#"pkg ["mailer", "tiny"] {}"#);
    let failures = run.failures();
    assert!(failures.iter().any(|failure| failure == why), "{failures:?}");
    assert_eq!(run.steps(), ["install tiny 1.0"]);
    // It may become the name of a package.
    let real = Release::new("mailer", "1", &[]);
    assert_eq!(run.change(|world| world.subjects.package.lists.push(real)), ["install mailer 1"]);
}

#[test]
fn a_held_package_stays_and_the_others_of_its_group_go() {
    let other = || Release::new("other", "1", &[]);
    let both = |world: &mut World| {
        offers(vec![tiny("1.0"), other()])(world);
        installs(world, tiny("1.0"));
        installs(world, other());
        world.subjects.package.held.insert("tiny".into());
    };
    let mut run = Run::after(both, r#"pkg ["other", "tiny"] { state => "uninstalled", }"#);
    let is_there = |run: &Run, name: &str| run.world().subjects.package.installed.contains_key(name);
    let failures = run.failures();
    let why = "the package tiny is held at 1.0: release it with `apt-mark unhold tiny`";
    assert!(!failures.is_empty() && failures.iter().all(|failure| failure.contains(why)), "{failures:?}");
    assert!(is_there(&run, "tiny") && !is_there(&run, "other"));
    run.change(|world| world.subjects.package.held.clear());
    assert!(!is_there(&run, "tiny"));
}

#[test]
fn a_package_that_is_held_before_it_is_installed_stays_away_and_the_others_of_its_group_come() {
    let both = |world: &mut World| {
        offers(vec![tiny("1.0"), Release::new("other", "1", &[])])(world);
        world.subjects.package.held.insert("tiny".into());
    };
    let mut run = Run::after(both, r#"pkg ["other", "tiny"] { state => "installed", }"#);
    let is_there = |run: &Run, name: &str| run.world().subjects.package.installed.contains_key(name);
    let failures = run.failures();
    let why = "the package tiny is held, though it is not installed: release it with `apt-mark unhold tiny`";
    assert!(!failures.is_empty() && failures.iter().all(|failure| failure.contains(why)), "{failures:?}");
    assert!(is_there(&run, "other") && !is_there(&run, "tiny"));
    run.change(|world| world.subjects.package.held.clear());
    assert!(is_there(&run, "tiny"));
    // Held, and as it should be.
    let held = |world: &mut World| {
        offers(vec![tiny("1.0")])(world);
        world.subjects.package.held.insert("tiny".into());
    };
    let run = Run::after(held, r#"pkg "tiny" { state => "uninstalled", }"#);
    assert!(run.failures().is_empty() && run.failed().is_empty(), "{:?}", run.failures());
}

#[test]
fn without_a_package_system_it_says_so_and_begins_when_there_is_one() {
    let mut run = Run::after(|world| world.subjects.package.is_absent = true, r#"pkg "curl" {}"#);
    assert!(run.failures().concat().contains("cannot find a supported package manager"), "{:?}", run.failures());
    run.reports.clear();
    assert_eq!(run.change(|world| world.subjects.package.is_absent = false), ["install curl 8.14.1-2"]);
}

/// A package comes before resources that manage its files and services.
#[test]
fn the_files_of_a_package_make_edges() {
    let edges = |run: &Run| {
        let graph = run.sim.machine.graph();
        let name = |at| graph.resources[at].id.to_string();
        let mut edges: Vec<String> =
            graph.edges.iter().map(|edge| format!("{} -> {}", name(edge.from), name(edge.to))).collect();
        edges.sort();
        edges
    };
    let program = "pkg \"nginx\" {}\nfile \"/etc/nginx/\" { state => \"exists\", }\nfile \"/etc/nginx/nginx.conf\" { state => \"exists\", }\nfile \"/usr/\" { state => \"exists\", }";
    let mut run = Run::new(program);
    let expect = [
        "file[/etc/nginx/] -> file[/etc/nginx/nginx.conf]",
        "pkg[nginx] -> file[/etc/nginx/nginx.conf]",
        "pkg[nginx] -> file[/usr/]",
    ];
    assert_eq!(edges(&run), expect);
    run.change(|world| {
        world.subjects.package.installed.get_mut("nginx").unwrap().files.retain(|(path, _)| path.starts_with("/etc"));
    });
    assert_eq!(edges(&run), expect[..2]);
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    assert_eq!(edges(&run), expect[..2], "a second run knows them before its first graph");
}
