//! Random bytes of the kernel, and names from them.

use super::io_failed;
use std::fs::File;
use std::io::Read;

const SOURCE: &str = "/dev/urandom";

pub(crate) fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open(SOURCE)?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// An unguessable name: 16 hexadecimal digits. Errors: why there is none, a sentence without a full stop.
pub(crate) fn random_name() -> Result<String, String> {
    let bytes = random().map_err(|error| io_failed("read", SOURCE, &error).message)?;
    Ok(format!("{:016x}", u64::from_ne_bytes(bytes)))
}
