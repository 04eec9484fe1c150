//! Models that grow, from their text to their instances: eight families, each of which has to stay near linear.
//!
//! `cargo bench -p mclive-inmanta`; a filter such as `relations` runs one family.

use mclive_base::source::MemoryWorld;
use mclive_inmanta::{Hosts, understand};
use mclive_inmanta::{Setup, compile};
use std::fmt::Write;

fn main() {
    divan::main();
}

/// Sizes of a family: how many entries its text has.
const SIZES: [usize; 3] = [100, 1_000, 10_000];

fn measure(bencher: divan::Bencher<'_, '_>, text: String) {
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    bencher.bench_local(|| {
        let compilation = compile(&world, "/main.cf", &Setup::default());
        assert!(compilation.faults.is_empty());
        compilation.store.instances.len()
    });
}

/// A head and one entry for each number.
fn grown(head: &str, n: usize, entry: impl Fn(usize) -> String) -> String {
    (0..n).fold(head.to_owned(), |mut text, nr| {
        let _ = writeln!(text, "{}", entry(nr));
        text
    })
}

#[divan::bench]
fn empty(bencher: divan::Bencher<'_, '_>) {
    measure(bencher, String::new());
}

#[divan::bench(args = SIZES)]
fn instances(bencher: divan::Bencher<'_, '_>, n: usize) {
    let head = "entity Disk:\n    string name\n    int size\n    bool fast = false\nend\n\
        implementation half for Disk:\n    half = self.size / 2\nend\nimplement Disk using half\n";
    measure(bencher, grown(head, n, |nr| format!("Disk(name=\"d{nr}\", size={nr}, fast=true)")));
}

#[divan::bench(args = SIZES)]
fn relations(bencher: divan::Bencher<'_, '_>, n: usize) {
    let head = "entity Room:\n    int nr\nend\nentity Desk:\n    int nr\nend\nDesk.room [1] -- Room.desks [0:]\n\
        Desk.beside [0:] -- Desk.besides [0:]\nindex Room(nr)\nindex Desk(room, nr)\n\
        implement Room using std::none\nimplement Desk using std::none\n";
    let entry = |nr: usize| {
        let room = nr / 10;
        format!(
            "r{nr} = Room(nr={room})\nd{nr} = Desk(room=r{nr}, nr={nr})\nd{nr}.beside += d{}\ne{nr} = r{nr}.desks[nr={nr}]",
            (nr + 1) % n
        )
    };
    measure(bencher, grown(head, n, entry));
}

#[divan::bench(args = SIZES)]
fn refinement(bencher: divan::Bencher<'_, '_>, n: usize) {
    let head = "entity Part:\n    int nr\nend\nentity Whole:\n    int nr\nend\nWhole.parts [0:] -- Part.whole [1]\n\
        implement Part using std::none\nimplementation parts for Whole:\n    self.parts += [Part(nr=x) for x in [1, 2]]\nend\n\
        implement Whole using parts when self.nr > 0\nimplement Whole using std::none when self.nr == 0\n";
    measure(bencher, grown(head, n, |nr| format!("Whole(nr={})", nr % 3)));
}

#[divan::bench(args = SIZES)]
fn loops(bencher: divan::Bencher<'_, '_>, n: usize) {
    let text = format!(
        "l = std::sequence({n})\nfor x in l:\n    a = f\"{{x:05}}\"\n    b = x * 2\nend\nc = [x + 1 for x in l if x % 2 == 0]\n"
    );
    measure(bencher, text);
}

#[divan::bench(args = SIZES)]
fn lists(bencher: divan::Bencher<'_, '_>, n: usize) {
    let head = "entity Box:\n    int[] sizes\nend\nBox.inside [0:] -- Box.outside [0:1]\nimplement Box using std::none\n\
        all = Box(sizes=[])\nn = std::count(all.inside)\n";
    measure(bencher, grown(head, n, |nr| format!("all.inside += Box(sizes=[{nr}, 2, 3])")));
}

#[divan::bench(args = SIZES)]
fn typedefs(bencher: divan::Bencher<'_, '_>, n: usize) {
    let head = "typedef port as int matching self > 0 and self < 65536\ntypedef name as string matching /[a-z][a-z0-9]*$/\n\
        entity Service:\n    name name\n    port port\nend\nimplement Service using std::none\n";
    measure(bencher, grown(head, n, |nr| format!("Service(name=\"s{nr}\", port={})", nr + 1)));
}

#[divan::bench(args = SIZES)]
fn definitions(bencher: divan::Bencher<'_, '_>, n: usize) {
    let entry = |nr: usize| {
        format!(
            "entity E{nr}:\n    \"\"\" The kind {nr}. \"\"\"\n    string name = \"e\"\n    int? size = null\nend\n\
             E{nr}.next [0:] -- E{}.before{nr} [0:1]\nimplement E{nr} using std::none",
            (nr + 1) % n
        )
    };
    measure(bencher, grown("", n, entry));
}

/// From the text to the resource graph of each host: here an entry is a host with its own file.
#[divan::bench(args = SIZES)]
fn hosts(bencher: divan::Bencher<'_, '_>, n: usize) {
    let text = format!(
        "import fs\nfor nr in std::sequence({n}):\n    host = std::Host(name=f\"h{{nr}}\", os=std::linux, ip=\"10.0.0.1\")\n    \
         fs::File(host=host, path=\"/etc/nr\", content=f\"{{nr}}\", mode=644)\nend\n"
    );
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    bencher.bench_local(|| {
        let understood = understand(&world, "/main.cf", Hosts::All);
        assert_eq!(understood.graphs.len(), n);
        understood.graphs.len()
    });
}
