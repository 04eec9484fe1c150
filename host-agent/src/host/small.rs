//! [`read_small`] and [`read_stdin`]: programs, certificates and passwords, from the file of an option or from a
//! redirected standard input.

use std::fs::File;
use std::io::{Error, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Reads a regular file of at most this many bytes, without waiting for a writer. Errors: it is something else, or
/// larger.
pub(crate) fn read_small(path: &Path, most: u64) -> Result<Vec<u8>> {
    // A FIFO would block, and a device may never end.
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Error::other("it is not a regular file"));
    }
    at_most(file, most)
}

/// Reads at most this many bytes from standard input, which may have no end. Errors: it is larger.
pub(crate) fn read_stdin(most: u64) -> Result<Vec<u8>> {
    at_most(std::io::stdin().lock(), most)
}

fn at_most(from: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than the limit is enough to detect an excess.
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= most {
        return Ok(bytes);
    }
    let limit = match most % (1 << 20) {
        0 => format!("{} MiB", most >> 20),
        _ => format!("{most} bytes"),
    };
    Err(Error::other(format!("it is larger than {limit}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn only_small_regular_files_are_read() {
        let dir = Scratch::new("small");
        let path = dir.join("a");
        std::fs::write(&path, "12345").unwrap();
        let why = |path: &Path, most| read_small(path, most).unwrap_err().to_string();
        assert_eq!(read_small(&path, 5).unwrap(), b"12345");
        assert_eq!(why(&path, 4), "it is larger than 4 bytes");
        // Without blocks, and without an end that is worth reading.
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(why(&path, 4096), "it is larger than 4096 bytes");
        assert_eq!(why(&path, 2 << 20), "it is larger than 2 MiB");
        // Where a text is cut, it may not be UTF-8: that is not what is wrong with it.
        assert_eq!(at_most("\u{fc}\u{fc}".as_bytes(), 2).unwrap_err().to_string(), "it is larger than 2 bytes");
        let fifo = dir.join("fifo");
        mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).unwrap();
        for other in [&*fifo, Path::new("/dev/zero"), &dir] {
            assert_eq!(why(other, 4096), "it is not a regular file", "{other:?}");
        }
    }
}
