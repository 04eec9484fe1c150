use super::*;
use mclive_base::vocab::PolicyList;
use mclive_base::vocab::file;
use mclive_base::vocab::password::Secret;
use mclive_base::vocab::remote::{self, Join, Move, Place, Store, Target, Tunnel};

fn policy(text: &str) -> Policy {
    Policy::parse(text).unwrap()
}

fn changes(text: &str, place: &str) -> bool {
    policy(text).changes().judge(OsStr::new(place), place).is_ok()
}

fn reads(text: &str, place: &str) -> bool {
    policy(text).reads().judge(OsStr::new(place), place).is_ok()
}

#[test]
fn each_list_counts_and_what_is_left_out_allows_all() {
    assert!(changes("", "/etc/x"));
    assert!(changes("paths = ['/srv/**']", "/srv/a/b") && !changes("paths = ['/srv/**']", "/etc/x"));
    let step = Step::File(file::Step::SetMode { path: "/srv/a".into(), mode: 0 });
    assert!(policy("kinds = ['exec']").step(&ResourceId::new("file", "x"), &step).is_err());
    assert!(policy("kinds = ['file']").step(&ResourceId::new("file", "x"), &step).is_ok());
    assert!(policy("kinds = ['file']").runs(EXEC).is_err() && policy("").runs(EXEC).is_ok());
}

/// What kinds declare for their docs are these lists.
#[test]
fn a_power_is_granted_by_its_list() {
    for list in PolicyList::ALL {
        policy(&format!("{} = []", list.name()));
    }
    for power in [
        Power::User("ann", Some(1000)),
        Power::Group("ann", Some(1000)),
        Power::Sysctl("vm.swappiness"),
        Power::Mount("/srv"),
        Power::Link("eth0"),
        Power::Unit("a.service"),
        Power::Package("nginx"),
        Power::Firewall("public:https".into()),
        Power::Container("web"),
        Power::Image("nginx:1"),
        Power::Virtual("domain:web".into()),
        Power::Firmware("device:1".into()),
        Power::Ask("https://example.org/".into()),
        Power::Listen("http:server", "127.0.0.1:80".into()),
        Power::Markup("/"),
    ] {
        let list = power.list();
        assert!(policy(&format!("{} = []", list.name())).power(&power).is_err(), "{power:?}");
        let others = PolicyList::ALL.into_iter().filter(|other| *other != list);
        let others: String = others.map(|other| format!("{} = []\n", other.name())).collect();
        assert_eq!(policy(&others).power(&power), Ok(()), "{power:?}");
    }
}

/// Whether an agent on another host may reach the shared store through this one.
fn tunnels(text: &str) -> bool {
    let target = Target {
        url: "ssh://far:22".into(),
        user: "root".into(),
        host: "far".into(),
        port: 22,
        password: Secret(String::new()),
        key: None,
        host_key: String::new(),
    };
    let store = Store { url: "http://127.0.0.1:2379".into(), group: "main".into() };
    let join = Join { start: None, tunnel: Tunnel { listen: "127.0.0.1:4001".into(), store } };
    let place = Place { target, id: "0".into(), is_kept: true };
    let step = remote::Step { place, change: Move::Join(Box::new(join)) };
    policy(text).step(&ResourceId::new("remote", "far"), &Step::from(step)).is_ok()
}

#[test]
fn what_may_be_changed_may_be_read() {
    let text = "paths = ['/srv/**']\nreads = ['/etc/motd']";
    assert!(reads(text, "/srv/a") && reads(text, "/etc/motd") && !reads(text, "/etc/shadow"));
    assert!(!changes(text, "/etc/motd") && reads("paths = ['/srv/**']", "/etc/shadow"));
    assert!(!reads("reads = ['/etc/motd']", "/srv/a"));
}

#[test]
fn a_refusal_names_the_rule_and_the_place() {
    let error = policy("paths = ['/srv/**']").changes().judge(OsStr::new("/etc/x"), "/srv/l/x").unwrap_err();
    assert_eq!(
        error.message,
        "the policy does not allow changing `/etc/x`, which `/srv/l/x` resolves to: no pattern of `paths` matches it"
    );
}

#[test]
fn a_mistake_is_an_error_and_not_an_open_door() {
    assert!(Policy::parse("path = ['/srv/**']").unwrap_err().contains("unknown field"));
    for pattern in ["srv/**", "/srv/", "/srv/../etc", "/srv//x", "/./x"] {
        let error = Policy::parse(&format!("paths = ['{pattern}']")).unwrap_err();
        assert!(error.contains("can never match"), "{pattern}: {error}");
    }
    assert!(Policy::parse("commands = ['make']").unwrap_err().contains("`commands`"));
}

#[test]
fn servers_listen_where_they_may() {
    let may = |text: &str, address: &str| policy(text).listen("http:server", address).is_ok();
    assert!(may("", ":80") && may("listen = ['127.0.0.1:*']", "127.0.0.1:80"));
    assert!(!may("listen = ['127.0.0.1:*']", ":80") && !may("kinds = ['file']", ":80"));
    assert!(Policy::nothing().listen("http:server", ":80").is_err());
    assert!(!may("listen = ['127.0.0.*:80']", "127.0.0.example.org:80"), "it may lead to every address");
}

#[test]
fn accounts_are_named_and_root_only_on_purpose() {
    let may = |text: &str, name: &str, id| policy(text).power(&Power::User(name, id)).is_ok();
    assert!(may("", "alice", None) && !may("", "root", None) && !may("", "toor", Some(0)));
    assert!(may("users = ['www-*']", "www-data", Some(33)) && !may("users = ['www-*']", "alice", None));
    assert!(!may("users = ['**']", "toor", Some(0)) && may("users = ['0']", "toor", Some(0)));
    assert!(!may("users = ['**']", "root", Some(0)) && may("users = ['root', '0']", "root", Some(0)));
    assert!(Policy::all().power(&Power::User("root", Some(0))).is_ok());
    let group = |text: &str, name: &str, id| policy(text).power(&Power::Group(name, id)).is_ok();
    assert!(group("", "www", None) && !group("groups = ['www']", "sudo", None) && group("groups = ['7']", "", Some(7)));
    let sysctl = |text: &str| policy(text).power(&Power::Sysctl("net.core.somaxconn")).is_ok();
    let unit = |text: &str| policy(text).power(&Power::Unit("nginx.service")).is_ok();
    assert!(unit("") && unit("units = ['nginx.*']") && !unit("units = ['ssh.service']") && !unit("units = []"));
    assert!(Policy::nothing().power(&Power::Unit("nginx.service")).is_err());
    assert!(sysctl("sysctl = ['net.*']") && !sysctl("sysctl = ['vm.*']") && sysctl(""));
    let host = |text: &str| policy(text).power(&Power::Ask("https://me:pw@Example.org/x".into())).is_ok();
    assert!(host("hosts = ['*.org:443']") && host("") && !host("hosts = ['example.org:80']"));
    assert!(Policy::nothing().power(&Power::Ask("http://h/".into())).is_err());
    let near = |url: &str| policy("hosts = ['10.0.0.*']").power(&Power::Ask(url.into())).is_ok();
    assert!(near("http://10.0.0.7/x") && near("ssh://10.0.0.7:2222") && !near("http://10.0.0.example.org/x"));
    assert!(tunnels("") && tunnels("hosts = ['far:22', '127.0.0.1:2379']"));
    assert!(!tunnels("hosts = ['far:22']") && !tunnels("hosts = ['127.0.0.1:2379']") && !tunnels("kinds = ['file']"));
    let package = |text: &str| policy(text).power(&Power::Package("nginx:amd64")).is_ok();
    assert!(package("packages = ['nginx*']") && package("packages = ['nginx']") && package(""));
    assert!(!package("packages = ['curl']") && !package("packages = []"));
    let make = |text: &str| {
        let powers = [Power::Container("web"), Power::Image("registry.example:5000/site:1")];
        powers.iter().all(|power| policy(text).power(power).is_ok())
    };
    assert!(make("") && make("containers = ['web*']\nimages = ['registry.example:5000/**']"));
    assert!(!make("containers = ['db']") && !make("images = ['registry.example/**']") && !make("images = []"));
    let entry = |text: &str, power: Power| policy(text).power(&power).is_ok();
    let (domain, device) = (|| Power::Virtual("domain:web".into()), || Power::Firmware("device:a1".into()));
    assert!(entry("virtual = ['domain:*']", domain()) && entry("firmware = ['device:a1']", device()));
    assert!(!entry("virtual = ['network:*']", domain()) && !entry("firmware = ['remote:*']", device()));
    assert!(Policy::nothing().power(&domain()).is_err() && Policy::nothing().power(&device()).is_err());
    let firewall = |text: &str| policy(text).power(&Power::Firewall("public:443/tcp".into())).is_ok();
    assert!(firewall("firewall = ['public:**']") && firewall("firewall = ['*:443/*']") && firewall(""));
    assert!(!firewall("firewall = ['public:80/tcp']") && !firewall("firewall = ['public:*']"));
    assert!(Policy::nothing().power(&Power::Firewall("public:ssh".into())).is_err());
}

#[test]
fn what_other_hosts_export_is_limited_by_host_and_kind() {
    let from = |text: &str, host: &str| policy(text).collect_from(host);
    assert!(from("", "web1").is_ok() && from("collect_from = ['web*']", "web1").is_ok());
    assert_eq!(
        from("collect_from = ['web*']", "db1").unwrap_err(),
        "the policy does not allow collecting from the host `db1`: no pattern of `collect_from` matches it"
    );
    assert!(from("collect_from = []", "web1").is_err() && from("hosts = []", "web1").is_ok());
    let kind = |text: &str, kind: &str| policy(text).collect_kind(kind);
    assert!(kind("", "file").is_ok() && kind("collect_kinds = ['http:*']", "http:server").is_ok());
    assert_eq!(
        kind("collect_kinds = ['file']", "exec").unwrap_err(),
        "the policy does not allow collecting resources of kind `exec`: no pattern of `collect_kinds` matches it"
    );
    assert!(kind("kinds = ['exec']\ncollect_kinds = []", "exec").is_err() && kind("kinds = []", "exec").is_ok());
}

#[test]
fn a_number_in_place_of_a_name_is_an_account() {
    let may = |text: &str, name: &str| policy(text).power(&Power::User(name, None)).is_ok();
    assert!(!may("", "0") && !may("users = ['*']", "0") && may("users = ['0']", "0") && may("users = ['33']", "33"));
    assert!(!may("users = []", "33") && may("", "33"));
}

#[test]
fn nothing_is_looking_alone() {
    let nothing = Policy::nothing();
    let step = Step::File(file::Step::Create { path: "/x".into(), mode: None });
    assert!(nothing.step(&ResourceId::new("file", "x"), &step).is_err() && nothing.runs(EXEC).is_err());
    assert!(nothing.changes().judge(OsStr::new("/x"), "/x").is_err() && nothing.reads().is_all());
}

#[test]
fn a_command_is_the_place_that_it_is() {
    let run = |text: &str, way: &[&str]| {
        let way: Vec<OsString> = way.iter().map(OsString::from).collect();
        policy(text).program("x", &way, &[]).map(OsStr::to_owned)
    };
    let sh = ["/usr/bin/sh", "/usr/bin/dash"];
    assert_eq!(run("commands = ['/usr/bin/sh']", &sh).unwrap(), "/usr/bin/sh");
    assert_eq!(run("commands = ['/usr/bin/dash']", &sh).unwrap(), "/usr/bin/dash");
    assert!(run("commands = ['/srv/*']", &sh).unwrap_err().contains("`/usr/bin/dash`, which `x` resolves to"));
    let own = "commands = ['/srv/*']\npaths = ['/srv/**']";
    assert!(run(own, &["/srv/x"]).unwrap_err().contains("run_own_files"));
    let aliased = |text: &str| policy(text).program("x", &["/opt/x".into()], &["/srv/x".into()]).map(drop);
    let elsewhere = "commands = ['/opt/*']\npaths = ['/srv/**']";
    assert!(
        aliased(elsewhere)
            .unwrap_err()
            .contains("`/opt/x`, which `x` resolves to: the program can change it as `/srv/x`")
    );
    assert!(aliased(&format!("{elsewhere}\nrun_own_files = true")).is_ok() && aliased("commands = ['/opt/*']").is_ok());
    let own = format!("{own}\nrun_own_files = true");
    assert!(run(&own, &["/srv/x"]).is_ok() && run(&own, &["/srv/x", "/usr/bin/dash"]).is_err());
}

#[test]
fn a_link_of_the_system_means_the_place_behind_it() {
    let lead = |folder: &Path| match folder.to_str() {
        Some("/bin") => Some((PathBuf::from("/usr/b*n"), vec!["/bin".into()])),
        Some("/srv/l") => Some((PathBuf::from("/etc"), vec!["/srv/l".into()])),
        _ => Some((folder.to_owned(), Vec::new())),
    };
    let text = "paths = ['/srv/*', '/srv/l/**']\ncommands = ['/bin/sh', '/bin/a*']";
    let policy = policy(text).on_this_host(lead);
    let may = |place: &str| policy.program("x", &[place.into()], &[]).is_ok();
    assert!(may("/usr/b*n/sh") && may("/bin/ab") && !may("/usr/bin/sh"));
    assert!(policy.changes().judge(OsStr::new("/etc/x"), "/etc/x").is_err(), "the program made that link");
}

#[test]
fn the_example_reads() {
    let policy = policy(include_str!("webserver.toml"));
    let judge = |permit: Permit, place: &str| permit.judge(OsStr::new(place), place).is_ok();
    assert!(judge(policy.changes(), "/srv/www/index.html") && !judge(policy.changes(), "/etc/nginx/nginx.conf"));
    assert!(judge(policy.reads(), "/etc/nginx/nginx.conf") && policy.listen("http:server", ":80").is_err());
}
