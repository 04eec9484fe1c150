//! A cut decides what is loaded when, and never what happens.

use super::{Dice, MAIN, Run, functions, module, parts, profile, run, small};
use crate::split::Shape;
use crate::split::plan::with_small;
use serde_json::json;
use std::collections::BTreeSet;

/// `main` calls the second function by its number and the third one by its slot, depending on its first argument.
fn three() -> Vec<u8> {
    module(&[
        small(&[], |code| {
            code.local_get(0).if_(wasm_encoder::BlockType::Result(wasm_encoder::ValType::I32));
            code.local_get(0).local_get(1).call(MAIN + 1);
            code.else_().local_get(0).local_get(1).i32_const(3).call_indirect(0, 1).end();
        }),
        small(&[], |code| {
            code.local_get(0).local_get(1).i32_sub();
        }),
        small(&[], |code| {
            code.i32_const(0).local_get(1).i32_store(wasm_encoder::MemArg { offset: 4, align: 2, memory_index: 0 });
            code.local_get(1).i32_const(3).i32_mul();
        }),
    ])
}

#[test]
fn the_rest_is_loaded_when_one_of_its_functions_is_called_and_only_once() {
    let whole = three();
    let (first, rest) = parts(&whole, &BTreeSet::from([MAIN, MAIN + 1]));
    let told = run(&[
        Run { module: &first, rest: None, calls: &[[9, 4]] },
        Run { module: &first, rest: Some(&rest), calls: &[[9, 4], [0, 5], [0, 6], [7, 7]] },
        Run { module: &whole, rest: None, calls: &[[9, 4], [0, 5], [0, 6], [7, 7]] },
    ]);
    assert_eq!(told[0]["loads"], 0);
    assert_eq!(told[1]["loads"], 1);
    assert_eq!(told[1]["outcomes"], told[2]["outcomes"]);
    assert_eq!(told[1]["outcomes"][1][0], json!(15));
}

#[test]
fn what_is_reached_in_one_of_several_plays_counts() {
    let whole = three();
    let shape = Shape::of(&whole).unwrap();
    let (one, other) = (profile(&whole, &[[9, 4]]), profile(&whole, &[[0, 5]]));
    assert_eq!(one.called(&shape), BTreeSet::from([MAIN, MAIN + 1]));
    assert_eq!(other.called(&shape), BTreeSet::from([MAIN, MAIN + 2]));
    assert_eq!(one.or(&other).called(&shape), BTreeSet::from([MAIN, MAIN + 1, MAIN + 2]));
}

/// All functions of a small module have a slot.
#[test]
fn what_is_small_and_names_nothing_more_is_in_the_first_part() {
    let whole = module(&[
        small(&[], |code| {
            code.local_get(0).local_get(1).call(MAIN + 2);
        }),
        small(&[], |code| {
            code.local_get(0).local_get(1).i32_sub();
        }),
        // It is small, but needs one that is not.
        small(&[], |code| {
            code.local_get(0).local_get(1).call(MAIN + 3);
        }),
        small(&[], |code| {
            for _ in 0..40 {
                code.local_get(0).drop();
            }
            code.local_get(1);
        }),
        // What it calls is known only when it does.
        small(&[], |code| {
            code.local_get(0).local_get(1).i32_const(3).call_indirect(0, 1);
        }),
    ]);
    let shape = Shape::of(&whole).unwrap();
    let of = |called: &[u32], own| with_small(&shape, called.iter().copied().collect(), own).unwrap();
    assert_eq!(of(&[MAIN], u32::MAX), BTreeSet::from([MAIN, MAIN + 1, MAIN + 4]));
    assert_eq!(of(&[MAIN], MAIN + 1), BTreeSet::from([MAIN]), "what the split has made stays in the rest");
    assert_eq!(of(&[MAIN, MAIN + 3], u32::MAX), BTreeSet::from([MAIN, MAIN + 1, MAIN + 2, MAIN + 3, MAIN + 4]));
}

#[test]
fn each_cut_leaves_the_results_as_they_are() {
    let whole = three();
    let calls = [[9, 4], [0, 5], [-3, 8]];
    let cuts: Vec<_> = (0..8)
        .map(|cut| (0..3).filter(|bit| cut >> bit & 1 == 1).map(|bit| MAIN + bit).collect::<BTreeSet<u32>>())
        .collect();
    let parts: Vec<_> = cuts.iter().map(|first| parts(&whole, first)).collect();
    let mut runs: Vec<_> =
        parts.iter().map(|(first, rest)| Run { module: first, rest: Some(rest), calls: &calls }).collect();
    runs.push(Run { module: &whole, rest: None, calls: &calls });
    let told = run(&runs);
    for (cut, told_of) in cuts.iter().zip(&told) {
        assert_eq!(told_of["outcomes"], told[8]["outcomes"], "{cut:?}");
    }
}

#[test]
fn a_cut_of_generated_functions_leaves_the_results_as_they_are() {
    let mut dice = Dice(11);
    let calls = [[1, 2], [-7, 30], [0, 0]];
    let wholes: Vec<_> = (0..12).map(super::generated::program).collect();
    let parts: Vec<_> = wholes
        .iter()
        .map(|whole| {
            let all = MAIN..MAIN + u32::try_from(functions(whole)).unwrap();
            parts(whole, &all.filter(|_| dice.below(2) == 0).collect())
        })
        .collect();
    let cut: Vec<_> =
        parts.iter().map(|(first, rest)| Run { module: first, rest: Some(rest), calls: &calls }).collect();
    let whole: Vec<_> = wholes.iter().map(|whole| Run { module: whole, rest: None, calls: &calls }).collect();
    for (seed, (cut, whole)) in run(&cut).iter().zip(&run(&whole)).enumerate() {
        assert_eq!(cut["outcomes"], whole["outcomes"], "program {seed}");
    }
}
