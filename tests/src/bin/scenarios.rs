//! `scenarios FROM TO`: the acceptance scenarios below a folder as text archives, which `mclive test` plays, on simulated
//! hosts and on a real one.

use mclive_tests::scenario::archive;
use std::path::PathBuf;

fn main() -> Result<(), String> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(from), Some(to), None) = (args.next(), args.next(), args.next()) else {
        return Err("usage: scenarios FROM TO".into());
    };
    let fails = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(&to).map_err(fails)?;
    for entry in std::fs::read_dir(&from).map_err(fails)? {
        let folder = entry.map_err(fails)?.path();
        if !folder.join("expected.json").exists() {
            continue;
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::write(to.join(format!("{name}.txtar")), archive(&folder)?).map_err(fails)?;
    }
    Ok(())
}
