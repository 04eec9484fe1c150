//! `deploy.binary_path` and `deploy.bootstrap_packages`: the running program itself.

use crate::corelib::facts::ask;
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, program};

pub(super) static BINARY_PATH: FnDef = FnDef {
    path: "deploy.binary_path",
    sig: Sig::Fixed("func() str"),
    doc: "Returns the path of the running executable with symbolic links resolved.",
    examples: &[
        Example { call: "deploy.binary_path()", gives: r#""/usr/bin/mclive""# },
        Example { call: r#"strings.has_prefix(deploy.binary_path(), "/")"#, gives: "true" },
        Example { call: "len(deploy.binary_path())", gives: "15" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| ask(world, &FactSpec::Program(program::Fact::Executable { resolved: true }))),
};

pub(super) static BOOTSTRAP_PACKAGES: FnDef = FnDef {
    path: "deploy.bootstrap_packages",
    sig: Sig::Fixed("func(str) []str"),
    doc: "Returns the packages that must be installed on a distribution to run the tool.",
    examples: &[
        Example {
            call: r#"deploy.bootstrap_packages("debian")"#,
            gives: r#"["libaugeas-dev", "libvirt-dev", "packagekit-tools"]"#,
        },
        Example {
            call: r#"deploy.bootstrap_packages("fedora")"#,
            gives: r#"["augeas-devel", "libvirt-devel", "PackageKit"]"#,
        },
        Example { call: r#"deploy.bootstrap_packages("arch")"#, gives: "error: missing distro" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let packages = match args.bytes(0)? {
            b"debian" => ["libaugeas-dev", "libvirt-dev", "packagekit-tools"],
            b"fedora" => ["augeas-devel", "libvirt-devel", "PackageKit"],
            _ => return Err(FnError::fatal("missing distro")),
        };
        Ok(Value::list(packages.map(Value::from)))
    }),
};
