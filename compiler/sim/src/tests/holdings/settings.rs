//! Desktop settings, and the arguments of the agent.

use super::{act, deploy, set, start};
use crate::brain::Brain;
use crate::{Sim, SimHost};
use mclive_base::shapes::host::ADD;

const CLOCK: &str = "org.gnome.desktop.interface clock-format";

fn wait(sim: &mut Sim<Brain>) {
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
}

/// The value of a setting, as it is shown.
fn value(sim: &Sim<Brain>) -> String {
    let all = sim.host.world().holdings();
    let own = all.iter().filter(|holding| holding.subject == "Desktop").flat_map(|holding| &holding.things);
    let values: Vec<&str> =
        own.filter(|thing| thing.name == CLOCK).flat_map(|thing| &thing.fields).map(|field| &*field.value).collect();
    assert_eq!(values.len(), 1, "{values:?}");
    values[0].to_owned()
}

#[test]
fn a_setting_that_is_added_is_kept_by_a_program() {
    let mut sim = start("");
    sim.change(|world| world.alter("Desktop", CLOCK, &act(ADD))).expect("there is none yet");
    assert_eq!(value(&sim), "''");
    deploy(&mut sim, &format!("gsettings \"{CLOCK}\" {{\n\ttype => \"str\",\n\tvalue => \"12h\",\n}}\n"));
    assert_eq!(value(&sim), "'12h'");
    sim.change(|world| world.alter("Desktop", CLOCK, &set("value", "'24h'"))).expect("it is there");
    assert_eq!(value(&sim), "'24h'");
    wait(&mut sim);
    assert_eq!(value(&sim), "'12h'");
    for how in [set("type", "int"), act("delete")] {
        assert!(sim.change(|world| world.alter("Desktop", CLOCK, &how)).is_err(), "{how:?}");
    }
}

#[test]
fn what_is_not_a_schema_and_a_key_is_not_added() {
    let mut host = SimHost::new("host1");
    for wrong in ["", " ", "org.x", "org.x ", " clock", "org.x clock format", "org/x clock"] {
        let error = host.change(|world| world.alter("Desktop", wrong, &act(ADD))).expect_err("it is no setting");
        assert_eq!(error.to_string(), format!("`{wrong}` is not a valid setting name: a schema, a space and a key"));
    }
}

#[test]
fn arguments_of_the_agent_count_from_the_next_deploy() {
    let program = "import \"os\"\nimport \"fmt\"\nfile \"/srv/args\" {\n\tstate => \"exists\",\n\tcontent => fmt.printf(\"%v\", os.args()),\n}\n";
    let args = |sim: &Sim<Brain>| {
        String::from_utf8_lossy(sim.host.world().read("/srv/args").expect("it is there")).into_owned()
    };
    let mut sim = start(program);
    let before = args(&sim);
    assert!(before.contains("run") && !before.contains("--noop"), "{before}");
    let how = set("arguments (from the next deploy)", " mclive  run --noop ");
    sim.change(|world| world.alter("Program", "command line", &how)).expect("they can be set");
    wait(&mut sim);
    assert_eq!(args(&sim), before, "a program reads them once");
    assert_eq!(sim.host.world().subjects.program.args, ["mclive", "run", "--noop"]);
    deploy(&mut sim, &format!("{program}# again\n"));
    assert!(args(&sim).contains("--noop"), "{}", args(&sim));
    assert!(sim.change(|world| world.alter("Program", "command line", &act("unset"))).is_err());
    assert!(!sim.host.world().env.contains_key("command line"));
}
