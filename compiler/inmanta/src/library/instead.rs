//! Replacements for the resources of published modules, whose kinds are registered in Python: the kinds of this
//! project.

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
    Instead { module: "files::Directory", kinds: &["file"], text: "use `fs::Directory`" },
    Instead {
        module: "files::HostFile",
        kinds: &["file"],
        text: "use `fs::File` with the whole content of `/etc/hosts`",
    },
    Instead {
        module: "files::JsonFile",
        kinds: &["file"],
        text: "use `fs::File` with the whole content, for example from `std::json_dumps`",
    },
    Instead {
        module: "files::SharedJsonFile",
        kinds: &["file"],
        text: "use `fs::File` with the whole content, for example from `std::json_dumps`",
    },
    Instead { module: "files::Symlink", kinds: &["file"], text: "use `fs::Symlink`" },
    Instead { module: "files::SystemdUnit", kinds: &["svc"], text: "use `std::Service`" },
    Instead {
        module: "files::SystemdUnitFile",
        kinds: &["file"],
        text: "use `fs::File` for a unit in `/etc/systemd/system/`",
    },
    Instead { module: "files::TextFile", kinds: &["file"], text: "use `fs::File`" },
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
        module: "podman::AutoUpdate",
        kinds: &["svc"],
        text: "use `std::Service` for `podman-auto-update.timer`",
    },
    Instead {
        module: "podman::Image",
        kinds: &["file", "svc"],
        text: "use `fs::File` for an `.image` file in `/etc/containers/systemd/`, and `std::Service` to pull it",
    },
    Instead {
        module: "podman::ImageDiscovery",
        kinds: &[],
        text: "it lists the images of a host, which mclive does not do",
    },
    Instead {
        module: "podman::Network",
        kinds: &["file", "svc"],
        text: "use `fs::File` for a `.network` file in `/etc/containers/systemd/`, and `std::Service` to create it",
    },
    Instead {
        module: "podman::NetworkDiscovery",
        kinds: &[],
        text: "it lists the networks of a host, which mclive does not do",
    },
    Instead {
        module: "podman::Pod",
        kinds: &["file", "svc"],
        text: "use `fs::File` for a `.pod` file in `/etc/containers/systemd/`, and `std::Service` to run it",
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
    let known = |name: &str| INSTEAD.iter().find(|known| known.module == name);
    known(entity).or_else(|| known(module)).map(|known| known.text)
}

/// What is known of a module and its entities, or of an entity.
pub(crate) fn known_of(name: &str) -> impl Iterator<Item = &'static Instead> {
    INSTEAD.iter().filter(move |known| {
        known.module.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_is_known_better_than_its_module() {
        assert!(INSTEAD.is_sorted_by_key(|known| known.module));
        assert_eq!(instead_of("files::Symlink"), Some("use `fs::Symlink`"));
        assert_eq!(instead_of("files::Other"), known_of("files").next().map(|known| known.text));
        assert_eq!(instead_of("other::E"), None);
        let names: Vec<&str> = known_of("fs").chain(known_of("files::TextFile")).map(|known| known.module).collect();
        assert_eq!(names, ["fs::JsonFile", "files::TextFile"]);
    }
}
