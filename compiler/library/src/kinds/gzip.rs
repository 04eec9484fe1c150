//! `gzip`: compresses a file or inline content with gzip. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::absolute_file;
use crate::kinds::rules::ensure;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Constant, Decision, Field, FieldDefault, HostType, Kind, KindDecl, Read, Seen, Traits, Want, made};
use crate::vocab::{Content, Finding, Probe, Step, Watch, archive, file};

/// The kind `gzip`.
pub(crate) struct Gzip;

static DECL: KindDecl = KindDecl {
    name: "gzip",
    doc: "Compresses a file or inline content with gzip. Needs no external program.",
    fields: &[
        Field::str("path", "Path", "Output path; defaults to the resource name."),
        Field::str("input", "Input", "Input file. If null, `content` is compressed instead.").nullable(),
        Field::str("content", "Content", "Inline content."),
        Field::int("level", "Level", HostType::Int, "Compression level, -2 to 9; -1 is the default level.")
            .default(FieldDefault::Int(-1)),
    ],
    traits: Traits { uses_vardir: true, ..Traits::NONE },
    constants: &[
        ("level.no_compression", Constant::Int(0)),
        ("level.best_speed", Constant::Int(1)),
        ("level.best_compression", Constant::Int(9)),
        ("level.default_compression", Constant::Int(-1)),
        ("level.huffman_only", Constant::Int(-2)),
    ],
    policy: &[
        Required::list(PolicyList::Paths).case("the output"),
        Required::list(PolicyList::Reads).case("the input"),
    ],
};

impl Kind for Gzip {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        absolute_file("`path`", &want.effective("path"))?;
        if let Some(input) = want.text_if_set("input") {
            absolute_file("`input`", &input)?;
        }
        let level = want.int("level");
        ensure((-2..=9).contains(&level), format!("expected a compression level from -2 to 9, found {level}"))
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        vec![want.effective("path").into_owned()]
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        let paths = std::iter::once(want.effective("path")).chain(want.text_if_set("input"));
        paths.filter_map(|path| Read::of(&path)).collect()
    }

    fn backend(&self) -> &'static str {
        "system calls; no other program is needed. The output and the input are watched with inotify. A new output has no \
         read permission for users who cannot read the input."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let paths = std::iter::once(want.effective("path")).chain(want.text_if_set("input"));
        paths.map(|path| file::Watch { path: path.into_owned(), recursive: false }.into()).collect()
    }
}

/// Under one name or several.
fn is_one_file(one: &Finding, other: &Finding) -> bool {
    let identity = |finding: &Finding| match finding {
        Finding::File(file::Finding::Stat(Some(stat))) => Some((stat.device, stat.inode)),
        _ => None,
    };
    identity(one).is_some() && identity(one) == identity(other)
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (path, level) = (want.effective("path").into_owned(), want.int("level"));
    let (hash, from) = match want.text_if_set("input") {
        None => {
            let content = want.bytes("content");
            (made::hex(&crate::hash::sha256(&content)), Content::Bytes(content.to_vec()))
        }
        Some(input) => {
            let stat = |path: &str| Probe::from(file::Probe::Stat { path: path.to_owned(), follow: true });
            let look = vec![file::Probe::Hash { path: input.to_string() }.into(), stat(&input), stat(&path)];
            let [hash, from, to] = walk.look(look)? else {
                return Err(Decision::CannotTell("the host did not answer".into()));
            };
            if is_one_file(from, to) {
                return Err(Decision::CannotTell(format!("the output {path} is its own input")));
            }
            let hash = match hash {
                Finding::File(file::Finding::Hash(hash)) => made::hex(hash),
                other => return Err(cannot_tell(other)),
            };
            (hash, Content::CopyOf(input.into_owned()))
        }
    };
    let level_number = i32::try_from(level).unwrap_or(-1);
    let step = || {
        let (from, to) = (from.clone(), path.clone());
        Ok(Step::from(archive::Step::Compress { from, to, level: level_number }))
    };
    made::made(walk, &path, &format!("level:{level}|{hash}"), &step)
}
