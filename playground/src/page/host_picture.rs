//! The simulated host as a picture: the fleet, its files, and everything else.

use super::fleet::{look_of, summary};
use super::host::{clock, mode_text};
use crate::graphs::board::{Board, Part};
use crate::state::shows::HostShows;
use mclive_base::shapes::host::{HostCard, HostFile, HostFileKind, Thing};

pub(super) fn board(shows: &HostShows) -> Board {
    let HostShows::Running { host, hostname, clock_s, cards, files, holdings, .. } = shows else {
        return Board { title: "No host".to_owned(), parts: Vec::new() };
    };
    let title = match host == hostname {
        true => format!("Host {host} at {}", clock(*clock_s)),
        false => format!("Host {host}, named {hostname}, at {}", clock(*clock_s)),
    };
    let mut parts = Vec::new();
    if cards.len() > 1 {
        parts.push(Part::Heading("Hosts".to_owned()));
        parts.extend(cards.iter().map(card));
    }
    parts.push(Part::Heading("Files".to_owned()));
    parts.extend(files.all.iter().map(file));
    for holding in holdings.iter().filter(|holding| !holding.things.is_empty()) {
        parts.push(Part::Heading(holding.title.clone()));
        parts.extend(holding.things.iter().map(thing));
    }
    Board { title, parts }
}

fn card(card: &HostCard) -> Part {
    let (class, _, _) = look_of(card);
    // Styles are called as colours are, except this one.
    let colour = if class == "working" { "info" } else { class };
    Part::Row { name: card.host.clone(), text: summary(card), colour: Some(colour) }
}

fn file(file: &HostFile) -> Part {
    let rights = format!("{} {}:{}", mode_text(file), file.owner, file.group);
    let text = match file.kind {
        HostFileKind::File => {
            let first = file.text.lines().next().unwrap_or_default();
            format!("{rights}, {} bytes: {first}", file.size)
        }
        HostFileKind::Dir => rights,
        HostFileKind::Link => format!("{rights}, a link to {}", file.text),
    };
    Part::Row { name: file.path.clone(), text, colour: None }
}

fn thing(thing: &Thing) -> Part {
    let fields: Vec<String> = thing.fields.iter().map(|field| format!("{} {}", field.name, field.value)).collect();
    Part::Row { name: thing.name.clone(), text: fields.join(", "), colour: None }
}
