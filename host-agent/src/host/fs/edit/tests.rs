//! Other programs beside an edit, with and without the system calls that detect them.

use super::*;
use crate::host::scratch::Scratch;
use mclive_kit::lacking::{Call, without};
use mclive_kit::left_out;
use std::io::Write;
use std::path::Path;

/// Longer than a writer may have to wait for a processor.
const LONG: Duration = Duration::from_secs(120);

/// The result of adding ` ours` to a file, without some calls, and the other files next to it.
fn check(
    calls: &[Call],
    text: Option<&str>,
    patience: Duration,
    beside: &(dyn Fn(&Path) + Sync),
) -> (Result<String, String>, Vec<String>) {
    let dir = Scratch::new(&format!("edit-{:?}", std::thread::current().id()));
    let path = dir.join("it");
    text.into_iter().for_each(|text| std::fs::write(&path, text).unwrap());
    let edits = || {
        let editing = Editing {
            path: path.to_str().unwrap(),
            reads: Permit::ALL,
            changes: Permit::ALL,
            attributes: &Attributes::default(),
            umask: 0o022,
            limit: 1 << 20,
            patience,
            stopped: &|| false,
        };
        let is_first = std::cell::Cell::new(true);
        edit_file(&editing, &|text| {
            if is_first.replace(false) {
                beside(&path);
            }
            (!text.ends_with(b" ours")).then(|| [text, b" ours"].concat())
        })
    };
    let edited = without(calls, edits).expect("`lacking` has tried it");
    let others = std::fs::read_dir(&*dir).unwrap().map(|entry| entry.unwrap().path()).filter(|it| *it != path);
    let others = others.map(|other| std::fs::read_to_string(other).unwrap()).collect();
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    (edited.map(|()| found).map_err(|error| error.message), others)
}

/// The calls to take away; none where they cannot be.
fn lacking() -> impl Iterator<Item = &'static [Call]> {
    let filters = without(&[Call::Lease], || ());
    if let Err(error) = &filters {
        left_out(&format!("system calls cannot be filtered here: {error}"));
    }
    LACKING.into_iter().filter(move |calls| calls.is_empty() || filters.is_ok())
}

const LACKING: [&[Call]; 6] = [
    &[],
    &[Call::Lease],
    &[Call::Exchange],
    &[Call::Lease, Call::Exchange],
    &[Call::Unnamed],
    &[Call::Lease, Call::Exchange, Call::Unnamed, Call::Link],
];

#[test]
fn what_comes_in_between_is_taken_in() {
    for calls in lacking() {
        let check = |text, beside: &(dyn Fn(&Path) + Sync)| check(calls, text, PATIENCE, beside);
        let is = |text: &str| (Ok(text.to_owned()), Vec::new());
        assert_eq!(check(Some("a"), &|_| {}), is("a ours"), "{calls:?}");
        assert_eq!(check(None, &|_| {}), is(" ours"), "{calls:?}");
        let made = check(None, &|path| std::fs::write(path, "theirs").unwrap());
        assert_eq!(made, is("theirs ours"), "{calls:?}");
        let written = check(Some("a"), &|path| std::fs::write(path, "theirs").unwrap());
        assert_eq!(written, is("theirs ours"), "{calls:?}");
        let renamed = check(Some("a"), &|path| {
            let new = path.with_extension("new");
            std::fs::write(&new, "b").unwrap();
            std::fs::rename(&new, path).unwrap();
        });
        assert_eq!(renamed, is("b ours"), "{calls:?}");
    }
}

/// Whether it is detected by a lease or by the open files of processes.
#[test]
fn who_has_it_open_is_waited_for_and_not_for_ever() {
    for calls in lacking() {
        let open = crate::lock::Mutex::new(None);
        let (kept, others) = check(calls, Some("a"), Duration::from_millis(700), &|path| {
            *open.lock() = Some(std::fs::OpenOptions::new().append(true).open(path).unwrap());
        });
        let why = kept.unwrap_err();
        assert!(why.contains("another process has had it open for writing"), "{calls:?}: {why}");
        assert_eq!(others, Vec::<String>::new(), "{calls:?}");
        let closed = check(calls, Some("a"), LONG, &|path| {
            let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(path).unwrap();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                file.write_all(b"theirs").unwrap();
            });
        });
        assert_eq!(closed, (Ok("theirs ours".into()), Vec::new()), "{calls:?}");
        // For longer than a file has to be quiet.
        let late = check(calls, Some("a"), LONG, &|path| {
            let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(1000));
                file.write_all(b" theirs").unwrap();
            });
        });
        assert_eq!(late, (Ok("a theirs ours".into()), Vec::new()), "{calls:?}");
    }
}

/// A program that had resolved the path writes to the replaced file.
#[test]
fn what_goes_into_the_replaced_file_is_taken_in() {
    for calls in lacking().filter(|calls| calls.contains(&Call::Lease)) {
        let attempt = || {
            check(calls, Some("a"), PATIENCE, &|path| {
                let (old, path) = (File::open(path).unwrap(), path.to_owned());
                let inode = |file: &Path| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(file).unwrap());
                let before = inode(&path);
                std::thread::spawn(move || {
                    while inode(&path) == before {
                        std::thread::yield_now();
                    }
                    let again = format!("/proc/self/fd/{}", old.as_raw_fd());
                    let mut late = std::fs::OpenOptions::new().append(true).open(again).unwrap();
                    late.write_all(b" theirs").unwrap();
                });
            })
        };
        let expected = (Ok("a theirs ours".into()), Vec::new());
        // A writer that gets no processor for longer than the replaced file is looked at is too late.
        let taken = (0..10).map(|_| attempt()).find(|taken| *taken == expected).unwrap_or_else(attempt);
        assert_eq!(taken, expected, "{calls:?}");
    }
}
