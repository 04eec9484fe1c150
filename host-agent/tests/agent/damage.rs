//! Random damage by somebody else, over many files, with a fighter and a flood beside it. When it is quiet all is
//! as described, and the agent is as it was.
//!
//! `MCLIVE_DAMAGE_SECONDS=600` goes on for so long, and then also demands that all is repaired in five seconds.

use crate::case::{Agent, Case};
use crate::chance::{Chance, times};
use crate::scale::{n_files, status};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
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
/// A repair that is lost never comes; a busy machine takes its time.
const LOST: Duration = Duration::from_secs(60);
/// A log is turned over before it is much larger than this.
const LARGEST_LOG: u64 = 40 << 20;

/// The program, and the paths of its files.
fn described(case: &Case) -> (String, Vec<PathBuf>) {
    let mut dirs = Vec::new();
    let mut program = String::new();
    for n in 0..N_OWN {
        dirs.push(format!("own{n}"));
        program += &format!("file \"@OUT@/own{n}/\" {{\n\tstate => \"exists\",\n\tforce => true,\n}}\n");
    }
    dirs.extend((0..N_OTHERS).map(|n| format!("other{n}")));
    let owner = if is_root() { "\towner => \"0\",\n" } else { "" };
    let mut files = Vec::new();
    for (dir, n) in dirs.iter().flat_map(|dir| (0..N_FILES).map(move |n| (dir, n))) {
        files.push(case.path("out").join(dir).join(format!("f{n}")));
        program += &format!(
            "file \"@OUT@/{dir}/f{n}\" {{\n\tstate => \"exists\",\n\tcontent => \"as described\\n\",\n\tmode => \"0640\",\n\tforce => true,\n{owner}}}\n"
        );
    }
    (program, files)
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

fn is_right(path: &Path) -> bool {
    fs::read(path).is_ok_and(|content| content == CONTENT.as_bytes())
        && fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o7777 == MODE)
}

/// Somebody who breaks things. What fails because the agent was quicker is done in part, as in life.
struct Vandal {
    chance: Chance,
    files: Vec<PathBuf>,
    /// Where directories are put that are to come back.
    aside: PathBuf,
    n_done: u64,
}

impl Vandal {
    fn strike(&mut self) {
        self.n_done += 1;
        let path = self.files[self.chance.below(self.files.len() as u64) as usize].clone();
        let _ = match self.chance.below(12) {
            0 | 1 => fs::write(&path, "broken"),
            2 => fs::set_permissions(&path, Permissions::from_mode(0o600 + self.chance.below(64) as u32)),
            3 => chown(&path, Some(if is_root() { 1 + self.chance.below(1000) as u32 } else { 0 }), None),
            4 | 5 => fs::remove_file(&path),
            6 => fs::rename(&path, self.aside.join("file")),
            7 => fs::remove_file(&path).and_then(|()| fs::create_dir_all(path.join("a/b"))),
            8 => fs::remove_file(&path).and_then(|()| symlink(path.with_extension("target"), &path)),
            9 => self.link_to_nowhere(&path),
            10 => self.take_folder_away(&path),
            _ => self.remove_folder(&path),
        };
    }

    /// Nobody can write through it; a little later it is gone.
    fn link_to_nowhere(&mut self, path: &Path) -> std::io::Result<()> {
        fs::remove_file(path)?;
        symlink("nowhere/at/all", path)?;
        std::thread::sleep(Duration::from_millis(self.chance.below(400)));
        fs::remove_file(path)
    }

    /// The folder of a file goes and comes back. What nobody describes comes back in any case.
    fn take_folder_away(&mut self, path: &Path) -> std::io::Result<()> {
        let Some(folder) = path.parent() else { return Ok(()) };
        let aside = self.aside.join("folder");
        fs::rename(folder, &aside)?;
        std::thread::sleep(Duration::from_millis(self.chance.below(800)));
        if fs::rename(&aside, folder).is_err() {
            // Another one was made meanwhile.
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
        }
        removed
    }
}

/// Runs something again and again until it is told to stop, and counts.
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

/// The sizes of what the agent keeps in its state directory, largest first.
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
    loop {
        let wrong: Vec<&PathBuf> = files.iter().filter(|path| !is_right(path)).collect();
        if wrong.is_empty() {
            return began.elapsed();
        }
        let show =
            |path: &&PathBuf| format!("{} {:?} {:?}", path.display(), fs::symlink_metadata(path), fs::read(path));
        assert!(
            began.elapsed() < LOST,
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
    fs::create_dir(case.path("aside")).unwrap();
    (0..N_OTHERS).for_each(|n| fs::create_dir(case.path(&format!("out/other{n}"))).unwrap());
    let mut agent = case.start_with(&["--json"]);
    wait_until_right(&files, &agent);
    std::thread::sleep(Duration::from_secs(1));
    let (memory, descriptors) = (status(&agent, "VmRSS:"), n_files(&agent));

    let seconds = times("MCLIVE_DAMAGE_SECONDS", 5);
    let fought = files[0].clone();
    let fighter = Beside::start(move || {
        let _ = fs::write(&fought, "mine");
        std::thread::sleep(Duration::from_micros(1800));
    });
    let flooded = case.path("out/own1/flood");
    let flood = Beside::start(move || {
        let _ = fs::write(&flooded, "x").and_then(|()| fs::remove_file(&flooded));
        std::thread::sleep(Duration::from_micros(200));
    });
    let mut vandal = Vandal { chance: Chance::new(23), files: files.clone(), aside: case.path("aside"), n_done: 0 };
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(seconds) {
        vandal.strike();
        std::thread::sleep(Duration::from_micros(vandal.chance.below(4000)));
    }
    let (n_fights, n_floods) = (fighter.stop(), flood.stop());
    // The rests of links and folders that were in the way belong to nobody.
    let took = wait_until_right(&files, &agent);
    let n_repairs = agent.said().matches("\"changed\"").count();
    println!(
        "{} strikes, {n_fights} fights, {n_floods} floods in {seconds} s: {n_repairs} repairs; right again in {took:?}",
        vandal.n_done
    );
    assert!(agent.said().contains("keeps changing it"), "nobody was told of the fighter");
    if std::env::var_os("MCLIVE_DAMAGE_SECONDS").is_some() {
        assert!(took < Duration::from_secs(5), "it took {took:?}");
    }

    std::thread::sleep(Duration::from_secs(1));
    let (memory_now, descriptors_now) = (status(&agent, "VmRSS:"), n_files(&agent));
    println!(
        "memory {memory} -> {memory_now} kB, descriptors {descriptors} -> {descriptors_now}, logs {:?}",
        logs(&case)
    );
    assert!(memory_now < memory + 60_000, "memory went from {memory} to {memory_now} kB");
    assert!(descriptors_now <= descriptors + 4, "descriptors went from {descriptors} to {descriptors_now}");
    for (size, path) in logs(&case) {
        assert!(size <= LARGEST_LOG, "{} holds {size} bytes", path.display());
    }
    assert_eq!(agent.stop().code(), Some(0));
}
