//! Plays the check of a lesson: on a simulated host of its own, so the one beside the editor goes on.

use super::protocol::{Answer, Request};
use mclive_scenario::Program;

/// Answers [`Request::Judge`]; every other request is declined.
pub fn answer(request: Request) -> Answer {
    let Request::Judge { files, check } = request else {
        return Answer::Declined { why: "this worker plays the checks of lessons alone".into() };
    };
    let files = files.into_iter().map(|file| (file.path, file.text.into_bytes())).collect();
    Answer::Judged(Box::new(mclive_scenario::test("lesson", &Program { files }, &check)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::ProgramFile;

    #[test]
    fn a_check_is_played_and_nothing_else_done() {
        let judge = |text: &str| {
            let files = vec![ProgramFile { path: "/main.mcl".into(), text: text.into() }];
            let check = "run\nhint \"it is missing\"\nexpect file /srv/x within 1s\n".into();
            match answer(Request::Judge { files, check }) {
                Answer::Judged(tested) => tested,
                other => panic!("{other:?}"),
            }
        };
        assert!(judge("file \"/srv/x\" {\n\tstate => \"exists\",\n}\n").passed());
        assert_eq!(judge("$x = 1\n").failure.map(|failure| failure.hint).as_deref(), Some("it is missing"));
        assert!(matches!(answer(Request::Draw { hostname: String::new() }), Answer::Declined { .. }));
    }
}
