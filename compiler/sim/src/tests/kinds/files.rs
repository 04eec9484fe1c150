//! `file`.

use super::Run;
use crate::brain::Brain;
use crate::protocol::{Deploy, Input, Options, Phase, What};
use crate::{Sim, SimHost, World};

#[test]
fn two_spellings_of_a_path_are_one_object_that_both_change() {
    let program = r#"
        file "/srv/a" { state => "exists", mode => "0600", }
        file "/srv//a" { state => "exists", mode => "0640", }
    "#;
    let mut run = Run::new(program);
    let limited = run.reports.iter().filter_map(|event| match &event.what {
        What::Resource { phase: Phase::Limited, text, .. } => Some(text.as_str()),
        _ => None,
    });
    let told: Vec<&str> = limited.filter(|text| text.contains("change the same object and undo each other")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("file[/srv/a]") && told[0].contains("file[/srv//a]"), "{told:?}");
    let n_steps = run.steps().len();
    assert!((10..100).contains(&n_steps), "{n_steps} steps in 10 s");
}

/// What a plan of a program says about the order of its resources.
fn unordered(program: &str) -> Vec<String> {
    let mut sim = Sim::new(Brain::new(), SimHost::new("host1"));
    let files = vec![("/main.mcl".to_owned(), format!("{program}\n").into_bytes())];
    let options = Options { rehearse: true, once: true, ..Options::default() };
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options }));
    let until = sim.now().plus_ms(5_000);
    assert!(sim.advance(until, 100_000), "it ends");
    let said = sim.take_reports().into_iter().filter_map(|event| match event.what {
        What::Log { text } => Some(text),
        _ => None,
    });
    said.filter(|text| text.contains("no edge sets their order")).collect()
}

#[test]
fn a_plan_says_so_if_no_edge_sets_the_order_of_two_that_meet() {
    let apart = "state => \"exists\", Meta:autoedge => false,";
    let both = |more: &str| format!("file \"/srv/d/\" {{ {apart} }}\nfile \"/srv/d/x\" {{ {apart} {more} }}");
    let said = unordered(&both(""));
    assert_eq!(said.len(), 1, "{said:?}");
    let words = ["`file[/srv/d/]`", "`file[/srv/d/x]`", "both use `/srv/d`, and no edge sets their order"];
    assert!(words.iter().all(|words| said[0].contains(words)), "{said:?}");
    assert_eq!(unordered(&both("Depend => File[\"/srv/d/\"],")), [""; 0]);
    let apart = "state => \"exists\",";
    assert_eq!(unordered(&format!("file \"/srv/d/\" {{ {apart} }}\nfile \"/srv/d/x\" {{ {apart} }}")), [""; 0]);
    let spelled = unordered("file \"/srv/a\" { state => \"exists\", }\nfile \"/srv//a\" { mode => \"0600\", }");
    assert!(spelled.len() == 1 && spelled[0].contains("both use `/srv/a`"), "{spelled:?}");
    let lines =
        |name: &str| format!("line \"{name}\" {{ file => \"/srv/l\", state => \"exists\", content => \"{name}\", }}");
    assert_eq!(unordered(&(lines("one") + "\n" + &lines("two"))), [""; 0]);
}

#[test]
fn what_is_purged_from_a_directory_updates_it() {
    let purged = "file \"/srv/d/\" { state => \"exists\", recurse => true, purge => true, }";
    let outcome = |program: &str| {
        let leftover = |world: &mut World| {
            world.make_dir("/srv/d").unwrap();
            world.write("/srv/d/left", "").unwrap();
        };
        let run = Run::after(leftover, program);
        let texts = run.reports.iter().filter_map(|event| match &event.what {
            What::Resource { phase: Phase::Changed, text, .. } => Some(text.clone()),
            _ => None,
        });
        texts.collect::<Vec<String>>()
    };
    assert_eq!(outcome(purged), ["updated"]);
    assert_eq!(outcome("file \"/srv/d/\" { state => \"absent\", recurse => true, }"), ["removed"]);
}
