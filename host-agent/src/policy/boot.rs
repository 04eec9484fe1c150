//! What some resources write for the next boot: a file below `sysctl.d` or `network` gives the same power as a step that
//! changes the running system.

use super::Policy;
use mclive_base::protocol::ResourceId;
use mclive_base::vocab::{Content, Power, Step, file};

/// The kinds whose resources are named after kernel parameters and network interfaces.
const SYSCTL: &str = "sysctl";
const NET: &str = "net";
/// A line of a file of systemd-networkd, and the parameters of the whole host that it sets.
const FORWARDS: &str = "IPForward=true";
const FORWARDING: [&str; 2] = ["net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"];

impl Policy {
    /// Judges a resource by its name, and by what its file says of the whole host.
    pub(super) fn for_next_boot(&self, of: &ResourceId, step: &Step) -> Result<(), String> {
        match &*of.kind {
            SYSCTL => self.power(&Power::Sysctl(&of.name)),
            NET => {
                self.power(&Power::Link(&of.name))?;
                let set: &[&str] = if forwards(step) { &FORWARDING } else { &[] };
                set.iter().try_for_each(|name| self.power(&Power::Sysctl(name)))
            }
            _ => Ok(()),
        }
    }
}

fn forwards(step: &Step) -> bool {
    let Step::File(file::Step::Write { content: Content::Bytes(bytes), .. }) = step else { return false };
    String::from_utf8_lossy(bytes).lines().any(|line| line == FORWARDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::vocab::Attributes;

    fn judged(policy: &str, kind: &str, name: &str, text: &str) -> Result<(), String> {
        let (path, attributes) = ("/etc/x".into(), Attributes::default());
        let step = Step::File(file::Step::Write { path, content: Content::Bytes(text.into()), attributes });
        Policy::parse(policy).unwrap().step(&ResourceId::new(kind, name), &step)
    }

    #[test]
    fn a_parameter_is_judged_by_its_name() {
        let may = |policy: &str, kind: &str| judged(policy, kind, "kernel.core_pattern", "").is_ok();
        assert!(may("sysctl = ['kernel.*']", "sysctl") && may("", "sysctl"));
        assert!(!may("sysctl = ['net.*']", "sysctl") && !may("sysctl = []", "sysctl"));
        assert!(may("sysctl = []", "file"));
    }

    /// Where networkd does not run, its file is all that is written of an interface.
    #[test]
    fn an_interface_is_judged_by_its_name() {
        let judged = |policy: &str, kind: &str| judged(policy, kind, "eth1", "[Match]\nName=eth1\n");
        assert_eq!((judged("interfaces = ['eth*']", "net"), judged("", "net")), (Ok(()), Ok(())));
        let refused = judged("interfaces = ['eth0']", "net").unwrap_err();
        assert!(refused.contains("changing the network interface `eth1`"), "{refused}");
        assert_eq!(judged("interfaces = []", "file"), Ok(()));
    }

    #[test]
    fn an_interface_alone_does_not_make_a_host_a_router() {
        let judged = |sysctl: &str, forwards: &str| {
            let policy = format!("interfaces = ['eth1']\nsysctl = {sysctl}");
            judged(&policy, "net", "eth1", &format!("[Network]\nAddress=10.0.0.2/24\nIPForward={forwards}"))
        };
        for sysctl in ["[]", "['net.ipv4.*']"] {
            assert!(judged(sysctl, "true").unwrap_err().contains("changing the kernel parameter"), "{sysctl}");
        }
        assert_eq!(judged("['net.ipv4.ip_forward', 'net.ipv6.conf.all.forwarding']", "true"), Ok(()));
        assert_eq!(judged("[]", "false"), Ok(()));
    }
}
