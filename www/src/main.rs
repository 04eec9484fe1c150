//! `mclive-www build`: builds the playground's site in `www/dist/`. `mclive-www serve`: serves it on this machine, with
//! the headers that every server of it sends.

mod lessons;
mod reference;
mod serve;
mod site;
mod split;
mod steps;

use std::process::ExitCode;

const USAGE: &str = "\
usage: mclive-www build [--quick]     build www/dist (--quick: skip optimization, for development)
       mclive-www serve [ADDRESS]     serve www/dist (default 127.0.0.1:8080; port 0: any free port)
       mclive-www run [ADDRESS]       build, then serve
       mclive-www face FOLDER         build the compiler for JavaScript, without the page";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["build"] => site::build(site::Effort::Full),
        ["build", "--quick"] => site::build(site::Effort::Quick),
        ["face", folder] => site::face(folder.as_ref()),
        ["split", folder, name] => split::split(&site::here(), name, folder.as_ref()),
        ["serve", rest @ ..] if rest.len() < 2 => serve::serve(rest.first().copied()),
        ["run", rest @ ..] if rest.len() < 2 => {
            site::build(site::Effort::Local).and_then(|()| serve::serve(rest.first().copied()))
        }
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
