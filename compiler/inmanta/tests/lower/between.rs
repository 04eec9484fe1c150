//! The order between resources of two hosts.

use super::lowered;
use mclive_base::source::MemoryWorld;
use mclive_base::vocab::{Datum, FactSpec, account, store};
use mclive_inmanta::{Environment, Hosts, understand_in};
use std::collections::BTreeSet;

/// The graph of a host has no place for an order between hosts, which is beside it.
#[test]
fn an_order_between_hosts_is_beside_the_graphs() {
    let model = "import fs\na = std::Host(name=\"a\", os=std::linux)\nb = std::Host(name=\"b\", os=std::linux)\n\
                 x = fs::File(host=a, path=\"/x\", content=\"x\")\n\
                 fs::File(host=b, path=\"/y\", content=\"y\", requires=x)\n";
    let (on_a, on_b) = (lowered(model, Some("a")), lowered(model, Some("b")));
    let (on_a, on_b) = (on_a.expect("it is fine"), on_b.expect("it is fine"));
    assert!(on_a.warnings.is_empty() && on_b.warnings.is_empty());
    assert!(on_a.between.awaited.is_empty() && on_b.between.told.is_empty());
    let ([told], [awaited]) = (&on_a.between.told[..], &on_b.between.awaited[..]) else { panic!("one on each host") };
    assert_eq!((&*awaited.required, &*awaited.waiting), ("fs::File[a,path=/x]", "fs::File[b,path=/y]"));
    assert_eq!((&*told.name, &told.value), ("deployed/fs::File[a,path=/x]", &awaited.state));
    assert_eq!(awaited.key(), format!("{}/a", told.name));
    assert_eq!(awaited.span.start, model.find("fs::File(host=b").expect("it is there") as u32);
    // Other fields are another state.
    let other = lowered(&model.replace("content=\"x\"", "content=\"other\""), Some("a")).expect("it is fine");
    assert_ne!(other.between.told[0].value, told.value);
}

/// Nothing waits for a state that is never published: a purged command has no vertex, and a resource of any host has
/// one on each of them.
#[test]
fn nobody_waits_for_what_is_not_told() {
    let head = "import exec\nimport std::testing\na = std::Host(name=\"a\", os=std::linux)\n\
                b = std::Host(name=\"b\", os=std::linux)\n";
    let awaited = |rest: &str| {
        let lowered = lowered(&format!("{head}{rest}\n"), Some("b")).expect("it is fine");
        lowered.between.awaited.iter().map(|awaited| awaited.required.clone()).collect::<Vec<_>>()
    };
    let waiting = "exec::Run(host=b, command=\"y\", requires=x)";
    let run = "x = exec::Run(host=a, command=\"x\")";
    assert_eq!(awaited(&format!("{run}\n{waiting}")), ["exec::Run[a,command=x]"]);
    assert!(awaited(&format!("x = exec::Run(host=a, command=\"x\", purged=true)\n{waiting}")).is_empty());
    let anywhere = "x = std::testing::NullResource(name=\"x\")";
    assert!(awaited(&format!("{anywhere}\nexec::Run(host=a, command=\"x\")\n{waiting}")).is_empty());
}

/// Others may need what a host knows about its users: it publishes what the model reads, once they exist.
#[test]
fn a_host_publishes_facts_about_its_users() {
    let model = "import fs\nimport posix\na = std::Host(name=\"a\", os=std::linux)\nb = std::Host(name=\"b\", os=std::linux)\n\
                 bob = posix::User(host=a, name=\"bob\")\n\
                 fs::File(host=b, path=\"/uid\", content=std::getfact(bob, \"uid\"))\n";
    let world = MemoryWorld::of([("/main.cf", model.as_bytes())]);
    let asked = |host: &str, fact: FactSpec, value: Option<Datum>| {
        let mut environment = Environment::asked().on(host);
        let wanted = understand_in(&world, "/main.cf", Hosts::One(host), environment.clone()).compilation.wanted;
        assert_eq!(wanted, BTreeSet::from([fact.clone()]));
        environment.tell(fact, value);
        understand_in(&world, "/main.cf", Hosts::One(host), environment)
    };
    let user = FactSpec::from(account::Fact::User { name: "bob".to_owned() });
    let entry = |uid: u32| Some(Datum::Struct(vec![("uid".to_owned(), Datum::Int(uid.into()))]));
    let on_a = asked("a", user.clone(), entry(1000));
    let [told] = &on_a.between["a"].told[..] else { panic!("it tells one fact") };
    assert_eq!((&*told.name, &*told.value), ("facts/uid/posix::User[a,name=bob]", "1000"));
    // The user does not exist, or only in a plan.
    for value in [None, entry(account::PLANNED_FROM + 1)] {
        let on_a = asked("a", user.clone(), value);
        assert!(on_a.between.is_empty());
        let words = "the fact `uid` of `posix::User[a,name=bob]` is unknown until `a` has the resource";
        assert!(on_a.diags.iter().any(|warning| warning.message.starts_with(words)));
    }
    let key = "facts/uid/posix::User[a,name=bob]/a".to_owned();
    let on_b = asked("b", store::Fact::Value { key }.into(), Some(Datum::text("1000")));
    assert!(on_b.between.is_empty() && on_b.diags.iter().next().is_none());
    assert_eq!(on_b.graphs[0].1.resources.values().count(), 1);
}
