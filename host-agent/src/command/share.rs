//! `share`: prints a link to a program or a recorded run: a short link of a server, or a link that contains it.

use super::compile::load;
use super::{Done, GOOD, unusable};
use crate::cli;
use crate::embed::Sandbox;
use crate::output::{print, tell};
use crate::program::{self, Foreign};
use crate::share;

pub(super) fn share(args: &cli::Share) -> Done {
    let shared = match program::recorded(&args.input.input)? {
        Some(recording) => recording,
        None => {
            let loaded = load(&args.input, &mut Sandbox::start()?)?;
            // Somebody else's directory must not give away what is in ours.
            if let Some(Foreign { shown, place }) = loaded.foreign().first() {
                let place = place.display();
                let why = format!("`{shown}` is a link to `{place}`, outside the program's directory");
                return Err(unusable(format!("{why}; replace the link with a copy to share it")));
            }
            program::shared(&loaded.program)?
        }
    };
    match &args.server {
        Some(server) => {
            let link = share::send(server, &shared).map_err(unusable)?;
            print(&format!("{link}\n"));
        }
        None => {
            print(&format!("{}\n", program::fragment(&shared)?));
            tell(
                "mclive: append this to the address of any playground; it contains the whole program, and nothing was uploaded",
            );
        }
    }
    Ok(GOOD)
}
