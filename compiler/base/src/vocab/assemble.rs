//! Assembles the words of all subjects, given as `Name: module` in order.

/// Makes the enums that cross the border, with one variant per subject, and what is asked of any of them.
/// `each_subject` hands the list to a macro of a body.
macro_rules! subjects {
    ($($Name:ident: $module:ident,)*) => {
        /// One look. A host answers a list of probes with as many findings, in the same order.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        pub enum Probe {
            $($Name($module::Probe),)*
        }

        /// What a probe saw.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        pub enum Finding {
            /// Could not look. This is never "nothing to do".
            Failed(HostError),
            $($Name($module::Finding),)*
        }

        /// One change. The steps of a list are carried out in order; the first that fails ends it.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        pub enum Step {
            $($Name($module::Step),)*
        }

        /// A subscription whose only message is "look again". The host says when all watches of a resource are in
        /// place, then once for each change; several changes may be one message. Engine spec and resource
        /// spec, 1.4.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        pub enum Watch {
            $($Name($module::Watch),)*
        }

        /// A subscription to one fact. The host answers with the fact as it is now, and again as
        /// [`Changes`] says. The answer's shape is told with each one, in terms of [`Datum`]; a fact that cannot
        /// be had is a [`HostError`]. Functions spec, section 14.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum FactSpec {
            $($Name($module::Fact),)*
        }

        /// A marker for each subject.
        pub mod subjects {
            $(
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
            /// What the policy must allow.
            pub fn powers(&self) -> Vec<Power<'_>> {
                match self { $(Probe::$Name(probe) => Look::powers(probe),)* }
            }

            /// It waits for something beside this host's disks: a command, a bus, a network.
            pub fn waits(&self) -> bool {
                match self { $(Probe::$Name(probe) => Look::waits(probe),)* }
            }

            /// It may be done twice where once was asked for.
            pub fn repeats(&self) -> bool {
                match self { $(Probe::$Name(probe) => Look::repeats(probe),)* }
            }

            /// A file and what it holds, if that is what was seen.
            pub fn shows<'a>(&'a self, finding: &'a Finding) -> Option<(&'a str, &'a [u8])> {
                match (self, finding) {
                    $((Probe::$Name(probe), Finding::$Name(finding)) => Look::shows(probe, finding),)*
                    _ => None,
                }
            }
        }

        impl Finding {
            /// What nobody may be shown of it.
            pub fn secrets(&mut self) -> Vec<&mut password::Secret> {
                match self {
                    Finding::Failed(_) => Vec::new(),
                    $(Finding::$Name(finding) => <$module::Probe as Look>::secrets(finding),)*
                }
            }
        }

        impl Step {
            /// In words, for the audit log: what and where, never a content, an argument or an environment.
            pub fn audit(&self) -> String {
                let mut words = String::new();
                // Writing to a string does not fail.
                let _ = match self { $(Step::$Name(step) => Change::audit(step, &mut words),)* };
                words
            }

            /// What the policy must allow.
            pub fn powers(&self) -> Vec<Power<'_>> {
                match self { $(Step::$Name(step) => Change::powers(step),)* }
            }

            /// It waits for something beside this host's disks: a command, a bus, a network.
            pub fn waits(&self) -> bool {
                match self { $(Step::$Name(step) => Change::waits(step),)* }
            }

            /// It may be done twice where once was asked for.
            pub fn repeats(&self) -> bool {
                match self { $(Step::$Name(step) => Change::repeats(step),)* }
            }

            /// Each field that it changes, with the value that was seen and the one that it gives.
            pub fn values(&self, known: &Known) -> Vec<FieldChange> {
                match self { $(Step::$Name(step) => Change::values(step, known),)* }
            }

            pub fn effect(&self) -> Effect {
                match self { $(Step::$Name(step) => Change::effect(step),)* }
            }

            /// A plan can tell how it would go and what would be there afterwards.
            pub fn is_foreseen(&self) -> bool {
                match self { $(Step::$Name(step) => Change::is_foreseen(step),)* }
            }

            /// The file that it gives another content.
            pub fn rewrites(&self) -> Option<&str> {
                match self { $(Step::$Name(step) => Change::rewrites(step),)* }
            }

            /// What that file will hold, given what it holds, if the difference may be shown to people.
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
            /// What the policy must allow.
            pub fn powers(&self) -> Vec<Power<'_>> {
                match self { $(Watch::$Name(watch) => Listen::powers(watch),)* }
            }

            /// One thing can make both fire.
            pub fn overlaps(&self, other: &Watch) -> bool {
                match (self, other) {
                    $((Watch::$Name(watch), Watch::$Name(other)) => Listen::overlaps(watch, other),)*
                    _ => false,
                }
            }

            /// Does it fire by the clock? A notification starts the period anew.
            pub fn is_periodic(&self) -> bool {
                match self { $(Watch::$Name(watch) => Listen::is_periodic(watch),)* }
            }
        }

        impl FactSpec {
            /// What the policy must allow.
            pub fn powers(&self) -> Vec<Power<'_>> {
                match self { $(FactSpec::$Name(fact) => Learn::powers(fact),)* }
            }

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

        /// Hands the list of subjects to a macro: how a body goes from the assembled words to its backends.
        #[macro_export]
        macro_rules! each_subject {
            ($with:ident) => { $with! { $($Name)* } };
        }
    };
}
pub(super) use subjects;
