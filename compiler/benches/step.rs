//! What one step of the whole brain costs: a fact that changes one file of many, one event that many
//! follow, one file that was spoilt. The host's answers are recorded beforehand, so that only the
//! brain is timed.
//!
//! `cargo bench -p mclive-compiler --bench step`.

use divan::Bencher;
use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::{Deploy, Input, Moment, Options, Output};
use mclive_compiler::sim::{Sim, SimHost, World};
use std::fmt::Write as _;

fn main() {
    divan::main();
}

type Trace = Vec<(Moment, Input)>;

/// The inputs until a program is settled, and those that follow from a change.
fn record(program: &str, change: impl FnOnce(&mut World)) -> (Trace, Trace) {
    let mut host = SimHost::new("host1");
    host.change(|world| {
        world.make_dir("/t").expect("nothing is in the way");
        world.write("/in", "one").expect("nothing is in the way");
    });
    let mut sim = Sim::new(Brain::new(), host);
    sim.record();
    let files = vec![("/main.mcl".to_owned(), program.as_bytes().to_vec())];
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    let settle = |sim: &mut Sim<Brain>| {
        let until = sim.now().plus_ms(10_000);
        assert!(sim.advance(until, 10_000_000), "it comes to rest");
    };
    settle(&mut sim);
    let (before, _) = sim.take_trace();
    sim.record();
    sim.change(change);
    settle(&mut sim);
    let (after, _) = sim.take_trace();
    assert!(!after.is_empty(), "the change is noticed");
    (before, after)
}

/// The number of outputs.
fn feed(brain: &mut Brain, trace: &[(Moment, Input)]) -> usize {
    let mut n_outputs = 0;
    for (at, input) in trace {
        brain.handle(*at, input.clone());
        while !matches!(brain.poll(), Output::Idle { .. } | Output::Exit { .. }) {
            n_outputs += 1;
        }
    }
    n_outputs
}

fn bench(bencher: Bencher<'_, '_>, program: &str, change: impl FnOnce(&mut World)) {
    let (before, after) = record(program, change);
    bencher
        .with_inputs(|| {
            let mut brain = Brain::new();
            feed(&mut brain, &before);
            brain
        })
        .bench_local_refs(|brain| feed(brain, &after));
}

/// So many files, of which so many hold what `/in` holds.
fn files(n_files: usize, n_followers: usize) -> String {
    let mut text =
        "import \"os\"\n$text = os.readfile(\"/in\")\nfile \"/t/\" {\n\tstate => \"exists\",\n}\n".to_owned();
    for index in 0..n_files {
        let content = if index < n_followers { "$text".to_owned() } else { format!("\"content {index}\"") };
        let _ = writeln!(text, "file \"/t/f{index}\" {{\n\tstate => \"exists\",\n\tcontent => {content},\n}}");
    }
    text
}

#[divan::bench(args = [100, 1_000, 10_000], sample_count = 10, sample_size = 1)]
fn one_file_of_many_changes(bencher: Bencher<'_, '_>, n_files: usize) {
    bench(bencher, &files(n_files, 1), |world| world.write("/in", "two").expect("it can be written"));
}

#[divan::bench(args = [1, 40, 400, 4_000], sample_count = 10, sample_size = 1)]
fn many_follow_one_event(bencher: Bencher<'_, '_>, n_followers: usize) {
    bench(bencher, &files(n_followers, n_followers), |world| world.write("/in", "two").expect("it can be written"));
}

#[divan::bench(args = [100, 10_000], sample_count = 10, sample_size = 1)]
fn one_file_of_many_is_spoilt(bencher: Bencher<'_, '_>, n_files: usize) {
    bench(bencher, &files(n_files, 1), |world| world.write("/t/f50", "spoilt").expect("it can be written"));
}

/// So many files, and one that comes after all of them.
fn funnel(n_files: usize) -> String {
    let names: Vec<String> = (0..n_files).map(|index| format!("\"/t/f{index}\"")).collect();
    format!(
        "$names = [{}]\nfile $names {{\n\tstate => \"exists\",\n}}\n\
         file \"/t/last\" {{\n\tstate => \"exists\",\n\tcontent => \"right\",\n}}\nFile[$names] -> File[\"/t/last\"]\n",
        names.join(", ")
    )
}

#[divan::bench(args = [100, 1_000, 10_000], sample_count = 10, sample_size = 1)]
fn one_behind_many_is_spoilt(bencher: Bencher<'_, '_>, n_files: usize) {
    bench(bencher, &funnel(n_files), |world| world.write("/t/last", "spoilt").expect("it can be written"));
}
