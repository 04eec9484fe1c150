//! Hosts are cut off, hang, die and come back.

use super::{Five, NAMES, POOLS};
use crate::chance::{Chance, times};
use mclive_kit::link::Link;
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// What happens to a connection.
type Fault = fn(&Link);

impl Five {
    /// Waits until another host than the first one is elected.
    pub(super) fn first_is_replaced(&mut self) {
        self.until("another host is elected", |five| (1..NAMES.len()).any(|n| five.acts(n, "one")));
    }
}

#[test]
fn an_elected_host_that_is_cut_off_is_replaced_and_comes_back() {
    let Some(mut five) = Five::start("five-cut") else { return };
    // Its bytes are lost silently.
    five.links.iter().for_each(Link::fall_silent);
    five.set("missed");
    five.first_is_replaced();
    five.deploy();
    five.until("the others go on without it", |five| {
        NAMES[1..].iter().all(|name| {
            [("value", "missed"), ("deploy", "2"), ("count", "4")]
                .iter()
                .all(|(what, expect)| five.read(what, name) == *expect)
        })
    });
    let of_first = ["value", "deploy", "count"].map(|what| five.read(what, "h1"));
    assert_eq!(of_first, ["first", "1", "5"]);
    five.until("it knows that it is not elected", |five| !five.names_itself("h1", "one"));
    five.links.iter().for_each(Link::heal);
    five.settles();
}

#[test]
fn a_host_that_cannot_reach_the_leader_uses_the_other_members() {
    let Some(mut five) = Five::start("five-apart") else { return };
    let leader = five.leader();
    let faults: [(&str, Fault); 2] = [("refused", Link::cut), ("lost", Link::fall_silent)];
    for (value, fault) in faults {
        fault(&five.links[leader]);
        five.set(value);
        five.settles();
        five.links[leader].heal();
        five.settles();
    }
}

#[test]
fn an_elected_host_that_hangs_is_replaced_and_goes_on_as_a_voter() {
    let Some(mut five) = Five::start("five-hangs") else { return };
    let signal = |five: &Five, signal: Signal| five.hosts[0].agent.as_ref().expect("it runs").signal(signal);
    signal(&five, Signal::STOP);
    five.hosts[0].is_frozen = true;
    five.first_is_replaced();
    five.set("missed");
    signal(&five, Signal::CONT);
    five.until("it knows that it is not elected", |five| POOLS.iter().all(|(pool, _)| !five.names_itself("h1", pool)));
    five.hosts[0].is_frozen = false;
    five.settles();
}

/// `MCLIVE_KILLS` sets the number of kills.
#[test]
fn hosts_that_are_killed_at_random_agree_again() {
    let Some(mut five) = Five::start("five-kills") else { return };
    let (n_kills, mut chance) = (times("MCLIVE_KILLS", 12), Chance::new(29));
    let mut n = 0;
    while n < n_kills {
        let (pause, began) = (Duration::from_millis(chance.below(600)), Instant::now());
        five.until("it is time for the next kill", |_| began.elapsed() >= pause);
        let host = usize::try_from(chance.below(5)).expect("it is small");
        let was_running = five.hosts[host].agent.is_some();
        five.kill(host);
        n += u64::from(was_running);
        // Some stay away until they are hit again: for longer than their leases, if it takes long enough.
        if !was_running || chance.below(3) > 0 {
            five.begin(host);
        }
        match chance.below(6) {
            0 => five.set(&format!("after {n} kills")),
            1 => five.deploy(),
            _ => {}
        }
    }
    for host in 0..NAMES.len() {
        if five.hosts[host].agent.is_none() {
            five.begin(host);
        }
    }
    five.settles();
    // What a host has exported and voted ends with it.
    five.kill(0);
    five.settles();
    println!("{n_kills} kills, {} deploys", five.newest);
}
