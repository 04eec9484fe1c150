//! Plays scenarios, such as the check of a lesson, on a separate simulated host, so that the one beside the editor
//! continues.

use super::protocol::{Answer, ProgramFile, Request};
use mclive_base::shapes::scenario::{Cue, Tested};
use mclive_scenario::Program;

/// Answers [`Request::Judge`] and [`Request::Rehearse`]; refuses every other request.
pub fn answer(request: Request) -> Answer {
    match request {
        Request::Judge { files, check } => {
            Answer::Judged(Box::new(mclive_scenario::test("lesson", &program(files), &check)))
        }
        Request::Rehearse { files, .. } if files.iter().any(|file| file.path == "/main.cf") => {
            let left_out = "use `mclive test` to play scenarios of models".to_owned();
            Answer::Rehearsed { tested: Box::new(Tested { left_out, ..Tested::default() }), cues: Vec::new() }
        }
        Request::Rehearse { files, scenario } => {
            let (tested, cues) = match mclive_scenario::read(&scenario) {
                Ok(mut steps) => {
                    // The hosts of the page, which repeat it, have no other seed.
                    steps.seed = 0;
                    mclive_scenario::rehearse("scenario", &program(files), &steps)
                }
                Err(faults) => (Tested { faults, ..Tested::default() }, Vec::new()),
            };
            Answer::Rehearsed { tested: Box::new(tested), cues: Cue::pack(&cues) }
        }
        _ => Answer::Declined { why: "this worker only plays scenarios".into() },
    }
}

fn program(files: Vec<ProgramFile>) -> Program {
    Program::mcl(files.into_iter().map(|file| (file.path, file.content)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_played_and_nothing_else_done() {
        let judge = |text: &str| {
            let files = vec![ProgramFile::new("/main.mcl", text)];
            let check = "run\nhint \"it is missing\"\nexpect file /srv/x within 1s\n".into();
            match answer(Request::Judge { files, check }) {
                Answer::Judged(tested) => tested,
                other => panic!("{other:?}"),
            }
        };
        assert!(judge("file \"/srv/x\" {\n\tstate => \"exists\",\n}\n").passed());
        assert_eq!(judge("$x = 1\n").failure.map(|failure| failure.hint).as_deref(), Some("it is missing"));
        // As the hosts of the page will show it.
        let rehearse = |seed: &str| {
            let program = "password \"p\" {}\nfile \"/p\" {\n\tstate => \"exists\",\n}\n\
                           Password[\"p\"].password -> File[\"/p\"].content\n";
            let files = vec![ProgramFile::new("/main.mcl", program)];
            let scenario = format!("{seed}run\nexpect file /p holds \"\"\n");
            match answer(Request::Rehearse { files, scenario }) {
                Answer::Rehearsed { tested, .. } => tested.failure.expect("it fails").why,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(rehearse("seed 7\n"), rehearse(""));
        assert!(matches!(
            answer(Request::Draw { files: vec![], hostname: String::new(), in_full: false }),
            Answer::Declined { .. }
        ));
    }
}
