//! The secrets of a resource: the content of its marked fields, and texts without them.

use super::Want;
use super::decl::{Field, Secrecy};
use crate::sort;
use crate::value::Value;
use mclive_base::vocab::{Datum, request};
use std::collections::BTreeMap;

pub use mclive_base::vocab::request::HIDDEN as SHOWN;

/// The texts of a resource's marked fields, and of those for which `received` says that a secret was sent to them.
pub fn of(want: &Want, received: impl Fn(usize) -> bool) -> Vec<String> {
    let mut secrets = Vec::new();
    for (index, value) in want.params.iter() {
        if received(index) {
            texts(value, &mut secrets);
        } else {
            marked(&want.decl.fields[index], value, &mut secrets);
        }
    }
    secrets.retain(|secret| !secret.is_empty());
    // A long secret may contain a short one.
    sort::by_key(&mut secrets, |secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets
}

/// Takes the texts with secrets out of a field's value, or all texts if a secret was sent to it. Each is returned with its
/// place among the texts of the value, where an empty one is left.
pub fn take(field: &Field, value: &mut Datum, is_sent: bool) -> Vec<(usize, Vec<u8>)> {
    let mut taken = Vec::new();
    let mut place = 0;
    let mut see = |text: &mut Vec<u8>, is_secret: bool| {
        if is_secret && !text.is_empty() {
            taken.push((place, std::mem::take(text)));
        }
        place += 1;
    };
    match value {
        Datum::Map(options) if field.secrecy == Secrecy::Options && !is_sent => {
            for (name, value) in options {
                let is_secret = is_password(&Value::from(&*name));
                each_text(value, &mut |text: &mut Vec<u8>| see(text, is_secret));
            }
        }
        value => each_text(value, &mut |text: &mut Vec<u8>| {
            let is_secret = is_sent
                || match field.secrecy {
                    Secrecy::Open | Secrecy::Options => false,
                    Secrecy::Secret => true,
                    Secrecy::Url => !request::secrets(&String::from_utf8_lossy(text)).is_empty(),
                };
            see(text, is_secret);
        }),
    }
    taken
}

/// Puts the texts back that [`take`] has taken, by their places. Those without a place are left over.
pub fn put(value: &mut Datum, texts: &mut BTreeMap<usize, Vec<u8>>) {
    let mut place = 0;
    each_text(value, &mut |text: &mut Vec<u8>| {
        if let Some(taken) = texts.remove(&place) {
            *text = taken;
        }
        place += 1;
    });
}

/// Every text in a value but the names in maps, in order.
fn each_text(value: &mut Datum, see: &mut dyn FnMut(&mut Vec<u8>)) {
    match value {
        Datum::Bytes(text) => see(text),
        Datum::List(items) => items.iter_mut().for_each(|item| each_text(item, see)),
        Datum::Map(entries) => entries.iter_mut().for_each(|(_, value)| each_text(value, see)),
        Datum::Struct(fields) => fields.iter_mut().for_each(|(_, value)| each_text(value, see)),
        Datum::Bool(_) | Datum::Int(_) | Datum::Float(_) => {}
    }
}

/// The secrets in a field, by its mark.
fn marked(field: &Field, value: &Value, into: &mut Vec<String>) {
    match field.secrecy {
        Secrecy::Open => {}
        Secrecy::Secret => texts(value, into),
        Secrecy::Url => {
            let url = value.as_text().unwrap_or_default();
            into.extend(request::secrets(&url).into_iter().map(|at| url[at].to_owned()));
        }
        Secrecy::Options => {
            let entries = value.as_map().into_iter().flat_map(|map| map.iter());
            entries.filter(|entry| is_password(&entry.0)).for_each(|entry| texts(&entry.1, into));
        }
    }
}

/// Whether an option of this name is a password or a key.
fn is_password(name: &Value) -> bool {
    const NAMES: [&str; 6] = ["pass", "pass2", "passwd", "password", "password2", "secret"];
    name.as_text().is_some_and(|name| NAMES.contains(&&*name))
}

/// Whether a field contains one of these texts.
pub fn contains(want: &Want, secrets: &[String]) -> bool {
    want.params.iter().any(|(_, value)| {
        let mut all = Vec::new();
        texts(value, &mut all);
        all.iter().any(|text| secrets.iter().any(|secret| text.contains(secret.as_str())))
    })
}

/// Every text in a value.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Str(_) => into.extend(value.as_text().map(|text| text.into_owned())),
        Value::List(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Map(map) => map.iter().for_each(|(_, value)| texts(value, into)),
        Value::Struct(_) => {
            let fields = value.as_struct().into_iter().flat_map(|fields| &fields.fields);
            fields.for_each(|(_, value)| texts(value, into));
        }
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) => {}
    }
}

/// Below this many bytes a secret is replaced only as a whole word: `https://at@example.org` must not turn "created"
/// into "cre•••ed". A secret of that length is guessed anyway.
const SHORTEST_PART: usize = 4;

/// A text with these secrets replaced.
pub fn without(mut text: String, secrets: &[String]) -> String {
    for secret in secrets {
        if secret.len() >= SHORTEST_PART {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), SHOWN);
            }
        } else if let Some(replaced) = without_word(&text, secret) {
            text = replaced;
        }
    }
    text
}

/// `None`: it does not contain the word.
fn without_word(text: &str, word: &str) -> Option<String> {
    let is_apart = |at: usize| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    };
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(word).filter(|(at, _)| is_apart(*at)) {
        out.push_str(&text[done..at]);
        out.push_str(SHOWN);
        done = at + word.len();
    }
    (done > 0).then(|| out + &text[done..])
}

/// The part of a field's value that may be displayed.
pub fn shown(field: &Field, value: &Value) -> Value {
    match field.secrecy {
        Secrecy::Open => value.clone(),
        Secrecy::Secret => Value::str(SHOWN),
        Secrecy::Url => match value.as_text() {
            Some(url) => Value::str(request::shown(&url)),
            None => value.clone(),
        },
        Secrecy::Options => match value.as_map() {
            Some(map) => Value::map(map.iter().map(|(name, value)| {
                let shown = if is_password(name) { Value::str(SHOWN) } else { value.clone() };
                (name.clone(), shown)
            })),
            None => value.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;
    use crate::kinds::{HostType, all};

    fn of_draft(draft: &Draft) -> Vec<String> {
        of(&draft.want(), |_| false)
    }

    #[test]
    fn marked_fields_and_passwords_of_urls_are_secret() {
        let bmc = Draft::new("bmc:power", "b").text("password", "hunter2").text("username", "admin");
        assert_eq!(of_draft(&bmc), ["hunter2"]);
        let client = Draft::new("http:client", "c").text("url", "https://me:s3cret@example.org:8443/a@b?c:d@e");
        assert_eq!(of_draft(&client), ["s3cret"]);
        let open = Draft::new("http:client", "c").text("url", "https://example.org/a:b@c");
        assert!(of_draft(&open).is_empty());
        assert_eq!(without("GET https://me:s3cret@x".into(), &of_draft(&client)), "GET https://me:•••@x");
        let url = client.kind.decl().field("url").unwrap();
        assert_eq!(shown(url, &"https://me:s3cret@x/".into()), Value::str("https://me:•••@x/"));
        // The text of the password may come before it.
        for (full, expect) in [
            ("https://admin:admin@x/admin", "https://admin:•••@x/admin"),
            ("https://me:s@x/", "https://me:•••@x/"),
            ("https://me:a:b@c@x/", "https://me:•••@x/"),
            ("https://me:@x/", "https://•••:@x/"),
            ("https://token@x/", "https://•••@x/"),
            ("https://me:s@x/?page=2&access_token=t0&x#?key=a", "https://me:•••@x/?page=2&access_token=•••&x#?key=a"),
            (
                "https://x/p?Sig=a%20b;q=1&api-key=&b=0123456789abcdef0123456789",
                "https://x/p?Sig=•••;q=1&api-key=&b=•••",
            ),
            ("x?token=é", "x?token=•••"),
            ("https://x/?keyword=a&author=b&design=c", "https://x/?keyword=a&author=b&design=c"),
            ("https://x/?key=a&X-Amz-Signature=b", "https://x/?key=•••&X-Amz-Signature=•••"),
            ("https://x/#a?token=1", "https://x/#a?token=1"),
        ] {
            assert_eq!(shown(url, &full.into()), Value::str(expect));
        }
    }

    /// What is taken out of a field with this value, which then gets it back.
    fn taken(kind: &str, field: &str, value: &Datum, is_sent: bool) -> Vec<(usize, String)> {
        let field = crate::kinds::lookup(kind).unwrap().decl().field(field).unwrap();
        let mut other = value.clone();
        let taken = take(field, &mut other, is_sent);
        assert_eq!(other == *value, taken.is_empty());
        let mut texts: BTreeMap<usize, Vec<u8>> = taken.iter().cloned().collect();
        put(&mut other, &mut texts);
        assert!(other == *value && texts.is_empty());
        taken.into_iter().map(|(place, text)| (place, String::from_utf8(text).unwrap())).collect()
    }

    #[test]
    fn the_secrets_of_a_field_are_taken_out_and_put_back() {
        let of_text = |kind: &str, field: &str, text: &str, is_sent| taken(kind, field, &Datum::text(text), is_sent);
        assert_eq!(of_text("bmc:power", "password", "hunter2", false), [(0, "hunter2".to_owned())]);
        assert!(of_text("bmc:power", "password", "", false).is_empty());
        assert!(of_text("bmc:power", "username", "me", false).is_empty());
        assert_eq!(of_text("bmc:power", "username", "me", true), [(0, "me".to_owned())]);
        assert!(of_text("http:client", "url", "https://example.org/", false).is_empty());
        let url = "https://me:x@example.org/";
        assert_eq!(of_text("http:client", "url", url, false), [(0, url.to_owned())]);
        let variables = Datum::List(["A=hush", "", "B=hush"].map(Datum::text).to_vec());
        let both = [(0, "A=hush".to_owned()), (2, "B=hush".to_owned())];
        assert_eq!(taken("docker:container", "env", &variables, false), both);
        let options = [("ro", ""), ("password", "hunter2"), ("username", "me")];
        let options = Datum::Map(options.map(|(name, value)| (Datum::text(name), Datum::text(value))).to_vec());
        assert_eq!(taken("mount", "options", &options, false), [(1, "hunter2".to_owned())]);
    }

    #[test]
    fn a_text_without_a_place_is_left_over() {
        let mut texts = BTreeMap::from([(1, b"hush".to_vec())]);
        put(&mut Datum::text("a"), &mut texts);
        assert_eq!(texts.len(), 1);
    }

    #[test]
    fn the_password_of_a_mount_is_secret() {
        let options = |password: &str| {
            let pair = |name: &str, value: &str| (Value::str(name), Value::str(value));
            Value::map([pair("password", password), pair("ro", ""), pair("username", "me")])
        };
        let mount = Draft::new("mount", "/srv/m").set("options", options("hunter2"));
        assert_eq!(of_draft(&mount), ["hunter2"]);
        let field = mount.kind.decl().field("options").unwrap();
        assert_eq!(shown(field, &options("hunter2")), options(SHOWN));
        let words = "mount //h/s on /srv/m (password=hunter2,ro,username=me)";
        assert_eq!(without(words.into(), &of_draft(&mount)), words.replace("hunter2", SHOWN));
    }

    #[test]
    fn a_short_secret_is_replaced_as_a_word_only() {
        let told = |text: &str, secret: &str| without(text.to_owned(), &[secret.to_owned()]);
        assert_eq!(
            told("created at https://at@example.org/at?at=cat", "at"),
            "created ••• https://•••@example.org/•••?•••=cat"
        );
        assert_eq!(told("mysql -phunter2", "hunter2"), "mysql -p•••");
        assert_eq!(told("é.é", "é"), "•••.•••");
        assert_eq!(told("a b", " "), "a b");
        assert_eq!(told("nothing", "xy"), "nothing");
    }

    /// A field whose name looks like a secret must be marked, or listed here with the reason.
    #[test]
    fn no_field_with_the_name_of_a_secret_is_unmarked() {
        let open = ["max_password_tries"];
        for kind in all() {
            for field in kind.decl().fields {
                let words = ["password", "token", "secret", "auth", "userdata", "passphrase", "credential"];
                let sounds_secret = words.iter().any(|word| field.name.contains(word));
                // A switch does not reveal anything.
                let is_switch = field.host == HostType::Bool;
                if sounds_secret && !is_switch && !open.contains(&field.name) {
                    assert_eq!(field.secrecy, Secrecy::Secret, "{}.{}", kind.decl().name, field.name);
                }
            }
        }
    }
}
