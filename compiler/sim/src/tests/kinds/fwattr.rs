//! `fwattr`.

use super::{NOTHING, Run};
use crate::World;

const DIR: &str = "/sys/class/firmware-attributes/thinklmi/attributes";

/// A host with two attributes of its firmware.
pub(super) fn firmware(world: &mut World) {
    for key in ["WakeOnLAN", "Delay"] {
        world.make_dir(&format!("{DIR}/{key}")).unwrap();
    }
    for (name, text) in [
        ("WakeOnLAN/type", "enumeration"),
        ("WakeOnLAN/possible_values", "Disable;Enable"),
        ("WakeOnLAN/current_value", "Disable"),
        ("Delay/type", "integer"),
        ("Delay/min_value", "5"),
        ("Delay/max_value", "50"),
        ("Delay/scalar_increment", "5"),
        ("Delay/current_value", "5"),
    ] {
        world.write(&format!("{DIR}/{name}"), format!("{text}\n").as_bytes()).unwrap();
    }
}

fn set(world: &mut World, name: &str, text: &str) {
    world.write(&format!("{DIR}/{name}"), format!("{text}\n").as_bytes()).unwrap();
}

#[test]
fn an_attribute_is_set_and_kept() {
    let mut run = Run::after(firmware, r#"fwattr "WakeOnLAN" { value => "Enabled", }"#);
    let step = "set the firmware attribute WakeOnLAN: Disable → Enable";
    assert_eq!(run.steps()[0], step);
    assert_eq!(run.change(|world| set(world, "WakeOnLAN/current_value", "Disable"))[0], step);
    assert_eq!(run.read(&format!("{DIR}/WakeOnLAN/current_value")), "Enable\n");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_value_must_fit() {
    let fails = |program: &str, words: &str| {
        let run = Run::after(firmware, program);
        assert!(run.failures()[0].contains(words), "{:?}", run.failures());
    };
    fails(r#"fwattr "WakeOnLAN" { value => "Enabled", strict => true, }"#, "value Enabled is invalid for WakeOnLAN");
    fails(r#"fwattr "x" { key => "Delay", value => "55", }"#, "it must be from 5 to 50");
    fails(r#"fwattr "Delay" { value => "7", }"#, "a multiple of 5");
    fails(r#"fwattr "Other" { value => "7", }"#, &format!("invalid kernel path: {DIR}/Other/current_value"));
    let mut run = Run::after(firmware, r#"fwattr "Delay" { value => "7", check => false, }"#);
    assert_eq!(run.steps()[0], "set the firmware attribute Delay: 5 → 7");
}

#[test]
fn what_is_missing_may_be_skipped() {
    let run = Run::new(r#"fwattr "Delay" { value => "10", }"#);
    assert!(run.failures()[0].contains("exposes no firmware attributes"), "{:?}", run.failures());
    let mut run = Run::new(r#"fwattr "Delay" { value => "10", skip => true, }"#);
    assert_eq!(run.steps(), NOTHING);
    assert_eq!(run.change(firmware)[0], "set the firmware attribute Delay: 5 → 10");
    let both = |world: &mut World| {
        firmware(world);
        world.make_dir("/sys/class/firmware-attributes/other").unwrap();
    };
    let run = Run::after(both, r#"fwattr "Delay" { value => "10", }"#);
    assert!(
        run.failures()[0].contains("set `driver`, because there are several: other, thinklmi"),
        "{:?}",
        run.failures()
    );
}
