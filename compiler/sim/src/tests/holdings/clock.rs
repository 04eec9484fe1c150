//! The clock of a host, among those of others.

use super::{act, set, start};
use crate::brain::Brain;
use crate::world::EPOCH_NS;
use crate::{Sim, SimHost};
use mclive_base::shapes::host::Alteration;

const START: &str = "start time (Unix time in seconds)";
const OFFSET: &str = "offset (ms)";

fn alter(host: &mut SimHost, how: &Alteration) -> Result<(), String> {
    host.change(|world| world.alter("Time", "clock", how)).map_err(|error| error.to_string())
}

fn offset(host: &SimHost) -> String {
    let all = host.world().holdings();
    let fields = all.iter().flat_map(|holding| &holding.things).filter(|thing| thing.name == "clock");
    let value = fields.flat_map(|thing| &thing.fields).find(|field| field.name == OFFSET);
    value.expect("a clock has an offset").value.clone()
}

#[test]
fn a_clock_is_set_by_its_offset_or_by_its_start() {
    let mut host = SimHost::new("host1");
    assert_eq!(offset(&host), "0");
    assert_eq!(alter(&mut host, &set(OFFSET, "-90500")), Ok(()));
    assert_eq!((host.world().epoch_ns, offset(&host)), (EPOCH_NS - 90_500_000_000, "-90500".to_owned()));
    assert_eq!(host.world().tree.now_ns, EPOCH_NS - 90_500_000_000, "files get this time as well");
    assert_eq!(alter(&mut host, &act("1 hour ahead")), Ok(()));
    assert_eq!(offset(&host), "3509500");
    assert_eq!(alter(&mut host, &set(START, &(EPOCH_NS / 1_000_000_000 + 2).to_string())), Ok(()));
    assert_eq!(offset(&host), "2000");
}

#[test]
fn a_program_reads_the_clock_with_its_offset() {
    let mut sim = start(
        "import \"datetime\"\nimport \"fmt\"\nfile \"/srv/now\" {\n\tstate => \"exists\",\n\tcontent => fmt.printf(\"%d\", datetime.now()),\n}\n",
    );
    let now = |sim: &Sim<Brain>| -> i64 {
        let text = String::from_utf8_lossy(sim.host.world().read("/srv/now").expect("it is there")).into_owned();
        text.parse().expect("it is a number")
    };
    let before = now(&sim);
    sim.change(|world| world.alter("Time", "clock", &set(OFFSET, "-86400000"))).expect("it can be set");
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    assert!((1..=6).contains(&(now(&sim) + 86_400 - before)), "{before} {}", now(&sim));
}

#[test]
fn a_clock_starts_within_the_times_that_can_be_counted() {
    let mut host = SimHost::new("host1");
    let before = host.world().epoch_ns;
    let why = "the start time of a clock is between 0 and 9000000000 (Unix time in seconds)";
    for wrong in ["-1", "9000000001", i64::MAX.to_string().as_str()] {
        assert_eq!(alter(&mut host, &set(START, wrong)), Err(why.to_owned()));
    }
    for wrong in [i64::MIN, i64::MAX] {
        assert_eq!(alter(&mut host, &set(OFFSET, &wrong.to_string())), Err(why.to_owned()));
    }
    assert_eq!(alter(&mut host, &set(OFFSET, "soon")), Err(format!("{OFFSET}: `soon` is not a number")));
    assert!(alter(&mut host, &set("colour", "0")).is_err());
    assert_eq!(host.world().epoch_ns, before);
    // The first hour of all has none before it.
    assert_eq!(alter(&mut host, &set(START, "0")), Ok(()));
    assert_eq!(alter(&mut host, &act("1 hour back")), Err(why.to_owned()));
}
