//! The XML descriptions of virtual machines in libvirt: read, written, and changed.

use super::Context;
use super::edits::{Edits, child, children, escaped, parse, text, value};
use super::image::Images;
use super::other;
use super::virsh::Virsh;
use mclive_base::vocab::HostError;
use mclive_base::vocab::virt::domain::{Interface, Layout, Setup, Shared, Spec, Volume};
use roxmltree::{Document, Node};

/// The channel of the guest agent.
pub(super) const AGENT: &str = "org.qemu.guest_agent.0";

pub(super) fn setup(document: &Document) -> Setup {
    let root = document.root_element();
    let number = |name: &str| text(root, name).parse().unwrap_or_default();
    let max_cpus = number("vcpu");
    Setup {
        cpus: value(root, "vcpu", "current").and_then(|text| text.parse().ok()).unwrap_or(max_cpus),
        max_cpus,
        memory_kib: number("currentMemory"),
        max_memory_kib: number("memory"),
        layout: layout(root),
    }
}

fn layout(root: Node) -> Layout {
    let (os, devices) = (child(root, "os"), child(root, "devices"));
    let boot = children(os, "boot").filter_map(|boot| boot.attribute("dev")).map(str::to_owned);
    let disks = |of: Class| children(devices, "disk").filter(move |disk| of.has(disk));
    Layout {
        init: os.map(|os| text(os, "init").to_owned()).filter(|init| !init.is_empty()),
        boot: Some(boot.collect()),
        disks: Some(disks(Class::Disk).map(volume).collect()),
        cdroms: Some(disks(Class::Cdrom).map(volume).collect()),
        networks: Some(children(devices, "interface").map(interface).collect()),
        filesystems: Some(children(devices, "filesystem").map(shared).collect()),
    }
}

/// The devices of a list in a layout.
#[derive(Clone, Copy)]
enum Class {
    Disk,
    Cdrom,
}

impl Class {
    /// A drive without a medium does not count.
    fn has(self, disk: &Node) -> bool {
        match (self, disk.attribute("device")) {
            (Class::Disk, None | Some("disk" | "lun")) => true,
            (Class::Cdrom, Some("cdrom")) => child(*disk, "source").is_some(),
            (Class::Disk | Class::Cdrom, _) => false,
        }
    }
}

fn source(device: Node) -> String {
    let of = |source: Node| {
        ["file", "dev", "dir", "name"].iter().find_map(|name| source.attribute(*name).map(str::to_owned))
    };
    child(device, "source").and_then(of).unwrap_or_default()
}

fn volume(disk: Node) -> Volume {
    Volume { source: source(disk), format: value(disk, "driver", "type").unwrap_or_default().to_owned() }
}

fn interface(device: Node) -> Interface {
    let text = |name, attribute| value(device, name, attribute).unwrap_or_default().to_ascii_lowercase();
    let network = value(device, "source", "network").unwrap_or_default().to_owned();
    Interface { network, mac: text("mac", "address") }
}

fn shared(device: Node) -> Shared {
    let access = device.attribute("accessmode").unwrap_or_default().to_owned();
    let target = value(device, "target", "dir").unwrap_or_default().to_owned();
    Shared { access, source: source(device), target, is_read_only: child(device, "readonly").is_some() }
}

/// How machines are run on this host.
#[derive(Debug, PartialEq)]
pub(super) struct Runner {
    /// `kvm`, `qemu`, `lxc`, `test`.
    domain: String,
    /// `hvm`, or `exe` for a container.
    os: String,
    arch: String,
}

impl Runner {
    pub(super) fn of(at: &Context, virsh: &Virsh) -> Result<Runner, HostError> {
        Runner::among(&virsh.ask(at, &["capabilities"])?)
    }

    /// KVM if available, for the processor of the host.
    fn among(capabilities: &str) -> Result<Runner, HostError> {
        let document = parse(capabilities)?;
        let root = document.root_element();
        let cpu = child(root, "host").and_then(|host| child(host, "cpu"));
        let native = cpu.map(|cpu| text(cpu, "arch").to_owned()).unwrap_or_default();
        let mut best: Option<(u8, Runner)> = None;
        for guest in children(Some(root), "guest") {
            for arch in children(Some(guest), "arch") {
                let name = arch.attribute("name").unwrap_or_default();
                for domain in children(Some(arch), "domain").filter_map(|domain| domain.attribute("type")) {
                    let worth = 2 * u8::from(name == native) + u8::from(domain == "kvm");
                    if best.as_ref().is_none_or(|(has, _)| worth > *has) {
                        let (domain, arch) = (domain.to_owned(), name.to_owned());
                        best = Some((worth, Runner { domain, os: text(guest, "os_type").to_owned(), arch }));
                    }
                }
            }
        }
        best.map(|(_, runner)| runner).ok_or_else(|| {
            other("libvirt cannot run virtual machines on this host: install `libvirt-daemon-driver-qemu` and `qemu-system`")
        })
    }

    fn is_qemu(&self) -> bool {
        ["kvm", "qemu"].contains(&&*self.domain)
    }
}

/// The description of a new machine.
pub(super) fn description(name: &str, spec: &Spec, runner: &Runner, images: Images) -> String {
    let mut xml = format!("<domain type='{}'><name>{}</name>", runner.domain, escaped(name));
    let mut add = |text: &str| xml.push_str(text);
    add(&format!("<memory unit='KiB'>{0}</memory><currentMemory unit='KiB'>{0}</currentMemory>", spec.memory_kib));
    if spec.hot {
        add(&format!("<vcpu current='{}'>{}</vcpu><vcpus>", spec.cpus, spec.max_cpus));
        for id in 0..spec.max_cpus {
            let (enabled, hot) = (if id < spec.cpus { "yes" } else { "no" }, if id == 0 { "no" } else { "yes" });
            add(&format!("<vcpu id='{id}' enabled='{enabled}' hotpluggable='{hot}'/>"));
        }
        add("</vcpus>");
    } else {
        add(&format!("<vcpu>{}</vcpu>", spec.cpus));
    }
    add(&format!("<os><type arch='{}'>{}</type>", escaped(&runner.arch), escaped(&runner.os)));
    add(&init(&spec.layout));
    add(&boot(&spec.layout));
    add("</os>");
    if runner.os == "hvm" {
        // Needed to ask a guest to shut down.
        add("<features><acpi/><apic/></features>");
    }
    if runner.domain == "kvm" {
        add("<cpu mode='host-model'/>");
    }
    add("<on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot><on_crash>destroy</on_crash><devices>");
    let mut targets = Vec::new();
    let mut name_of = |prefix: &str| {
        let free = target(prefix, &targets);
        targets.push(free.clone());
        free
    };
    for disk in spec.layout.disks.iter().flatten() {
        add(&device(Class::Disk, disk, &name_of("vd"), runner.is_qemu(), images));
    }
    for cdrom in spec.layout.cdroms.iter().flatten() {
        add(&device(Class::Cdrom, cdrom, &name_of("hd"), runner.is_qemu(), images));
    }
    spec.layout.networks.iter().flatten().for_each(|it| add(&card(it)));
    spec.layout.filesystems.iter().flatten().for_each(|it| add(&folder(it)));
    if spec.hot && runner.is_qemu() {
        add("<channel type='unix'><source mode='bind'/>");
        add(&format!("<target type='virtio' name='{AGENT}'/></channel>"));
    }
    add(match &*runner.os {
        "hvm" => {
            "<serial type='pty'><target port='0'/></serial><console type='pty'><target type='serial' port='0'/></console>"
        }
        _ => "<console type='pty'/>",
    });
    add("</devices></domain>");
    xml
}

fn init(layout: &Layout) -> String {
    layout.init.as_ref().map(|init| format!("<init>{}</init>", escaped(init))).unwrap_or_default()
}

fn boot(layout: &Layout) -> String {
    layout.boot.iter().flatten().map(|device| format!("<boot dev='{}'/>", escaped(device))).collect()
}

/// The first free device name: `vda`, `vdb`.
fn target(prefix: &str, taken: &[String]) -> String {
    let letters = ('a'..='z').map(|letter| format!("{prefix}{letter}"));
    letters.into_iter().find(|name| !taken.contains(name)).unwrap_or_else(|| format!("{prefix}aa"))
}

fn device(class: Class, volume: &Volume, target: &str, is_qemu: bool, images: Images) -> String {
    let (what, bus, end) = match class {
        Class::Disk => ("disk", "virtio", ""),
        Class::Cdrom => ("cdrom", "ide", "<readonly/>"),
    };
    let (sort, name) = if volume.source.starts_with("/dev/") { ("block", "dev") } else { ("file", "file") };
    let driver = match (&*volume.format, is_qemu) {
        ("", _) => String::new(),
        (format, true) => format!("<driver name='qemu' type='{}'/>", escaped(format)),
        (format, false) => format!("<driver type='{}'/>", escaped(format)),
    };
    let source = escaped(&volume.source);
    let seal = if is_qemu { images.seal(&volume.format) } else { "" };
    format!(
        "<disk type='{sort}' device='{what}'>{driver}<source {name}='{source}'/>{seal}<target dev='{target}' bus='{bus}'/>{end}</disk>"
    )
}

fn card(interface: &Interface) -> String {
    let mac = match &*interface.mac {
        "" => String::new(),
        mac => format!("<mac address='{}'/>", escaped(mac)),
    };
    let network = escaped(&interface.network);
    format!("<interface type='network'>{mac}<source network='{network}'/><model type='virtio'/></interface>")
}

fn folder(shared: &Shared) -> String {
    let access = if shared.access.is_empty() { "passthrough" } else { &shared.access };
    let (source, target) = (escaped(&shared.source), escaped(&shared.target));
    let end = if shared.is_read_only { "<readonly/>" } else { "" };
    format!(
        "<filesystem type='mount' accessmode='{}'><source dir='{source}'/><target dir='{target}'/>{end}</filesystem>",
        escaped(access)
    )
}

/// A description with the wanted parts in the place of those that it has. A device that is wanted and there stays as it
/// is, with all that others have set of it.
pub(super) fn arranged(xml: &str, wanted: &Layout, images: Images) -> Result<String, HostError> {
    let xml = xml.trim();
    let document = parse(xml)?;
    let root = document.root_element();
    let (Some(os), Some(devices)) = (child(root, "os"), child(root, "devices")) else {
        return Err(other("libvirt described a machine without devices"));
    };
    let is_qemu = root.attribute("type").is_some_and(|it| ["kvm", "qemu"].contains(&it));
    let mut edits = Edits::of(xml);
    for (name, is_wanted, what) in
        [("init", wanted.init.is_some(), init(wanted)), ("boot", wanted.boot.is_some(), boot(wanted))]
    {
        if is_wanted {
            children(Some(os), name).for_each(|old| edits.replace(old, ""));
            edits.append(os, &what);
        }
    }
    let kept = |now: &Layout, of: &Layout| of.differences(now).is_empty();
    for (class, prefix, all) in [(Class::Disk, "vd", &wanted.disks), (Class::Cdrom, "hd", &wanted.cdroms)] {
        let Some(all) = all else { continue };
        let mut old: Vec<Node> = children(Some(devices), "disk").filter(|disk| class.has(disk)).collect();
        old.iter().for_each(|old| edits.replace(*old, ""));
        let one = |it: Volume| Layout { disks: Some(vec![it]), ..Layout::default() };
        let found: Vec<Result<Node, &Volume>> = all
            .iter()
            .map(|it| {
                let at = old.iter().position(|old| kept(&one(volume(*old)), &one(it.clone())));
                at.map(|at| old.remove(at)).ok_or(it)
            })
            .collect();
        // The names of removed devices are free.
        let disks = children(Some(devices), "disk").filter(|disk| !old.contains(disk));
        let mut taken: Vec<String> = disks.filter_map(|disk| value(disk, "target", "dev").map(str::to_owned)).collect();
        for it in found {
            match it {
                Ok(node) => edits.append(devices, &xml[node.range()]),
                Err(volume) => {
                    let free = target(prefix, &taken);
                    edits.append(devices, &device(class, volume, &free, is_qemu, images));
                    taken.push(free);
                }
            }
        }
    }
    let mut others = |name: &'static str, all: Vec<(String, Layout)>, now: &dyn Fn(Node) -> Layout| {
        let mut old: Vec<Node> = children(Some(devices), name).collect();
        old.iter().for_each(|old| edits.replace(*old, ""));
        for (fresh, wanted) in all {
            match old.iter().position(|old| kept(&now(*old), &wanted)) {
                Some(at) => edits.append(devices, &xml[old.remove(at).range()]),
                None => edits.append(devices, &fresh),
            }
        }
    };
    if let Some(all) = &wanted.networks {
        let one = |it: Interface| Layout { networks: Some(vec![it]), ..Layout::default() };
        let all = all.iter().map(|it| (card(it), one(it.clone()))).collect();
        others("interface", all, &|node| one(interface(node)));
    }
    if let Some(all) = &wanted.filesystems {
        let one = |it: Shared| Layout { filesystems: Some(vec![it]), ..Layout::default() };
        let all = all.iter().map(|it| (folder(it), one(it.clone()))).collect();
        others("filesystem", all, &|node| one(shared(node)));
    }
    Ok(edits.done())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capabilities(domains: &str) -> String {
        format!(
            "<capabilities><host><cpu><arch>x86_64</arch></cpu></host><guest><os_type>hvm</os_type><arch name='i686'>\
             <domain type='qemu'/></arch></guest><guest><os_type>hvm</os_type><arch name='x86_64'>{domains}</arch></guest>\
             </capabilities>"
        )
    }

    fn spec() -> Spec {
        let disk = |source: &str| Volume { source: source.into(), format: "qcow2".into() };
        let layout = Layout {
            boot: Some(vec!["hd".into()]),
            disks: Some(vec![disk("/srv/a&b.img"), disk("/dev/sdb")]),
            cdroms: Some(vec![Volume { source: "/srv/a.iso".into(), format: String::new() }]),
            networks: Some(vec![Interface { network: "lan".into(), mac: String::new() }]),
            filesystems: Some(vec![Shared {
                access: "mapped".into(),
                source: "/srv".into(),
                target: "srv".into(),
                is_read_only: true,
            }]),
            init: None,
        };
        Spec { cpus: 2, max_cpus: 3, hot: true, memory_kib: 1024, layout }
    }

    #[test]
    fn kvm_is_used_where_it_is_there() {
        let runner = Runner::among(&capabilities("<domain type='qemu'/><domain type='kvm'/>")).unwrap();
        assert_eq!((&*runner.domain, &*runner.arch), ("kvm", "x86_64"));
        assert_eq!(Runner::among(&capabilities("<domain type='qemu'/>")).unwrap().domain, "qemu");
        assert!(Runner::among("<capabilities/>").unwrap_err().message.contains("qemu-system"));
    }

    #[test]
    fn what_is_described_is_what_is_seen() {
        let runner = Runner { domain: "qemu".into(), os: "hvm".into(), arch: "x86_64".into() };
        let xml = description("web", &spec(), &runner, Images::Trusted);
        assert!(!xml.contains("backingStore"));
        let sealed = description("web", &spec(), &runner, Images::Sealed);
        assert_eq!(sealed.matches("<backingStore/><target dev='vd").count(), 2, "{sealed}");
        assert_eq!(setup(&parse(&sealed).unwrap()), setup(&parse(&xml).unwrap()));
        let seen = setup(&parse(&xml).unwrap());
        assert_eq!((seen.cpus, seen.max_cpus, seen.memory_kib), (2, 3, 1024));
        assert_eq!(spec().layout.differences(&seen.layout), [""; 0]);
        assert!(xml.contains("<disk type='block' device='disk'>") && xml.contains("dev='vdb'"));
    }

    #[test]
    fn what_is_not_ours_stays() {
        let xml = "<domain type='qemu'><os><type>hvm</type><boot dev='cdrom'/></os><devices><emulator>/q</emulator>\
                   <disk device='disk'><source file='/a'/><target dev='vda'/><cache/></disk>\
                   <disk device='disk'><source file='/b'/><target dev='vdb'/><serial>7</serial></disk>\
                   <interface type='network'><mac address='52:54:00:00:00:01'/><source network='lan'/></interface>\
                   <graphics type='vnc'/></devices></domain>";
        let volume = |source: &str| Volume { source: source.into(), format: String::new() };
        let card = |network: &str| Interface { network: network.into(), mac: String::new() };
        let wanted = Layout {
            boot: Some(vec!["hd".into()]),
            disks: Some(vec![volume("/b"), volume("/c")]),
            networks: Some(vec![card("lan"), card("dmz")]),
            ..Layout::default()
        };
        let arranged = arranged(xml, &wanted, Images::Trusted).unwrap();
        let now = layout(parse(&arranged).unwrap().root_element());
        assert_eq!(wanted.differences(&now), [""; 0]);
        for kept in ["<serial>7</serial>", "<graphics type='vnc'/>", "52:54:00:00:00:01", "<emulator>/q</emulator>"] {
            assert!(arranged.contains(kept), "{kept}: {arranged}");
        }
        assert!(
            !arranged.contains("<cache/>") && arranged.contains("<source file='/c'/><target dev='vda'"),
            "{arranged}"
        );
    }
}
