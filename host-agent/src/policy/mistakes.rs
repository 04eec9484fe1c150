//! Patterns that can never match: each is a mistake in the policy file, which would otherwise look like a permission.
//!
//! Only what is wrong on every host is a mistake: a unit or a package may be installed later.

use super::Policy;
use super::glob::{SPECIAL, matches};
use mclive_base::diag::suggest;
use mclive_base::unicode::visible;

/// The functions with effects: `kinds` lists them next to the kinds.
pub(crate) const FUNCTIONS: [&str; 4] = ["deploy.directory", "golang/os.mkdir_temp", "local.pool", "local.vardir"];

impl Policy {
    /// Errors: a pattern of the policy file that can never match.
    pub(super) fn check_patterns(&self, file: &str) -> Result<(), String> {
        for (name, list) in [("paths", &self.paths), ("reads", &self.reads), ("commands", &self.commands)] {
            list.check(name, file, place)?;
        }
        self.units.check("units", file, unit)?;
        self.hosts.check("hosts", file, host)?;
        self.firewall.check("firewall", file, firewall)?;
        self.r#virtual.check("virtual", file, |pattern| entry(pattern, ["domain", "network"]))?;
        self.firmware.check("firmware", file, |pattern| entry(pattern, ["device", "remote"]))
    }

    /// The same for the names of kinds, which the compiler knows.
    pub(crate) fn check_kinds(&self, file: &str, kinds: &[String]) -> Result<(), String> {
        let kinds = || kinds.iter().map(String::as_str);
        self.kinds.check("kinds", file, |pattern| {
            name(pattern, "resource kind or function with effects", kinds().chain(FUNCTIONS))
        })?;
        self.collect_kinds.check("collect_kinds", file, |pattern| name(pattern, "resource kind", kinds()))
    }
}

/// Why a pattern matches none of these names.
fn name<'n>(pattern: &str, what: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    if names.clone().any(|name| matches(pattern, name)) {
        return None;
    }
    if !is_literal(pattern) {
        return Some(format!("no {what} has such a name"));
    }
    let near = suggest::near(pattern, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Some(format!("unknown {what}{near}"))
}

fn place(pattern: &str) -> Option<String> {
    let why = if !pattern.starts_with('/') && pattern != "**" {
        "paths must begin with a slash"
    } else if pattern.len() > 1 && pattern.ends_with('/') {
        "paths must not end with a slash; `/srv` is the directory, `/srv/**` is everything in it"
    } else if pattern.contains("//") || pattern.split('/').any(|part| part == "." || part == "..") {
        "paths must not contain `//`, `.` or `..`"
    } else {
        return None;
    };
    Some(why.to_owned())
}

fn unit(pattern: &str) -> Option<String> {
    let is_cut = is_literal(pattern) && !pattern.contains('.');
    is_cut.then(|| format!("units are listed by their full name, for example `{}.service`", visible(pattern)))
}

fn host(pattern: &str) -> Option<String> {
    if pattern.contains('[') {
        return None;
    }
    if pattern.contains('/') {
        return Some("hosts are listed as `example.org:443`, without a scheme and a path".to_owned());
    }
    // What follows the last star must be the end of a port.
    let tail = &pattern[pattern.rfind(SPECIAL).map_or(0, |at| at + 1)..];
    let lacks_port = !tail.contains(':') && tail.contains(|c: char| !c.is_ascii_digit());
    lacks_port.then(|| format!("hosts are listed with their port, for example `{}:443`", visible(pattern)))
}

fn firewall(pattern: &str) -> Option<String> {
    let lacks_zone = is_literal(pattern) && !pattern.contains(':');
    lacks_zone.then(|| format!("entries begin with their zone, for example `public:{}`", visible(pattern)))
}

/// An entry begins with one of two words and a colon.
fn entry(pattern: &str, words: [&'static str; 2]) -> Option<String> {
    let literal = &pattern[..pattern.find(SPECIAL).unwrap_or(pattern.len())];
    let may_be = |word: &str| match literal.split_once(':') {
        Some((begin, _)) => begin == word,
        None => literal.len() < pattern.len() && word.starts_with(literal),
    };
    if words.into_iter().any(may_be) {
        return None;
    }
    let begin = literal.split_once(':').map(|(begin, _)| begin);
    let near = begin.and_then(|begin| suggest::near(begin, words));
    let near = near.map(|near| format!("; did you mean `{near}:`?")).unwrap_or_default();
    Some(format!("entries begin with `{}:` or `{}:`{near}", words[0], words[1]))
}

fn is_literal(pattern: &str) -> bool {
    !pattern.contains(SPECIAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [&str; 5] = ["exec", "file", "http:client", "http:server", "user"];

    fn error(file: &str) -> String {
        let kinds = KINDS.map(str::to_owned);
        let policy = Policy::parse(file);
        policy.and_then(|policy| policy.check_kinds(file, &kinds)).err().unwrap_or_default()
    }

    #[test]
    fn an_unknown_kind_is_an_error_with_its_line_and_the_nearest_name() {
        assert_eq!(
            error("paths = []\nkinds = [\n  'file',\n  'flie',\n]"),
            "line 4: `flie` in `kinds` can never match: unknown resource kind or function with effects; did you mean \
             `file`?"
        );
        assert_eq!(
            error("collect_kinds = ['user', 'usr']"),
            "line 1: `usr` in `collect_kinds` can never match: unknown resource kind; did you mean `user`?"
        );
        let functions = "unknown resource kind or function with effects; did you mean `local.vardir`?";
        assert!(error("kinds = ['local.vadir']").ends_with(functions));
        let nothing = "`htp:*` in `kinds` can never match: no resource kind or function with effects has such a name";
        assert!(error("kinds = ['local.*', 'htp:*']").ends_with(nothing));
        assert!(error("collect_kinds = ['local.pool']").contains("`local.pool` in `collect_kinds`"));
        assert!(error("kinds = [\"a\\nb\"]").starts_with("line 1: `a\\nb` in `kinds`"));
    }

    #[test]
    fn the_help_lists_the_functions_with_effects() {
        let help = include_str!("help.txt");
        assert!(FUNCTIONS.iter().all(|function| help.contains(*function)));
    }

    #[test]
    fn known_names_and_patterns_that_match_one_are_accepted() {
        for file in ["", "kinds = []", "kinds = ['file', 'http:*', 'local.pool', 'golang/**', '**']"] {
            assert_eq!(error(file), "", "{file}");
        }
        assert_eq!(error("collect_kinds = ['[ef]*']"), "");
    }

    #[test]
    fn an_entry_in_another_form_than_its_list_has_is_an_error() {
        for (list, pattern, words) in [
            ("units", "nginx", "for example `nginx.service`"),
            ("hosts", "example.org", "for example `example.org:443`"),
            ("hosts", "*.example.org", "for example `*.example.org:443`"),
            ("hosts", "https://example.org", "without a scheme and a path"),
            ("firewall", "https", "for example `public:https`"),
            ("virtual", "web", "entries begin with `domain:` or `network:`"),
            ("virtual", "domian:web", "did you mean `domain:`?"),
            ("virtual", "host:*", "entries begin with `domain:` or `network:`"),
            ("firmware", "lvfs*", "entries begin with `device:` or `remote:`"),
        ] {
            let said = error(&format!("{list} = ['{pattern}']"));
            let place = format!("line 1: `{pattern}` in `{list}` can never match: ");
            assert!(said.starts_with(&place) && said.ends_with(words), "{said}");
        }
        for (list, pattern) in [
            ("units", "nginx*"),
            ("hosts", "*.org:*"),
            ("hosts", "10.0.0.*"),
            ("hosts", "h:808[0-9]"),
            ("firewall", "**"),
            ("virtual", "dom*"),
            ("virtual", "[dn]*:web"),
            ("firmware", "remote:lvfs"),
        ] {
            assert_eq!(error(&format!("{list} = ['{pattern}']")), "", "{list} {pattern}");
        }
    }
}
