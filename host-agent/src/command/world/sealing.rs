//! `mclive world set --seal-for`: sets a value that only some hosts can read. It is never an argument, since other
//! users of the machine can see those.

use super::super::{Done, GOOD, failed, is_file_name, unusable};
use super::{place, plain};
use crate::cli::Set;
use crate::host::{SEALED, Visit, io_words, read_small, read_stdin, recipients_for, within_limits};
use crate::sealed::{LONGEST, Sealed, ValueName};
use std::io::IsTerminal;
use std::path::Path;

pub(super) fn seal(visit: &Visit, cluster: &str, args: &Set) -> Done {
    let sealed = sealed(cluster, args).map_err(unusable)?;
    match visit.set_sealed(&args.key.key, &sealed) {
        Ok(()) => Ok(GOOD),
        Err(why) => Ok(failed(&why)),
    }
}

/// Errors: why it cannot be sealed, a sentence without a full stop.
fn sealed(cluster: &str, args: &Set) -> Result<Sealed, String> {
    place(&args.key).and_then(plain)?;
    let list = args.host_keys.as_deref().ok_or("missing --host-keys FILE: the public keys of hosts")?;
    let recipients = recipients_for(list, &args.seal_for)?;
    let value = value(args.value_file.as_deref())?;
    let sealed = Sealed::seal(&ValueName { cluster, key: &args.key.key }, &value, &recipients)?;
    // Hosts have a copy each, with all boxes in it.
    let place = format!("{SEALED}{}", args.key.key);
    within_limits(&place, &sealed.bytes()).map_err(|why| format!("cannot seal the value for these hosts: {why}"))?;
    Ok(sealed)
}

/// The value in a file, or on standard input, without the newline at its end. Errors: why there is none.
fn value(file: Option<&Path>) -> Result<String, String> {
    // The longest value, and a newline.
    let most = LONGEST as u64 + 1;
    let (place, bytes) = match file {
        Some(file) => {
            is_file_name("--value-file", file)?;
            (file.display().to_string(), read_small(file, most))
        }
        None if std::io::stdin().is_terminal() => {
            return Err("the value is read from standard input; redirect it, or use --value-file FILE".into());
        }
        None => ("standard input".to_owned(), read_stdin(most)),
    };
    let text = bytes.map_err(|error| io_words(&error));
    let text = text.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()));
    let text = text.map_err(|why| format!("cannot read the value from {place}: {why}"))?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}
