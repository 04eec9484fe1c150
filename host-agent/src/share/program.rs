//! [`Shared`]: a program as it is sent, stored and hashed: JSON in one canonical form.
//!
//! ```json
//! {"mclive":1,"version":"0.1.0","entry":"main.mcl","files":{"main.mcl":"…"},"view":{"theme":"dark"}}
//! ```
//!
//! A recorded run is shared in the same form: `entry` is `run.trace`, the only file.
//!
//! A file that is not UTF-8 is `{"base64":"…"}`. External input is read by [`Shared::read`], which limits it; the
//! stored form is [`Shared::canonical`]: equal programs have equal bytes, however they were written.

use super::object;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mclive_base::files;
use mclive_base::layout::{self, Layout};
use mclive_base::protocol::trace;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// The maximum size of a request with a program, and of a stored one. JSON may write one byte as six (`\u0041`), but not
/// throughout in practice.
pub(crate) const LARGEST_BODY: usize = 3 << 20;
const LONGEST_VERSION: usize = 40;
/// The version of this form. It is part of the hash.
const FORM: u8 = 1;

/// A program with all its files, or a recorded run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Shared {
    mclive: u8,
    /// The version of mclive that wrote the program.
    pub(crate) version: String,
    /// The main file. Its name determines the language.
    pub(crate) entry: String,
    files: Files,
    #[serde(skip_serializing_if = "View::is_plain")]
    pub(crate) view: View,
}

/// The same as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default = "form")]
    mclive: u8,
    #[serde(default = "version")]
    version: String,
    entry: String,
    files: Files,
    #[serde(default, deserialize_with = "object::object")]
    view: View,
}

impl<'de> Deserialize<'de> for Shared {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Shared, D::Error> {
        let Written { mclive, version, entry, files, view } = object::object(from)?;
        Ok(Shared { mclive, version, entry, files, view })
    }
}

/// How the page shows a program.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct View {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) theme: Option<Theme>,
    /// In an embed: the program cannot be edited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) read_only: bool,
    /// The displayed scenario among the files; empty: none. Unset: the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) scenario: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Theme {
    Light,
    Dark,
}

/// Contents by relative path.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Files(BTreeMap<String, Vec<u8>>);

fn form() -> u8 {
    FORM
}

fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

impl Shared {
    /// A program of this version. Errors: as for [`Shared::read`].
    pub(crate) fn new(entry: &str, files: BTreeMap<String, Vec<u8>>) -> Result<Shared, String> {
        let view = View::default();
        Shared { mclive: FORM, version: version(), entry: entry.to_owned(), files: Files(files), view }.checked()
    }

    /// A recorded run. Errors: it is invalid or too large.
    pub(crate) fn recording(trace: Vec<u8>) -> Result<Shared, String> {
        Shared::new(files::RECORDED, BTreeMap::from([(files::RECORDED.to_owned(), trace)]))
    }

    /// Parses a program from JSON of any form. Errors: why it is invalid.
    pub(crate) fn read(json: &[u8]) -> Result<Shared, String> {
        let read: Result<Shared, _> = object::read(json);
        read.map_err(|error| format!("not a valid program in JSON: {error}"))?.checked()
    }

    /// The stored and hashed bytes.
    pub(crate) fn canonical(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.0.iter().map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    /// The bytes of a recorded run; `None`: it is a program.
    pub(crate) fn trace(&self) -> Option<&[u8]> {
        (self.entry == files::RECORDED).then(|| &*self.files.0[&self.entry])
    }

    /// The text of the main file; empty for a recorded run.
    pub(crate) fn main(&self) -> &str {
        let main = self.trace().is_none().then(|| &*self.files.0[&self.entry]);
        std::str::from_utf8(main.unwrap_or_default()).expect("it was checked")
    }

    /// The title.
    pub(crate) fn title(&self) -> String {
        match layout::of(&self.entry) {
            Some(Layout { title, .. }) => format!("{title} program"),
            None => "Recorded run".into(),
        }
    }

    /// For functions of programs only. Errors: it is a recorded run.
    pub(crate) fn program(self) -> Result<Shared, String> {
        match self.trace() {
            Some(_) => {
                Err("this is a recorded run, not a program; open it with `mclive replay` or in the playground".into())
            }
            None => Ok(self),
        }
    }

    /// For a program that was parsed as a part of something else. Errors: why it is invalid.
    pub(crate) fn checked(self) -> Result<Shared, String> {
        if self.mclive != FORM {
            return Err(format!("this program uses format {}, which needs a newer version of mclive", self.mclive));
        }
        if !is_version(&self.version) {
            return Err("`version` must be a version such as 0.1.0".into());
        }
        files::check(self.files().map(|(path, content)| (path, content.len())))?;
        let Some(main) = self.files.0.get(&self.entry) else {
            return Err(format!("the main file `{}` is not among the program's files", self.entry));
        };
        if let Some(scenario) = self.view.scenario.as_deref()
            && !scenario.is_empty()
            && !self.files.0.contains_key(scenario)
        {
            return Err(format!("the displayed scenario `{scenario}` is not among the program's files"));
        }
        if self.entry == files::RECORDED {
            return match (self.files.0.len(), main.starts_with(trace::MAGIC)) {
                (1, true) => Ok(self),
                (1, false) => Err(format!("`{}` was not written by `mclive run --record`", self.entry)),
                _ => Err("a recorded run cannot be shared together with other files".into()),
            };
        }
        if layout::of(&self.entry).is_none() {
            return Err(format!("`{}` is not a program: its name must end in .mcl or .cf", self.entry));
        }
        if std::str::from_utf8(main).is_err() {
            return Err(format!("`{}` is not UTF-8 text", self.entry));
        }
        Ok(self)
    }
}

/// Whether this is a version such as 0.1.0: servers have a directory of this name.
pub(crate) fn is_version(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.len() <= LONGEST_VERSION
        && !text.contains("..")
        && text.bytes().all(is_part)
}

impl View {
    fn is_plain(&self) -> bool {
        *self == View::default()
    }
}

impl Serialize for Files {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(path, content)| (path, Content::of(content))))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Binary(Binary),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Binary {
    base64: String,
}

impl Content {
    /// Text if possible: there is one form for each content.
    fn of(content: &[u8]) -> Content {
        match std::str::from_utf8(content) {
            Ok(text) => Content::Text(text.to_owned()),
            Err(_) => Content::Binary(Binary { base64: STANDARD.encode(content) }),
        }
    }
}

/// By hand, since what is derived would hold any value whole before it finds that it is neither.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Content, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text, or an object with `base64`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Content, A::Error> {
                Binary::deserialize(MapAccessDeserializer::new(map)).map(Content::Binary)
            }
        }
        from.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Files {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Files, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Files;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object that maps relative paths to file contents")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Files, A::Error> {
                let mut found = BTreeMap::new();
                while let Some(path) = map.next_key::<String>()? {
                    // A few bytes of JSON are a file each: so many would keep everyone else waiting.
                    if found.len() == files::MOST {
                        return Err(A::Error::custom(format!("it has more than {} files", files::MOST)));
                    }
                    let content: Content = map.next_value()?;
                    let content = match content {
                        Content::Text(text) => text.into_bytes(),
                        Content::Binary(binary) => STANDARD
                            .decode(binary.base64)
                            .map_err(|error| A::Error::custom(format!("{path:?} is not base64: {error}")))?,
                    };
                    if found.insert(path.clone(), content).is_some() {
                        return Err(A::Error::custom(format!("duplicate path {path:?}")));
                    }
                }
                Ok(Files(found))
            }
        }
        from.deserialize_map(Each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Shared, String> {
        Shared::read(json.as_bytes())
    }

    #[test]
    fn the_same_program_has_the_same_bytes() {
        let canonical = r#"{"mclive":1,"version":"0.1.0","entry":"main.mcl","files":{"a":{"base64":"/w=="},"b/c":"é","main.mcl":"$a = 1\n"},"view":{"theme":"dark","read_only":true}}"#;
        let other = r#" { "view": {"read_only": true, "theme": "dark"}, "version":"0.1.0", "files": {"main.mcl":"\u0024a = 1\n",
            "b/c": {"base64":"w6k="}, "a": {"base64":"/w=="}}, "entry": "main.mcl" } "#;
        for json in [canonical, other] {
            let shared = read(json).unwrap();
            assert_eq!(String::from_utf8(shared.canonical()).unwrap(), canonical);
            assert_eq!((shared.main(), &*shared.title()), ("$a = 1\n", "MCL program"));
        }
        let plain = read(r#"{"entry":"main.cf","files":{"main.cf":""}}"#).unwrap();
        assert_eq!(plain.version, env!("CARGO_PKG_VERSION"));
        assert!(!String::from_utf8(plain.canonical()).unwrap().contains("view"));
    }

    #[test]
    fn the_displayed_scenario_is_a_part_of_the_view() {
        let with = |scenario: &str| {
            let files = r#"{"a.scenario":"run\n","b.scenario":"run\n","main.mcl":""}"#;
            let view = format!(r#"{{"scenario":"{scenario}"}}"#);
            format!(r#"{{"mclive":1,"version":"0.1.0","entry":"main.mcl","files":{files},"view":{view}}}"#)
        };
        for scenario in ["b.scenario", ""] {
            let shared = read(&with(scenario)).unwrap();
            assert_eq!(String::from_utf8(shared.canonical()).unwrap(), with(scenario));
        }
        assert!(read(&with("c.scenario")).unwrap_err().contains("`c.scenario` is not among the program's files"));
    }

    #[test]
    fn a_recorded_run_is_shared_in_the_same_form() {
        let trace = [trace::Header::new("host1").to_bytes(), vec![0, 255]].concat();
        let shared = Shared::recording(trace.clone()).unwrap();
        assert_eq!((shared.trace(), shared.main(), &*shared.title()), (Some(&*trace), "", "Recorded run"));
        assert_eq!(Shared::read(&shared.canonical()), Ok(shared.clone()));
        assert!(shared.program().unwrap_err().contains("mclive replay"));
        assert!(Shared::recording(b"x".to_vec()).unwrap_err().contains("--record"));
        let more = read(r#"{"entry":"run.trace","files":{"run.trace":"{\"mclive-trace\":3}","x":""}}"#);
        assert!(more.unwrap_err().contains("cannot be shared together with other files"));
    }

    #[test]
    fn what_is_no_program_is_refused_with_the_reason() {
        let with = |files: &str| read(&format!(r#"{{"entry":"main.mcl","files":{{"main.mcl":""{files}}}}}"#));
        for (files, why) in [
            (r#","/etc/passwd":"""#, "relative path"),
            (r#","../x":"""#, "relative path"),
            (r#","a/./b":"""#, "relative path"),
            (r#","a//b":"""#, "relative path"),
            (r#","a\\b":"""#, "relative path"),
            (r#","a\u0000":"""#, "relative path"),
            (r#","a\u202egnp.exe":"""#, "relative path"),
            (r#","":"""#, "relative path"),
            (r#","main.mcl":"x""#, "duplicate"),
            (r#","main.mcl/x":"""#, "a file and a directory"),
            (r#","x":{"base64":"!"}"#, "not base64"),
            (r#","x":{"base64":"","more":1}"#, "not a valid program in JSON"),
            (r#","x":[]"#, "not a valid program in JSON"),
        ] {
            let said = with(files).unwrap_err();
            assert!(said.contains(why), "{files}: {said}");
        }
        for (json, why) in [
            ("", "not a valid program in JSON"),
            ("[]", "invalid type: sequence, expected an object"),
            (r#"[1,"0.1.0","x.mcl",{"x.mcl":""}]"#, "invalid type: sequence, expected an object"),
            (r#"{"entry":"x.mcl","files":{"x.mcl":""},"view":["dark",true]}"#, "expected an object"),
            (r#"{"version":"..","entry":"x.mcl","files":{"x.mcl":""}}"#, "`version`"),
            (r#"{"version":"","entry":"x.mcl","files":{"x.mcl":""}}"#, "`version`"),
            (r#"{"version":"0..1","entry":"x.mcl","files":{"x.mcl":""}}"#, "`version`"),
            (r#"{"entry":"main.mcl"}"#, "missing field `files`"),
            (r#"{"entry":"x.mcl","files":{"main.mcl":""}}"#, "not among the program's files"),
            (r#"{"entry":"x","files":{"x":""}}"#, "must end in"),
            (r#"{"entry":"x.mcl","files":{"x.mcl":{"base64":"/w=="}}}"#, "not UTF-8"),
            (r#"{"mclive":2,"entry":"x.mcl","files":{"x.mcl":""}}"#, "newer version"),
            (r#"{"version":"<b>","entry":"x.mcl","files":{"x.mcl":""}}"#, "`version`"),
            (r#"{"entry":"x.mcl","files":{"x.mcl":""},"view":{"theme":"<b>"}}"#, "unknown variant"),
            (r#"{"entry":"x.mcl","files":{"x.mcl":""},"owner":1}"#, "unknown field"),
            ("{\"entry\":\"x.mcl\",\"files\":{\"x.mcl\":\"\"}} x", "trailing characters"),
        ] {
            let said = read(json).unwrap_err();
            assert!(said.contains(why), "{json}: {said}");
        }
        assert!(with(&format!(r#","big":"{}""#, "x".repeat(1 << 20))).unwrap_err().contains("1024 KiB"));
        let many: String = (0..200).map(|n| format!(r#","f{n}":"""#)).collect();
        assert!(with(&many).unwrap_err().contains("more than 200 files"));
        let endless = with(&format!(r#"{many},"and":!"#)).unwrap_err();
        assert!(endless.contains("more than 200 files"), "nothing is read behind the last one: {endless}");
        let nothing = with(r#","x":[!"#).unwrap_err();
        assert!(nothing.contains("expected text"), "a list is not read to its end: {nothing}");
        let same = with(&format!(r#","big":"{}""#, "x".repeat((1 << 20) - 10)));
        assert!(same.unwrap_err().contains("this one has 1025 KiB"), "two numbers that differ");
        let deep = format!(r#"{{"entry":{}1{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
        assert!(read(&deep).is_err(), "and the stack holds");
    }
}
