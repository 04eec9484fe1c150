//! Users and groups on an isolated system, changed with the shadow utilities.

use crate::case::Agent;
use crate::system::{Apart, told};

#[test]
fn accounts() {
    let program = r#"
        group "mcweb" { state => "exists", gid => 61500, }
        group "mcdev" { state => "exists", }
        group "mcops" { state => "exists", }
        user "mcbob" { state => "exists", uid => 61600, group => "mcweb", groups => ["mcops", "mcdev"], shell => "/bin/bash", homedir => "/srv/bob/", }
        user "mceve" { state => "exists", groups => ["mcdev"], }
        user "mcgone" { state => "absent", }
    "#;
    let Some(apart) = Apart::new("accounts", program) else { return };
    apart.sh("useradd mcgone");
    apart.applies();
    assert_eq!(apart.sh("getent passwd mcbob"), "mcbob:x:61600:61500::/srv/bob:/bin/bash");
    assert_eq!(apart.sh("id -nG mcbob | tr ' ' '\\n' | sort | tr '\\n' ' '"), "mcdev mcops mcweb");
    assert_eq!(apart.sh("getent passwd mcgone || echo gone"), "gone");
    apart.repairs(&[
        ("userdel mcbob", "id mcbob"),
        ("usermod --shell /bin/false mcbob", "getent passwd mcbob | grep -q /bin/bash"),
        ("gpasswd -d mcbob mcdev", "id -nG mcbob | grep -q mcdev"),
        ("groupmod -g 61501 mcweb", "getent group mcweb | grep -q 61500"),
        ("useradd mcgone", "! getent passwd mcgone"),
    ]);
    assert!(std::fs::read_to_string("/etc/passwd").unwrap().find("mcbob").is_none(), "this machine stays as it is");
}

/// The tools add and remove the group of a user's own name with the user.
#[test]
fn a_user_and_a_group_of_one_name() {
    let program = r#"
        group "mcapp" { state => "exists", gid => 61700, }
        user "mcapp" { state => "exists", Depend => Group["mcapp"], }
        user "mcown" { state => "exists", Before => Group["mcown"], }
        group "mcown" { state => "exists", gid => 61701, }
    "#;
    let Some(apart) = Apart::new("accounts-one", program) else { return };
    apart.applies();
    assert_eq!(apart.sh("id -g mcapp mcown 2>/dev/null || { id -g mcapp; id -g mcown; }"), "61700\n61701");
    apart.repairs(&[
        ("userdel mcapp", "test \"$(id -g mcapp)\" = 61700"),
        ("groupmod -g 61702 mcown", "test \"$(getent group mcown | cut -d: -f3)\" = 61701"),
    ]);
    let gone = |kind: &str| format!("{kind} [\"mcapp\", \"mcown\"] {{ state => \"absent\", }}");
    apart.program(&[gone("group"), gone("user")].join("\n"));
    apart.applies();
    assert_eq!(apart.sh("getent passwd mcapp mcown; getent group mcapp mcown; echo none"), "none");
}

/// Neither the user nor the group is one of the program's, so no edge and no event brings the file back.
#[test]
fn what_an_account_is_to_own_comes_after_an_account_that_somebody_adds() {
    let program = "file \"@OUT@/hers\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n\towner => \"mclater\",\n\tgroup => \"mcgroup\",\n}";
    let Some(apart) = Apart::new("accounts-later", program) else { return };
    let agent = Agent::spawn(apart.agent(&["run", "--json", "--prefix", "state", "main.mcl"]));
    agent.says("user: unknown user mclater");
    agent.says("\"phase\":\"failed\"");
    apart.sh("groupadd mcgroup && useradd mclater");
    apart.waits_for("test \"$(stat -c %U:%G out/hers)\" = mclater:mcgroup");
}

#[test]
fn accounts_under_a_policy() {
    let program = r#"user "mcbob" { state => "exists", groups => ["root"], }"#;
    let Some(apart) = Apart::new("accounts-policy", program) else { return };
    std::fs::write(apart.case.path("policy.toml"), "users = ['mc*']\n").unwrap();
    let output = apart.once(&["--policy", "policy.toml"]);
    assert!(!output.status.success() && told(&output).contains("changing the group `root`"), "{}", told(&output));
    apart.program(r#"user "mcbob" { state => "exists", uid => 0, allowduplicateuid => true, }"#);
    let output = apart.once(&["--policy", "policy.toml"]);
    assert!(told(&output).contains("`mcbob` with the ID `0`"), "{}", told(&output));
    assert_eq!(apart.sh("getent passwd mcbob || echo none"), "none");
    std::fs::write(apart.case.path("policy.toml"), "users = ['mc*']\ncommands = ['/bin/true']\n").unwrap();
    apart.program(r#"user "mcbob" { state => "exists", }"#);
    let output = apart.once(&["--policy", "policy.toml"]);
    assert!(told(&output).contains("does not allow the command"), "{}", told(&output));
}
