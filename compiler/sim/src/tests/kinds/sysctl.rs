//! `sysctl`.

use super::{NOTHING, Run};
use crate::World;

#[test]
fn a_parameter_is_set_at_once_and_for_the_next_start() {
    let mut run = Run::new(r#"sysctl "net.ipv4.ip_forward" { value => "1", }"#);
    assert_eq!(
        run.steps(),
        ["set net.ipv4.ip_forward: 0 → 1", "write /etc/sysctl.d/99-net.ipv4.ip_forward.conf (24 bytes), mode 0644"]
    );
    assert_eq!(run.read("/etc/sysctl.d/99-net.ipv4.ip_forward.conf"), "net.ipv4.ip_forward = 1\n");
    let runtime = run.change(|world| world.write("/proc/sys/net/ipv4/ip_forward", "0\n").unwrap());
    assert_eq!(runtime, ["set net.ipv4.ip_forward: 0 → 1"]);
    let file = run.change(|world| world.remove("/etc/sysctl.d/99-net.ipv4.ip_forward.conf").unwrap());
    assert_eq!(file.len(), 1, "{file:?}");
    let folder = run.change(|world| world.remove("/etc/sysctl.d").unwrap());
    let write = "write /etc/sysctl.d/99-net.ipv4.ip_forward.conf (24 bytes), mode 0644";
    assert_eq!(folder, ["make directory /etc/sysctl.d", write]);
    let path = "/etc/sysctl.d/99-net.ipv4.ip_forward.conf";
    let masked = run.change(|world| {
        world.remove(path).unwrap();
        world.symlink(path, "/dev/null").unwrap();
    });
    assert_eq!(masked, [&*format!("remove {path}"), write]);
    assert_eq!(run.read(path), "net.ipv4.ip_forward = 1\n");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_parameter_that_goes_and_comes_again_is_set_again() {
    let (name, file) = ("net.bridge.bridge-nf-call-iptables", "/proc/sys/net/bridge/bridge-nf-call-iptables");
    let load = |world: &mut World| {
        world.make_dir("/proc/sys/net/bridge").unwrap();
        world.write(file, "0\n").unwrap();
    };
    let set = [format!("set {name}: 0 → 1")];
    let mut run = Run::new(&format!(r#"sysctl "{name}" {{ value => "1", persist => false, }}"#));
    assert!(run.failures()[0].contains(&format!("unknown kernel parameter {name}")), "{:?}", run.failures());
    for _ in 0..2 {
        assert_eq!(run.change(load), set);
        assert_eq!(run.read(file), "1\n");
        assert_eq!(run.change(|world| world.remove("/proc/sys/net/bridge").unwrap()), NOTHING);
        assert!(run.world().read(file).is_err());
    }
    assert_eq!(run.minute(load), set);
}

#[test]
fn what_the_kernel_prints_its_own_way_is_no_drift() {
    let program = r#"sysctl "net.ipv4.tcp_rmem" { value => "4096 131072  6291456", persist => false, }"#;
    let mut run = Run::new(program);
    assert_eq!(run.steps(), NOTHING);
    assert_eq!(
        run.change(|world| world.write("/proc/sys/net/ipv4/tcp_rmem", "1\t2\t3\n").unwrap()),
        ["set net.ipv4.tcp_rmem: 1 2 3 → 4096 131072  6291456"]
    );
    assert_eq!(run.again().0, NOTHING);
}
