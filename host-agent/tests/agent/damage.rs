//! Random damage by other users, over many files, with a fighting process and a flood at the same time. When it is
//! quiet everything is as described, and the agent has not grown.
//!
//! As root the agent is attacked by another user, who owns the folders and some of the files, and by root itself, which
//! does what that user cannot. Otherwise one user does everything.
//!
//! `MCLIVE_DAMAGE_SECONDS=600` continues for so long, and then also demands that all is repaired in five seconds.
//! `MCLIVE_DAMAGE_SEED=7` damages in another order.

use crate::case::{Agent, Case, until};
use crate::chance::{Chance, times};
use crate::scale::{n_files, status};
use rustix::fs::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Directories that the program describes, those that it only needs, and the files in each.
const N_OWN: usize = 12;
const N_OTHERS: usize = 8;
const N_FILES: usize = 50;
const CONTENT: &str = "as described\n";
const MODE: u32 = 0o640;
/// The other user, who exists on every host: `nobody`.
const STRANGER: u32 = 65534;
/// A lost repair never happens; a busy machine is slow, but continues. This is for the time without progress.
const LOST: Duration = Duration::from_secs(60);
/// Where dangling links lead.
const NOWHERE: &str = "nowhere/at/all";
/// A log is rotated before it is much larger than this.
const LARGEST_LOG: u64 = 40 << 20;

/// The program, and the paths of its files.
fn described(case: &Case) -> (String, Vec<PathBuf>) {
    let mut dirs = Vec::new();
    let mut program = String::new();
    let owned = |by: u32| if is_root() { format!("\towner => \"{by}\",\n") } else { String::new() };
    for n in 0..N_OWN {
        dirs.push(format!("own{n}"));
        let owner = owned(STRANGER);
        program += &format!("file \"@OUT@/own{n}/\" {{\n\tstate => \"exists\",\n\tforce => true,\n{owner}}}\n");
    }
    dirs.extend((0..N_OTHERS).map(|n| format!("other{n}")));
    let mut files = Vec::new();
    for (dir, n) in dirs.iter().flat_map(|dir| (0..N_FILES).map(move |n| (dir, n))) {
        files.push(case.path("out").join(dir).join(format!("f{n}")));
        let owner = owned(owner_of(n));
        program += &format!(
            "file \"@OUT@/{dir}/f{n}\" {{\n\tstate => \"exists\",\n\tcontent => \"as described\\n\",\n\tmode => \"0640\",\n\tforce => true,\n{owner}}}\n"
        );
    }
    (program, files)
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// The stranger may write to every second file, and can only replace the others.
fn owner_of(n: usize) -> u32 {
    if n.is_multiple_of(2) { STRANGER } else { 0 }
}

/// Any file may just have become a pipe without another end, and opening one must not block.
fn open(path: &Path, options: &mut OpenOptions) -> std::io::Result<File> {
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32).open(path)
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path, OpenOptions::new().read(true))?.read_to_end(&mut content)?;
    Ok(content)
}

fn write(path: &Path, content: &str) -> std::io::Result<()> {
    open(path, OpenOptions::new().write(true).create(true).truncate(true))?.write_all(content.as_bytes())
}

fn is_right(path: &Path) -> bool {
    let n = path.file_name().and_then(|name| name.to_str()?.strip_prefix('f')?.parse().ok()).expect("a file's number");
    read(path).is_ok_and(|content| content == CONTENT.as_bytes())
        && fs::metadata(path)
            .is_ok_and(|meta| meta.permissions().mode() & 0o7777 == MODE && (!is_root() || meta.uid() == owner_of(n)))
}

/// Makes a folder writable for the stranger.
fn open_to_stranger(folder: &Path) {
    if is_root() {
        let _ = chown(folder, Some(STRANGER), Some(STRANGER));
    }
}

/// From here on this thread runs as the other user.
fn become_stranger() {
    if is_root() {
        let (user, group) = (Uid::from_raw(STRANGER), Gid::from_raw(STRANGER));
        set_thread_groups(&[]).unwrap();
        set_thread_res_gid(group, group, group).unwrap();
        set_thread_res_uid(user, user, user).unwrap();
    }
}

/// A process that damages files. Actions that fail because the agent was faster are only partly done, as in practice.
struct Vandal {
    chance: Chance,
    files: Vec<PathBuf>,
    /// Where directories are moved that will be moved back.
    aside: PathBuf,
    n_done: u64,
    /// How many of these succeeded completely.
    n_succeeded: u64,
    /// How many were not permitted. Others found nothing to damage: the agent had not repaired it yet.
    n_denied: u64,
}

impl Vandal {
    fn strike(&mut self) {
        self.n_done += 1;
        let path = self.files[self.chance.below(self.files.len() as u64) as usize].clone();
        let done = match self.chance.below(15) {
            0 | 1 => write(&path, "broken").or_else(|_| self.replace(&path, "broken", MODE)),
            2 => {
                let mode = 0o600 + self.chance.below(64) as u32;
                fs::set_permissions(&path, Permissions::from_mode(mode)).or_else(|_| self.replace(&path, CONTENT, mode))
            }
            3 => chown(&path, Some(if is_root() { 1 + self.chance.below(1000) as u32 } else { 0 }), None)
                .or_else(|_| self.replace(&path, CONTENT, MODE)),
            4 | 5 => fs::remove_file(&path),
            6 => fs::rename(&path, self.aside.join("file")),
            7 => fs::remove_file(&path).and_then(|()| fs::create_dir_all(path.join("a/b"))),
            8 => fs::remove_file(&path).and_then(|()| symlink(path.with_extension("target"), &path)),
            9 => self.link_to_nowhere(&path),
            10 => self.take_folder_away(&path),
            11 => fs::remove_file(&path).and_then(|()| {
                let mode = rustix::fs::Mode::from_raw_mode(0o666);
                Ok(rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0)?)
            }),
            12 => open(&path, OpenOptions::new().write(true).truncate(true)).map(drop),
            13 => fs::rename(&path, &self.files[self.chance.below(self.files.len() as u64) as usize]),
            _ => self.remove_folder(&path),
        };
        self.n_succeeded += u64::from(done.is_ok());
        self.n_denied += u64::from(done.is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied));
    }

    /// Replaces a file by another.
    fn replace(&self, path: &Path, content: &str, mode: u32) -> std::io::Result<()> {
        let new = self.aside.join("new");
        fs::write(&new, content)?;
        fs::set_permissions(&new, Permissions::from_mode(mode))?;
        fs::rename(new, path)
    }

    /// Causes damage for this long.
    fn rage(&mut self, seconds: u64) {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(seconds) {
            self.strike();
            std::thread::sleep(Duration::from_micros(self.chance.below(4000)));
        }
    }

    /// A dangling link; it is removed a little later.
    fn link_to_nowhere(&mut self, path: &Path) -> std::io::Result<()> {
        fs::remove_file(path)?;
        symlink(NOWHERE, path)?;
        std::thread::sleep(Duration::from_millis(self.chance.below(400)));
        fs::remove_file(path)
    }

    /// Moves the folder of a file away and back. A folder that the program does not describe is always moved back.
    fn take_folder_away(&mut self, path: &Path) -> std::io::Result<()> {
        let Some(folder) = path.parent() else { return Ok(()) };
        let aside = self.aside.join("folder");
        fs::rename(folder, &aside)?;
        std::thread::sleep(Duration::from_millis(self.chance.below(800)));
        if fs::rename(&aside, folder).is_err() {
            // Another one was created in the meantime.
            fs::remove_dir_all(&aside)?;
        }
        Ok(())
    }

    fn remove_folder(&mut self, path: &Path) -> std::io::Result<()> {
        let Some(folder) = path.parent() else { return Ok(()) };
        let is_described = folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("own"));
        let removed = fs::remove_dir_all(folder);
        if !is_described {
            std::thread::sleep(Duration::from_millis(self.chance.below(400)));
            let _ = fs::create_dir(folder);
            open_to_stranger(folder);
        }
        removed
    }
}

/// Runs something repeatedly until it is stopped, and counts.
struct Beside {
    is_over: Arc<AtomicBool>,
    n_done: Arc<AtomicU64>,
    thread: std::thread::JoinHandle<()>,
}

impl Beside {
    fn start(mut each: impl FnMut() + Send + 'static) -> Beside {
        let (is_over, n_done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (ends, counts) = (is_over.clone(), n_done.clone());
        let thread = std::thread::spawn(move || {
            become_stranger();
            while !ends.load(Ordering::Relaxed) {
                each();
                counts.fetch_add(1, Ordering::Relaxed);
            }
        });
        Beside { is_over, n_done, thread }
    }

    fn stop(self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("it ends");
        self.n_done.load(Ordering::Relaxed)
    }
}

/// The sizes of the files in the agent's state directory, largest first.
fn logs(case: &Case) -> Vec<(u64, PathBuf)> {
    let files = fs::read_dir(case.path("state")).into_iter().flatten().flatten();
    let mut files: Vec<_> = files
        .filter_map(|file| Some((file.metadata().ok().filter(|meta| meta.is_file())?.len(), file.path())))
        .collect();
    files.sort();
    files.reverse();
    files
}

fn wait_until_right(files: &[PathBuf], agent: &Agent) -> Duration {
    let began = Instant::now();
    let (mut fewest, mut since) = (usize::MAX, began);
    loop {
        let wrong: Vec<&PathBuf> = files.iter().filter(|path| !is_right(path)).collect();
        if wrong.len() < fewest {
            (fewest, since) = (wrong.len(), Instant::now());
        }
        if wrong.is_empty() {
            return began.elapsed();
        }
        let show = |path: &&PathBuf| format!("{} {:?} {:?}", path.display(), fs::symlink_metadata(path), read(path));
        assert!(
            since.elapsed() < LOST,
            "{} are not as described: {:#?}; the agent said {}",
            wrong.len(),
            wrong.iter().take(3).map(show).collect::<Vec<_>>(),
            agent.last_words()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn all_is_as_described_when_the_damage_is_over() {
    let case = Case::new("damage", "");
    let (program, files) = described(&case);
    case.program(&program);
    let asides = ["aside", "aside-of-stranger"].map(|name| case.path(name));
    asides.iter().for_each(|aside| fs::create_dir(aside).unwrap());
    (0..N_OTHERS).for_each(|n| fs::create_dir(case.path(&format!("out/other{n}"))).unwrap());
    let others = (0..N_OTHERS).map(|n| format!("out/other{n}"));
    others.chain(["out".into(), "aside-of-stranger".into()]).for_each(|folder| open_to_stranger(&case.path(&folder)));
    let mut agent = case.start_with(&["--json"]);
    wait_until_right(&files, &agent);
    agent.rests();
    let (memory, descriptors) = (status(&agent, "RssAnon:"), n_files(&agent));

    let seconds = times("MCLIVE_DAMAGE_SECONDS", 5);
    let fought = files[0].clone();
    let fighter = Beside::start(move || {
        let _ = write(&fought, "mine");
        std::thread::sleep(Duration::from_micros(1800));
    });
    let flooded = case.path("out/own1/flood");
    let flood = Beside::start(move || {
        let _ = fs::write(&flooded, "x").and_then(|()| fs::remove_file(&flooded));
        std::thread::sleep(Duration::from_micros(200));
    });
    let seed = times("MCLIVE_DAMAGE_SEED", 23);
    let [mut vandal, mut stranger] = [(asides[0].clone(), 0), (asides[1].clone(), 6)].map(|(aside, more)| Vandal {
        chance: Chance::new(seed + more),
        files: files.clone(),
        aside,
        n_done: 0,
        n_succeeded: 0,
        n_denied: 0,
    });
    let stranger = std::thread::spawn(move || {
        become_stranger();
        stranger.rage(seconds);
        stranger
    });
    vandal.rage(seconds);
    let stranger = stranger.join().expect("it ends");
    until("the conflicting process is reported", || agent.said().contains("keeps changing it"));
    let (n_fights, n_floods) = (fighter.stop(), flood.stop());
    // A dangling link that one of them moved to another file before the other could remove it.
    for path in files.iter().filter(|path| fs::read_link(path).is_ok_and(|to| to == Path::new(NOWHERE))) {
        let _ = fs::remove_file(path);
    }
    // Moved links and folders are left over, unmanaged.
    let took = wait_until_right(&files, &agent);
    let n_repairs = agent.said().matches("\"changed\"").count();
    println!(
        "{} strikes ({} in full), {} of a stranger ({} in full), {n_fights} fights, {n_floods} floods in {seconds} s: \
         {n_repairs} repairs; right again in {took:?}",
        vandal.n_done, vandal.n_succeeded, stranger.n_done, stranger.n_succeeded
    );
    let (n_done, n_denied) = (stranger.n_done, stranger.n_denied);
    assert!(
        stranger.n_succeeded > 0 && n_denied * 2 < n_done,
        "the stranger may do next to nothing: {n_denied} denied"
    );
    if std::env::var_os("MCLIVE_DAMAGE_SECONDS").is_some() {
        assert!(took < Duration::from_secs(5), "it took {took:?}");
    }

    // Files that it still has open are closed again; those that it forgets stay open.
    until("the descriptors are as before", || n_files(&agent) <= descriptors + 4);
    agent.rests();
    let (memory_now, descriptors_now) = (status(&agent, "RssAnon:"), n_files(&agent));
    println!(
        "memory {memory} -> {memory_now} kB, descriptors {descriptors} -> {descriptors_now}, logs {:?}",
        logs(&case)
    );
    assert!(memory_now < memory + 60_000, "memory went from {memory} to {memory_now} kB");
    for (size, path) in logs(&case) {
        assert!(size <= LARGEST_LOG, "{} holds {size} bytes", path.display());
    }
    assert_eq!(agent.stop().code(), Some(0));
}
