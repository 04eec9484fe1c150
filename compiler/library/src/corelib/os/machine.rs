//! `os.is_virtual` and `os.modinfo_loaded`.

use crate::corelib::facts::{ask, known};
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, machine};

/// Manufacturer names of virtual machines.
const MAKERS: [&str; 15] = [
    "Amazon EC2",
    "Apple Virtualization",
    "BHYVE",
    "Bochs",
    "Google Computer Engine",
    "Hyper-V",
    "innotek GmbH",
    "KubeVirt",
    "KVM",
    "OpenStack",
    "Oracle Corporation",
    "Parallels",
    "QEMU",
    "VMware",
    "Xen",
];

pub(super) static IS_VIRTUAL: FnDef = FnDef {
    path: "os.is_virtual",
    sig: Sig::Fixed("func() bool"),
    doc: "Reports whether this host is a virtual machine.",
    examples: &[
        Example { call: "os.is_virtual()", gives: "true" },
        Example { call: "not os.is_virtual()", gives: "false" },
        Example { call: "os.is_virtual() == true", gives: "true" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let texts = known!(ask(world, &FactSpec::Machine(machine::Fact::Texts)));
        let mut texts = texts.as_list().into_iter().flat_map(|texts| texts.iter()).filter_map(Value::as_text);
        let has_hypervisor = texts.next().is_some_and(|cpus| cpus.contains("hypervisor"));
        let is_virtual = has_hypervisor || texts.any(|text| MAKERS.iter().any(|maker| text.contains(maker)));
        Ok(Some(Value::Bool(is_virtual)))
    }),
};

pub(super) static MODINFO_LOADED: FnDef = FnDef {
    path: "os.modinfo_loaded",
    sig: Sig::Fixed("func(module str) bool"),
    doc: "Reports whether a kernel module is loaded.",
    examples: &[
        Example { call: r#"os.modinfo_loaded("ext4")"#, gives: "true" },
        Example { call: r#"os.modinfo_loaded("nope")"#, gives: "false" },
        Example { call: r#"os.modinfo_loaded("")"#, gives: "false" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let fail = |error: FnError| FnError::fatal(format!("error reading modules: {}", error.message));
        let modules = known!(ask(world, &FactSpec::Machine(machine::Fact::KernelModules)).map_err(fail));
        Ok(Some(Value::Bool(modules.as_list().is_some_and(|modules| modules.contains(&args.values[0])))))
    }),
};
