//! `share`: a link to a program or a recorded run: a short one by a server, or one that holds it itself.

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
                "mclive: put this behind the address of any playground; the whole is in the link, and nothing was sent",
            );
        }
    }
    Ok(GOOD)
}
