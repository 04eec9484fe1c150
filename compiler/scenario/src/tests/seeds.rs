//! Scenarios with a seed: what is random, and the order of what happens at the same moment.

use super::super::read;
use super::{SHARED, failure, passes};
use std::collections::BTreeSet;

#[test]
fn a_seed_says_what_is_random_wherever_it_stands() {
    let program = "password \"p\" {\n\tlength => 20,\n}\nfile \"/secret\" {\n\tstate => \"exists\",\n}\nPassword[\"p\"].password -> File[\"/secret\"].content\n";
    // The actual content of the file instead of the expected one.
    let drawn = |steps: &str| failure(program, steps).1;
    let first = drawn("run\nexpect file /secret holds \"\"\n");
    assert_eq!(drawn("seed 0\nrun\nexpect file /secret holds \"\"\n"), first);
    let second = drawn("run\nexpect file /secret holds \"\"\nseed 7\n");
    assert_ne!(second, first);
    assert_eq!(drawn("seed 1\nrun\nexpect file /secret holds \"\"\nseed 7\n"), second);
    assert!(read("host a\non a seed 1").is_err() && read("seed x").is_err());
}

/// What is ready at once is done in each order, but an edge sets the order with every seed.
#[test]
fn a_seed_draws_the_order_of_what_happens_at_the_same_moment() {
    let exec =
        |name: &str| format!("exec \"{name}\" {{\n\tcmd => \"echo {name} >> /order\",\n\tshell => \"/bin/sh\",\n}}\n");
    let free = ["a", "b", "c"].map(exec).concat();
    let bound = format!("{free}Exec[\"c\"] -> Exec[\"b\"] -> Exec[\"a\"]\n");
    // The actual content of the file instead of the expected one.
    let order =
        |program: &str, seed: u64| failure(program, &format!("seed {seed}\nrun\nexpect file /order holds \"\"\n")).1;
    let usual = "/order holds \"a\\nb\\nc\\n\"".to_owned();
    assert_eq!(failure(&free, "run\nexpect file /order holds \"\"\n").1, usual);
    assert_eq!(order(&free, 0), usual);
    let orders: Vec<String> = (1..=20).map(|seed| order(&free, seed)).collect();
    assert!(orders.iter().collect::<BTreeSet<_>>().len() >= 3, "{orders:?}");
    assert_eq!((1..=20).map(|seed| order(&free, seed)).collect::<Vec<_>>(), orders);
    for seed in 0..=20 {
        assert_eq!(order(&bound, seed), "/order holds \"c\\nb\\na\\n\"", "seed {seed}");
    }
}

/// Several hosts that share exports, under each order: they agree in the end, whichever was first.
#[test]
fn hosts_agree_with_every_seed() {
    for seed in 0..=20 {
        passes(
            SHARED,
            &format!(
                "seed {seed}\nhost web1\nhost web2\nrun\nexpect running\nexpect file /srv/web1\n\
                 on web2 remove /srv/web2\non web2 expect file /srv/web2 within 1s\nexpect no steps for 1m\n"
            ),
        );
    }
}
