//! What describes the resources of published modules, whose kinds are registered in Python, by the kinds of this project.

/// A module, the kinds that take its place, and how a model describes them.
#[derive(Debug)]
pub struct Instead {
    /// Its name.
    pub module: &'static str,
    /// The kinds of this project.
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
        module: "files",
        kinds: &["file"],
        text: "use `fs::File` with the whole content, for example from `std::template` or `std::json_dumps`",
    },
    Instead {
        module: "podman",
        kinds: &["file", "svc"],
        text: "use `fs::File` for a `.container` file in `/etc/containers/systemd/`, and `std::Service` to run it",
    },
    Instead {
        module: "systemd",
        kinds: &["file", "svc"],
        text: "use `fs::File` for a unit in `/etc/systemd/system/`, and `std::Service` for its state",
    },
    Instead {
        module: "yum",
        kinds: &["pkg", "file"],
        text: "use `std::Package` for packages, and `fs::File` in `/etc/yum.repos.d/` for repositories",
    },
];

/// What to use instead of an entity.
pub(crate) fn instead_of(entity: &str) -> Option<&'static str> {
    let (module, _) = entity.split_once("::")?;
    INSTEAD.iter().find(|known| known.module == module).map(|known| known.text)
}
