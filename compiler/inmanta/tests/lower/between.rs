//! The order between resources of two hosts.

use super::lowered;

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
    assert_eq!((&*told.required, &*awaited.waiting), ("fs::File[a,path=/x]", "fs::File[b,path=/y]"));
    assert_eq!((&awaited.required, &awaited.state), (&told.required, &told.state));
    assert_eq!(awaited.span.start, model.find("fs::File(host=b").expect("it is there") as u32);
    // Other fields are another state.
    let other = lowered(&model.replace("content=\"x\"", "content=\"other\""), Some("a")).expect("it is fine");
    assert_ne!(other.between.told[0].state, told.state);
}

/// No one waits for what is never told: a purged command has no vertex, and what belongs to any host has its own.
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
