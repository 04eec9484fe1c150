//! The API of Hetzner Cloud: JSON, a token, and actions for everything that takes time.

mod offered;

use super::{Goal, Patience, address, endless};
use crate::host::Shared;
use crate::network::http::Method;
use crate::network::http::talk::{self, Answer, Message, escaped};
use mclive_base::vocab::cloud::{Action, Cloud, Found, Order, Stand, Step};
use mclive_base::vocab::password::Secret;
use mclive_base::vocab::{HostError, HostErrorKind};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The maximum number of pages read from a list.
const MOST_PAGES: u64 = 200;
/// The longest wait that the API may ask for, and how often.
const LONGEST_BREAK: Duration = Duration::from_secs(60);
const MOST_BREAKS: usize = 10;

pub(super) struct Hetzner {
    base: String,
    token: Secret,
}

impl Hetzner {
    pub(super) fn new(shared: &Shared, token: &Secret) -> Result<Hetzner, HostError> {
        let usual = Cloud::Hetzner { token: Secret::default() }.address();
        Ok(Hetzner { base: address(shared, usual, &["HCLOUD_ENDPOINT"])?, token: token.clone() })
    }

    /// The server with a name, which is unique.
    pub(super) async fn find(&self, name: &str) -> Result<Option<Found>, HostError> {
        let servers = self.list("servers", &format!("name={}&", escaped(name))).await?;
        servers.iter().find(|server| server["name"] == *name).map(found).transpose()
    }

    pub(super) async fn act(&self, step: &Step, patience: Patience) -> Result<(), HostError> {
        let name = &step.machine.name;
        let id = step.now.as_ref().map(|now| &*now.id).unwrap_or_default();
        let asked = |what: &str| format!("servers/{id}/actions/{what}");
        match &step.action {
            Action::Create(order) => {
                self.create(name, order, patience).await?;
                let state = if order.start { Stand::On } else { Stand::Off };
                self.reaches(name, Goal::Is(state), patience).await
            }
            Action::Start => {
                self.does(Method::POST, &asked("poweron"), &json!({}), patience).await?;
                self.reaches(name, Goal::Is(Stand::On), patience).await
            }
            Action::Stop => {
                // Its system may ignore the request.
                let asked_nicely = async {
                    self.does(Method::POST, &asked("shutdown"), &json!({}), patience.half()).await?;
                    self.reaches(name, Goal::Is(Stand::Off), patience.half()).await
                };
                if asked_nicely.await.is_ok() {
                    return Ok(());
                }
                self.does(Method::POST, &asked("poweroff"), &json!({}), patience).await?;
                self.reaches(name, Goal::Is(Stand::Off), patience).await
            }
            Action::Delete => {
                self.does(Method::DELETE, &format!("servers/{id}"), &Value::Null, patience).await?;
                self.reaches(name, Goal::Gone, patience).await
            }
            Action::Rescue { system, keys } => {
                let keys = self.keys(Some(keys)).await?;
                let body = json!({ "type": system, "ssh_keys": keys });
                self.does(Method::POST, &asked("enable_rescue"), &body, patience).await
            }
            Action::Settle => self.reaches(name, Goal::Settled, patience).await,
        }
    }

    async fn create(&self, name: &str, order: &Order, patience: Patience) -> Result<(), HostError> {
        let Order { model, image, place, user_data, start } = order;
        let mut body = json!({
            "name": name, "server_type": model, "image": image, "start_after_create": start,
            "ssh_keys": self.keys(None).await?,
        });
        if !place.is_empty() {
            body[offered::kind_of(place)] = json!(place);
        }
        if !user_data.0.is_empty() {
            body["user_data"] = json!(user_data.0);
        }
        self.does(Method::POST, "servers", &body, patience).await
    }

    /// The ids of the project's keys: of all, or of those with these names.
    async fn keys(&self, names: Option<&[String]>) -> Result<Vec<Value>, HostError> {
        let all = self.list("ssh_keys", "").await?;
        let Some(names) = names else { return Ok(all.iter().map(|key| key["id"].clone()).collect()) };
        let number = |name: &String| {
            let key = all.iter().find(|key| key["name"] == *name);
            let missing = || HostError::new(HostErrorKind::Other, format!("the project has no SSH key `{name}`"));
            key.map(|key| key["id"].clone()).ok_or_else(missing)
        };
        names.iter().map(number).collect()
    }

    async fn reaches(&self, name: &str, goal: Goal, patience: Patience) -> Result<(), HostError> {
        let machine = format!("the server {name}");
        while !goal.is_reached_now(self.find(name).await?, &machine, patience).await? {}
        Ok(())
    }

    /// Sends a request and waits until all of its actions are finished.
    async fn does(&self, method: Method, path: &str, body: &Value, patience: Patience) -> Result<(), HostError> {
        let answer = loop {
            match self.say(method.clone(), path, body).await? {
                Ok(answer) => break answer,
                // Another action on it is in progress.
                Err(Denial { code, .. }) if code == "locked" || code == "conflict" => {
                    patience.pause(|| format!("{path}: the server is still locked")).await?;
                }
                Err(denial) => return Err(denial.error(path)),
            }
        };
        let next = answer["next_actions"].as_array().into_iter().flatten();
        for action in std::iter::once(&answer["action"]).chain(next).filter(|action| action.is_object()) {
            self.is_over(action, patience).await?;
        }
        Ok(())
    }

    async fn is_over(&self, action: &Value, patience: Patience) -> Result<(), HostError> {
        let mut action = action.clone();
        loop {
            let command = action["command"].as_str().unwrap_or("an action").to_owned();
            match action["status"].as_str() {
                Some("running") => {}
                Some("success") => return Ok(()),
                _ => {
                    let why = action["error"]["message"].as_str().unwrap_or("it failed");
                    return Err(HostError::new(HostErrorKind::Other, format!("{command}: {why}")));
                }
            }
            patience.pause(|| format!("{command} has not finished")).await?;
            let path = format!("actions/{}", action["id"]);
            let answer = self.say(Method::GET, &path, &Value::Null).await?;
            action = answer.map_err(|denial| denial.error(&path))?["action"].clone();
        }
    }

    /// Reads all pages of a list.
    async fn list(&self, what: &str, query: &str) -> Result<Vec<Value>, HostError> {
        let (mut all, mut page) = (Vec::new(), 1);
        while page <= MOST_PAGES {
            let path = format!("{what}?{query}page={page}&per_page=50");
            let answer = self.say(Method::GET, &path, &Value::Null).await?;
            let answer = answer.map_err(|denial| denial.error(what))?;
            let list = answer[what].as_array().ok_or_else(|| not_theirs(what))?;
            all.extend(list.iter().cloned());
            match answer.pointer("/meta/pagination/next_page").and_then(Value::as_u64) {
                Some(next) if next > page => page = next,
                _ => return Ok(all),
            }
        }
        // What is looked for may be on a later page.
        Err(endless(what, MOST_PAGES))
    }

    /// Sends a request; after a rate limit, once it is allowed again.
    async fn say(&self, method: Method, path: &str, body: &Value) -> Result<Result<Value, Denial>, HostError> {
        for _ in 0..MOST_BREAKS {
            let message = Message::new(method.clone(), format!("{}/{path}", self.base));
            let message = message.header("Authorization", format!("Bearer {}", self.token.0));
            let message = if body.is_null() { message } else { message.json(body) };
            let answer = talk::say(None, message).await?;
            if answer.status.as_u16() == 429 {
                tokio::time::sleep(pause(&answer, SystemTime::now())).await;
                continue;
            }
            return Ok(read(&answer, path));
        }
        Err(HostError::new(HostErrorKind::TimedOut, format!("{path}: the API keeps reporting too many requests")))
    }
}

/// Why the API refuses a request.
#[derive(Debug)]
struct Denial {
    code: String,
    message: String,
}

impl Denial {
    fn error(&self, what: &str) -> HostError {
        let kind = match &*self.code {
            // Another client was faster: the state is checked again.
            "uniqueness_error" | "not_found" => HostErrorKind::NotFound,
            "unauthorized" | "forbidden" => HostErrorKind::PermissionDenied,
            _ => HostErrorKind::Other,
        };
        let what = what.split('?').next().unwrap_or_default();
        HostError::new(kind, format!("{what}: {} ({})", self.message, self.code))
    }
}

fn read(answer: &Answer, path: &str) -> Result<Value, Denial> {
    let told: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if answer.status.is_success() && (told.is_object() || answer.body.is_empty()) {
        return Ok(told);
    }
    let text = |field: &str| told["error"][field].as_str().map(str::to_owned);
    let code = text("code").unwrap_or_else(|| answer.status.as_str().to_owned());
    let message = text("message").unwrap_or_else(|| not_theirs(path).message);
    Err(Denial { code, message })
}

fn not_theirs(what: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{what}: unexpected response from Hetzner Cloud"))
}

/// How long no request is allowed.
fn pause(answer: &Answer, now: SystemTime) -> Duration {
    let until = answer.header("RateLimit-Reset").and_then(|text| text.parse().ok()).map(Duration::from_secs);
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    until.map_or(Duration::from_secs(1), |until| until.saturating_sub(now)).clamp(super::SHORTEST, LONGEST_BREAK)
}

fn found(server: &Value) -> Result<Found, HostError> {
    let words = |pointers: &[&str]| -> Vec<String> {
        let values = pointers.iter().filter_map(|pointer| server.pointer(pointer));
        let texts = values.filter_map(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        texts.collect()
    };
    let word = server["status"].as_str().ok_or_else(|| not_theirs("servers"))?;
    Ok(Found {
        id: server["id"].to_string(),
        state: match word {
            "running" => Stand::On,
            "off" => Stand::Off,
            _ => Stand::Passing,
        },
        word: word.to_owned(),
        model: words(&["/server_type/name", "/server_type/id"]),
        place: words(&["/datacenter/name", "/datacenter/location/name", "/location/name"]),
        image: words(&["/image/name", "/image/description", "/image/id"]),
        rescue: server["rescue_enabled"].as_bool().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::http::StatusCode;

    fn answer(status: u16, body: &str) -> Answer {
        let status = StatusCode::from_u16(status).unwrap();
        Answer { status, headers: Default::default(), body: body.as_bytes().to_vec() }
    }

    #[test]
    fn a_server_of_either_generation() {
        let old = json!({ "id": 7, "status": "off", "server_type": { "name": "cx22" }, "image": null,
            "datacenter": { "name": "fsn1-dc14", "location": { "name": "fsn1" } }, "rescue_enabled": true });
        let old = found(&old).unwrap();
        assert_eq!((&*old.id, old.state, old.rescue), ("7", Stand::Off, true));
        assert_eq!((old.place, old.image), (vec!["fsn1-dc14".to_owned(), "fsn1".to_owned()], Vec::<String>::new()));
        let new = json!({ "id": 7, "status": "starting", "location": { "name": "fsn1" }, "image": { "id": 4 } });
        let new = found(&new).unwrap();
        assert_eq!((new.state, new.place, new.image), (Stand::Passing, vec!["fsn1".to_owned()], vec!["4".to_owned()]));
        assert!(found(&json!({ "id": 7 })).is_err());
    }

    #[test]
    fn what_a_denial_says() {
        let taken = r#"{"error":{"code":"uniqueness_error","message":"server name is already used"}}"#;
        let error = read(&answer(409, taken), "servers").unwrap_err().error("servers?name=a");
        assert_eq!(error.message, "servers: server name is already used (uniqueness_error)");
        assert_eq!(error.kind, HostErrorKind::NotFound);
        let odd = read(&answer(502, "<html>"), "servers").unwrap_err();
        assert!(odd.error("servers").message.contains("unexpected response from Hetzner Cloud (502)"));
    }

    #[test]
    fn a_list_without_an_end_is_not_taken_for_a_whole_one() {
        use std::io::{BufRead, BufReader, Write};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for (n_earlier, stream) in listener.incoming().map_while(Result::ok).enumerate() {
                let head = BufReader::new(&stream).lines().map_while(Result::ok);
                head.take_while(|line| !line.is_empty()).for_each(drop);
                let pages = json!({ "pagination": { "next_page": n_earlier + 2 } });
                let body = json!({ "servers": [], "meta": pages }).to_string();
                let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
            }
        });
        let hetzner = Hetzner { base, token: Secret("t".into()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
        let error = runtime.block_on(hetzner.find("web")).unwrap_err();
        assert_eq!(error.message, "servers: the list has more than 200 pages");
    }

    #[test]
    fn a_break_has_a_bound() {
        let mut busy = answer(429, "");
        let now = UNIX_EPOCH + Duration::from_secs(1000);
        assert_eq!(pause(&busy, now), Duration::from_secs(1));
        for (reset, expect) in
            [("1007", Duration::from_secs(7)), ("9000", LONGEST_BREAK), ("3", super::super::SHORTEST)]
        {
            busy.headers.insert("RateLimit-Reset", reset.parse().unwrap());
            assert_eq!(pause(&busy, now), expect);
        }
    }
}
