//! What was typed is taken back: the program is as it was drawn and as it runs.

use super::*;

/// Types another text, and then this one, and pauses.
fn retyped(model: Model, text: &str) -> Model {
    let model = reduce(reduce(model, edit("$x = 2\n")), edit(text));
    let settled = Action::Settled(model.edit);
    reduce(model, settled)
}

#[test]
fn a_program_that_is_as_before_is_not_drawn_and_deployed_again() {
    let model = answer(send(retyped(running(), "$x = 1\n")), good());
    assert_eq!((model.next_request(), model.sim.edit, model.check.drawn), (None, model.edit, model.edit));
    let model = send(drawn(send(retyped(model, "$x = 3\n"))));
    assert!(matches!(model.flight.unwrap().request, Request::Deploy { fresh: false, .. }), "this one is another");
}

#[test]
fn a_program_that_does_not_run_any_more_is_deployed_again() {
    let mut earlier = running();
    earlier.sim.is_earlier_program = true;
    let model = answer(send(retyped(earlier, "$x = 1\n")), good());
    assert!(matches!(model.next_request(), Some(Request::Deploy { fresh: false, .. })), "the moment is an earlier one");
    let mut ended = running();
    ended.sim.snapshot.make_mut().stopped = Some("panic".into());
    let model = answer(send(retyped(ended, "$x = 1\n")), good());
    assert!(matches!(model.next_request(), Some(Request::Deploy { fresh: false, .. })), "it has ended");
    let reset = reduce(running(), Action::Restart);
    let model = answer(send(retyped(reset, "$x = 1\n")), good());
    assert!(matches!(model.next_request(), Some(Request::Deploy { fresh: true, .. })), "the hosts are reset");
}

#[test]
fn an_answer_about_what_was_typed_in_between_is_replaced() {
    // It is drawn when the first text is there again.
    let model = reduce(running(), edit("$x = 2\n"));
    let settled = Action::Settled(model.edit);
    let model = send(answer(send(reduce(model, settled)), good()));
    assert!(matches!(model.flight.as_ref().unwrap().request, Request::Draw { .. }));
    let model = reduce(model, edit("$x = 1\n"));
    let settled = Action::Settled(model.edit);
    let model = answer(reduce(model, settled), Answer::Drawn(Box::default()));
    let model = answer(send(model), good());
    assert_eq!(
        model.next_request(),
        Some(Request::Draw { files: model.files(), hostname: "web1".into(), in_full: false })
    );
}

#[test]
fn values_stay_with_their_graph_while_the_next_text_is_typed() {
    let settle = |model: Model| {
        let settled = Action::Settled(model.edit);
        reduce(model, settled)
    };
    let model = running();
    assert!(model.tells_values());
    let model = answer(send(reduce(model, edit("$x = 2\n"))), good());
    assert!(model.tells_values(), "the graph is that of the first text");
    let wrong = answer(send(reduce(model.clone(), edit("$x = (\n"))), bad());
    let wrong = answer(send(settle(wrong)), Answer::Drawn(Box::default()));
    assert!(wrong.tells_values(), "errors leave the graph as it is");
    let mended = answer(send(settle(reduce(wrong, edit("$x = 1\n")))), good());
    assert!(mended.tells_values());
    let functions = Some(Picture::default());
    let drawn = answer(send(settle(model)), Answer::Drawn(Box::new(Drawn { functions, ..Drawn::default() })));
    assert!(!drawn.tells_values(), "it is not deployed yet");
    assert!(answer(send(drawn), Answer::Simulated(Box::default())).tells_values());
}
