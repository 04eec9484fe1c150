//! [`Offer`]: what the dialog with links shares.

use super::model::Model;
use super::program::Program;
use super::shared::Shared;
use super::view::Theme;
use crate::shown::as_label;
use mclive_base::shapes::Diagnostic;
use std::rc::Rc;

/// A recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    /// The host.
    pub hostname: String,
    /// The bytes, as `mclive run --record` writes them.
    pub trace: Rc<[u8]>,
}

/// Something to share.
#[derive(Clone, PartialEq, Debug)]
pub struct Offer {
    /// The link that contains the program itself.
    pub link: String,
    /// The fragment for an embedded frame.
    pub fragment: String,
    /// What is shared.
    pub what: Offered,
    /// What is wrong with it, as far as it is known.
    pub problems: Shared<Vec<Diagnostic>>,
}

impl Offer {
    /// With what the page knows to be wrong with it.
    pub(super) fn checked(self, model: &Model) -> Offer {
        let is_shown = matches!(&self.what, Offered::Program(program) if model.whole().as_ref() == Ok(program));
        match is_shown && model.check.edit == model.edit {
            true => Offer { problems: model.check.result.clone(), ..self },
            false => self,
        }
    }
}

/// What is shared.
#[derive(Clone, PartialEq, Debug)]
pub enum Offered {
    /// A program.
    Program(Program),
    /// A recorded run.
    Recording(Recording),
}

impl Offered {
    /// What it is called: `MCL program`, `Recorded run of host1`.
    pub fn title(&self) -> String {
        match self {
            Offered::Program(program) => format!("{} program", program.layout().title),
            Offered::Recording(recording) => format!("Recorded run of {}", as_label(&recording.hostname)),
        }
    }
}

/// How a shared program is shown, where it is embedded.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Look {
    /// The theme; `None`: that of the reader's system.
    pub theme: Option<Theme>,
    /// The program cannot be edited.
    pub read_only: bool,
}

impl Look {
    /// What it adds to a fragment.
    pub fn suffix(self) -> String {
        let theme = self.theme.map(|theme| format!("&theme={}", theme.name())).unwrap_or_default();
        let lock = if self.read_only { "&readonly=1" } else { "" };
        format!("{theme}{lock}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::layout::MCL;

    #[test]
    fn problems_are_told_of_the_program_that_was_checked() {
        let program = Program::single(&MCL, "$a = 1\n");
        let mut model = Model::new(program.clone(), false, None);
        let checked = |model: &Model, program: &Program| {
            let (link, fragment, what) = (String::new(), String::new(), Offered::Program(program.clone()));
            let offer = Offer { link, fragment, what, problems: Shared::default() };
            offer.checked(model).problems == model.check.result
        };
        assert!(!checked(&model, &program), "it was not checked yet");
        model.check.edit = model.edit;
        assert!(checked(&model, &program));
        assert!(!checked(&model, &Program::single(&MCL, "$b = 1\n")));
    }

    #[test]
    fn a_look_is_a_part_of_the_fragment() {
        assert_eq!(Look::default().suffix(), "");
        assert_eq!(Look { theme: Some(Theme::Dark), read_only: true }.suffix(), "&theme=dark&readonly=1");
        assert_eq!(Look { theme: Some(Theme::Light), read_only: false }.suffix(), "&theme=light");
    }
}
