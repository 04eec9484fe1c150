//! The limits of a program's web server: how much of its input ends up in a log and on a disk.

use crate::case::{Agent, Case, cannot_look, until};
use crate::chance::times;
use crate::faults::Mounted;
use crate::web::{Asked, free_port, get, parts, post};
use crate::web_proxy::Upstream;
use std::io::{Read, Write};
use std::path::Path;

/// The limit of a log line, whatever was sent: a printed line, or an event. Units: bytes.
const LONGEST_LINE: usize = 80_000;

#[test]
fn a_log_holds_the_beginning_of_what_comes_from_outside() {
    let port = free_port();
    let program = format!(
        r#"http:server "127.0.0.1:{port}" {{ }}
http:server:flag "/flag" {{
	key => "a",
}}
print "shown" {{
	msg => "nothing",
}}
file "@OUT@/posted" {{
	state => "exists",
	content => "nothing",
}}
exec "talks" {{
	cmd => "head -c 2000000 /dev/zero | tr '\\0' x; exit 3",
	shell => "/bin/sh",
}}
Http:Server:Flag["/flag"].value -> Print["shown"].msg
Http:Server:Flag["/flag"].value -> File["@OUT@/posted"].content
"#
    );
    let case = Case::new("web-long", &program);
    let mut agent = case.start_with(&["--json", "--log", "events"]);
    until("the server listens", || !get(port, "/flag").is_empty());
    let value = "v".repeat(2_000_000);
    assert_eq!(parts(&post(port, "/flag", &format!("a={value}"))).0, "200");
    case.holds("out/posted", &value);
    for words in ["print Msg: vvv", "last output: xxx"] {
        until(&format!("the log says {words:?}"), || case.read("events").unwrap().contains(words));
    }
    agent.says("\"text\":\"Msg: vvv");
    assert!(agent.stop().code().is_some());
    let (log, said) = (case.read("events").unwrap(), agent.said());
    for line in log.lines().chain(said.lines()) {
        assert!(line.len() < LONGEST_LINE, "{} bytes: {}", line.len(), &line[..200]);
    }
    // A truncated text ends with its length.
    for text in [&log, &said] {
        let of_print = text.lines().find(|line| line.contains("print Msg: vvv")).unwrap();
        assert!(of_print.contains("(2000011 bytes in all)"), "{}", &of_print[..200]);
    }
}

/// The size of a file system, and its free space. Units: bytes.
fn space(at: &Path) -> (u64, u64) {
    let space = rustix::fs::statvfs(at).unwrap();
    (space.f_blocks * space.f_frsize, space.f_bavail * space.f_frsize)
}

/// `MCLIVE_PROXY_MIB=300` on a disk of that size.
#[test]
fn a_proxy_leaves_room_on_a_small_disk() {
    let n_mib = times("MCLIVE_PROXY_MIB", 16);
    // The cache holds a third of 300 such files.
    let (piece, length) = ([b'x'; 64 << 10], (n_mib << 20) as usize / 400);
    let upstream = Upstream::new(move |line, stream| {
        if line.contains("/endless") {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while stream.write_all(&piece).is_ok() {}
        } else if line.contains("/huge") {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
            while stream.write_all(&piece).is_ok() {}
        } else {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&vec![b'y'; length]));
        }
    });
    let (port, head) = (free_port(), format!("http://127.0.0.1:{}/", upstream.port));
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{ }}\n\
         http:server:proxy \"/m/\" {{ sub => \"/m/\", head => \"{head}\", cache => \"@OUT@/cache/\", }}\n"
    );
    let case = Case::new("web-proxy-disk", &program);
    let disk = case.path("out");
    let Some(_mounted) = Mounted::new(&disk, &format!("size={n_mib}m")) else {
        return cannot_look("nothing can be mounted here; the tests of `spool` and `cache` count without a disk");
    };
    let mut agent = Agent::spawn(case.command(&["run", "--prefix", "out/state", "main.mcl"]));
    until("the server listens", || !get(port, "/x").is_empty());
    let (size, free) = space(&disk);

    // A client with an endless source gets at most half of the free space, which is then freed.
    let mut endless = Asked::get(port, "/m/endless").0;
    let (mut n_read, mut least) = (0, free);
    let mut bytes = vec![0; 64 << 10];
    while let Ok(n @ 1..) = endless.read(&mut bytes) {
        (n_read, least) = (n_read + n as u64, least.min(space(&disk).1));
    }
    // Including the head and the lengths of the chunks.
    assert!(n_read <= free / 2 + free / 50, "{n_read} of {free} bytes");
    assert!(least >= free / 2 - (1 << 20), "{least} of {free} bytes were left");
    // A body that is announced as too large is not received.
    let huge = get(port, "/m/huge");
    assert!(parts(&huge).1.is_empty(), "{} bytes", huge.len());
    until("what was fetched for nothing is gone", || space(&disk).1 + (1 << 20) > free);

    // Endlessly many addresses: each is answered, and the cache stays within its share of the disk.
    for n in 0..300 {
        let answer = get(port, &format!("/m/{n}"));
        assert_eq!((parts(&answer).0, parts(&answer).1.len()), ("200", length), "{n}");
    }
    let kept = || -> u64 {
        let files = std::fs::read_dir(case.path("out/cache")).into_iter().flatten().flatten();
        files.map(|file| file.metadata().map_or(0, |meta| meta.len())).sum()
    };
    until("nothing is on its way", || space(&disk).1 + kept() + (1 << 20) > free);
    println!("{n_mib} MiB: {n_read} bytes of what never ends, {least} of {free} free at least, {} kept", kept());
    assert!(kept() > 0 && kept() <= size / 4, "{} of {size} bytes", kept());
    let audit = case.read("out/state/audit.log").unwrap();
    assert!(audit.contains("not enough space for"), "{audit}");
    assert!(agent.stop().success());
}
