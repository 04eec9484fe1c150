//! [`Log`]: the part of a build's output that is kept, since it may be long: its beginning, and its end, which says why
//! the build failed.

use super::super::tool;
use crate::process::Stream;

/// How much is kept of the beginning and of the end. Units: bytes.
const BEGINNING: usize = 64 << 10;
const END: usize = 256 << 10;
/// How much of the errors is shown. Units: bytes.
const ERRORS: usize = 2 << 10;

pub(super) struct Log {
    beginning: Vec<u8>,
    end: Last,
    errors: Last,
}

/// The last bytes of a stream.
struct Last {
    most: usize,
    bytes: Vec<u8>,
    n_dropped: usize,
}

impl Log {
    pub(super) fn new() -> Log {
        Log { beginning: Vec::new(), end: Last::of(END), errors: Last::of(ERRORS) }
    }

    pub(super) fn add(&mut self, stream: Stream, bytes: &[u8]) {
        if let Stream::Stderr = stream {
            self.errors.add(bytes);
        }
        let (first, rest) = bytes.split_at(bytes.len().min(BEGINNING - self.beginning.len()));
        self.beginning.extend_from_slice(first);
        self.end.add(rest);
    }

    /// The last errors that the tool printed, in one line.
    pub(super) fn errors(&mut self) -> String {
        let Last { bytes, n_dropped, .. } = self.errors.cut();
        let said = tool::said(Some(bytes));
        if *n_dropped > 0 { format!("… {said}") } else { said }
    }

    /// The content of the log file.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        let Last { bytes, n_dropped, .. } = self.end.cut();
        let gap = if *n_dropped > 0 { format!("\n[{n_dropped} bytes were dropped here]\n") } else { String::new() };
        [&*self.beginning, gap.as_bytes(), bytes].concat()
    }
}

impl Last {
    fn of(most: usize) -> Last {
        Last { most, bytes: Vec::new(), n_dropped: 0 }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Not after every piece, since that moves all bytes.
        if self.bytes.len() > 2 * self.most {
            self.cut();
        }
    }

    fn cut(&mut self) -> &Last {
        let n_too_many = self.bytes.len().saturating_sub(self.most);
        self.bytes.drain(..n_too_many);
        self.n_dropped += n_too_many;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log of a build that writes this many numbered lines, all of them as errors.
    fn written(n_lines: usize) -> Log {
        let mut log = Log::new();
        (0..n_lines).for_each(|nr| log.add(Stream::Stderr, format!("line {nr}\n").as_bytes()));
        log
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut log = written(2);
        log.add(Stream::Stdout, b"done\n");
        assert_eq!(log.errors(), "line 0; line 1");
        assert_eq!(log.into_bytes(), b"line 0\nline 1\ndone\n");
    }

    #[test]
    fn of_a_long_output_the_beginning_and_the_end_are_kept() {
        let mut log = written(1_000_000);
        assert!(log.end.bytes.len() <= 2 * END + ERRORS, "{}", log.end.bytes.len());
        let errors = log.errors();
        assert!(errors.starts_with("… ") && errors.ends_with("; line 999999"), "{errors}");
        assert!(errors.len() <= 2 * ERRORS, "{}", errors.len());
        let text = String::from_utf8(log.into_bytes()).unwrap();
        let (beginning, rest) = text.split_once("\n[").unwrap();
        let (n_dropped, end) = rest.split_once(" bytes were dropped here]\n").unwrap();
        assert!(beginning.starts_with("line 0\n") && end.ends_with("line 999999\n"));
        assert_eq!((beginning.len(), end.len()), (BEGINNING, END));
        let n_written: usize = (0..1_000_000).map(|nr| format!("line {nr}\n").len()).sum();
        assert_eq!(n_dropped.parse(), Ok(n_written - BEGINNING - END));
    }
}
