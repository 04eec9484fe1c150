//! The entities that become resources. Spec, 17.1 and 17.4.

use crate::program::{Def, EntityId, Program};
use std::collections::BTreeMap;

/// A registered entity.
#[derive(Debug)]
pub struct Registration {
    /// The entity.
    pub entity: &'static str,
    /// The kind of this project that it is lowered to.
    pub kind: &'static str,
    /// The path to the agent's name.
    pub agent: &'static [&'static str],
    /// The attribute that identifies the resource.
    pub id_attribute: &'static str,
    /// The exported fields.
    pub fields: &'static [Field],
}

impl Registration {
    /// Whether an entity of this name has all attributes that the resource is made of: the program may contain another
    /// version of the module.
    pub(super) fn fits(&self, program: &Program, entity: EntityId) -> bool {
        let fields = self.fields.iter().filter_map(|field| match field {
            Field::Attr(name) | Field::Of(_, name) => Some(*name),
            Field::Hash => Some("content"),
            Field::Null(_) | Field::Via | Field::Empty(_) => None,
        });
        let mut names = fields.chain(self.agent.first().copied()).chain([self.id_attribute]);
        names.all(|name| program.slot(entity, name).is_some())
    }
}

impl Registration {
    /// The name of a resource, `type[agent,attribute=value]`.
    pub(crate) fn id(&self, agent: &str, id_value: &str) -> String {
        format!("{}[{agent},{}={id_value}]", self.entity, self.id_attribute)
    }

    /// The attribute of the model that a field has its value from.
    pub(crate) fn attribute_of(&self, field: &'static str) -> &'static str {
        let from = |source: &Field| match source {
            Field::Of(name, attribute) if *name == field => Some(*attribute),
            Field::Hash if field == "hash" => Some("content"),
            Field::Attr(_) | Field::Of(..) | Field::Hash | Field::Null(_) | Field::Via | Field::Empty(_) => None,
        };
        self.fields.iter().find_map(from).unwrap_or(field)
    }
}

/// A field and the source of its value.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// The attribute of the same name.
    Attr(&'static str),
    /// A field from another attribute.
    Of(&'static str, &'static str),
    /// The SHA-1 of a file's content.
    Hash,
    /// Always null.
    Null(&'static str),
    /// How the host is reached.
    Via,
    /// An empty list.
    Empty(&'static str),
}

const HOST: &[&str] = &["host", "name"];

macro_rules! fields {
    ($($field:expr),* $(,)?) => {
        &[
            $($field,)*
            Field::Attr("purged"), Field::Attr("purge_on_delete"),
            Field::Attr("send_event"), Field::Attr("receive_events"), Field::Attr("report_only"),
            Field::Empty("references"), Field::Empty("mutators"),
        ]
    };
}

static REGISTRATIONS: &[Registration] = &[
    Registration {
        entity: "std::testing::NullResource",
        kind: "noop",
        agent: &["agentname"],
        id_attribute: "name",
        fields: fields![
            Field::Attr("name"),
            Field::Attr("agentname"),
            Field::Attr("value"),
            Field::Attr("int_value"),
            Field::Attr("fail"),
            Field::Attr("managed"),
        ],
    },
    Registration {
        entity: "fs::File",
        kind: "file",
        agent: HOST,
        id_attribute: "path",
        fields: fields![
            Field::Attr("path"),
            Field::Attr("owner"),
            Field::Attr("group"),
            Field::Hash,
            Field::Of("permissions", "mode"),
            Field::Null("content"),
            Field::Via,
        ],
    },
    Registration {
        entity: "fs::Directory",
        kind: "file",
        agent: HOST,
        id_attribute: "path",
        fields: fields![
            Field::Attr("path"),
            Field::Attr("owner"),
            Field::Attr("group"),
            Field::Of("permissions", "mode"),
            Field::Via,
        ],
    },
    Registration {
        entity: "fs::Symlink",
        kind: "file",
        agent: HOST,
        id_attribute: "dst",
        fields: fields![Field::Attr("src"), Field::Attr("dst"), Field::Via],
    },
    Registration {
        entity: "exec::Run",
        kind: "exec",
        agent: HOST,
        id_attribute: "command",
        fields: fields![
            Field::Attr("command"),
            Field::Attr("creates"),
            Field::Attr("cwd"),
            Field::Attr("environment"),
            Field::Attr("onlyif"),
            Field::Attr("path"),
            Field::Attr("reload"),
            Field::Attr("reload_only"),
            Field::Attr("returns"),
            Field::Attr("timeout"),
            Field::Attr("unless"),
            Field::Attr("skip_on_fail"),
            Field::Via,
        ],
    },
    Registration {
        entity: "std::File",
        kind: "file",
        agent: HOST,
        id_attribute: "path",
        fields: fields![
            Field::Attr("path"),
            Field::Attr("owner"),
            Field::Attr("group"),
            Field::Of("permissions", "mode"),
            Field::Hash,
            Field::Attr("reload"),
        ],
    },
    Registration {
        entity: "std::Directory",
        kind: "file",
        agent: HOST,
        id_attribute: "path",
        fields: fields![
            Field::Attr("path"),
            Field::Attr("owner"),
            Field::Attr("group"),
            Field::Of("permissions", "mode"),
            Field::Attr("reload"),
        ],
    },
    Registration {
        entity: "std::Symlink",
        kind: "file",
        agent: HOST,
        id_attribute: "target",
        fields: fields![Field::Attr("source"), Field::Attr("target"), Field::Attr("reload")],
    },
    Registration {
        entity: "std::Package",
        kind: "pkg",
        agent: HOST,
        id_attribute: "name",
        fields: &[
            Field::Attr("name"),
            Field::Attr("state"),
            Field::Attr("reload"),
            Field::Attr("send_event"),
            Field::Attr("receive_events"),
            Field::Attr("report_only"),
        ],
    },
    Registration {
        entity: "std::Service",
        kind: "svc",
        agent: HOST,
        id_attribute: "name",
        fields: &[
            Field::Attr("name"),
            Field::Attr("state"),
            Field::Attr("onboot"),
            Field::Attr("reload"),
            Field::Attr("send_event"),
            Field::Attr("receive_events"),
            Field::Attr("report_only"),
        ],
    },
    Registration {
        entity: "posix::User",
        kind: "user",
        agent: HOST,
        id_attribute: "name",
        fields: fields![
            Field::Attr("name"),
            Field::Attr("uid"),
            Field::Attr("group"),
            Field::Attr("groups"),
            Field::Attr("homedir"),
            Field::Attr("shell"),
            Field::Attr("allow_duplicate_uid"),
        ],
    },
    Registration {
        entity: "posix::Group",
        kind: "group",
        agent: HOST,
        id_attribute: "name",
        fields: fields![Field::Attr("name"), Field::Attr("gid")],
    },
];

/// The registered entities of a program.
pub(super) fn registered(program: &Program) -> BTreeMap<EntityId, &'static Registration> {
    let mut by_entity = BTreeMap::new();
    for registration in registrations() {
        let (namespace, name) = registration.entity.rsplit_once("::").unwrap_or(("", registration.entity));
        let def = program.by_name.get(namespace).and_then(|ns| program.namespaces[*ns].types.get(name));
        if let Some(Def::Entity(entity)) = def
            && (program.namespaces[program.entities[*entity].ns].is_builtin || registration.fits(program, *entity))
        {
            by_entity.insert(*entity, registration);
        }
    }
    by_entity
}

/// The registration of an entity's instances as resources, if there is one.
pub(crate) fn registration_of(program: &Program, entity: EntityId) -> Option<&'static Registration> {
    let registered = registered(program);
    program.entities[entity].lineage.iter().find_map(|entity| registered.get(entity)).copied()
}

/// Every registered entity.
pub fn registrations() -> &'static [Registration] {
    REGISTRATIONS
}
