//! Commands of the simulated host's shell that read text and print a part of it: `grep`, `sed`, `head`, `sort`.
//!
//! Patterns are text in which `.` is any character, `^` the start and `$` the end of a line. Everything else is reported
//! as unsupported instead of being taken for text, so that no script gets a wrong answer.

use crate::sort;

/// What a filter prints; errors have a status and a text.
pub(super) type Filtered = Result<(i32, String), (i32, String)>;

/// The commands of this file.
pub(super) const NAMES: [&str; 8] = ["grep", "sed", "head", "tail", "sort", "uniq", "cut", "tr"];

/// Words before the names of files: flags, flags that have a value, and how many other words are not files.
fn shape(name: &str) -> (&'static str, &'static str, usize) {
    match name {
        "grep" => ("ivcqnhsxFE", "", 1),
        "sed" => ("iEr", "", 1),
        "head" | "tail" => ("", "n", 0),
        "sort" => ("rnu", "", 0),
        "uniq" => ("cdu", "", 0),
        "cut" => ("", "df", 0),
        _ => ("d", "", usize::MAX),
    }
}

/// The arguments of a filter.
#[derive(Default)]
pub(super) struct Args {
    flags: String,
    values: Vec<(char, String)>,
    /// Patterns and sets.
    words: Vec<String>,
    pub(super) files: Vec<String>,
}

impl Args {
    /// Errors: an option that is not supported.
    pub(super) fn parse(name: &str, args: &[String]) -> Result<Args, String> {
        let (flags, valued, n_words) = shape(name);
        let mut parsed = Args::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let option = arg.strip_prefix('-').filter(|option| !option.is_empty());
            let Some(option) = option else {
                let list = if parsed.words.len() < n_words { &mut parsed.words } else { &mut parsed.files };
                list.push(arg.clone());
                continue;
            };
            let first = option.chars().next().unwrap_or_default();
            if matches!(name, "head" | "tail") && option.bytes().all(|byte| byte.is_ascii_digit()) {
                parsed.values.push(('n', option.to_owned()));
            } else if valued.contains(first) {
                let inline = option[first.len_utf8()..].to_owned();
                let value = if inline.is_empty() { args.next().cloned() } else { Some(inline) };
                parsed.values.push((first, value.ok_or(format!("option requires an argument -- '{first}'"))?));
            } else if option.chars().all(|flag| flags.contains(flag)) && !has_suffix(name, option) {
                parsed.flags.push_str(option);
            } else {
                return Err(format!("`{arg}` is not supported by the simulated shell"));
            }
        }
        Ok(parsed)
    }

    /// Whether files are changed in place.
    pub(super) fn in_place(&self, name: &str) -> bool {
        name == "sed" && self.has('i')
    }

    /// Whether missing files are not reported.
    pub(super) fn is_silent(&self, name: &str) -> bool {
        name == "grep" && self.has('s')
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    fn value(&self, flag: char) -> Option<&str> {
        self.values.iter().rev().find(|(known, _)| *known == flag).map(|(_, value)| value.as_str())
    }

    fn word(&self, at: usize) -> Result<&str, (i32, String)> {
        self.words.get(at).map(String::as_str).ok_or((2, "missing operand".to_owned()))
    }
}

/// What follows the `i` of `sed` is the suffix of a copy, and no flag.
fn has_suffix(name: &str, option: &str) -> bool {
    name == "sed" && option.find('i').is_some_and(|at| at + 1 < option.len())
}

/// Runs a filter on the text of its files or of its input.
pub(super) fn run(name: &str, args: &Args, text: &str) -> Filtered {
    match name {
        "grep" => grep(args, text),
        "sed" => sed(args, text),
        "head" | "tail" => ends(name, args, text),
        "sort" => Ok((0, sort(args, text))),
        "uniq" => Ok((0, uniq(args, text))),
        "cut" => cut(args, text),
        _ => tr(args, text),
    }
}

fn joined<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    lines.into_iter().flat_map(|line| [line, "\n"]).collect()
}

/// A pattern without repetition: the search never takes longer than the product of both lengths.
struct Pattern {
    chars: Vec<Option<char>>,
    at_start: bool,
    at_end: bool,
    ignore_case: bool,
}

impl Pattern {
    fn parse(text: &str, is_plain: bool, is_extended: bool, ignore_case: bool) -> Result<Pattern, (i32, String)> {
        let special: &[char] = if is_extended { &['*', '[', '\\', '+', '?', '|', '(', '{'] } else { &['*', '[', '\\'] };
        if let Some(char) = text.chars().find(|char| !is_plain && special.contains(char)) {
            return Err((2, format!("`{char}` in a pattern is not supported by the simulated shell")));
        }
        let at_start = !is_plain && text.starts_with('^');
        let text = if at_start { &text[1..] } else { text };
        let at_end = !is_plain && text.ends_with('$');
        let text = if at_end { &text[..text.len() - 1] } else { text };
        let lower = |char: char| if ignore_case { char.to_ascii_lowercase() } else { char };
        let chars = text.chars().map(|char| (is_plain || char != '.').then(|| lower(char))).collect();
        Ok(Pattern { chars, at_start, at_end, ignore_case })
    }

    /// The first match at or after `from`, as positions of characters.
    fn find(&self, line: &[char], from: usize) -> Option<(usize, usize)> {
        let fits = |wanted: &Option<char>, found: &char| {
            let found = if self.ignore_case { found.to_ascii_lowercase() } else { *found };
            wanted.is_none_or(|wanted| wanted == found)
        };
        let last = line.len().checked_sub(self.chars.len())?;
        let mut starts = from..=last;
        let start = starts.find(|start| {
            let is_placed = (!self.at_start || *start == 0) && (!self.at_end || *start == last);
            is_placed && self.chars.iter().zip(&line[*start..]).all(|(wanted, found)| fits(wanted, found))
        })?;
        Some((start, start + self.chars.len()))
    }
}

fn grep(args: &Args, text: &str) -> Filtered {
    let mut pattern = Pattern::parse(args.word(0)?, args.has('F'), args.has('E'), args.has('i'))?;
    if args.has('x') {
        (pattern.at_start, pattern.at_end) = (true, true);
    }
    let matches = |line: &str| pattern.find(&line.chars().collect::<Vec<char>>(), 0).is_some() != args.has('v');
    let found: Vec<(usize, &str)> = text.split_terminator('\n').enumerate().filter(|(_, line)| matches(line)).collect();
    let status = i32::from(found.is_empty());
    let out = match () {
        () if args.has('q') => String::new(),
        () if args.has('c') => format!("{}\n", found.len()),
        () if args.has('n') => found.iter().map(|(at, line)| format!("{}:{line}\n", at + 1)).collect(),
        () => joined(found.into_iter().map(|(_, line)| line)),
    };
    Ok((status, out))
}

/// `grep` in several files: each line begins with the name of its file.
pub(super) fn grep_each(args: &Args, texts: &[String]) -> Filtered {
    let (mut status, mut all) = (1, String::new());
    for (file, text) in args.files.iter().zip(texts) {
        let (of_file, out) = grep(args, text)?;
        status = status.min(of_file);
        for line in out.split_inclusive('\n') {
            let name = if args.has('h') { String::new() } else { format!("{file}:") };
            all.extend([name.as_str(), line]);
        }
    }
    Ok((status, all))
}

/// `s/old/new/` and `s/old/new/g`, with any delimiter.
fn sed(args: &Args, text: &str) -> Filtered {
    let unsupported = || (1, "only `s/old/new/` is supported by the simulated shell".to_owned());
    let script = args.word(0)?;
    let rest = script.strip_prefix('s').ok_or_else(unsupported)?;
    let delimiter = rest.chars().next().ok_or_else(unsupported)?;
    let parts: Vec<&str> = rest[delimiter.len_utf8()..].split(delimiter).collect();
    let [old, new, flags @ ("" | "g")] = parts.as_slice() else { return Err(unsupported()) };
    if old.is_empty() || new.contains(['&', '\\']) {
        return Err(unsupported());
    }
    let pattern = Pattern::parse(old, false, args.has('E') || args.has('r'), false)?;
    let replace = |line: &str| {
        let chars: Vec<char> = line.chars().collect();
        let (mut out, mut at) = (String::new(), 0);
        while let Some((start, end)) = pattern.find(&chars, at) {
            out.extend(&chars[at..start]);
            out.push_str(new);
            at = end;
            // A mere anchor matches once.
            if flags.is_empty() || start == end {
                break;
            }
        }
        out.extend(&chars[at..]);
        out
    };
    // The last line may lack its end, and is left so.
    let replaced = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
        Some(line) => replace(line) + "\n",
        None => replace(line),
    });
    Ok((0, replaced.collect()))
}

fn ends(name: &str, args: &Args, text: &str) -> Filtered {
    let n = args.value('n').unwrap_or("10");
    let n: usize = n.parse().map_err(|_| (1, format!("invalid number of lines: '{n}'")))?;
    let lines = || text.split_inclusive('\n');
    let skipped = if name == "tail" { lines().count().saturating_sub(n) } else { 0 };
    Ok((0, lines().skip(skipped).take(n).collect()))
}

fn sort(args: &Args, text: &str) -> String {
    let number = |line: &str| {
        let line = line.trim_start();
        let end = line.find(|char: char| !matches!(char, '-' | '.' | '0'..='9')).unwrap_or(line.len());
        line[..end].parse::<f64>().unwrap_or(0.0)
    };
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort();
    if args.has('n') {
        sort::by(&mut lines, |a, b| number(a).total_cmp(&number(b)));
    }
    if args.has('r') {
        lines.reverse();
    }
    if args.has('u') {
        lines.dedup();
    }
    joined(lines)
}

fn uniq(args: &Args, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let groups = lines.chunk_by(|a, b| a == b);
    let groups = groups.filter(|group| (!args.has('d') || group.len() > 1) && (!args.has('u') || group.len() == 1));
    match args.has('c') {
        true => groups.map(|group| format!("{:7} {}\n", group.len(), group[0])).collect(),
        false => joined(groups.map(|group| group[0])),
    }
}

/// `-f 1,3-5`, and `-d` for another delimiter than the tab.
fn cut(args: &Args, text: &str) -> Filtered {
    let delimiter = args.value('d').unwrap_or("\t");
    let list = args.value('f').ok_or((1, "`cut` without `-f` is not supported by the simulated shell".to_owned()))?;
    let number = |text: &str, default: usize| if text.is_empty() { Some(default) } else { text.parse().ok() };
    let range = |part: &str| match part.split_once('-') {
        Some((from, to)) => Some((number(from, 1)?, number(to, usize::MAX)?)),
        None => part.parse().ok().map(|at| (at, at)),
    };
    let ranges: Option<Vec<(usize, usize)>> = list.split(',').map(range).collect();
    let ranges = ranges.ok_or_else(|| (1, format!("invalid field range '{list}'")))?;
    let picked = |line: &str| {
        let fields = line.split(delimiter).enumerate();
        let fields = fields.filter(|(at, _)| ranges.iter().any(|(from, to)| (from..=to).contains(&&(at + 1))));
        let fields: Vec<&str> = fields.map(|(_, field)| field).collect();
        // A line without the delimiter is printed as a whole.
        if line.contains(delimiter) { fields.join(delimiter) } else { line.to_owned() }
    };
    Ok((0, text.lines().map(|line| picked(line) + "\n").collect()))
}

/// The characters of a set such as `a-z\n`.
fn set(text: &str) -> Result<Vec<char>, (i32, String)> {
    if text.starts_with('[') {
        return Err((1, "character classes are not supported by the simulated shell".to_owned()));
    }
    let text = text.replace("\\n", "\n").replace("\\t", "\t");
    let chars: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match chars[at..] {
            [from, '-', to, ..] if from.is_ascii() && to.is_ascii() && from <= to => {
                all.extend(from..=to);
                at += 3;
            }
            _ => {
                all.push(chars[at]);
                at += 1;
            }
        }
    }
    Ok(all)
}

fn tr(args: &Args, text: &str) -> Filtered {
    let from = set(args.word(0)?)?;
    if args.has('d') {
        return Ok((0, text.chars().filter(|char| !from.contains(char)).collect()));
    }
    let to = set(args.word(1)?)?;
    let last = *to.last().ok_or((1, "the second set is empty".to_owned()))?;
    let swap = |char: char| match from.iter().rposition(|known| *known == char) {
        Some(at) => to.get(at).copied().unwrap_or(last),
        None => char,
    };
    Ok((0, text.chars().map(swap).collect()))
}
