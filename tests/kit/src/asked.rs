//! [`once`]: asks something unresponsive only once; after a failure other callers get the recorded answer for a while.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long a failure is remembered: longer than the test binaries of one run need to get there, shorter than fixing
/// the cause and trying again.
const COUNTS_FOR: Duration = Duration::from_secs(600);

/// Asks, unless a recent attempt failed: then its recorded reason is returned. Concurrent callers must take turns; the
/// caller holds a lock known to other processes.
pub fn once<T>(note: &Path, ask: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    if let Some(why) = noted(note) {
        return Err(why);
    }
    let answer = ask();
    let _ = match &answer {
        Ok(_) => fs::remove_file(note),
        Err(why) => fs::write(note, why),
    };
    answer
}

fn noted(note: &Path) -> Option<String> {
    let age = fs::metadata(note).ok()?.modified().ok()?;
    // A note from the future was made before the clock was set.
    let age = SystemTime::now().duration_since(age).ok().filter(|age| *age < COUNTS_FOR)?;
    let why = fs::read_to_string(note).ok()?;
    Some(format!("{why} (checked {} s ago; to check again now, remove {})", age.as_secs(), note.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_refusal_counts_for_a_while_and_a_success_ends_it() {
        let dir = std::env::temp_dir().join(format!("{}-asked", crate::run::Run::current()));
        fs::create_dir_all(&dir).unwrap();
        let (note, n_asked) = (dir.join("refused"), Cell::new(0));
        let ask = |answer: Result<(), &str>| {
            once(&note, || {
                n_asked.set(n_asked.get() + 1);
                answer.map_err(str::to_owned)
            })
        };
        assert_eq!(ask(Err("no server found")), Err("no server found".into()));
        for _ in 0..34 {
            let why = ask(Ok(())).unwrap_err();
            assert!(why.starts_with("no server found (checked ") && why.contains("refused)"), "{why}");
        }
        assert_eq!(n_asked.get(), 1);
        let old = SystemTime::now() - COUNTS_FOR;
        fs::File::options().write(true).open(&note).unwrap().set_modified(old).unwrap();
        assert_eq!(ask(Ok(())), Ok(()));
        assert_eq!((n_asked.get(), note.exists()), (2, false));
        fs::remove_dir_all(&dir).unwrap();
    }
}
