//! What is read of bytes that anyone can write: recordings, what crosses the sandbox in both directions, links, archives,
//! scenarios. No reader panics or takes more memory than its bytes warrant, and what was read is written again as what is read.

use crate::dice::Dice;
use crate::hunt::Target;
use crate::wire;
use mclive_base::archive::Archive;
use mclive_base::protocol::trace::{self, Header, Trace};
use mclive_base::protocol::{Input, Output};
use mclive_base::shapes::scenario::{Cue, Tested};
use mclive_base::vocab::{Datum, FactSpec, HostError};
use mclive_base::{link, scenario};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) static TARGET: Target = Target { name: "bytes", ending: "bin", seeds, make, check };

/// A value for every variant that crosses, a recording of all inputs, a link and an archive.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = wire::samples().into_iter().map(|(_, bytes)| bytes).collect();
    let inputs = wire::inputs().into_iter().map(|(_, record)| record).collect();
    seeds.push(Trace { header: Header::new("host1"), inputs, n_lost: 0 }.to_bytes());
    seeds.push(link::pack(b"deflated").into_bytes());
    seeds.push(b"-- main.mcl --\n$a = 1\n-- main.scenario --\nrun\nexpect file /a holds \"b\" within 1s\n".to_vec());
    seeds.extend(crate::text::seeds(&["tests/scenarios"], &["mcl"]));
    seeds
}

const PIECES: &[&[u8]] = &[
    &[0],
    &[1],
    &[0xff],
    &[0x80],
    &[0xff; 5],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    &[4, 1, 4, 1],
    b"\n",
    b"-- a --\n",
    b"expect ",
    b" within 1h",
    b"\"",
    b"=",
    b"AQ",
    b"BA",
    b"{\"mclive-trace\":4}\n",
];

/// A recording is changed inside of its records as well, which then say that they are whole.
fn make(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = dice.pick(seeds).clone();
    let other = dice.pick(seeds).clone();
    if dice.one_in(4) {
        let mut whole = Header::new("host1").to_bytes();
        for _ in 0..1 + dice.below(4) {
            let mut record = dice.pick(seeds).clone();
            record.truncate(4096);
            dice.mutate(&mut record, &other, PIECES);
            wire::record(&record, &mut whole);
        }
        return whole;
    }
    dice.mutate(&mut bytes, &other, PIECES);
    bytes
}

/// What is read comes to the same bytes each time that it is written.
fn again<T: Serialize + DeserializeOwned>(bytes: &[u8]) {
    let Ok((value, _)) = postcard::take_from_bytes::<T>(bytes) else { return };
    let written = postcard::to_stdvec(&value).expect("it is plain data");
    let value: T = postcard::from_bytes(&written).expect("what we write we read");
    assert!(postcard::to_stdvec(&value).expect("it is plain data") == written, "it is written otherwise");
}

fn check(bytes: &[u8]) {
    again::<Input>(bytes);
    again::<Output>(bytes);
    again::<Tested>(bytes);
    again::<Vec<FactSpec>>(bytes);
    again::<Vec<(FactSpec, Result<Datum, HostError>)>>(bytes);
    again::<(String, Datum)>(bytes);
    let _ = Cue::unpack(bytes);
    trace::layout(bytes);
    if let Ok(read) = Trace::read(bytes) {
        let whole = read.to_bytes();
        let again = Trace::read(&whole).expect("what we write we read");
        assert!(again.to_bytes() == whole, "a recording is written otherwise");
    }
    let text = String::from_utf8_lossy(bytes);
    if let Ok(deflated) = link::unpack(&text) {
        assert_eq!(link::unpack(&link::pack(&deflated)).as_deref(), Ok(&*deflated));
    }
    let archive = Archive::parse(bytes);
    if let Some(written) = archive.to_bytes() {
        let again = Archive::parse(&written);
        assert!(again.to_bytes().as_ref() == Some(&written), "an archive is written otherwise");
    }
    let _ = scenario::read(&text);
}
