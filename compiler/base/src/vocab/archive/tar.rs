//! Headers of tar archives: USTAR, PAX for values too long for it, and GNU. Source: POSIX.1-2001 `pax`, GNU tar's
//! manual.

use crate::vocab::path;
use serde::{Deserialize, Serialize};

/// Bytes of a block; every header and content fills whole blocks.
pub const BLOCK: usize = 512;

/// The format of headers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Format {
    /// USTAR, and PAX where a member needs it.
    Auto,
    /// USTAR only.
    Ustar,
    /// PAX for every member.
    Pax,
    /// GNU.
    Gnu,
}

/// The metadata of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member<'a> {
    /// The path, in the bytes of the system; for a directory it ends with a slash.
    pub name: &'a [u8],
    /// The permission bits.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// Bytes of its content; 0 for a directory and a link.
    pub size: u64,
    /// Seconds since 1970.
    pub mtime: i64,
    /// Target of a symbolic link; `None` for anything else.
    pub target: Option<&'a [u8]>,
}

/// The two empty blocks at the end.
pub const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

/// The zeros that fill the last block of a content.
pub fn padding(size: u64) -> &'static [u8] {
    let rest = (size % BLOCK as u64) as usize;
    if rest == 0 { &[] } else { &END[..BLOCK - rest] }
}

/// The header of a member: one block, or more if the name or a number is too long for it.
///
/// Errors: the format cannot represent this member.
pub fn header(member: &Member, format: Format) -> Result<Vec<u8>, String> {
    let place = split(member.name);
    let is_narrow = place.is_some()
        && member.target.is_none_or(|target| target.len() <= NAME)
        && member.size < 1 << 33
        && fits(member.uid)
        && fits(member.gid)
        && member.mtime >= 0;
    match format {
        Format::Ustar if !is_narrow => {
            let name = path::escaped(member.name);
            Err(format!("the name, link target or size of `{}` is too large for the USTAR format", path::shown(&name)))
        }
        Format::Auto | Format::Ustar | Format::Pax if is_narrow => {
            Ok(block(member, place.unwrap_or_default(), KIND_OF))
        }
        Format::Auto | Format::Ustar | Format::Pax => Ok(pax(member)),
        Format::Gnu => Ok(gnu(member)),
    }
}

fn fits(id: u32) -> bool {
    id < 1 << 21
}

/// Splits the name over the two USTAR fields: `(prefix, name)`.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= NAME {
        return Some((b"", name));
    }
    let slashes = name.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    let mut ways = slashes.map(|at| (&name[..at], &name[at + 1..]));
    ways.find(|(prefix, rest)| prefix.len() <= 155 && !rest.is_empty() && rest.len() <= NAME && !prefix.is_empty())
}

/// Offset of the type flag.
const KIND_OF: u8 = 0;
/// Bytes available for a name, and for the target of a link.
const NAME: usize = 100;

fn block(member: &Member, (prefix, name): (&[u8], &[u8]), kind: u8) -> Vec<u8> {
    let is_dir = member.name.ends_with(b"/");
    let kind = match kind {
        KIND_OF if member.target.is_some() => b'2',
        KIND_OF if is_dir => b'5',
        KIND_OF => b'0',
        kind => kind,
    };
    let mut block = vec![0; BLOCK];
    put(&mut block, 0, NAME, name);
    octal(&mut block, 100, 8, u64::from(member.mode & 0o7777));
    octal(&mut block, 108, 8, u64::from(member.uid));
    octal(&mut block, 116, 8, u64::from(member.gid));
    octal(&mut block, 124, 12, member.size);
    octal(&mut block, 136, 12, u64::try_from(member.mtime).unwrap_or(0));
    block[156] = kind;
    put(&mut block, 157, NAME, start_of(member.target.unwrap_or_default()));
    put(&mut block, 257, 8, b"ustar\x0000");
    put(&mut block, 345, 155, prefix);
    sum(&mut block);
    block
}

fn put(block: &mut [u8], at: usize, room: usize, bytes: &[u8]) {
    let length = bytes.len().min(room);
    block[at..at + length].copy_from_slice(&bytes[..length]);
}

/// A number in octal, ending with a zero byte; a larger one is binary, a GNU extension.
fn octal(block: &mut [u8], at: usize, room: usize, number: u64) {
    let digits = room - 1;
    if number < 1 << (3 * digits) {
        put(block, at, digits, format!("{number:0digits$o}").as_bytes());
    } else {
        block[at] = 0x80;
        put(block, at + room - 8, 8, &number.to_be_bytes());
        block[at] |= 0x80;
    }
}

/// The sum of all bytes, with the checksum field counted as spaces.
fn sum(block: &mut [u8]) {
    block[148..156].fill(b' ');
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    put(block, 148, 8, format!("{sum:06o}\0 ").as_bytes());
}

/// PAX records with the values that do not fit into the header.
fn pax(member: &Member) -> Vec<u8> {
    let mut records = Vec::new();
    if std::str::from_utf8(member.name).is_err() || member.target.is_some_and(|to| std::str::from_utf8(to).is_err()) {
        // Texts are UTF-8 unless this says otherwise.
        records.extend(record("hdrcharset", b"BINARY"));
    }
    records.extend(record("path", member.name));
    if let Some(target) = member.target {
        records.extend(record("linkpath", target));
    }
    let number = |key: &str, number: &dyn ToString| record(key, number.to_string().as_bytes());
    if member.size >= 1 << 33 {
        records.extend(number("size", &member.size));
    }
    for (key, id) in [("uid", member.uid), ("gid", member.gid)] {
        if !fits(id) {
            records.extend(number(key, &id));
        }
    }
    if member.mtime < 0 {
        records.extend(number("mtime", &member.mtime));
    }
    let name = b"PaxHeaders.0/member";
    let meta = Member { name, mode: 0o644, uid: 0, gid: 0, size: records.len() as u64, mtime: 0, target: None };
    let mut out = block(&meta, (b"", name), b'x');
    out.extend(&records);
    out.extend(padding(records.len() as u64));
    let small = |id: u32| if fits(id) { id } else { 0 };
    let size = if member.size < 1 << 33 { member.size } else { 0 };
    let narrow = Member { uid: small(member.uid), gid: small(member.gid), size, ..member.clone() };
    out.extend(block(&narrow, (b"", end_of(member.name)), KIND_OF));
    out
}

/// The longest start of a name that fits, without a part of a letter.
fn start_of(name: &[u8]) -> &[u8] {
    let end = name.len().min(NAME);
    &name[..(0..=end).rev().take(LETTER).find(|at| !is_inside(name, *at)).unwrap_or(end)]
}

/// The longest end of a name that fits, without a part of a letter.
fn end_of(name: &[u8]) -> &[u8] {
    let start = name.len().saturating_sub(NAME);
    &name[(start..name.len()).take(LETTER).find(|at| !is_inside(name, *at)).unwrap_or(start)..]
}

/// The maximum number of bytes of a letter in UTF-8.
const LETTER: usize = 4;

/// Whether this byte continues a letter of UTF-8.
fn is_inside(name: &[u8], at: usize) -> bool {
    name.get(at).is_some_and(|byte| byte & 0xc0 == 0x80)
}

/// `LENGTH KEY=VALUE\n`, where the length includes itself.
fn record(key: &str, value: &[u8]) -> Vec<u8> {
    let rest = key.len() + value.len() + 3;
    let mut length = rest;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    [format!("{length} {key}=").as_bytes(), value, b"\n"].concat()
}

/// A long name or target, as an extra member before this one.
fn gnu(member: &Member) -> Vec<u8> {
    let mut out = Vec::new();
    for (text, kind) in [(member.target.unwrap_or_default(), b'K'), (member.name, b'L')] {
        if text.len() > NAME {
            let (name, size) = (b"././@LongLink", text.len() as u64 + 1);
            let long = Member { name, mode: 0o644, uid: 0, gid: 0, size, mtime: 0, target: None };
            out.extend(as_gnu(block(&long, (b"", name), kind)));
            out.extend(text);
            out.push(0);
            out.extend(padding(size));
        }
    }
    out.extend(as_gnu(block(member, (b"", start_of(member.name)), KIND_OF)));
    out
}

fn as_gnu(mut block: Vec<u8>) -> Vec<u8> {
    put(&mut block, 257, 8, b"ustar  \0");
    sum(&mut block);
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str) -> Member<'_> {
        Member { name: name.as_bytes(), mode: 0o644, uid: 1, gid: 2, size: 3, mtime: 4, target: None }
    }

    #[test]
    fn a_short_name_is_one_block() {
        for format in [Format::Auto, Format::Ustar, Format::Pax, Format::Gnu] {
            let header = header(&member("a/b"), format).unwrap();
            assert_eq!(header.len(), BLOCK);
            assert_eq!(&header[..4], b"a/b\0");
            assert_eq!(&header[124..136], b"00000000003\0");
        }
    }

    #[test]
    fn long_names_are_split_recorded_or_refused() {
        let splits = format!("{}/{}", "d".repeat(120), "f".repeat(90));
        assert_eq!(header(&member(&splits), Format::Ustar).unwrap().len(), BLOCK);
        let long = "f".repeat(300);
        assert!(header(&member(&long), Format::Ustar).unwrap_err().contains("too large for"));
        let pax = header(&member(&long), Format::Auto).unwrap();
        assert_eq!(pax.len(), 3 * BLOCK);
        assert!(pax[BLOCK..].starts_with(format!("310 path={long}\n").as_bytes()));
        assert_eq!(header(&member(&long), Format::Gnu).unwrap().len(), 3 * BLOCK);
        assert_eq!(record("path", "x".repeat(91).as_bytes()).len(), 101);
        assert_eq!(padding(0).len(), 0);
        assert_eq!(padding(513).len(), 511);
    }

    #[test]
    fn a_name_is_bytes() {
        let odd = |name, target| Member { name, target, size: 0, ..member("a") };
        for format in [Format::Auto, Format::Ustar, Format::Pax, Format::Gnu] {
            let header = header(&odd(b"a\xff", Some(b"b\xfe")), format).unwrap();
            assert_eq!((header.len(), &header[..3], &header[157..160]), (BLOCK, &b"a\xff\0"[..], &b"b\xfe\0"[..]));
        }
        let long = [b'\xff'; 150];
        let pax = header(&odd(&long, None), Format::Auto).unwrap();
        assert!(pax[BLOCK..].starts_with(b"21 hdrcharset=BINARY\n160 path=\xff\xff"));
        let gnu = header(&odd(&long, None), Format::Gnu).unwrap();
        assert!(gnu[BLOCK..].starts_with(&long) && gnu[2 * BLOCK..].starts_with(&long[..NAME]));
    }

    #[test]
    fn letters_are_not_cut() {
        let long = format!("{}ä{}", "x".repeat(99), "y".repeat(99));
        assert_eq!((start_of(long.as_bytes()).len(), end_of(long.as_bytes()).len()), (99, 99));
    }

    #[test]
    fn a_link_has_its_target() {
        fn link(target: &str) -> Member<'_> {
            Member { size: 0, target: Some(target.as_bytes()), ..member("a") }
        }
        let long = "t".repeat(300);
        for format in [Format::Auto, Format::Ustar, Format::Pax, Format::Gnu] {
            let short = header(&link("b/c"), format).unwrap();
            assert_eq!((short.len(), short[156], &short[157..161]), (BLOCK, b'2', &b"b/c\0"[..]));
        }
        assert!(header(&link(&long), Format::Ustar).unwrap_err().contains("too large for"));
        let pax = header(&link(&long), Format::Pax).unwrap();
        assert!(pax[BLOCK..].starts_with(b"9 path=a\n314 linkpath=ttt"), "{:?}", String::from_utf8_lossy(&pax));
        assert_eq!(header(&link(&long), Format::Gnu).unwrap().len(), 3 * BLOCK);
    }
}
