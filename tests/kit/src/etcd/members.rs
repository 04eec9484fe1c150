//! A store with several members, which a test can part from each other.

use super::{Etcd, TRIES};
use crate::link::Link;
use crate::port::free as free_port;

impl Etcd {
    /// Starts a store with several members, and waits until each of them answers.
    pub fn cluster(n_members: usize) -> Option<Vec<Etcd>> {
        Etcd::members(n_members, |_| None)
    }

    /// The same; the members can be parted ([`part`](Etcd::part)).
    pub fn divisible(n_members: usize) -> Option<Vec<Etcd>> {
        Etcd::members(n_members, |address| Some(Link::to(address)))
    }

    /// `way`: how a member with this address is reached by the others.
    fn members(n_members: usize, way: impl Fn(&str) -> Option<Link>) -> Option<Vec<Etcd>> {
        for _ in 0..TRIES {
            let own: Vec<String> = (0..n_members).map(|_| format!("127.0.0.1:{}", free_port())).collect();
            let ways: Vec<Option<Link>> = own.iter().map(|address| way(address)).collect();
            let known = own.iter().zip(&ways).map(|(own, way)| match way {
                Some(way) => format!("http://{}", way.address()),
                None => format!("http://{own}"),
            });
            let known: Vec<String> = known.collect();
            let all: Vec<String> = known.iter().enumerate().map(|(n, url)| format!("m{n}={url}")).collect();
            let all = all.join(",");
            let mut members = Vec::new();
            for (n, (own, way)) in own.iter().zip(ways).enumerate() {
                let (name, listens) = (format!("m{n}"), format!("http://{own}"));
                let of_peers = ["--listen-peer-urls", &listens, "--initial-advertise-peer-urls", &known[n]];
                let words = ["--name", &name].into_iter().chain(of_peers).chain(["--initial-cluster", &all]);
                let mut etcd = Etcd::new(words.map(String::from))?;
                etcd.way = way;
                members.push(etcd);
            }
            members.iter_mut().for_each(Etcd::spawn);
            if members.iter_mut().all(Etcd::answers) {
                return Some(members);
            }
        }
        panic!("etcd does not start");
    }

    /// Loses what one of these members, which can be parted, and the others send to each other.
    pub fn part(members: &[&Etcd], n: usize) {
        let process = members[n].child.as_ref().expect("it runs").id();
        for (m, member) in members.iter().enumerate() {
            let way = member.way.as_ref().expect("they can be parted");
            if m == n { way.fall_silent() } else { way.loses_from(process) }
        }
    }

    /// Members that were parted reach each other again.
    pub fn unite(members: &[&Etcd]) {
        members.iter().filter_map(|member| member.way.as_ref()).for_each(Link::heal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::until;

    #[test]
    fn one_of_several_members_leads() {
        let Some(mut members) = Etcd::cluster(3) else { return };
        let leaders = |members: &[Etcd]| members.iter().filter(|member| member.leads()).count();
        until("one of them leads", || leaders(&members) == 1, String::new);
        let leader = members.iter().position(Etcd::leads).expect("one of them leads");
        drop(members.remove(leader));
        until("another one leads", || leaders(&members) == 1, String::new);
    }

    #[test]
    fn a_leader_that_is_parted_from_the_others_is_replaced_and_learns_what_it_has_missed() {
        let Some(members) = Etcd::divisible(3) else { return };
        let all: Vec<&Etcd> = members.iter().collect();
        until("one of them leads", || members.iter().any(Etcd::leads), String::new);
        let leader = members.iter().position(Etcd::leads).expect("one of them leads");
        Etcd::part(&all, leader);
        let others = || members.iter().enumerate().filter(|(n, _)| *n != leader).map(|(_, member)| member);
        until("another one leads", || others().any(Etcd::leads), String::new);
        until("the first one no longer leads", || !members[leader].leads(), String::new);
        others().for_each(|member| member.put("a", "one"));
        Etcd::unite(&all);
        until("it has the value", || members[leader].get("a").as_deref() == Some("one"), String::new);
    }
}
