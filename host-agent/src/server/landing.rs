//! The page of `/s/ID`: title, first lines and a picture for link previews; it redirects users to the playground
//! immediately. If a link cannot be opened, the page says why.
//!
//! It is a separate page rather than a redirection: preview services read the first page and follow nothing, and a
//! fragment never reaches a server. It is not a copy of the playground's page, whose parts are in another folder.

use super::picture::{HEIGHT, WIDTH, escaped};
use crate::share::{Id, Shared};

/// The maximum length of a title, and of a description, in previews. Units: characters.
const LONGEST_TITLE: usize = 70;
const LONGEST_DESCRIPTION: usize = 200;
/// The most of a program that the page shows: escaped text may be six times as long, and the server holds it until a slow
/// client has received it. Units: characters.
const LONGEST_SHOWN: usize = 64 << 10;

/// `site`: the playground, relative to this page.
pub(super) fn page(id: &Id, shared: &Shared, origin: &str, site: &str) -> String {
    let title = escaped(&title(shared));
    let description = escaped(&description(shared));
    let (origin, site) = (escaped(origin), escaped(site));
    let program = escaped(&cut(shared.main(), LONGEST_SHOWN));
    format!(
        "<!doctype html>\n\
         <html lang=\"en\">\n\
         <head>\n\
         <meta charset=\"utf-8\">\n\
         <title>{title} · mclive</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"robots\" content=\"noindex\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <meta name=\"description\" content=\"{description}\">\n\
         <meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:site_name\" content=\"mclive\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{description}\">\n\
         <meta property=\"og:url\" content=\"{origin}/s/{id}\">\n\
         <meta property=\"og:image\" content=\"{origin}/preview/{id}.png\">\n\
         <meta property=\"og:image:type\" content=\"image/png\">\n\
         <meta property=\"og:image:width\" content=\"{WIDTH}\">\n\
         <meta property=\"og:image:height\" content=\"{HEIGHT}\">\n\
         <meta property=\"og:image:alt\" content=\"The resource graph of this program\">\n\
         <meta name=\"twitter:card\" content=\"summary_large_image\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={site}#s={id}\">\n\
         </head>\n\
         <body>\n\
         <h1>{title}</h1>\n\
         <p><a href=\"{site}#s={id}\">Open in the playground</a></p>\n\
         <pre>{program}</pre>\n\
         </body>\n\
         </html>\n"
    )
}

/// `why`: a sentence without its full stop.
pub(super) fn refused(why: &str) -> String {
    let mut rest = why.trim_end_matches('.').chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    let why = escaped(&(first + rest.as_str()));
    format!(
        "<!doctype html>\n\
         <html lang=\"en\">\n\
         <head>\n\
         <meta charset=\"utf-8\">\n\
         <title>This link cannot be opened · mclive</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"robots\" content=\"noindex\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         </head>\n\
         <body>\n\
         <h1>This link cannot be opened</h1>\n\
         <p>{why}.</p>\n\
         <p><a href=\"../\">Go to the playground</a></p>\n\
         </body>\n\
         </html>\n"
    )
}

/// The first comment of the program, or its name.
fn title(shared: &Shared) -> String {
    let comment = shared.main().lines().map(str::trim).find(|line| !line.is_empty());
    let comment = comment.and_then(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#').trim());
    match comment {
        Some(text) if !text.is_empty() && !text.starts_with('!') => cut(text, LONGEST_TITLE),
        Some(_) | None => shared.title(),
    }
}

/// The first lines that are not comments.
fn description(shared: &Shared) -> String {
    let lines = shared.main().lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    cut(&lines.take(6).collect::<Vec<_>>().join(" "), LONGEST_DESCRIPTION)
}

fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn shared(text: &str) -> Shared {
        Shared::new("main.mcl", BTreeMap::from([("main.mcl".to_owned(), text.as_bytes().to_vec())])).unwrap()
    }

    #[test]
    fn a_preview_tells_what_the_program_says_of_itself() {
        let about = |text: &str| (title(&shared(text)), description(&shared(text)));
        assert_eq!(
            about("\n# A web server\n# and more\n$a = 1\n\n$b = 2\n"),
            ("A web server".into(), "$a = 1 $b = 2".into())
        );
        assert_eq!(about("$a = 1").0, "MCL program");
        assert_eq!(about(&format!("# {}", "x".repeat(999))).0.chars().count(), LONGEST_TITLE);
        assert_eq!(about("").1, "");
    }

    #[test]
    fn nothing_that_a_program_says_is_markup() {
        let hostile = "# \"><script>alert(1)</script>\nprint \"</pre><img src=x onerror=alert(1)>\" {}\n";
        let id = Id::parse("abcdefghij").unwrap();
        let page = page(&id, &shared(hostile), "http://a\"><b>", "../");
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>"), "{page}");
        assert!(page.contains("content=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\""), "{page}");
    }

    #[test]
    fn a_link_that_opens_nothing_says_why() {
        let page = refused("état: a program was taken down: <script>\"&.");
        assert!(page.contains("<p>État: a program was taken down: &lt;script&gt;&quot;&amp;.</p>"), "{page}");
        assert!(page.contains("<a href=\"../\">") && !page.contains("refresh"), "{page}");
        assert!(refused("").contains("<p>.</p>"));
    }

    #[test]
    fn of_a_large_program_the_page_shows_the_beginning() {
        let id = Id::parse("abcdefghij").unwrap();
        let shown = |text: &str| page(&id, &shared(text), "https://h", "../");
        let large = shown(&"\"".repeat(1_000_000));
        assert!(large.len() < 500_000 && large.contains("&quot;…</pre>") && large.contains("../#s=abcdefghij"));
        assert!(shown("$a = 1\n").contains("<pre>$a = 1\n</pre>"));
    }
}
