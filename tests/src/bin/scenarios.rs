//! `scenarios FROM TO`: converts the acceptance scenarios below a folder to text archives, which `mclive test` plays,
//! on simulated hosts and on a real one.

use mclive_tests::scenario::archives;
use std::path::PathBuf;

fn main() -> Result<(), String> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(from), Some(to), None) = (args.next(), args.next(), args.next()) else {
        return Err("usage: scenarios FROM TO".into());
    };
    archives(&from, &to)
}
