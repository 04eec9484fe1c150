//! Credentials: found in the same places as by all AWS tools.

use crate::network::http::Method;
use crate::network::http::talk::{self, Message};
use mclive_base::vocab::{HostError, HostErrorKind};
use serde_json::Value;
use std::time::Duration;
use tokio::task::spawn_blocking;

/// The metadata service is local or missing.
const NEAR: Duration = Duration::from_secs(5);

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Credentials {
    pub(super) id: String,
    pub(super) secret: String,
    /// For temporary credentials.
    pub(super) token: Option<String>,
}

impl Credentials {
    /// Credentials from the environment, otherwise from the user's file, otherwise of the instance.
    pub(crate) async fn find(metadata: Result<String, HostError>) -> Result<Credentials, HostError> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if let (Some(id), Some(secret)) = (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY")) {
            return Ok(Credentials { id, secret, token: variable("AWS_SESSION_TOKEN") });
        }
        let file = variable("AWS_SHARED_CREDENTIALS_FILE")
            .or_else(|| variable("HOME").map(|home| format!("{home}/.aws/credentials")));
        let profile = variable("AWS_PROFILE").unwrap_or_else(|| "default".into());
        let text = match file {
            Some(file) => read(file).await,
            None => String::new(),
        };
        if let Some(found) = in_file(&text, &profile) {
            return Ok(found);
        }
        let told = async { of_instance(&metadata?).await };
        told.await.map_err(|error| {
            let help = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them to ~/.aws/credentials";
            let why = format!("no AWS credentials found: {help} (this host's instance metadata has none: {error})");
            HostError::new(HostErrorKind::Unavailable, why)
        })
    }
}

/// The text of a file; empty if there is none. A home may be on a file system that hangs: nothing else waits for it.
async fn read(file: String) -> String {
    spawn_blocking(move || std::fs::read_to_string(file).unwrap_or_default()).await.unwrap_or_default()
}

/// The credentials of a profile.
fn in_file(text: &str, profile: &str) -> Option<Credentials> {
    let lines = text.lines().map(str::trim).skip_while(|line| *line != format!("[{profile}]")).skip(1);
    let section: Vec<_> =
        lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once('=')).collect();
    let value = |name: &str| {
        let found = section.iter().find(|(key, _)| key.trim() == name);
        found.map(|(_, value)| value.trim().to_owned())
    };
    let (id, secret) = (value("aws_access_key_id")?, value("aws_secret_access_key")?);
    Some(Credentials { id, secret, token: value("aws_session_token") })
}

/// The credentials of this instance's role, from its metadata service, which requires a session.
async fn of_instance(base: &str) -> Result<Credentials, HostError> {
    let ask = async |method: Method, path: &str, name: &'static str, value: String| {
        let mut message = Message::new(method, format!("{base}/latest/{path}")).header(name, value);
        message.patience = NEAR;
        let answer = talk::say(None, message).await?;
        let odd = || HostError::new(HostErrorKind::Other, format!("{base}: it returned {}", answer.status));
        if answer.status.is_success() { Ok(String::from_utf8_lossy(&answer.body).into_owned()) } else { Err(odd()) }
    };
    let session = ask(Method::PUT, "api/token", "X-aws-ec2-metadata-token-ttl-seconds", "60".into()).await?;
    let get = async |path: &str| ask(Method::GET, path, "X-aws-ec2-metadata-token", session.clone()).await;
    let roles = get("meta-data/iam/security-credentials/").await?;
    let role = roles.lines().next().unwrap_or_default().to_owned();
    let told = get(&format!("meta-data/iam/security-credentials/{role}")).await?;
    let told: Value = serde_json::from_str(&told).unwrap_or_default();
    let text = |field: &str| told[field].as_str().map(str::to_owned);
    let none = || HostError::new(HostErrorKind::Other, format!("{base}: the instance has no IAM role"));
    let (id, secret) = text("AccessKeyId").zip(text("SecretAccessKey")).ok_or_else(none)?;
    Ok(Credentials { id, secret, token: text("Token") })
}

#[cfg(test)]
impl Credentials {
    /// For a service that asks for no particular ones.
    pub(crate) fn nobody() -> Credentials {
        Credentials::named("nobody")
    }

    pub(crate) fn named(id: &str) -> Credentials {
        Credentials { id: id.into(), secret: "nothing".into(), token: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn a_file_that_hangs_holds_up_nothing_else() {
        let dir = Scratch::new("credentials-pipe");
        let pipe = dir.join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut reading = Box::pin(read(pipe.display().to_string()));
            tokio::select! {
                text = &mut reading => panic!("nobody has written {text:?}"),
                () = tokio::time::sleep(Duration::from_millis(20)) => {}
            }
            // It waits for the reader to be there.
            std::fs::write(&pipe, "[default]\n").unwrap();
            assert_eq!(reading.await, "[default]\n");
        });
        assert_eq!(runtime.block_on(read(dir.join("none").display().to_string())), "");
    }

    #[test]
    fn a_profile_of_the_file() {
        let text =
            "[other]\naws_access_key_id = no\n\n[default]\n# mine\naws_access_key_id = AK\naws_secret_access_key=s=\n";
        let found = in_file(text, "default").unwrap();
        assert_eq!((&*found.id, &*found.secret, found.token), ("AK", "s=", None));
        assert!(in_file(text, "other").is_none() && in_file(text, "none").is_none());
    }
}
