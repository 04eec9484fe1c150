//! `share`: prints a link to a program or a recorded run: a short link of a server, or a link that contains it.

use super::compile::load;
use super::{Done, GOOD, unusable};
use crate::cli;
use crate::embed::Sandbox;
use crate::output::{print, tell};
use crate::program::{self, Failure, Foreign, Loaded};
use crate::share;

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

/// Somebody else's directory must not give away what is in ours. `doing`: what others would then get it by.
pub(super) fn gives_away_nothing(loaded: &Loaded, doing: &str) -> Result<(), Failure> {
    let foreign = loaded.foreign();
    let Some(Foreign { shown, place }) = foreign.first() else { return Ok(()) };
    let why = format!("`{shown}` is a link to `{}`, outside the program's directory", place.display());
    Err(unusable(format!("{why}; replace the link with a copy to {doing} it")))
}
