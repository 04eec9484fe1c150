//! [`Pasted`]: a pasted link, to a playground or to a file on another server.

use super::share::{Asked, asked};
use mclive_base::short;

/// The target of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pasted {
    /// A fragment of this page.
    Fragment(String),
    /// A file that the page may fetch, by its address.
    File(String),
}

/// The allowed sources of programs.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The base address of this site: `https://play.example/`.
    pub site: &'a str,
    /// The servers that the operator allows: `https://raw.githubusercontent.com`.
    pub origins: &'a [String],
}

/// Where GitHub shows files; the raw files are elsewhere.
const SHOWN: &str = "https://github.com/";
const GIVEN: &str = "https://raw.githubusercontent.com";

impl Sources<'_> {
    /// Errors: why it leads to no program, a sentence without a full stop.
    pub fn read(self, link: &str) -> Result<Pasted, String> {
        let link = link.trim();
        if let Some(found) = short::read(link) {
            // An older page is one of the same server, which has the same programs.
            return match short::without_version(found.site) == short::without_version(self.site) {
                true => Ok(Pasted::Fragment(format!("#s={}", found.id))),
                false => Err(of_another()),
            };
        }
        let (address, fragment) = link.split_once('#').unwrap_or((link, ""));
        let fragment = format!("#{fragment}");
        let is_here = address.is_empty() || address.starts_with(self.site);
        match asked(&fragment) {
            // The program itself, from any playground.
            Asked::Program(..) | Asked::Files(_) => return Ok(Pasted::Fragment(fragment)),
            Asked::Stored(_) | Asked::Example(_) | Asked::Lesson(_) if is_here => {
                return Ok(Pasted::Fragment(fragment));
            }
            Asked::Stored(_) | Asked::Example(_) | Asked::Lesson(_) => return Err(of_another()),
            Asked::File(address) => return self.file(&address).map(Pasted::File),
            Asked::Nothing => {}
        }
        self.file(address).map(Pasted::File)
    }

    /// The address from which a file can be fetched.
    ///
    /// Errors: why it cannot, a sentence without a full stop. The browser checks again, with the same list.
    pub fn file(self, address: &str) -> Result<String, String> {
        if !address.starts_with("https://") && !address.starts_with("http://") {
            return Err("this is not a link: it does not start with https://".into());
        }
        let address = given(address).unwrap_or_else(|| address.to_owned());
        let origin = origin(&address).ok_or("this link has no host name")?;
        if self.origins.contains(&origin) || self.site.strip_prefix(&*origin).is_some_and(|rest| rest.starts_with('/'))
        {
            return Ok(address);
        }
        if address.split('/').nth(3).is_some_and(|folder| folder == "s" || folder == "embed") {
            return Err(of_another());
        }
        Err(match self.origins {
            [] => {
                "this playground does not fetch programs from other servers; download the file and open it here".into()
            }
            origins => {
                format!("this playground does not fetch programs from {origin}, only from {}", origins.join(", "))
            }
        })
    }
}

fn of_another() -> String {
    "this link belongs to another playground; open it in a separate tab".into()
}

/// `https://host:port` in lower case; `None` without a host, or with a user name.
fn origin(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let host = &rest[..rest.find(['/', '?', '\\']).unwrap_or(rest.len())];
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    (!host.is_empty() && host.bytes().all(is_plain)).then(|| format!("{scheme}://{}", host.to_ascii_lowercase()))
}

/// The raw address of a file shown on this GitHub page.
fn given(address: &str) -> Option<String> {
    let mut parts = address.strip_prefix(SHOWN)?.splitn(4, '/');
    let (owner, project, blob, file) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let file = file.split('?').next()?;
    (blob == "blob").then(|| format!("{GIVEN}/{owner}/{project}/{file}"))
}

/// The file name of an address.
pub fn name(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: &str = "https://play.example/";

    fn read(link: &str) -> Result<Pasted, String> {
        let origins = [GIVEN.to_owned(), "http://localhost:8000".to_owned()];
        Sources { site: SITE, origins: &origins }.read(link)
    }

    #[test]
    fn links_of_this_playground() {
        let fragment = |text: &str| Ok(Pasted::Fragment(text.to_owned()));
        assert_eq!(read(" https://play.example/s/abcdefghij\n"), fragment("#s=abcdefghij"));
        assert_eq!(read("https://play.example/embed/abcdefghij"), fragment("#s=abcdefghij"));
        for link in [
            "https://play.example/s/abcdefghij?utm_source=x",
            "https://play.example/s/abcdefghij/",
            "https://play.example/?x=1#s=abcdefghij",
            "https://play.example/embed/#s=abcdefghij&theme=dark",
            "https://play.example/v/0.0.9/#s=abcdefghij",
        ] {
            assert_eq!(read(link), fragment("#s=abcdefghij"), "{link}");
            let on_older = Sources { site: "https://play.example/v/0.0.9/", origins: &[] };
            assert_eq!(on_older.read(link), fragment("#s=abcdefghij"), "{link}");
            let below = Sources { site: "https://play.example/s/play/", origins: &[] };
            assert!(below.read(link).unwrap_err().contains("another playground"), "{link}");
            let there = link.replacen("/play.example/", "/play.example/s/play/", 1);
            assert_eq!(below.read(&there), fragment("#s=abcdefghij"), "{there}");
        }
        assert_eq!(read("https://play.example/#example=clock"), fragment("#example=clock"));
        assert_eq!(read("https://other.example/play/#c=xyz&v=0.1.0"), fragment("#c=xyz&v=0.1.0"));
        assert_eq!(read("#p=xyz"), fragment("#p=xyz"));
    }

    #[test]
    fn files_of_listed_servers() {
        let file = |text: &str| Ok(Pasted::File(text.to_owned()));
        assert_eq!(
            read("https://raw.githubusercontent.com/a/b/main/x.mcl"),
            file("https://raw.githubusercontent.com/a/b/main/x.mcl")
        );
        assert_eq!(
            read("https://github.com/a/b/blob/main/c/x.mcl#L3"),
            file("https://raw.githubusercontent.com/a/b/main/c/x.mcl")
        );
        assert_eq!(read("http://LocalHost:8000/x.mcl?a=1"), file("http://LocalHost:8000/x.mcl?a=1"));
        assert_eq!(read("https://play.example/lib/x.mcl"), file("https://play.example/lib/x.mcl"));
        // A backslash ends the host, as in browsers.
        assert_eq!(read("http://localhost:8000\\@evil.example/x"), file("http://localhost:8000\\@evil.example/x"));
        assert_eq!(read("#url=http://localhost:8000/x"), file("http://localhost:8000/x"));
        assert_eq!(name("https://a.example/b/x.mcl?raw=1#L3"), "x.mcl");
    }

    #[test]
    fn other_links_are_refused() {
        for (link, why) in [
            ("", "not a link"),
            ("main.mcl", "not a link"),
            ("javascript:alert(1)", "not a link"),
            ("https://", "no host name"),
            ("https://a@raw.githubusercontent.com/x", "no host name"),
            ("https://evil.example/x.mcl", "does not fetch programs from https://evil.example, only from https://raw"),
            ("https://raw.githubusercontent.com.evil.example/x", "does not fetch"),
            ("https://play.example.evil.example/x", "does not fetch"),
            ("http://raw.githubusercontent.com/x", "does not fetch programs from http://raw"),
            ("https://other.example/s/abcdefghij", "another playground"),
            ("https://other.example/#s=abcdefghij", "another playground"),
        ] {
            let read = read(link);
            assert!(read.clone().is_err_and(|fault| fault.contains(why)), "{link}: {read:?}");
        }
        let none = Sources { site: SITE, origins: &[] }.read("https://a.example/x.mcl").unwrap_err();
        assert!(none.contains("does not fetch programs from other servers"), "{none}");
    }
}
