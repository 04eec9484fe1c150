//! `docker:image` and `docker:container`.

use super::{NOTHING, Run};
use crate::World;
use crate::vocab::container::Phase;

const PROGRAM: &str = r#"
    docker:container "web" {
        image => "h:5000/site",
        cmd => ["serve", "-v"],
        env => ["MODE=live", "TOKEN=hush"],
        ports => {"tcp" => {8080 => 80}},
    }
"#;
const MAKE: [&str; 2] = [
    "create the container web from h:5000/site:latest (is absent; sets MODE, TOKEN)",
    "start the container web (is stopped)",
];
const PULL: &str = "pull the image h:5000/site:latest (is absent)";

fn registry(world: &mut World) {
    world.subjects.container.registry.insert("h:5000/site:latest".into(), "0123456789abcdef".into());
}

#[test]
fn a_container_is_made_and_kept_running() {
    let mut run = Run::after(registry, PROGRAM);
    assert_eq!(run.steps(), [&[PULL][..], &MAKE].concat());
    let stopped = run.change(|world| world.subjects.container.set("web", Phase::Stopped).unwrap());
    assert_eq!(stopped, [MAKE[1]]);
    let paused = run.change(|world| world.subjects.container.set("web", Phase::Paused).unwrap());
    assert_eq!(paused, ["resume the container web (is paused)"]);
    assert_eq!(run.change(|world| _ = world.subjects.container.all.remove("web")), MAKE);
    let untagged = run.change(|world| world.subjects.container.images.clear());
    assert_eq!(untagged, NOTHING, "it runs on without the name of its image");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn another_container_is_replaced_by_force_alone() {
    let mut run = Run::after(registry, PROGRAM);
    run.steps();
    let pulled =
        |world: &mut World| _ = world.subjects.container.images.insert("h:5000/site:latest".into(), "other".into());
    run.change(pulled);
    let run = run.becomes(PROGRAM);
    let why = "web exists but has the wrong image: h:5000/site:latest; set `force => true` to replace it";
    assert!(run.failures()[0].contains(why), "{:?}", run.failures());
    for (from, to, why) in [
        ("serve", "other", "runs a different command: serve -v"),
        ("hush", "hush!", "TOKEN is unset or has a different value"),
        ("8080", "8081", "has different ports: 8080:80/tcp"),
    ] {
        let run = Run::after(registry, PROGRAM).becomes(&PROGRAM.replace(from, to));
        assert!(run.failures()[0].contains(why), "{:?}", run.failures());
        assert!(!run.failures()[0].contains("hush"));
    }
    let forced = PROGRAM.replace("8080", "8081").replace("cmd", "force => true, cmd");
    let mut run = Run::after(registry, PROGRAM).becomes(&forced);
    let replace = "replace the container web with a new one from h:5000/site:latest (is running; sets MODE, TOKEN)";
    assert_eq!(run.steps(), [replace]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_container_without_a_new_image_is_not_replaced() {
    let forced = PROGRAM.replace("h:5000/site", "h:5000/none").replace("cmd", "force => true, cmd");
    let mut run = Run::after(registry, PROGRAM).becomes(&forced);
    assert!(run.failures()[0].contains("pull the image h:5000/none:latest: manifest unknown"), "{:?}", run.failures());
    run.change(|world| assert!(world.subjects.container.all.get("web").is_some_and(|it| it.phase == Phase::Running)));
    let pushed =
        run.minute(|world| _ = world.subjects.container.registry.insert("h:5000/none:latest".into(), "fedc".into()));
    let replace = "replace the container web with a new one from h:5000/none:latest (is running; sets MODE, TOKEN)";
    assert_eq!(pushed.last().map(String::as_str), Some(replace), "a pull that failed is tried again");
}

#[test]
fn a_container_is_put_back_if_the_new_one_does_not_run() {
    let forced = PROGRAM.replace("h:5000/site", "h:5000/next").replace("cmd", "force => true, cmd");
    for (phase, now, end) in [(Phase::Running, "running", "is running again"), (Phase::Stopped, "stopped", "was kept")]
    {
        let mut run = Run::after(registry, PROGRAM);
        run.steps();
        run.sim.change(|world| {
            let containers = &mut world.subjects.container;
            containers.images.insert("h:5000/next:latest".into(), "fedcba9876543210".into());
            containers.crash.insert("fedcba9876543210".into());
            containers.set("web", phase).unwrap();
        });
        let mut run = run.becomes(&forced);
        let why = format!(
            "start the container web: it exited immediately with status 1 and no output (the old container {end})"
        );
        assert!(run.failures()[0].contains(&why), "{:?}", run.failures());
        let replace =
            format!("replace the container web with a new one from h:5000/next:latest (is {now}; sets MODE, TOKEN)");
        assert_eq!(run.steps(), [replace], "it is not interrupted again");
        let left = run.world().subjects.container.all.get("web");
        assert!(left.is_some_and(|it| it.phase == phase && it.image_name == "h:5000/site:latest"));
    }
}

const LEFT: [&str; 2] = [
    "remove the container web.mclive-new (left by an interrupted replacement)",
    "remove the container web.mclive-old (left by an interrupted replacement)",
];

/// As an agent leaves it that is killed during a replacement.
fn leave(world: &mut World) {
    let all = &mut world.subjects.container.all;
    let mut old = all.get("web").cloned().unwrap();
    old.phase = Phase::Stopped;
    all.insert("web.mclive-new".into(), old.clone());
    all.insert("web.mclive-old".into(), old);
}

#[test]
fn what_an_interrupted_replacement_left_is_removed() {
    let state = |state: &str| PROGRAM.replace("cmd", &format!("state => \"{state}\", cmd"));
    let left = |before: fn(&mut World), program: &str| {
        let mut run = Run::after(registry, PROGRAM);
        run.sim.change(leave);
        run.sim.change(before);
        let mut run = run.becomes(program);
        let steps = run.steps();
        assert_eq!(run.again().0, NOTHING);
        steps
    };
    let gone = |world: &mut World| _ = world.subjects.container.all.remove("web");
    assert_eq!(left(|_| (), PROGRAM), LEFT);
    assert_eq!(left(gone, PROGRAM), [&MAKE[..], &LEFT].concat());
    let stop = ["stop the container web (is running)"];
    assert_eq!(left(|_| (), &state("stopped")), [stop[0], LEFT[0]], "the new one may not have run yet");
    assert_eq!(left(gone, &state("stopped")), [LEFT[0]], "the old one may be the only one");
    let forced = state("stopped").replace("cmd", "force => true, cmd");
    assert_eq!(left(|_| (), &forced), [&stop[..], &LEFT].concat());
    assert_eq!(left(gone, &forced), LEFT);
    let remove = ["stop the container web (is running)", "remove the container web"];
    assert_eq!(left(|_| (), &state("removed")), [&remove[..], &LEFT].concat());
    assert_eq!(left(gone, &state("removed")), LEFT);
}

/// The same, and the new container does not run.
fn leave_without_a_new_one(world: &mut World) {
    leave(world);
    let containers = &mut world.subjects.container;
    containers.images.insert("h:5000/next:latest".into(), "fedcba9876543210".into());
    containers.crash.insert("fedcba9876543210".into());
    containers.all.remove("web");
}

#[test]
fn a_container_that_was_left_aside_is_put_back_if_the_new_one_does_not_run() {
    let mut run = Run::after(registry, PROGRAM);
    run.sim.change(leave_without_a_new_one);
    let forced = PROGRAM.replace("h:5000/site", "h:5000/next").replace("cmd", "force => true, cmd");
    let run = run.becomes(&forced);
    assert!(run.failures()[0].ends_with("(the old container is running again)"), "{:?}", run.failures());
    let old = run.world().subjects.container.all.get("web");
    assert!(old.is_some_and(|it| it.phase == Phase::Running && it.image_name == "h:5000/site:latest"));
}

#[test]
fn the_error_of_a_step_is_reported_with_that_of_the_next_look() {
    let mut run = Run::after(registry, PROGRAM);
    run.sim.change(leave_without_a_new_one);
    let mut run = run.becomes(&PROGRAM.replace("h:5000/site", "h:5000/next"));
    let why = "start the container web: it exited immediately with status 1 and no output (the old container is running \
               again); then: web exists but has the wrong image: h:5000/site:latest; set `force => true` to replace it";
    let failures = run.failures();
    assert!(!failures.is_empty() && failures.iter().all(|failure| failure == why), "{failures:?}");
    // Later looks find the same, which is not reported again.
    run.steps();
    run.advance(60_000);
    run.settle();
    assert_eq!(run.failures(), NOTHING);
    // After an event it is.
    run.sim.change(|world| world.subjects.container.set("web", Phase::Stopped).unwrap());
    run.settle();
    assert_eq!(run.failures(), [why]);
}

#[test]
fn a_container_is_stopped_and_removed() {
    let mut run = Run::after(registry, PROGRAM);
    run.steps();
    let state = |state: &str| PROGRAM.replace("cmd", &format!("state => \"{state}\", cmd"));
    let mut run = run.becomes(&state("stopped"));
    assert_eq!(run.steps(), ["stop the container web (is running)"]);
    let paused = run.change(|world| world.subjects.container.set("web", Phase::Paused).unwrap());
    assert_eq!(paused, ["resume the container web (is paused)", "stop the container web (is running)"]);
    let mut run = run.becomes(&state("removed"));
    assert_eq!(run.steps(), ["remove the container web"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn an_image_is_pulled_and_removed() {
    let mut run = Run::after(registry, r#"docker:image "h:5000/site" {}"#);
    assert_eq!(run.steps(), [PULL]);
    assert_eq!(run.change(|world| world.subjects.container.images.clear()), [PULL]);
    let mut run = run.becomes(r#"docker:image "h:5000/site" { state => "absent", }"#);
    assert_eq!(run.steps(), ["remove the image h:5000/site:latest (is 0123456789ab)"]);
    assert_eq!(run.again().0, NOTHING);
    let run = Run::new(r#"docker:image "nothing" {}"#);
    assert!(run.failures()[0].contains("manifest unknown"), "{:?}", run.failures());
}

#[test]
fn what_fails_is_reported_and_comes_to_life() {
    let gone = |world: &mut World| {
        registry(world);
        world.subjects.container.are_gone = true;
    };
    let mut run = Run::after(gone, PROGRAM);
    assert!(run.failures()[0].contains("no container engine is running"), "{:?}", run.failures());
    assert_eq!(run.change(|world| world.subjects.container.are_gone = false).len(), 3);
    let crash = |world: &mut World| {
        registry(world);
        world.subjects.container.crash.insert("0123456789abcdef".into());
    };
    let run = Run::after(crash, PROGRAM);
    assert!(run.failures()[0].contains("exited immediately with status 1"), "{:?}", run.failures());
}
