//! The list of IDs that the operator removed: one per line, `ID REASON`; lines that begin with `#` are comments.
//!
//! In place of an ID, a line may have a link to the program, as copied from a complaint. The reason is shown to users
//! who open the link. The list is read again after [`FRESH`]; while it is unreadable or missing, the last version
//! applies, and while it was never readable no program is served: a removed program must not come back because a disk
//! is slow, or because an editor replaces the file. A line that names no program is reported to the operator, since its
//! program is still online; and a list without any program is neither a first one nor ends an earlier one, unless it is
//! empty: it may be something else, such as the page of a proxy in front of a bucket.

use super::{Blobs, Fault};
use crate::lock::Mutex;
use crate::share::Id;
use mclive_base::short;
use mclive_base::unicode::visible;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FRESH: Duration = Duration::from_secs(5);
/// The maximum number of wrong lines that are reported one by one.
const MOST_TOLD: usize = 20;
const BINARY: &str = "the list `taken-down` is not text in UTF-8";
const FOREIGN: &str =
    "no line of the list `taken-down` begins with an ID or a short link; to clear the list, leave the file empty";
const MISSING: &str = "the list `taken-down` is missing; to clear it, create an empty file";
/// The longest part of a line that is shown. Units: characters.
const LONGEST_SHOWN: usize = 60;

type List = Arc<BTreeMap<Id, String>>;
/// Reports to the operator.
type Tell = dyn Fn(&str) + Send + Sync;

pub(super) struct TakenDown {
    state: Mutex<Option<Reading>>,
    fresh: Duration,
    tell: Box<Tell>,
}

#[derive(Clone)]
struct Reading {
    read: Instant,
    /// When that reading began.
    asked: Instant,
    list: List,
    /// What was told about it last.
    wrong: Vec<String>,
    is_unreadable: bool,
}

impl Default for TakenDown {
    fn default() -> TakenDown {
        TakenDown { state: Mutex::default(), fresh: FRESH, tell: Box::new(crate::output::tell) }
    }
}

impl TakenDown {
    /// Errors: this ID was removed, or the list is unreadable.
    pub(super) async fn judge(&self, blobs: &dyn Blobs, id: &Id) -> Result<(), Fault> {
        match self.list(blobs).await.map_err(Fault::Unavailable)?.get(id) {
            Some(reason) => Err(Fault::TakenDown(reason.clone())),
            None => Ok(()),
        }
    }

    /// The list, at most [`FRESH`] old. Errors: no list could be read.
    pub(super) async fn list(&self, blobs: &dyn Blobs) -> Result<List, String> {
        let known = self.state.lock().as_ref().map(|state| (state.read, state.list.clone()));
        if let Some((read, list)) = known
            && read.elapsed() < self.fresh
        {
            return Ok(list);
        }
        let asked = Instant::now();
        let found = match blobs.taken_down().await {
            // Some editors write UTF-16, of which no line would name a program.
            Ok(Some(text)) if text.contains(&0) => Err(BINARY.to_owned()),
            found => found.map(|text| text.map(|text| parse(&text))),
        };
        let (list, told) = self.taken_in(found, asked)?;
        told.iter().for_each(|line| (self.tell)(line));
        Ok(list)
    }

    /// Remembers what was read, and returns what the operator must know. Errors: there is no list at all.
    fn taken_in(&self, found: Result<Option<Parsed>, String>, asked: Instant) -> Result<(List, Vec<String>), String> {
        let mut state = self.state.lock();
        // Of several requests at a time, one that began to read earlier may end later, with an earlier list.
        if let Some(known) = state.as_ref().filter(|known| known.asked > asked) {
            return Ok((known.list.clone(), Vec::new()));
        }
        let (read, before) = (Instant::now(), state.take());
        let is_lost = before.as_ref().is_some_and(|before| !before.list.is_empty());
        let found = match found {
            Ok(None) if is_lost => Err(MISSING.to_owned()),
            Ok(Some(parsed)) if is_lost && parsed.is_foreign() => Err(FOREIGN.to_owned()),
            // Nothing else tells the operator which line it is.
            Ok(Some(parsed)) if before.is_none() && parsed.is_foreign() => {
                Err(parsed.wrong.into_iter().take(1).chain([FOREIGN.to_owned()]).collect::<Vec<_>>().join("; "))
            }
            found => found.map(Option::unwrap_or_default),
        };
        let (next, told) = match (found, before) {
            (Ok(Parsed { list, wrong }), before) => {
                let was_unreadable = before.as_ref().is_some_and(|before| before.is_unreadable);
                let is_new = before.is_none_or(|before| before.wrong != wrong);
                let again = was_unreadable.then(|| "mclive: the list `taken-down` is readable again".to_owned());
                let told = again.into_iter().chain(wrong.iter().filter(|_| is_new).map(|why| warning(why)));
                let told = told.collect();
                (Reading { read, asked, list: Arc::new(list), wrong, is_unreadable: false }, told)
            }
            (Err(why), Some(before)) => {
                let told = format!("mclive: error: {why}; the previous list still applies");
                let told = if before.is_unreadable { Vec::new() } else { vec![told] };
                (Reading { read, asked, is_unreadable: true, ..before }, told)
            }
            (Err(why), None) => return Err(why),
        };
        let list = next.list.clone();
        *state = Some(next);
        Ok((list, told))
    }
}

fn warning(why: &str) -> String {
    format!("mclive: warning: {why}")
}

/// A list, and the complaints about it.
#[derive(Default, PartialEq, Eq, Debug)]
struct Parsed {
    list: BTreeMap<Id, String>,
    wrong: Vec<String>,
}

impl Parsed {
    /// Whether there are lines, and none names a program.
    fn is_foreign(&self) -> bool {
        self.list.is_empty() && !self.wrong.is_empty()
    }
}

fn parse(bytes: &[u8]) -> Parsed {
    let text = String::from_utf8_lossy(bytes);
    let mut parsed = Parsed::default();
    let mut n_wrong = 0_usize;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    for (line, number) in lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')) {
        let (name, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let reason = if reason.trim().is_empty() { "removed by the operator" } else { reason.trim() };
        if let Some(id) = named(name) {
            parsed.list.insert(id, reason.to_owned());
            continue;
        }
        n_wrong += 1;
        if n_wrong <= MOST_TOLD {
            let start: String = line.chars().take(LONGEST_SHOWN).collect();
            parsed.wrong.push(format!(
                "line {number} of the list `taken-down` does not begin with an ID or a short link and has no effect: \
                 `{}`",
                visible(&start)
            ));
        }
    }
    if n_wrong > MOST_TOLD {
        parsed.wrong.push(format!("the list `taken-down` has {} more such lines", n_wrong - MOST_TOLD));
    }
    parsed
}

/// The ID in the first word of a line: itself, or a link to it, with or without its scheme.
fn named(word: &str) -> Option<Id> {
    let word = word.trim_matches(|c| ",;:.\"'<>()[]`".contains(c)).to_ascii_lowercase();
    let in_link = |link: &str| short::read(link).and_then(|link| Id::parse(link.id));
    Id::parse(&word).or_else(|| in_link(&word)).or_else(|| in_link(&format!("https://{word}")))
}

#[cfg(test)]
mod tests {
    use super::super::Memory;
    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn lines_are_ids_with_reasons() {
        let Parsed { list, wrong } = parse(b"# abcdefghij not this\nabcdefghij  spam,  twice \n\nbbbbbbbbbb\n");
        let shown: Vec<(&str, &str)> = list.iter().map(|(id, why)| (id.as_str(), why.as_str())).collect();
        assert_eq!(shown, [("abcdefghij", "spam,  twice"), ("bbbbbbbbbb", "removed by the operator")]);
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn what_an_operator_copies_names_the_program() {
        for line in [
            "\u{feff}abcdefghij spam",
            "abcdefghij\tspam\r",
            "ABCDEFGHIJ spam",
            "abcdefghij, spam",
            "\"abcdefghij\" spam",
            "https://play.example/s/abcdefghij spam",
            "<https://play.example/s/abcdefghij?utm_source=x> spam",
            "HTTPS://PLAY.EXAMPLE/S/ABCDEFGHIJ/ spam",
            "play.example/s/abcdefghij spam",
            "https://play.example/embed/#s=abcdefghij&theme=dark spam",
            "https://play.example/v/0.1.0/#s=abcdefghij spam",
            "https://play.example/preview/abcdefghij.svg spam",
        ] {
            let Parsed { list, wrong } = parse(line.as_bytes());
            let shown: Vec<(&str, &str)> = list.iter().map(|(id, why)| (id.as_str(), why.as_str())).collect();
            assert_eq!((shown, wrong), (vec![("abcdefghij", "spam")], Vec::new()), "{line}");
        }
    }

    #[test]
    fn a_line_that_names_no_program_is_reported_with_its_number() {
        let Parsed { list, wrong } = parse(b"# x\n\nno-id reason\nabcdefghij\nabcdefghi0\x1b[2J\nhttps://h/x\n");
        assert_eq!(list.len(), 1);
        let lines: Vec<bool> = (1..=6).map(|n| wrong.iter().any(|why| why.contains(&format!("line {n} ")))).collect();
        assert_eq!(lines, [false, false, true, false, true, true], "{wrong:?}");
        assert!(wrong.iter().all(|why| !why.contains('\x1b')), "{wrong:?}");
        let many = parse("x\n".repeat(1000).as_bytes()).wrong;
        assert!(many.len() == MOST_TOLD + 1 && many[MOST_TOLD].contains("980 more such lines"), "{many:?}");
    }

    #[test]
    fn what_is_no_list_does_not_bring_programs_back() {
        let taken_down = TakenDown { state: Mutex::default(), fresh: Duration::ZERO, tell: Box::new(|_: &str| {}) };
        let memory = Memory::default();
        let id = Id::parse("abcdefghij").unwrap();
        let judged = || now(taken_down.judge(&memory, &id));
        memory.take_down("a\0b\0".into());
        assert!(matches!(judged(), Err(Fault::Unavailable(why)) if why.contains("not text")), "as the first list");
        memory.take_down("<html>maintenance</html>\n".into());
        let first = judged();
        let is_told = |why: &str| why.contains("line 1 of") && why.contains("no line of the list");
        assert!(matches!(&first, Err(Fault::Unavailable(why)) if is_told(why)), "{first:?}");
        memory.take_down("abcdefghij spam\n".into());
        let gone = || Err(Fault::TakenDown("spam".into()));
        assert_eq!(judged(), gone());
        for foreign in ["<html>maintenance</html>\n", "a\0b\0"] {
            memory.take_down(foreign.into());
            assert_eq!(judged(), gone(), "{foreign:?}");
        }
        memory.take_down("# nothing any more\n".into());
        assert_eq!(judged(), Ok(()));
    }

    #[test]
    fn a_reading_that_began_earlier_does_not_bring_programs_back() {
        let taken_down = TakenDown { state: Mutex::default(), fresh: FRESH, tell: Box::new(|_: &str| {}) };
        let earlier = Instant::now();
        let later = earlier + Duration::from_millis(1);
        let (list, _) = taken_down.taken_in(Ok(Some(parse(b"abcdefghij spam"))), later).unwrap();
        for found in [Ok(None), Ok(Some(parse(b"# nothing yet"))), Err("it is slow".to_owned())] {
            assert_eq!(taken_down.taken_in(found, earlier), Ok((list.clone(), Vec::new())));
        }
        assert!(taken_down.taken_in(Ok(Some(parse(b""))), later).unwrap().0.is_empty());
    }

    #[test]
    fn the_operator_is_notified_once_of_each_change() {
        let told: Arc<Mutex<Vec<String>>> = Arc::default();
        let tell = {
            let told = told.clone();
            Box::new(move |line: &str| told.lock().push(line.to_owned()))
        };
        let taken_down = TakenDown { state: Mutex::default(), fresh: Duration::ZERO, tell };
        let memory = Memory::default();
        let id = Id::parse("abcdefghij").unwrap();
        let round = || (now(taken_down.judge(&memory, &id)), std::mem::take(&mut *told.lock()));
        assert_eq!(round(), (Ok(()), Vec::new()));
        let gone = || Err(Fault::TakenDown("spam".into()));
        memory.take_down("abcdefghij spam\nwrong\n".into());
        let (judged, lines) = round();
        assert!(judged == gone() && lines.len() == 1 && lines[0].contains("line 2 "), "{lines:?}");
        assert_eq!(round(), (gone(), Vec::new()), "it is not told again");
        memory.break_list(true);
        let (judged, lines) = round();
        assert!(judged == gone() && lines.len() == 1 && lines[0].contains("still applies"), "{lines:?}");
        assert_eq!(round(), (gone(), Vec::new()));
        memory.break_list(false);
        let (judged, lines) = round();
        assert!(judged == gone() && lines.len() == 1 && lines[0].contains("is readable again"), "{lines:?}");
        memory.take_down("abcdefghij spam\nwrong\nalso wrong\n".into());
        assert_eq!(round().1.len(), 2);
        memory.lose_list();
        let (judged, lines) = round();
        assert!(judged == gone() && lines.len() == 1 && lines[0].contains("is missing"), "{lines:?}");
        assert_eq!(round(), (gone(), Vec::new()));
        memory.take_down(String::new());
        assert_eq!(round().0, Ok(()), "an empty list clears it");
        memory.lose_list();
        assert_eq!(round(), (Ok(()), Vec::new()), "and then it may as well be missing");
    }
}
