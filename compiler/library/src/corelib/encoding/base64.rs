//! `encoding.base64_encode` and `base64_decode`. Functions spec, 15.8.

use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use base64::alphabet;
use base64::engine::Engine;
use base64::engine::general_purpose::STANDARD;

pub(super) static ENCODE: FnDef = FnDef {
    path: "encoding.base64_encode",
    sig: Sig::Fixed("func(data str) str"),
    doc: "Encodes a string as Base64 with the standard alphabet and padding, without line breaks.",
    examples: &[
        Example { call: r#"encoding.base64_encode("hello>")"#, gives: r#""aGVsbG8+""# },
        Example { call: r#"encoding.base64_encode("a")"#, gives: r#""YQ==""# },
        Example { call: r#"encoding.base64_encode("")"#, gives: r#""""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(STANDARD.encode(args.bytes(0)?)))),
};

pub(super) static DECODE: FnDef = FnDef {
    path: "encoding.base64_decode",
    sig: Sig::Fixed("func(data str) str"),
    doc: "Decodes Base64 with the standard alphabet and padding. Line breaks are ignored.",
    examples: &[
        Example { call: r#"encoding.base64_decode("aGVsbG8+")"#, gives: r#""hello>""# },
        Example { call: r#"encoding.base64_decode("aGVs\nbG9=")"#, gives: r#""hello""# },
        Example {
            call: r#"encoding.base64_decode("aGVsbG8")"#,
            gives: "error: could not decode base64: illegal base64 data at input byte 4",
        },
        Example {
            call: r#"encoding.base64_decode("ab=")"#,
            gives: "error: could not decode base64: illegal base64 data at input byte 3",
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let illegal = |at| FnError::fatal(format!("could not decode base64: illegal base64 data at input byte {at}"));
        decode(args.bytes(0)?).map(Value::from).map_err(illegal)
    }),
};

/// Errors: the offset of the offending byte, as Go counts it. Go has its own rules for a missing end or wrong padding,
/// so this loop is ours.
fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let letters = alphabet::STANDARD.as_str().as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    // Without line breaks, which still count in offsets.
    let mut bytes = text.iter().copied().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    loop {
        let (mut bits, mut n_digits) = (0u32, 0);
        while n_digits < 4 {
            let Some((at, byte)) = bytes.next() else {
                return if n_digits == 0 { Ok(out) } else { Err(text.len() - n_digits) };
            };
            if byte == b'=' {
                break;
            }
            let digit = letters.iter().position(|letter| *letter == byte).ok_or(at)?;
            bits = bits << 6 | digit as u32;
            n_digits += 1;
            if n_digits == 4 {
                out.extend(&bits.to_be_bytes()[1..]);
            }
        }
        match n_digits {
            4 => continue,
            2 => match bytes.next() {
                Some((_, b'=')) => out.push((bits >> 4) as u8),
                Some((at, _)) => return Err(at - 1),
                None => return Err(text.len()),
            },
            3 => out.extend(&(bits >> 2).to_be_bytes()[2..]),
            _ => return Err(text.iter().position(|byte| *byte == b'=').unwrap_or_default()),
        }
        // Padding must be last.
        return bytes.next().map_or(Ok(out), |(at, _)| Err(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_what_does_not_fit() {
        assert_eq!(decode(b"aGVsbG8_Pg=="), Err(7));
        assert_eq!(decode(b"aGVsbG8=x"), Err(8));
        assert_eq!(decode(b"abc"), Err(0));
        assert_eq!(decode(b"YWJj+\n"), Err(5));
        assert_eq!(decode(b"YQ=A"), Err(2));
        assert_eq!(decode(b"ab=\n="), Ok(vec![0x69]));
        assert_eq!(decode(b"aGVsbG8=\n"), Ok(b"hello".to_vec()));
        assert_eq!(decode(b"=abc"), Err(0));
        assert_eq!(decode(b"YQ=="), Ok(b"a".to_vec()));
    }

    #[test]
    fn there_and_back() {
        for len in 0..20 {
            let data: Vec<u8> = (0..len).map(|at: u8| at.wrapping_mul(37)).collect();
            assert_eq!(decode(STANDARD.encode(&data).as_bytes()), Ok(data));
        }
    }
}
