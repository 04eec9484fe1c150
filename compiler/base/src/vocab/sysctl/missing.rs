//! [`source`]: where a parameter comes from that the kernel does not have.

/// A part of the kernel that has parameters.
enum Origin {
    Module(&'static str),
    /// An option of the kernel's configuration.
    Option(&'static str),
    /// It is built in, and can be turned off at boot by this argument.
    Unless(&'static str, &'static str),
}

use Origin::{Module, Option as Built, Unless};

/// Names, or beginnings of names that end with a dot or an underscore.
const SOURCES: [(&str, Origin); 24] = [
    ("dev.cdrom.", Module("cdrom")),
    ("dev.parport.", Module("parport")),
    ("dev.raid.", Module("md_mod")),
    ("fs.nfs.nlm_", Module("lockd")),
    ("fs.nfs.", Module("nfs")),
    ("fs.xfs.", Module("xfs")),
    ("kernel.kexec_load_disabled", Built("CONFIG_KEXEC")),
    ("kernel.numa_balancing", Built("CONFIG_NUMA_BALANCING")),
    ("kernel.sysrq", Built("CONFIG_MAGIC_SYSRQ")),
    ("kernel.unprivileged_bpf_disabled", Built("CONFIG_BPF_SYSCALL")),
    ("kernel.yama.", Built("CONFIG_SECURITY_YAMA")),
    ("net.bridge.", Module("br_netfilter")),
    ("net.core.bpf_jit_", Built("CONFIG_BPF_JIT")),
    ("net.ipv4.vs.", Module("ip_vs")),
    ("net.ipv6.", Unless("IPv6", "ipv6.disable=1")),
    ("net.mpls.", Module("mpls_router")),
    ("net.mptcp.", Built("CONFIG_MPTCP")),
    ("net.netfilter.nf_conntrack_", Module("nf_conntrack")),
    ("net.nf_conntrack_max", Module("nf_conntrack")),
    ("net.rds.", Module("rds")),
    ("net.sctp.", Module("sctp")),
    ("sunrpc.", Module("sunrpc")),
    ("user.max_user_namespaces", Built("CONFIG_USER_NS")),
    ("vm.nr_hugepages", Built("CONFIG_HUGETLBFS")),
];

/// Where a missing parameter would come from, as the end of the message that it is missing; empty if that is unknown.
pub fn source(name: &str) -> String {
    // The path has a slash for each dot, also for one in the name of an interface.
    if let Some((_, link, parameter)) = super::of_interface(name)
        && let Some((rest, _)) = parameter.rsplit_once('.')
    {
        return format!("; parameters of the network interface `{link}.{rest}` are not supported: its name has a dot");
    }
    if let Some(link) = super::interface(name) {
        return format!("; check whether the network interface `{link}` exists");
    }
    match SOURCES.into_iter().find(|(known, _)| covers(known, name)) {
        Some((_, Module(module))) => format!(
            "; load the kernel module that provides it (`modprobe {module}`), and list it in a file in \
             `/etc/modules-load.d` for the next boot"
        ),
        Some((_, Built(option))) => format!("; only a kernel with `{option}` has it"),
        Some((_, Unless(what, argument))) => format!("; it is missing if the kernel has no {what} (`{argument}`)"),
        None => String::new(),
    }
}

fn covers(known: &str, name: &str) -> bool {
    if known.ends_with(['.', '_']) { name.starts_with(known) } else { name == known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_of_a_parameter_is_named_if_it_is_known() {
        for (name, what) in [
            ("net.bridge.bridge-nf-call-iptables", "`modprobe br_netfilter`"),
            ("net.netfilter.nf_conntrack_max", "`modprobe nf_conntrack`"),
            ("fs.nfs.nlm_tcpport", "`modprobe lockd`"),
            ("fs.nfs.nfs_mountpoint_timeout", "`modprobe nfs`"),
            ("kernel.yama.ptrace_scope", "`CONFIG_SECURITY_YAMA`"),
            ("net.ipv6.conf.all.forwarding", "`ipv6.disable=1`"),
            ("net.ipv6.conf.eth9.forwarding", "network interface `eth9`"),
        ] {
            assert!(source(name).contains(what), "{name}: {}", source(name));
        }
        for name in ["net.ipv4.ip_forwards", "kernel.sysrqs", "net.bridge", ""] {
            assert_eq!(source(name), "", "{name}");
        }
    }
}
