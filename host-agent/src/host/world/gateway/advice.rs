//! What to do about a failure: about certificates, users and rights.

use super::super::credentials::User;
use super::login::is_stale;
use super::request::Fault;
use super::{Failure, Gateway};
use crate::network::http::tls;
use mclive_base::vocab::HostError;

impl Gateway {
    /// A request without an answer.
    pub(super) fn away(&self, error: &HostError) -> Failure {
        Failure::Away(self.advised(error.message.clone()))
    }

    /// The reason, with what to do about it if that is known.
    pub(super) fn advised(&self, why: String) -> String {
        match self.advice(&why) {
            Some(advice) => format!("{why}: {advice}"),
            None => why,
        }
    }

    fn advice(&self, why: &str) -> Option<String> {
        let is_encrypted = self.url().starts_with("https:");
        if why.contains(tls::UNKNOWN_AUTHORITY) {
            return Some(match self.credentials.authorities() {
                None => "use --world-ca FILE with the certificate of the authority that issued it".to_owned(),
                Some(file) => {
                    format!("check that {} contains the certificate of the authority that issued it", file.display())
                }
            });
        }
        if why.contains(tls::ALERT) {
            return Some(match self.credentials.certificate() {
                None => {
                    "the store requires a client certificate: use --world-cert FILE and --world-key FILE".to_owned()
                }
                Some(file) => format!(
                    "the store does not accept {}: it must be signed by an authority of etcd's --trusted-ca-file, allow \
                     client authentication, and not have expired",
                    file.display()
                ),
            });
        }
        let known = [
            (tls::EXPIRED, "renew the certificate of this etcd member"),
            (tls::OTHER_NAME, "use a name from the certificate in --world, or add this name to its subjectAltName"),
            (tls::NOT_TLS, "check the port, and that etcd was started with --cert-file and --key-file"),
            (tls::CLOSED, "check the port, and that etcd was started with --cert-file and --key-file"),
        ];
        if let Some((_, advice)) = known.iter().find(|(part, _)| why.contains(part)) {
            return Some((*advice).to_owned());
        }
        let cut = ["connection closed before message completed", "connection reset by peer"];
        if !is_encrypted && cut.iter().any(|end| why.ends_with(end)) {
            return Some("if the store uses TLS, use https".to_owned());
        }
        // The gateway of etcd connects to etcd itself with the certificate of the server.
        let is_inside = why.ends_with("connection closed") || why.contains("connection error: desc = \"transport:");
        (is_encrypted && is_inside).then(|| {
            "if etcd was started with --client-cert-auth, its own certificate must also allow client authentication"
                .to_owned()
        })
    }

    /// The error if the store forbids a request or is full. `None`: it is another error. `needed`: the rights of the
    /// request, in words.
    pub(super) fn refusal(&self, why: &str, needed: impl FnOnce() -> String) -> Option<Failure> {
        let (url, user) = (self.url(), self.credentials.user());
        if why.contains("database space exceeded") {
            return Some(Failure::Full(format!(
                "{url}: the store is full: compact its history, run `etcdctl defrag` on each member, then `etcdctl alarm \
                 disarm`"
            )));
        }
        if why.contains("permission denied") {
            let who = user.map_or_else(|| "this client".to_owned(), |user| format!("the user `{}`", user.name));
            return Some(Failure::Refused(format!(
                "{url}: permission denied: {who} needs permission to {}; `mclive world grants` prints commands that \
                grant it",
                needed()
            )));
        }
        if user.is_some() || !is_stale(why) {
            return None;
        }
        let note = match self.credentials.certificate() {
            Some(_) => "; etcd does not use the name in the client certificate here",
            None => "",
        };
        Some(Failure::Refused(format!(
            "{url}: the store requires a user: use --world-user NAME and --world-password-file FILE{note}"
        )))
    }

    /// Why a user cannot log in.
    pub(super) fn no_login(&self, user: &User, fault: Fault) -> Failure {
        let (url, User { name, password }) = (self.url(), user);
        if fault.why.contains("authentication is not enabled") {
            return Failure::Refused(format!(
                "{url}: the store has no users: enable authentication (`mclive world grants` prints the commands), or \
                 remove --world-user and --world-password-file"
            ));
        }
        if fault.why.contains("authentication failed") {
            return Failure::Refused(format!(
                "{url}: the store does not accept the user `{name}` with the password in {}",
                password.display()
            ));
        }
        let why = format!("{url}: cannot log in as `{name}`: {}", fault.why);
        if matches!(fault.code, 3 | 7 | 16) { Failure::Refused(why) } else { Failure::Away(self.advised(why)) }
    }
}
