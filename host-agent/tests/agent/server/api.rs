//! The API: the compiler for other programs.

use super::{Server, case, program};
use crate::case::cannot_look;
use serde_json::{Value, json};
use std::process::Command;

const FILE: &str = "file \"/tmp/a\" { state => \"exists\", content => \"hello\\n\", }\n";

#[test]
fn questions_have_their_answers() {
    let case = case("api");
    let server = Server::start(&case, &[]);
    let check = server.post("/api/v1/check", &json!({ "program": program("print \"p\" { msg => 1, }\n") }));
    assert_eq!(check.status, 200, "{check:?}");
    assert!(check.text().contains("\"E04"), "{}", check.text());
    let graph = server.post("/api/v1/graph", &json!({ "program": program(FILE), "of": "resources" }));
    assert_eq!(graph.json()["graph"]["vertices"][0]["name"], "/tmp/a", "{graph:?}");
    let dot = server.post("/api/v1/graph", &json!({ "program": program(FILE), "format": "dot" }));
    assert!(dot.json()["graph"].as_str().unwrap().starts_with("digraph"), "{dot:?}");
    let svg = server.post("/api/v1/graph", &json!({ "program": program(FILE), "format": "svg" }));
    assert!(svg.json()["graph"].as_str().unwrap().starts_with("<svg"), "{svg:?}");
    let refused = server.post("/api/v1/graph", &json!({ "program": program("$a = \n") }));
    assert!(refused.status == 422 && refused.text().contains("\"E02"), "{refused:?}");
    let format = server.post("/api/v1/format", &json!({ "path": "main.mcl", "content": "$a   =  1" }));
    assert_eq!(format.json(), json!({ "content": "$a = 1\n" }));
    assert_eq!(server.post("/api/v1/format", &json!({ "path": "main.mcl", "content": "$a =" })).status, 422);
    let play = |scenario: &str| {
        server.post("/api/v1/simulate", &json!({ "program": program(FILE), "scenario": scenario })).json()
    };
    let passed = play("run\nexpect file /tmp/a holds \"hello\\n\"\nexpect no steps for 24h\n");
    assert_eq!((&passed["passed"], &passed["n_steps"]), (&json!(true), &json!(1)), "{passed}");
    assert!(passed["virtual_ms"].as_u64().unwrap() >= 86_400_000, "{passed}");
    let failed = play("run\nexpect file /tmp/b\n");
    assert_eq!((&failed["passed"], &failed["failure"]["line"]), (&json!(false), &json!(2)), "{failed}");
}

#[test]
fn wrong_questions_are_told_why() {
    let case = case("api-wrong");
    let server = Server::start(&case, &[]);
    for (path, body) in [
        ("check", json!({})),
        ("check", json!({ "program": program(""), "more": 1 })),
        ("check", json!({ "program": { "entry": "../x.mcl", "files": { "../x.mcl": "" } } })),
        ("graph", json!({ "program": program(""), "of": "everything" })),
        ("graph", json!({ "program": program(""), "of": "model" })),
        ("format", json!({ "path": "x.txt", "content": "" })),
        ("simulate", json!({ "program": program("") })),
        ("programs", json!({ "entry": "main.mcl", "files": {} })),
    ] {
        let answer = server.post(&format!("/api/v1/{path}"), &body);
        assert_eq!(answer.status, 400, "{path} {body}: {answer:?}");
        assert!(answer.json()["error"].as_str().is_some_and(|error| error.len() > 10), "{answer:?}");
    }
    let model = server.post("/api/v1/graph", &json!({ "program": program(""), "of": "model" })).json();
    assert_eq!(
        model["error"],
        "a program in this language has no such graph; use one of functions, words or resources"
    );
}

/// The description lists exactly the existing routes.
#[test]
fn the_description_is_true() {
    let case = case("api-description");
    let server = Server::start(&case, &[]);
    let description = server.get("/api/v1/openapi.json").json();
    let paths = description["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 7, "{:?}", paths.keys());
    let id = server.share("$a = 1\n");
    for (path, methods) in paths {
        let path = format!("/api/v1{}", path.replace("{id}", &id));
        for method in methods.as_object().unwrap().keys() {
            let answer = server.ask(&method.to_uppercase(), &path, "", b"{}").unwrap();
            assert!(![404, 405].contains(&answer.status), "{method} {path}: {answer:?}");
            assert!(
                answer.status == 200 || methods[method]["responses"][answer.status.to_string()].is_object(),
                "{path}"
            );
        }
        let preflight = server.ask("OPTIONS", &path, "Origin: https://other.example\r\n", b"").unwrap();
        assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (204, "*"), "{path}");
    }
    let about = server.get("/api/v1/").json();
    assert_eq!(about["shares"], true);
}

/// The page for people, which is also a part of the site's reference, and the one for operators.
const PAGES: [(&str, &str); 2] =
    [("API.md", include_str!("../../../API.md")), ("hosting/README.md", include_str!("../../../hosting/README.md"))];
const ADDRESS: &str = "http://127.0.0.1:8080";

#[test]
fn every_command_of_the_documentation_runs() {
    let case = case("api-documented");
    if Command::new("curl").arg("--version").output().is_err() {
        return cannot_look("the examples of the API: curl is not installed");
    }
    let server = Server::start(&case, &[]);
    for (page, text) in PAGES {
        let mut n_commands = 0;
        for line in text.lines().filter(|line| line.starts_with("curl ")) {
            assert!(line.contains(ADDRESS), "{page}: {line}");
            let command = line.replace(ADDRESS, &server.url());
            let command = command.replacen("curl ", "curl --silent --show-error --fail-with-body --max-time 240 ", 1);
            let ran = Command::new("sh").args(["-c", &command]).output().unwrap();
            let answer = String::from_utf8_lossy(&ran.stdout);
            assert!(ran.status.success(), "{page}: {line}\n{answer}{}", String::from_utf8_lossy(&ran.stderr));
            let answer: Value =
                serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{line}: {error}: {answer}"));
            if let Some(documented) = response_after(text, line) {
                let documented: Value = serde_json::from_str(documented).unwrap();
                assert!(holds(&answer, &documented), "{page}: {line}\ndocumented: {documented}\nresponse: {answer:#}");
            }
            n_commands += 1;
        }
        assert!(n_commands >= 4, "{page}: {n_commands}");
    }
    let page = PAGES[0].1;
    let is_documented = |line: &&str| response_after(page, line).is_some();
    let commands = page.lines().filter(|line| line.starts_with("curl "));
    assert_eq!(commands.filter(is_documented).count(), 4, "each has its response");
}

/// The JSON that a page shows after a command, before the next section.
fn response_after<'a>(page: &'a str, command: &str) -> Option<&'a str> {
    let (_, after) = page.split_once(command)?;
    let section = after.split("\n## ").next()?;
    section.split_once("```json\n")?.1.split("```").next()
}

/// Whether a value has everything of another one, which may leave out fields of objects.
fn holds(value: &Value, shown: &Value) -> bool {
    match (value, shown) {
        (Value::Object(value), Value::Object(shown)) => {
            shown.iter().all(|(name, shown)| value.get(name).is_some_and(|value| holds(value, shown)))
        }
        (Value::Array(value), Value::Array(shown)) => {
            value.len() == shown.len() && value.iter().zip(shown).all(|(value, shown)| holds(value, shown))
        }
        _ => value == shown,
    }
}
