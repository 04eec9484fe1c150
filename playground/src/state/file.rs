//! What a file is that someone opens or drops on the page: a program, a recorded run, somebody's progress in the lessons, or
//! none of them.

/// Longer programs are declined, as the worker does.
const MAX_PROGRAM: usize = 1 << 20;
/// Longer runs are for `mclive replay`.
const MAX_TRACE: usize = 8 << 20;
/// How the first line of a trace begins.
const TRACE: &[u8] = b"{\"mclive-trace\":";

/// How a file of somebody's progress begins.
const PROGRESS: &str = "{\"mclive-progress\":";

/// A file's content as what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opened {
    Program(String),
    /// A run that `mclive run --record` wrote.
    Trace(Vec<u8>),
    /// What somebody has done in the lessons, as JSON.
    Progress(String),
}

/// Errors: why it cannot be opened, a sentence for people without its full stop.
pub fn opened(bytes: Vec<u8>) -> Result<Opened, String> {
    let mib = |limit: usize| limit >> 20;
    if bytes.starts_with(TRACE) {
        return match bytes.len() {
            0..=MAX_TRACE => Ok(Opened::Trace(bytes)),
            _ => Err(format!("this run is longer than {} MiB; `mclive replay` takes it", mib(MAX_TRACE))),
        };
    }
    if bytes.len() > MAX_PROGRAM {
        return Err(format!("this file is longer than {} MiB and was not opened", mib(MAX_PROGRAM)));
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.starts_with(PROGRESS) => Ok(Opened::Progress(text)),
        Ok(text) if !text.contains('\0') => Ok(Opened::Program(text)),
        _ => Err("this file is neither a program nor a recorded run".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::protocol::trace::Header;

    #[test]
    fn files_are_told_apart() {
        let trace = Header::new("host1").to_bytes();
        assert_eq!(opened(trace.clone()), Ok(Opened::Trace(trace)));
        assert_eq!(opened(b"print \"x\" {}\n".to_vec()), Ok(Opened::Program("print \"x\" {}\n".into())));
        let progress = "{\"mclive-progress\":1,\"done\":[]}";
        assert_eq!(opened(progress.into()), Ok(Opened::Progress(progress.into())));
        for (bytes, why) in [
            (vec![0xff, 0xfe], "neither"),
            (b"a\0b".to_vec(), "neither"),
            (vec![b'#'; MAX_PROGRAM + 1], "longer than 1 MiB"),
            ([TRACE, &vec![b' '; MAX_TRACE]].concat(), "longer than 8 MiB"),
        ] {
            assert!(opened(bytes).unwrap_err().contains(why), "{why}");
        }
    }
}
