//! The policy itself: its file, its patterns, and names that are not text.

use super::*;

#[test]
fn names_that_are_no_text_are_judged_as_they_are() {
    let den = Den::new("bytes");
    den.policy("paths = ['@ROOT@/srv/?', '@ROOT@/srv/?/**']\n");
    let odd = den.path("srv").join(OsStr::from_bytes(b"\xff"));
    fs::create_dir(&odd).unwrap();
    symlink(den.path("outside"), odd.join("l")).unwrap();
    fs::create_dir(den.path("srv/from")).unwrap();
    fs::write(den.path("srv/from").join(OsStr::from_bytes(b"\xfe")), "x").unwrap();
    let before = den.outside();
    let purge = "state => \"exists\",\n\trecurse => true,\n\tpurge => true,\n\tsource => \"@ROOT@/srv/from/\"";
    den.link("srv/o", "@ROOT@/outside");
    den.refuses(&file("@ROOT@/srv/o/", purge), NOT_CHANGED);
    fs::create_dir(den.path("srv/t")).unwrap();
    den.allows(&file("@ROOT@/srv/t/", purge));
    assert_eq!(fs::read(den.path("srv/t").join(OsStr::from_bytes(b"\xfe"))).unwrap(), b"x");
    assert_eq!(den.outside(), before);
}

#[test]
fn a_policy_that_can_match_nothing_is_a_usage_error() {
    let den = Den::new("usage");
    for policy in [
        "paths = ['srv/**']",
        "paths = ['/srv/../etc/*']",
        "commands = ['make']",
        "reads = ['/srv/']",
        "kinds = ['htp:*']",
        "collect_kinds = ['local.pool']",
        "units = ['nginx']",
        "groups = ['']",
        "listen = ['80']",
    ] {
        den.policy(policy);
        let (code, said) = den.run("noop \"x\" {}\n");
        assert!(code == Some(2) && said.contains("can never match"), "{policy}: {said}");
    }
}

#[test]
fn an_unknown_kind_in_a_policy_is_a_usage_error_with_its_line() {
    let den = Den::new("unknown-kind");
    den.policy("paths = ['@ROOT@/srv/**']\nkinds = ['noop', 'flie']\n");
    let (code, said) = den.run("noop \"x\" {}\n");
    let words = "invalid policy policy.toml: line 2: `flie` in `kinds` can never match: unknown resource kind or \
        function with effects; did you mean `file`?";
    assert!(code == Some(2) && said.contains(words), "{code:?} {said}");
    den.policy("kinds = ['noop', 'http:*', 'local.*', 'golang/os.mkdir_temp', 'deploy.directory', '_panic']\n");
    den.allows("noop \"x\" {}\n");
}

#[test]
fn an_agent_of_the_page_example_starts() {
    let den = Den::new("example");
    fs::write(den.path("policy.toml"), include_str!("../../../src/policy/webserver.toml")).unwrap();
    den.refuses(&file("@ROOT@/outside/new", CONTENT), NOT_READ);
    let help = String::from_utf8(den.case.run(&["run", "--help"]).stdout).unwrap();
    assert!(help.contains(include_str!("../../../src/policy/webserver.toml").lines().nth(2).unwrap()), "{help}");
    for list in ["kinds", "paths", "reads", "commands", "environment", "listen", "run_own_files"] {
        assert!(help.contains(list), "{list}: {help}");
    }
    for list in ["collect_from", "collect_kinds"] {
        assert!(help.contains(list), "{list}: {help}");
    }
}

#[test]
fn a_policy_that_others_write_is_none() {
    let den = Den::new("policy");
    let said = |words: &str| {
        let (code, said) = den.run("noop \"x\" {}\n");
        assert!(code == Some(2) && said.contains("cannot use the policy") && said.contains(words), "{code:?} {said}");
    };
    fs::set_permissions(den.path("policy.toml"), Permissions::from_mode(0o666)).unwrap();
    said("it is world-writable (mode 0666)");
    if !is_root() {
        return cannot_look("only root can create links owned by other users");
    }
    fs::rename(den.path("policy.toml"), den.path("other.toml")).unwrap();
    fs::set_permissions(den.path("other.toml"), Permissions::from_mode(0o644)).unwrap();
    symlink(den.path("other.toml"), den.path("policy.toml")).unwrap();
    assert_eq!(den.run("noop \"x\" {}\n").0, Some(0));
    lchown(den.path("policy.toml"), Some(1234), Some(1234)).unwrap();
    said("symbolic link owned by user 1234");
}

/// They may name another policy.
#[test]
fn options_that_others_write_are_not_used() {
    let den = Den::new("options");
    fs::write(den.path("main.mcl"), "noop \"x\" {}\n").unwrap();
    fs::write(den.path("options.toml"), "[run]\nonce = true\npolicy = 'policy.toml'\n").unwrap();
    let run = |options: &str| {
        let output = den.case.run(&["run", "--config", options, "--prefix", "state", "main.mcl"]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    fs::set_permissions(den.path("options.toml"), Permissions::from_mode(0o644)).unwrap();
    let (code, said) = run("options.toml");
    assert_eq!(code, Some(0), "{said}");
    fs::set_permissions(den.path("options.toml"), Permissions::from_mode(0o666)).unwrap();
    let (code, said) = run("options.toml");
    assert!(code == Some(2) && said.contains("cannot read options.toml: it is world-writable"), "{code:?} {said}");
    let (code, said) = run("other.toml");
    let words = "cannot read other.toml: no such file or directory";
    assert!(code == Some(2) && said.contains(words), "{code:?} {said}");
}
