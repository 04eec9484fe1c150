//! Commands that ran, and their scripted answers.

use super::{act, deploy, set, start};
use crate::brain::Brain;
use crate::{Sim, SimHost};
use mclive_base::shapes::host::{ADD, Alteration, Thing};

const SCRIPT: &str = "script an answer";
const UNSCRIPT: &str = "remove the answer";

fn thing(sim: &Sim<Brain>, line: &str) -> Thing {
    let all = sim.host.world().holdings();
    let own = all.into_iter().filter(|holding| holding.subject == "Command").flat_map(|holding| holding.things);
    let named: Vec<Thing> = own.filter(|thing| thing.name == line).collect();
    assert_eq!(named.len(), 1, "{line}: {named:?}");
    named.into_iter().next().expect("there is one")
}

fn field(sim: &Sim<Brain>, line: &str, name: &str) -> Option<String> {
    thing(sim, line).fields.into_iter().find(|field| field.name == name).map(|field| field.value)
}

fn alter(sim: &mut Sim<Brain>, line: &str, how: &Alteration) {
    assert_eq!(sim.change(|world| world.alter("Command", line, how)), Ok(()), "{line}: {how:?}");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
}

#[test]
fn commands_that_ran_are_listed_with_their_results() {
    let sim = start(
        r#"
exec "good" { cmd => "echo hello", shell => "/bin/sh", }
exec "bad" { cmd => "exit 3", shell => "/bin/sh", }
exec "missing" { cmd => "fetch --all", }
"#,
    );
    let shown = |line: &str| ["runs", "last result", "printed"].map(|name| field(&sim, line, name));
    let expect = |runs: &str, result: &str, printed: Option<&str>| {
        [Some(runs.to_owned()), Some(result.to_owned()), printed.map(str::to_owned)]
    };
    assert_eq!(shown("echo hello"), expect("1", "exit status 0", Some("hello\n")));
    assert_eq!(shown("exit 3"), expect("1", "exit status 3", None));
    let why = "not started: exec: \"fetch\": executable file not found in $PATH";
    assert_eq!(shown("fetch --all"), expect("1", why, None));
    assert!(thing(&sim, "exit 3").fields.iter().all(|field| field.is_fixed), "nothing is scripted yet");
}

#[test]
fn a_scripted_answer_is_what_a_program_gets() {
    let mut host = SimHost::new("host1");
    let answer = [act(ADD), set("prints", "two\nlines\n"), set("exit status", "3"), set("duration (ms)", "200")];
    for how in &answer {
        assert_eq!(host.change(|world| world.alter("Command", "fetch --all", how)), Ok(()), "{how:?}");
    }
    let mut sim = Sim::new(Brain::new(), host);
    let command = "fetch --all > /srv/got; echo $? >> /srv/got";
    deploy(&mut sim, &format!("exec \"get\" {{\n\tcmd => \"{command}\",\n\tshell => \"/bin/sh\",\n}}\n"));
    assert_eq!(sim.host.world().read("/srv/got").expect("the command wrote it"), b"two\nlines\n3\n");
    // The command of the program is the whole line.
    assert_eq!(field(&sim, command, "last result").as_deref(), Some("exit status 0"));
    assert_eq!(field(&sim, "fetch --all", "prints").as_deref(), Some("two\nlines\n"));
}

#[test]
fn a_command_that_runs_can_be_killed() {
    const LINE: &str = "fetch --all";
    let mut sim = start("");
    for how in [act(ADD), set("duration (ms)", "600000")] {
        alter(&mut sim, LINE, &how);
    }
    let kill = |sim: &mut Sim<Brain>| sim.change(|world| world.alter("Command", LINE, &act("kill")));
    assert!(kill(&mut sim).is_err(), "it does not run yet");
    deploy(&mut sim, "exec \"get\" {\n\tcmd => \"fetch --all\",\n\tMeta:retry => -1,\n\tMeta:delay => 500,\n}\n");
    assert_eq!(thing(&sim, LINE).verbs, [UNSCRIPT, "kill"]);
    assert_eq!(kill(&mut sim), Ok(()));
    assert_eq!(thing(&sim, LINE).verbs, [UNSCRIPT]);
    assert_eq!(field(&sim, LINE, "last result").as_deref(), Some("killed by SIGKILL"));
    assert!(kill(&mut sim).is_err(), "it is over");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert_eq!(field(&sim, LINE, "runs").as_deref(), Some("2"), "the program runs it again");
    assert_eq!(thing(&sim, LINE).verbs, [UNSCRIPT, "kill"]);
    // What an agent ran is gone with it.
    sim.host.restart();
    assert_eq!(thing(&sim, LINE).verbs, [UNSCRIPT]);
}

#[test]
fn an_answer_lets_a_failing_command_succeed() {
    let mut sim = start("exec \"get\" {\n\tcmd => \"fetch --all\",\n\tMeta:retry => -1,\n\tMeta:delay => 500,\n}\n");
    let result = |sim: &Sim<Brain>| field(sim, "fetch --all", "last result").expect("it ran");
    assert!(result(&sim).starts_with("not started: "), "{}", result(&sim));
    alter(&mut sim, "fetch --all", &set("exit status", "4"));
    assert_eq!(result(&sim), "exit status 4");
    alter(&mut sim, "fetch --all", &set("exit status", "0"));
    assert_eq!(result(&sim), "exit status 0");
    let runs = field(&sim, "fetch --all", "runs");
    alter(&mut sim, "fetch --all", &set("prints", "unread"));
    assert_eq!(field(&sim, "fetch --all", "runs"), runs, "it has succeeded");
}

#[test]
fn an_answer_begins_as_the_last_run_ended_and_can_be_removed() {
    let mut sim = start("exec \"bad\" {\n\tcmd => \"echo why; exit 3\",\n\tshell => \"/bin/sh\",\n}\n");
    let line = "echo why; exit 3";
    assert_eq!(thing(&sim, line).verbs, [SCRIPT]);
    alter(&mut sim, line, &act(SCRIPT));
    let values = |sim: &Sim<Brain>| ["prints", "exit status", "duration (ms)"].map(|name| field(sim, line, name));
    assert_eq!(values(&sim), ["why\n", "3", "0"].map(|value| Some(value.to_owned())));
    assert_eq!(thing(&sim, line).verbs, [UNSCRIPT]);
    assert!(sim.change(|world| world.alter("Command", line, &act(SCRIPT))).is_err());
    alter(&mut sim, line, &act(UNSCRIPT));
    assert_eq!(values(&sim), [None, None, None]);
    assert_eq!(thing(&sim, line).verbs, [SCRIPT]);
}

#[test]
fn what_is_wrong_with_an_answer_is_reported_in_words() {
    let mut sim = start("exec \"good\" {\n\tcmd => \"true\",\n}\n");
    let mut why = |line: &str, how: &Alteration| {
        let done = sim.change(|world| world.alter("Command", line, how));
        done.expect_err("it is impossible").to_string()
    };
    assert_eq!(why("", &act(ADD)), "the command line is empty");
    assert_eq!(why("true", &act(ADD)), "`true` is already listed");
    for wrong in ["", "-1", "256", "no"] {
        assert_eq!(why("true", &set("exit status", wrong)), format!("`{wrong}` is not an exit status: 0 to 255"));
    }
    assert_eq!(why("true", &set("duration (ms)", "-1")), "duration (ms): `-1` is not a number");
    assert_eq!(why("true", &act(UNSCRIPT)), format!("cannot {UNSCRIPT} true: no such object"));
    assert_eq!(why("true", &set("colour", "red")), "cannot set colour of true: no such object");
}
