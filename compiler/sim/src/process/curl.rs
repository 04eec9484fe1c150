//! `curl` on the simulated host: the part that programs use to talk to the host's own servers, and to get the content of
//! other hosts.

use super::super::path;
use super::super::web::{self, NoAnswer, Response, Web};
use super::Tree;

/// The parsed arguments.
#[derive(Default)]
struct Asked {
    url: Option<String>,
    method: Option<String>,
    data: Option<String>,
    output: Option<String>,
    write_out: String,
    silent: bool,
    shows_errors: bool,
    fails: bool,
    head: bool,
}

/// The exit status and both outputs.
pub(super) fn run(args: &[String], cwd: &str, tree: &mut Tree, servers: &mut Web) -> (i32, Vec<u8>, Vec<u8>) {
    let asked = match Asked::parse(args) {
        Ok(asked) => asked,
        Err(error) => return (2, Vec::new(), format!("curl: {error}\n").into_bytes()),
    };
    let told = |status: i32, text: String| {
        let text =
            if asked.silent && !asked.shows_errors { String::new() } else { format!("curl: ({status}) {text}\n") };
        (status, Vec::new(), text.into_bytes())
    };
    let url = asked.url.as_deref().unwrap_or_default();
    let remote = servers.remotes.get(url).cloned();
    let rest = match url.split_once("://") {
        Some(("http", rest)) => rest,
        Some((_, rest)) if remote.is_some() => rest,
        Some((scheme, _)) => return told(1, format!("Protocol \"{scheme}\" not supported")),
        None => url,
    };
    let Some(((host, port), target)) = web::parts(rest) else {
        return told(3, "URL rejected: Port number was not a decimal number".into());
    };
    let method = asked.method.as_deref().unwrap_or(match (asked.head, &asked.data) {
        (true, _) => "HEAD",
        (false, Some(_)) => "POST",
        (false, None) => "GET",
    });
    let data = asked.data.as_deref().unwrap_or_default().as_bytes();
    let response = match remote {
        Some(remote) if remote.is_down => return told(7, format!("Failed to connect to {host}")),
        Some(remote) => Ok(Response { status: remote.status, body: remote.body }),
        None => servers.request(tree, (host, port), method, &target, data),
    };
    let Response { status, body } = match response {
        Ok(response) => response,
        Err(NoAnswer::UnknownHost) => return told(6, format!("Could not resolve host: {host}")),
        Err(NoAnswer::NobodyListens) => return told(7, format!("Failed to connect to {host} port {port}")),
    };
    if asked.fails && status >= 400 {
        return told(22, format!("The requested URL returned error: {status}"));
    }
    let mut out = if asked.head { format!("HTTP/1.1 {status}\r\n\r\n").into_bytes() } else { Vec::new() };
    if method != "HEAD" {
        match &asked.output {
            Some(file) => {
                if let Err(error) = tree.write(&path::absolute(cwd, file), body, None) {
                    return told(23, error.message);
                }
            }
            None => out.extend_from_slice(&body),
        }
    }
    let code = status.to_string();
    out.extend_from_slice(asked.write_out.replace("%{http_code}", &code).replace("\\n", "\n").as_bytes());
    (0, out, Vec::new())
}

impl Asked {
    fn parse(args: &[String]) -> Result<Asked, String> {
        let mut asked = Asked::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if let Some(long) = arg.strip_prefix("--") {
                let (name, given) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_string())),
                    None => (long, None),
                };
                let mut value =
                    || given.clone().or_else(|| args.next().cloned()).ok_or(format!("--{name} requires a value"));
                match name {
                    "silent" => asked.silent = true,
                    "show-error" => asked.shows_errors = true,
                    "fail" => asked.fails = true,
                    "head" => asked.head = true,
                    "location" => {}
                    "request" => asked.method = Some(value()?),
                    "data" | "data-raw" | "data-binary" => asked.add_data(&value()?),
                    "output" => asked.output = Some(value()?),
                    "write-out" => asked.write_out = value()?,
                    "header" | "max-time" | "connect-timeout" => drop(value()?),
                    _ => return Err(format!("option --{name}: is not supported")),
                }
            } else if arg.starts_with('-') && arg.len() > 1 {
                asked.short(&arg[1..], &mut args)?;
            } else {
                asked.url = Some(arg.clone());
            }
        }
        if asked.url.is_none() { Err("no URL specified".into()) } else { Ok(asked) }
    }

    /// Letters after a dash; one with a value takes the rest of the word, or the next word.
    fn short<'a>(&mut self, letters: &str, args: &mut impl Iterator<Item = &'a String>) -> Result<(), String> {
        for (at, letter) in letters.char_indices() {
            let rest = &letters[at + letter.len_utf8()..];
            let mut value = || match rest {
                "" => args.next().cloned().ok_or(format!("-{letter} requires a value")),
                rest => Ok(rest.to_string()),
            };
            match letter {
                's' => self.silent = true,
                'S' => self.shows_errors = true,
                'f' => self.fails = true,
                'I' => self.head = true,
                'L' | 'k' | '4' | '6' => {}
                'X' => return value().map(|method| self.method = Some(method)),
                'd' => return value().map(|data| self.add_data(&data)),
                'o' => return value().map(|file| self.output = Some(file)),
                'w' => return value().map(|text| self.write_out = text),
                'H' | 'm' | 'A' => return value().map(drop),
                _ => return Err(format!("option -{letter}: is not supported")),
            }
        }
        Ok(())
    }

    fn add_data(&mut self, data: &str) {
        self.data = Some(match self.data.take() {
            Some(before) => format!("{before}&{data}"),
            None => data.to_string(),
        });
    }
}
