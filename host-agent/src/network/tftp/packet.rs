//! The packets of TFTP (RFC 1350) with options (RFC 2347, 2348, 2349, 7440).

/// A request for a file, with the supported options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    pub(super) name: String,
    pub(super) is_text: bool,
    pub(super) options: Options,
}

/// The requested options; `None`: missing or invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Options {
    pub(super) block_size: Option<u16>,
    pub(super) timeout_s: Option<u8>,
    pub(super) wants_size: bool,
    pub(super) window: Option<u16>,
}

/// A packet of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Said {
    Read(Request),
    /// A request that is refused, and why.
    Refused(Code, &'static str),
    Ack(u16),
    /// The client aborts.
    Error,
    /// An invalid packet, which is ignored.
    Nonsense,
}

/// The error codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    Other = 0,
    NotFound = 1,
    Access = 2,
    Illegal = 4,
}

const LARGEST_BLOCK: u16 = 65464;
const LARGEST_WINDOW: u16 = 64;

pub(super) fn parse(bytes: &[u8]) -> Said {
    let Some((opcode, rest)) = bytes.split_at_checked(2) else { return Said::Nonsense };
    match opcode {
        [0, 1] => read(rest).unwrap_or(Said::Nonsense),
        [0, 2] => Said::Refused(Code::Access, "this server is read-only"),
        [0, 4] => match rest {
            [high, low, ..] => Said::Ack(u16::from_be_bytes([*high, *low])),
            _ => Said::Nonsense,
        },
        [0, 5] => Said::Error,
        _ => Said::Nonsense,
    }
}

fn read(rest: &[u8]) -> Option<Said> {
    // Each text ends with a zero byte.
    let mut texts = rest.strip_suffix(&[0])?.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let (name, mode) = (texts.next()?.into_owned(), texts.next()?);
    let is_text = match &*mode.to_ascii_lowercase() {
        "octet" => false,
        "netascii" => true,
        _ => return Some(Said::Refused(Code::Illegal, "mode must be octet or netascii")),
    };
    let mut options = Options::default();
    while let (Some(key), Some(value)) = (texts.next(), texts.next()) {
        let number = value.parse::<u64>().ok();
        let within = |least: u64, most: u16| {
            let number = number.filter(|number| *number >= least)?;
            Some(u16::try_from(number).unwrap_or(u16::MAX).min(most))
        };
        match &*key.to_ascii_lowercase() {
            "blksize" => options.block_size = within(8, LARGEST_BLOCK),
            "windowsize" => options.window = within(1, LARGEST_WINDOW),
            "timeout" => options.timeout_s = number.and_then(|n| u8::try_from(n).ok()).filter(|n| *n > 0),
            "tsize" => options.wants_size = number.is_some(),
            _ => {}
        }
    }
    Some(Said::Read(Request { name, is_text, options }))
}

/// The accepted options; `None`: there are none, and the first block is the answer.
pub(super) fn agreed(options: &Options, size: u64) -> Option<Vec<u8>> {
    let mut packet = vec![0, 6];
    let mut say = |key: &str, value: u64| {
        for text in [key, &value.to_string()] {
            packet.extend(text.as_bytes());
            packet.push(0);
        }
    };
    if let Some(block_size) = options.block_size {
        say("blksize", block_size.into());
    }
    if options.wants_size {
        say("tsize", size);
    }
    if let Some(timeout) = options.timeout_s {
        say("timeout", timeout.into());
    }
    if let Some(window) = options.window {
        say("windowsize", window.into());
    }
    (packet.len() > 2).then_some(packet)
}

pub(super) fn data(block: u64, bytes: &[u8]) -> Vec<u8> {
    // The number wraps around to zero.
    let [.., high, low] = block.to_be_bytes();
    [&[0, 3, high, low], bytes].concat()
}

pub(super) fn error(code: Code, why: &str) -> Vec<u8> {
    [&[0, 5, 0, code as u8], why.as_bytes(), &[0]].concat()
}

/// A text with the line ends of a network terminal.
pub(super) fn netascii(text: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'\n' => lines.extend(b"\r\n"),
            b'\r' => lines.extend(b"\r\0"),
            byte => lines.push(*byte),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_their_options() {
        let options = Options { block_size: Some(1428), timeout_s: Some(3), wants_size: true, window: Some(64) };
        let asked = b"\0\x01a/b\0OCTET\0BlkSize\x001428\0tsize\x000\0timeout\x003\0windowsize\x0065535\0";
        assert_eq!(parse(asked), Said::Read(Request { name: "a/b".into(), is_text: false, options }));
        let agreed = agreed(&options, 7).unwrap();
        assert_eq!(agreed, b"\0\x06blksize\x001428\0tsize\x007\0timeout\x003\0windowsize\x0064\0");
        let none = Options::default();
        for bad in [
            "blksize\x007\0",
            "timeout\x00256\0",
            "timeout\x000\0",
            "windowsize\x000\0",
            "tsize\0x\0",
            "multicast\0\0",
            "odd\0",
        ] {
            let asked = [b"\0\x01a\0netascii\0", bad.as_bytes()].concat();
            assert_eq!(parse(&asked), Said::Read(Request { name: "a".into(), is_text: true, options: none }), "{bad}");
        }
        assert_eq!(super::agreed(&none, 7), None);
    }

    #[test]
    fn what_is_no_request_is_not_answered() {
        assert!(matches!(parse(b"\0\x01a\0mail\0"), Said::Refused(Code::Illegal, _)));
        assert!(matches!(parse(b"\0\x02a\0octet\0"), Said::Refused(Code::Access, _)));
        assert_eq!(parse(b"\0\x04\x01\x02"), Said::Ack(0x102));
        for nonsense in [
            &b""[..],
            b"\0",
            b"\0\x01",
            b"\0\x01a",
            b"\0\x01a\0octet",
            b"\0\x01\0",
            b"\0\x03\0\x01x",
            b"\0\x04\0",
            b"\xff\xff",
        ] {
            assert_eq!(parse(nonsense), Said::Nonsense, "{nonsense:?}");
        }
    }

    #[test]
    fn numbers_of_blocks_go_round() {
        assert_eq!(data(65536, b"x"), [0, 3, 0, 0, b'x']);
        assert_eq!(data(65535, b""), [0, 3, 0xff, 0xff]);
        assert_eq!(netascii(b"a\nb\rc"), b"a\r\nb\r\0c");
    }
}
