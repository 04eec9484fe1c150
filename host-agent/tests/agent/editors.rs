//! Files that other programs write too: with editors of every habit, the agent's line is added, and none of their text
//! is lost.

use crate::case::{Case, until};
use crate::chance::{Chance, times};
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

const OURS: &str = "line of the agent\n";
/// Edited at the same time, each by one editor after the other.
const N_FILES: u64 = 6;

/// Adds a line in one of the ways that editors write, with pauses, and sometimes removes the agent's.
fn edit(path: &Path, line: &str, chance: &mut Chance) {
    let pause = |chance: &mut Chance| std::thread::sleep(Duration::from_millis(chance.below(201)));
    let (way, drops_ours) = (chance.below(4), chance.below(2) == 0);
    let text = || {
        let text = fs::read_to_string(path).unwrap();
        if drops_ours { text.replace(OURS, "") } else { text }
    };
    match way {
        // Truncates, and writes after a while.
        0 => {
            let text = text();
            let mut file = OpenOptions::new().write(true).truncate(true).open(path).unwrap();
            pause(chance);
            file.write_all(text.as_bytes()).unwrap();
            pause(chance);
            file.write_all(line.as_bytes()).unwrap();
        }
        // Writes in place.
        1 => {
            let mut file = OpenOptions::new().read(true).write(true).open(path).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            pause(chance);
            let text = format!("{line}{}", if drops_ours { text.replace(OURS, "") } else { text });
            file.seek(SeekFrom::Start(0)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.set_len(text.len() as u64).unwrap();
        }
        2 => {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            pause(chance);
            file.write_all(line.as_bytes()).unwrap();
        }
        // Renames a new file over it.
        _ => {
            let new = path.with_extension("new");
            fs::write(&new, format!("{}{line}", text())).unwrap();
            fs::rename(new, path).unwrap();
            pause(chance);
        }
    }
}

#[test]
fn no_editor_beside_the_agent_loses_anything() {
    let program = |n: u64| {
        format!("line \"{n}\" {{ file => \"@OUT@/{n}\", state => \"exists\", content => \"{}\", }}\n", OURS.trim_end())
    };
    let case = Case::new("editors", &(0..N_FILES).map(program).collect::<String>());
    (0..N_FILES).for_each(|n| case.write(&format!("out/{n}"), "begin\n"));
    let _agent = case.start();
    until("the agent's line is in each file", || {
        (0..N_FILES).all(|n| case.read(&format!("out/{n}")).is_some_and(|text| text.contains(OURS)))
    });
    let n_edits = times("MCLIVE_EDITORS", 60).div_ceil(N_FILES);
    let lost = |n: u64| {
        let text = fs::read_to_string(case.path(&format!("out/{n}"))).unwrap();
        let is_there = |line: &String| text.lines().filter(|found| *found == line.as_str()).count() == 1;
        let lines = (0..n_edits).map(|edit| format!("edit {edit} of {n}"));
        lines.filter(|line| !is_there(line)).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        for n in 0..N_FILES {
            let path = case.path(&format!("out/{n}"));
            scope.spawn(move || {
                let mut chance = Chance::new(n + 1);
                (0..n_edits).for_each(|at| edit(&path, &format!("edit {at} of {n}\n"), &mut chance));
            });
        }
    });
    let lines: Vec<String> = (0..N_FILES).flat_map(lost).collect();
    assert!(lines.is_empty(), "lost are {} of {}: {lines:?}", lines.len(), n_edits * N_FILES);
    until("the agent's line is in each file once", || {
        (0..N_FILES).all(|n| case.read(&format!("out/{n}")).is_some_and(|text| text.matches(OURS).count() == 1))
    });
    let lines: Vec<String> = (0..N_FILES).flat_map(lost).collect();
    assert!(lines.is_empty(), "lost are {lines:?}");
    // The last replaced file may be removed only after the new one is seen.
    until("nothing is left beside", || fs::read_dir(case.path("out")).unwrap().count() as u64 == N_FILES);
}
