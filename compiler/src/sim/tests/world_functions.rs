//! Every function that reads the world, on the simulated host: its first value, its next one when
//! the world changes (by itself where it is told, else with the next evaluation), its error, and
//! the value after that. Functions spec, 7 and 14.

use super::running::{Running, Seen};
use crate::corelib::{self, Run};
use crate::sim::World;
use crate::vocab::{Datum, KeyStore};

type Change = fn(&mut World);

/// One function's way through a changing world.
struct Row {
    path: &'static str,
    call: &'static str,
    first: Seen,
    /// What happens, after how many milliseconds we look, and what is seen then.
    then: &'static [(Change, u64, Seen)],
}

use Seen::{Catchable, Fatal, Value, Waiting};

const NOTHING: Change = |_| {};

fn row(path: &'static str, call: &'static str, first: Seen, then: &'static [(Change, u64, Seen)]) -> Row {
    Row { path, call, first, then }
}

fn set(world: &mut World, name: &str, value: &str) {
    world.env.insert(name.into(), value.into());
}

fn interface(name: &str, up: bool, wireless: bool, mac: &[u8], address: &str) -> Datum {
    Datum::Struct(vec![
        ("name".into(), Datum::text(name)),
        ("loopback".into(), Datum::Bool(name == "lo")),
        ("up".into(), Datum::Bool(up)),
        ("wireless".into(), Datum::Bool(wireless)),
        ("mac".into(), Datum::Bytes(mac.to_vec())),
        ("addresses".into(), Datum::List(vec![Datum::text(address)])),
    ])
}

const MAC: &[u8] = &[0x52, 0x54, 0, 0x12, 0x34, 0x56];

fn exported(world: &mut World, name: &str, data: Option<&str>) {
    let key = format!("exported/*/host2/file/{name}");
    world.set_key(KeyStore::World, &key, data.map(Datum::text));
}

/// The facts that tell of a change by themselves.
fn told() -> Vec<Row> {
    vec![
        row("datetime.now", "datetime.now()", Value("1767225600"), &[(NOTHING, 1500, Value("1767225601"))]),
        row(
            "datetime.str_now",
            "datetime.str_now()",
            Value(r#""1767225600""#),
            &[(NOTHING, 2500, Value(r#""1767225602""#))],
        ),
        row(
            "datetime.weekday_fast",
            "datetime.weekday_fast()",
            Value(r#""thursday""#),
            &[(NOTHING, 1000, Value(r#""thursday""#)), (NOTHING, 86_400_000, Value(r#""friday""#))],
        ),
        row("sys.uptime", "sys.uptime()", Value("0"), &[(NOTHING, 3500, Value("3"))]),
        row(
            "sys.load",
            "sys.load()",
            Value("struct{x1: 0.1; x5: 0.1; x15: 0.1}"),
            &[(|world| world.load = [2.0, 1.0, 0.5], 6000, Value("struct{x1: 2; x5: 1; x15: 0.5}"))],
        ),
        row(
            "example.flipflop",
            "example.flipflop()",
            Value("true"),
            &[(NOTHING, 5500, Value("false")), (NOTHING, 5000, Value("true"))],
        ),
        row(
            "example.vumeter",
            r#"example.vumeter("=", 4, 0.9)"#,
            Value(r#""(0.500000):\n==\n==""#),
            &[(|world| world.audio_peak = 1.0, 1500, Value(r#""(1.000000):\n==== PEAK!!!\n==== PEAK!!!""#))],
        ),
        row("test.fastcount", "test.fastcount() > 100", Value("false"), &[(NOTHING, 500, Value("true"))]),
        row(
            "test.forloop",
            "test.forloop()",
            Value(r#"["foo"]"#),
            &[(NOTHING, 5500, Value(r#"["bar"]"#)), (NOTHING, 5000, Value(r#"["bar"]"#))],
        ),
        // Each evaluation but the first must find the same argument.
        row("test.one_stream", "test.one_stream(2)", Value(r#""xx""#), &[(NOTHING, 5000, Value(r#""xx""#))]),
        row(
            "test.slow_string",
            "test.slow_string()",
            Waiting,
            &[(NOTHING, 5500, Value(r#""five seconds has elapsed""#))],
        ),
        row(
            "history",
            r#"history(os.readfile("/etc/hostname"), 2000)"#,
            Value(r#""host1\n""#),
            &[
                (|world| world.write("/etc/hostname", "b").unwrap(), 1000, Value(r#""host1\n""#)),
                (NOTHING, 2000, Value(r#""b""#)),
            ],
        ),
        row(
            "os.readfile",
            r#"os.readfile("/srv/a/b")"#,
            Catchable("error reading file: open /srv/a/b: no such file or directory"),
            &[
                (|world| world.make_dir("/srv/a").unwrap(), 100, Catchable("no such file")),
                (|world| world.write("/srv/a/b", "1").unwrap(), 100, Value(r#""1""#)),
                (|world| world.write("/srv/a/b", "2").unwrap(), 100, Value(r#""2""#)),
                (|world| world.rename("/srv/a/b", "/srv/a/c").unwrap(), 100, Catchable("no such file")),
                (
                    |world| world.make_dir("/srv/a/b").unwrap(),
                    100,
                    Fatal("error reading file: read /srv/a/b: is a directory"),
                ),
                (|world| world.remove("/srv/a").unwrap(), 100, Catchable("no such file")),
                (
                    |world| world.make_dir("/srv/a").and_then(|()| world.write("/srv/a/b", "3")).unwrap(),
                    100,
                    Value(r#""3""#),
                ),
            ],
        ),
        row(
            "os.file_exists",
            r#"os.file_exists("/srv/x/y")"#,
            Value("false"),
            &[
                (|world| world.make_dir("/srv/x/y").unwrap(), 100, Value("true")),
                (|world| world.remove("/srv/x").unwrap(), 100, Value("false")),
                (|world| world.write("/srv/x", "").unwrap(), 100, Fatal("not a directory")),
                (|world| world.remove("/srv/x").unwrap(), 100, Value("false")),
            ],
        ),
        row(
            "os.system",
            r#"os.system("echo one; sleep 3; echo two")"#,
            Value(r#""one""#),
            &[(NOTHING, 4000, Value(r#""two""#)), (NOTHING, 4000, Value(r#""two""#))],
        ),
        row(
            "os.user_exists",
            r#"os.user_exists("bob")"#,
            Value("false"),
            &[(
                |world| {
                    let alice = world.users["alice"].clone();
                    world.users.insert("bob".into(), alice);
                },
                100,
                Value("true"),
            )],
        ),
        row(
            "sys.hostname",
            "sys.hostname()",
            Value(r#""host1""#),
            &[(|world| world.hostname = "host9".into(), 100, Value(r#""host9""#))],
        ),
        row(
            "sys.cpu_count",
            "sys.cpu_count()",
            Value("4"),
            &[
                (|world| world.cpus_online = "0-1,3".into(), 100, Value("3")),
                (|world| world.cpus_online = "x".into(), 100, Fatal("could not get CPU count")),
                (|world| world.cpus_online = "0".into(), 100, Value("1")),
            ],
        ),
        row(
            "sys/fwupd.reboot_needed",
            "fwupd.reboot_needed()",
            Value("false"),
            &[(|world| world.firmware_updates = vec![1, 4], 100, Value("true"))],
        ),
        row(
            "net.macs",
            "net.macs()",
            Value(r#"["52:54:00:12:34:56"]"#),
            &[(|world| world.interfaces = Datum::List(vec![]), 100, Value("[]"))],
        ),
        row(
            "net.interface_cidr",
            r#"net.interface_cidr("eth0")"#,
            Value(r#""192.0.2.10/24""#),
            &[
                (
                    |world| world.interfaces = Datum::List(vec![interface("eth0", true, false, MAC, "127.0.0.1/8")]),
                    100,
                    Fatal("interface `eth0` has no global-unicast IPv4 address"),
                ),
                (|world| world.interfaces = Datum::List(vec![]), 100, Fatal("could not find interface `eth0`")),
                (
                    |world| world.interfaces = Datum::List(vec![interface("eth0", true, false, MAC, "10.0.0.1/8")]),
                    100,
                    Value(r#""10.0.0.1/8""#),
                ),
            ],
        ),
        row(
            "net.wired_interface",
            "net.wired_interface()",
            Value(r#""eth0""#),
            &[
                (
                    |world| world.interfaces = Datum::List(vec![interface("wlan0", true, true, MAC, "10.0.0.1/8")]),
                    100,
                    Fatal("no wired network interface found"),
                ),
                (
                    |world| {
                        let one = |name, up| interface(name, up, false, MAC, "10.0.0.1/8");
                        world.interfaces = Datum::List(vec![one("a", false), one("b", true)]);
                    },
                    100,
                    Value(r#""b""#),
                ),
            ],
        ),
        row(
            "net/http.response",
            r#"http.response("page")"#,
            Value(r#"struct{status: 0; output: ""}"#),
            &[(
                |world| {
                    world.http.insert("page".into(), (200, b"hello".to_vec()));
                },
                100,
                Value(r#"struct{status: 200; output: "hello"}"#),
            )],
        ),
        row(
            "world.getval",
            r#"world.getval("colour")"#,
            Value(r#"struct{value: ""; exists: false}"#),
            &[
                (
                    |world| world.set_key(KeyStore::World, "strings/colour", Some(Datum::text("blue"))),
                    100,
                    Value(r#"struct{value: "blue"; exists: true}"#),
                ),
                (
                    |world| world.set_key(KeyStore::World, "strings/colour", None),
                    100,
                    Value(r#"struct{value: ""; exists: false}"#),
                ),
            ],
        ),
        row(
            "world.kvlookup",
            r#"world.kvlookup("ns")"#,
            Value("{}"),
            &[
                (
                    |world| world.set_key(KeyStore::World, "strings/ns/host2", Some(Datum::text("x"))),
                    100,
                    Value(r#"{"host2": "x"}"#),
                ),
                (|world| world.set_key(KeyStore::World, "strings/ns/host2", None), 100, Value("{}")),
            ],
        ),
        row(
            "world.schedule",
            r#"world.schedule("web")"#,
            Value("[]"),
            &[(
                |world| {
                    world.schedules.insert("web".into(), vec!["host2".into()]);
                },
                100,
                Value(r#"["host2"]"#),
            )],
        ),
        row(
            "world/collect.res",
            r#"collect.res("file")"#,
            Value("[]"),
            &[
                (
                    |world| exported(world, "/tmp/a", Some("x")),
                    100,
                    Value(r#"[struct{name: "/tmp/a"; host: "host2"}]"#),
                ),
                (|world| exported(world, "/tmp/a", None), 100, Value("[]")),
            ],
        ),
        stored(
            "value.get_bool",
            r#"value.get_bool("v")"#,
            "false",
            |world| world.set_key(KeyStore::Local, "v", Some(Datum::Bool(true))),
            "true",
        ),
        stored(
            "value.get_str",
            r#"value.get_str("v")"#,
            r#""""#,
            |world| world.set_key(KeyStore::Local, "v", Some(Datum::text("x"))),
            r#""x""#,
        ),
        stored(
            "value.get_int",
            r#"value.get_int("v")"#,
            "0",
            |world| world.set_key(KeyStore::Local, "v", Some(Datum::Int(7))),
            "7",
        ),
        stored(
            "value.get_float",
            r#"value.get_float("v")"#,
            "0",
            |world| world.set_key(KeyStore::Local, "v", Some(Datum::Float(1.5))),
            "1.5",
        ),
    ]
}

/// A typed value of this host's own store: not there, there, of another type, there.
fn stored(path: &'static str, call: &'static str, zero: &str, store: Change, value: &str) -> Row {
    let shown =
        |value: &str, ready: bool| -> Seen { Value(format!("struct{{value: {value}; ready: {ready}}}").leak()) };
    let list: Change = |world| world.set_key(KeyStore::Local, "v", Some(Datum::List(vec![])));
    let gone: Change = |world| world.set_key(KeyStore::Local, "v", None);
    let then = vec![
        (store, 100, shown(value, true)),
        (list, 100, Fatal("type mismatch, check type in Value[v]")),
        (gone, 100, shown(zero, false)),
        (store, 100, shown(value, true)),
    ];
    Row { path, call, first: shown(zero, false), then: then.leak() }
}

/// The facts that are read once: what counts is the world at the start of a program.
fn sampled() -> Vec<Row> {
    vec![
        row(
            "sys.getenv",
            r#"sys.getenv("A")"#,
            Catchable("environment variable not set: A"),
            &[(|world| set(world, "A", "x"), 0, Value(r#""x""#))],
        ),
        row("sys.hasenv", r#"sys.hasenv("A")"#, Value("false"), &[(|world| set(world, "A", ""), 0, Value("true"))]),
        row("sys.env", "len(sys.env())", Value("4"), &[(|world| set(world, "A", ""), 0, Value("5"))]),
        row(
            "os.args",
            "os.args()",
            Value(r#"["mclive", "run"]"#),
            &[(|world| world.args.push("x".into()), 0, Value(r#"["mclive", "run", "x"]"#))],
        ),
        row(
            "os.release",
            "os.release()->id + \"\"",
            Value(r#""debian""#),
            &[
                (|world| world.write("/etc/os-release", "ID=fedora\n").unwrap(), 0, Value(r#""fedora""#)),
                (
                    |world| world.remove("/etc/os-release").unwrap(),
                    0,
                    Fatal("ParseOSRelease failed: No content available from os-release files"),
                ),
            ],
        ),
        row(
            "os.family",
            "os.family()",
            Value(r#""debian""#),
            &[
                (|world| world.write("/etc/redhat-release", "").unwrap(), 0, Value(r#""redhat""#)),
                (|world| world.remove("/etc").unwrap(), 0, Value(r#""""#)),
            ],
        ),
        row(
            "os.is_family_debian",
            "os.is_family_debian()",
            Value("true"),
            &[(|world| world.remove("/etc/debian_version").unwrap(), 0, Value("false"))],
        ),
        row(
            "os.is_family_redhat",
            "os.is_family_redhat()",
            Value("false"),
            &[(|world| world.write("/etc/redhat-release", "").unwrap(), 0, Value("true"))],
        ),
        row(
            "os.is_family_archlinux",
            "os.is_family_archlinux()",
            Value("false"),
            &[(|world| world.write("/etc/arch-release", "").unwrap(), 0, Value("true"))],
        ),
        row(
            "os.is_virtual",
            "os.is_virtual()",
            Value("false"),
            &[(|world| world.machine_texts = vec![b"x".to_vec(), b"QEMU".to_vec()], 0, Value("true"))],
        ),
        row(
            "os.modinfo_loaded",
            r#"os.modinfo_loaded("ext4")"#,
            Value("true"),
            &[(|world| world.kernel_modules.clear(), 0, Value("false"))],
        ),
        row(
            "os.home",
            r#"os.home("alice")"#,
            Value(r#""/home/alice/""#),
            &[(|world| world.users.clear(), 0, Fatal("user: unknown user alice"))],
        ),
        row(
            "os.uid",
            r#"os.uid("alice")"#,
            Value(r#""1000""#),
            &[(|world| world.users.clear(), 0, Fatal("user: unknown user alice"))],
        ),
        row(
            "os.expand_home",
            r#"os.expand_home("~alice/x")"#,
            Value(r#""/home/alice/x""#),
            &[(|world| world.users.clear(), 0, Fatal("can't expand ~alice/ into home directory"))],
        ),
        row(
            "util.hostname_mapper",
            r#"util.hostname_mapper({"52:54:00:12:34:56" => "web1"})"#,
            Value(r#""web1""#),
            &[(|world| world.interfaces = Datum::List(vec![]), 0, Value(r#""""#))],
        ),
        row(
            "golang/os.getenv",
            r#"os.getenv("A")"#,
            Value(r#""""#),
            &[(|world| set(world, "A", "x"), 0, Value(r#""x""#))],
        ),
        row(
            "golang/os.expand_env",
            r#"os.expand_env("-$A-")"#,
            Value(r#""--""#),
            &[(|world| set(world, "A", "x"), 0, Value(r#""-x-""#))],
        ),
        row(
            "golang/os.temp_dir",
            "os.temp_dir()",
            Value(r#""/tmp""#),
            &[(|world| set(world, "TMPDIR", "/x/"), 0, Value(r#""/x/""#))],
        ),
        row(
            "golang/os.user_cache_dir",
            "os.user_cache_dir()",
            Value(r#""/root/.cache""#),
            &[
                (|world| set(world, "XDG_CACHE_HOME", "/c/"), 0, Value(r#""/c/""#)),
                (|world| set(world, "XDG_CACHE_HOME", "c"), 0, Fatal("path in $XDG_CACHE_HOME is relative")),
                (|world| world.env.clear(), 0, Fatal("neither $XDG_CACHE_HOME nor $HOME are defined")),
            ],
        ),
        row(
            "golang/os.user_config_dir",
            "os.user_config_dir()",
            Value(r#""/root/.config""#),
            &[
                (|world| set(world, "XDG_CONFIG_HOME", "/c"), 0, Value(r#""/c""#)),
                (|world| set(world, "XDG_CONFIG_HOME", "c"), 0, Fatal("path in $XDG_CONFIG_HOME is relative")),
                (|world| world.env.clear(), 0, Fatal("neither $XDG_CONFIG_HOME nor $HOME are defined")),
            ],
        ),
        row(
            "golang/os.user_home_dir",
            "os.user_home_dir()",
            Value(r#""/root""#),
            &[(|world| world.env.clear(), 0, Fatal("$HOME is not defined"))],
        ),
        row(
            "golang/os.hostname",
            "os.hostname()",
            Value(r#""host1""#),
            &[(|world| world.hostname = "h".into(), 0, Value(r#""h""#))],
        ),
        row(
            "golang/os.read_file",
            r#"os.read_file("/srv/a")"#,
            Fatal("open /srv/a: no such file or directory"),
            &[
                (|world| world.write("/srv/a", "x").unwrap(), 0, Value(r#""x""#)),
                (
                    |world| world.remove("/srv/a").and_then(|()| world.make_dir("/srv/a")).unwrap(),
                    0,
                    Fatal("read /srv/a: is a directory"),
                ),
            ],
        ),
        row(
            "golang/os.readlink",
            r#"os.readlink("/srv/a")"#,
            Fatal("readlink /srv/a: no such file or directory"),
            &[(|world| world.symlink("/srv/a", "b").unwrap(), 0, Value(r#""b""#))],
        ),
        row(
            "golang/path/filepath.eval_symlinks",
            r#"filepath.eval_symlinks("/srv/a")"#,
            Fatal("lstat /srv/a: no such file or directory"),
            &[(|world| world.symlink("/srv/a", "../etc").unwrap(), 0, Value(r#""/etc""#))],
        ),
        row(
            "golang/os/exec.look_path",
            r#"exec.look_path("tool")"#,
            Fatal(r#"exec: "tool": executable file not found in $PATH"#),
            &[(
                |world| world.write("/usr/bin/tool", "").and_then(|()| world.chmod("/usr/bin/tool", 0o755)).unwrap(),
                0,
                Value(r#""/usr/bin/tool""#),
            )],
        ),
        row(
            "golang/os.mkdir_temp",
            r#"os.mkdir_temp("/srv", "a*") == """#,
            Value("false"),
            &[(|world| world.remove("/srv").unwrap(), 0, Fatal("/srv: no such file or directory"))],
        ),
        row("local.pool", r#"local.pool("n", "a")"#, Value("1"), &[(NOTHING, 0, Value("1"))]),
        row("local.vardir", r#"local.vardir("a/")"#, Value(r#""/var/lib/mclive/vardir/functions/a/""#), &[]),
        row("random1", "len(random1(9))", Value("9"), &[]),
        row(
            "embedded/provisioner.cli_mirror",
            "provisioner.cli_mirror()",
            Value(r#""""#),
            &[(
                |world| {
                    world.settings.insert("mirror".into(), Datum::text("https://m"));
                },
                0,
                Value(r#""https://m""#),
            )],
        ),
    ]
}

/// Whose answer is the host program itself, or chance, or the program's own files: there is no event
/// and nothing to recover from. Their examples run on a host that always answers the same.
const WITHOUT_EVENTS: &[&str] = &[
    "_collect",
    "deploy.",
    "datetime.",
    "embedded/provisioner.",
    "golang.template",
    "golang/math/rand.",
    "golang/os.executable",
    "golang/os.get",
    "golang/path/filepath.abs",
    "golang/runtime.",
    "value.get",
];

/// Looks at a call and at its twin with a fallback, on hosts that saw the same; gives what is wrong.
fn look(twins: &mut [Running; 2], after_ms: u64, seen: Seen, what: &str) -> Option<String> {
    let [plain, caught] = twins.each_mut().map(|running| running.after(after_ms));
    let is_failure = |words: &str| plain.starts_with("error: ") && plain.contains(words);
    let fits = match seen {
        Value(value) => plain == value && caught == value,
        Waiting => plain == "waiting" && caught == "waiting",
        Catchable(words) => is_failure(words) && caught == "\"caught\"",
        Fatal(words) => is_failure(words) && caught == plain,
    };
    (!fits).then(|| format!("{what}: {seen:?}, but {plain} and {caught}"))
}

fn twins(before: &[Change], row: &Row) -> [Running; 2] {
    let is_text = row
        .then
        .iter()
        .map(|(_, _, seen)| seen)
        .chain([&row.first])
        .any(|seen| matches!(seen, Value(value) if value.starts_with('"')) || matches!(seen, Catchable(_)));
    let caught = if is_text { format!("{} <|> \"caught\"", row.call) } else { row.call.to_string() };
    [Running::on(before, row.path, row.call), Running::on(before, row.path, &caught)]
}

#[test]
fn facts_that_are_told_change_by_themselves() {
    let mut wrong = Vec::new();
    for row in told() {
        let mut twins = twins(&[], &row);
        wrong.extend(look(&mut twins, 100, row.first, &format!("{} at first", row.path)));
        for (index, (change, after_ms, seen)) in row.then.iter().enumerate() {
            twins.iter_mut().for_each(|running| running.change(*change));
            wrong.extend(look(&mut twins, *after_ms, *seen, &format!("{} after change {index}", row.path)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn facts_that_are_sampled_are_those_of_the_start() {
    let mut wrong = Vec::new();
    for row in sampled() {
        let mut before: Vec<Change> = Vec::new();
        wrong.extend(look(&mut twins(&before, &row), 100, row.first, &format!("{} at first", row.path)));
        for (index, (change, _, seen)) in row.then.iter().enumerate() {
            before.push(*change);
            wrong.extend(look(&mut twins(&before, &row), 100, *seen, &format!("{} after change {index}", row.path)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_function_of_the_world_is_left_out() {
    let rows: Vec<&str> = told().iter().chain(&sampled()).map(|row| row.path).collect();
    for def in corelib::all().filter(|def| matches!(def.run, Run::World(_))) {
        let is_apart = WITHOUT_EVENTS.iter().any(|prefix| def.path.starts_with(prefix));
        assert!(is_apart || rows.contains(&def.path), "{} has no test", def.path);
    }
}
