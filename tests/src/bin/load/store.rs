//! The stored programs, written as the server would write them, but without a sync for each.

use mclive_base::hash::sha256;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

const ALPHABET: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

/// So many files are on their way to the disk for long, which would be measured with what comes next.
const MANY: u64 = 10_000;

/// A program in its canonical form.
pub(crate) fn program(n: u64) -> String {
    let text = format!("print \\\"program {n}\\\" {{}}\\n");
    format!("{{\"mclive\":1,\"version\":\"0.1.0\",\"entry\":\"main.mcl\",\"files\":{{\"main.mcl\":\"{text}\"}}}}")
}

/// Writes these programs into the store of a server, which has all its folders, and returns their IDs.
pub(crate) fn fill(store: &Path, numbers: Range<u64>) -> Vec<String> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let n_programs = numbers.end - numbers.start;
    let share = n_programs.div_ceil(n_threads);
    let ids = std::thread::scope(|scope| {
        let write = |thread: u64| {
            let from = (numbers.start + thread * share).min(numbers.end);
            let part = from..(from + share).min(numbers.end);
            scope.spawn(move || part.map(|n| put(store, &program(n))).collect::<Vec<String>>())
        };
        let writing: Vec<_> = (0..n_threads).map(write).collect();
        writing.into_iter().flat_map(|one| one.join().expect("it writes to the end")).collect()
    });
    if n_programs >= MANY {
        let synced = Command::new("sync").arg("--file-system").arg(store).status();
        assert!(synced.is_ok_and(|status| status.success()), "the programs are on the disk");
    }
    ids
}

fn put(store: &Path, program: &str) -> String {
    let hash = sha256(program.as_bytes());
    let bit = |at: usize| usize::from(hash[at / 8] >> (7 - at % 8) & 1);
    let digit = |at: usize| (at * 5..at * 5 + 5).fold(0, |digit, at| digit << 1 | bit(at));
    let id: String = (0..10).map(|at| char::from(ALPHABET[digit(at)])).collect();
    std::fs::write(store.join("programs").join(&id[..2]).join(&id), program).expect("a program");
    id
}
