//! Random programs, as data: what each host has to publish, and the text that says so.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A small portable random number generator (xorshift).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    fn hosts(&mut self) -> BTreeSet<&'static str> {
        NAMES.into_iter().filter(|_| !self.one_in(3)).collect()
    }
}

/// The hosts that there may be.
pub(super) const NAMES: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// A schedule. It has the same options in every program of a run.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) name: &'static str,
    pub(super) is_alphabetical: bool,
    pub(super) max: usize,
    /// How long a vote outlives its host, in seconds, if the program sets it.
    ttl_s: Option<u64>,
    /// Votes stay forever.
    pub(super) persists: bool,
}

impl Pool {
    pub(super) fn random(chance: &mut Chance, name: &'static str) -> Pool {
        let persists = chance.one_in(5);
        let ttl_s = (!persists && chance.one_in(2)).then(|| 2 + chance.below(20));
        Pool { name, is_alphabetical: chance.one_in(3), max: 1 + chance.below(3) as usize, ttl_s, persists }
    }

    /// How long a vote outlives its host, in seconds; `None`: forever.
    pub(super) fn lease_s(&self) -> Option<u64> {
        (!self.persists).then(|| self.ttl_s.unwrap_or(10))
    }
}

/// One program for all hosts.
#[derive(Clone, Default, Debug)]
pub(super) struct Draft {
    number: u64,
    /// Which hosts publish their own value.
    pub(super) mapped: BTreeSet<&'static str>,
    /// Which hosts set the common value.
    pub(super) word: BTreeSet<&'static str>,
    /// Which hosts export a file.
    pub(super) exporters: BTreeSet<&'static str>,
    /// For whom.
    pub(super) targets: BTreeSet<&'static str>,
    pub(super) collectors: BTreeSet<&'static str>,
    /// Which hosts vote, by pool.
    pub(super) voters: [BTreeSet<&'static str>; 2],
}

impl Draft {
    /// The program of this number in a run: its values differ from those of all others.
    pub(super) fn random(chance: &mut Chance, number: u64) -> Draft {
        let mut targets = if chance.one_in(3) { chance.hosts() } else { BTreeSet::from(["*"]) };
        if chance.one_in(4) {
            targets.insert("h1");
        }
        Draft {
            number,
            mapped: chance.hosts(),
            word: chance.hosts(),
            exporters: if targets.is_empty() { BTreeSet::new() } else { chance.hosts() },
            targets,
            collectors: chance.hosts(),
            voters: [chance.hosts(), chance.hosts()],
        }
    }

    /// What its own host publishes.
    pub(super) fn own(&self, host: &str) -> String {
        format!("v{} of {host}", self.number)
    }

    pub(super) fn word(&self) -> String {
        format!("w{}", self.number)
    }

    /// The text of the file that a host exports.
    pub(super) fn exported(&self, host: &str) -> String {
        format!("e{} of {host}\n", self.number)
    }

    /// Whether a host collects the file of another one.
    pub(super) fn collects(&self, host: &str, from: &str) -> bool {
        let is_meant = self.targets.contains("*") || self.targets.contains(host);
        is_meant && self.collectors.contains(host) && self.exporters.contains(from)
    }

    pub(super) fn text(&self, pools: &[Pool; 2]) -> String {
        let n = self.number;
        let mut text = String::from("import \"golang\"\nimport \"world\"\nimport \"world/collect\"\n");
        let mut on = |hosts: &BTreeSet<&str>, body: &str| {
            if !hosts.is_empty() {
                let _ = writeln!(text, "if $hostname in {} {{\n{body}}}", list(hosts));
            }
        };
        on(&self.mapped, &format!("\tkv \"map\" {{ value => \"v{n} of ${{hostname}}\", mapped => true, }}\n"));
        on(&self.word, &format!("\tkv \"word\" {{ value => \"w{n}\", }}\n"));
        let export = format!(
            "\tfile \"/srv/from-${{hostname}}\" {{\n\t\tstate => \"exists\",\n\t\tcontent => \"e{n} of ${{hostname}}\\n\",\n\
             \t\tMeta:hidden => true,\n\t\tMeta:export => {},\n\t}}\n",
            list(&self.targets)
        );
        on(&self.exporters, &export);
        on(&self.collectors, "\tcollect file collect.res(\"file\") {}\n");
        for (pool, voters) in pools.iter().zip(&self.voters) {
            let strategy = if pool.is_alphabetical { "alpha" } else { "rr" };
            let ttl = pool.ttl_s.map_or(String::new(), |s| format!("ttl => {s}, "));
            let Pool { name, max, persists, .. } = pool;
            let options = format!("max => {max}, strategy => \"{strategy}\", persist => {persists}, {ttl}");
            on(voters, &format!("\tschedule \"{name}\" {{ {options}}}\n"));
        }
        for Pool { name, .. } in pools {
            let _ = writeln!(
                text,
                "file \"/srv/{name}\" {{ state => \"exists\", content => golang.template(\"{{{{ range . }}}}{{{{ . }}}}\\n{{{{ end }}}}\", world.schedule(\"{name}\")), }}"
            );
        }
        text + VIEWS
    }
}

/// What every host shows of the values.
const VIEWS: &str = r#"
file "/srv/map" { state => "exists", content => golang.template("{{ range $k, $v := . }}{{ $k }}={{ $v }}\n{{ end }}", world.kvlookup("map")), }
file "/srv/word" { state => "exists", content => world.getval("word")->value, }
file "/srv/hand" { state => "exists", content => world.getval("hand")->value, }
"#;

fn list(texts: &BTreeSet<&str>) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
    format!("[{}]", quoted.join(", "))
}
