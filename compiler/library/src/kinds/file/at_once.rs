//! Attributes set right after the content of a file become part of the write, so that the new content is never visible
//! with the old owner, bits or label.

use crate::vocab::{self, file::Step};

/// Merges the attribute changes that follow the last write of a path into it. If a link is in the file's place, the
/// label is that of the link and stays a separate step.
pub(super) fn at_once(steps: &mut Vec<vocab::Step>, of: &str, is_link: bool) {
    let is_write = |step: &vocab::Step| matches!(step, vocab::Step::File(Step::Write { path, .. }) if path == of);
    let Some(write) = steps.iter().rposition(is_write) else { return };
    let after = steps.split_off(write + 1);
    for step in after {
        let vocab::Step::File(Step::Write { attributes, .. }) = &mut steps[write] else { return };
        match step {
            vocab::Step::File(Step::SetMode { path, mode }) if path == of => attributes.mode = Some(mode),
            vocab::Step::File(Step::SetOwner { path, uid, gid }) if path == of => {
                (attributes.uid, attributes.gid) = (uid, gid);
            }
            vocab::Step::File(Step::SetLabel { path, label: Some(label) }) if path == of && !is_link => {
                attributes.label = Some(label);
            }
            other => steps.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::at_once;
    use crate::vocab::{self, Attributes, Content, file::Step};

    #[test]
    fn what_follows_a_write_is_part_of_it() {
        let path = || "/a".to_string();
        let write = |attributes| -> vocab::Step {
            Step::Write { path: path(), content: Content::Bytes(Vec::new()), attributes }.into()
        };
        let owner = vocab::Step::File(Step::SetOwner { path: path(), uid: Some(1), gid: None });
        let mode = vocab::Step::File(Step::SetMode { path: path(), mode: 0o600 });
        let label = vocab::Step::File(Step::SetLabel { path: path(), label: Some(b"x".to_vec()) });
        let removed = vocab::Step::File(Step::SetLabel { path: path(), label: None });
        let other = vocab::Step::File(Step::SetMode { path: "/b".into(), mode: 0 });
        let first = Attributes::of_mode(Some(0o644));
        let mut steps = vec![
            mode.clone(),
            write(first.clone()),
            owner,
            mode.clone(),
            other.clone(),
            label.clone(),
            removed.clone(),
        ];
        let (before, mut through_link) = (steps[0].clone(), steps.clone());
        at_once(&mut steps, "/a", false);
        let all = Attributes { mode: Some(0o600), uid: Some(1), gid: None, label: Some(b"x".to_vec()) };
        assert_eq!(steps, [before.clone(), write(all.clone()), other.clone(), removed.clone()]);
        at_once(&mut through_link, "/a", true);
        assert_eq!(through_link, [before, write(Attributes { label: None, ..all }), other, label, removed]);
    }
}
