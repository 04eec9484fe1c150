//! Downloads that break off on a small disk: what arrived is dropped or resumed, there is room for the next one, and
//! nothing is left over.

use crate::case::{Agent, Case, cannot_look, until};
use crate::faults::Mounted;
use crate::web::{Asked, free_port, get, parts};
use crate::web_proxy::Upstream;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

const MIB: usize = 1 << 20;
/// The size of the disk. Everything that the tests download together is much larger.
const DISK: usize = 12 * MIB;
/// Free space comes and goes with the logs of the agent.
const SLACK: u64 = 512 << 10;

/// A case whose `out` is a small disk, with the agent's state on it.
struct Small {
    case: Case,
    _mounted: Mounted,
    /// The free space at the start. Units: bytes.
    free: u64,
}

impl Small {
    fn new(name: &str) -> Option<Small> {
        let case = Case::new(name, "");
        let Some(mounted) = Mounted::new(&case.path("out"), &format!("size={DISK}")) else {
            cannot_look(&format!("{name}: nothing can be mounted here"));
            return None;
        };
        let free = free(&case.path("out"));
        Some(Small { case, _mounted: mounted, free })
    }

    fn start(&self, program: &str) -> Agent {
        self.case.program(program);
        Agent::spawn(self.case.command(&["run", "--prefix", "out/state", "main.mcl"]))
    }

    /// Waits until only this much of the disk is taken, besides logs.
    #[track_caller]
    fn takes(&self, n_bytes: usize) {
        let least = self.free - n_bytes as u64 - SLACK;
        until(&format!("at most {n_bytes} bytes are taken"), || free(&self.case.path("out")) >= least);
    }

    /// The files that are larger than a log.
    fn large(&self) -> Vec<PathBuf> {
        let is_large = |path: &PathBuf| path.metadata().is_ok_and(|meta| meta.len() > SLACK / 2);
        self.case.tree().into_keys().filter(is_large).collect()
    }
}

fn free(at: &Path) -> u64 {
    let space = rustix::fs::statvfs(at).unwrap();
    space.f_bavail * space.f_frsize
}

fn head(stream: &mut TcpStream, status: &str, headers: &str, length: usize) {
    let _ = write!(stream, "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
}

#[test]
fn a_proxy_drops_what_breaks_off_and_what_nobody_waits_for() {
    let Some(small) = Small::new("downloads-proxy") else { return };
    let (left, is_left) = channel();
    let upstream = Upstream::new(move |line, stream| {
        let body = vec![b'x'; MIB];
        if line.contains("/cut") {
            head(stream, "200 OK", "", 3 * MIB);
            let _ = stream.write_all(&body);
        } else if line.contains("/stuck") {
            head(stream, "200 OK", "", 3 * MIB);
            let _ = stream.write_all(&body);
            // Until the agent closes the connection.
            let _ = stream.read(&mut [0]);
            let _ = left.send(());
        } else {
            head(stream, "200 OK", "", MIB);
            let _ = stream.write_all(&body);
        }
    });
    let port = free_port();
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{ }}\n\
         http:server:proxy \"/m/\" {{ sub => \"/m/\", head => \"http://127.0.0.1:{}/\", cache => \"@OUT@/cache/\", }}\n",
        upstream.port
    );
    let mut agent = small.start(&program);
    until("the server listens", || !get(port, "/x").is_empty());
    for n in 0..20 {
        let answer = get(port, &format!("/m/cut{n}"));
        // What the proxy had not passed on when the download broke off is lost to the visitor, too.
        let (status, body) = parts(&answer);
        assert!(status == "200" && body.len() <= MIB, "{n}: {status}, {} bytes", body.len());
    }
    small.takes(0);
    for n in 0..20 {
        let mut asked = Asked::get(port, &format!("/m/stuck{n}")).0;
        assert!(asked.read(&mut [0; 4096]).unwrap() > 0);
        drop(asked);
        is_left.recv_timeout(Duration::from_secs(120)).expect("a download without visitors ends");
    }
    small.takes(0);
    assert_eq!(small.large(), Vec::<PathBuf>::new());
    assert_eq!(parts(&get(port, "/m/whole")).1.len(), MIB);
    let kept = small.case.path("out/cache/whole");
    until("what is whole is kept", || kept.metadata().is_ok_and(|meta| meta.len() == MIB as u64));
    small.takes(MIB);
    assert_eq!(small.large(), [kept]);
    assert!(agent.stop().success());
    small.takes(MIB);
}

#[test]
fn a_client_resumes_what_broke_off_within_its_share_of_the_disk() {
    let Some(small) = Small::new("downloads-client") else { return };
    // In pieces of a quarter of a MiB.
    let whole: Vec<u8> = (0..4 * MIB).map(|at| (at / 1000) as u8).collect();
    let served = whole.clone();
    let (told, disk) = (std::sync::Arc::new(std::sync::Mutex::new(Vec::new())), small.case.path("out"));
    let tells = told.clone();
    let upstream = Upstream::ranged(move |line, from, stream| {
        tells.lock().unwrap().push((from, free(&disk)));
        if line.contains("/huge") {
            head(stream, "200 OK", "ETag: \"h\"\r\n", 1 << 40);
            while stream.write_all(&[b'x'; 4096]).is_ok() {}
            return;
        }
        let range = format!("ETag: \"w\"\r\nContent-Range: bytes {from}-{}/{}\r\n", served.len() - 1, served.len());
        match from {
            0 => head(stream, "200 OK", "ETag: \"w\"\r\n", served.len()),
            _ => head(stream, "206 Partial Content", &range, served.len() - from),
        }
        let _ = stream.write_all(&served[from..served.len().min(from + MIB / 4)]);
    });
    let client = |path: &str| {
        let url = format!("http://127.0.0.1:{}/{path}", upstream.port);
        format!(
            "http:client \"@OUT@/page\" {{ url => \"{url}\", Meta:retry => -1, Meta:delay => 10, Meta:poll => 3600, }}\n"
        )
    };
    let mut agent = small.start(&client("huge"));
    agent.says("not enough disk space");
    small.takes(0);
    assert!(agent.stop().code().is_some());
    small.case.write("out/page", "old");
    told.lock().unwrap().clear();

    let mut agent = small.start(&client("whole"));
    let page = small.case.path("out/page");
    until("the page is whole", || std::fs::read(&page).is_ok_and(|found| found == whole));
    let told = told.lock().unwrap();
    let from: Vec<usize> = told.iter().map(|(from, _)| *from).collect();
    assert!(from.is_sorted() && from.len() >= 16, "each piece was asked for once: {from:?}");
    let least = told.iter().map(|(_, free)| *free).min().unwrap();
    assert!(least >= small.free / 2 - SLACK, "{least} of {} bytes were left", small.free);
    assert_eq!(small.large(), std::slice::from_ref(&page));
    assert!(agent.stop().success());
    // The copy to restore it from is gone with the agent.
    small.takes(4 * MIB);
    assert_eq!(small.large(), [page]);
}
