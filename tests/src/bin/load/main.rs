//! `load MCLIVE [SITE] [--programs N] [--seconds N] [--connections N]`: measures `mclive serve`, compares it with nginx
//! for the same files, and judges the goals.
//!
//! ```text
//! a server with an empty store > fill it to a tenth, then whole > after each: reads, resident memory
//! > writes, check > the same bytes from nginx, in turns > a verdict per goal
//! ```
//!
//! The store has 1,000,000 programs unless `--programs` says otherwise; it needs 5 GB and a million inodes in the
//! temporary folder (`TMPDIR`). Each measurement sends requests over `--connections` (16) persistent ones for `--seconds`
//! (5). Client and server share the machine, so all numbers are for comparison.

mod client;
mod servers;
mod store;

use client::{Figures, get, measure, post};
use servers::{Nginx, Serve};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The goals of issue 16.
const MOST_TIMES_NGINX: f64 = 2.0;
const LEAST_READS: f64 = 5_000.0;
const MOST_MEMORY: f64 = 100.0;
/// Flat: the memory with all programs, compared with an empty store. Units: MiB.
const MOST_GROWTH: f64 = 10.0;
/// Turns of the two servers: a machine is not equally busy all the time.
const TURNS: u32 = 3;

struct Args {
    mclive: String,
    site: PathBuf,
    n_programs: u64,
    n_connections: u64,
    limit: Duration,
}

fn main() {
    let Some(args) = args() else {
        eprintln!("usage: load MCLIVE [SITE] [--programs N] [--seconds N] [--connections N]");
        std::process::exit(2);
    };
    let dir = Folder(std::env::temp_dir().join(format!("mclive-load-{}", std::process::id())));
    std::fs::create_dir_all(&dir.0).expect("a temporary folder");
    bench(&args, &dir.0);
}

/// The folder of the bench. A bench that fails leaves no million files behind.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("load: cannot remove {}: {error}", self.0.display());
        }
    }
}

fn args() -> Option<Args> {
    let (mut n_programs, mut n_connections, mut seconds, mut places) = (1_000_000, 16, 5, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--programs" => n_programs = words.next()?.parse().ok().filter(|n| *n > 0)?,
            "--connections" => n_connections = words.next()?.parse().ok().filter(|n| *n > 0)?,
            "--seconds" => seconds = words.next()?.parse().ok().filter(|n| *n > 0)?,
            _ if word.starts_with('-') => return None,
            _ => places.push(word),
        }
    }
    let mut places = places.into_iter();
    let mclive = places.next()?;
    let site = places.next().map_or_else(|| PathBuf::from("www/dist"), PathBuf::from);
    let site = site.canonicalize().expect("a built site; `make site` builds it");
    let limit = Duration::from_secs(seconds);
    places.next().is_none().then_some(Args { mclive, site, n_programs, n_connections, limit })
}

/// What was measured of one kind of request.
struct Row {
    name: String,
    figures: Figures,
    /// Of the server, afterwards. Units: MiB.
    memory: f64,
}

impl Row {
    fn tell(&self) {
        let Row { name, figures: Figures { per_second, p50, p99 }, memory } = self;
        println!("{name:<44}{per_second:>10.0}{p50:>10.2}{p99:>10.2}{memory:>12.1}");
    }
}

fn bench(args: &Args, dir: &Path) {
    let server = Serve::start(&args.mclive, &args.site, &dir.join("store"));
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{n_cores} cores for client and servers; {} connections", args.n_connections);
    println!("{:<44}{:>10}{:>10}{:>10}{:>12}", "", "answers/s", "p50 ms", "p99 ms", "memory MiB");
    let ask = |name: &str, request: &(dyn Fn(u64) -> Vec<u8> + Sync)| {
        let figures = measure(server.port, args.n_connections, args.limit, request);
        let row = Row { name: name.to_owned(), figures, memory: server.memory() };
        row.tell();
        row
    };
    let empty = ask("index.html, 0 programs stored", &|_| get("/")).memory;
    let (mut ids, mut reads) = (Vec::new(), Vec::new());
    for n in [args.n_programs.div_ceil(10), args.n_programs] {
        let began = Instant::now();
        let from = ids.len() as u64;
        ids.extend(store::fill(&dir.join("store"), from..n));
        println!("{n} programs stored ({} more in {:.1} s)", n - from, began.elapsed().as_secs_f64());
        let id = |at: u64| &ids[spread(at, ids.len())];
        reads.push(ask(&format!("/s/ID, {n} programs"), &|at| get(&format!("/s/{}", id(at)))));
        reads.push(ask(&format!("/api/v1/programs/ID, {n} programs"), &|at| {
            get(&format!("/api/v1/programs/{}", id(at)))
        }));
    }
    let full = reads.last().map_or(0.0, |row| row.memory);
    println!(
        "resident: {empty:.1} MiB with 0 programs, {:.1} with {}, {full:.1} with {}",
        reads[1].memory,
        args.n_programs.div_ceil(10),
        args.n_programs
    );
    let first_new = args.n_programs;
    ask("a new program", &|n| post("/api/v1/programs", n, &store::program(n + first_new)));
    ask("check", &|n| post("/api/v1/check", n, &format!("{{\"program\":{}}}", store::program(n))));
    let times = beside(args, &server, dir);
    let most = server.peak();
    println!("\ngoals:");
    match times {
        Some(times) => judge(
            times <= MOST_TIMES_NGINX,
            &format!("static files within {MOST_TIMES_NGINX}x of nginx: {times:.2}x at worst"),
        ),
        None => println!("  unknown  static files within {MOST_TIMES_NGINX}x of nginx: nginx is not installed"),
    }
    let least = reads[2..].iter().map(|row| row.figures.per_second).fold(f64::INFINITY, f64::min);
    judge(least >= LEAST_READS, &format!("{LEAST_READS} reads a second of {} programs: {least:.0}", args.n_programs));
    judge(most < MOST_MEMORY, &format!("resident below {MOST_MEMORY} MiB at all times: {most:.1} MiB at most"));
    judge(
        full - empty <= MOST_GROWTH,
        &format!("flat over {} programs: {:+.1} MiB, at most {MOST_GROWTH}", args.n_programs, full - empty),
    );
}

fn judge(is_met: bool, goal: &str) {
    println!("  {}  {goal}", if is_met { "met    " } else { "MISSED " });
}

/// Both servers have the same files and send the same bytes. Each answers from a single thread: nginx has one worker,
/// and the network of `mclive` has one thread. Returns how many times as many answers nginx gives, at worst. `None`:
/// there is no nginx.
fn beside(args: &Args, server: &Serve, dir: &Path) -> Option<f64> {
    let nginx = Nginx::start(&args.site, dir)?;
    let mut worst: f64 = 0.0;
    for path in ["/".to_owned(), format!("/{}", servers::largest(&args.site, "js"))] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n").into_bytes();
        let (ours, theirs) = (client::once(server.port, &request), client::once(nginx.port, &request));
        assert_eq!((&ours.coding, ours.body.len()), (&theirs.coding, theirs.body.len()), "{path}: not the same bytes");
        assert!(ours.body == theirs.body, "{path}: not the same bytes");
        let what = if ours.coding.is_empty() { "identity" } else { &ours.coding };
        println!("{path}: {} bytes ({what}) from 1 thread of mclive and 1 worker of nginx, in turns", ours.body.len());
        let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            of_ours.push(measure(server.port, args.n_connections, args.limit / TURNS, &|_| request.clone()));
            of_theirs.push(measure(nginx.port, args.n_connections, args.limit / TURNS, &|_| request.clone()));
        }
        let (ours, theirs) = (Figures::median(of_ours), Figures::median(of_theirs));
        worst = worst.max(theirs.per_second / ours.per_second);
        Row { name: format!("mclive: {path}"), figures: ours, memory: server.memory() }.tell();
        Row { name: format!("nginx: {path}"), figures: theirs, memory: nginx.memory() }.tell();
    }
    Some(worst)
}

/// Scattered indices, so that neighbours are not requested one after the other.
fn spread(n: u64, among: usize) -> usize {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize % among
}
