//! Interfaces of this network namespace, with their addresses, routes and rules.

use super::State;
use std::process::Command;

/// Interfaces and addresses.
pub(super) fn addresses() -> Result<State, String> {
    let mut state = State::new();
    for line in ip(&["link", "show"])? {
        // `2: eth0: <UP> mtu ...`
        let (name, rest) = line.split_once(": ").and_then(|(_, line)| line.split_once(": ")).unwrap_or((&line, ""));
        state.insert(format!("the interface {name}"), plain(rest));
    }
    for line in ip(&["address", "show"])? {
        // `1: lo    inet 127.0.0.1/8 scope ...`
        let mut words = line.split_whitespace().skip(1);
        let (name, family, address) = (words.next(), words.next(), words.next());
        let (Some(name), Some(family), Some(address)) = (name, family, address) else { continue };
        // The kernel replaces privacy addresses every few hours.
        if !line.contains(" temporary ") {
            let rest: Vec<&str> = words.collect();
            state.insert(format!("{family} {address} of {name}"), plain(&rest.join(" ")));
        }
    }
    Ok(state)
}

/// Routes of all tables, and the rules that select a table.
pub(super) fn routes() -> Result<State, String> {
    let mut state = State::new();
    for family in ["-4", "-6"] {
        for line in ip(&[family, "route", "show", "table", "all"])? {
            state.insert(format!("the route {}", plain(&line)), String::new());
        }
        for line in ip(&[family, "rule", "show"])? {
            state.insert(format!("the rule {family} {}", plain(&line)), String::new());
        }
    }
    Ok(state)
}

fn ip(words: &[&str]) -> Result<Vec<String>, String> {
    let output = Command::new("ip").arg("-oneline").args(words).output();
    let output = output.map_err(|error| format!("`ip` (package iproute2) does not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    // A kernel without IPv6 has none of its routes.
    Ok(said.lines().map(str::to_owned).collect())
}

/// A line without its counters: lifetimes of addresses, expiry of routes. Also without the state of duplicate address
/// detection, and of a link's carrier.
fn plain(line: &str) -> String {
    const RUN_DOWN: [&str; 3] = ["valid_lft", "preferred_lft", "expires"];
    const PASS: [&str; 4] = ["tentative", "deprecated", "linkdown", "\\"];
    let mut words = line.split_whitespace();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if RUN_DOWN.contains(&word) {
            words.next();
        } else if !PASS.contains(&word) {
            kept.push(word.trim_end_matches('\\'));
        }
    }
    kept.join(" ").replace("NO-CARRIER,", "")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_runs_down_is_not_told() {
        let lent = "brd 10.0.0.255 scope global dynamic eth0\\       valid_lft 3500sec preferred_lft 3500sec";
        assert_eq!(plain(lent), "brd 10.0.0.255 scope global dynamic eth0");
        assert_eq!(
            plain("default via fe80::1 dev eth0 proto ra expires 1700sec"),
            "default via fe80::1 dev eth0 proto ra"
        );
    }
}
