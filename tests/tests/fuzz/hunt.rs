//! [`hunt`]: plays inputs of a target until the time is up, where a panic, a deep recursion or a hang is seen, and keeps what
//! fails.

use crate::dice::Dice;
use mclive_compiler::hash::sha256;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Something that reads what strangers write.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// The ending of its findings, which says how people open them.
    pub(crate) ending: &'static str,
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Another input, made of seeds.
    pub(crate) make: fn(&mut Dice, &[Vec<u8>]) -> Vec<u8>,
    /// Panics where something is wrong.
    pub(crate) check: fn(&[u8]),
}

/// Longer than any input may take, in a build without optimisation on a busy machine.
const TOO_LONG: Duration = Duration::from_secs(240);

/// Of the thread that checks: what the agent gives the brain.
const STACK: usize = 8 << 20;

/// A run as a test.
const SECONDS: u64 = 2;

/// Failures that a run looks for.
const MOST: usize = 20;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where what was found stays.
fn findings() -> PathBuf {
    root().join("tests/findings")
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// What was found before: a name, without its ending, and where it is.
pub(crate) fn kept(target: &Target) -> Vec<(String, PathBuf)> {
    let found = crate::text::below(&findings());
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let named = found.into_iter().map(|path| (stem(&path), path));
    named.filter(|(name, _)| name.strip_prefix(target.name).is_some_and(|rest| rest.starts_with('-'))).collect()
}

/// A finding that no target plays would be forgotten.
pub(crate) fn each_finding_is_played(targets: &[&Target]) -> Result<(), String> {
    let played: Vec<PathBuf> = targets.iter().flat_map(|target| kept(target)).map(|(_, path)| path).collect();
    let forgotten: Vec<PathBuf> =
        crate::text::below(&findings()).into_iter().filter(|path| !played.contains(path)).collect();
    if forgotten.is_empty() { Ok(()) } else { Err(format!("named TARGET-NAME they would be played: {forgotten:?}")) }
}

/// Why an input fails; `None`: it ends well.
fn failure(target: &Target, input: &[u8]) -> Option<String> {
    let (done, ended) = channel();
    let (check, input) = (target.check, input.to_vec());
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        // Dropped by a panic as well.
        let _done = done;
        check(&input);
    });
    let thread = thread.expect("a thread can be started");
    match ended.recv_timeout(TOO_LONG) {
        // It continues until the process ends.
        Err(RecvTimeoutError::Timeout) => Some(format!("it takes longer than {TOO_LONG:?}")),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => thread.join().err().map(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        }),
    }
}

pub(crate) fn stays_fixed(target: &'static Target, path: &Path) -> Result<(), String> {
    let input = std::fs::read(path).map_err(|error| error.to_string())?;
    // What only took long is tried again: the machine may have been busy.
    failure(target, &input).and_then(|_| failure(target, &input)).map_or(Ok(()), Err)
}

/// Writes an input to the findings, for ever: its path.
fn keep(target: &Target, input: &[u8], findings: &Path) -> PathBuf {
    let name: String = sha256(input)[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    let path = findings.join(format!("{}-{name}.{}", target.name, target.ending));
    std::fs::write(&path, input).expect("findings can be kept");
    path
}

/// Where the input at work is, for what ends the whole process.
fn at_work(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}-{}", target.name, std::process::id()))
}

/// What was at work in runs that are over and could not say how they ended.
fn left_behind(target: &Target) -> Vec<Vec<u8>> {
    let prefix = format!("fuzz-{}-", target.name);
    let mut found = Vec::new();
    for path in crate::text::below(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_over = |pid: &str| !Path::new("/proc").join(pid).exists();
        if name.strip_prefix(&prefix).is_some_and(is_over) {
            found.extend(std::fs::read(&path));
            let _ = std::fs::remove_file(path);
        }
    }
    found
}

pub(crate) fn hunt(target: &'static Target) -> Result<(), String> {
    let (seconds, seed) = (number("MCLIVE_FUZZ_SECONDS", SECONDS), number("MCLIVE_FUZZ_SEED", 0x5eed));
    let failures = hunt_for(target, Duration::from_secs(seconds), seed, &findings(), MOST);
    if failures.is_empty() { Ok(()) } else { Err(format!("from seed {seed}:\n{}", failures.join("\n"))) }
}

/// What failed, a line each with the file in which it is kept.
fn hunt_for(target: &'static Target, time: Duration, seed: u64, findings: &Path, most: usize) -> Vec<String> {
    let mut failures = Vec::new();
    // Kept before it is tried: it may end this process as well, and then it is there.
    for input in left_behind(target) {
        let path = keep(target, &input, findings);
        match failure(target, &input) {
            Some(why) => failures.push(format!("{}: {why}", path.display())),
            None => drop(std::fs::remove_file(path)),
        }
    }
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{} has seeds", target.name);
    let (mut dice, current) = (Dice::new(seed), at_work(target));
    let (began, mut n_inputs) = (Instant::now(), 0_u64);
    while (n_inputs == 0 || began.elapsed() < time) && failures.len() < most {
        let input = (target.make)(&mut dice, &seeds);
        std::fs::write(&current, &input).expect("the temporary folder can be written");
        n_inputs += 1;
        // What only took long is tried again: the machine may have been busy.
        if let Some(why) = failure(target, &input).and_then(|_| failure(target, &input)) {
            let path = keep(target, &input, findings);
            failures.push(format!("{}: {}", path.display(), why.chars().take(300).collect::<String>()));
        }
    }
    let _ = std::fs::remove_file(&current);
    eprintln!("{}: {n_inputs} inputs in {:.1?} from seed {seed}", target.name, began.elapsed());
    failures
}

/// Fails for what begins with a zero.
static PLANTED: Target = Target {
    name: "planted",
    ending: "bin",
    seeds: || vec![b"seed".to_vec()],
    make: |dice, _| vec![dice.below(2) as u8, dice.below(256) as u8],
    check: |input| assert!(input[0] != 0, "a failure that this test plants"),
};

pub(crate) fn what_fails_is_kept_and_fails_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("planted-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A run that was ended in the middle of an input.
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let at_work = format!("fuzz-planted-{}", ended.id());
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(at_work), b"\0left").unwrap();
    let failures = hunt_for(&PLANTED, Duration::from_secs(60), 1, &folder, 2);
    let kept = crate::text::below(&folder);
    assert_eq!(failures.len(), 2);
    assert!(kept.iter().any(|path| std::fs::read(path).unwrap() == b"\0left"), "{kept:?}");
    for path in &kept {
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(name.starts_with("planted-") && name.ends_with(".bin"), "{name}");
        assert!(
            failures.iter().any(|told| told.contains(&*name) && told.contains("a failure that this test plants")),
            "{failures:?}"
        );
        assert!(stays_fixed(&PLANTED, path).unwrap_err().contains("a failure that this test plants"));
    }
    std::fs::remove_dir_all(folder).unwrap();
}
