//! `password`, and that passwords are never displayed.

use super::{NOTHING, Run};

/// A password sent to a file.
fn sent(fields: &str) -> String {
    let file = "file \"/secret\" { state => \"exists\", mode => \"u=rw\", }";
    format!("password \"p\" {{ {fields} }}\n{file}\nPassword[\"p\"].password -> File[\"/secret\"].content")
}

#[test]
fn a_saved_password_is_made_once_and_sent_again() {
    let mut run = Run::new(&sent("length => 40, saved => true,"));
    let password = run.read("/secret");
    assert!(password.len() == 40 && password.bytes().all(|byte| byte.is_ascii_alphabetic()), "{password}");
    assert!(!format!("{:?}", run.reports).contains(&password), "{:?}", run.reports);
    assert_eq!(run.steps()[0], "generate a password");
    assert_eq!(run.change(|world| world.remove("/secret").unwrap()).len(), 1);
    assert_eq!(run.read("/secret"), password);
    // Removing the token generates a new password, and receivers get it too.
    let steps = run.change(|world| drop(world.subjects.password.tokens.remove("p")));
    assert_eq!(steps[0], "generate a password");
    assert_ne!(run.read("/secret"), password);
    // Another token that fits is the password from then on.
    let other = "a".repeat(40);
    run.change(|world| drop(world.subjects.password.tokens.insert("p".into(), other.clone())));
    assert_eq!(run.read("/secret"), other);
    let password = run.read("/secret");
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    assert_eq!(run.read("/secret"), password);
}

#[test]
fn one_that_is_not_saved_is_sent_in_the_run_that_made_it() {
    let run = Run::new(&sent(""));
    assert_eq!(run.read("/secret").len(), 64);
    assert_eq!(run.world().subjects.password.tokens["p"], "");
    let (_, run) = run.again();
    assert_eq!(run.read("/secret"), "");
}

#[test]
fn a_corrupt_token_is_an_error_unless_it_may_be_made_anew() {
    let spoilt = |fields: &str| {
        Run::after(|world| drop(world.subjects.password.tokens.insert("p".into(), "short".into())), &sent(fields))
    };
    assert_eq!(spoilt("").failures(), ["check failed: expected empty token only"]);
    assert_eq!(spoilt("saved => true,").failures(), ["check failed: the stored token has a different length"]);
    let mut run = spoilt("saved => true, check_recovery => true,");
    assert_eq!(run.steps()[0], "replace the password");
    assert_eq!(run.read("/secret").len(), 64);
    for token in [String::new(), "-".repeat(64), "a".repeat(63)] {
        let steps = run.change(|world| drop(world.subjects.password.tokens.insert("p".into(), token)));
        assert_eq!(steps[0], "replace the password");
        assert_eq!(run.read("/secret"), run.world().subjects.password.tokens["p"]);
    }
}

#[test]
fn a_field_that_is_marked_stands_in_no_words() {
    let program =
        "password \"p\" { saved => true, }\nprint \"tell\" {}\nPassword[\"p\"].password -> Print[\"tell\"].msg";
    let run = Run::new(program);
    let password = run.world().subjects.password.tokens["p"].clone();
    let told = format!("{:?}", run.reports);
    assert!(told.contains("•••") && !told.contains(&password), "{told}");
}
