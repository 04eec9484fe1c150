//! Resources that validation accepts and refuses, kind by kind. Resource spec, 9.

use super::check::Draft;
use super::validate;
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, file};

#[track_caller]
fn check(valid: bool, draft: Draft) {
    let got = validate(draft.kind, &draft.want());
    assert_eq!(got.is_ok(), valid, "{}: {got:?}", draft.want());
}

fn new(kind: &str, name: &str) -> Draft {
    Draft::new(kind, name)
}

#[test]
fn paths_come_from_the_field_or_the_name() {
    for kind in ["tar", "gzip", "deploy:tar"] {
        check(true, new(kind, "/a"));
        check(false, new(kind, "a"));
        check(false, new(kind, "/a/"));
        check(false, new(kind, "/a").text("path", "b"));
        check(true, new(kind, "a").text("path", "/b"));
    }
    check(false, new("gzip", "/a").text("input", ""));
    check(false, new("gzip", "/a").set("level", Value::Int(-3)));
    check(false, new("tar", "/a").texts("inputs", &["/b", "c"]));
}

#[test]
fn servers_listen_on_addresses() {
    for kind in ["http:server", "tftp:server"] {
        check(true, new(kind, ":80"));
        check(true, new(kind, "[::1]:80"));
        check(false, new(kind, "localhost:80"));
        check(false, new(kind, "80"));
        check(false, new(kind, ":80").text("root", "/a"));
        check(true, new(kind, "s").text("address", ":80").text("root", "/a/"));
    }
    let dhcp = || new("dhcp:server", ":67").text("interface", "eth0");
    check(true, dhcp().text("leasetime", "").text("serverid", ""));
    check(false, dhcp().text("leasetime", "10"));
    check(false, dhcp().texts("dns", &["10.0.0.1", "x"]));
    check(false, new("dhcp:server", ":67"));
}

#[test]
fn ranges_have_one_mask() {
    let range =
        |from: &str, to: &str, mask: &str| new("dhcp:range", "r").text("from", from).text("to", to).text("mask", mask);
    check(true, range("10.0.0.1", "10.0.0.9", "/24"));
    check(true, range("10.0.0.9", "10.0.0.1/24", ""));
    check(false, range("10.0.0.1", "10.0.0.9", ""));
    check(false, range("10.0.0.1/24", "10.0.0.9", "/24"));
    check(false, range("10.0.0.1", "10.0.0.9", "255.0.255.0"));
    check(false, range("10.0.0.1", "10.0.0.9", "/33"));
    check(false, range("10.0.0.1", "", "/24"));
    check(true, new("dhcp:range", "fd00::/64"));
    check(true, new("dhcp:range", "10.0.0.7/24"));
    check(false, new("dhcp:range", "255.255.255.255/32"));
    check(false, new("dhcp:range", "10.0.0.1"));
}

#[test]
fn accounts() {
    let user = |name: &str| new("user", name).text("state", "exists");
    check(true, user("_bob-1"));
    check(false, user("-bob"));
    check(false, user("a234567890123456789012345678901x"));
    check(false, new("user", "bob"));
    check(false, user("bob").text("group", "a").set("gid", Value::Int(1)));
    check(false, user("bob").text("group", "a").texts("groups", &["a"]));
    check(false, user("bob").texts("groups", &["bob"]));
    check(true, user("bob").text("group", "bob").texts("groups", &["a", "a"]));
    check(false, user("bob").text("homedir", ""));
    check(true, user("bob").text("homedir", "home/"));
    check(false, new("group", "1staff").text("state", "exists"));
}

#[test]
fn a_fingerprint_is_whole_and_needs_tls() {
    let right = format!("sha256={}", "0A:".repeat(31) + "0a");
    let power = |name: String| new("bmc:power", &name).text("state", "on").meta(|meta| meta.poll = 1);
    check(true, power(format!("gofishs://10.0.0.9#{right}")));
    check(true, power(format!("rack#{right}")).text("hostname", "10.0.0.9").text("driver", "rpcs"));
    check(true, power("rack #3".into()).text("hostname", "10.0.0.9").text("driver", "rpc"));
    check(false, power(format!("gofish://10.0.0.9#{right}")));
    check(false, power("gofishs://10.0.0.9#sha256=00".into()));
    check(false, power("gofishs://10.0.0.9#sha1=00".into()));
    let firmware = |name: String| {
        let draft = new("bmc:firmware", &name).text("provider", "p").text("file", "/image").text("version", "2.0");
        draft.meta(|meta| meta.poll = 1)
    };
    check(true, firmware(format!("https://10.0.0.9#{right}")));
    check(false, firmware(format!("http://10.0.0.9#{right}")));
}

#[test]
fn polling_is_needed_or_refused() {
    let poll = |draft: Draft, seconds: i32| draft.meta(|meta| meta.poll = seconds);
    let power = || new("bmc:power", "gofish://10.0.0.9");
    check(false, power());
    check(true, poll(power(), -1));
    check(false, poll(power().text("driver", "s"), 1));
    let vm = || new("hetzner:vm", "v").text("apitoken", "t");
    check(false, poll(vm(), -1));
    check(true, poll(vm(), 1));
    check(false, poll(new("virt", "v"), 1));
    let client = || new("http:client", "c").text("url", "https://a/").set("longpoll", true.into());
    check(true, client().set("longpoll_redirect", true.into()));
    check(false, client());
    check(false, poll(client().set("longpoll_redirect", true.into()), 5));
}

#[test]
fn schedules_and_remotes() {
    let yes = || Value::Bool(true);
    check(true, new("schedule", "s").text("strategy", ""));
    check(false, new("schedule", "s").text("strategy", "random"));
    check(true, new("schedule", "s").set("persist", yes()).set("ttl", Value::Int(0)));
    check(false, new("schedule", "s").set("persist", yes()).set("ttl", Value::Int(1)));
    check(false, new("schedule", "s").set("withdraw", yes()).set("max", Value::Int(0)));
    let remote = |name: &str| new("remote", name).text("ssh_id", "").set("interactive", yes());
    check(true, remote("ssh://root@10.0.0.1:22"));
    check(false, remote("10.0.0.1:99999"));
    check(false, remote("a:b@10.0.0.1"));
    check(true, remote("a:b@10.0.0.1").set("allow_cleartext_password", yes()));
    check(false, remote("r").set("transient", Value::Bool(false)));
    check(false, new("remote", "r").text("ssh_id", ""));
}

#[test]
fn hidden_resources_are_not_asked_but_their_meta_parameters_are() {
    check(false, new("exit", "e").set("code", Value::Int(126)));
    check(true, new("exit", "e").set("code", Value::Int(126)).meta(|meta| meta.hidden = true));
    let limited = |draft: Draft| draft.meta(|meta| (meta.hidden, meta.limit) = (true, 1.0));
    check(false, limited(new("noop", "n")));
    check(false, new("noop", "$n").meta(|meta| meta.hidden = true));
    check(true, new("noop", "$n").meta(|meta| meta.dollar = true));
}

/// Validates on a host with only these files.
#[track_caller]
fn check_there(valid: bool, draft: Draft, files: &[&str]) {
    let state = |path: &str| Datum::Struct(vec![("exists".into(), Datum::Bool(files.contains(&path)))]);
    let answer = |spec: FactSpec| match spec {
        FactSpec::File(file::Fact::State { path }) => Some(state(&path)),
        other => panic!("asked for {other}"),
    };
    let facts: Vec<Option<Datum>> = draft.kind.asks_host(&draft.want()).into_iter().map(answer).collect();
    let got = draft.kind.validate_there(&draft.want(), &facts);
    assert_eq!(got.is_ok(), valid, "{}: {got:?}", draft.want());
    // Facts that the host cannot report refuse nothing.
    let nothing = vec![None; facts.len()];
    assert_eq!(draft.kind.validate_there(&draft.want(), &nothing), Ok(()));
}

const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g";

#[test]
fn users_have_dots_in_their_names_and_groups_have_none() {
    for name in ["first.last", "a.", "_a.b-c"] {
        check(true, new("user", name).text("state", "exists"));
        check(true, new("ssh:authorized_key", KEY).text("state", "exists").text("user", name));
        check(false, new("group", name).text("state", "exists"));
    }
    for name in [".a", "..", "a/b", "a:b", "-a.b"] {
        check(false, new("user", name).text("state", "exists"));
    }
}

#[test]
fn some_rules_need_the_host() {
    let sysctl = || new("sysctl", "net.ipv4.ip_forward");
    check_there(true, sysctl(), &["/proc/sys/net/ipv4/ip_forward"]);
    check_there(false, sysctl().set("runtime", false.into()), &[]);
    let mount = |device: &str| new("mount", "/mnt").text("device", device);
    check_there(true, mount(""), &["/mnt"]);
    check_there(false, mount(""), &[]);
    check_there(true, mount("LABEL=data"), &["/mnt", "/dev/disk/by-label/data"]);
    check_there(false, mount("/dev/sdb1"), &["/mnt"]);
    check_there(true, mount("server:/export").text("type", "nfs"), &["/mnt"]);
    let optional = || Value::map([("nofail".into(), "".into())]);
    check_there(true, mount("LABEL=data").set("options", optional()), &["/mnt"]);
    check_there(true, new("gsettings", "a b"), &["/usr/bin/gsettings"]);
    check_there(false, new("gsettings", "a b"), &[]);
}
