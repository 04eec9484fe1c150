//! `share`: prints a link to a program or a recorded run: a short link of a server, or a link that contains it.

use super::compile::load;
use super::{Done, GOOD, unusable};
use crate::cli;
use crate::embed::Sandbox;
use crate::output::{print, tell};
use crate::program::{self, Failure, Foreign, Loaded};
use crate::share::{self, Shared};
use crate::show::counted;

/// The maximum number of files of an upload that are named.
const MOST_NAMED: usize = 10;

pub(super) fn share(args: &cli::Share) -> Done {
    let shared = match program::recorded(&args.input.input)? {
        Some(recording) => recording,
        None => {
            let loaded = load(&args.input, &mut Sandbox::start()?)?;
            gives_away_nothing(&loaded, "share")?;
            program::shared(&loaded.program)?
        }
    };
    // A variable of the environment that is empty names no server.
    match args.server.as_deref().filter(|server| !server.is_empty()) {
        Some(server) => {
            // The variable may have been set long ago, and a directory may contain more than someone remembers.
            tell(&format!("mclive: {}", announced(&share::named(server).map_err(unusable)?, &shared)));
            let link = share::send(server, &shared).map_err(unusable)?;
            print(&format!("{link}\n"));
        }
        None => {
            print(&format!("{}\n", program::fragment(&shared)?));
            let whole = if shared.trace().is_some() { "the whole run with its program" } else { "the whole program" };
            tell(&format!(
                "mclive: append this to the address of any playground; it contains {whole}, and nothing was uploaded"
            ));
        }
    }
    Ok(GOOD)
}

/// What is about to be uploaded, and where.
fn announced(server: &str, shared: &Shared) -> String {
    let what = if shared.trace().is_some() {
        "the whole run with its program".to_owned()
    } else {
        let names: Vec<&str> = shared.files().map(|(path, _)| path).collect();
        let more = names.len().saturating_sub(MOST_NAMED);
        let named = names[..names.len() - more].join(", ");
        if more == 0 { named } else { format!("{named} and {}", counted(more, "more file")) }
    };
    format!("uploading {what} to {server}, to be stored permanently; anyone with the link can read it")
}

/// Someone else's directory must not give away what is in ours. `doing`: what others would then get it by.
pub(super) fn gives_away_nothing(loaded: &Loaded, doing: &str) -> Result<(), Failure> {
    let foreign = loaded.foreign();
    let Some(Foreign { shown, place }) = foreign.first() else { return Ok(()) };
    let why = format!("`{shown}` is a link to `{}`, outside the program's directory", place.display());
    Err(unusable(format!("{why}; replace the link with a copy to {doing} it")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_is_uploaded_is_named_and_where() {
        let announced = |n_files: usize| {
            let mut files = BTreeMap::from([("main.mcl".to_owned(), Vec::new())]);
            files.extend((1..n_files).map(|n| (format!("z{n:02}"), Vec::new())));
            announced("https://h", &Shared::new("main.mcl", files).unwrap())
        };
        let end = "to https://h, to be stored permanently; anyone with the link can read it";
        assert_eq!(announced(1), format!("uploading main.mcl {end}"));
        assert_eq!(announced(2), format!("uploading main.mcl, z01 {end}"));
        assert!(announced(10).contains("z08, z09 to"), "{}", announced(10));
        assert!(announced(11).contains("z08, z09 and 1 more file to"), "{}", announced(11));
        assert!(announced(12).contains("z08, z09 and 2 more files to"), "{}", announced(12));
    }
}
