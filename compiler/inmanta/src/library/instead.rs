//! What describes the resources of published modules, whose kinds are registered in Python, by the kinds of this project.

/// A module or one of its entities, the kinds that take its place, and how a model describes them.
#[derive(Debug)]
pub struct Instead {
    /// Its name.
    pub module: &'static str,
    /// The kinds of this project, if there are any.
    pub kinds: &'static [&'static str],
    /// Which entities to use, for what.
    pub text: &'static str,
}

/// By module, sorted.
pub const INSTEAD: &[Instead] = &[
    Instead {
        module: "apt",
        kinds: &["pkg", "file"],
        text: "use `std::Package` for packages, and `fs::File` in `/etc/apt/sources.list.d/` for repositories",
    },
    Instead {
        module: "aws",
        kinds: &["aws:ec2"],
        text: "describe machines in an MCL program: models have no entity for them",
    },
    Instead {
        module: "config",
        kinds: &[],
        text: "copy it to `libs/config`, and declare the results of its functions in `functions.json`",
    },
    Instead {
        module: "cron",
        kinds: &["file", "svc"],
        text: "use `fs::File` in `/etc/cron.d/`, or for a `.timer` unit in `/etc/systemd/system/` with `std::Service` to run it",
    },
    Instead {
        module: "docker",
        kinds: &["file", "svc"],
        text: "use `fs::File` for a unit in `/etc/systemd/system/` that runs the container, and `std::Service` for its state",
    },
    Instead {
        module: "files",
        kinds: &["file"],
        text: "use `fs::File` with the whole content, for example from `std::template` or `std::json_dumps`",
    },
    Instead {
        module: "fs::JsonFile",
        kinds: &["file"],
        text: "use `fs::File` with the whole content, for example from `std::json_dumps`",
    },
    Instead {
        module: "lsm",
        kinds: &[],
        text: "its services are instances of a server, which mclive does not have: construct them in the model",
    },
    Instead { module: "openstack", kinds: &[], text: "mclive does not manage this platform" },
    Instead {
        module: "podman",
        kinds: &["file", "svc"],
        text: "use `fs::File` for a `.container` file in `/etc/containers/systemd/`, and `std::Service` to run it",
    },
    Instead {
        module: "std::AgentConfig",
        kinds: &[],
        text: "mclive has one agent for each host, which needs no configuration",
    },
    Instead {
        module: "systemd",
        kinds: &["file", "svc"],
        text: "use `fs::File` for a unit in `/etc/systemd/system/`, and `std::Service` for its state",
    },
    Instead { module: "user", kinds: &["user", "group"], text: "use `posix::User` and `posix::Group`" },
    Instead {
        module: "yum",
        kinds: &["pkg", "file"],
        text: "use `std::Package` for packages, and `fs::File` in `/etc/yum.repos.d/` for repositories",
    },
];

/// What to use instead of an entity.
pub(crate) fn instead_of(entity: &str) -> Option<&'static str> {
    let (module, _) = entity.split_once("::")?;
    INSTEAD.iter().find(|known| known.module == module || known.module == entity).map(|known| known.text)
}
