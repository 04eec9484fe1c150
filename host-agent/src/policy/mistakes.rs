//! Patterns that can never match: each is a mistake in the policy file, which would otherwise look like a permission.
//!
//! Only what is wrong on every host is a mistake: a unit or a package may be installed later.

use super::glob::{Part, SPECIAL, matches, parts};
use super::{Policy, address};
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
        for (name, list, mistake) in
            [("hosts", &self.hosts, host as Mistake), ("listen", &self.listen, listen as Mistake)]
        {
            list.check(name, file, mistake)?;
            list.check_clear(name, file)?;
        }
        for (name, list) in [("mounts", &self.mounts), ("markup", &self.markup)] {
            list.check(name, file, absolute)?;
        }
        for (name, list) in [("users", &self.users), ("groups", &self.groups)] {
            list.check(name, file, |pattern| without(pattern, ":/", "accounts are listed by name or ID"))?;
        }
        for (name, list, characters, form) in [
            ("environment", &self.environment, "=", "variables are listed by name, without a value"),
            ("sysctl", &self.sysctl, "/=", "kernel parameters are listed by name, for example `net.ipv4.ip_forward`"),
            ("interfaces", &self.interfaces, "/", "network interfaces are listed by name, for example `eth0`"),
            ("packages", &self.packages, "", ""),
            ("containers", &self.containers, "", ""),
            ("collect_from", &self.collect_from, "/", "hosts are listed by name"),
        ] {
            list.check(name, file, |pattern| without(pattern, characters, form))?;
        }
        self.images.check("images", file, image)?;
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
        return Some(format!("no {what} has this name"));
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
    if let Some(why) = without(pattern, "/", "units are listed by name, without a directory") {
        return Some(why);
    }
    let is_cut = is_literal(pattern) && !pattern.contains('.');
    is_cut.then(|| format!("units are listed by their full name, for example `{}.service`", visible(pattern)))
}

/// Why a pattern matches nothing that a list is for; `None` if it does.
type Mistake = fn(&str) -> Option<String>;

/// A place that is judged by its text: it may have another form than places of files.
fn absolute(pattern: &str) -> Option<String> {
    let begins_otherwise = !pattern.starts_with('/') && !pattern.starts_with(SPECIAL);
    begins_otherwise.then(|| format!("paths must begin with a slash, for example `/{}`", visible(pattern)))
}

/// None of these characters is in what the list is for.
fn without(pattern: &str, characters: &str, form: &str) -> Option<String> {
    let is_one = |part: &Part| matches!(part, Part::Literal(c) if characters.contains(*c));
    parts(pattern).is_ok_and(|parts| parts.iter().any(is_one)).then(|| form.to_owned())
}

/// Images always have a tag or a digest; a colon before a slash is that of a port.
fn image(pattern: &str) -> Option<String> {
    let name = pattern.rsplit('/').next().unwrap_or_default();
    let lacks_tag = is_literal(pattern) && !name.contains([':', '@']);
    lacks_tag.then(|| format!("images are listed with their tags, for example `{}:latest`", visible(pattern)))
}

fn listen(pattern: &str) -> Option<String> {
    if let Some(why) =
        without(pattern, "/", "addresses are listed as `127.0.0.1:80` or `:80`, without a scheme and a path")
    {
        return Some(why);
    }
    if is_literal(pattern) && !pattern.contains(':') {
        let is_port = pattern.bytes().all(|byte| byte.is_ascii_digit());
        let example = if is_port { format!(":{pattern}") } else { format!("{}:80", visible(pattern)) };
        return Some(format!("addresses are listed with their port, for example `{example}`"));
    }
    vain(pattern)
}

/// A pattern without letters in its host.
fn vain(pattern: &str) -> Option<String> {
    let why = "without letters in its host, it matches only addresses, and no address looks like this; write an \
        address as `10.0.0.1:443` or `10.0.0.*`";
    address::is_vain(pattern).then(|| why.to_owned())
}

fn host(pattern: &str) -> Option<String> {
    let is_upper = |part: &Part| matches!(part, Part::Literal(c) if c.is_ascii_uppercase());
    if parts(pattern).is_ok_and(|parts| parts.iter().any(is_upper)) {
        let lower = pattern.to_ascii_lowercase();
        return Some(format!("hosts are compared in lower case, for example `{}`", visible(&lower)));
    }
    if pattern.contains('[') {
        return vain(pattern);
    }
    if pattern.contains('/') {
        return Some("hosts are listed as `example.org:443`, without a scheme and a path".to_owned());
    }
    // What follows the last star must be the end of a port.
    let tail = &pattern[pattern.rfind(SPECIAL).map_or(0, |at| at + 1)..];
    let lacks_port = !tail.contains(':') && tail.contains(|c: char| !c.is_ascii_digit());
    if lacks_port {
        return Some(format!("hosts are listed with their port, for example `{}:443`", visible(pattern)));
    }
    vain(pattern)
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
        let nothing = "`htp:*` in `kinds` can never match: no resource kind or function with effects has this name";
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
            ("units", "/etc/systemd/system/*", "units are listed by name, without a directory"),
            ("hosts", "Example.org:*", "in lower case, for example `example.org:*`"),
            ("hosts", "443", "write an address as `10.0.0.1:443` or `10.0.0.*`"),
            ("hosts", "10.0.0.[0-9].*", "write an address as `10.0.0.1:443` or `10.0.0.*`"),
            ("listen", "80", "with their port, for example `:80`"),
            ("listen", "localhost", "with their port, for example `localhost:80`"),
            ("listen", "http://*:80", "without a scheme and a path"),
            ("listen", "127.1:80", "write an address as `10.0.0.1:443` or `10.0.0.*`"),
            ("mounts", "srv/*", "for example `/srv/*`"),
            ("markup", "ui/", "for example `/ui/`"),
            ("users", "root:root", "accounts are listed by name or ID"),
            ("groups", "adm/*", "accounts are listed by name or ID"),
            ("environment", "LANG=C", "variables are listed by name, without a value"),
            ("sysctl", "/proc/sys/net/**", "for example `net.ipv4.ip_forward`"),
            ("interfaces", "/sys/class/net/*", "for example `eth0`"),
            ("collect_from", "web/1", "hosts are listed by name"),
            ("images", "nginx", "with their tags, for example `nginx:latest`"),
            ("images", "h:5000/site", "with their tags, for example `h:5000/site:latest`"),
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
            ("hosts", "[a-z]*.org:443"),
            ("hosts", "*:443"),
            ("listen", ":80"),
            ("listen", "*:[48]*"),
            ("listen", "[[]::1]:80"),
            ("listen", "127.0.0.1:*"),
            ("mounts", "/srv/m/"),
            ("mounts", "**"),
            ("markup", "*"),
            ("users", "33"),
            ("users", "*-data"),
            ("environment", "LC_*"),
            ("sysctl", "net.*"),
            ("packages", "nginx:amd64"),
            ("images", "nginx@sha256:0"),
            ("images", "registry.example/**"),
        ] {
            assert_eq!(error(&format!("{list} = ['{pattern}']")), "", "{list} {pattern}");
        }
    }

    /// An empty pattern would match an account whose name is not known.
    #[test]
    fn a_pattern_that_no_text_matches_is_an_error_in_every_list() {
        for list in [
            "kinds",
            "paths",
            "reads",
            "commands",
            "environment",
            "listen",
            "markup",
            "users",
            "groups",
            "sysctl",
            "mounts",
            "interfaces",
            "units",
            "packages",
            "firewall",
            "containers",
            "images",
            "virtual",
            "firmware",
            "hosts",
            "collect_from",
            "collect_kinds",
        ] {
            for (pattern, why) in [("", "it is empty"), ("[a", "its class has no `]`"), ("/[z-a]", "its class matches")]
            {
                let said = error(&format!("{list} = [\n'**', '{pattern}']"));
                let place = format!("line 2: `{pattern}` in `{list}` can never match: {why}");
                assert!(said.starts_with(&place), "{said}");
            }
        }
    }

    #[test]
    fn a_pattern_that_may_be_for_addresses_or_for_names_is_an_error() {
        for list in ["hosts", "listen"] {
            let said = error(&format!("{list} = [\n'10.0.0.[a-f]*']"));
            assert!(said.starts_with(&format!("line 2: `10.0.0.[a-f]*` in `{list}` is ambiguous: ")), "{said}");
        }
    }
}
