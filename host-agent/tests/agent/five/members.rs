//! Members of the store die, hang, lose each other and come back.

use super::{Five, Member, NAMES, POOLS};
use crate::chance::times;
use mclive_kit::etcd::Etcd;
use std::time::{Duration, Instant};

impl Five {
    /// Whether no host acts on an election.
    fn is_idle(&self) -> bool {
        POOLS.iter().all(|(pool, _)| (0..NAMES.len()).all(|n| !self.acts(n, pool)))
    }

    /// Parts a member from the others; hosts reach it as before.
    fn part(&mut self, n: usize) {
        let members: Vec<&Etcd> = self.members.iter().map(|member| &member.etcd).collect();
        Etcd::part(&members, n);
        self.members[n].answers = false;
    }

    fn unite(&mut self) {
        let members: Vec<&Etcd> = self.members.iter().map(|member| &member.etcd).collect();
        Etcd::unite(&members);
        self.members.iter_mut().for_each(|member| member.answers = true);
    }
}

#[test]
fn a_leader_of_the_store_that_dies_is_replaced() {
    let Some(mut five) = Five::start("five-leader") else { return };
    let leader = five.leader();
    five.members[leader].kill();
    five.set("without it");
    five.settles();
    five.members[leader].start_again();
    five.settles();
}

#[test]
fn a_leader_of_the_store_that_hangs_is_replaced() {
    let Some(mut five) = Five::start("five-frozen") else { return };
    let leader = five.leader();
    five.members[leader].freeze(true);
    five.set("without it");
    five.deploy();
    five.settles();
    // It learns what it has missed. It does not simply go on: before 3.4.31 and 3.5.13, etcd lets a leader that hung
    // revoke leases which have been renewed at its successor in the meantime.
    five.members[leader].kill();
    five.members[leader].start_again();
    five.set("with all");
    five.settles();
}

#[test]
fn a_leader_of_the_store_that_is_parted_from_the_other_members_is_replaced() {
    let Some(mut five) = Five::divisible("five-parted") else { return };
    let leader = five.leader();
    // The connections of hosts to it stay open, and bring nothing new.
    five.part(leader);
    five.set("without it");
    five.deploy();
    five.settles();
    five.unite();
    five.set("with all");
    five.settles();
}

#[test]
fn a_member_of_the_store_that_is_parted_from_the_others_is_used_again_afterwards() {
    let Some(mut five) = Five::divisible("five-follower") else { return };
    let follower = (five.leader() + 1) % 3;
    five.part(follower);
    five.set("without it");
    five.settles();
    // Only it is reached by the first host, which acts on no election until then.
    for (n, link) in five.links.iter().enumerate() {
        if n != follower {
            link.cut();
        }
    }
    five.first_is_replaced();
    five.set("missed");
    five.until("the first host acts on nothing", |five| POOLS.iter().all(|(pool, _)| !five.names_itself("h1", pool)));
    five.unite();
    five.settles();
}

/// `MCLIVE_OUTAGE_SECONDS` sets the length of the outage.
#[test]
fn without_a_majority_of_the_store_nobody_is_elected_and_nothing_is_lost() {
    let Some(mut five) = Five::start("five-majority") else { return };
    let outage = Duration::from_secs(times("MCLIVE_OUTAGE_SECONDS", 12));
    let began = Instant::now();
    five.members[..2].iter_mut().for_each(|member| member.freeze(true));
    five.until("nobody acts on an election", Five::is_idle);
    // Each host continues with its last values.
    for name in NAMES {
        std::fs::remove_file(five.case.path(&format!("out/value-{name}"))).unwrap();
    }
    five.until("each host repairs its file", |five| NAMES.iter().all(|name| five.read("value", name) == "first"));
    five.until("the outage is over", |_| began.elapsed() >= outage);
    for (name, what, expect) in NAMES.iter().flat_map(|name| [(name, "count", "5"), (name, "deploy", "1")]) {
        assert_eq!(five.read(what, name), expect, "{what} of {name}");
    }
    five.members[..2].iter_mut().for_each(|member| member.freeze(false));
    five.set("afterwards");
    five.deploy();
    five.settles();
}

#[test]
fn a_store_whose_members_all_die_is_used_again() {
    let Some(mut five) = Five::start("five-all") else { return };
    five.members.iter_mut().for_each(Member::kill);
    std::fs::remove_file(five.case.path("out/count-h2")).unwrap();
    five.until("nobody acts on an election", Five::is_idle);
    five.until("a host repairs its file", |five| five.read("count", "h2") == "5");
    for member in &mut five.members {
        member.etcd.launch();
        member.answers = true;
    }
    five.set("afterwards");
    five.deploy();
    five.settles();
}

#[test]
fn members_of_the_store_are_restarted_one_after_the_other() {
    let Some(mut five) = Five::start("five-rolling") else { return };
    for n in 0..five.members.len() {
        five.members[n].kill();
        five.set(&format!("without {n}"));
        let value = five.value.clone();
        five.until("each host has the value", |five| NAMES.iter().all(|name| five.read("value", name) == value));
        five.members[n].start_again();
    }
    five.settles();
}
