//! Data stored in the browser: the program of this tab and of the next visit, earlier programs, settings.
//!
//! A tab has its own program ([`recall`] prefers it), so two tabs do not interfere.

use super::address;
use super::browser;
use super::saving::use_saving;
use super::store::Dispatch;
use crate::state::room::bound;
use crate::state::share;
use crate::state::{File, Model, Program, Theme, WorkerState};
use crate::worker::protocol::Request;
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use mclive_base::layout;
use serde::{Deserialize, Serialize};
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
    pub(super) binary: Vec<(String, String)>,
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
    pub(super) fn kept(recall: impl Fn(&str) -> Option<String>) -> Option<Earlier> {
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

/// Adds a program to the earlier ones; `false`: there is no room for it.
pub(super) fn put_by(program: Earlier) -> bool {
    let whole = program.program();
    if whole.is_blank() || crate::examples::ALL.iter().any(|example| example.is(&whole)) {
        return true;
    }
    let mut all = earlier();
    all.retain(|one| *one != program);
    all.insert(0, program);
    bound(&mut all, Earlier::size);
    browser::to_json(&all).is_some_and(|text| browser::remember(EARLIER, &text))
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
