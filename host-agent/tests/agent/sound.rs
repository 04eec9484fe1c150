//! The function that records sound: test programs replace the recorder, and print its output.

use crate::case::{Agent, Case};
use std::os::unix::fs::{PermissionsExt, symlink};

const PROGRAM: &str = "import \"example\"\nfile \"@OUT@/v\" {\n\tstate => \"exists\",\n\
    \tcontent => example.vumeter(\"=\", 4, 0.9),\n}\n";

fn listening(case: &Case, path: &str) -> Agent {
    let mut command = case.command(&["run", "--prefix", "state", "main.mcl"]);
    command.env("PATH", path);
    Agent::spawn(command)
}

#[test]
fn the_peak_of_the_sound_follows_the_sound() {
    let case = Case::new("sound-peak", PROGRAM);
    std::fs::create_dir(case.path("bin")).unwrap();
    let tool = |name: &str, script: &str| {
        case.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(case.path(&format!("bin/{name}")), mode).unwrap();
    };
    tool("rec", &format!("cat {} > \"$2\"", case.path("level").display()));
    let lines =
        "Samples read:             48000\nMaximum amplitude:     $(cat \"$1\")\nMinimum amplitude:    -0.100000";
    tool("sox", &format!("echo \"{lines}\" >&2"));
    case.write("level", "0.500000\n");
    let path = format!("{}:{}", case.path("bin").display(), std::env::var("PATH").unwrap());
    let _agent = listening(&case, &path);
    case.holds("out/v", "(0.500000):\n==\n==");
    case.write("level.new", "0.990000\n");
    std::fs::rename(case.path("level.new"), case.path("level")).unwrap();
    case.holds("out/v", "(0.990000):\n==== PEAK!!!\n==== PEAK!!!");
}

#[test]
fn a_machine_without_a_recorder_says_so() {
    let case = Case::new("sound-none", PROGRAM);
    std::fs::create_dir(case.path("bin")).unwrap();
    symlink("/bin/sh", case.path("bin/sh")).unwrap();
    let agent = listening(&case, case.path("bin").to_str().unwrap());
    agent.says("the command failed to run: rec is not installed");
}
