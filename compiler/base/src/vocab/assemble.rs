//! Assembles the vocabulary from the list of subjects, given as `Name: module` in order.

/// Generates the enums that cross the border, one variant per subject, and their common methods. `each_subject` passes
/// the list to a macro of a body.
macro_rules! subjects {
    ($($Name:ident: $module:ident,)*) => {
        /// One look. A host answers a list of probes with as many findings, in the same order.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        pub enum Probe {
            $(
                /// See the module of the subject.
                $Name($module::Probe),
            )*
        }

        /// What a probe saw.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        pub enum Finding {
            /// The look failed. This is never "nothing to do".
            Failed(HostError),
            $(
                /// See the module of the subject.
                $Name($module::Finding),
            )*
        }

        /// One change. The steps of a list are carried out in order; the first failure ends the list.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        pub enum Step {
            $(
                /// See the module of the subject.
                $Name($module::Step),
            )*
        }

        /// A subscription whose only message is "look again". The host reports when all watches of a resource are in
        /// place, and then each change; several changes may share one message. Engine spec and resource spec, 1.4.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        pub enum Watch {
            $(
                /// See the module of the subject.
                $Name($module::Watch),
            )*
        }

        /// A subscription to one fact. The host answers with its current value, and again as [`Changes`] says. Each
        /// variant documents the shape of its answer in terms of [`Datum`]; a fact that is unavailable is a
        /// [`HostError`]. Functions spec, section 14.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum FactSpec {
            $(
                /// See the module of the subject.
                $Name($module::Fact),
            )*
        }

        /// A marker for each subject.
        pub mod subjects {
            $(
                /// The marker of the subject with this name.
                #[derive(Debug)]
                pub enum $Name {}

                impl super::Subject for $Name {
                    type Probe = super::$module::Probe;
                    type Finding = super::$module::Finding;
                    type Step = super::$module::Step;
                    type Watch = super::$module::Watch;
                    type Fact = super::$module::Fact;
                }
            )*
        }

        impl Probe {
            /// The permissions that the policy must grant.
            pub fn powers(&self) -> Vec<Power<'_>> {
                match self { $(Probe::$Name(probe) => Look::powers(probe),)* }
            }

            /// Whether it waits for something other than this host's disks: a command, a bus, a network.
            pub fn waits(&self) -> bool {
                match self { $(Probe::$Name(probe) => Look::waits(probe),)* }
            }

            /// Whether repeating it can have an effect, so that it must not be silently done twice.
            pub fn repeats(&self) -> bool {
                match self { $(Probe::$Name(probe) => Look::repeats(probe),)* }
            }

            /// The file and its content, if that is what was seen.
            pub fn shows<'a>(&'a self, finding: &'a Finding) -> Option<(&'a str, &'a [u8])> {
                match (self, finding) {
                    $((Probe::$Name(probe), Finding::$Name(finding)) => Look::shows(probe, finding),)*
                    _ => None,
                }
            }
        }

        impl Finding {
            /// The name of its subject, such as `file`; `failure` if the look failed.
            pub fn subject(&self) -> &'static str {
                match self {
                    Finding::Failed(_) => "failure",
                    $(Finding::$Name(_) => stringify!($module),)*
                }
            }

            /// Whether both show the same state. Ages are ignored.
            pub fn is_same(&self, other: &Finding) -> bool {
                match (self, other) {
                    $((Finding::$Name(one), Finding::$Name(other)) => <$module::Probe as Look>::is_same(one, other),)*
                    _ => self == other,
                }
            }

            /// The secrets in a finding. A trace replaces them with other texts.
            pub fn secrets(&mut self) -> Vec<&mut password::Secret> {
                match self {
                    Finding::Failed(_) => Vec::new(),
                    $(Finding::$Name(finding) => <$module::Probe as Look>::secrets(finding),)*
                }
            }
        }

        impl Step {
            /// A description for the audit log: what and where, but no content, argument or environment.
            pub fn audit(&self) -> String {
                let mut words = String::new();
                // Writing to a string cannot fail.
                let _ = match self { $(Step::$Name(step) => Change::audit(step, &mut words),)* };
                words
            }

            /// The permissions that the policy must grant.
            pub fn powers(&self) -> Vec<Power<'_>> {
                match self { $(Step::$Name(step) => Change::powers(step),)* }
            }

            /// Whether it waits for something other than this host's disks: a command, a bus, a network.
            pub fn waits(&self) -> bool {
                match self { $(Step::$Name(step) => Change::waits(step),)* }
            }

            /// Whether repeating it can have an effect, so that it must not be silently done twice.
            pub fn repeats(&self) -> bool {
                match self { $(Step::$Name(step) => Change::repeats(step),)* }
            }

            /// Each field that it changes, with the old and the new value.
            pub fn values(&self, findings: &Findings) -> Vec<FieldChange> {
                match self { $(Step::$Name(step) => Change::values(step, findings),)* }
            }

            /// What the step affects.
            pub fn effect(&self) -> Effect {
                match self { $(Step::$Name(step) => Change::effect(step),)* }
            }

            /// Whether a plan can predict its outcome and the state afterwards, for everything that looks later.
            pub fn is_foreseen(&self) -> bool {
                match self { $(Step::$Name(step) => Change::is_foreseen(step),)* }
            }

            /// The file whose content it replaces.
            pub fn rewrites(&self) -> Option<&str> {
                match self { $(Step::$Name(step) => Change::rewrites(step),)* }
            }

            /// The future content of that file, given its current one, if the difference may be shown.
            pub fn rewritten(&self, old: &[u8]) -> Option<Cow<'_, [u8]>> {
                match self { $(Step::$Name(step) => Change::rewritten(step, old),)* }
            }
        }

        /// In words, for logs and plans.
        impl std::fmt::Display for Step {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut words = String::new();
                match self { $(Step::$Name(step) => Change::words(step, &mut words)?,)* }
                f.write_str(&path::shown(&words))
            }
        }

        /// In words, for people.
        impl std::fmt::Display for Watch {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $(Watch::$Name(watch) => Listen::words(watch, f),)* }
            }
        }

        impl Watch {
            /// The permissions that the policy must grant.
            pub fn powers(&self) -> Vec<Power<'_>> {
                match self { $(Watch::$Name(watch) => Listen::powers(watch),)* }
            }

            /// Whether one event can make both fire.
            pub fn overlaps(&self, other: &Watch) -> bool {
                match (self, other) {
                    $((Watch::$Name(watch), Watch::$Name(other)) => Listen::overlaps(watch, other),)*
                    _ => false,
                }
            }

            /// Whether it fires by the clock. A notification restarts the period.
            pub fn is_periodic(&self) -> bool {
                match self { $(Watch::$Name(watch) => Listen::is_periodic(watch),)* }
            }
        }

        impl FactSpec {
            /// The permissions that the policy must grant.
            pub fn powers(&self) -> Vec<Power<'_>> {
                match self { $(FactSpec::$Name(fact) => Learn::powers(fact),)* }
            }

            /// When the fact changes.
            pub fn changes(&self) -> Changes {
                match self { $(FactSpec::$Name(fact) => Learn::changes(fact),)* }
            }
        }

        /// In words, for people: `the content of /etc/motd`.
        impl std::fmt::Display for FactSpec {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $(FactSpec::$Name(fact) => Learn::words(fact, f),)* }
            }
        }

        $(
            impl From<$module::Probe> for Probe {
                fn from(probe: $module::Probe) -> Probe {
                    Probe::$Name(probe)
                }
            }

            impl From<$module::Finding> for Finding {
                fn from(finding: $module::Finding) -> Finding {
                    Finding::$Name(finding)
                }
            }

            impl From<$module::Step> for Step {
                fn from(step: $module::Step) -> Step {
                    Step::$Name(step)
                }
            }

            impl From<$module::Watch> for Watch {
                fn from(watch: $module::Watch) -> Watch {
                    Watch::$Name(watch)
                }
            }

            impl From<$module::Fact> for FactSpec {
                fn from(fact: $module::Fact) -> FactSpec {
                    FactSpec::$Name(fact)
                }
            }
        )*

        /// Passes the list of subjects, each with its module, to a macro: how a body gets from the assembled enums to
        /// its backends.
        #[macro_export]
        macro_rules! each_subject {
            ($with:ident) => { $with! { $($Name: $module,)* } };
        }
    };
}
pub(super) use subjects;
