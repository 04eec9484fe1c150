//! `mclive world dump`: writes all keys of a cluster to a file or to standard output.

use super::super::{Done, GOOD, failed, is_file_name, unusable};
use super::archive::Archive;
use crate::cli::Dump;
use crate::host::{Visit, create_private, io_words};
use crate::output::{print_exact, say, tell};
use crate::show::counted;
use mclive_base::unicode::visible;
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;

pub(super) fn dump(visit: &Visit, Dump { file }: &Dump, world: &str, is_json: bool) -> Done {
    let file = file.as_deref().filter(|file| *file != Path::new("-"));
    file.map_or(Ok(()), |file| is_file_name("FILE", file)).map_err(unusable)?;
    let whole = match visit.whole() {
        Ok(whole) => whole,
        Err(why) => return Ok(failed(&why)),
    };
    let (n_keys, n_unreadable, revision) = (whole.keys.len(), whole.n_unreadable, whole.revision);
    let text = Archive::of(world, whole).text();
    if n_unreadable > 0 {
        tell(&format!(
            "mclive: warning: left out {} with invalid UTF-8; no version of mclive writes such keys",
            counted(n_unreadable, "key")
        ));
    }
    let Some(file) = file else {
        print_exact(&text);
        return Ok(GOOD);
    };
    // Values and exports may contain secrets.
    create_private(file, &text).map_err(|error| {
        let path = file.display();
        unusable(match error.kind() {
            ErrorKind::AlreadyExists => format!("`{path}` already exists; nothing was written"),
            _ => format!("cannot create `{path}`: {}", io_words(&error)),
        })
    })?;
    let said = match is_json {
        true => json!({ "file": file.display().to_string(), "keys": n_keys, "revision": revision }).to_string(),
        false => {
            let path = file.display().to_string();
            format!("wrote {} at revision {revision} to {}", counted(n_keys, "key"), visible(&path))
        }
    };
    say(&format!("{said}\n"), is_json);
    Ok(GOOD)
}
