//! [`Route`]: the meaning of a path. All routes of this server are listed here.

use super::api::Question;
use super::files::Site;
use super::headers::Class;
use super::picture::Form;
use crate::share::Id;
use std::collections::BTreeMap;

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Route<'a> {
    /// `/healthz`: this process answers.
    Alive,
    /// `/readyz`: its dependencies answer as well.
    Ready,
    /// A file of the built site, or of an older one below `/v/VERSION/`.
    File {
        version: Option<&'a str>,
        path: &'a str,
    },
    /// `/s/ID`: a short link, for people and for link previews.
    Link(Id),
    /// `/embed/ID`: a program in a frame of another site.
    Embed(Id),
    /// `/preview/ID.png`, or `.svg`: its resource graph.
    Preview(Id, Form),
    /// `/api/v1/`: the features of this server.
    About,
    /// `/api/v1/programs`
    Share,
    /// `/api/v1/programs/ID`
    Program(Id),
    /// `/api/v1/check` and the other compiler functions.
    Ask(Question),
    /// `/api/v1/openapi.json`
    Description,
    /// A path of the API that does not exist.
    UnknownQuestion,
    /// An address that people write with one slash too many or too few: `/s/ID/`, `/embed/ID/`, `/v/VERSION`, `/embed`. The
    /// right one, relative to it.
    Moved(String),
    Unknown,
}

impl<'a> Route<'a> {
    pub(super) fn of(path: &'a str, versions: &'a BTreeMap<String, Site>) -> Route<'a> {
        let Some(below) = path.strip_prefix('/') else { return Route::Unknown };
        if let Some(version) = below.strip_prefix("v/").filter(|version| versions.contains_key(*version)) {
            return Route::Moved(format!("{version}/"));
        }
        if let Some((version, rest)) = below.strip_prefix("v/").and_then(|below| below.split_once('/')) {
            let Some((version, _)) = versions.get_key_value(version) else { return Route::Unknown };
            return match rest {
                "embed" => Route::Moved("embed/".into()),
                // Pages request relative paths, and programs have no version.
                _ if rest.starts_with("api/") => Route::below(rest),
                _ => Route::File { version: Some(version), path: rest },
            };
        }
        Route::below(below)
    }

    fn below(path: &'a str) -> Route<'a> {
        let id = |text: &str| Id::parse(text);
        if let Some(("s" | "embed", rest)) = path.split_once('/')
            && let Some(id) = rest.strip_suffix('/').and_then(id)
        {
            return Route::Moved(format!("../{id}"));
        }
        match path.split_once('/') {
            None if path == "healthz" => Route::Alive,
            None if path == "readyz" => Route::Ready,
            None if path == "embed" => Route::Moved("embed/".into()),
            Some(("s", rest)) => id(rest).map_or(Route::Unknown, Route::Link),
            Some(("embed", rest)) if id(rest).is_some() => id(rest).map_or(Route::Unknown, Route::Embed),
            Some(("preview", rest)) => {
                let named = Form::of_file(rest).and_then(|(stem, form)| Some((id(stem)?, form)));
                named.map_or(Route::Unknown, |(id, form)| Route::Preview(id, form))
            }
            Some(("api", rest)) => match rest.strip_prefix("v1/") {
                Some("") => Route::About,
                Some("programs") => Route::Share,
                Some("openapi.json") => Route::Description,
                Some(rest) => match rest.strip_prefix("programs/") {
                    Some(rest) => id(rest).map_or(Route::UnknownQuestion, Route::Program),
                    None => Question::named(rest).map_or(Route::UnknownQuestion, Route::Ask),
                },
                None => Route::UnknownQuestion,
            },
            None | Some(_) => Route::File { version: None, path },
        }
    }

    /// For metrics and the log: paths would be too many different names.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Route::Alive => "healthz",
            Route::Ready => "readyz",
            Route::File { .. } => "file",
            Route::Link(_) => "link",
            Route::Embed(_) => "embed",
            Route::Preview(..) => "preview",
            Route::About => "about",
            Route::Share => "share",
            Route::Program(_) => "program",
            Route::Ask(question) => question.name(),
            Route::Description => "openapi",
            Route::Moved(_) => "moved",
            Route::UnknownQuestion | Route::Unknown => "unknown",
        }
    }

    pub(super) fn methods(&self) -> &'static str {
        match self {
            Route::Share | Route::Ask(_) => "POST, OPTIONS",
            Route::About | Route::Program(_) | Route::Description => "GET, HEAD, OPTIONS",
            // Whichever method it is, it is not found.
            Route::UnknownQuestion => "GET, HEAD, POST, OPTIONS",
            Route::Alive
            | Route::Ready
            | Route::File { .. }
            | Route::Link(_)
            | Route::Embed(_)
            | Route::Preview(..)
            | Route::Moved(_)
            | Route::Unknown => "GET, HEAD",
        }
    }

    /// The class of headers for all its answers.
    pub(super) fn class(&self) -> Class {
        match self {
            Route::File { path, .. } if is_embed(path) => Class::Embed,
            Route::File { .. } | Route::Link(_) => Class::Page,
            Route::Embed(_) => Class::Embed,
            Route::About
            | Route::Share
            | Route::Program(_)
            | Route::Ask(_)
            | Route::Description
            | Route::UnknownQuestion => Class::Api,
            Route::Preview(..) => Class::Picture,
            Route::Alive | Route::Ready | Route::Moved(_) | Route::Unknown => Class::Plain,
        }
    }

    pub(super) fn is_for_all_origins(&self) -> bool {
        self.class() == Class::Api
    }
}

/// The page in a frame, and the script that embeds it.
fn is_embed(path: &str) -> bool {
    path == "embed.js" || path.starts_with("embed/")
}

/// The requests that a test from outside makes, and their answers.
#[cfg(test)]
#[path = "../../tests/agent/server/table.rs"]
mod table;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A list of patterns that a match needs to be complete, and the names of all of them.
    macro_rules! every_route {
        ($($pattern:pat => $name:literal,)+) => {
            const NAMES: &[&str] = &[$($name),+];

            fn name(route: &Route<'_>) -> &'static str {
                match route { $($pattern => $name,)+ }
            }
        };
    }

    // A new route must be listed here to compile, and then in the table for this test to pass.
    every_route! {
        Route::Alive => "healthz",
        Route::Ready => "readyz",
        Route::File { .. } => "file",
        Route::Link(_) => "link",
        Route::Embed(_) => "embed",
        Route::Preview(..) => "preview",
        Route::About => "about",
        Route::Share => "share",
        Route::Program(_) => "program",
        Route::Ask(Question::Check) => "check",
        Route::Ask(Question::Graph) => "graph",
        Route::Ask(Question::Format) => "format",
        Route::Ask(Question::Simulate) => "simulate",
        Route::Description => "openapi",
        Route::Moved(_) => "moved",
        Route::UnknownQuestion | Route::Unknown => "unknown",
    }

    #[test]
    fn the_table_of_the_tests_has_every_route_with_every_method() {
        let versions = BTreeMap::from([("0.0.9".to_owned(), Site::default())]);
        let (mut asked, mut allowed) = (BTreeSet::new(), BTreeSet::new());
        for (expected, request, status, _) in table::TABLE {
            let (method, path) = request.split_once(' ').unwrap();
            let path = ["ID", "NONE", "GONE"].iter().fold(path.to_owned(), |path, id| path.replace(id, "abcdefghij"));
            let route = Route::of(&path, &versions);
            assert_eq!((route.name(), name(&route)), (*expected, *expected), "{request}");
            let is_allowed = route.methods().split(", ").any(|one| one == method);
            assert_eq!(*status == 405, !is_allowed, "{request}");
            asked.insert((route.name(), method));
            // The walk asks with HEAD as well wherever GET is asked.
            let methods = route.methods().split(", ").filter(|method| *method != "HEAD");
            allowed.extend(methods.map(|method| (name(&route), method)));
        }
        assert_eq!(NAMES.iter().filter(|name| !asked.iter().any(|(route, _)| route == *name)).count(), 0, "{asked:?}");
        assert_eq!(allowed.difference(&asked).collect::<Vec<_>>(), [&("", ""); 0]);
    }

    #[test]
    fn paths_name_routes_and_nothing_else() {
        let versions = BTreeMap::from([("0.0.9".to_owned(), Site::default())]);
        let route = |path: &'static str| Route::of(path, &versions);
        let id = || Id::parse("abcdefghij").unwrap();
        assert_eq!(route("/s/abcdefghij"), Route::Link(id()));
        assert_eq!(route("/embed/abcdefghij"), Route::Embed(id()));
        assert_eq!(route("/preview/abcdefghij.svg"), Route::Preview(id(), Form::Svg));
        assert_eq!(route("/preview/abcdefghij.png"), Route::Preview(id(), Form::Png));
        assert_eq!(route("/preview/abcdefghij.gif"), Route::Unknown);
        assert_eq!(route("/api/v1/programs/abcdefghij"), Route::Program(id()));
        assert_eq!(route("/v/0.0.9/api/v1/programs/abcdefghij"), Route::Program(id()));
        assert_eq!(route("/api/v1/check"), Route::Ask(Question::Check));
        assert_eq!(route("/"), Route::File { version: None, path: "" });
        assert_eq!(route("/embed/"), Route::File { version: None, path: "embed/" });
        assert_eq!(route("/s/abcdefghij/"), Route::Moved("../abcdefghij".into()));
        assert_eq!(route("/embed/abcdefghij/"), Route::Moved("../abcdefghij".into()));
        assert_eq!(route("/embed"), Route::Moved("embed/".into()));
        assert_eq!(route("/v/0.0.9"), Route::Moved("0.0.9/".into()));
        assert_eq!(route("/v/0.0.9/embed"), Route::Moved("embed/".into()));
        assert_eq!(route("/v/0.0.9/x.js"), Route::File { version: Some("0.0.9"), path: "x.js" });
        for path in ["*", "/s/", "/s/../x", "/s/abcdefghij//", "/s/ABCDEFGHIJ", "/s/ABCDEFGHIJ/", "/v/9/x", "/v/../x"] {
            assert_eq!(route(path), Route::Unknown, "{path}");
        }
        for path in ["/api/v2/check", "/api/v1/x", "/api/v1/programs/x", "/v/0.0.9/api/v1/x"] {
            assert_eq!(route(path), Route::UnknownQuestion, "{path}");
        }
    }
}
