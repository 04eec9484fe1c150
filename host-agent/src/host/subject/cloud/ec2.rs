//! The query API of Amazon EC2: signed forms, and answers in XML.

use super::{Goal, Patience, address, endless};
use crate::host::Shared;
use crate::network::amazon::{self, Credentials, Request, Scope};
use crate::network::http::Method;
use crate::network::http::talk::{self, Answer, escaped};
use crate::network::mac::hex;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mclive_base::hash::sha256;
use mclive_base::vocab::cloud::{Action, Cloud, Found, Order, Stand, Step};
use mclive_base::vocab::{HostError, HostErrorKind};
use roxmltree::{Document, Node};
use std::time::Duration;

const VERSION: &str = "2016-11-15";
/// The prefix of a resource's name in the tag.
const PREFIX: &str = "mclive-";
/// Terminated instances are still listed for an hour.
const STATES: [&str; 5] = ["pending", "running", "shutting-down", "stopping", "stopped"];
const MOST_PAGES: u64 = 100;
/// The number of tokens to try: one may belong to an instance that is already terminated.
const MOST_TOKENS: u32 = 16;
/// The first and the longest pause after a rate limit.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(16));

pub(super) struct Ec2 {
    base: String,
    region: String,
    metadata: Result<String, HostError>,
}

type Fields = Vec<(String, String)>;

impl Ec2 {
    pub(super) fn new(shared: &Shared, region: &str) -> Result<Ec2, HostError> {
        let usual = Cloud::Ec2 { region: region.to_owned() }.address();
        let base = address(shared, usual, &["AWS_ENDPOINT_URL_EC2", "AWS_ENDPOINT_URL"])?;
        let metadata = address(shared, amazon::METADATA.into(), &["AWS_EC2_METADATA_SERVICE_ENDPOINT"]);
        Ok(Ec2 { base, region: region.to_owned(), metadata })
    }

    /// The instance with a tag that is not terminated. One that is terminating counts only if there is no other.
    pub(super) async fn find(&self, name: &str) -> Result<Option<Found>, HostError> {
        let mut all = self.instances(&filters(name)).await?;
        all.sort_by_key(|found| found.word == "shutting-down");
        match &mut all[..] {
            [] => Ok(None),
            [_, second, ..] if second.word != "shutting-down" => {
                let ids: Vec<_> = all.iter().map(|found| &*found.id).collect();
                let why = format!("several instances are named {PREFIX}{name}: {}", ids.join(", "));
                Err(HostError::new(HostErrorKind::Other, why))
            }
            [first, ..] => Ok(Some(std::mem::take(first))),
        }
    }

    pub(super) async fn act(&self, step: &Step, patience: Patience) -> Result<(), HostError> {
        let name = &step.machine.name;
        let id = step.now.as_ref().map(|now| &*now.id).unwrap_or_default();
        let (what, goal) = match &step.action {
            Action::Create(order) => return self.create(name, order, patience).await,
            Action::Start => ("StartInstances", Goal::Is(Stand::On)),
            Action::Stop => ("StopInstances", Goal::Is(Stand::Off)),
            Action::Delete => ("TerminateInstances", Goal::Gone),
            Action::Settle => return self.reaches(name, Goal::Settled, patience).await,
            Action::Rescue { .. } => return Err(HostError::unavailable("a rescue system", "EC2 does not have one")),
        };
        self.say(what, &[field("InstanceId.1", id)]).await?;
        self.reaches(name, goal, patience).await
    }

    /// Creates it with its name, and with a token, so that it is not created twice if the answer is lost.
    async fn create(&self, name: &str, order: &Order, patience: Patience) -> Result<(), HostError> {
        let mut fields: Fields = vec![
            field("ImageId", &order.image),
            field("InstanceType", &order.model),
            field("MinCount", "1"),
            field("MaxCount", "1"),
            field("TagSpecification.1.ResourceType", "instance"),
            field("TagSpecification.1.Tag.1.Key", "Name"),
            field("TagSpecification.1.Tag.1.Value", &format!("{PREFIX}{name}")),
        ];
        if !order.user_data.0.is_empty() {
            fields.push(field("UserData", &STANDARD.encode(&order.user_data.0)));
        }
        for attempt in 0..MOST_TOKENS {
            let token = hex(&sha256(format!("{attempt} {fields:?}").as_bytes()));
            let asked = [&fields[..], &[field("ClientToken", &token)]].concat();
            // Only a changed order can fix this.
            let for_good = |error: HostError| HostError::new(HostErrorKind::Other, error.message);
            let answer = self.say("RunInstances", &asked).await.map_err(for_good)?;
            let mut made = instances(&parsed(&answer, "RunInstances")?)?.0;
            let none =
                || HostError::new(HostErrorKind::Other, "RunInstances: the response does not contain an instance");
            let made = made.pop().ok_or_else(none)?;
            if self.starts(&made.id, patience).await? {
                return Ok(());
            }
        }
        let why = format!("every new instance {name} was terminated immediately");
        Err(HostError::new(HostErrorKind::Other, why))
    }

    /// Waits until an instance runs; `false` if it is being terminated.
    async fn starts(&self, id: &str, patience: Patience) -> Result<bool, HostError> {
        loop {
            let word = match self.instances(&[field("InstanceId.1", id)]).await {
                Ok(found) => found.into_iter().next().map_or("unknown".to_owned(), |found| found.word),
                // Not all servers know it yet.
                Err(error) if error.kind == HostErrorKind::NotFound => "unknown".to_owned(),
                Err(error) => return Err(error),
            };
            match &*word {
                "running" => return Ok(true),
                "shutting-down" | "terminated" => return Ok(false),
                _ => patience.pause(|| format!("the instance {id} is still {word}")).await?,
            }
        }
    }

    async fn reaches(&self, name: &str, goal: Goal, patience: Patience) -> Result<(), HostError> {
        let machine = format!("the instance {name}");
        while !goal.is_reached_now(self.find(name).await?, &machine, patience).await? {}
        Ok(())
    }

    pub(super) async fn has_image(&self, image: &str) -> Result<bool, HostError> {
        match self.say("DescribeImages", &[field("ImageId.1", image)]).await {
            Ok(answer) => {
                let text = parsed(&answer, "DescribeImages")?;
                let document = document(&text, "DescribeImages")?;
                Ok(document.descendants().any(|node| node.has_tag_name_of("imageId") && node.text() == Some(image)))
            }
            Err(error) if error.kind == HostErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads all pages.
    async fn instances(&self, fields: &[(String, String)]) -> Result<Vec<Found>, HostError> {
        let (mut all, mut page) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let asked = [fields, page.as_slice()].concat();
            let answer = self.say("DescribeInstances", &asked).await?;
            let (found, next) = instances(&parsed(&answer, "DescribeInstances")?)?;
            all.extend(found);
            page = next.map(|token| field("NextToken", &token));
            if page.is_none() {
                return Ok(all);
            }
        }
        // The instance that is looked for may be on a later page.
        Err(endless("DescribeInstances", MOST_PAGES))
    }

    /// Requests an action. After a rate limit it is requested again later.
    async fn say(&self, action: &str, fields: &[(String, String)]) -> Result<Answer, HostError> {
        let keys = Credentials::find(self.metadata.clone()).await?;
        let head = [field("Action", action), field("Version", VERSION)];
        let fields = [&head[..], fields].concat();
        let mut pause = PAUSES.0;
        loop {
            let scope = Scope { region: &self.region, service: "ec2" };
            let answer = talk::say(None, form(&self.base, &fields).signed(&keys, &scope)).await?;
            if answer.status.is_success() {
                return Ok(answer);
            }
            let (code, error) = denial(&answer, action);
            if !["RequestLimitExceeded", "Unavailable", "InternalError"].contains(&&*code) || pause > PAUSES.1 {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }
}

/// The instances with the tag of a resource that are not terminated.
fn filters(name: &str) -> Fields {
    let mut filters: Fields = vec![
        field("Filter.1.Name", "tag:Name"),
        field("Filter.1.Value.1", &literal(&format!("{PREFIX}{name}"))),
        field("Filter.2.Name", "instance-state-name"),
    ];
    filters.extend((1..).zip(STATES).map(|(at, state)| field(&format!("Filter.2.Value.{at}"), state)));
    filters
}

/// A filter that matches only this text: `*` and `?` would match the names of other instances.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '\\') {
            literal.push('\\');
        }
        literal.push(letter);
    }
    literal
}

fn field(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn parsed(answer: &Answer, what: &str) -> Result<String, HostError> {
    String::from_utf8(answer.body.clone()).map_err(|_| not_theirs(what))
}

fn document<'a>(text: &'a str, what: &str) -> Result<Document<'a>, HostError> {
    Document::parse(text).map_err(|_| not_theirs(what))
}

fn not_theirs(what: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{what}: unexpected response from EC2"))
}

/// Compares names without their namespace, which contains the version.
trait Named {
    fn has_tag_name_of(&self, name: &str) -> bool;
    fn child(&self, name: &str) -> Option<Self>
    where
        Self: Sized;
    fn text_of(&self, path: &[&str]) -> Option<String>;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.tag_name().name() == name
    }

    fn child(&self, name: &str) -> Option<Self> {
        self.children().find(|node| node.has_tag_name_of(name))
    }

    fn text_of(&self, path: &[&str]) -> Option<String> {
        let end = path.iter().try_fold(*self, |node, name| node.child(name))?;
        Some(end.text()?.to_owned())
    }
}

/// The instances of an answer, and the token of the next page.
fn instances(text: &str) -> Result<(Vec<Found>, Option<String>), HostError> {
    let document = document(text, "instances")?;
    let sets = document.descendants().filter(|node| node.has_tag_name_of("instancesSet"));
    let items = sets.flat_map(|set| set.children()).filter(|node| node.has_tag_name_of("item"));
    let found = items.map(|item| found(&item).ok_or_else(|| not_theirs("instances"))).collect::<Result<_, _>>()?;
    Ok((found, document.root_element().text_of(&["nextToken"]).filter(|token| !token.is_empty())))
}

fn found(item: &Node) -> Option<Found> {
    let word = item.text_of(&["instanceState", "name"])?;
    let texts = |path: &[&str]| item.text_of(path).into_iter().collect();
    Some(Found {
        id: item.text_of(&["instanceId"])?,
        state: match &*word {
            "running" => Stand::On,
            "stopped" => Stand::Off,
            _ => Stand::Passing,
        },
        word,
        model: texts(&["instanceType"]),
        place: texts(&["placement", "availabilityZone"]),
        image: texts(&["imageId"]),
        rescue: false,
    })
}

/// The code and message of an error response.
fn denial(answer: &Answer, what: &str) -> (String, HostError) {
    let text = String::from_utf8_lossy(&answer.body);
    let told = Document::parse(&text).ok().and_then(|document| {
        let error = document.descendants().find(|node| node.has_tag_name_of("Error"))?;
        Some((error.text_of(&["Code"])?, error.text_of(&["Message"]).unwrap_or_default()))
    });
    let Some((code, message)) = told else {
        let status = answer.status;
        let code = if status.as_u16() == 503 { "Unavailable" } else { "" };
        return (code.into(), HostError::new(HostErrorKind::Other, format!("{what}: the server returned {status}")));
    };
    let kind = match &*code {
        "AuthFailure" | "UnauthorizedOperation" => HostErrorKind::PermissionDenied,
        code if code.ends_with(".NotFound") || code.ends_with(".Malformed") => HostErrorKind::NotFound,
        _ => HostErrorKind::Other,
    };
    let error = HostError::new(kind, format!("{what}: {message} ({code})"));
    (code, error)
}

/// An action with its parameters.
fn form(base: &str, fields: &[(String, String)]) -> Request {
    let pairs: Vec<_> = fields.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
    const TYPE: &str = "application/x-www-form-urlencoded; charset=utf-8";
    let headers = vec![("content-type", TYPE.to_owned())];
    Request { method: Method::POST, url: format!("{base}/"), headers, body: pairs.join("&").into_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::http::StatusCode;

    #[test]
    fn instances_of_an_answer() {
        let text = r#"<?xml version="1.0"?><DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
            <reservationSet><item><groupSet><item><groupId>g</groupId></item></groupSet><instancesSet><item>
            <instanceId>i-1</instanceId><imageId>ami-1</imageId><instanceState><code>0</code><name>pending</name></instanceState>
            <instanceType>t3.nano</instanceType></item></instancesSet></item></reservationSet>
            <nextToken>more</nextToken></DescribeInstancesResponse>"#;
        let (found, next) = instances(text).unwrap();
        assert_eq!((found.len(), next.as_deref()), (1, Some("more")));
        assert_eq!((&*found[0].id, &*found[0].word, found[0].state), ("i-1", "pending", Stand::Passing));
        assert!(instances("<html>").is_err());
    }

    #[test]
    fn a_name_matches_no_other_instance() {
        assert_eq!(filters("web1")[1], field("Filter.1.Value.1", "mclive-web1"));
        assert_eq!(filters(r"w*b?\1")[1], field("Filter.1.Value.1", r"mclive-w\*b\?\\1"));
    }

    #[test]
    fn what_a_denial_says() {
        let body = b"<Response><Errors><Error><Code>InvalidAMIID.NotFound</Code><Message>no ami-1</Message></Error></Errors></Response>";
        let mut answer = Answer { status: StatusCode::BAD_REQUEST, headers: Default::default(), body: body.to_vec() };
        let (_, error) = denial(&answer, "RunInstances");
        assert_eq!(
            (error.kind, &*error.message),
            (HostErrorKind::NotFound, "RunInstances: no ami-1 (InvalidAMIID.NotFound)")
        );
        answer.body = b"oops".to_vec();
        assert_eq!(denial(&answer, "x").1.message, "x: the server returned 400 Bad Request");
    }
}
