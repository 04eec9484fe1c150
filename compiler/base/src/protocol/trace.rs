//! A trace: every input of a brain with its moment, as bytes that can be replayed anywhere.
//!
//! The first line is JSON and describes the file; each record after it is a length and a checksum (two `u32`, little
//! endian) and the moment and input as postcard bytes. Records are appended as they happen: a truncated trace is valid
//! up to its last complete record.

use super::{Input, Moment};
use crate::hash::checksum;
use crate::layout::{self, Layout};
use serde::{Deserialize, Serialize};

/// Incremented when existing bytes of anything that crosses the sandbox ([`Input`], [`Output`](super::Output)) change:
/// a replay needs both, since each answer belongs to a request. `tests/wire` pins the bytes.
pub const VERSION: u32 = 4;

/// The first bytes of a trace of any version.
pub const MAGIC: &[u8] = b"{\"mclive-trace\":";

/// The first line of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The format version, see [`VERSION`].
    #[serde(rename = "mclive-trace")]
    pub version: u32,
    /// The mclive version that recorded it.
    pub mclive: String,
    /// The host it was recorded on.
    pub hostname: String,
}

impl Header {
    /// The header of a new trace on this host.
    pub fn new(hostname: &str) -> Header {
        let mclive = env!("CARGO_PKG_VERSION").to_string();
        Header { version: VERSION, mclive, hostname: hostname.to_string() }
    }

    /// The line as bytes, including its newline.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("a header is plain data");
        bytes.push(b'\n');
        bytes
    }
}

/// Appends one record to `out`.
pub fn write(at: Moment, input: &Input, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0; 8]);
    let mut bytes = postcard::to_extend(&(at, input), std::mem::take(out)).expect("an input is plain data");
    let (length, sum) = (bytes.len() - start - 8, checksum(&bytes[start + 8..]));
    bytes[start..start + 4].copy_from_slice(&(length as u32).to_le_bytes());
    bytes[start + 4..start + 8].copy_from_slice(&sum.to_le_bytes());
    *out = bytes;
}

/// A decoded trace: the inputs in order, up to the last complete record.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The first line.
    pub header: Header,
    /// Each input with its moment, in order.
    pub inputs: Vec<(Moment, Input)>,
    /// Bytes after the last complete record: the recording was interrupted.
    pub n_lost: usize,
}

impl Trace {
    /// Decodes a trace. Errors: what the bytes are instead, as a sentence.
    pub fn read(bytes: &[u8]) -> Result<Trace, String> {
        let end = bytes.iter().take(4096).position(|&byte| byte == b'\n').ok_or("this is not an mclive recording")?;
        let header: Header =
            serde_json::from_slice(&bytes[..end]).map_err(|_| "this is not an mclive recording".to_string())?;
        let Header { version, mclive, .. } = &header;
        if *version != VERSION {
            let by = if *version > VERSION { "use a newer version of mclive" } else { "record the run again" };
            return Err(format!(
                "the recording was made by mclive {mclive} (format version {version}); this mclive reads version \
                 {VERSION}: {by}"
            ));
        }
        let mut rest = &bytes[end + 1..];
        let mut inputs = Vec::new();
        while let Some((record, after)) = record(rest) {
            // The checksum is right, so a newer version wrote it.
            let input = postcard::from_bytes(record).map_err(|_| {
                let n = inputs.len() + 1;
                format!("this mclive cannot read input {n} of the recording: use mclive {mclive}, which recorded it")
            })?;
            inputs.push(input);
            rest = after;
        }
        Ok(Trace { header, inputs, n_lost: rest.len() })
    }

    /// Encodes the whole trace again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.header.to_bytes();
        self.inputs.iter().for_each(|(at, input)| write(*at, input, &mut bytes));
        bytes
    }
}

/// The start of a record with `Input::Deploy`: the moment, the variant, the files and the entry.
type Begins = (Moment, u32, Vec<(String, Vec<u8>)>, String);

/// The program at the end of a recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastProgram {
    /// The host it was recorded on.
    pub hostname: String,
    /// Its files, by absolute path in the program's own tree.
    pub files: Vec<(String, Vec<u8>)>,
    /// Where it begins.
    pub entry: String,
}

/// The last program that was deployed in a recorded run. Nothing else is decoded, so a hostile recording takes little memory.
pub fn last_program(bytes: &[u8]) -> Option<LastProgram> {
    let end = bytes.iter().take(4096).position(|&byte| byte == b'\n')?;
    let header: Header =
        serde_json::from_slice(&bytes[..end]).ok().filter(|header: &Header| header.version == VERSION)?;
    let (mut rest, mut last) = (&bytes[end + 1..], None);
    while let Some((found, after)) = record(rest) {
        if let Ok(((_, 0), _)) = postcard::take_from_bytes::<(Moment, u32)>(found) {
            last = Some(found);
        }
        rest = after;
    }
    let ((_, _, files, entry), _) = postcard::take_from_bytes::<Begins>(last?).ok()?;
    Some(LastProgram { hostname: header.hostname, files, entry })
}

/// The language of the recorded program, from the first record alone.
pub fn layout(bytes: &[u8]) -> Option<&'static Layout> {
    let end = bytes.iter().take(4096).position(|&byte| byte == b'\n')?;
    let (_, record) = bytes.get(end + 1..)?.split_at_checked(8)?;
    let ((_, input, files, entry), _) = postcard::take_from_bytes::<Begins>(record).ok()?;
    let mains = || files.iter().map(|(path, _)| path.as_str());
    (input == 0).then(|| layout::of(&entry).or_else(|| mains().find_map(layout::of)))?
}

/// The next complete record, and the rest.
fn record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (check, rest) = rest.split_first_chunk::<4>()?;
    let (record, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    (checksum(record) == u32::from_le_bytes(*check)).then_some((record, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Deploy, Options, StopMode, Ticket};
    use crate::vocab::password::Secret;
    use crate::vocab::{Datum, Finding, HostError, HostErrorKind, Outcome, file};

    fn inputs() -> Vec<(Moment, Input)> {
        let deploy = Deploy {
            files: vec![("/main.mcl".into(), b"\xff\n".to_vec())],
            entry: "/".into(),
            options: Options::default(),
        };
        let error = HostError::new(HostErrorKind::NotFound, "no");
        let inputs = [
            Input::Deploy(deploy),
            Input::Fact(Ticket(2), Ok(Datum::List(vec![Datum::Float(0.1), Datum::Int(-1)]))),
            Input::Probed(
                Ticket(1),
                vec![Finding::File(file::Finding::Bytes(vec![0, 255])), Finding::Failed(error.clone())],
            ),
            Input::Applied(Ticket(3), vec![Outcome::Done]),
            Input::Fired(Ticket(5), Some("/x".into())),
            Input::WatchFailed(Ticket(5), error),
            Input::Tick,
            Input::Stop(StopMode::Soft),
            Input::Secret(Secret("hush-hush".into())),
        ];
        inputs.into_iter().enumerate().map(|(index, input)| (Moment(index as u64 * 7), input)).collect()
    }

    #[test]
    fn a_trace_that_was_cut_is_whole_up_to_the_last_whole_record() {
        let trace = Trace { header: Header::new("host1"), inputs: inputs(), n_lost: 0 };
        let bytes = trace.to_bytes();
        assert!(bytes.starts_with(b"{\"mclive-trace\":4,\"mclive\":\""), "the header can be read");
        assert_eq!(Trace::read(&bytes), Ok(trace.clone()));
        for cut in trace.header.to_bytes().len()..bytes.len() {
            let read = Trace::read(&bytes[..cut]).unwrap();
            assert!(read.inputs.len() < trace.inputs.len());
            assert_eq!(read.inputs[..], trace.inputs[..read.inputs.len()]);
            let whole = Trace { n_lost: 0, ..read.clone() }.to_bytes().len();
            assert_eq!(whole + read.n_lost, cut);
        }
        let mut torn = bytes.clone();
        *torn.last_mut().unwrap() ^= 1;
        assert_eq!(Trace::read(&torn).unwrap().inputs.len(), trace.inputs.len() - 1);
        assert_eq!(Trace::read(b"file \"/x\" {}\n").unwrap_err(), "this is not an mclive recording");
        let other = b"{\"mclive-trace\":1,\"mclive\":\"9.0\",\"hostname\":\"h\"}\n";
        assert!(Trace::read(other).unwrap_err().contains("format version 1"));
    }

    #[test]
    fn the_language_is_read_off_the_beginning() {
        let of = |entry: &str, path: &str| {
            let files = vec![("/data".into(), vec![0; 9]), (path.to_owned(), b"x".to_vec())];
            let deploy = Deploy { files, entry: entry.into(), options: Options::default() };
            let inputs = vec![(Moment(1_700_000_000_000), Input::Deploy(deploy)), (Moment(1), Input::Tick)];
            layout(&Trace { header: Header::new("h"), inputs, n_lost: 0 }.to_bytes())
        };
        assert_eq!(of("/main.cf", "/main.cf"), Some(&layout::INMANTA));
        assert_eq!(of("/", "/main.mcl"), Some(&layout::MCL));
        assert_eq!((of("/", "/x"), layout(b""), layout(MAGIC), layout(b"x\n")), (None, None, None, None));
        assert!(Header::new("h").to_bytes().starts_with(MAGIC));
    }

    #[test]
    fn the_last_program_is_found_without_reading_the_rest() {
        let deploy = |path: &str| {
            let files = vec![(path.to_owned(), b"x".to_vec())];
            Input::Deploy(Deploy { files, entry: path.into(), options: Options::default() })
        };
        let of = |inputs: Vec<Input>| {
            let inputs = inputs.into_iter().map(|input| (Moment(1_700_000_000_000), input)).collect();
            last_program(&Trace { header: Header::new("h"), inputs, n_lost: 0 }.to_bytes())
        };
        let found = of(vec![deploy("/a.mcl"), Input::Tick, deploy("/b.mcl"), Input::Tick]).expect("there are two");
        assert_eq!((&*found.hostname, &*found.entry), ("h", "/b.mcl"));
        assert_eq!(found.files, [("/b.mcl".to_owned(), b"x".to_vec())]);
        assert_eq!(
            (of(vec![Input::Tick]), last_program(b""), last_program(MAGIC), last_program(b"x\n")),
            (None, None, None, None)
        );
        let other = b"{\"mclive-trace\":1,\"mclive\":\"9.0\",\"hostname\":\"h\"}\n";
        assert_eq!(last_program(other), None);
    }

    #[test]
    fn a_record_with_unknown_words_is_no_torn_one() {
        let mut bytes = Trace { header: Header::new("host1"), inputs: inputs(), n_lost: 0 }.to_bytes();
        // A moment and an unknown variant.
        let record = [0, 99];
        bytes.extend(2_u32.to_le_bytes());
        bytes.extend(checksum(&record).to_le_bytes());
        bytes.extend(record);
        let refused = Trace::read(&bytes).unwrap_err();
        let expected = format!("this mclive cannot read input {} of the recording", inputs().len() + 1);
        assert!(refused.starts_with(&expected), "{refused}");
    }
}
