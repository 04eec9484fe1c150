//! Files from outside the page: chosen in the browser's dialog, or dropped on the page.

use super::browser::{self, Outside};
use super::store::Dispatch;
use crate::state::{Action, Learning, Notice, Opened, Program, Tone, opened};
use crate::worker::protocol::Request;
use js_sys::Array;
use wasm_bindgen::prelude::*;
use yew::platform::spawn_local;
use yew::prelude::*;

impl Dispatch {
    /// Opens files: a single one of any known type, several as a program.
    async fn open_outside(&self, mut files: Vec<Outside>) {
        let one = if files.len() == 1 { files.pop() } else { None };
        let Some((name, bytes)) = one else {
            return match files.is_empty() {
                true => (),
                false => self.open_program(Program::of_files(files)),
            };
        };
        match opened(&name, bytes) {
            Ok(opened) => self.open(opened).await,
            Err(why) => self.complain(&why),
        }
    }

    /// Opens the content of a file.
    pub(super) async fn open(&self, opened: Opened) {
        match opened {
            Opened::Program(program) => self.send(Action::Opened(program)),
            Opened::Zip(bytes) => self.open_program(browser::unzip(&bytes).await.and_then(Program::of_files)),
            Opened::Progress(text) => match browser::read_progress(&text) {
                Some(progress) => self.send(Action::Learn(Learning::Replace(progress))),
                None => self.complain("this is not a valid progress file"),
            },
            Opened::Trace(trace) => self.send(Action::Asked(Request::Replay { trace })),
        }
    }

    fn open_program(&self, program: Result<Program, String>) {
        match program {
            Ok(program) => self.send(Action::Opened(program)),
            Err(why) => self.complain(&why),
        }
    }

    /// Opens a pasted text archive; `false`: the text is not one.
    pub(super) fn open_archive(&self, text: &str) -> bool {
        let Some(program) = Program::of_archive(text) else { return false };
        if let Ok(program) = &program {
            let n_files = program.files().len();
            let text = format!("Opened {n_files} file{} from this archive.", if n_files == 1 { "" } else { "s" });
            self.send(Action::Opened(program.clone()));
            self.send(Action::Say(Some(Notice { tone: Tone::Good, text })));
        } else {
            self.open_program(program);
        }
        true
    }

    /// Shows the file dialog.
    pub(super) fn pick_files(&self) {
        self.pick(false);
    }

    /// Shows the folder dialog.
    pub(super) fn pick_folder(&self) {
        self.pick(true);
    }

    fn pick(&self, folder: bool) {
        let dispatch = self.clone();
        spawn_local(async move {
            match browser::pick_files(folder).await {
                Ok(files) => dispatch.open_outside(files).await,
                Err(why) => dispatch.complain(&why),
            }
        });
    }
}

/// Accepts files and folders dropped anywhere on the page.
#[hook]
pub(super) fn use_drops(dispatch: &Dispatch) {
    let dispatch = dispatch.clone();
    use_effect_with((), move |()| {
        let complainer = dispatch.clone();
        let dropped = Closure::new(move |files: Array| {
            let (dispatch, files) = (dispatch.clone(), browser::outside(&files));
            spawn_local(async move { dispatch.open_outside(files).await });
        });
        let refused = Closure::new(move |why: String| complainer.complain(&why));
        browser::watch_drops(&dropped, &refused);
        // The browser calls them while the page exists.
        move || drop((dropped, refused))
    });
}
