//! Kinds of resources in the notation of other tools: with the function of a state, dots, colons or hyphens.

use super::super::Mistake;
use super::super::cover::Cover;

const DOT: &str = "the kind of a resource has no `.`";
const HYPHEN: &str = "the kind of a resource has no hyphens";
const COLONS: &str = "the parts of a kind are separated by a single `:`";
const KIND: &str = "expected a kind";
const SALT: &str = "this looks like Salt";
const TWO: &str = "write `{1}:{2} {3} { … }`: the parts of a kind are separated by `:`";
const THREE: &str = "write `{1}:{2}:{3} {4} { … }`: the parts of a kind are separated by `:`";
const INSTANCE: &str = "write `include {1}_{2}(…)`: a class with parameters takes the place of a define; for a class \
                        of a module, write `include module.name(…)`";

pub(super) const TABLE: &[Mistake] = &[
    state("LINE «service . running» VALUE {", "write `svc {1} { … }`, with the field `state => \"running\",`")
        .edit("svc"),
    state("LINE «service . dead» VALUE {", "write `svc {1} { … }`, with the field `state => \"stopped\",`").edit("svc"),
    state("LINE «service . enabled/disabled» VALUE {", "write `svc {2} { … }`, with the field `startup => \"{1}\",`")
        .edit("svc"),
    state("LINE «cmd . run/script/wait» VALUE {", "write `exec {2} { … }`, with the field `cmd => \"…\",`")
        .edit("exec"),
    state("LINE «pkg . latest» VALUE {", "write `pkg {1} { … }`, with the field `state => \"newest\",`").edit("pkg"),
    state("LINE «pkg . removed/purged» VALUE {", "write `pkg {2} { … }`, with the field `state => \"uninstalled\",`")
        .edit("pkg"),
    state("LINE «pkg . NAME» VALUE {", "write `pkg {2} { … }`, with the field `state => \"installed\",`").edit("pkg"),
    state(
        "LINE «file . directory» VALUE {",
        "write `file {1} { … }`, with the field `state => \"exists\",`; the path of a directory ends in `/`",
    )
    .edit("file"),
    state(
        "LINE «file . symlink» VALUE {",
        "write `file {1} { state => \"exists\", source => \"…\", symlink => true, }`",
    )
    .edit("file"),
    state(
        "LINE «file/user/group/cron/mount . absent» VALUE {",
        "write `{1} {2} { … }`, with the field `state => \"absent\",`",
    )
    .edit("{1}"),
    state(
        "LINE «file/user/group/cron/mount . NAME» VALUE {",
        "write `{1} {3} { … }`, with the field `state => \"exists\",`",
    )
    .edit("{1}"),
    Mistake::new("LINE «NAME . NAME» VALUE {", DOT, KIND, TWO).edit("{1}:{2}").covers(Cover::Match),
    Mistake::new("LINE «NAME . NAME . NAME» VALUE {", DOT, KIND, THREE).edit("{1}:{2}:{3}").covers(Cover::Match),
    Mistake::new("LINE «NAME :: NAME» VALUE {", COLONS, KIND, TWO).edit("{1}:{2}").covers(Cover::Match),
    Mistake::new("LINE «NAME :: NAME :: NAME» VALUE {", COLONS, KIND, THREE).edit("{1}:{2}:{3}").covers(Cover::Match),
    Mistake::new("LINE «CAP :: CAP» [ …", COLONS, KIND, "write `{1}:{2}[…]`").edit("{1}:{2}").covers(Cover::Match),
    Mistake::new("LINE «NAME :: NAME» {", "the name of a class has no `::`", "this looks like Puppet", INSTANCE)
        .covers(Cover::Indented),
    Mistake::new("LINE «NAME :: NAME» { …", "the name of a class has no `::`", "this looks like Puppet", INSTANCE)
        .covers(Cover::Indented),
    Mistake::new("LINE «FREE ~ - ~ NAME» VALUE {", HYPHEN, KIND, TWO).edit("{1}:{2}").covers(Cover::Match),
    Mistake::new("LINE «FREE ~ - ~ NAME ~ - ~ NAME» VALUE {", HYPHEN, KIND, THREE)
        .edit("{1}:{2}:{3}")
        .covers(Cover::Match),
    Mistake::new(
        "LINE «NAME : NAME :» STR/VAR {",
        "unexpected `:`",
        "not part of the kind",
        "write `{1}:{2} {3} { … }`: the name of a resource follows its kind",
    )
    .edit("{1}:{2}")
    .covers(Cover::Match),
];

/// A function of a state module of Salt as the kind of a resource.
const fn state(pattern: &'static str, help: &'static str) -> Mistake {
    Mistake::new(pattern, DOT, SALT, help).covers(Cover::Match)
}
