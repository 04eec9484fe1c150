//! Files that other programs write too: with editors of every habit, the agent's part is added, and none of their text
//! is lost; with every kind that edits a part of a file, and without the calls that some file systems lack.

use crate::case::{Agent, Case, cannot_look, until};
use crate::chance::{Chance, times};
use crate::system::Apart;
use mclive_kit::lacking::{Call, without};
use serde_json::{Map, Value};
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Edited at the same time, each by one editor after the other.
const N_FILES: u64 = 6;

/// The text of a file of one kind, as its editors see it.
trait Syntax: Sync {
    /// The initial text, which is in no encoding where that is allowed.
    fn begin(&self) -> Vec<u8>;

    fn with(&self, text: &[u8], entry: &str) -> Vec<u8>;

    fn without_ours(&self, text: &[u8]) -> Vec<u8>;

    /// What an editor may append, whatever the text.
    fn appended(&self, entry: &str) -> Option<String>;

    /// How often it has the entry, or the agent's part.
    fn count(&self, text: &[u8], part: Part) -> usize;
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Ours,
    Entry(&'a str),
}

/// The entry of an initial text.
const BEGIN: &str = "begin";

/// Lines, of which one is the agent's.
struct Lines {
    ours: &'static str,
}

impl Lines {
    fn line(entry: &str) -> String {
        format!("# {entry}\n")
    }
}

impl Syntax for Lines {
    fn begin(&self) -> Vec<u8> {
        b"# begin, f\xfcr alle\n".to_vec()
    }

    fn with(&self, text: &[u8], entry: &str) -> Vec<u8> {
        [text, Lines::line(entry).as_bytes()].concat()
    }

    fn without_ours(&self, text: &[u8]) -> Vec<u8> {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        lines.filter(|line| line.trim_ascii() != self.ours.as_bytes()).flatten().copied().collect()
    }

    fn appended(&self, entry: &str) -> Option<String> {
        Some(Lines::line(entry))
    }

    fn count(&self, text: &[u8], part: Part) -> usize {
        let wanted = match part {
            Part::Ours => self.ours.into(),
            Part::Entry(BEGIN) => self.begin(),
            Part::Entry(entry) => Lines::line(entry).into_bytes(),
        };
        text.split(|&byte| byte == b'\n').filter(|line| *line == wanted.trim_ascii_end()).count()
    }
}

/// A JSON object, in which one key is the agent's.
struct Json;

fn object(text: &[u8]) -> Map<String, Value> {
    match serde_json::from_slice(text) {
        Ok(Value::Object(object)) => object,
        other => panic!("{other:?}: {}", String::from_utf8_lossy(text)),
    }
}

fn printed(object: Map<String, Value>) -> Vec<u8> {
    serde_json::to_vec_pretty(&object).unwrap()
}

impl Syntax for Json {
    fn begin(&self) -> Vec<u8> {
        b"{\"begin\": 1}\n".to_vec()
    }

    fn with(&self, text: &[u8], entry: &str) -> Vec<u8> {
        let mut object = object(text);
        object.insert(entry.to_owned(), 1.into());
        printed(object)
    }

    fn without_ours(&self, text: &[u8]) -> Vec<u8> {
        let mut object = object(text);
        object.remove("ours");
        printed(object)
    }

    fn appended(&self, _: &str) -> Option<String> {
        None
    }

    fn count(&self, text: &[u8], part: Part) -> usize {
        let key = match part {
            Part::Ours => "ours",
            Part::Entry(entry) => entry,
        };
        // An editor may have truncated it.
        let object = serde_json::from_slice::<Map<String, Value>>(text).unwrap_or_default();
        object.contains_key(key).into()
    }
}

/// A way in which editors write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Truncates, and writes after a while, in two parts.
    Truncates,
    /// Opens it, reads, and writes after a while.
    InPlace,
    Appends,
    /// Renames a new file over it.
    Renames,
}

const WAYS: [Way; 4] = [Way::Truncates, Way::InPlace, Way::Appends, Way::Renames];

/// Adds an entry, with pauses, and sometimes removes the agent's part.
fn edit(syntax: &dyn Syntax, ways: &[Way], path: &Path, entry: &str, chance: &mut Chance) {
    let pause = |chance: &mut Chance| std::thread::sleep(Duration::from_millis(chance.below(201)));
    let (way, drops_ours) = (ways[chance.below(ways.len() as u64) as usize], chance.below(2) == 0);
    let new = |text: &[u8]| {
        let text = if drops_ours { syntax.without_ours(text) } else { text.to_vec() };
        syntax.with(&text, entry)
    };
    match way {
        Way::Truncates => {
            let new = new(&fs::read(path).unwrap());
            let mut file = OpenOptions::new().write(true).truncate(true).open(path).unwrap();
            let (first, rest) = new.split_at(new.len() / 2);
            pause(chance);
            file.write_all(first).unwrap();
            pause(chance);
            file.write_all(rest).unwrap();
        }
        Way::InPlace => {
            let mut file = OpenOptions::new().read(true).write(true).open(path).unwrap();
            let mut text = Vec::new();
            file.read_to_end(&mut text).unwrap();
            pause(chance);
            let new = new(&text);
            file.seek(SeekFrom::Start(0)).unwrap();
            file.write_all(&new).unwrap();
            file.set_len(new.len() as u64).unwrap();
        }
        Way::Appends => {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            pause(chance);
            file.write_all(syntax.appended(entry).unwrap().as_bytes()).unwrap();
        }
        Way::Renames => {
            let beside = path.with_extension("new");
            fs::write(&beside, new(&fs::read(path).unwrap())).unwrap();
            fs::rename(beside, path).unwrap();
            pause(chance);
        }
    }
}

/// The files, and what is looked for in them.
struct Edited<'a> {
    syntax: &'a dyn Syntax,
    calls: &'a [Call],
    files: &'a [PathBuf],
}

impl Edited<'_> {
    /// Edits them beside the running agent.
    #[track_caller]
    fn survive(&self, n_edits: u64) {
        let Edited { syntax, calls, files } = *self;
        let ours_is_there =
            || files.iter().all(|path| fs::read(path).is_ok_and(|text| syntax.count(&text, Part::Ours) == 1));
        until("the agent's part is in each file", ours_is_there);
        let mut ways = WAYS.to_vec();
        ways.retain(|way| *way != Way::Appends || syntax.appended("").is_some());
        // Without an exchange a rename that comes in the instant before the agent's own is not seen.
        ways.retain(|way| *way != Way::Renames || !calls.contains(&Call::Exchange));
        let n_each = n_edits.div_ceil(files.len() as u64);
        std::thread::scope(|scope| {
            for (n, path) in files.iter().enumerate() {
                let ways = &ways;
                scope.spawn(move || {
                    let mut chance = Chance::new(n as u64 + 1);
                    for at in 0..n_each {
                        let entry = format!("edit {at}");
                        edit(syntax, ways, path, &entry, &mut chance);
                        // What is written in the instant of a replacement arrives later. Who reads the file before that
                        // and then writes it would remove it, and nothing can stop that without these calls.
                        if !calls.is_empty() {
                            until(&format!("{entry} arrives"), || self.has(path, &entry));
                        }
                    }
                });
            }
        });
        self.loses_nothing(n_each);
        until("the agent's part is in each file once", ours_is_there);
        self.loses_nothing(n_each);
        // The last replaced file may be removed only after the new one is seen.
        until("nothing is left beside", || files.iter().all(|path| self.beside(path).is_empty()));
    }

    /// Files that the agent has put next to one, without those with content of others.
    fn beside(&self, path: &Path) -> Vec<PathBuf> {
        let found = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        found.filter(|it| it.to_string_lossy().contains(".mclive-") && !self.is_saved(path, it)).collect()
    }

    /// Without leases another program may open a file in the instant before it is replaced: its text is saved.
    fn is_saved(&self, path: &Path, beside: &Path) -> bool {
        let begin = format!("{}.mclive-", path.display());
        self.calls.contains(&Call::Lease) && beside.to_string_lossy().starts_with(&begin)
    }

    /// Whether the file has an entry once, or a saved one has.
    fn has(&self, path: &Path, entry: &str) -> bool {
        let count = |path: &Path| fs::read(path).map_or(0, |text| self.syntax.count(&text, Part::Entry(entry)));
        let saved = || fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        match count(path) {
            0 => saved().any(|it| self.is_saved(path, &it) && count(&it) == 1),
            n => n == 1,
        }
    }

    /// What was written last may still be on its way.
    #[track_caller]
    fn loses_nothing(&self, n_each: u64) {
        let entries: Vec<String> = (0..n_each).map(|at| format!("edit {at}")).chain([BEGIN.to_owned()]).collect();
        let lost = |path: &PathBuf| {
            let lost: Vec<&String> = entries.iter().filter(|entry| !self.has(path, entry)).collect();
            let text = fs::read(path).unwrap();
            (!lost.is_empty()).then(|| format!("{}: {lost:?}\n{}", path.display(), String::from_utf8_lossy(&text)))
        };
        let all = || self.files.iter().filter_map(lost).collect::<Vec<_>>();
        mclive_kit::until(
            &format!("no entry is lost without {:?}", self.calls),
            || all().is_empty(),
            || all().join("\n"),
        );
    }
}

/// Runs the editors beside an agent that lacks these calls.
fn check(name: &str, syntax: &dyn Syntax, calls: &[Call], program: &dyn Fn(u64) -> String) {
    let case = Case::new(name, &(0..N_FILES).map(program).collect::<String>());
    let files: Vec<PathBuf> = (0..N_FILES).map(|n| case.path(&format!("out/{n}"))).collect();
    files.iter().for_each(|path| fs::write(path, syntax.begin()).unwrap());
    let Some(_agent) = started(calls, || case.start()) else { return };
    Edited { syntax, calls, files: &files }.survive(times("MCLIVE_EDITORS", 60));
}

fn started(calls: &[Call], start: impl FnOnce() -> Agent + Send) -> Option<Agent> {
    match without(calls, start) {
        Ok(agent) => Some(agent),
        Err(error) => {
            cannot_look(&format!("system calls cannot be filtered here: {error}"));
            None
        }
    }
}

const LINES: Lines = Lines { ours: "line of the agent" };

fn line(n: u64) -> String {
    format!("line \"{n}\" {{ file => \"@OUT@/{n}\", state => \"exists\", content => \"{}\", }}\n", LINES.ours)
}

fn json(n: u64) -> String {
    // The file becomes invalid whenever an editor truncates it.
    format!("json:edit \"@OUT@/{n}\" {{ edits => [\".ours = 1\"], Meta:retry => -1, Meta:delay => 50, }}\n")
}

const KEYS: Lines =
    Lines { ours: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g me" };

fn key(n: u64) -> String {
    format!(
        "ssh:authorized_key \"{n}\" {{ file => \"@OUT@/{n}\", state => \"exists\", content => \"{}\", }}\n",
        KEYS.ours
    )
}

#[test]
fn no_editor_beside_the_agent_loses_anything() {
    check("editors", &LINES, &[], &line);
}

#[test]
fn no_editor_of_json_loses_anything() {
    check("editors-json", &Json, &[], &json);
}

#[test]
fn no_editor_of_keys_loses_anything() {
    check("editors-keys", &KEYS, &[], &key);
}

/// As for files of other users, and on network file systems.
#[test]
fn no_editor_loses_anything_without_leases() {
    check("editors-unleased", &LINES, &[Call::Lease], &line);
    check("editors-unleased-json", &Json, &[Call::Lease], &json);
}

#[test]
fn no_editor_loses_anything_without_an_exchange() {
    check("editors-plain", &LINES, &[Call::Exchange], &line);
    check("editors-plain-json", &Json, &[Call::Exchange], &json);
}

#[test]
fn no_editor_loses_anything_without_any_of_the_calls() {
    check("editors-bare", &KEYS, &[Call::Lease, Call::Exchange, Call::Unnamed, Call::Link], &key);
}

#[test]
fn no_editor_of_the_table_of_mounts_loses_anything() {
    for calls in [&[] as &[Call], &[Call::Lease], &[Call::Exchange]] {
        let program = "mount \"@OUT@/point\" {\n\tstate => \"exists\",\n\ttype => \"tmpfs\",\n\toptions => {\"noauto\" => \"\"},\n}\n";
        let Some(apart) = Apart::new("editors-mount", program) else { return };
        // The same file as in there.
        let table = apart.case.path("etc/fstab");
        let ours = format!("tmpfs {} tmpfs noauto 0 0", apart.case.path("out/point").display());
        let syntax = Lines { ours: ours.leak() };
        fs::create_dir(apart.case.path("out/point")).unwrap();
        fs::write(&table, syntax.begin()).unwrap();
        let run = || Agent::spawn(apart.agent(&["run", "--prefix", "state", "main.mcl"]));
        let Some(_agent) = started(calls, run) else { return };
        Edited { syntax: &syntax, calls, files: &[table] }.survive(times("MCLIVE_EDITORS", 60).div_ceil(N_FILES));
    }
}
