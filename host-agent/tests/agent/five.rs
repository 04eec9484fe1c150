//! [`Five`]: five hosts that take deploys from a store with three members. Members and hosts stop, die and come back; what
//! must hold at every moment is checked at every look. World spec, 22.

mod hosts;
mod members;

use crate::case::{Agent, Case};
use crate::fleet::{KEYS, url};
use mclive_kit::etcd::Etcd;
use mclive_kit::link::Link;
use rustix::process::Signal;
use std::collections::BTreeSet;

const PROGRAM: &str = include_str!("five/five.mcl");
const NAMES: [&str; 5] = ["h1", "h2", "h3", "h4", "h5"];
/// The pools, and how many hosts may be elected.
const POOLS: [(&str, usize); 2] = [("one", 1), ("two", 2)];

struct Five {
    hosts: Vec<Host>,
    /// How the first host reaches the members.
    links: Vec<Link>,
    members: Vec<Member>,
    case: Case,
    /// The number in the newest program.
    newest: u64,
    /// The newest value.
    value: String,
}

struct Host {
    name: &'static str,
    /// `None`: it was killed.
    agent: Option<Agent>,
    /// It does nothing, whatever its files say.
    is_frozen: bool,
}

struct Member {
    etcd: Etcd,
    answers: bool,
}

impl Five {
    /// The first host is elected. `None`: there is no etcd here.
    fn start(name: &str) -> Option<Five> {
        Some(Five::of(name, Etcd::cluster(3)?))
    }

    /// The same; the members can be parted.
    fn divisible(name: &str) -> Option<Five> {
        Some(Five::of(name, Etcd::divisible(3)?))
    }

    fn of(name: &str, members: Vec<Etcd>) -> Five {
        let links = members.iter().map(|member| Link::to(&member.address())).collect();
        let members = members.into_iter().map(|etcd| Member { etcd, answers: true }).collect();
        let hosts = NAMES.map(|name| Host { name, agent: None, is_frozen: false }).into();
        let case = Case::new(name, "");
        let mut five = Five { hosts, links, members, case, newest: 0, value: String::new() };
        five.set("first");
        five.deploy();
        five.begin(0);
        loop {
            five.until("the first host is elected", |five| POOLS.iter().all(|(pool, _)| five.acts(0, pool)));
            (1..NAMES.len()).for_each(|n| five.begin(n));
            five.settles();
            if five.acts(0, "one") {
                return five;
            }
            // A busy machine has kept it from renewing its lease.
            (1..NAMES.len()).for_each(|n| five.kill(n));
        }
    }

    /// Waits for a condition, and checks at each look what must hold at every moment.
    #[track_caller]
    fn until(&mut self, what: &str, mut met: impl FnMut(&Five) -> bool) {
        let look = || {
            self.check();
            met(self)
        };
        mclive_kit::until(what, look, String::new);
    }

    /// Asserts what must hold at every moment: no agent ends, no pool has too many hosts that act, and no host applies
    /// what was not deployed.
    #[track_caller]
    fn check(&mut self) {
        for Host { name, agent, .. } in &mut self.hosts {
            assert!(agent.as_mut().is_none_or(Agent::runs), "the agent of {name} has ended");
        }
        for (pool, max) in POOLS {
            let acting = || (0..NAMES.len()).filter(|n| self.acts(*n, pool)).collect::<BTreeSet<usize>>();
            // The files are read one after the other. All hosts that act at both looks acted between the two.
            let (before, after) = (acting(), acting());
            let mut together: BTreeSet<usize> = before.intersection(&after).copied().collect();
            if together.len() > max {
                // A file tells what its host did last, which on a busy machine is long ago: it counts while the agent has
                // nothing to do.
                together.retain(|n| self.hosts[*n].agent.as_ref().is_some_and(Agent::is_idle));
                together.retain(|n| self.acts(*n, pool));
            }
            let together: Vec<&str> = together.into_iter().map(|n| NAMES[n]).collect();
            assert!(together.len() <= max, "elected at once in the pool {pool}: {together:?}");
        }
        for name in NAMES {
            let deploy = self.case.read(&format!("out/deploy-{name}"));
            let is_known = |text: String| text.parse::<u64>().is_ok_and(|n| (1..=self.newest).contains(&n));
            assert!(deploy.clone().is_none_or(is_known), "{name} applies {deploy:?}");
        }
    }

    /// Waits until every host has the newest of everything, and the store what the running hosts imply.
    #[track_caller]
    fn settles(&mut self) {
        self.until("the hosts agree", |five| {
            let running = five.hosts.iter().filter(|host| host.agent.is_some());
            let running: Vec<&str> = running.map(|host| host.name).collect();
            five.agree(&running) && five.is_stored(&running)
        });
    }

    fn agree(&self, running: &[&str]) -> bool {
        let all = |what: &str| running.iter().map(|name| self.read(what, name)).collect::<BTreeSet<String>>();
        let is_one = |what: &str, expect: &str| all(what).iter().eq([expect]);
        let of_pools = POOLS.iter().all(|(pool, max)| {
            all(pool).len() == 1 && (0..NAMES.len()).filter(|n| self.acts(*n, pool)).count() == *max
        });
        of_pools
            && is_one("deploy", &self.newest.to_string())
            && is_one("value", &self.value)
            && is_one("count", &running.len().to_string())
    }

    fn is_stored(&self, running: &[&str]) -> bool {
        let holds = |prefix: &str, rest: &str| {
            let found = self.keys(prefix);
            let found = found.iter().filter_map(|key| key.strip_prefix(KEYS)?.strip_prefix(prefix)?.strip_suffix(rest));
            found.eq(running.iter().copied())
        };
        let exports = self.keys("exported/*/");
        let is_export_of = |(key, name): (&String, &&str)| key.starts_with(&format!("{KEYS}exported/*/{name}/file/"));
        holds("agent/", "/live")
            && POOLS.iter().all(|(pool, _)| holds(&format!("pool/{pool}/vote/"), ""))
            && exports.len() == running.len()
            && exports.iter().zip(running).all(is_export_of)
    }

    /// Whether a host acts on its election, by what it has written.
    fn acts(&self, n: usize, pool: &str) -> bool {
        let Host { name, agent, is_frozen } = &self.hosts[n];
        agent.is_some() && !is_frozen && self.names_itself(name, pool)
    }

    /// Whether the file of a host says that it is elected.
    fn names_itself(&self, name: &str, pool: &str) -> bool {
        self.read(pool, name).contains(&format!("\"{name}\""))
    }

    /// What a host has written.
    fn read(&self, what: &str, name: &str) -> String {
        self.case.read(&format!("out/{what}-{name}")).unwrap_or_default()
    }

    /// A member that answers.
    fn store(&self) -> &Etcd {
        &self.members.iter().find(|member| member.answers).expect("one of them answers").etcd
    }

    fn keys(&self, prefix: &str) -> Vec<String> {
        self.store().keys(&format!("{KEYS}{prefix}"))
    }

    /// The member that leads the others. Before they have found one, a write hangs for seconds.
    fn leader(&self) -> usize {
        let mut leader = None;
        let look = || {
            leader = self.members.iter().position(|member| member.answers && member.etcd.leads());
            leader.is_some()
        };
        mclive_kit::until("the members have a leader", look, String::new);
        leader.expect("it was found")
    }

    /// Sets the value that all hosts write.
    fn set(&mut self, value: &str) {
        self.leader();
        self.value = value.to_owned();
        self.store().put(&format!("{KEYS}strings/k"), value);
    }

    /// Deploys the next program. If a member on the way does not answer, it is tried again.
    fn deploy(&mut self) {
        self.leader();
        self.newest += 1;
        self.case.program(&PROGRAM.replace("@N@", &self.newest.to_string()));
        let urls = self.urls(1);
        self.until("it is deployed", |five| five.case.run(&["deploy", "--world", &urls, "main.mcl"]).status.success());
    }

    /// How a host reaches the members.
    fn urls(&self, n: usize) -> String {
        let urls: Vec<String> = match n {
            0 => self.links.iter().map(url).collect(),
            _ => self.members.iter().map(|member| member.etcd.url()).collect(),
        };
        urls.join(",")
    }

    /// Starts the agent of a host.
    fn begin(&mut self, n: usize) {
        let (name, urls) = (NAMES[n], self.urls(n));
        let prefix = format!("state-{name}");
        let args = ["run", "--prefix", &prefix, "--hostname", name, "--world", &urls, "--world-ttl", "5"];
        self.hosts[n].agent = Some(Agent::spawn(self.case.command(&args)));
    }

    /// Kills the agent of a host, which then acts on nothing that it has written.
    fn kill(&mut self, n: usize) {
        if let Some(mut agent) = self.hosts[n].agent.take() {
            agent.signal(Signal::KILL);
            agent.ends();
        }
        for (pool, _) in POOLS {
            let _ = std::fs::remove_file(self.case.path(&format!("out/{pool}-{}", NAMES[n])));
        }
    }
}

impl Member {
    fn kill(&mut self) {
        self.etcd.kill();
        self.answers = false;
    }

    fn start_again(&mut self) {
        self.etcd.start_again();
        self.answers = true;
    }

    fn freeze(&mut self, is_frozen: bool) {
        self.etcd.freeze(is_frozen);
        self.answers = !is_frozen;
    }
}
