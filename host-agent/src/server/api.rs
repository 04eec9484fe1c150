//! `/api/v1/check` and the other compiler functions, for other programs. JSON in, JSON out; [`DESCRIPTION`] is the
//! reference.

use super::client::Client;
use super::compute::{Busy, Worked};
use super::rates::Kind;
use super::reply::Reply;
use super::{Playground, picture};
use crate::embed::contract::{GraphFormat, GraphKind, Program, Shown, SourceFile, Undrawn};
use crate::embed::{Sandbox, Trap};
use crate::network::http::{Bytes, StatusCode};
use crate::share::Shared;
use mclive_base::layout;
use mclive_base::shapes::scenario::Tested;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// As OpenAPI 3.1.
pub(super) const DESCRIPTION: &str = include_str!("openapi.json");

/// The largest answer. A few lines of a program can have a graph of any size, and the server holds an answer until a slow
/// client has received it. Units: bytes.
const LARGEST_ANSWER: usize = 4 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Question {
    Check,
    Graph,
    Format,
    Simulate,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    program: Shared,
    hostname: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Graph {
    program: Shared,
    hostname: Option<String>,
    of: Option<Which>,
    #[serde(default)]
    format: Form,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Which {
    Functions,
    Words,
    Model,
    Resources,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    #[default]
    Json,
    Dot,
    Text,
    Svg,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Simulate {
    program: Shared,
    scenario: String,
}

/// An answer: its status, and JSON.
pub(super) struct Answer(StatusCode, String);

#[derive(Serialize)]
struct Written<'a> {
    graph: &'a str,
}

#[derive(Serialize)]
struct Formatted<'a> {
    content: &'a str,
}

#[derive(Serialize)]
struct Simulated<'a> {
    passed: bool,
    #[serde(flatten)]
    tested: &'a Tested,
}

#[derive(Serialize)]
struct Refused<'a> {
    error: &'a str,
}

impl Question {
    const ALL: [Question; 4] = [Question::Check, Question::Graph, Question::Format, Question::Simulate];

    pub(super) fn name(self) -> &'static str {
        match self {
            Question::Check => "check",
            Question::Graph => "graph",
            Question::Format => "format",
            Question::Simulate => "simulate",
        }
    }

    pub(super) fn named(name: &str) -> Option<Question> {
        Question::ALL.into_iter().find(|question| question.name() == name)
    }
}

impl Playground {
    /// The features of this server.
    pub(super) fn about(&self) -> Reply {
        let about = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "versions": self.versions.keys().collect::<Vec<_>>(),
            "shares": self.store.is_some(),
        });
        Reply::json(StatusCode::OK, &about)
    }

    pub(super) async fn ask(&self, question: Question, body: &Bytes, client: Client) -> Reply {
        let body = body.clone();
        match self.compute(client, move |sandbox| answer(question, &body, sandbox)).await {
            Ok(Ok(Answer(_, json))) if json.len() > LARGEST_ANSWER => {
                let why = format!("the response would be larger than the limit of {} MiB", LARGEST_ANSWER >> 20);
                Reply::refusal(StatusCode::UNPROCESSABLE_ENTITY, &why)
            }
            Ok(Ok(Answer(status, json))) => Reply::json_text(json).with_status(status),
            Ok(Err(trap)) => Reply::refusal(StatusCode::UNPROCESSABLE_ENTITY, &exceeded(&trap)),
            Err(busy) => busy,
        }
    }

    /// Runs the compiler for a client, and charges the time to it. Errors: a refusal, since too many others wait, or this
    /// client asks too much.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce(Sandbox) -> Result<T, Trap> + Send + 'static,
    ) -> Result<Result<T, Trap>, Reply> {
        let turn = self.compute.turn(client).await.map_err(|busy| {
            let (status, words) = match busy {
                Busy::All => (StatusCode::SERVICE_UNAVAILABLE, "the compiler is busy; try again later"),
                Busy::Own => (StatusCode::TOO_MANY_REQUESTS, "too many requests at once from this address"),
            };
            Reply::refusal(status, words).retry_after(Duration::from_secs(4))
        })?;
        // While it waited its earlier requests were charged.
        self.rates.judge(client, Instant::now()).map_err(|wait| self.limited(wait))?;
        let Worked { result, took } = self.compute.run(turn, work).await;
        self.rates.charge(client, Kind::Compute, took.as_secs_f64(), Instant::now());
        self.metrics.computed(took, result.is_err());
        Ok(result)
    }
}

/// The public description of a failed sandbox.
fn exceeded(trap: &Trap) -> String {
    match trap {
        Trap::Fault(_) | Trap::Memory(_) => "this program exceeds the time or memory limit of this server".into(),
        Trap::Lacks(_) => "this server cannot run the compiler at the moment".into(),
    }
}

/// A program for the compiler: its files below `/`.
pub(super) fn program(shared: &Shared) -> Program {
    let files =
        shared.files().map(|(path, content)| SourceFile { path: format!("/{path}"), content: content.to_vec() });
    Program { files: files.collect(), entry: format!("/{}", shared.entry), environment: Vec::new() }
}

pub(super) fn shown() -> Shown {
    Shown { colour: false, root: String::new(), elsewhere: Vec::new() }
}

fn answer(question: Question, body: &[u8], sandbox: Sandbox) -> Result<Answer, Trap> {
    let answered = match question {
        Question::Check => read(body).map(|asked| check(asked, sandbox)),
        Question::Graph => read(body).map(|asked| graph(asked, sandbox)),
        Question::Format => read(body).map(|asked| format(asked, sandbox)),
        Question::Simulate => read(body).map(|asked| simulate(asked, sandbox)),
    };
    answered.unwrap_or_else(|why| Ok(refused(StatusCode::BAD_REQUEST, &why)))
}

fn read<'de, T: Deserialize<'de>>(body: &'de [u8]) -> Result<T, String> {
    crate::share::read_object(body).map_err(|error| format!("invalid request: {error}"))
}

fn refused(status: StatusCode, why: &str) -> Answer {
    json(status, &Refused { error: why })
}

fn json(status: StatusCode, value: &impl Serialize) -> Answer {
    Answer(status, serde_json::to_string(value).expect("plain data"))
}

fn check(asked: Check, sandbox: Sandbox) -> Result<Answer, Trap> {
    let shared = match asked.program.checked().and_then(Shared::program) {
        Ok(shared) => shared,
        Err(why) => return Ok(refused(StatusCode::BAD_REQUEST, &why)),
    };
    let report = sandbox.check(&program(&shared), asked.hostname.as_deref(), &[], &shown())?;
    Ok(match report {
        Ok(report) => Answer(StatusCode::OK, report.json),
        Err(why) => refused(StatusCode::BAD_REQUEST, &why),
    })
}

fn graph(asked: Graph, mut sandbox: Sandbox) -> Result<Answer, Trap> {
    let shared = match asked.program.checked().and_then(Shared::program) {
        Ok(shared) => shared,
        Err(why) => return Ok(refused(StatusCode::BAD_REQUEST, &why)),
    };
    let which = asked.of.map(|which| match which {
        Which::Functions => GraphKind::Functions,
        Which::Words => GraphKind::Words,
        Which::Model => GraphKind::Model,
        Which::Resources => GraphKind::Resources,
    });
    let (which, format) = match asked.format {
        Form::Json => (which, GraphFormat::Json),
        Form::Dot => (which, GraphFormat::Dot),
        Form::Text => (which, GraphFormat::Text),
        // The only picture that the server draws.
        Form::Svg => (Some(GraphKind::Resources), GraphFormat::Json),
    };
    let drawn = sandbox.graph(&program(&shared), which, format, asked.hostname.as_deref(), None, &shown())?;
    let text = match drawn {
        Ok(text) => text,
        Err(Undrawn::Refused(report)) => return Ok(Answer(StatusCode::UNPROCESSABLE_ENTITY, report.json)),
        Err(Undrawn::Missing(has)) => {
            let why = format!("a program in this language has no such graph; use one of {has}");
            return Ok(refused(StatusCode::BAD_REQUEST, &why));
        }
        Err(Undrawn::Unknown(_)) => {
            return Ok(refused(StatusCode::UNPROCESSABLE_ENTITY, "facts of the host are missing"));
        }
    };
    Ok(match asked.format {
        // It is JSON already.
        Form::Json => Answer(StatusCode::OK, format!("{{\"graph\":{text}}}")),
        Form::Dot | Form::Text => json(StatusCode::OK, &Written { graph: &text }),
        Form::Svg => json(StatusCode::OK, &Written { graph: &picture::text(&super::graph::Graph::read(&text)) }),
    })
}

fn format(asked: Format, mut sandbox: Sandbox) -> Result<Answer, Trap> {
    if layout::of(&asked.path).is_none() {
        return Ok(refused(StatusCode::BAD_REQUEST, "`path` is not a program: its name must end in .mcl or .cf"));
    }
    let path = format!("/{}", asked.path.trim_start_matches('/'));
    Ok(match sandbox.format(&path, asked.content.as_bytes(), &shown())? {
        Ok(content) => json(StatusCode::OK, &Formatted { content: &content }),
        Err(report) => Answer(StatusCode::UNPROCESSABLE_ENTITY, report.json),
    })
}

fn simulate(asked: Simulate, mut sandbox: Sandbox) -> Result<Answer, Trap> {
    let shared = match asked.program.checked().and_then(Shared::program) {
        Ok(shared) => shared,
        Err(why) => return Ok(refused(StatusCode::BAD_REQUEST, &why)),
    };
    let tested = sandbox.test(&program(&shared), "scenario", &asked.scenario)?;
    Ok(json(StatusCode::OK, &Simulated { passed: tested.passed(), tested: &tested }))
}
