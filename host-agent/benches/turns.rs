//! How long the agent takes to notice something while its program is at work: a text of 1 MB is rewritten each second
//! and matched against a pattern that costs all the work one change may cost. Measured beside the same at rest: the time
//! from damage to repair, of a different file each time, and the time from an interrupt to the end of the agent.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const REPAIRS: usize = 100;
const INTERRUPTS: usize = 20;
/// Between two repairs, and between two looks at a file.
const PAUSE: Duration = Duration::from_millis(100);
const LOOK: Duration = Duration::from_micros(200);
const LONG: usize = 1 << 20;

fn main() {
    let dir = std::env::temp_dir().join(format!("mclive-turns-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("in"), "b").unwrap();
    fs::write(dir.join("main.mcl"), program(&dir)).unwrap();

    println!("{:36} {:>6} {:>10} {:>10}", "ms", "", "p50", "p99");
    let mut agent = Agent::start(&dir);
    row("repair, program at rest", repairs(&dir, 0));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| rewrite(&dir, &is_over));
        std::thread::sleep(Duration::from_secs(2));
        row("repair, program at work", repairs(&dir, REPAIRS));
        let mut took = vec![agent.interrupt()];
        for nth in 1..INTERRUPTS {
            let mut agent = Agent::start(&dir);
            // At different moments of its work.
            std::thread::sleep(Duration::from_millis(2_000 + 37 * nth as u64));
            took.push(agent.interrupt());
        }
        row("interrupt to end, program at work", took);
        is_over.store(true, Ordering::Relaxed);
    });
    fs::remove_dir_all(&dir).unwrap();
}

fn file(dir: &Path, nth: usize) -> PathBuf {
    dir.join(format!("f{nth}"))
}

fn program(dir: &Path) -> String {
    let read = dir.join("in");
    let mut text = format!(
        "import \"os\"\nimport \"regexp\"\nfile {:?} {{\n\tstate => \"exists\",\n\tcontent => if \
         regexp.match(\"(a?){{200}}b$\", os.readfile({read:?})) {{ \"yes\" }} else {{ \"no\" }},\n}}\n",
        dir.join("hit")
    );
    for nth in 0..2 * REPAIRS {
        text += &format!("file {:?} {{\n\tstate => \"exists\",\n\tcontent => \"right\",\n}}\n", file(dir, nth));
    }
    text
}

/// Gives the program new work each second. The file is replaced, so that it is read as a whole.
fn rewrite(dir: &Path, is_over: &AtomicBool) {
    let mut nth = 0;
    while !is_over.load(Ordering::Relaxed) {
        fs::write(dir.join("new"), "a".repeat(LONG) + &nth.to_string()).unwrap();
        fs::rename(dir.join("new"), dir.join("in")).unwrap();
        nth += 1;
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Damages files from this number on, one after the other.
fn repairs(dir: &Path, first: usize) -> Vec<Duration> {
    let repair = |nth| {
        std::thread::sleep(PAUSE);
        fs::write(file(dir, nth), "wrong").unwrap();
        let begun = Instant::now();
        until_right(&file(dir, nth));
        begun.elapsed()
    };
    (first..first + REPAIRS).map(repair).collect()
}

fn until_right(file: &Path) {
    let begun = Instant::now();
    while fs::read(file).ok().as_deref() != Some(b"right") {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} is not repaired", file.display());
        std::thread::sleep(LOOK);
    }
}

struct Agent(Child);

impl Agent {
    /// Starts it, and waits until it has made the last file.
    fn start(dir: &Path) -> Agent {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mclive"));
        command.arg("run").arg("--prefix").arg(dir.join("prefix")).arg(dir.join("main.mcl"));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until_right(&file(dir, 2 * REPAIRS - 1));
        std::thread::sleep(PAUSE);
        Agent(child)
    }

    /// Interrupts it, and waits for its end.
    fn interrupt(&mut self) -> Duration {
        let begun = Instant::now();
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.0.wait().unwrap();
        begun.elapsed()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn row(what: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let at = |part: f64| took[((took.len() - 1) as f64 * part).round() as usize].as_secs_f64() * 1e3;
    println!("{what:36} {:>6} {:>10.1} {:>10.1}", took.len(), at(0.5), at(0.99));
}
