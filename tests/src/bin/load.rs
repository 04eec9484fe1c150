//! `load MCLIVE [SITE]`: measures the throughput of `mclive serve`, compared with nginx for the same files.
//!
//! It fills a store (`LOAD_PROGRAMS`, 100,000 by default), sends requests over persistent connections for
//! `LOAD_SECONDS` each, and prints answers per second, the median, the 99th percentile, and the memory of the server.

use mclive_base::hash::sha256;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CONNECTIONS: u64 = 16;
const ALPHABET: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(mclive) = args.first() else { panic!("usage: load MCLIVE [SITE]") };
    let site =
        args.get(1).map_or_else(|| PathBuf::from("www/dist"), PathBuf::from).canonicalize().expect("a built site");
    let dir = std::env::temp_dir().join(format!("mclive-load-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let n_programs = number("LOAD_PROGRAMS", 100_000);
    let limit = Duration::from_secs(number("LOAD_SECONDS", 5));

    let began = Instant::now();
    let ids: Vec<String> = (0..n_programs).map(|n| store(&dir.join("store"), &program(n))).collect();
    println!("{n_programs} programs stored in {:.1} s", began.elapsed().as_secs_f64());
    let (mut server, port) = serve(mclive, &site, &dir);
    let page = largest(&site, "js");
    let files = move |_| format!("GET /{page} HTTP/1.1\r\nHost: h\r\nAccept-Encoding: br\r\n\r\n").into_bytes();
    println!("{:<34}{:>10}{:>10}{:>10}{:>12}", "", "answers/s", "p50 ms", "p99 ms", "memory MiB");
    let tell = |name: &str, port: u16, pid: u32, request: &(dyn Fn(u64) -> Vec<u8> + Sync)| {
        let (per_second, p50, p99) = measure(port, limit, request);
        println!("{name:<34}{per_second:>10.0}{p50:>10.2}{p99:>10.2}{:>12.1}", memory(pid));
    };
    let pid = server.id();
    tell("index.html", port, pid, &|_| get("/"));
    tell("the largest script", port, pid, &files);
    tell("a stored program", port, pid, &|n| get(&format!("/api/v1/programs/{}", ids[spread(n, ids.len())])));
    tell("the page of a short link", port, pid, &|n| get(&format!("/s/{}", ids[spread(n, ids.len())])));
    tell("a new program", port, pid, &|n| post("/api/v1/programs", &program(n + n_programs)));
    tell("check", port, pid, &|n| post("/api/v1/check", &format!("{{\"program\":{}}}", program(n))));
    match nginx(&site, &dir) {
        Some((mut nginx, port)) => {
            tell("nginx: index.html", port, nginx.id(), &|_| get("/"));
            tell("nginx: the largest script", port, nginx.id(), &files);
            let _ = nginx.kill().and_then(|()| nginx.wait());
        }
        None => println!("nginx is not there to compare with"),
    }
    let _ = server.kill().and_then(|()| server.wait());
    std::fs::remove_dir_all(&dir).expect("it is ours");
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A program in its canonical form.
fn program(n: u64) -> String {
    let text = format!("print \\\"program {n}\\\" {{}}\\n");
    format!("{{\"mclive\":1,\"version\":\"0.1.0\",\"entry\":\"main.mcl\",\"files\":{{\"main.mcl\":\"{text}\"}}}}")
}

/// Writes a program into the store, and returns its ID.
fn store(store: &Path, program: &str) -> String {
    let hash = sha256(program.as_bytes());
    let bit = |at: usize| usize::from(hash[at / 8] >> (7 - at % 8) & 1);
    let digit = |at: usize| (at * 5..at * 5 + 5).fold(0, |digit, at| digit << 1 | bit(at));
    let id: String = (0..10).map(|at| char::from(ALPHABET[digit(at)])).collect();
    let shelf = store.join("programs").join(&id[..2]);
    std::fs::create_dir_all(&shelf).expect("a shelf");
    std::fs::write(shelf.join(&id), program).expect("a program");
    id
}

fn serve(mclive: &str, site: &Path, dir: &Path) -> (Child, u16) {
    let mut server = Command::new(mclive)
        .args([
            "serve",
            "--address",
            "127.0.0.1:0",
            "--limit-requests",
            "0",
            "--limit-mib",
            "0",
            "--limit-compute",
            "0",
        ])
        .arg("--site")
        .arg(site)
        .arg("--store")
        .arg(dir.join("store"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the agent");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
    let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
    (server, port.expect("an address"))
}

/// The same files served by nginx, if this machine has it.
fn nginx(site: &Path, dir: &Path) -> Option<(Child, u16)> {
    let port = std::net::TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|part| format!("{part}_temp_path {}/{part};\n", dir.display()))
        .concat();
    let config = format!(
        "daemon off;\nmaster_process off;\nuser root;\npid {0}/nginx.pid;\nerror_log {0}/nginx.log;\nevents {{}}\nhttp {{\naccess_log off;\n\
         sendfile on;\nkeepalive_requests 1000000;\n{temporary}server {{ listen 127.0.0.1:{port}; root {1}; }}\n}}\n",
        dir.display(),
        site.display(),
    );
    let path = dir.join("nginx.conf");
    std::fs::write(&path, config).ok()?;
    let nginx = Command::new("nginx").arg("-c").arg(&path).stderr(Stdio::null()).spawn().ok()?;
    let is_up = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    is_up.then_some((nginx, port))
}

fn largest(site: &Path, ending: &str) -> String {
    let files = std::fs::read_dir(site).expect("a site").map(|entry| entry.expect("a file").path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == ending));
    let largest = files.max_by_key(|path| path.metadata().map_or(0, |about| about.len())).expect("a script");
    largest.file_name().expect("it has one").to_string_lossy().into_owned()
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n").into_bytes()
}

fn post(path: &str, body: &str) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Scattered indices, so that neighbours are not requested one after the other.
fn spread(n: u64, among: usize) -> usize {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize % among
}

/// Sends requests over several connections; returns answers per second, and the median and the 99th percentile in
/// milliseconds.
fn measure(port: u16, limit: Duration, request: &(dyn Fn(u64) -> Vec<u8> + Sync)) -> (f64, f64, f64) {
    let began = Instant::now();
    let mut all: Vec<Duration> = std::thread::scope(|scope| {
        let ask = |connection: u64| {
            move || {
                let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).expect("a connection"));
                stream.get_ref().set_nodelay(true).expect("a socket");
                let mut took = Vec::new();
                for n in (0..).map(|n| n * CONNECTIONS + connection).take_while(|_| began.elapsed() < limit) {
                    let bytes = request(n);
                    let asked = Instant::now();
                    stream.get_mut().write_all(&bytes).expect("it takes a request");
                    hear(&mut stream);
                    took.push(asked.elapsed());
                }
                took
            }
        };
        let asking: Vec<_> = (0..CONNECTIONS).map(|connection| scope.spawn(ask(connection))).collect();
        asking.into_iter().flat_map(|one| one.join().expect("it asks to the end")).collect()
    });
    let seconds = began.elapsed().as_secs_f64();
    all.sort_unstable();
    let at = |part: f64| all[((all.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    (all.len() as f64 / seconds, at(0.5), at(0.99))
}

/// Reads one whole answer, which must be successful.
fn hear(stream: &mut BufReader<TcpStream>) {
    let (mut line, mut length, mut status) = (String::new(), 0, String::new());
    loop {
        line.clear();
        stream.read_line(&mut line).expect("an answer");
        let head = line.trim_end().to_ascii_lowercase();
        if head.is_empty() {
            break;
        }
        if status.is_empty() {
            status = head;
        } else if let Some(value) = head.strip_prefix("content-length: ") {
            length = value.parse().expect("a length");
        }
    }
    assert!(status.contains(" 20"), "{status}");
    std::io::copy(&mut stream.take(length), &mut std::io::sink()).expect("a body");
}

/// The memory of the process. Units: MiB.
fn memory(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
}
