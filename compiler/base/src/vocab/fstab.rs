//! `/etc/fstab`: one line per mount point, edited in place; comments and all other lines stay, byte for byte.

use super::path;
use serde::{Deserialize, Serialize};

/// One entry. Fields are unescaped: only the file escapes spaces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The device or file system.
    pub spec: String,
    /// The mount point.
    pub target: String,
    /// The file system type.
    pub kind: String,
    /// Mount options in the order they are written, which has no meaning.
    pub options: Vec<String>,
    /// The dump flag.
    pub freq: i64,
    /// The order of file system checks.
    pub passno: i64,
}

impl Entry {
    /// Parses a line; `None` if it is not an entry. Only spaces and tabs separate fields: other white space is a part
    /// of one, as `mount` reads it.
    fn parse(line: &str) -> Option<Entry> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line).trim_start_matches(BLANKS);
        if line.starts_with('#') {
            return None;
        }
        let mut words = line.split(BLANKS).filter(|word| !word.is_empty()).map(unescaped);
        let spec = words.next()?;
        let (target, kind) = (words.next()?, words.next()?);
        let options = words.next().unwrap_or_else(|| "defaults".into());
        let options = options.split(',').filter(|option| !option.is_empty()).map(str::to_owned).collect();
        let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let (freq, passno) = (number(), number());
        Some(Entry { spec, target, kind, options, freq, passno })
    }

    fn line(&self) -> Vec<u8> {
        let options = if self.options.is_empty() { "defaults".to_owned() } else { self.options.join(",") };
        let mut line = [&self.spec, &self.target, &self.kind, &options].map(|word| escaped(word)).join(&b' ');
        line.extend(format!(" {} {}\n", self.freq, self.passno).bytes());
        line
    }

    fn means(&self, other: &Entry) -> bool {
        let sorted = |entry: &Entry| {
            let mut options = entry.options.clone();
            options.sort();
            if options.is_empty() {
                options.push("defaults".into());
            }
            Entry { options, target: clean(&entry.target).to_owned(), ..entry.clone() }
        };
        sorted(self) == sorted(other)
    }
}

/// What separates fields.
const BLANKS: [char; 2] = [' ', '\t'];

/// The table with exactly this entry for its mount point, or none; `None` if nothing changes.
pub(super) fn edited(text: &[u8], target: &str, wanted: Option<&Entry>) -> Option<Vec<u8>> {
    let (mut new, mut changed, mut placed) = (Vec::new(), false, false);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let entry = Entry::parse(&path::escaped(line));
        let Some(entry) = entry.filter(|entry| clean(&entry.target) == clean(target)) else {
            new.extend_from_slice(line);
            continue;
        };
        match wanted.filter(|_| !placed) {
            Some(wanted) if wanted.means(&entry) => new.extend_from_slice(line),
            Some(wanted) => {
                new.extend(wanted.line());
                changed = true;
            }
            None => changed = true,
        }
        placed = true;
    }
    if let Some(wanted) = wanted.filter(|_| !placed) {
        if !new.is_empty() && !new.ends_with(b"\n") {
            new.push(b'\n');
        }
        new.extend(wanted.line());
        changed = true;
    }
    changed.then_some(new)
}

fn clean(target: &str) -> &str {
    match target.trim_end_matches('/') {
        "" => "/",
        target => target,
    }
}

/// Decodes escapes: `\040` is a space. Bytes that are not UTF-8 are written as in [`path::escaped`], before and after.
pub fn unescaped(word: &str) -> String {
    let word = path::native(word);
    let mut bytes = Vec::new();
    let mut rest = &*word;
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    path::escaped(&bytes).into_owned()
}

fn escaped(word: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(word.len());
    for byte in path::native(word).iter() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'\\' | b'#' => text.extend(format!("\\{byte:03o}").bytes()),
            byte => text.push(*byte),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, target: &str, wanted: Option<&Entry>) -> Option<String> {
        super::edited(text.as_bytes(), target, wanted).map(|new| String::from_utf8(new).unwrap())
    }

    fn entry(options: &[&str]) -> Entry {
        let options = options.iter().map(|option| option.to_string()).collect();
        Entry {
            spec: "/dev/vdb".into(),
            target: "/srv/my data".into(),
            kind: "ext4".into(),
            options,
            freq: 0,
            passno: 2,
        }
    }

    const TABLE: &str =
        "# kept\n/dev/vda / ext4 defaults 0 1\n\n/dev/vdb /srv/my\\040data/ ext4 noatime,ro 0 2\nnone swap swap sw\n";

    #[test]
    fn the_line_of_a_mount_point_is_replaced_where_it_stands() {
        assert_eq!(edited(TABLE, "/srv/my data", Some(&entry(&["ro", "noatime"]))), None);
        let new = edited(TABLE, "/srv/my data", Some(&entry(&["rw"]))).unwrap();
        assert_eq!(new, TABLE.replace("/srv/my\\040data/ ext4 noatime,ro", "/srv/my\\040data ext4 rw"));
        assert_eq!(edited(&new, "/srv/my data", Some(&entry(&["rw"]))), None);
    }

    #[test]
    fn an_entry_is_added_once_and_removed_whole() {
        let new = edited("/dev/vda / ext4", "/srv/my data", Some(&entry(&[]))).unwrap();
        assert_eq!(new, "/dev/vda / ext4\n/dev/vdb /srv/my\\040data ext4 defaults 0 2\n");
        assert_eq!(edited(&new, "/srv/my data", Some(&entry(&[]))), None);
        let twice = format!("{TABLE}/dev/vdc /srv/my\\040data xfs\n");
        assert_eq!(
            edited(&twice, "/srv/my data", None),
            Some(TABLE.replace("/dev/vdb /srv/my\\040data/ ext4 noatime,ro 0 2\n", ""))
        );
        assert_eq!(edited(&twice, "/srv/my data", Some(&entry(&["noatime", "ro"]))), Some(TABLE.to_owned()));
        assert_eq!(edited(TABLE, "/other", None), None);
    }

    #[test]
    fn only_blanks_and_tabs_separate_fields() {
        // The path of another mount point, with a no-break space.
        assert_eq!(edited("/dev/vdc /srv/a\u{a0}b ext4 defaults 0 0\n", "/srv/a", None), None);
        for target in ["/srv/a\u{a0}b", "/srv/a\u{b}b", "/srv/a\r", "/srv/a\tb c", "/srv/#a"] {
            let odd = Entry { target: target.into(), spec: "#1".into(), ..entry(&[]) };
            let new = edited("", target, Some(&odd)).unwrap();
            assert_eq!(edited(&new, target, Some(&odd)), None, "{new}");
            assert_eq!(edited(&new, target, None).as_deref(), Some(""), "{new}");
        }
        assert_eq!(edited("/dev/vdb\t/srv/my\\040data \text4 ro 0 2\r\n", "/srv/my data", Some(&entry(&["ro"]))), None);
    }

    #[test]
    fn a_path_is_bytes() {
        let table = b"/dev/vdb /srv/\xfe ext4 defaults 0 2\n";
        let odd = Entry { target: "/srv/\0ff".into(), ..entry(&[]) };
        let new = super::edited(table, &odd.target, Some(&odd)).unwrap();
        assert_eq!(new, [&table[..], b"/dev/vdb /srv/\xff ext4 defaults 0 2\n"].concat());
        assert_eq!(super::edited(&new, &odd.target, Some(&odd)), None);
        assert_eq!(super::edited(&new, &odd.target, None).as_deref(), Some(&table[..]));
    }

    #[test]
    fn a_comment_in_another_encoding_stays() {
        let table = b"# f\xfcr Daten\n/dev/vda / ext4\n/dev/vdb /srv/my\\040data xfs\n";
        let new = super::edited(table, "/srv/my data", None).unwrap();
        assert_eq!(new, b"# f\xfcr Daten\n/dev/vda / ext4\n");
    }
}
