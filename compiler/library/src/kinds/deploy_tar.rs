//! `deploy:tar`: builds a tar archive of the file system of the current deploy. Resource spec, 4.2 and 9.8.
//!
//! The files are those of the running program, so the archive is made here and written in one step.

use crate::hash::sha256;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::absolute_file;
use crate::kinds::walk::Walk;
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Read, Seen, Traits, Want, made, tar};
use crate::source::MemoryWorld;
use crate::vocab::archive::line;
use crate::vocab::archive::tar::{END, Format, Member, header, padding};
use crate::vocab::path::native;
use crate::vocab::{Attributes, Content, Step, Watch, file};
use std::collections::BTreeMap;

/// The kind `deploy:tar`.
pub(crate) struct DeployTar;

static DECL: KindDecl = KindDecl {
    name: "deploy:tar",
    doc: "Builds a tar archive of the files of the current deploy.",
    fields: &[
        Field::str("path", "Path", "Path of the archive; defaults to the resource name."),
        Field::int("format", "Format", HostType::Int, "Same as for `tar`."),
    ],
    traits: Traits { uses_vardir: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Paths)],
};

impl Kind for DeployTar {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        absolute_file("`path`", &want.effective("path"))
    }

    fn backend(&self) -> &'static str {
        "the agent itself. Archives are reproducible: entries are sorted, owned by root, and dated 1970-01-01."
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        vec![want.effective("path").into_owned()]
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        Read::of(&want.effective("path")).into_iter().collect()
    }

    fn is_of_program(&self) -> bool {
        true
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![file::Watch { path: want.effective("path").into_owned(), recursive: false }.into()]
    }
}

fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    let path = want.effective("path").into_owned();
    let number = want.int("format");
    let made_before = made::hash_of(&walk.look(vec![file::Probe::Hash { path: path.clone() }.into()])?[0])?;
    // The archive may be in a folder of the program: it does not contain itself.
    let name = path.rsplit('/').next();
    let is_archive = |member: &str, content: &[u8]| {
        let has = |hash: &String| made::hex(&sha256(content)) == *hash;
        member.rsplit('/').next() == name && made_before.as_ref().is_some_and(has)
    };
    let members = members(seen.program, &is_archive);
    let lines = members.iter().map(|(name, content)| line(name, content.map(sha256)));
    let manifest = made::hex(&sha256(lines.collect::<String>().as_bytes()));
    let step = || {
        let content = Content::Bytes(pack(&members, tar::format(number))?);
        Ok(Step::File(file::Step::Write { path: path.clone(), content, attributes: Attributes::default() }))
    };
    made::made(walk, &path, &format!("format:{number}|{manifest}"), &step)
}

/// The files of a program in one archive.
pub(super) fn packed(program: &MemoryWorld) -> Result<Vec<u8>, String> {
    pack(&members(program, &|_, _| false), Format::Gnu)
}

/// The files but those that are left out, and their directories (without content), by name.
fn members<'p>(
    program: &'p MemoryWorld,
    is_left_out: &dyn Fn(&str, &[u8]) -> bool,
) -> BTreeMap<String, Option<&'p [u8]>> {
    let mut members = BTreeMap::new();
    for (path, content) in program.files() {
        let slashes = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
        members.extend(slashes.map(|at| (path[..=at].to_owned(), None)));
        if !is_left_out(path, content) {
            members.insert(path.to_owned(), Some(&content[..]));
        }
    }
    members
}

/// Errors: a name does not fit the format.
fn pack(members: &BTreeMap<String, Option<&[u8]>>, format: Format) -> Result<Vec<u8>, String> {
    let mut archive = Vec::new();
    for (name, content) in members {
        let mode = if content.is_some() { 0o644 } else { 0o755 };
        let size = content.unwrap_or_default().len() as u64;
        let name = native(name);
        let member = Member { name: &name, mode, uid: 0, gid: 0, size, mtime: 0, target: None };
        archive.extend(header(&member, format)?);
        archive.extend(content.unwrap_or_default());
        archive.extend(padding(size));
    }
    archive.extend(END);
    Ok(archive)
}
