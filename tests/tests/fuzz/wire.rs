//! The pinned bytes of the wire (`compiler/base/tests/wire`): a value for every variant is the best of seeds.

use crate::hunt::root;
use mclive_base::protocol::trace::VERSION;
use mclive_base::protocol::{Input, Moment};

/// Every sample, with its place: `wire::Wire::Record > protocol::Input::Tick`.
pub(crate) fn samples() -> Vec<(String, Vec<u8>)> {
    let path = root().join(format!("compiler/base/tests/wire/pinned/{VERSION}.samples"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let sample = |line: &str| {
        let (place, hex) = line.split_once(" = ")?;
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
        Some((place.to_owned(), (0..hex.len()).step_by(2).map(byte).collect()))
    };
    text.lines().filter_map(sample).collect()
}

/// The inputs among them, with their places from the input on.
pub(crate) fn inputs() -> Vec<(String, (Moment, Input))> {
    let records = samples().into_iter().filter_map(|(place, bytes)| {
        let place = place.strip_prefix("wire::Wire::Record > protocol::Input::")?.to_owned();
        Some((place, postcard::from_bytes(&bytes).expect("a pinned record is read")))
    });
    records.collect()
}

/// Adds bytes to a recording, as a record that is whole.
pub(crate) fn record(bytes: &[u8], to: &mut Vec<u8>) {
    let sum = bytes.iter().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    to.extend((bytes.len() as u32).to_le_bytes());
    to.extend(sum.to_le_bytes());
    to.extend(bytes);
}
