//! `tar`: builds a tar archive from files and directories. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::absolute_file;
use crate::kinds::rules::ensure;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Constant, Decision, Field, HostType, Kind, KindDecl, Read, Seen, Traits, Want, made};
use crate::vocab::archive::tar::Format;
use crate::vocab::{Finding, Step, Watch, archive, file};

/// The kind `tar`.
pub(crate) struct Tar;

static DECL: KindDecl = KindDecl {
    name: "tar",
    doc: "Builds a tar archive from files and directories. Symbolic links are stored as links, hard links as separate \
          files. Sockets and devices are an error.",
    fields: &[
        Field::str("path", "Path", "Path of the archive; defaults to the resource name."),
        Field::strs(
            "inputs",
            "Inputs",
            "Absolute paths of the inputs. A directory without a trailing slash is stored under its own name.",
        ),
        Field::int("format", "Format", HostType::Int, "Format: 0 automatic, 2 USTAR, 4 PAX, 8 GNU."),
    ],
    traits: Traits { uses_vardir: true, ..Traits::NONE },
    constants: &[
        ("format.unknown", Constant::Int(0)),
        ("format.ustar", Constant::Int(2)),
        ("format.pax", Constant::Int(4)),
        ("format.gnu", Constant::Int(8)),
    ],
    policy: &[
        Required::list(PolicyList::Paths).case("the archive"),
        Required::list(PolicyList::Reads).case("the inputs"),
    ],
};

impl Kind for Tar {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        absolute_file("`path`", &want.effective("path"))?;
        for input in want.texts("inputs") {
            ensure(input.starts_with('/'), format!("the path `{input}` in `inputs` must be absolute"))?;
        }
        Ok(())
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        vec![want.effective("path").into_owned()]
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        let inputs = want.texts("inputs");
        let both = |input: &str| [input.to_owned(), format!("{input}/")];
        let inputs = inputs.iter().flat_map(|input| both(input.trim_end_matches('/')));
        let output = want.effective("path").into_owned();
        inputs.chain([output]).filter_map(|path| Read::of(&path)).collect()
    }

    fn backend(&self) -> &'static str {
        "system calls; no other program is needed. The archive and its inputs are watched with inotify. A new archive has \
         no read permission for users who cannot read one of `inputs`."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let output = file::Watch { path: want.effective("path").into_owned(), recursive: false }.into();
        let texts = want.texts("inputs");
        let inputs = texts.iter().flat_map(|input| {
            let below = format!("{}/", input.trim_end_matches('/'));
            let itself = file::Watch { path: input.trim_end_matches('/').to_owned(), recursive: false };
            [itself.into(), file::Watch { path: below, recursive: true }.into()]
        });
        std::iter::once(output).chain(inputs).collect()
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let inputs: Vec<String> = want.texts("inputs").iter().map(|input| input.to_string()).collect();
    let path = want.effective("path").into_owned();
    let holds = |input: &String| {
        path.strip_prefix(input.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if inputs.iter().any(holds) {
        return Err(Decision::CannotTell(format!("the archive {path} would contain itself")));
    }
    let number = want.int("format");
    let manifest = match &walk.look(vec![archive::Probe { inputs: inputs.clone() }.into()])?[0] {
        Finding::Archive(archive::Finding::Manifest(hash)) => made::hex(hash),
        other => return Err(cannot_tell(other)),
    };
    let step =
        || Ok(Step::from(archive::Step::Pack { inputs: inputs.clone(), to: path.clone(), format: format(number) }));
    made::made(walk, &path, &format!("format:{number}|{manifest}"), &step)
}

/// The format with this number.
pub(super) fn format(number: i64) -> Format {
    match number {
        2 => Format::Ustar,
        4 => Format::Pax,
        8 => Format::Gnu,
        _ => Format::Auto,
    }
}
