//! Expectations: claims, and when they must hold.

use super::{Read, Words};
use crate::protocol::Phase;
use crate::scenario::claim::{AccountHas, Claim, End, Expectation, Has, PathKind, UnitIs, When};
use crate::scenario::count::Count;

/// The forms of a claim, for messages.
const CLAIMS: &str = "the claims are: [no] file|folder|link|path PATH; file PATH holds|contains|lacks TEXT; file PATH \
                      has mode 0644|owner NAME|group NAME|N lines; link PATH leads to TARGET; [no|N|at least N|at most \
                      N] steps [of KIND[NAME]]; [no] resource KIND[NAME]; resource KIND[NAME] has FIELD VALUE; \
                      resource KIND[NAME] is failed|retrying|waiting|changed|limited; [no] edge KIND[NAME] -> \
                      KIND[NAME]; [no] output TEXT [N times]; value $NAME is VALUE; value $NAME shows \"[1, 2]\"; [no] \
                      function NAME; [no] error [CODE]; [no] user|group NAME; user NAME has uid|shell|home|group VALUE; \
                      hostname NAME; unit NAME is running|stopped|failed|enabled|disabled; [no] package NAME; [no] \
                      mount PATH; [no] page URL; page URL holds|contains|lacks TEXT; key NAME is VALUE; no key NAME; \
                      command LINE ran N times; running; ended [with STATUS|with failure]";

impl Words<'_> {
    pub(super) fn expectation(&mut self) -> Read<Expectation> {
        let mut when = match self.peek() {
            Some("now") => When::Now,
            Some("always") => When::Always,
            Some("never") => When::Never,
            _ => When::Quiet,
        };
        self.at += usize::from(when != When::Quiet);
        let claim = self.claim()?;
        let mut lasts = None;
        while let Some(word) = self.next() {
            match (word.as_str(), when) {
                ("within", When::Quiet) => when = When::Within(self.time("a time")?),
                ("for", When::Quiet | When::Now | When::Within(_)) => lasts = Some(self.time("a time")?),
                (other @ ("within" | "for"), _) => {
                    return Err(format!(
                        "`{other}` is a duplicate, or cannot be combined with `now`, `always` or `never`"
                    ));
                }
                (other, _) => return Err(format!("unexpected `{other}`; {CLAIMS}")),
            }
        }
        Ok(Expectation { claim, when, lasts })
    }

    fn claim(&mut self) -> Read<Claim> {
        if let Some(count) = self.count_of_steps()? {
            let of = if self.takes("of") { Some(self.resource()?) } else { None };
            return Ok(Claim::Steps { count, of });
        }
        let is_there = !self.takes("no");
        let word = self.text(CLAIMS)?;
        let path_kind = match word.as_str() {
            "file" => Some(PathKind::File),
            "folder" => Some(PathKind::Folder),
            "link" => Some(PathKind::Link),
            "path" => Some(PathKind::Anything),
            _ => None,
        };
        if let Some(kind) = path_kind {
            let path = self.path()?;
            return Ok(match self.has()? {
                Some(has) if is_there => Claim::File { path, has },
                Some(_) => {
                    return Err("`no` cannot be combined with this claim; use `lacks`, or state what the file \
                                       should have"
                        .into());
                }
                None => Claim::Path { path, kind, is_there },
            });
        }
        let positive = |claim| if is_there { Ok(claim) } else { Err(format!("`no` cannot be combined with `{word}`")) };
        match word.as_str() {
            "resource" => {
                let id = self.resource()?;
                if self.takes("has") {
                    return positive(Claim::Field { id, field: self.text("a field")?, value: self.text("a value")? });
                }
                if self.takes("is") {
                    return positive(Claim::Phase { id, phase: self.phase()? });
                }
                Ok(Claim::Resource { id, is_there })
            }
            "edge" => {
                let from = self.resource()?;
                self.word("->")?;
                Ok(Claim::Edge { from, to: self.resource()?, is_there })
            }
            "output" => {
                let text = self.text("text")?;
                let count = match self.count()? {
                    Some(_) if !is_there => return Err("`no` cannot be combined with a number".into()),
                    Some(count) => {
                        if !self.takes("times") {
                            self.word("time")?;
                        }
                        count
                    }
                    None => Count::any(is_there),
                };
                Ok(Claim::Output { text, count })
            }
            "value" => {
                let name = self.text("a variable")?;
                let shows = self.takes("shows");
                if !shows {
                    self.word("is")?;
                }
                let word = self.words.get(self.at).cloned().ok_or("expected a value")?;
                self.at += 1;
                let value = if word.quoted && !shows { format!("{:?}", word.text) } else { word.text };
                positive(Claim::Value { name: name.trim_start_matches('$').to_owned(), value })
            }
            "function" => Ok(Claim::Function { name: self.text("a function, such as iter.map")?, is_there }),
            "error" => {
                let code = match self.peek() {
                    Some("within" | "for") | None => String::new(),
                    Some(_) => self.text("a code")?,
                };
                Ok(Claim::Error { code, is_there })
            }
            "user" => {
                let name = self.text("a name")?;
                if self.takes("has") {
                    return positive(Claim::Account { name, has: self.account_has()? });
                }
                Ok(Claim::User { name, is_there })
            }
            "page" => {
                let url = self.text("an address")?;
                match self.has()? {
                    Some(has @ (Has::Content(_) | Has::Part(_) | Has::NoPart(_))) => positive(Claim::Page { url, has }),
                    Some(_) => Err("expected `holds`, `contains` or `lacks` after a page".into()),
                    None => Ok(Claim::Answer { url, is_there }),
                }
            }
            "key" => {
                let key = self.text("a key")?;
                if !is_there {
                    return Ok(Claim::Key { key, value: None });
                }
                self.word("is")?;
                Ok(Claim::Key { key, value: Some(self.text("a value")?) })
            }
            "unit" => {
                let name = self.text("a unit, such as nginx.service")?;
                self.word("is")?;
                let is = match self.text("`running`, `stopped`, `failed`, `enabled` or `disabled`")?.as_str() {
                    "running" => UnitIs::Running,
                    "stopped" => UnitIs::Stopped,
                    "failed" => UnitIs::Failed,
                    "enabled" => UnitIs::Enabled,
                    "disabled" => UnitIs::Disabled,
                    other => return Err(format!("expected a state of a unit, found `{other}`")),
                };
                positive(Claim::Unit { name, is })
            }
            "package" => Ok(Claim::Package { name: self.text("a package")?, is_there }),
            "mount" => Ok(Claim::Mount { path: self.path()?, is_there }),
            "group" => Ok(Claim::Group { name: self.text("a name")?, is_there }),
            "hostname" => positive(Claim::Hostname { name: self.text("a name")? }),
            "command" => {
                let line = self.text("a command line")?;
                self.word("ran")?;
                let count = self.count()?.ok_or("missing the number of times, such as `2 times`")?;
                if !self.takes("times") {
                    self.word("time")?;
                }
                positive(Claim::Ran { line, count })
            }
            "running" => positive(Claim::Running),
            "ended" => {
                let how = match self.takes("with") {
                    true if self.takes("failure") => End::Failed,
                    true => End::Status(self.number("a status")?),
                    false => End::Somehow,
                };
                positive(Claim::Ended { how })
            }
            "on" => Err("`on HOST` begins the line: `on HOST expect ...`".into()),
            other => Err(format!("unknown claim `{other}`; {CLAIMS}")),
        }
    }

    /// The property claimed of a file, if the line continues.
    fn has(&mut self) -> Read<Option<Has>> {
        Ok(Some(match self.peek() {
            Some("holds") => Has::Content(self.after("text")?),
            Some("contains") => Has::Part(self.after("text")?),
            Some("lacks") => Has::NoPart(self.after("text")?),
            Some("leads") => {
                self.at += 1;
                self.word("to")?;
                Has::Target(self.text("the target of the link")?)
            }
            Some("has") => {
                self.at += 1;
                match self.peek() {
                    Some("mode") => {
                        self.at += 1;
                        Has::Mode(self.mode()?)
                    }
                    Some("owner") => Has::Owner(self.after("a user")?),
                    Some("group") => Has::Group(self.after("a group")?),
                    _ => {
                        let count = self.count()?.ok_or("expected `mode`, `owner`, `group` or `N lines`")?;
                        if !self.takes("lines") {
                            self.word("line")?;
                        }
                        Has::Lines(count)
                    }
                }
            }
            _ => return Ok(None),
        }))
    }

    fn account_has(&mut self) -> Read<AccountHas> {
        Ok(match self.text("`uid`, `shell`, `home` or `group`")?.as_str() {
            "uid" => AccountHas::Id(self.number("a number")?),
            "shell" => AccountHas::Shell(self.text("a shell")?),
            "home" => AccountHas::Home(self.text("a folder")?),
            "group" => AccountHas::Group(self.text("a group")?),
            other => return Err(format!("expected `uid`, `shell`, `home` or `group`, found `{other}`")),
        })
    }

    /// A count followed by the word `steps`; otherwise consumes nothing.
    fn count_of_steps(&mut self) -> Read<Option<Count>> {
        let before = self.at;
        if let Ok(Some(count)) = self.count()
            && (self.takes("steps") || self.takes("step"))
        {
            return Ok(Some(count));
        }
        self.at = before;
        Ok(None)
    }

    /// `no`, `2`, `at least 2`, `at most 2`.
    fn count(&mut self) -> Read<Option<Count>> {
        Ok(Some(match self.peek() {
            Some("no") => {
                self.at += 1;
                Count { least: 0, most: 0 }
            }
            Some("at") => {
                self.at += 1;
                match self.text("`least` or `most`")?.as_str() {
                    "least" => Count { least: self.number("a number")?, most: usize::MAX },
                    "most" => Count { least: 0, most: self.number("a number")? },
                    other => return Err(format!("expected `at least` or `at most`, found `at {other}`")),
                }
            }
            Some(word) => match word.parse() {
                Ok(n) => {
                    self.at += 1;
                    Count { least: n, most: n }
                }
                Err(_) => return Ok(None),
            },
            None => return Ok(None),
        }))
    }

    fn phase(&mut self) -> Read<Phase> {
        Ok(match self.text("a phase")?.as_str() {
            "waiting" => Phase::Waiting,
            "changed" => Phase::Changed,
            "retrying" => Phase::Retrying,
            "limited" => Phase::Limited,
            "failed" => Phase::Failed,
            other => {
                return Err(format!(
                    "expected `waiting`, `changed`, `retrying`, `limited` or `failed`, found `{other}`"
                ));
            }
        })
    }
}
