//! gzip, with miniz.

use super::{Work, pieces, write};
use mclive_base::vocab::HostError;
use mclive_base::vocab::archive::gzip::{Crc, HEAD, tail};
use miniz_oxide::deflate::core::{CompressionStrategy, CompressorOxide, create_comp_flags_from_zip_params};
use miniz_oxide::deflate::stream::deflate;
use miniz_oxide::{MZFlush, MZStatus};
use std::io::{Read, Write};

/// No zlib header around the data.
const RAW: i32 = -15;
const HUFFMAN_ONLY: i32 = -2;
const DEFAULT: i32 = 6;

pub(super) fn all(from: &mut dyn Read, out: &mut dyn Write, level: i32, work: &Work) -> Result<(), HostError> {
    let (level, strategy) = match level {
        HUFFMAN_ONLY => (DEFAULT, CompressionStrategy::HuffmanOnly),
        0..=9 => (level, CompressionStrategy::Default),
        _ => (DEFAULT, CompressionStrategy::Default),
    };
    let mut compressor = CompressorOxide::new(create_comp_flags_from_zip_params(level, RAW, strategy as i32));
    let mut buffer = vec![0; super::PIECE];
    let (mut crc, mut length) = (Crc::default(), 0);
    write(out, &HEAD)?;
    pieces(work, from, |bytes| {
        crc.add(bytes);
        length += bytes.len() as u64;
        let mut rest = bytes;
        while !rest.is_empty() {
            let done = deflate(&mut compressor, rest, &mut buffer, MZFlush::None);
            rest = &rest[done.bytes_consumed..];
            write(out, &buffer[..done.bytes_written])?;
        }
        Ok(())
    })?;
    loop {
        let done = deflate(&mut compressor, &[], &mut buffer, MZFlush::Finish);
        write(out, &buffer[..done.bytes_written])?;
        if !matches!(done.status, Ok(MZStatus::Ok)) {
            break;
        }
    }
    write(out, &tail(crc, length))
}
