//! Programs that would be copied, imported or searched without an end.

use super::{helps, outcome, outcome_with};
use crate::scope::Limits;

#[test]
fn exponential_programs_end() {
    let mut src = "func f0($x) { $x }\n".to_owned();
    for n in 1..40 {
        src += &format!("func f{n}($x) {{ f{}(f{}($x)) }}\n", n - 1, n - 1);
    }
    src += "test [f39(1)] {}\n";
    let limits = Limits { copies: 20_000, ..Limits::default() };
    let errors = outcome_with(&[("/main.mcl", &src)], limits).errors;
    assert!(errors.len() == 1 && errors[0].starts_with("E0316"), "{errors:?}");
    let mut src = "class c0 {}\n".to_owned();
    for n in 1..40 {
        src += &format!("class c{n} {{\n\tinclude c{}\n\tinclude c{}\n}}\n", n - 1, n - 1);
    }
    src += "include c39\n";
    let errors = outcome_with(&[("/main.mcl", &src)], limits).errors;
    assert!(errors.len() == 1 && errors[0].starts_with("E0316"), "{errors:?}");
}

/// Each file imports both of the next level: twice as many copies of the files per level.
#[test]
fn files_that_are_imported_exponentially_often_end() {
    let level = |n: usize| format!("import \"a{n}.mcl\" as a\nimport \"b{n}.mcl\" as b\n");
    let mut files = vec![("/main.mcl".to_owned(), level(0))];
    for n in 0..60 {
        let text = if n == 59 { "$x = 1\n".to_owned() } else { level(n + 1) };
        files.extend(["a", "b"].map(|name| (format!("/{name}{n}.mcl"), text.clone())));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let errors = outcome_with(&files, Limits { copies: 20_000, ..Limits::default() }).errors;
    assert!(errors.len() == 1 && errors[0].starts_with("E0316"), "{errors:?}");
}

#[test]
fn suggestions_for_modules_are_bounded() {
    let src: String = (0..50).map(|n| format!("import \"fmt{n}\"\n")).collect();
    let close = helps(&src).iter().filter(|help| help.contains("did you mean")).count();
    assert!((1..50).contains(&close), "{close}");
}

/// A chain of files without an end in reach is not called a circle.
#[test]
fn long_chains_of_imports_are_refused_for_their_length() {
    let chain = |n: usize| {
        let files = (0..n).map(|at| match at + 1 == n {
            true => (format!("/f{at}.mcl"), "$x = 1\n".to_owned()),
            false => (format!("/f{at}.mcl"), format!("import \"f{}.mcl\"\n", at + 1)),
        });
        let mut files: Vec<(String, String)> = files.collect();
        files.push(("/main.mcl".to_owned(), "import \"f0.mcl\"\n".to_owned()));
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        outcome(&files).errors
    };
    assert_eq!(chain(100), Vec::<String>::new());
    assert_eq!(chain(101), ["E0315 /f99.mcl 1:1"]);
}

#[allow(clippy::disallowed_types, reason = "a thread has the stack to test with")]
#[test]
fn long_chains_need_no_stack() {
    let chain = |make: &dyn Fn(usize) -> String| (1..5000).rev().map(make).collect::<String>();
    let binds = chain(&|n| format!("$v{n} = $v{} + 1\n", n - 1)) + "$v0 = 1\n";
    let calls = chain(&|n| format!("func f{n}($x) {{ f{}($x) }}\n", n - 1)) + "func f0($x) { $x }\n$r = f4999(1)\n";
    let classes = chain(&|n| format!("class c{n} {{\n\tinclude c{}\n}}\n", n - 1)) + "class c0 {}\ninclude c4999\n";
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || {
            assert_eq!(outcome(&[("/main.mcl", &binds)]).errors, Vec::<String>::new());
            assert_eq!(outcome(&[("/main.mcl", &calls)]).errors, Vec::<String>::new());
            let errors = outcome(&[("/main.mcl", &classes)]).errors;
            assert!(errors.len() == 1 && errors[0].starts_with("E0315"), "{errors:?}");
        })
        .expect("a thread")
        .join()
        .expect("no overflow");
}
