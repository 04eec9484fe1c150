//! Common part of `gzip` and `tar`: the output is made again if its input changed, or if it is no longer what was made.
//! The hashes of both are kept in the state directory.

use super::kind::Decision;
use super::walk::{Walk, cannot_tell};
use crate::vocab::{Finding, HostErrorKind, Probe, Step, file, state};

const INPUT: &str = "input.sha256";
const OUTPUT: &str = "output.sha256";

/// Makes the output, unless it is already made from the same input. Errors of the step: why there is none.
pub(super) fn made(
    walk: &mut Walk,
    path: &str,
    input: &str,
    make: &dyn Fn() -> Result<Step, String>,
) -> Result<Decision, Decision> {
    let read = |name: &str| Probe::from(state::Probe::Read { name: name.into() });
    let hash = || Probe::from(file::Probe::Hash { path: path.to_owned() });
    let [was_input, was_output, output] = walk.look(vec![read(INPUT), read(OUTPUT), hash()])? else {
        return Err(Decision::CannotTell("the host did not answer".into()));
    };
    let output = hash_of(output)?;
    if kept(was_input)?.as_deref() == Some(input) && output.is_some() && kept(was_output)? == output {
        return Ok(Decision::InState(Vec::new()));
    }
    walk.act(vec![make().map_err(Decision::CannotTell)?])?;
    // Only a complete output in its place counts as made.
    let output = hash_of(&walk.look(vec![hash()])?[0])?.unwrap_or_default();
    let keep = |name: &str, text: &str| Step::from(state::Step::Write { name: name.into(), content: text.into() });
    walk.mend(vec![keep(INPUT, input), keep(OUTPUT, &output)])
}

fn kept(finding: &Finding) -> Result<Option<String>, Decision> {
    match finding {
        Finding::State(state::Finding::Bytes(bytes)) => Ok(Some(String::from_utf8_lossy(bytes).into_owned())),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => Ok(None),
        other => Err(cannot_tell(other)),
    }
}

/// In hexadecimal; `None`: there is no such file.
pub(super) fn hash_of(finding: &Finding) -> Result<Option<String>, Decision> {
    match finding {
        Finding::File(file::Finding::Hash(hash)) => Ok(Some(hex(hash))),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => Ok(None),
        other => Err(cannot_tell(other)),
    }
}

pub(super) fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
