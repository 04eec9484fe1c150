//! Packages without a trusted signature. Their scripts run as root, and anyone between this host and a repository can
//! change them, so the name of a package does not say what is installed.

use super::{Policy, Word};
use mclive_base::vocab::{Step, package};

impl Policy {
    /// Whether a step may install what it wants to, signed or not.
    pub(super) fn signatures(&self, step: &Step) -> Result<(), String> {
        let Step::Package(package::Step::Transaction(transaction)) = step else { return Ok(()) };
        let installs = transaction.changes.iter().any(|change| change.to.is_some());
        match transaction.allow_untrusted && installs {
            true => self.privilege(Word::Untrusted, "packages without a trusted signature"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::protocol::ResourceId;
    use mclive_base::vocab::package::{PackageChange, Preview, Transaction};

    #[test]
    fn packages_must_be_signed_unless_the_privilege_is_listed() {
        let judged = |policy: &Policy, allow_untrusted: bool, to: Option<&str>| {
            let (name, to) = ("nginx".to_owned(), to.map(str::to_owned));
            let changes = vec![PackageChange { name, now: None, to, is_pinned: false }];
            let also = Preview::default();
            let step =
                package::Step::Transaction(Transaction { changes, allow_downgrade: false, allow_untrusted, also });
            policy.step(&ResourceId::new("pkg", "nginx"), &Step::Package(step))
        };
        let policy = |text: &str| Policy::parse(text).unwrap();
        let (none, listed) = (policy("packages = ['nginx']"), policy("privileges = ['untrusted']"));
        let why = "the policy does not allow packages without a trusted signature: list `untrusted` in `privileges`";
        assert_eq!(judged(&none, true, Some("1.0")), Err(why.to_owned()));
        assert_eq!(judged(&policy(""), true, Some("1.0")), Err(why.to_owned()));
        assert_eq!(judged(&none, false, Some("1.0")), Ok(()));
        assert_eq!(judged(&none, true, None), Ok(()), "nothing is installed");
        assert_eq!(judged(&listed, true, Some("1.0")), Ok(()));
        assert_eq!(judged(&Policy::all(), true, Some("1.0")), Ok(()));
    }
}
