//! The bytes that cross the sandbox and those of a recording are pinned: what a released version wrote, the same version of
//! the wire reads forever.
//!
//! `pinned/N.shapes` has the shape of every type that crosses in version N, `pinned/N.samples` the bytes of a value for
//! every variant. Both are found by reading (`walk`), so a variant or a field that is new is missed at once. They may grow:
//! a variant at the end of its enum is not a new version, `MCLIVE_BLESS=1` adds it. Everything else is one: raise
//! [`trace::VERSION`](mclive_base::protocol::trace::VERSION), and bless; files of older versions stay.

#![allow(clippy::disallowed_methods, reason = "a test reads and writes what is pinned")]

mod shape;
mod walk;

use mclive_base::protocol::trace::{Header, Trace, VERSION};
use mclive_base::protocol::{Input, Moment, Output};
use mclive_base::shapes::scenario::{Cue, Tested};
use mclive_base::vocab::{Datum, FactSpec, HostError};
use serde::{Deserialize, Serialize};
use shape::Shapes;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// The first version that is pinned.
const FIRST: u32 = 4;

/// All that crosses, or is kept. A variant is written as one byte, which is left off in the samples.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
enum Wire {
    /// A record of a trace; inputs cross alone.
    Record((Moment, Input)),
    Output(Output),
    /// What is known of a host when its graph is asked for, and what must be known as well.
    Known(Vec<(FactSpec, Result<Datum, HostError>)>),
    Missing(Vec<FactSpec>),
    /// A scenario that was played.
    Tested(Tested),
    Cues(Vec<Cue>),
    /// A value that the agent keeps in its state.
    Kept((String, Datum)),
}

/// A value for every variant, with its place and its bytes.
struct Samples(Vec<(String, Wire, Vec<u8>)>);

impl Samples {
    fn to_text(&self) -> String {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        self.0.iter().fold(String::new(), |mut text, (place, _, bytes)| {
            let _ = writeln!(text, "{place} = {}", hex(bytes));
            text
        })
    }
}

fn now() -> (Samples, Shapes) {
    let (samples, shapes) = walk::explore::<Wire>();
    let bytes = |value: &Wire| postcard::to_stdvec(value).expect("it is plain data")[1..].to_vec();
    let samples = samples.into_iter().map(|(place, value)| {
        let bytes = bytes(&value);
        (place, value, bytes)
    });
    (Samples(samples.collect()), shapes)
}

fn path(version: u32, what: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/wire/pinned/{version}.{what}"))
}

fn pinned(version: u32, what: &str) -> String {
    std::fs::read_to_string(path(version, what)).unwrap_or_default()
}

/// Places and bytes of a file of samples.
fn samples(text: &str) -> impl Iterator<Item = (&str, Vec<u8>)> {
    text.lines().map(|line| {
        let (place, hex) = line.split_once(" = ").expect("a place and its bytes");
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
        (place, (0..hex.len()).step_by(2).map(byte).collect())
    })
}

const ROOT: &str = "wire::Wire";
const ACCEPT: &str = "`MCLIVE_BLESS=1 cargo test -p mclive-base --test wire` accepts that";

/// What to do about shapes, or bytes, that are no longer what they were.
fn raise(what: &str) -> String {
    format!(
        "what version {VERSION} of the wire has written would be read as something else:\n{what}\nMake the change another \
         one (a variant at the end of its enum keeps old bytes), or raise `VERSION` in protocol/trace.rs to {}; then {ACCEPT}.",
        VERSION + 1
    )
}

#[test]
fn a_changed_shape_is_a_new_version() {
    let (samples_now, shapes_now) = now();
    let before = Shapes::parse(&pinned(VERSION, "shapes"));
    if !before.0.is_empty() {
        let grown = before.grow_to(&shapes_now, ROOT);
        assert!(grown.is_ok(), "{}", raise(&grown.unwrap_err().join("\n")));
    }
    let (shapes, mut told) = (shapes_now.to_text(), pinned(VERSION, "samples"));
    let missing = new_lines(&told, &samples_now.to_text());
    let place = |line: &str| line.split(" = ").next().unwrap_or_default().to_owned();
    let places: BTreeSet<String> = told.lines().map(place).collect();
    // What is written today differs, whatever the shapes say.
    let other: Vec<&String> = missing.iter().filter(|line| places.contains(&place(line))).collect();
    assert!(other.is_empty(), "{}", raise(&format!("{other:#?}")));
    if std::env::var_os("MCLIVE_BLESS").is_some() {
        missing.iter().for_each(|line| told.extend([line, "\n"]));
        std::fs::create_dir_all(path(VERSION, "shapes").parent().expect("a folder")).unwrap();
        std::fs::write(path(VERSION, "shapes"), &shapes).unwrap();
        std::fs::write(path(VERSION, "samples"), &told).unwrap();
        return;
    }
    let before = pinned(VERSION, "shapes");
    let (new, gone) = (new_lines(&before, &shapes), new_lines(&shapes, &before));
    assert!(
        before == shapes && missing.is_empty(),
        "the wire has grown, or something is called otherwise; {ACCEPT}\nnew: {new:#?}\ngone: {gone:#?}\nno bytes are pinned for {missing:#?}"
    );
}

/// The lines of a text that another one has not.
fn new_lines(before: &str, after: &str) -> Vec<String> {
    let known: BTreeSet<&str> = before.lines().collect();
    after.lines().filter(|line| !known.contains(line)).map(str::to_owned).collect()
}

#[test]
fn bytes_of_this_version_are_read_as_they_were_written() {
    let (now, _) = now();
    let text = pinned(VERSION, "samples");
    let mut n_read = 0;
    for (place, bytes) in samples(&text) {
        let root = now.0.iter().find(|(known, ..)| place.split(" > ").next() == known.split(" > ").next());
        let tag = postcard::to_stdvec(&root.unwrap_or_else(|| panic!("{}", raise(place))).1).unwrap()[0];
        let whole = [&[tag][..], &bytes].concat();
        let read = postcard::take_from_bytes::<Wire>(&whole);
        let (value, rest) = read.unwrap_or_else(|error| panic!("{}", raise(&format!("{place}: {error}"))));
        assert!(rest.is_empty(), "{}", raise(&format!("{place}: {} bytes are left over", rest.len())));
        assert_eq!(postcard::to_stdvec(&value).unwrap(), whole, "{}", raise(place));
        if let Some((_, sample, _)) = now.0.iter().find(|(known, ..)| known == place) {
            assert_eq!(&value, sample, "{place}");
        }
        n_read += 1;
    }
    assert!(n_read > 500, "{n_read}");
}

/// A recording of a version: a record for each of its inputs.
fn recording(version: u32) -> (Vec<u8>, usize) {
    let header = Header { version, mclive: "0.1.0".into(), hostname: "host1".into() };
    let (mut bytes, mut n_records) = (header.to_bytes(), 0);
    let text = pinned(version, "samples");
    for (_, record) in samples(&text).filter(|(place, _)| place.starts_with("wire::Wire::Record ")) {
        let sum = record.iter().fold(0x811c_9dc5, |sum: u32, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
        bytes.extend((record.len() as u32).to_le_bytes());
        bytes.extend(sum.to_le_bytes());
        bytes.extend(record);
        n_records += 1;
    }
    (bytes, n_records)
}

#[test]
fn recordings_of_this_version_are_read_and_others_are_refused() {
    let (bytes, n_records) = recording(VERSION);
    let trace = Trace::read(&bytes).unwrap();
    assert!(n_records > 100, "{n_records}");
    assert_eq!((trace.inputs.len(), trace.n_lost), (n_records, 0));
    assert_eq!(trace.to_bytes(), bytes, "and written again byte for byte");
    for version in (1..VERSION).chain([VERSION + 1]) {
        let refused = Trace::read(&recording(version).0).unwrap_err();
        assert!(refused.contains(&format!("format version {version}")), "{refused}");
        assert!(refused.contains(&format!("reads version {VERSION}")), "{refused}");
    }
    assert!(Trace::read(&recording(VERSION + 1).0).unwrap_err().contains("newer"));
}

#[test]
fn files_of_all_versions_stay() {
    for version in FIRST..=VERSION {
        for what in ["shapes", "samples"] {
            assert!(path(version, what).is_file(), "{} is not there; such files stay", path(version, what).display());
        }
    }
    let after = path(VERSION + 1, "shapes");
    assert!(!after.exists(), "{} is there: the version goes up only", after.display());
}
