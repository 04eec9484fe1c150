//! The machine: its name, processors, firmware and network interfaces.

use super::Seen::{Fatal, Value};
use super::{Row, row};
use crate::Interface;
use crate::vocab::link::Address;

fn interface(name: &str, up: bool, wireless: bool, address: [u8; 4]) -> Interface {
    let mut new = Interface::new(name, MAC, Address { ip: address.into(), length: 8 });
    new.is_wireless = wireless;
    new.set(up);
    new
}

const MAC: &[u8] = &[0x52, 0x54, 0, 0x12, 0x34, 0x56];

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "sys.hostname",
            "sys.hostname()",
            Value(r#""host1""#),
            &[(|world| world.hostname = "host9".into(), 100, Value(r#""host9""#))],
        ),
        row(
            "sys.cpu_count",
            "sys.cpu_count()",
            Value("4"),
            &[
                (|world| world.subjects.machine.cpus_online = "0-1,3".into(), 100, Value("3")),
                (|world| world.subjects.machine.cpus_online = "x".into(), 100, Fatal("could not get CPU count")),
                (|world| world.subjects.machine.cpus_online = "0".into(), 100, Value("1")),
            ],
        ),
        row(
            "sys/fwupd.reboot_needed",
            "fwupd.reboot_needed()",
            Value("false"),
            &[(|world| world.subjects.machine.firmware_updates = vec![1, 4], 100, Value("true"))],
        ),
        row(
            "net.macs",
            "net.macs()",
            Value(r#"["52:54:00:12:34:56"]"#),
            &[(|world| world.subjects.link.interfaces.clear(), 100, Value("[]"))],
        ),
        row(
            "net.interface_cidr",
            r#"net.interface_cidr("eth0")"#,
            Value(r#""192.0.2.10/24""#),
            &[
                (
                    |world| world.subjects.link.interfaces = vec![interface("eth0", true, false, [127, 0, 0, 1])],
                    100,
                    Fatal("interface `eth0` has no global-unicast IPv4 address"),
                ),
                (|world| world.subjects.link.interfaces.clear(), 100, Fatal("could not find interface `eth0`")),
                (
                    |world| world.subjects.link.interfaces = vec![interface("eth0", true, false, [10, 0, 0, 1])],
                    100,
                    Value(r#""10.0.0.1/8""#),
                ),
            ],
        ),
        row(
            "net.wired_interface",
            "net.wired_interface()",
            Value(r#""eth0""#),
            &[
                (
                    |world| world.subjects.link.interfaces = vec![interface("wlan0", true, true, [10, 0, 0, 1])],
                    100,
                    Fatal("no wired network interface found"),
                ),
                (
                    |world| {
                        let one = |name, up| interface(name, up, false, [10, 0, 0, 1]);
                        world.subjects.link.interfaces = vec![one("a", false), one("b", true)]
                    },
                    100,
                    Value(r#""b""#),
                ),
            ],
        ),
    ]
}
