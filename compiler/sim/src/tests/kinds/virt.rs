//! `virt`.

use super::{NOTHING, Run};
use crate::World;
use crate::vocab::virt::domain::{Domain, Stand};

/// A machine with these fields.
fn machine(fields: &str) -> String {
    format!("virt \"web\" {{ {fields} }}")
}

const RUNS: &str = r#"state => "running", cpus => 2, maxcpus => 4, memory => 65536, startup => "enabled",
    disk => [struct{ source => "/srv/a.img", type => "raw" }], network => [struct{ name => "lan", mac => "" }],"#;

fn domain(world: &mut World) -> &mut Domain {
    world.subjects.virt.domains.values_mut().next().expect("there is one")
}

#[test]
fn a_machine_is_defined_started_and_kept() {
    let mut run = Run::new(&machine(RUNS));
    let define = "define the virtual machine web (is absent; 2 of 4 CPUs, 65536 KiB)";
    let autostart = "set autostart of the virtual machine web: disabled → enabled";
    let start = "start the virtual machine web (is shut off)";
    assert_eq!(run.steps(), [define, autostart, start]);
    let off = |world: &mut World| (domain(world).live, domain(world).stand) = (None, Stand::Off);
    assert_eq!(run.change(off), [start]);
    let paused = run.change(|world| domain(world).stand = Stand::Paused);
    assert_eq!(paused, ["resume the virtual machine web (is paused)"]);
    assert_eq!(run.change(|world| domain(world).stand = Stand::Asleep), ["wake the virtual machine web (is asleep)"]);
    assert_eq!(run.change(|world| domain(world).autostart = false), [autostart]);
    let cpus = run.change(|world| {
        domain(world).live.as_mut().unwrap().cpus = 1;
        domain(world).stored.as_mut().unwrap().cpus = 3;
        domain(world).guest_cpus = Some(1);
    });
    let words = ["(stored): 3 → 2", "(running): 1 → 2"].map(|end| format!("set CPUs of the virtual machine web {end}"));
    assert_eq!(cpus[..2], words);
    assert_eq!(cpus[2], "set online CPUs of the virtual machine web: 1 → 2");
    assert_eq!(run.change(|world| world.subjects.virt.domains.clear()), [define, autostart, start]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn states_follow_the_program() {
    let mut run = Run::new(&machine(r#"state => "paused", memory => 1024,"#));
    assert_eq!(run.steps()[1], "start the virtual machine web paused (is shut off)");
    let mut run = run.becomes(&machine(r#"state => "running", memory => 1024,"#));
    assert_eq!(run.steps(), ["resume the virtual machine web (is paused)"]);
    let mut run = run.becomes(&machine(r#"state => "paused", memory => 1024,"#));
    assert_eq!(run.steps(), ["suspend the virtual machine web (is running)"]);
    let mut run = run.becomes(&machine(r#"state => "shutoff", memory => 1024,"#));
    assert_eq!(run.steps(), ["shut down the virtual machine web (is running)"]);
    assert_eq!(run.again().0, NOTHING);
    // A machine that only has to exist is left alone.
    assert_eq!(Run::new(&machine("memory => 1024,")).steps().len(), 1);
}

#[test]
fn without_boot_devices_a_machine_has_those_of_libvirt() {
    let mut run = Run::new(&machine(r#"state => "running", memory => 1024, boot => [],"#));
    assert_eq!(run.steps().len(), 2);
    let told = run.change(|world| {
        let web = domain(world);
        for setup in [&mut web.stored, &mut web.live].into_iter().flatten() {
            setup.layout.boot = Some(vec!["hd".to_owned()]);
        }
    });
    assert_eq!(told, NOTHING);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn transient_machines_exist_while_they_run() {
    let up = r#"state => "running", transient => true, memory => 1024,"#;
    let mut run = Run::new(&machine(up));
    let create = "create the virtual machine web, which is transient (is absent; 1 of 1 CPUs, 1024 KiB)";
    assert_eq!(run.steps(), [create]);
    let mut run = run.becomes(&machine(r#"state => "running", memory => 1024,"#));
    assert_eq!(run.steps(), ["make the virtual machine web persistent (is transient)"]);
    let mut run = run.becomes(&machine(up));
    assert_eq!(run.steps(), ["undefine the virtual machine web (is persistent)"]);
    let mut run = run.becomes(&machine(r#"state => "shutoff", transient => true,"#));
    assert_eq!(run.steps(), ["shut down the virtual machine web (is running)"]);
    assert!(run.world().subjects.virt.domains.is_empty());
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_needs_a_restart_is_reported_or_done() {
    let other = RUNS.replace("a.img", "b.img").replace("maxcpus => 4", "maxcpus => 8");
    let run = Run::new(&machine(RUNS)).becomes(&machine(&other));
    let why = "needed restart but didn't! (RestartOnDiverge: error): disks /srv/a.img → /srv/b.img; CPU slots 4 → 8";
    assert!(run.failures()[0].contains(why), "{:?}", run.failures());
    let mut run = run.becomes(&machine(&format!(r#"{other} restartondiverge => "ignore","#)));
    assert_eq!(run.steps(), NOTHING);
    let mut run = run.becomes(&machine(&format!(r#"{other} restartondiverge => "ifneeded","#)));
    let restart = ["shut down the virtual machine web (is running)", "start the virtual machine web (is shut off)"];
    assert_eq!(run.steps(), restart);
    let live = run.world().subjects.virt.domains.values().next().unwrap().live.clone().unwrap();
    // The interface keeps its address.
    assert_eq!((live.max_cpus, live.layout.networks.unwrap()[0].mac.len()), (8, 17));
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn memory_is_changed_while_it_runs_as_far_as_it_goes() {
    let mut run = Run::new(&machine(RUNS)).becomes(&machine(&RUNS.replace("65536", "32768")));
    let memory = ["(stored)", "(running)"]
        .map(|part| format!("set memory of the virtual machine web {part}: 65536 → 32768 KiB"));
    assert_eq!(run.steps(), memory);
    let run = run.becomes(&machine(&RUNS.replace("65536", "131072")));
    assert!(run.failures()[0].contains("memory 65536 → 131072 KiB"), "{:?}", run.failures());
}

#[test]
fn a_notification_restarts_where_that_is_asked_for() {
    let program = |asked: &str| {
        format!(
            "{}\nfile \"/srv/x\" {{ state => \"exists\", content => \"{asked}\", Notify => Virt[\"web\"], }}",
            machine(&format!("{RUNS} restartonrefresh => {asked},"))
        )
    };
    let mut run = Run::new(&program("true"));
    run.steps();
    let steps = run.change(|world| world.write("/srv/x", "other").unwrap());
    assert!(steps.iter().any(|step| step.starts_with("shut down")), "{steps:?}");
    let mut run = Run::new(&program("false"));
    run.steps();
    let steps = run.change(|world| world.write("/srv/x", "other").unwrap());
    assert!(!steps.iter().any(|step| step.starts_with("shut down")), "{steps:?}");
}

#[test]
fn faults_are_reported() {
    let mut run = Run::after(|world| world.subjects.virt.are_gone = true, &machine(RUNS));
    assert!(run.failures()[0].contains("install the package `libvirt-daemon-system`"), "{:?}", run.failures());
    assert_eq!(run.change(|world| world.subjects.virt.are_gone = false).len(), 3);
    let run = Run::after(|world| world.subjects.virt.broken.extend(["web".into()]), &machine(RUNS));
    assert!(run.failures()[0].contains("its disk is in use"), "{:?}", run.failures());
    let run = Run::new(&machine(r#"state => "running","#));
    assert!(run.failures()[0].contains("cannot be created without `memory`"), "{:?}", run.failures());
    let stuck = |world: &mut World| domain(world).stand = Stand::Stuck("crashed".into());
    let mut run = Run::new(&machine(RUNS));
    run.change(stuck);
    assert!(run.failures().is_empty() || run.failures()[0].contains("web is crashed"), "{:?}", run.failures());
}
