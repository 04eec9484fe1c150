//! The files of a program and their tabs.

use super::*;
use crate::state::shows::FilesShows;

fn tab(model: Model, tab: Tab) -> Model {
    reduce(model, Action::Tab(tab))
}

#[test]
fn all_files_are_checked_and_each_tab_counts_its_own_problems() {
    let model = tab(start(), Tab::Add("lib/main.mcl".into()));
    let model = reduce(model, Action::Edited { file: "lib/main.mcl".into(), text: "$a =\n".into() });
    let model = reduce(model, edit("import \"lib/\"\n"));
    let model = reduce(model, Action::Settled(4));
    let Some(Request::Check { files }) = model.next_request() else { panic!("nothing is checked") };
    assert_eq!(files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["/main.mcl", "/lib/main.mcl"]);
    assert_eq!((&*files[0].content, &*files[1].content), (&b"import \"lib/\"\n"[..], &b"$a =\n"[..]));
    let Answer::Checked(mut said) = bad() else { unreachable!() };
    let place = shapes::Place {
        file: "/lib/main.mcl".into(),
        start: 0,
        end: 2,
        start_line: 1,
        start_col: 1,
        end_line: 1,
        end_col: 3,
    };
    said[0].primary = Some(shapes::Label { place: place.clone(), text: String::new() });
    let elsewhere = shapes::Diagnostic { primary: None, ..said[0].clone() };
    let model = answer(send(model), Answer::Checked(vec![said.remove(0), elsewhere]));
    let shows = FilesShows::of(&model);
    assert_eq!(shows.tabs.iter().map(|tab| tab.n_errors).collect::<Vec<_>>(), [1, 1]);
    let in_editor = |model: &Model| crate::state::problems(&model.program, &model.check.result).len();
    let first = tab(model.clone(), Tab::Show("main.mcl".into()));
    assert_eq!((in_editor(&model), in_editor(&first)), (1, 1));
    let model = reduce(first, Action::Reveal(place));
    assert_eq!(&*model.program.shown().name, "lib/main.mcl");
}

#[test]
fn a_deleted_file_comes_back_and_names_that_do_not_fit_are_refused() {
    let model = tab(tab(start(), Tab::Add("a".into())), Tab::Add("../b".into()));
    assert!(model.notice.as_ref().is_some_and(|notice| notice.text.contains("relative path")));
    let edit = model.edit;
    let model = tab(model, Tab::Remove(1));
    assert_eq!((model.program.files().len(), model.edit), (1, edit + 1));
    let model = tab(tab(model, Tab::PutBack), Tab::PutBack);
    assert_eq!((model.program.files().len(), model.removed.is_none()), (2, true));
    let model = tab(model, Tab::Rename(0, "x.mcl".into()));
    assert_eq!(&**model.program.entry(), "main.mcl");
    let model = reduce(model, Action::Written { file: "main.mcl".into(), text: "$y = 1\n".into() });
    assert_eq!((&*model.program.files()[0].text, model.pushed), ("$y = 1\n", 1));
    let model = reduce(model, Action::Format);
    assert!(model.queue.is_empty(), "a file of data has no layout");
}

#[test]
fn the_names_of_renamed_files_are_kept_in_order() {
    let model = tab(tab(start(), Tab::Add("a".into())), Tab::Rename(1, "main.mcl".into()));
    assert!(model.renamed.is_empty(), "the name is taken");
    let model = tab(tab(model, Tab::Rename(1, "b".into())), Tab::Rename(1, "c".into()));
    let names: Vec<_> = model.renamed.iter().map(|(before, after)| (&**before, &**after)).collect();
    assert_eq!(names, [("a", "b"), ("b", "c")]);
}

#[test]
fn a_suggested_edit_is_applied_to_the_text_that_it_was_found_in() {
    let Answer::Checked(mut said) = bad() else { unreachable!() };
    let place = shapes::Place {
        file: "/main.mcl".into(),
        start: 5,
        end: 7,
        start_line: 1,
        start_col: 6,
        end_line: 1,
        end_col: 8,
    };
    let fix = shapes::Edit { place, replacement: "$x".into(), title: String::new() };
    said[0].edits.push(fix.clone());
    let model = reduce(start(), edit("$y = $z\n"));
    let settled = Action::Settled(model.edit);
    let model = answer(send(reduce(model, settled)), Answer::Checked(said));
    let typed = reduce(model.clone(), edit("$other = $z\n"));
    assert_eq!(&**reduce(typed, Action::Fix(fix.clone())).text(), "$other = $z\n");
    let pushed = model.pushed;
    let model = reduce(model, Action::Fix(fix));
    assert_eq!((&**model.text(), model.pushed, model.is_edited), ("$y = $x\n", pushed + 1, true));
}
