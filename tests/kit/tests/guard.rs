//! The guard finds a change of each sort, in its words, and says nothing where nothing changed.
//!
//! What is changed here is in its own namespaces: the guard is called inside of them, before and after.

use mclive_kit::cgroup::Cgroup;
use mclive_kit::left_out;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

mclive_kit::supervised!();

const GUARD: &str = env!("CARGO_BIN_EXE_guard");

/// Prepares namespaces, has the guard look, makes a change, and has it look again. Out: how that went.
fn told(name: &str, spaces: &[&str], prepare: &str, change: &str) -> Output {
    let file: PathBuf = std::env::temp_dir().join(name);
    let script = format!("set -e; {prepare}\n\"$GUARD\" snapshot \"$FILE\"; {change}\n\"$GUARD\" compare \"$FILE\" 0");
    let mut command = Command::new("unshare");
    command.args(spaces).args(["sh", "-c", &script]).env("GUARD", GUARD).env("FILE", file).stdin(Stdio::null());
    command.output().unwrap()
}

/// Of the sorts that are apart here it tells these differences, in order, and no others.
#[track_caller]
fn check(name: &str, spaces: &[&str], prepare: &str, change: &str, expect: &[&str]) {
    let output = told(name, spaces, prepare, change);
    let said = String::from_utf8_lossy(&output.stdout);
    // Others may work on this machine in the meantime: what all share is theirs to change.
    let sorts: &[&str] = match spaces {
        ["-n"] => &["addresses: ", "routes: ", "packet filter: ", "kernel parameters: net."],
        ["-m"] => &["accounts: ", "unit files: "],
        ["-m", "--propagation", "private"] => &["mounts: "],
        ["-u"] => &["names: the host name"],
        ["-p", ..] => &["processes: "],
        other => panic!("{other:?}"),
    };
    let lines = said.lines().filter_map(|line| line.strip_prefix("  "));
    let lines: Vec<&str> = lines.filter(|line| sorts.iter().any(|sort| line.starts_with(sort))).collect();
    assert!(matches!(output.status.code(), Some(0 | 1)) && output.stderr.is_empty(), "{output:?}");
    assert_eq!(output.status.success(), said.is_empty(), "{output:?}");
    let fits = |(line, expect): (&&str, &&str)| line.contains(expect);
    assert!(lines.len() == expect.len() && lines.iter().zip(expect).all(fits), "{lines:#?}\nexpected {expect:#?}");
}

/// Only root may have namespaces in which the system is changed.
fn may_change() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        left_out("the guard's own tests: only root can change a system apart");
    }
    is_root
}

/// All that can be had apart; what is left (control groups, the clock) is everyone's.
const APART: &str = "mount -t tmpfs tmpfs /run; mount -t tmpfs tmpfs /usr/lib/systemd; d=$(mktemp -d); cp -a /etc $d; \
                     mount --bind $d/etc /etc; ip link set lo up";

#[test]
fn an_idle_machine_is_as_it_was() {
    if !may_change() {
        return;
    }
    // What runs in the meantime and ends is not a change, nor is what the kernel counts and draws.
    let work = "for n in 1 2 3 4 5 6 7 8; do ls /proc/self /proc/sys/kernel >/dev/null; true & done; wait; sleep 1; \
                cat /proc/sys/kernel/random/uuid >/dev/null; ping -c 1 127.0.0.1 >/dev/null 2>&1 || true";
    let output = told("idle", &["-m", "-n", "-u", "-p", "-f", "--mount-proc"], APART, work);
    let said = String::from_utf8_lossy(&output.stdout);
    let changes: Vec<&str> = said.lines().skip(1).filter(|line| !line.starts_with("  control groups: ")).collect();
    assert!(changes.is_empty() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn the_network_is_watched() {
    if !may_change() {
        return;
    }
    let net = |name, change, expect: &[&str]| check(name, &["-n"], "ip link set lo up", change, expect);
    net(
        "address",
        "ip address add 192.0.2.1/24 dev lo",
        &[
            "addresses: inet 192.0.2.1/24 of lo is new: scope global lo",
            "routes: the route broadcast 192.0.2.255 dev lo",
            "routes: the route local 192.0.2.0/24 dev lo",
            "routes: the route local 192.0.2.1 dev lo",
        ],
    );
    let both = ["addresses: the interface lo was ", "kernel parameters: net.ipv6.conf.lo.mtu was \"65536\" and is"];
    net("link", "ip link set lo mtu 1400", &both);
    net(
        "route",
        "ip route add 198.51.100.0/24 dev lo",
        &["routes: the route 198.51.100.0/24 dev lo scope link is new"],
    );
    net("rule", "ip rule add from 192.0.2.7 table 7", &["routes: the rule -4 32765: from 192.0.2.7 lookup 7 is new"]);
}

/// A table for packets of IP is made, when that is asked for by a variable.
#[test]
fn make_a_table() {
    use rustix::net::netlink::{NETFILTER, SocketAddrNetlink};
    use rustix::net::{AddressFamily, SendFlags, SocketType, sendto, socket};
    if std::env::var_os("MCLIVE_KIT_TABLE").is_none() {
        return;
    }
    let message = |kind: u16, flags: u16, body: &[u8]| {
        let length = (16 + body.len()) as u32;
        [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), &flags.to_ne_bytes(), &[0; 8], body].concat()
    };
    // NFNL_MSG_BATCH_BEGIN and _END for the subsystem of nftables, and NFT_MSG_NEWTABLE with its name between them.
    let subsystem = [0, 0, 0, 10];
    let name = [&8u16.to_ne_bytes()[..], &1u16.to_ne_bytes(), b"kit\0"].concat();
    let table = [&[2, 0, 0, 0][..], &name].concat();
    let batch = [message(0x10, 1, &subsystem), message(10 << 8, 0x401, &table), message(0x11, 1, &subsystem)].concat();
    let line = socket(AddressFamily::NETLINK, SocketType::RAW, Some(NETFILTER)).unwrap();
    sendto(&line, &batch, SendFlags::empty(), &SocketAddrNetlink::new(0, 0)).unwrap();
    // A table of the older kind exists only after it has been queried.
    let raw = rustix::net::Protocol::from_raw(255.try_into().unwrap());
    let line = socket(AddressFamily::INET, SocketType::RAW, Some(raw)).unwrap();
    let mut info = [0u8; 84];
    info[..6].copy_from_slice(b"filter");
    let mut length = info.len() as libc::socklen_t;
    let ipt_so_get_info = 64;
    // SAFETY: the kernel writes at most `length` bytes into `info`.
    #[allow(unsafe_code)]
    unsafe {
        libc::getsockopt(line.as_raw_fd(), 0, ipt_so_get_info, info.as_mut_ptr().cast(), &mut length)
    };
}

#[test]
fn the_packet_filter_is_watched() {
    if !may_change() {
        return;
    }
    let own = std::env::current_exe().unwrap();
    let make = format!("MCLIVE_KIT_TABLE=1 {} --quiet --exact make_a_table >/dev/null", own.display());
    let old =
        Command::new("unshare").args(["-n", "sh", "-c", &format!("{make}; cat /proc/net/ip_tables_names")]).output();
    let old = old.is_ok_and(|output| output.stdout == b"filter\n");
    let (old_table, new_table) =
        ("packet filter: the table filter of iptables is new: 4 entries in ", "packet filter: the table kit ");
    if !old {
        left_out("the guard of the older packet filter, which this kernel has not");
    }
    let expect = if old { vec![old_table, new_table] } else { vec![new_table] };
    check("filter", &["-n"], ":", &make, &expect);
}

#[test]
fn mounts_names_and_parameters_are_watched() {
    if !may_change() {
        return;
    }
    let dir = "d=$(mktemp -d)";
    check("mount", &["-m", "--propagation", "private"], dir, "mount -t tmpfs tmpfs $d", &["is new: tmpfs tmpfs rw"]);
    check(
        "unmount",
        &["-m", "--propagation", "private"],
        &format!("{dir}; mount -t tmpfs tmpfs $d"),
        "umount $d",
        &["is gone: tmpfs tmpfs rw"],
    );
    check(
        "over",
        &["-m", "--propagation", "private"],
        &format!("{dir}; mount -t tmpfs tmpfs $d"),
        "mount -t tmpfs tmpfs $d",
        &[" under tmpfs "],
    );
    check(
        "host",
        &["-u"],
        "hostname before",
        "hostname after",
        &["names: the host name was \"before\" and is \"after\""],
    );
    check(
        "parameter",
        &["-n"],
        "echo 0 >/proc/sys/net/ipv4/ip_forward",
        "echo 1 >/proc/sys/net/ipv4/conf/lo/log_martians",
        &["kernel parameters: net.ipv4.conf.lo.log_martians was \"0\" and is \"1\""],
    );
}

#[test]
fn accounts_and_units_are_watched() {
    if !may_change() {
        return;
    }
    let etc = APART;
    check(
        "account",
        &["-m"],
        etc,
        "echo 'kit:x:4711:4711::/:/bin/sh' >>/etc/passwd; echo 'kit:secret:1::::::' >>/etc/shadow",
        &["accounts: kit of /etc/passwd is new: x:4711:4711::/:/bin/sh", "accounts: kit of /etc/shadow is new"],
    );
    let output = told("secret", &["-m"], etc, "echo 'kit:secret:1::::::' >>/etc/shadow");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("secret"), "{output:?}");
    check("gone", &["-m"], etc, "sed -i /^daemon:/d /etc/group", &["accounts: daemon of /etc/group is gone"]);
    let units = "mkdir -p /etc/systemd/system; echo a >/etc/systemd/system/kit.service";
    check(
        "unit",
        &["-m"],
        &format!("{etc}; {units}"),
        "echo b >/etc/systemd/system/kit.service; ln -s kit.service /etc/systemd/system/other.service",
        &["/etc/systemd/system/kit.service was ", "/etc/systemd/system/other.service is new: kit.service"],
    );
}

#[test]
fn a_clock_that_is_set_is_reported() {
    if !may_change() {
        return;
    }
    // In a namespace of time it is the other clock that can be shifted.
    let file = std::env::temp_dir().join("clock");
    let run = |words: &[&str]| Command::new(words[0]).args(&words[1..]).arg(&file).output().unwrap();
    assert!(run(&[GUARD, "snapshot"]).status.success());
    let shifted = run(&["unshare", "--time", "--boottime", "3600", "--fork", GUARD, "compare"]);
    if String::from_utf8_lossy(&shifted.stderr).contains("unshare") {
        return left_out("the guard of the clock: this kernel has no namespaces of time");
    }
    let said = String::from_utf8_lossy(&shifted.stdout);
    assert!(said.contains("clock: the time of the machine's start, in milliseconds was "), "{shifted:?}");
}

#[test]
fn groups_and_processes_that_stay_are_reported() {
    if !may_change() {
        return;
    }
    let leaves = "setsid sh -c 'sleep 1234 & exit' >/dev/null 2>&1 </dev/null";
    check(
        "process",
        &["-p", "-f", "--mount-proc"],
        ":",
        // Both have become what they are to be.
        &format!("sleep 1234 >/dev/null 2>&1 & {leaves}; until test $(pidof sleep | wc -w) = 2; do :; done"),
        &["sleep 1234", "sleep 1234"],
    );
    let file = std::env::temp_dir().join("without");
    let shown = file.display();
    let script = format!(
        "{GUARD} snapshot {shown} without processes || exit; sleep 1234 & {GUARD} compare {shown} 0; code=$?; kill $!; exit $code"
    );
    let run = Command::new("unshare").args(["-p", "-f", "--mount-proc", "sh", "-c", &script]).output().unwrap();
    assert!(!String::from_utf8_lossy(&run.stdout).contains("sleep 1234") && run.stderr.is_empty(), "{run:?}");
    let run = Command::new(GUARD).args(["snapshot", file.to_str().unwrap(), "without", "dreams"]).output().unwrap();
    assert!(String::from_utf8_lossy(&run.stderr).contains("unknown sort of state: dreams"), "{run:?}");
    let file = std::env::temp_dir().join("groups");
    let run = |word: &str| Command::new(GUARD).args([word.as_ref(), file.as_os_str()]).output().unwrap();
    assert!(run("snapshot").status.success());
    let group = match Cgroup::new("guarded") {
        Ok(group) => group,
        Err(why) => return left_out(&format!("the guard of control groups: {why}")),
    };
    let folder = group.folders()[0].display().to_string();
    let compared = run("compare");
    let said = String::from_utf8_lossy(&compared.stdout);
    assert!(said.contains(&format!("control groups: {folder} is new")), "{compared:?}");
    drop(group);
    let compared = run("compare");
    assert!(!String::from_utf8_lossy(&compared.stdout).contains(&folder), "{compared:?}");
}

#[test]
fn what_cannot_be_looked_at_is_an_error() {
    let missing = Command::new(GUARD).args(["compare", "/no/such/file"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    let without_ip = Command::new(GUARD).args(["compare", "/dev/null"]).output().unwrap();
    assert!(String::from_utf8_lossy(&without_ip.stderr).contains("is not a snapshot"), "{without_ip:?}");
    let file = std::env::temp_dir().join("pathless");
    let pathless = Command::new(GUARD).arg("snapshot").arg(file).env("PATH", "/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&pathless.stderr);
    assert!(pathless.status.code() == Some(2) && said.contains("cannot read the addresses: `ip`"), "{said}");
}
