//! A change to a part of a file is judged like one to the whole file: a line or a key can be a way in as well.

use super::*;

const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g me";

fn line(path: &str) -> String {
    format!("line \"x\" {{\n\tfile => \"{path}\",\n\tstate => \"exists\",\n\tcontent => \"mine\",\n}}\n")
}

fn key(path: &str) -> String {
    format!("ssh:authorized_key \"x\" {{\n\tfile => \"{path}\",\n\tstate => \"exists\",\n\tcontent => \"{KEY}\",\n}}\n")
}

#[test]
fn lines_and_keys_are_added_only_where_a_program_may_write() {
    let den = Den::new("parts");
    den.link("srv/l", "@ROOT@/outside");
    den.link("srv/secret", "../outside/secret");
    let programs: [fn(&str) -> String; 2] = [line, key];
    for program in programs {
        for path in ["outside/secret", "outside/new", "srv/secret", "srv/l/secret", "srv/l/new"] {
            let program = program(&format!("@ROOT@/{path}"));
            den.policy("paths = ['@ROOT@/srv/**']\n");
            den.refuses(&program, NOT_CHANGED);
            den.policy(POLICY);
            den.refuses(&program, "the policy does not allow ");
        }
    }
    // The directory that a key may need, too.
    den.policy("paths = ['@ROOT@/srv/**']\n");
    den.refuses(&key("@ROOT@/srv/l/.ssh/keys"), NOT_CHANGED);
    for (program, held) in [(line("@ROOT@/srv/lines"), "mine"), (key("@ROOT@/srv/.ssh/keys"), KEY)] {
        den.allows(&program);
        let path = if held == KEY { "srv/.ssh/keys" } else { "srv/lines" };
        assert_eq!(fs::read_to_string(den.path(path)).unwrap().trim_end(), held);
    }
}
