//! [`Plan`]: a plan laid out by resource: the verdict first, then each step with its old and new values, then its diff.
//!
//! Resources are shown in the order in which their checks begin, which is that of the graph: the order in which the checks
//! end differs from run to run.

use super::lines::{self, visible};
use mclive_base::protocol::{Event, Phase, ResourceId, StepReport, What};
use mclive_base::vocab::{FieldChange, account};
use std::collections::hash_map::{Entry, HashMap};
use std::collections::{HashSet, VecDeque};

#[derive(Default)]
pub(super) struct Plan {
    /// The steps of resources without a verdict so far.
    steps: HashMap<ResourceId, Vec<StepReport>>,
    /// The resources that are not shown yet, in the order in which their checks began.
    order: VecDeque<ResourceId>,
    /// What is shown of them; `None`: the check has not ended.
    shown: HashMap<ResourceId, Option<String>>,
    /// The reasons for which the host refuses something.
    refusals: HashSet<String>,
}

impl Plan {
    /// The host refuses something for this reason.
    pub(super) fn refuses(&mut self, why: &str) {
        if !why.is_empty() && !self.refusals.contains(why) {
            self.refusals.insert(why.to_owned());
        }
    }

    /// Whether a resource fails because the host refuses something. Its kind may add something to the reason.
    fn is_refused(&self, text: &str) -> bool {
        self.refusals.contains(text) || self.refusals.iter().any(|why| text.starts_with(why))
    }

    /// The lines for an event; `None` if there is nothing to show yet.
    pub(super) fn take(&mut self, event: &Event, colour: bool) -> Option<String> {
        match &event.what {
            What::Steps { id, steps } => {
                let known = self.steps.entry(id.clone()).or_default();
                // Another attempt reports the same steps again.
                let new: Vec<StepReport> = steps.iter().filter(|step| !known.contains(step)).cloned().collect();
                known.extend(new);
                None
            }
            What::Resource { id, phase: Phase::Checking, .. } => {
                self.begin(id);
                None
            }
            // Nothing is shown of these.
            What::Resource { id, phase: Phase::InState | Phase::Removed, .. } => self.end(id, String::new()),
            What::Resource { id, phase, text, .. } => {
                let is_refused = *phase == Phase::Failed && self.is_refused(text);
                let verdict = Verdict::of(*phase, text, is_refused)?;
                let shown = verdict.shown(id, &self.steps.remove(id).unwrap_or_default(), colour);
                self.end(id, shown)
            }
            // The end counts the resources.
            What::GraphSwitched { .. } => None,
            _ => lines::line(event, colour),
        }
    }

    /// The lines of resources that wait for others, at the end.
    pub(super) fn rest(&mut self) -> Option<String> {
        self.due(true)
    }

    fn begin(&mut self, id: &ResourceId) {
        if let Entry::Vacant(place) = self.shown.entry(id.clone()) {
            place.insert(None);
            self.order.push_back(id.clone());
        }
    }

    /// A check has ended: the lines that are due with that.
    fn end(&mut self, id: &ResourceId, text: String) -> Option<String> {
        self.begin(id);
        let text = match self.shown.remove(id).flatten() {
            // A resource may be checked again before it is shown.
            Some(before) if text.is_empty() => before,
            Some(before) if !before.is_empty() => format!("{before}\n{text}"),
            Some(_) | None => text,
        };
        self.shown.insert(id.clone(), Some(text));
        self.due(false)
    }

    /// The lines of the first resources, up to one whose check has not ended.
    fn due(&mut self, is_end: bool) -> Option<String> {
        let mut texts = Vec::new();
        while let Some(id) = self.order.front() {
            if !is_end && self.shown.get(id).is_none_or(Option::is_none) {
                break;
            }
            texts.extend(self.shown.remove(id).flatten().filter(|text| !text.is_empty()));
            self.order.pop_front();
        }
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

/// The verdict on a resource: a sign for the eye, a colour, and words.
struct Verdict {
    sign: char,
    colour: &'static str,
    words: String,
}

impl Verdict {
    /// `None`: the resource is up to date, or the verdict is not final.
    fn of(phase: Phase, text: &str, is_refused: bool) -> Option<Verdict> {
        let (sign, colour, words) = match phase {
            Phase::WouldChange if text.is_empty() => ('~', "33", "would change".to_owned()),
            Phase::WouldChange => {
                let (sign, colour) = match text.split(' ').next() {
                    Some("created" | "installed" | "mounted") => ('+', "32"),
                    Some("removed" | "unmounted" | "uninstalled") => ('-', "31"),
                    _ => ('~', "33"),
                };
                (sign, colour, format!("would be {}", visible(text)))
            }
            Phase::Failed if is_refused => ('!', "1;31", with_reason("would be refused", text)),
            Phase::Failed => ('!', "1;31", with_reason("would fail", text)),
            Phase::Unknown => ('?', "33", with_reason("unknown", text)),
            Phase::Waiting if lines::is_blocked(text) => ('.', "2", with_reason("would wait", text)),
            Phase::Waiting
            | Phase::Checking
            | Phase::Applying
            | Phase::InState
            | Phase::Changed
            | Phase::Retrying
            | Phase::Limited
            | Phase::Removed => return None,
        };
        Some(Verdict { sign, colour, words })
    }

    fn shown(&self, id: &ResourceId, steps: &[StepReport], colour: bool) -> String {
        let paint =
            |code: &str, text: &str| if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() };
        let sign = paint(self.colour, &self.sign.to_string());
        let name = paint("1", &visible(&id.to_string()));
        let mut shown = vec![format!("{sign} {name} {}", paint(self.colour, &self.words))];
        for step in steps {
            shown.push(format!("    {}", visible(&step.summary)));
            shown.extend(values(step).map(|value| format!("      {}", paint("2", &visible(&value)))));
            shown.extend(lines::diff(step, &paint).map(|line| format!("      {line}")));
        }
        shown.join("\n")
    }
}

fn with_reason(words: &str, reason: &str) -> String {
    if reason.is_empty() { words.to_owned() } else { format!("{words}: {}", visible(reason)) }
}

/// The old and new value of each field that changes, except for those that the diff or the state shows.
fn values(step: &StepReport) -> impl Iterator<Item = String> {
    let has_diff = step.diff.is_some();
    let is_shown = move |change: &&FieldChange| {
        let is_of_content = matches!(change.field.as_str(), "sha256" | "size");
        let is_known = has_diff || change.new.is_none();
        !(is_of_content && is_known)
    };
    step.changes.iter().filter(is_shown).filter_map(move |change| {
        let value = |value: &Option<String>| match value {
            Some(value) if change.field == "sha256" => value.chars().take(12).collect(),
            Some(value) => value.clone(),
            None => "(none)".to_owned(),
        };
        match (&change.old, &change.new) {
            (Some(_), _) => Some(format!("{}: {} → {}", change.field, value(&change.old), value(&change.new))),
            // A new object has no old values, and the summary has the new ones, except for the names of new accounts.
            (None, Some(new)) if step.summary.contains(account::PLANNED) && is_owner(change, new) => {
                Some(format!("{}: {new}", change.field))
            }
            (None, _) => None,
        }
    })
}

/// Whether a field names the account to which something is given.
fn is_owner(change: &FieldChange, new: &str) -> bool {
    matches!(change.field.as_str(), "owner" | "group") && !new.contains(account::PLANNED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::protocol::Moment;

    fn event(what: What) -> Event {
        Event { at: Moment(0), what, because: Vec::new() }
    }

    fn steps(summary: &str, changes: Vec<FieldChange>, diff: Option<&str>) -> Event {
        let step = StepReport { summary: summary.into(), diff: diff.map(str::to_owned), changes };
        event(What::Steps { id: ResourceId::new("file", "/t/a"), steps: vec![step] })
    }

    fn verdict(phase: Phase, text: &str) -> Event {
        event(What::Resource { id: ResourceId::new("file", "/t/a"), phase, text: text.into(), dry: true })
    }

    fn change(field: &str, old: &str, new: &str) -> FieldChange {
        FieldChange { field: field.into(), old: Some(old.into()), new: Some(new.into()) }
    }

    #[test]
    fn the_verdict_comes_first_then_values_then_the_diff() {
        let mut plan = Plan::default();
        let changes = vec![change("mode", "0644", "0600"), change("size", "4", "6"), change("sha256", "aa", "bb")];
        let diff = "--- /t/a\n+++ /t/a\n@@ -1 +1 @@\n-old\n+new\n";
        assert_eq!(plan.take(&steps("write /t/a (4 bytes)", changes, Some(diff)), false), None);
        let shown = plan.take(&verdict(Phase::WouldChange, "updated"), false).expect("a verdict");
        assert_eq!(
            shown,
            "~ file[/t/a] would be updated\n    write /t/a (4 bytes)\n      mode: 0644 → 0600\n      --- /t/a\n      \
             +++ /t/a\n      @@ -1 +1 @@\n      -old\n      +new"
        );
    }

    #[test]
    fn what_is_removed_has_no_new_size() {
        let mut plan = Plan::default();
        let size = FieldChange { field: "size".into(), old: Some("4".into()), new: None };
        plan.take(&steps("remove /t/a", vec![change("state", "file", "absent"), size], None), false);
        let shown = plan.take(&verdict(Phase::WouldChange, "removed"), false);
        let expect = "- file[/t/a] would be removed\n    remove /t/a\n      state: file → absent";
        assert_eq!(shown.as_deref(), Some(expect));
    }

    #[test]
    fn an_owner_that_is_a_new_account_is_named() {
        let mut plan = Plan::default();
        let owner = |new: &str| FieldChange { field: "owner".into(), old: None, new: Some(new.into()) };
        let mut shown = |summary: &str, new: &str| {
            plan.take(&steps(summary, vec![owner(new)], None), false);
            plan.take(&verdict(Phase::WouldChange, "created"), false).expect("a verdict")
        };
        let made = |rest: &str| format!("+ file[/t/a] would be created\n    {rest}");
        let summary = "write /t/a (4 bytes), owner (new):0";
        assert_eq!(shown(summary, "alice:root"), made(&format!("{summary}\n      owner: alice:root")));
        // The name is not known, or the account is there.
        for (summary, new) in [("set owner of /t/a to (new):0", "(new):root"), ("set owner of /t/a to 9:0", "bin:root")]
        {
            assert_eq!(shown(summary, new), made(summary));
        }
    }

    #[test]
    fn each_outcome_has_its_sign() {
        let mut plan = Plan::default();
        let refusal = "remove /: refusing to remove the root directory";
        plan.refuses(refusal);
        let mut shown = |phase, text: &str| plan.take(&verdict(phase, text), false);
        assert_eq!(shown(Phase::WouldChange, "created").as_deref(), Some("+ file[/t/a] would be created"));
        assert_eq!(shown(Phase::WouldChange, "removed").as_deref(), Some("- file[/t/a] would be removed"));
        assert_eq!(shown(Phase::Failed, "no room").as_deref(), Some("! file[/t/a] would fail: no room"));
        for text in [refusal.to_owned(), format!("{refusal}; more of its kind")] {
            let refused = format!("! file[/t/a] would be refused: {text}");
            assert_eq!(shown(Phase::Failed, &text), Some(refused));
        }
        // What the host refuses decides, and not the words.
        let text = "the policy does not allow it, a command has printed";
        assert_eq!(shown(Phase::Failed, text), Some(format!("! file[/t/a] would fail: {text}")));
        assert_eq!(shown(Phase::Unknown, "no look").as_deref(), Some("? file[/t/a] unknown: no look"));
        let blocked = "exec[a], which has failed";
        let waits = format!(". file[/t/a] would wait: {blocked}");
        assert_eq!(shown(Phase::Waiting, blocked), Some(waits));
        assert_eq!(shown(Phase::InState, ""), None);
        assert_eq!(shown(Phase::Retrying, "no"), None);
    }

    #[test]
    fn resources_are_shown_in_the_order_in_which_their_checks_begin() {
        let mut plan = Plan::default();
        let mut take = |name: &str, phase, text: &str| {
            let id = ResourceId::new("file", name);
            plan.take(&event(What::Resource { id, phase, text: text.into(), dry: true }), false)
        };
        for name in ["/a", "/b", "/c", "/d"] {
            assert_eq!(take(name, Phase::Checking, ""), None);
        }
        assert_eq!(take("/c", Phase::WouldChange, "removed"), None);
        assert_eq!(take("/b", Phase::Failed, "no room"), None);
        assert_eq!(take("/c", Phase::Checking, ""), None);
        assert_eq!(take("/c", Phase::InState, ""), None);
        let due = take("/a", Phase::InState, "");
        assert_eq!(due.as_deref(), Some("! file[/b] would fail: no room\n- file[/c] would be removed"));
        assert_eq!(take("/e", Phase::WouldChange, "created"), None);
        assert_eq!(plan.rest().as_deref(), Some("+ file[/e] would be created"));
        assert_eq!(plan.rest(), None);
    }

    #[test]
    fn the_same_steps_are_shown_once() {
        let mut plan = Plan::default();
        for summary in ["create", "create", "write", "create"] {
            plan.take(&steps(summary, Vec::new(), None), false);
        }
        let shown = plan.take(&verdict(Phase::WouldChange, "created"), false);
        assert_eq!(shown.as_deref(), Some("+ file[/t/a] would be created\n    create\n    write"));
    }
}
