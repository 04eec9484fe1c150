//! `os.parse_distro_uid` and `os.release`.

use crate::corelib::facts::{ask_optional, known};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, file};

pub(super) static PARSE_UID: FnDef = FnDef {
    path: "os.parse_distro_uid",
    sig: Sig::Fixed("func(str) struct{distro str; version str; arch str}"),
    doc: "Parses a string such as `fedora39-x86_64`. Any other format results in three empty fields.",
    examples: &[
        Example {
            call: r#"os.parse_distro_uid("fedora39-x86_64")"#,
            gives: r#"struct{distro: "fedora"; version: "39"; arch: "x86_64"}"#,
        },
        Example { call: r#"os.parse_distro_uid("fedora39")"#, gives: r#"struct{distro: ""; version: ""; arch: ""}"# },
        Example { call: r#"os.parse_distro_uid("39-x")"#, gives: r#"struct{distro: ""; version: ""; arch: ""}"# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(parse_uid),
};

fn parse_uid(args: &Args) -> Result<Value, FnError> {
    let text = args.text(0)?;
    let parts = || {
        let (front, arch) = text.split_once('-')?;
        let distro = front.trim_end_matches(|char: char| char.is_ascii_digit());
        let version = &front[distro.len()..];
        let all_there = ![distro, version, arch].contains(&"");
        all_there.then_some((distro, version, arch))
    };
    let (distro, version, arch) = parts().unwrap_or_default();
    Ok(Value::structure(
        [("distro", distro), ("version", version), ("arch", arch)].map(|(name, text)| (name, Value::str(text))),
    ))
}

pub(super) static RELEASE: FnDef = FnDef {
    path: "os.release",
    sig: Sig::Fixed("func() struct{id str; variant_id str; version_id str}"),
    doc: "Returns the operating system release of this host, from `/etc/os-release`.",
    examples: &[
        Example { call: "os.release()", gives: r#"struct{id: "debian"; variant_id: ""; version_id: "13"}"# },
        Example { call: r#"os.release()->id == "debian""#, gives: "true" },
        Example { call: r#"os.release()->variant_id == """#, gives: "true" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(release),
};

fn release(world: &mut dyn CallContext, _: &Args) -> Result<Option<Value>, FnError> {
    for path in ["/etc/os-release", "/usr/lib/os-release"] {
        let content = known!(ask_optional(world, &FactSpec::File(file::Fact::Content { path: path.into() })));
        let content = content.as_ref().and_then(Value::as_text).filter(|content| !content.is_empty());
        let Some(content) = content else { continue };
        let field = |name: &str| {
            let mut lines = content.lines().map(|line| line.split('='));
            let value = lines.find_map(|mut parts| (parts.next() == Some(name)).then(|| parts.next())).flatten();
            let value = value.unwrap_or_default();
            let value = value.strip_prefix('"').unwrap_or(value);
            Value::str(value.strip_suffix('"').unwrap_or(value))
        };
        let names = [("id", "ID"), ("variant_id", "VARIANT_ID"), ("version_id", "VERSION_ID")];
        return Ok(Some(Value::structure(names.map(|(ours, theirs)| (ours, field(theirs))))));
    }
    Err(FnError::fatal("ParseOSRelease failed: No content available from os-release files"))
}
