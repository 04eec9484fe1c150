//! `json:edit`: applies a list of set and delete edits to a JSON object held in a file or in the shared store.
//! Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::url::{Url, decoded};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, Kind, KindDecl, Read, Seen, Traits, Want};
use crate::vocab::json::{JsonEdit as Change, edited};
use crate::vocab::{Datum, Edit as TextEdit, Finding, KeyStore, Probe, Step, Watch, file, store};

/// The kind `json:edit`.
pub(crate) struct JsonEdit;

static DECL: KindDecl = KindDecl {
    name: "json:edit",
    doc: "Applies a list of set and delete edits to a JSON object in a file or in the shared store. Everything \
          else is preserved byte for byte.",
    fields: &[
        Field::str(
            "store",
            "Store",
            "Absolute path, `file:///` URL or `etcd:///key` URL; defaults to the resource name.",
        ),
        Field::strs("edits", "Edits", "Edits to apply in order: `.a.b = JSON`, `.[\"k\"].c = JSON` or `del(.a.b)`.")
            .required(),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[Required::list(PolicyList::Paths)],
};

impl Kind for JsonEdit {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        Store::parse(&want.effective("store"))?;
        let edits = want.texts("edits");
        ensure(!edits.is_empty(), "`edits` is empty")?;
        for edit in &edits {
            Edit::parse(edit).map_err(|why| format!("`{edit}` in `edits` is not an edit: {why}"))?;
        }
        Ok(())
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        match Store::parse(&want.effective("store")) {
            Ok(Store::File(path)) => vec![path],
            Ok(Store::Key(_)) | Err(_) => Vec::new(),
        }
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        match Store::parse(&want.effective("store")) {
            Ok(Store::File(path)) => Read::of(&path).into_iter().collect(),
            Ok(Store::Key(_)) | Err(_) => Vec::new(),
        }
    }

    fn backend(&self) -> &'static str {
        "a file, which is replaced atomically and watched with inotify, or a key of the shared store."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![match Store::parse(&want.effective("store")) {
            Ok(Store::File(path)) => file::Watch { path, recursive: false }.into(),
            Ok(Store::Key(key)) => store::Watch { store: KeyStore::World, key }.into(),
            Err(_) => return Vec::new(),
        }]
    }
}

/// The location of the object.
enum Store {
    File(String),
    Key(String),
}

impl Store {
    /// An absolute path, `file:///PATH`, or `etcd:///KEY`.
    fn parse(text: &str) -> Result<Store, String> {
        if text.starts_with('/') {
            return Ok(Store::File(text.to_owned()));
        }
        let url = Url::parse(text)?;
        match url.scheme.as_str() {
            "file" => {
                let bare = url.host.is_empty() && url.user.is_none() && url.query.is_none() && url.fragment.is_none();
                ensure(bare, "a file store URL must consist of a path only")?;
                ensure(url.path.starts_with('/'), "the path of the file store must be absolute")?;
                let path = decoded(url.path);
                ensure(!path.contains('\0'), "the path of the file store must not contain `%00`")?;
                Ok(Store::File(path))
            }
            "etcd" => {
                let path = decoded(url.path);
                let key = path.trim_start_matches('/');
                ensure(!key.is_empty(), "the key in `store` is empty")?;
                Ok(Store::Key(format!("strings/{key}")))
            }
            "" => Err("`store` must be an absolute path, or a URL with the scheme `file` or `etcd`".into()),
            other => Err(format!("the scheme of `store` must be `file` or `etcd`, not `{other}`")),
        }
    }
}

/// The maximum number of bytes of an object to edit.
const LONGEST: u64 = 8 << 20;

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let parsed: Result<Vec<Change>, &str> =
        want.texts("edits").iter().map(|edit| Edit::parse(edit).map(Change::from)).collect();
    let edits = parsed.map_err(|why| Decision::CannotTell(why.to_owned()))?;
    let new = |text: &str| edited(text, &edits).map_err(Decision::CannotTell);
    let step = match Store::parse(&want.effective("store")).map_err(Decision::CannotTell)? {
        Store::File(path) => {
            let read = Probe::from(file::Probe::Read { path: path.clone(), limit: LONGEST });
            let text = match &walk.look(vec![read])?[0] {
                Finding::File(file::Finding::Bytes(bytes)) => std::str::from_utf8(bytes),
                other => return Err(cannot_tell(other)),
            };
            let text = text.map_err(|_| Decision::CannotTell(format!("{path} is not UTF-8")))?;
            let edit = TextEdit::Json(edits.clone());
            new(text)?.map(|_| Step::from(file::Step::Edit { path, edit, mode: None }))
        }
        Store::Key(key) => {
            let look = store::Probe { store: KeyStore::World, key: key.clone() };
            let text = match &walk.look(vec![look.into()])?[0] {
                Finding::Store(store::Finding::Held(None)) => "{}".to_owned(),
                Finding::Store(store::Finding::Held(Some(Datum::Bytes(bytes)))) => {
                    String::from_utf8_lossy(bytes).into_owned()
                }
                Finding::Store(store::Finding::Held(Some(_))) => {
                    return Err(Decision::CannotTell(format!("the value of the key {key} is not a string")));
                }
                other => return Err(cannot_tell(other)),
            };
            new(&text)?.map(|new| store::Step { store: KeyStore::World, key, value: Some(Datum::text(new)) }.into())
        }
    };
    let Some(step) = step else {
        return Ok(Decision::InState(Vec::new()));
    };
    walk.mend(vec![step])
}

impl From<Edit> for Change {
    fn from(edit: Edit) -> Change {
        match edit {
            Edit::Set(path, value) => Change { path, value: Some(value) },
            Edit::Delete(path) => Change { path, value: None },
        }
    }
}

/// One edit. Resource spec, 2.19.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Edit {
    /// The keys, and the JSON text.
    Set(Vec<String>, String),
    Delete(Vec<String>),
}

impl Edit {
    fn parse(text: &str) -> Result<Edit, &'static str> {
        let mut reader = Reader { rest: text.trim_start() };
        // Anything with this prefix is a deletion.
        if let Some(after) = reader.rest.strip_prefix("del") {
            reader.rest = after;
            reader.expect('(', "expected `(` after `del`")?;
            let path = reader.path()?;
            reader.expect(')', "expected `)` after the path")?;
            ensure_end(reader.rest, "unexpected text after `)`")?;
            return Ok(Edit::Delete(path));
        }
        let path = reader.path()?;
        reader.expect('=', "expected `=`")?;
        let json = reader.rest.trim();
        if json.is_empty() {
            return Err("the value is missing after `=`");
        }
        let mut values = serde_json::Deserializer::from_str(json).into_iter::<serde::de::IgnoredAny>();
        if !matches!(values.next(), Some(Ok(_))) {
            return Err("the value is not JSON");
        }
        ensure_end(&json[values.byte_offset()..], "unexpected text after the value")?;
        Ok(Edit::Set(path, json.to_owned()))
    }
}

fn ensure_end(rest: &str, reason: &'static str) -> Result<(), &'static str> {
    if rest.trim().is_empty() { Ok(()) } else { Err(reason) }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn eat(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(c);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn expect(&mut self, c: char, reason: &'static str) -> Result<(), &'static str> {
        if self.eat(c) { Ok(()) } else { Err(reason) }
    }

    /// `.a.b`, `.["a"].b`, `.a["b"]`.
    fn path(&mut self) -> Result<Vec<String>, &'static str> {
        self.expect('.', "it must begin with `.`")?;
        let mut keys = vec![self.key()?];
        loop {
            if self.eat('.') {
                keys.push(self.key()?);
            } else if self.rest.starts_with('[') {
                keys.push(self.bracket_key()?);
            } else {
                return Ok(keys);
            }
        }
    }

    fn key(&mut self) -> Result<String, &'static str> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('[') {
            return self.bracket_key();
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let (key, rest) = self.rest.split_at(end);
        if key.is_empty() || key.starts_with(|c: char| c.is_ascii_digit()) {
            return Err("expected the name of a key after `.`");
        }
        self.rest = rest;
        Ok(key.to_owned())
    }

    fn bracket_key(&mut self) -> Result<String, &'static str> {
        self.expect('[', "expected `[`")?;
        self.rest = self.rest.trim_start();
        if !self.rest.starts_with('"') {
            return Err("a key in brackets must be a string in double quotes");
        }
        let mut strings = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let Some(Ok(key)) = strings.next() else { return Err("unterminated bracket key") };
        self.rest = &self.rest[strings.byte_offset()..];
        if key.is_empty() {
            return Err("a key is empty");
        }
        self.expect(']', "expected `]`")?;
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_url_is_decoded() {
        let parsed = |text: &str| match Store::parse(text) {
            Ok(Store::File(path)) => path,
            Ok(Store::Key(key)) => format!("key {key}"),
            Err(why) => why,
        };
        assert_eq!(parsed("/srv/a%20b.json"), "/srv/a%20b.json");
        assert_eq!(parsed("file:///srv/a%20b%25.json"), "/srv/a b%.json");
        assert_eq!(parsed("etcd:///a%2Fb"), "key strings/a/b");
        assert_eq!(parsed("file:///srv/%00ff"), "the path of the file store must not contain `%00`");
    }

    #[test]
    fn edits() {
        let keys = |keys: &[&str]| keys.iter().map(|key| key.to_string()).collect::<Vec<_>>();
        assert_eq!(Edit::parse(". a .b = 1e400"), Ok(Edit::Set(keys(&["a", "b"]), "1e400".into())));
        assert_eq!(Edit::parse(".[ \"a\" ][\"b\"]=2"), Ok(Edit::Set(keys(&["a", "b"]), "2".into())));
        assert_eq!(Edit::parse(".a.[\"b d\"] = [ ]"), Ok(Edit::Set(keys(&["a", "b d"]), "[ ]".into())));
        assert_eq!(Edit::parse(" del ( .a ) "), Ok(Edit::Delete(keys(&["a"]))));
        for (edit, expect) in [
            ("a = 1", "it must begin with `.`"),
            ("", "it must begin with `.`"),
            (".a. = 1", "expected the name of a key after `.`"),
            (".1 = 1", "expected the name of a key after `.`"),
            (".a =", "the value is missing after `=`"),
            (".a = x", "the value is not JSON"),
            (".a = 1 2", "unexpected text after the value"),
            (".[1] = 1", "a key in brackets must be a string in double quotes"),
            (".[\"\"] = 1", "a key is empty"),
            ("delta = 1", "expected `(` after `del`"),
            ("del(.a", "expected `)` after the path"),
            ("del(.a) x", "unexpected text after `)`"),
        ] {
            assert_eq!(Edit::parse(edit), Err(expect), "{edit}");
        }
    }
}
