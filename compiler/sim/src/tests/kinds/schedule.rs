//! `schedule`.

use super::{NOTHING, Run};
use crate::protocol::{Input, StopMode};
use crate::vocab::{Datum, KeyStore};

fn elected(run: &Run, pool: &str) -> Vec<String> {
    match run.world().key(KeyStore::World, &format!("pool/{pool}/chosen")) {
        Some(Datum::List(hosts)) => hosts.iter().map(|host| format!("{host:?}")).collect(),
        _ => Vec::new(),
    }
}

const SEEN: &str = r#"
    import "golang"
    import "world"
    file "/srv/elected" { state => "exists", content => golang.template("{{ . }}", world.schedule("web")), }"#;

#[test]
fn a_host_alone_is_elected_and_functions_see_it() {
    let mut run = Run::new(&format!("{SEEN}\n schedule \"web\" {{}}"));
    assert!(run.steps().contains(&"vote in the pool web: none → rr, max 1".to_owned()));
    assert_eq!(run.read("/srv/elected"), "[host1]");
    // The vote is removed or damaged.
    let gone = run.change(|world| world.set_key(KeyStore::World, "pool/web/vote/host1", None));
    assert_eq!(gone, ["vote in the pool web: none → rr, max 1"]);
    let spoilt = run.change(|world| world.set_key(KeyStore::World, "pool/web/vote/host1", Some(Datum::text("max=5"))));
    assert_eq!(spoilt, ["vote in the pool web: rr, max 5 → rr, max 1"]);
    assert_eq!(run.read("/srv/elected"), "[host1]");
}

#[test]
fn a_vote_ends_with_its_resource() {
    let run = Run::new(&format!("{SEEN}\n schedule \"web\" {{}}"));
    assert_eq!(elected(&run, "web").len(), 1);
    // The same host after its agent was killed: its vote lasts ten seconds.
    let mut run = run.becomes(SEEN);
    assert_eq!(run.read("/srv/elected"), "[host1]");
    run.settle();
    assert_eq!(run.read("/srv/elected"), "[]");
    assert_eq!(elected(&run, "web"), NOTHING);
    assert_eq!(run.steps().len(), 1, "the file that says who is elected");
}

#[test]
fn a_vote_may_outlive_its_host() {
    let program = r#"
        schedule "p" { persist => true, max => 2, strategy => "alpha", }
        schedule "t" { ttl => 60, }"#;
    let mut run = Run::new(program);
    let steps =
        ["vote in the pool p: none → alpha, max 2, persistent", "vote in the pool t: none → rr, max 1, ttl 60 s"];
    assert_eq!(run.steps(), steps);
    let (steps, run) = run.again();
    assert_eq!(steps, ["vote in the pool t: rr, max 1, ttl 60 s from an earlier run → rr, max 1, ttl 60 s"]);
    let program = r#"
        schedule "p" { withdraw => true, }
        schedule "none" { withdraw => true, }"#;
    let mut run = run.becomes(program);
    assert_eq!(run.steps(), ["withdraw from the pool p (alpha, max 2, persistent)"]);
    assert_eq!((elected(&run, "p").len(), elected(&run, "t").len()), (0, 1));
    // Its minute passes.
    run.sim.advance(run.sim.now().plus_ms(60_000), 1_000_000);
    assert_eq!(elected(&run, "t"), NOTHING);
}

#[test]
fn a_vote_ends_with_its_agent_or_when_its_time_is_over() {
    let mut run = Run::new("schedule \"web\" {}\n schedule \"t\" { ttl => 60, }\n schedule \"p\" { persist => true, }");
    run.sim.tell(Input::Stop(StopMode::Graceful));
    run.advance(2_000);
    assert!(run.sim.exit().is_some());
    assert_eq!(elected(&run, "web"), NOTHING);
    assert_eq!((elected(&run, "t").len(), elected(&run, "p").len()), (1, 1));
    run.advance(60_000);
    assert_eq!((elected(&run, "t").len(), elected(&run, "p").len()), (0, 1));
    assert_eq!(run.sim.next_at(), None, "nothing is left to happen");
}

#[test]
fn who_votes_in_another_way_stays_elected() {
    let program = r#"
        import "world"
        $more = world.getval("more")->exists
        schedule "web" { max => if $more { 2 } else { 1 }, }"#;
    let mut run = Run::new(program);
    run.steps();
    let more = run.change(|world| world.set_key(KeyStore::World, "strings/more", Some(Datum::text("x"))));
    assert_eq!(more.len(), 1, "{more:?}");
    assert!(more[0].ends_with("→ rr, max 2"), "{more:?}");
    assert_eq!(elected(&run, "web").len(), 1);
}

#[test]
fn a_strategy_may_elect_nobody() {
    let run = Run::new(r#"schedule "a/b" { strategy => "", }"#);
    assert_eq!(elected(&run, "a%2Fb"), NOTHING);
    assert!(run.world().key(KeyStore::World, "pool/a%2Fb/vote/host1").is_some());
}
