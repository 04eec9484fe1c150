//! Data stored in the browser: the program of this tab and of the next visit, earlier programs, settings.
//!
//! A tab has its own program ([`recall`] prefers it), so two tabs do not interfere. A stored program that this tab
//! neither wrote nor read is moved to the earlier programs before it is overwritten, and so is the previous program
//! when another one is opened.

use super::address;
use super::browser;
use super::store::Dispatch;
use crate::state::room::bound;
use crate::state::share;
use crate::state::{File, Model, Program, Theme, WorkerState};
use crate::worker::protocol::Request;
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use mclive_base::layout;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use yew::prelude::*;

/// An earlier program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Earlier {
    /// The name of its main file, which determines its language.
    pub(super) file: String,
    pub(super) text: String,
    /// The other files that are text.
    #[serde(default)]
    pub(super) beside: Vec<(String, String)>,
    /// The others in base64.
    #[serde(default)]
    binary: Vec<(String, String)>,
}

impl Earlier {
    pub(super) fn of(program: &Program) -> Earlier {
        let (main, others) = program.files().split_first().expect("a program has a file");
        let (mut beside, mut binary) = (Vec::new(), Vec::new());
        for file in others {
            match &file.binary {
                None => beside.push((file.name.to_string(), file.text.to_string())),
                Some(bytes) => {
                    binary.extend(browser::to_base64(bytes).ok().map(|base64| (file.name.to_string(), base64)));
                }
            }
        }
        Earlier { file: main.name.to_string(), text: main.text.to_string(), beside, binary }
    }

    /// The program stored under these names.
    fn kept(recall: impl Fn(&str) -> Option<String>) -> Option<Earlier> {
        let pairs = |name| recall(name).and_then(|text| browser::from_json(&text)).unwrap_or_default();
        let (beside, binary) = (pairs("beside"), pairs("binary"));
        Some(Earlier { text: recall("text")?, file: recall("language").unwrap_or_default(), beside, binary })
    }

    pub(super) fn program(&self) -> Program {
        let layout = layout::of(&self.file).unwrap_or(layout::ALL[0]);
        let texts = self.beside.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let texts =
            texts.chain([(self.file.as_str(), self.text.as_str())]).map(|(name, text)| File::of_text(name, text));
        let binary =
            self.binary.iter().filter_map(|(name, base64)| Some(File::new(name, &browser::from_base64(base64)?)));
        Program::new(&self.file, texts.chain(binary).collect()).unwrap_or_else(|_| Program::single(layout, &self.text))
    }

    /// Units: bytes.
    pub(super) fn size(&self) -> usize {
        let others = self.beside.iter().chain(&self.binary);
        self.text.len() + others.map(|(name, content)| name.len() + content.len()).sum::<usize>()
    }

    /// Its number of files and lines.
    pub(super) fn about(&self) -> String {
        let n_lines = self.text.lines().count();
        let lines = format!("{}, {n_lines} line{}", self.file, if n_lines == 1 { "" } else { "s" });
        match self.beside.len() + self.binary.len() {
            0 => lines,
            n => format!("{lines}, {n} more file{}", if n == 1 { "" } else { "s" }),
        }
    }

    /// Its first meaningful line.
    pub(super) fn title(&self) -> &str {
        self.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("an empty program")
    }
}

/// The work that a page opens with.
pub(super) struct Recalled {
    pub(super) program: Program,
    /// The name of the file that is its displayed scenario; may be empty.
    pub(super) scenario: String,
    /// Whether it is that of an earlier visit, and not of this tab.
    pub(super) is_of_last_visit: bool,
}

/// The initial program: that of this tab, otherwise that of the last visit.
pub(super) fn recall() -> Option<Recalled> {
    let kept = |recall: fn(&str) -> Option<String>, is_of_last_visit| {
        let (program, scenario) = (Earlier::kept(recall)?.program(), recall("staged").unwrap_or_default());
        Some(Recalled { program, scenario, is_of_last_visit })
    };
    kept(browser::recall_in_tab, false).or_else(|| kept(browser::recall, true))
}

/// The name of the previous programs in the browser's storage.
const EARLIER: &str = "earlier";

/// Deletes the previous programs.
pub(super) fn forget_earlier() {
    browser::forget(EARLIER);
}

/// The earlier programs, latest first.
pub(super) fn earlier() -> Vec<Earlier> {
    browser::recall(EARLIER).and_then(|text| browser::from_json(&text)).unwrap_or_default()
}

/// Adds a program to the earlier ones.
fn put_by(program: Earlier) {
    let whole = program.program();
    if whole.is_blank() || crate::examples::ALL.iter().any(|example| example.is(&whole)) {
        return;
    }
    let mut all = earlier();
    all.retain(|one| *one != program);
    all.insert(0, program);
    bound(&mut all, Earlier::size);
    if let Some(text) = browser::to_json(&all) {
        browser::remember(EARLIER, &text);
    }
}

/// What this tab knows about the program stored for the next visit.
#[derive(Default)]
struct Seen {
    program: Option<Earlier>,
    /// The number of the program in this tab.
    opened: u64,
}

/// A storage of the browser.
struct Storage {
    recall: fn(&str) -> Option<String>,
    remember: fn(&str, &str) -> bool,
    forget: fn(&str),
}

const OF_TAB: Storage =
    Storage { recall: browser::recall_in_tab, remember: browser::remember_in_tab, forget: browser::forget_in_tab };
const OF_VISITS: Storage = Storage { recall: browser::recall, remember: browser::remember, forget: browser::forget };

impl Storage {
    /// Stores all values; `false`: there is no room, and the previous values are kept, since a mixture would be a different
    /// program.
    fn store(&self, values: &[(&str, &str)]) -> bool {
        let before: Vec<Option<String>> = values.iter().map(|(name, _)| (self.recall)(name)).collect();
        if values.iter().all(|(name, value)| (self.remember)(name, value)) {
            return true;
        }
        self.clear(values);
        for ((name, _), value) in values.iter().zip(before) {
            if let Some(value) = value {
                (self.remember)(name, &value);
            }
        }
        false
    }

    /// Removes all values.
    fn clear(&self, values: &[(&str, &str)]) {
        values.iter().for_each(|(name, _)| (self.forget)(name));
    }
}

/// The message when a program is not stored.
const NOT_STORED: &str = "the browser's storage is full or disabled, so this program will be lost when the page is closed; share or download it to keep it";

/// Stores the program if the user changed it; `false`: it will not be there at the next visit. `staged`: the name of the
/// file that is its displayed scenario, if any.
fn save(seen: &RefCell<Seen>, program: &Program, staged: &str, opened: u64) -> bool {
    let mut seen = seen.borrow_mut();
    let now = Earlier::of(program);
    let kept = Earlier::kept(browser::recall);
    if let Some(kept) = kept.as_ref().filter(|kept| **kept != now)
        && (seen.program.as_ref() != Some(kept) || seen.opened != opened)
    {
        put_by(kept.clone());
    }
    let (beside, binary) = (browser::to_json(&now.beside), browser::to_json(&now.binary));
    let (beside, binary) = (beside.unwrap_or_default(), binary.unwrap_or_default());
    let values = [
        ("text", now.text.as_str()),
        ("language", now.file.as_str()),
        ("beside", beside.as_str()),
        ("binary", binary.as_str()),
        ("staged", staged),
    ];
    let (is_in_tab, is_stored) = (OF_TAB.store(&values), OF_VISITS.store(&values));
    if is_stored && !is_in_tab {
        // The tab's program is older, and a reload would prefer it.
        OF_TAB.clear(&values);
    }
    // The stored program is known now, so the next edit does not move it to the earlier ones again.
    *seen = Seen { program: if is_stored { Some(now) } else { kept }, opened };
    is_stored
}

/// The flag of a tab with a request in progress: when it began. Units: milliseconds since 1970.
pub(super) const RUNNING: &str = "running";
/// A page that is left during a shorter request did not hang: nearly every edit starts one, and on a busy machine it takes
/// a while.
const HANGS_AFTER_MS: f64 = 10_000.0;
/// How much older than the request the flag may be: a running host is asked many times a second.
const FLAG_STEP_MS: f64 = 1_000.0;

/// Whether the last visit ended during a request that hung. A page that is left removes its flag, but possibly only after
/// the next one has read it, so the age of the flag counts.
pub(super) fn has_hung() -> bool {
    let began = browser::recall_in_tab(RUNNING);
    began.is_some_and(|began| browser::wall_ms() - began.parse().unwrap_or(0.0) >= HANGS_AFTER_MS)
}

/// The program to store, as of the last rendering.
struct Unsaved {
    program: Program,
    staged: String,
    opened: u64,
}

/// Stores the program whenever typing pauses, since storing is too slow for each keystroke, and before the page is left.
#[hook]
fn use_saving(model: &Model, dispatch: &Dispatch) {
    let seen = use_memo((), |()| RefCell::new(Seen { program: Earlier::kept(browser::recall), opened: 0 }));
    // A lesson's program is stored with the lesson; an unedited one is available where it came from.
    let own = (model.learn.at.is_none() && model.is_edited).then(|| Unsaved {
        program: model.to_keep(),
        staged: model.staged_to_keep().unwrap_or_default().to_owned(),
        opened: model.opened,
    });
    let now = own.as_ref().map(|own| (own.program.files().to_vec(), own.staged.clone(), own.opened));
    let unsaved = use_mut_ref(|| None::<Unsaved>);
    let stored = use_mut_ref(|| None);
    // Another program was opened before typing paused in this one.
    let left = unsaved.take().filter(|left| own.as_ref().is_none_or(|own| own.opened != left.opened));
    if let Some(Unsaved { program, staged, opened }) = left {
        save(&seen, &program, &staged, opened);
    }
    // A program that has been stored, or is not to be stored, is not stored again when the page is left.
    *unsaved.borrow_mut() = own.filter(|_| *stored.borrow() != now);
    let is_unsaved = unsaved.borrow().is_some();
    let (complainer, is_refused) = (dispatch.clone(), use_mut_ref(|| false));
    let (saved, pending) = (seen.clone(), unsaved.clone());
    let settled = now.filter(|_| model.settled == model.edit);
    use_effect_with((model.settled, settled), move |(_, settled)| {
        let Some(Unsaved { program, staged, opened }) = settled.as_ref().and_then(|_| pending.take()) else { return };
        stored.replace(settled.clone());
        let is_stored = save(&saved, &program, &staged, opened);
        // It is reported once, and not at every pause in typing.
        if !is_refused.replace(!is_stored) && !is_stored {
            complainer.complain(NOT_STORED);
        }
    });
    // Otherwise nothing listens: a page that is left cannot load the part of its module that it would need for this.
    use_effect_with(is_unsaved, move |is_unsaved| {
        let leaving = is_unsaved.then(|| {
            EventListener::new(&browser::window(), "pagehide", move |_| {
                if let Some(Unsaved { program, staged, opened }) = unsaved.take() {
                    save(&seen, &program, &staged, opened);
                }
            })
        });
        move || drop(leaving)
    });
}

/// Stores the program, and whether a request was in progress: after a visit that ended during a run the page opens
/// paused.
#[hook]
pub(super) fn use_memory(model: &Model, dispatch: &Dispatch) {
    use_saving(model, dispatch);
    use_effect_with(model.welcome, |welcome| {
        if !welcome {
            browser::remember("seen", "1");
        }
    });
    use_effect_with(model.linked == model.edit, |linked| {
        // An address with another program than the editor would restore the old one.
        let stale = |fragment: &String| !fragment.is_empty() && !share::is_lesson(fragment);
        if !linked && address::known().as_ref().is_some_and(stale) {
            address::replace("./");
        }
    });
    // A running host is asked repeatedly, so it is the current request whose time counts.
    let since = use_mut_ref(|| 0.0);
    // When the request of the stored flag began. A flag of an earlier visit is older than any step.
    let flagged = use_mut_ref(|| Some(f64::NEG_INFINITY));
    let (asked, flag, removed) = (since.clone(), flagged.clone(), flagged.clone());
    // A worker that loads a part of the compiler does not hang, and no other request begins in the meantime.
    let loads = model.worker == WorkerState::Loading;
    let flight = model.flight.as_ref().filter(|_| !loads);
    let flight = flight.map(|flight| (flight.number, matches!(flight.request, Request::Check { .. })));
    use_effect_with(flight, move |flight| {
        let now = browser::wall_ms();
        *asked.borrow_mut() = now;
        let is_due = flag.borrow().is_none_or(|at| (now - at).abs() >= FLAG_STEP_MS);
        let set = move || {
            // Only for this tab: a run in another one is separate.
            if !address::is_left() {
                flag.replace(Some(now));
                browser::remember_in_tab(RUNNING, &now.to_string());
            }
        };
        let mut later = None;
        match flight {
            // Each keystroke starts a check, and storing the flag takes longer than a check.
            Some((_, true)) if is_due => later = Some(Timeout::new(FLAG_STEP_MS as u32, set)),
            Some((_, false)) if is_due => set(),
            _ => {}
        }
        move || drop(later)
    });
    use_effect_with(model.flight.is_some(), move |busy| {
        if !*busy && flagged.take().is_some() {
            browser::forget_in_tab(RUNNING);
        }
        let leaving = busy.then(|| {
            EventListener::new(&browser::window(), "pagehide", move |_| {
                if browser::wall_ms() - *since.borrow() < HANGS_AFTER_MS {
                    browser::forget_in_tab(RUNNING);
                }
            })
        });
        move || drop(leaving)
    });
    use_effect_with(loads, move |loads| {
        if *loads && removed.take().is_some() {
            browser::forget_in_tab(RUNNING);
        }
    });
    use_effect_with(model.in_full, |in_full| {
        browser::remember("in-full", if *in_full { "1" } else { "" });
    });
    use_effect_with(model.large, |large| {
        let root = browser::window().document().and_then(|document| document.document_element());
        if let Some(root) = root {
            let _ = root.toggle_attribute_with_force("data-large", *large);
        }
        browser::remember("large", if *large { "1" } else { "" });
    });
    use_effect_with(model.theme, |theme| {
        let root = browser::window().document().and_then(|document| document.document_element());
        if let (Some(theme), Some(root)) = (theme, root) {
            let name = if *theme == Theme::Dark { "dark" } else { "light" };
            let _ = root.set_attribute("data-theme", name);
            browser::remember("theme", name);
        }
    });
}

/// A crash report: what happened, where, and with which program.
pub(super) fn report(what: &str, program: &Program) -> String {
    let browser = browser::window().navigator().user_agent().unwrap_or_default();
    let fence = "`".repeat(4);
    let file = |file: &File| match &file.binary {
        None => format!("\n{}:\n{fence}\n{}\n{fence}\n", file.name, file.text),
        Some(bytes) => format!("\n{}: binary, {} bytes\n", file.name, bytes.len()),
    };
    let files: String = program.files().iter().map(file).collect();
    format!("mclive {}, playground\nBrowser: {browser}\nMessage: {what}\n{files}", env!("CARGO_PKG_VERSION"))
}
