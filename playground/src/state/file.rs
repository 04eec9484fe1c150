//! The type of a file that the user opens or drops on the page: a program, a recorded run, a user's progress in the
//! lessons, or none of them.

use super::program::Program;
use mclive_base::layout;

/// Longer programs are refused, as by the worker.
const MAX_PROGRAM: usize = 1 << 20;
/// For longer runs there is `mclive replay`.
const MAX_TRACE: usize = 8 << 20;
/// Larger archives are refused without unpacking.
const MAX_ZIP: usize = 4 << 20;
/// The first bytes of a zip archive.
const ZIP: &[u8] = b"PK\x03\x04";
/// The start of the first line of a trace.
const TRACE: &[u8] = b"{\"mclive-trace\":";

/// The start of a file with a user's progress.
const PROGRESS: &str = "{\"mclive-progress\":";

/// The content of a file, by type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opened {
    /// A program.
    Program(Program),
    /// An archive that is not unpacked yet.
    Zip(Vec<u8>),
    /// A run that `mclive run --record` wrote.
    Trace(Vec<u8>),
    /// A user's progress in the lessons, as JSON.
    Progress(String),
}

/// Errors: why it cannot be opened, a sentence without a full stop.
pub fn opened(name: &str, bytes: Vec<u8>) -> Result<Opened, String> {
    let mib = |limit: usize| limit >> 20;
    if bytes.starts_with(TRACE) {
        return match bytes.len() {
            0..=MAX_TRACE => Ok(Opened::Trace(bytes)),
            _ => Err(format!("this run is larger than {} MiB; use `mclive replay` instead", mib(MAX_TRACE))),
        };
    }
    if bytes.starts_with(ZIP) {
        return match bytes.len() {
            0..=MAX_ZIP => Ok(Opened::Zip(bytes)),
            _ => Err(format!("this archive is larger than {} MiB and was not opened", mib(MAX_ZIP))),
        };
    }
    if bytes.len() > MAX_PROGRAM {
        return Err(format!("this file is larger than {} MiB and was not opened", mib(MAX_PROGRAM)));
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.starts_with(PROGRESS) => Ok(Opened::Progress(text)),
        Ok(text) if is_page(&text) => Err("this is a web page, not a program".into()),
        Ok(text) if !text.contains('\0') => match Program::of_archive(&text).filter(|_| !is_program(name)) {
            Some(program) => program.map(Opened::Program),
            None => {
                Ok(Opened::Program(Program::single(layout::of(name).unwrap_or_else(|| layout::of_text(&text)), &text)))
            }
        },
        _ => Err("this file is neither a program nor a recorded run".into()),
    }
}

/// Whether this is HTML: the address of a page instead of the file that it shows. No program begins so.
fn is_page(text: &str) -> bool {
    let mut start = text.trim_start_matches('\u{feff}').trim_start();
    while let Some((_, rest)) = start.strip_prefix("<!--").and_then(|rest| rest.split_once("-->")) {
        start = rest.trim_start();
    }
    let starts = |with: &str| start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    ["<!doctype", "<html", "<head", "<body"].into_iter().any(starts)
}

/// A program may contain lines like those of a text archive.
fn is_program(name: &str) -> bool {
    layout::of(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::protocol::trace::Header;

    #[test]
    fn files_are_told_apart() {
        let trace = Header::new("host1").to_bytes();
        let opened = |bytes: Vec<u8>| opened("notes.txt", bytes);
        assert_eq!(opened(trace.clone()), Ok(Opened::Trace(trace)));
        let text = "print \"x\" {}\n";
        assert_eq!(opened(text.into()), Ok(Opened::Program(Program::single(&layout::MCL, text))));
        let Ok(Opened::Program(program)) = opened("-- main.mcl --\n-- lib/main.mcl --\n".into()) else {
            panic!("no archive")
        };
        assert_eq!(program.files().len(), 2);
        assert_eq!(opened(ZIP.to_vec()), Ok(Opened::Zip(ZIP.to_vec())));
        let progress = "{\"mclive-progress\":1,\"done\":[]}";
        assert_eq!(opened(progress.into()), Ok(Opened::Progress(progress.into())));
        for (bytes, why) in [
            (vec![0xff, 0xfe], "neither"),
            (b"a\0b".to_vec(), "neither"),
            (b"<!doctype html>\n<html>".to_vec(), "a web page"),
            ("\u{feff}\n <!-- x --> <HTML lang=\"en\">".into(), "a web page"),
            (vec![b'#'; MAX_PROGRAM + 1], "larger than 1 MiB"),
            ([TRACE, &vec![b' '; MAX_TRACE]].concat(), "larger than 8 MiB"),
            ([ZIP, &vec![b' '; MAX_ZIP]].concat(), "larger than 4 MiB"),
        ] {
            assert!(opened(bytes).unwrap_err().contains(why), "{why}");
        }
    }
}
