//! [`Required`]: what the policy of a host must list for a kind. The docs say so in a sentence.

pub use crate::vocab::PolicyList;

/// An entry that a policy must have, as data of a declaration.
#[derive(Clone, Copy, Debug)]
pub struct Required {
    /// The list.
    pub list: PolicyList,
    /// What must be in it, in Markdown; empty: what the resource names.
    pub entry: &'static str,
    /// What it is required for, in Markdown; empty: every resource of the kind.
    pub case: &'static str,
}

impl Required {
    /// What the resource names must be in this list.
    pub const fn list(list: PolicyList) -> Required {
        Required { list, entry: "", case: "" }
    }

    /// This must be in it instead.
    pub const fn entry(mut self, entry: &'static str) -> Required {
        self.entry = entry;
        self
    }

    /// It is only required for this.
    pub const fn case(mut self, case: &'static str) -> Required {
        self.case = case;
        self
    }

    fn is_plain(&self) -> bool {
        self.entry.is_empty() && self.case.is_empty()
    }

    fn text(&self) -> String {
        let before = if self.entry.is_empty() { String::new() } else { format!("{} in ", self.entry) };
        let after = if self.case.is_empty() { String::new() } else { format!(" for {}", self.case) };
        format!("{before}`{}`{after}", self.list.name())
    }
}

/// The sentence in the docs; empty if nothing is required.
pub(super) fn sentence(required: &[Required]) -> String {
    let texts: Vec<String> = required.iter().map(Required::text).collect();
    let n_plain = required.iter().filter(|it| it.is_plain()).count();
    // Without a comma before it, the last item would seem to share the words of the one before.
    let is_simple = n_plain == required.len() || n_plain == 0 && required.len() == 2;
    let all = match &texts[..] {
        [] => return String::new(),
        [only] => only.clone(),
        [before @ .., last] if is_simple => format!("{} and {last}", before.join(", ")),
        [before @ .., last] => format!("{}, and {last}", before.join(", ")),
    };
    format!("Required in a policy: {all}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{all, docs, lookup};

    #[test]
    fn what_a_policy_must_list_is_a_sentence() {
        let says = |kind: &str| sentence(lookup(kind).unwrap().decl().policy);
        for (kind, expect) in [
            ("noop", ""),
            ("line", "`paths`"),
            ("group", "`groups` and `commands`"),
            ("bmc:firmware", "the controller in `hosts` and the image in `reads`"),
            ("augeas", "`paths`, and `/usr/bin/augtool` in `commands`"),
            ("hostname", "`paths`, and `kernel.hostname` in `sysctl` for the transient name"),
            ("docker:container", "`containers`, `images`, and `listen` for published ports"),
        ] {
            let expect = if expect.is_empty() { String::new() } else { format!("Required in a policy: {expect}.") };
            assert_eq!(says(kind), expect, "{kind}");
        }
    }

    #[test]
    fn the_docs_of_a_kind_say_it_once() {
        for kind in all() {
            let n = docs::page(kind).matches("Required in a policy: ").count();
            assert_eq!(n, usize::from(!kind.decl().policy.is_empty()), "{}", kind.decl().name);
            assert!(!kind.backend().contains("in a policy"), "{}", kind.decl().name);
        }
    }
}
