//! Redfish: resources in JSON; only the first system and the first manager are used.

use super::{BETWEEN, TO_RETURN, away, is_away, say};
use crate::network::http::Method;
use crate::network::http::talk::{Answer, Message};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mclive_base::vocab::controller::Controller;
use mclive_base::vocab::{HostError, HostErrorKind};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

const ROOT: &str = "/redfish/v1";
/// How long a controller may take to receive an image without sending a byte.
const TO_PUSH: Duration = Duration::from_secs(10 * 60);
const BOUNDARY: &str = "mclive-0d1f6a1cd2a34a1b";

pub(super) struct Redfish<'a> {
    controller: &'a Controller,
    /// Until then, the controller may be restarting.
    returns: Instant,
}

impl<'a> Redfish<'a> {
    pub(super) fn new(controller: &'a Controller) -> Redfish<'a> {
        Redfish { controller, returns: Instant::now() + TO_RETURN }
    }

    pub(super) async fn power(&self) -> Result<String, HostError> {
        let (path, system) = self.first("Systems").await?;
        let state = system["PowerState"].as_str().ok_or_else(|| self.odd(&path, "it does not report `PowerState`"))?;
        Ok(state.to_lowercase())
    }

    pub(super) async fn reset(&self, on: bool) -> Result<(), HostError> {
        let (path, system) = self.first("Systems").await?;
        let action = &system["Actions"]["#ComputerSystem.Reset"];
        let target = action["target"].as_str().ok_or_else(|| self.odd(&path, "it cannot be turned on or off"))?;
        let body = json!({ "ResetType": reset_type(action, on) });
        let answer = self.say(Message::new(Method::POST, self.url(target)?).json(&body)).await?;
        self.good(target, answer).map(drop)
    }

    /// The version of the controller's own firmware.
    pub(super) async fn firmware(&self) -> Result<String, HostError> {
        let (path, manager) = self.first("Managers").await?;
        let version = manager["FirmwareVersion"].as_str();
        Ok(version.ok_or_else(|| self.odd(&path, "it does not report `FirmwareVersion`"))?.to_owned())
    }

    /// Pushes an image, follows the task, and waits until the controller is back with the version.
    pub(super) async fn install(
        &self,
        name: &str,
        image: Vec<u8>,
        version: &str,
        until: Instant,
    ) -> Result<(), HostError> {
        let path = format!("{ROOT}/UpdateService");
        let service = self.get(&path).await?;
        let door = |field: &str| service[field].as_str();
        let mut message = match (door("MultipartHttpPushUri"), door("HttpPushUri")) {
            (Some(door), _) => {
                let kind = format!("multipart/form-data; boundary={BOUNDARY}");
                let message = Message::new(Method::POST, self.url(door)?).header("Content-Type", kind);
                Message { body: multipart(name, image), ..message }
            }
            (None, Some(door)) => {
                let message = Message::new(Method::POST, self.url(door)?);
                Message { body: image, ..message.header("Content-Type", "application/octet-stream") }
            }
            (None, None) => return Err(self.odd(&path, "it does not support pushing an image")),
        };
        message.patience = TO_PUSH;
        let answer = self.say(message).await?;
        let place = answer.header("Location").map(str::to_owned);
        let told = self.good(&path, answer)?;
        if let Some(task) = place.or_else(|| told["@odata.id"].as_str().map(str::to_owned)) {
            self.follow(&task, until).await?;
        }
        loop {
            // It may be unreachable during a restart.
            let now = self.firmware().await;
            match &now {
                Ok(now) if now == version => return Ok(()),
                _ if Instant::now() < until => tokio::time::sleep(BETWEEN).await,
                Ok(now) => {
                    return Err(self.odd(&path, &format!("the firmware is {now} after the update, not {version}")));
                }
                Err(_) => return now.map(drop),
            }
        }
    }

    /// Waits until a task is finished. A controller that does not answer may be restarting.
    async fn follow(&self, task: &str, until: Instant) -> Result<(), HostError> {
        let url = self.url(task)?;
        loop {
            let answer = self.say(Message::new(Method::GET, url.clone())).await;
            let is_late = Instant::now() >= until;
            match answer {
                // Some forget their tasks when they restart.
                Ok(answer) if answer.status.as_u16() == 404 => return Ok(()),
                Ok(answer) if is_away(&answer) && !is_late => {}
                Ok(answer) => {
                    let is_accepted = answer.status.as_u16() == 202;
                    let told = self.good(task, answer)?;
                    match ended(&told) {
                        Some(Ok(())) => return Ok(()),
                        Some(Err(why)) => return Err(self.odd(task, &why)),
                        // The monitor of a task tells no state, but answers with the result once it is there.
                        None if told["TaskState"].is_null() && !is_accepted => return Ok(()),
                        None if is_late => return Err(self.odd(task, "the update has not finished")),
                        None => {}
                    }
                }
                Err(error) if is_late => return Err(error),
                Err(_) => {}
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    /// The first member of a collection, with its path.
    async fn first(&self, what: &str) -> Result<(String, Value), HostError> {
        let path = format!("{ROOT}/{what}");
        let all = self.get(&path).await?;
        let member = all.pointer("/Members/0/@odata.id").and_then(Value::as_str);
        let member = member.ok_or_else(|| self.odd(&path, "it has no member"))?.to_owned();
        let found = self.get(&member).await?;
        Ok((member, found))
    }

    async fn get(&self, path: &str) -> Result<Value, HostError> {
        let url = self.url(path)?;
        loop {
            let answer = self.say(Message::new(Method::GET, url.clone())).await?;
            if !is_away(&answer) || Instant::now() >= self.returns {
                return self.good(path, answer);
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    async fn say(&self, message: Message) -> Result<Answer, HostError> {
        let Controller { user, password, .. } = self.controller;
        let login = format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.0)));
        let message = if user.is_empty() { message } else { message.header("Authorization", login) };
        say(self.controller, message).await
    }

    fn url(&self, path: &str) -> Result<String, HostError> {
        let address = self.controller.place();
        // The usual port may be left out.
        let short = match address.split_once("://") {
            Some(("https", _)) => address.strip_suffix(":443"),
            Some(("http", _)) => address.strip_suffix(":80"),
            _ => None,
        };
        // The password must only be sent to this host.
        match path.strip_prefix(address).or_else(|| path.strip_prefix(short?)).unwrap_or(path) {
            path if path.starts_with('/') => Ok(format!("{address}{path}")),
            other => Err(self.odd(ROOT, &format!("it points to another host: {other}"))),
        }
    }

    fn good(&self, path: &str, answer: Answer) -> Result<Value, HostError> {
        let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if answer.status.is_success() {
            return Ok(told);
        }
        if is_away(&answer) {
            return Err(away(&format!("{}{path}", self.controller.place()), &answer));
        }
        let extended = "/error/@Message.ExtendedInfo/0/Message";
        let words = told.pointer(extended).or_else(|| told.pointer("/error/message")).and_then(Value::as_str);
        let error = self.odd(path, &format!("the controller returned {}: {}", answer.status, words.unwrap_or("")));
        let kind = match answer.status.as_u16() {
            401 | 403 => HostErrorKind::PermissionDenied,
            _ => HostErrorKind::Other,
        };
        Err(HostError::new(kind, error.message.trim_end_matches([':', ' '])))
    }

    fn odd(&self, path: &str, why: &str) -> HostError {
        HostError::new(HostErrorKind::Other, format!("{}{path}: {why}", self.controller.place()))
    }
}

/// The reset type to request: the plain one, if the system supports it.
fn reset_type(action: &Value, on: bool) -> &'static str {
    let words: [&str; 2] = if on { ["On", "ForceOn"] } else { ["ForceOff", "GracefulShutdown"] };
    let allowed = action["ResetType@Redfish.AllowableValues"].as_array();
    let known = |word: &&str| allowed.is_none_or(|allowed| allowed.iter().any(|it| it == *word));
    words.into_iter().find(known).unwrap_or(words[0])
}

/// The result of a task if it has ended.
fn ended(task: &Value) -> Option<Result<(), String>> {
    let state = task["TaskState"].as_str()?;
    let words = task.pointer("/Messages/0/Message").and_then(Value::as_str).unwrap_or("no reason given");
    match state {
        "Completed" if matches!(task["TaskStatus"].as_str(), None | Some("OK" | "Warning")) => Some(Ok(())),
        "Completed" | "Exception" | "Killed" | "Cancelled" | "Interrupted" => {
            Some(Err(format!("the update ended with state {state}: {words}")))
        }
        _ => None,
    }
}

/// The form with an image, which is large: it is not kept twice while it is sent.
fn multipart(name: &str, image: Vec<u8>) -> Vec<u8> {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-._".contains(*c)).collect();
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"UpdateParameters\"\r\nContent-Type: application/json\r\n\r\n\
         {{\"Targets\":[]}}\r\n--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"UpdateFile\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    let tail = format!("\r\n--{BOUNDARY}--\r\n");
    let mut form = Vec::with_capacity(head.len() + image.len() + tail.len());
    form.extend_from_slice(head.as_bytes());
    form.extend(image);
    form.extend_from_slice(tail.as_bytes());
    form
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::vocab::controller::Language;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;

    /// A controller that gives these answers, one after the other.
    fn controller(answers: &'static [(&'static str, &'static str)]) -> Controller {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for ((status, body), stream) in answers.iter().zip(listener.incoming().map_while(Result::ok)) {
                let (mut reader, mut n_body) = (BufReader::new(&stream), 0);
                let head = reader.by_ref().lines().map_while(Result::ok);
                for line in head.take_while(|line| !line.is_empty()) {
                    let (name, value) = line.split_once(": ").unwrap_or_default();
                    if name.eq_ignore_ascii_case("Content-Length") {
                        n_body = value.parse::<u64>().unwrap();
                    }
                }
                std::io::copy(&mut reader.take(n_body), &mut std::io::sink()).unwrap();
                let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
            }
        });
        Controller { language: Language::Redfish, address, user: String::new(), password: Default::default() }
    }

    fn waited<T>(work: impl Future<Output = Result<T, HostError>>) -> Result<T, HostError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
        runtime.block_on(work)
    }

    /// The result of following a task of a controller that gives these answers.
    fn followed(answers: &'static [(&'static str, &'static str)]) -> Result<(), String> {
        let (controller, until) = (controller(answers), Instant::now() + Duration::from_secs(300));
        waited(Redfish::new(&controller).follow("/t", until)).map_err(|error| error.message)
    }

    const ALL: (&str, &str) = ("200 OK", r#"{"Members":[{"@odata.id":"/s"}]}"#);

    #[test]
    fn a_controller_that_restarts_is_waited_for() {
        let answers: &[(&str, &str)] = &[
            ("502 Bad Gateway", "<html>"),
            ALL,
            ("503 Service Unavailable", ""),
            ("504 Gateway Timeout", ""),
            ("200 OK", r#"{"PowerState":"On"}"#),
        ];
        let controller = controller(answers);
        assert_eq!(waited(Redfish::new(&controller).power()), Ok("on".to_owned()));
    }

    #[test]
    fn a_controller_that_does_not_come_back_is_not_waited_for_any_longer() {
        let controller = controller(&[("503 Service Unavailable", "")]);
        let redfish = Redfish { controller: &controller, returns: Instant::now() };
        let error = waited(redfish.power()).unwrap_err();
        assert_eq!(error.kind, HostErrorKind::Unavailable);
        let why = "/redfish/v1/Systems: the controller returned 503 Service Unavailable: its management service does not \
                   respond";
        assert!(error.message.ends_with(why), "{}", error.message);
    }

    #[test]
    fn a_reset_without_an_answer_may_have_had_an_effect() {
        const SYSTEM: &str = r##"{"Actions":{"#ComputerSystem.Reset":{"target":"/s/reset"}}}"##;
        let controller = controller(&[ALL, ("200 OK", SYSTEM), ("504 Gateway Timeout", "")]);
        let error = waited(Redfish::new(&controller).reset(true)).unwrap_err();
        assert_eq!(error.kind, HostErrorKind::Unavailable);
        assert!(error.message.contains("/s/reset: the controller returned 504 Gateway Timeout"), "{}", error.message);
    }

    #[test]
    fn a_controller_that_restarts_during_an_update_has_not_failed() {
        const TASK: &str = r#"{"TaskState":"Completed","TaskStatus":"OK"}"#;
        assert_eq!(followed(&[("503 Service Unavailable", "<html>"), ("200 OK", TASK)]), Ok(()));
        let failed = followed(&[("500 Internal Server Error", r#"{"error":{"message":"bad image"}}"#)]).unwrap_err();
        assert!(failed.ends_with("/t: the controller returned 500 Internal Server Error: bad image"), "{failed}");
    }

    #[test]
    fn a_monitor_without_a_state_ends_with_its_result() {
        assert_eq!(followed(&[("202 Accepted", ""), ("200 OK", "{}")]), Ok(()));
    }

    #[test]
    fn an_image_is_a_part_of_the_form() {
        let form = String::from_utf8(multipart("a/b.bin", b"image".to_vec())).unwrap();
        assert!(form.contains("filename=\"ab.bin\"\r\nContent-Type: application/octet-stream\r\n\r\nimage\r\n--"));
        assert!(form.ends_with("--\r\n") && form.len() == form.capacity(), "{form}");
    }

    #[test]
    fn how_a_task_ends() {
        assert_eq!(ended(&json!({ "TaskState": "Running" })), None);
        assert_eq!(ended(&json!({ "TaskState": "Completed", "TaskStatus": "OK" })), Some(Ok(())));
        let failed = json!({ "TaskState": "Exception", "Messages": [{ "Message": "bad image" }] });
        assert_eq!(ended(&failed), Some(Err("the update ended with state Exception: bad image".into())));
        assert!(ended(&json!({ "TaskState": "Completed", "TaskStatus": "Critical" })).unwrap().is_err());
    }

    #[test]
    fn a_reset_that_the_system_knows() {
        let some = json!({ "ResetType@Redfish.AllowableValues": ["ForceOn", "ForceOff"] });
        assert_eq!((reset_type(&some, true), reset_type(&some, false)), ("ForceOn", "ForceOff"));
        assert_eq!(reset_type(&Value::Null, true), "On");
    }

    #[test]
    fn a_password_goes_to_its_controller_alone() {
        let (address, user) = ("https://10.0.0.9:443".to_owned(), "root".to_owned());
        let controller = Controller { language: Language::Redfish, address, user, password: Default::default() };
        let redfish = Redfish::new(&controller);
        assert_eq!(redfish.url("/redfish/v1/T/1").unwrap(), "https://10.0.0.9:443/redfish/v1/T/1");
        assert_eq!(redfish.url("https://10.0.0.9:443/a").unwrap(), "https://10.0.0.9:443/a");
        assert_eq!(redfish.url("https://10.0.0.9/a").unwrap(), "https://10.0.0.9:443/a", "its usual port");
        for other in [
            "https://elsewhere/a",
            "https://10.0.0.9:4430/a",
            "https://10.0.0.90/a",
            "https://10.0.0.9@elsewhere/a",
            "http://10.0.0.9/a",
            "@elsewhere/a",
        ] {
            assert!(redfish.url(other).is_err(), "{other}");
        }
    }
}
