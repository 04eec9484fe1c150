//! Outlining takes what was never executed out of functions, and changes nothing else.

use super::{MAIN, Run, Small, functions, module, parts, profile, run, small};
use crate::split::Shape;
use crate::split::outline::outline;
use wasm_encoder::BlockType::{Empty, Result as Gives};
use wasm_encoder::ValType::{F64, I32, I64};
use wasm_encoder::{InstructionSink, MemArg};

/// Outlines a program by what `hot` calls execute, and checks that all calls still do the same, in the whole module and in
/// its parts. Returns how many functions are new.
fn outlined(functions_of: &[Small], hot: &[[i32; 2]], all: &[[i32; 2]]) -> usize {
    let whole = module(functions_of);
    let profile = profile(&whole, hot);
    let shape = Shape::of(&whole).unwrap();
    let outlined = outline(&shape, &whole, &profile).unwrap();
    crate::split::shape::validate(&outlined).unwrap();
    let (first, rest) = parts(&outlined, &profile.called(&shape));
    let told = run(&[
        Run { module: &whole, rest: None, calls: all },
        Run { module: &outlined, rest: None, calls: all },
        Run { module: &first, rest: Some(&rest), calls: all },
        Run { module: &first, rest: None, calls: hot },
    ]);
    assert_eq!(told[1]["outcomes"], told[0]["outcomes"]);
    assert_eq!(told[2]["outcomes"], told[0]["outcomes"]);
    assert_eq!(told[3]["loads"], 0, "what is hot needs no rest");
    functions(&outlined) - functions(&whole)
}

/// Code that is long enough to be worth a function: it changes this local and the memory.
fn long(code: &mut InstructionSink<'_>, local: u32) {
    for round in 0..8 {
        let place = MemArg { offset: u64::try_from(4 * round).unwrap(), align: 2, memory_index: 0 };
        code.i32_const(0).local_get(local).i32_store(place);
        code.local_get(local).i32_const(round + 3).i32_mul().local_set(local);
    }
}

const CALLS: [[i32; 2]; 5] = [[0, 1], [1, 5], [2, -6], [3, 7], [4, 8]];

#[test]
fn an_arm_gets_locals_and_gives_them_back() {
    let arm = small(&[I32, I64, F64], |code| {
        code.local_get(1).local_set(2);
        code.local_get(0).if_(Empty);
        long(code, 2);
        code.local_get(2).i64_extend_i32_s().local_set(3);
        code.local_get(2).f64_convert_i32_s().local_set(4);
        code.end();
        code.local_get(2).local_get(3).i32_wrap_i64().i32_add().local_get(4).i32_trunc_sat_f64_s().i32_xor();
    });
    assert_eq!(outlined(&[arm], &[[0, 1]], &CALLS), 1);
}

#[test]
fn each_arm_of_a_match_goes_its_way() {
    // What is after each arm: the exit of the match, the next arm, the end of the function, or a trap.
    let arms = small(&[I32], |code| {
        code.block(Empty).block(Empty).block(Empty).block(Empty).block(Empty);
        code.local_get(0).br_table([0, 1, 2, 3], 4);
        code.end().local_get(1).local_set(2).br(3);
        code.end();
        long(code, 1);
        code.local_get(1).local_set(2).br(2);
        code.end();
        long(code, 1);
        code.end();
        long(code, 1);
        code.local_get(1).return_();
        code.end();
        code.local_get(2).i32_const(1).i32_add();
        code.local_get(0).i32_const(4).i32_eq().if_(Empty);
        long(code, 1);
        code.unreachable().end();
    });
    assert_eq!(outlined(&[arms], &[[0, 1]], &CALLS), 4);
}

#[test]
fn a_region_may_be_left_in_its_middle() {
    let left = small(&[I32], |code| {
        code.block(Empty).block(Empty);
        code.local_get(0).i32_eqz().br_if(1);
        long(code, 1);
        code.local_get(0).i32_const(1).i32_eq().br_if(0);
        code.local_get(0).i32_const(2).i32_eq().if_(Empty);
        code.local_get(1).return_().end();
        code.local_get(0).i32_const(3).i32_eq().br_if(1);
        long(code, 1);
        code.end();
        code.local_get(1).i32_const(100).i32_add().local_set(2);
        code.end();
        code.local_get(1).local_get(2).i32_sub();
    });
    assert_eq!(outlined(&[left], &[[0, 1]], &CALLS), 1);
}

#[test]
fn values_on_the_stack_go_in_and_out() {
    let stack = small(&[I32], |code| {
        code.local_get(1).block(Gives(I32));
        code.local_get(1).i32_const(7).i32_add();
        code.i32_const(9).local_get(0).i32_eqz().br_if(0);
        // Here two values are on the block's stack.
        code.i32_sub();
        code.local_set(2);
        long(code, 2);
        code.local_get(2).local_get(0).i32_const(3).i32_eq().br_if(0);
        code.local_get(1).i32_mul();
        code.end().i32_xor();
    });
    assert_eq!(outlined(&[stack], &[[0, 1]], &CALLS), 1);
}

#[test]
fn a_region_in_a_loop_may_begin_the_next_round() {
    let rounds = small(&[I32], |code| {
        code.loop_(Empty);
        code.local_get(2).i32_const(1).i32_add().local_set(2);
        code.local_get(0).i32_const(1).i32_sub().local_tee(0).i32_const(0).i32_gt_s().if_(Empty);
        long(code, 1);
        code.local_get(1).i32_const(1).i32_and().br_if(1);
        code.local_get(1).i32_const(1).i32_or().local_set(1).br(1);
        code.end().end();
        code.local_get(1).local_get(2).i32_add();
    });
    assert_eq!(outlined(&[rounds], &[[0, 1]], &CALLS), 1);
}

#[test]
fn what_only_the_next_round_reads_is_given_back() {
    let rounds = small(&[I32, I32], |code| {
        code.loop_(Empty);
        code.local_get(2).local_get(3).i32_const(5).i32_mul().i32_add().local_set(2);
        code.local_get(0).i32_const(1).i32_sub().local_tee(0).i32_const(0).i32_gt_s().if_(Empty);
        long(code, 1);
        code.local_get(1).i32_const(1023).i32_and().local_set(3);
        code.end();
        code.local_get(0).i32_const(0).i32_gt_s().br_if(0).end();
        code.local_get(1).local_get(2).i32_add();
    });
    assert_eq!(outlined(&[rounds], &[[0, 1]], &CALLS), 1);
}

#[test]
fn of_nested_regions_the_outer_one_is_taken_unless_it_is_executed() {
    let nested = || {
        small(&[], |code| {
            code.local_get(0).if_(Empty);
            long(code, 1);
            code.local_get(0).i32_const(2).i32_ge_s().if_(Empty);
            long(code, 1);
            code.end();
            long(code, 1);
            code.end();
            code.local_get(1);
        })
    };
    assert_eq!(outlined(&[nested()], &[[0, 1]], &CALLS), 1);
    assert_eq!(outlined(&[nested()], &[[0, 1], [1, 1]], &CALLS), 1);
    assert_eq!(outlined(&[nested()], &[[0, 1], [2, 1]], &CALLS), 0);
}

#[test]
fn small_regions_and_functions_that_were_not_called_stay() {
    let little = small(&[], |code| {
        code.local_get(0).if_(Empty).i32_const(5).local_set(1).end();
        code.local_get(0).i32_const(2).i32_eq().if_(Empty).local_get(0).local_get(1).call(MAIN + 1).local_set(1).end();
        code.local_get(1);
    });
    let other = small(&[], |code| {
        code.local_get(0).if_(Empty);
        long(code, 1);
        code.end().local_get(1);
    });
    assert_eq!(outlined(&[little, other], &[[0, 1]], &CALLS), 0);
}

#[test]
fn a_region_that_would_leave_with_values_of_two_types_stays() {
    let types = small(&[I64], |code| {
        code.block(Gives(I64));
        code.i64_const(1).local_get(0).i32_eqz().br_if(0).drop();
        long(code, 1);
        code.local_get(0).i32_const(1).i32_eq().if_(Empty).local_get(1).return_().end();
        code.local_get(1).i64_extend_i32_s();
        code.end().local_set(2).local_get(2).i32_wrap_i64();
    });
    assert_eq!(outlined(&[types], &[[0, 1]], &CALLS), 0);
}
