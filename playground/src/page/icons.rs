//! Icons as inline SVG: 16 units wide, in the text colour. They repeat adjacent words, so screen readers skip them.

use mclive_base::shapes::host::Phase;
use yew::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Icon {
    Play,
    Pause,
    Step,
    StepBack,
    Restart,
    Share,
    Save,
    Format,
    Keys,
    Sun,
    Moon,
    Caret,
    Close,
    Plus,
    Minus,
    Fit,
    Good,
    Warn,
    Bad,
    Busy,
    Dots,
    File,
    Folder,
    Link,
    Unlink,
    Terminal,
    Speech,
    Book,
    Clock,
    Box,
    Gear,
    Person,
    Dot,
    Code,
    Graph,
    Function,
    Host,
    List,
    Arrow,
    Back,
    Forward,
    Learn,
    Letters,
}

impl Icon {
    pub(super) fn path(self) -> &'static str {
        match self {
            Icon::Play => "M5 3.2v9.6L12.8 8z",
            Icon::Pause => "M5.5 3.5v9M10.5 3.5v9",
            Icon::Step => "M4 3.5v9L10 8zM12 3.5v9",
            Icon::StepBack => "M12 3.5v9L6 8zM4 3.5v9",
            Icon::Restart => "M3.2 8a4.8 4.8 0 1 0 1.6-3.6M4.8 1.8v2.8h2.8",
            Icon::Share => "M8 10V2.5M5.2 5 8 2.2 10.8 5M3 8.5v4.2c0 .6.4 1 1 1h8c.6 0 1-.4 1-1V8.5",
            Icon::Save => "M8 2.2v8M5.2 7.4 8 10.2l2.8-2.8M3 10.5v2.2c0 .6.4 1 1 1h8c.6 0 1-.4 1-1v-2.2",
            Icon::Format => "M2.5 4h11M5.5 8h8M2.5 12h11",
            Icon::Keys => {
                "M2.5 4.5h11a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-5a1 1 0 0 1 1-1zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5 9.5h6"
            }
            Icon::Sun => {
                "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M13 3l-1.2 1.2M4.2 11.8 3 13"
            }
            Icon::Moon => "M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7z",
            Icon::Caret => "M4.5 6.5 8 10l3.5-3.5",
            Icon::Back => "M10 3.5 5.5 8l4.5 4.5",
            Icon::Forward => "M6 3.5 10.5 8 6 12.5",
            Icon::Learn => "M8 3 1.5 6.2 8 9.4l6.5-3.2zM4.2 7.8v3.4c1 1 2.3 1.5 3.8 1.5s2.8-.5 3.8-1.5V7.8M14.5 6.2v4",
            Icon::Letters => "M1.8 12.5 5.2 4l3.4 8.5M3 9.8h4.4M9.8 12.5 12 7l2.2 5.5M10.7 10.8h2.6",
            Icon::Close => "M4 4l8 8M12 4l-8 8",
            Icon::Plus => "M8 3.5v9M3.5 8h9",
            Icon::Minus => "M3.5 8h9",
            Icon::Fit => "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
            Icon::Good => "M3.2 8.5 6.5 11.8 12.8 4.8",
            Icon::Warn => "M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.2",
            Icon::Bad => "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
            Icon::Busy => "M8 2a6 6 0 1 1-5.6 3.8",
            Icon::Dots => "M3.5 8h.01M8 8h.01M12.5 8h.01",
            Icon::File => "M4 1.8h5l3.2 3.2v9.2H4zM9 1.8V5h3.2",
            Icon::Folder => {
                "M1.8 4.2c0-.5.4-.9.9-.9h3.5l1.5 1.6h5.6c.5 0 .9.4.9.9v6.2c0 .5-.4.9-.9.9H2.7a.9.9 0 0 1-.9-.9z"
            }
            Icon::Link => {
                "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.9-.9"
            }
            Icon::Unlink => {
                "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.9-.9M3 3l10 10"
            }
            Icon::Terminal => "M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.2h3.5",
            Icon::Speech => "M2 3h12v8H7l-3 2.6V11H2z",
            Icon::Book => {
                "M8 4.2C6.6 3 4.6 2.6 2 2.7v9.6c2.6-.1 4.6.3 6 1.5 1.4-1.2 3.4-1.6 6-1.5V2.7c-2.6-.1-4.6.3-6 1.5zM8 4.2v9.6"
            }
            Icon::Clock => "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.4 1.5",
            Icon::Box => "M8 1.8 13.8 4.8v6.4L8 14.2l-5.8-3V4.8zM2.2 4.8 8 7.8l5.8-3M8 7.8v6.4",
            Icon::Gear => {
                "M8 5.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4"
            }
            Icon::Person => {
                "M8 2.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM2.8 14c.3-3 2.4-4.5 5.2-4.5s4.9 1.5 5.2 4.5"
            }
            Icon::Dot => "M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z",
            Icon::Code => "M5.5 4 1.8 8l3.7 4M10.5 4l3.7 4-3.7 4",
            Icon::Graph => {
                "M8 2.2a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zM3.6 10.6a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zM12.4 10.6a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zM7.2 5.2l-2.8 5.5M8.8 5.2l2.8 5.5"
            }
            Icon::Function => "M11.5 3c-2-.8-3 .2-3.3 2L7 11.2c-.4 1.8-1.4 2.6-3 2M5 7h5.5",
            Icon::Host => "M2 2.5h12v4.5H2zM2 9h12v4.5H2zM4.5 4.8h.01M4.5 11.2h.01",
            Icon::List => "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
            Icon::Arrow => "M3 8h9.5M8.8 4.2 12.6 8l-3.8 3.8",
        }
    }
}

/// An icon among words.
pub(super) fn icon(icon: Icon) -> Html {
    html! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">{ strokes(icon) }</svg> }
}

/// An icon's strokes, for use inside another drawing.
pub(super) fn strokes(icon: Icon) -> Html {
    html! { <path d={icon.path()} /> }
}

/// The icon of a resource kind.
pub(super) fn kind_icon(kind: &str) -> Icon {
    match kind.split(':').next().unwrap_or(kind) {
        "file" | "tar" | "gzip" | "line" | "json_edit" => Icon::File,
        "exec" => Icon::Terminal,
        "print" => Icon::Speech,
        "timer" | "cron" => Icon::Clock,
        "pkg" | "docker" | "virt" => Icon::Box,
        "svc" | "sysctl" | "modprobe" => Icon::Gear,
        "user" | "group" | "password" => Icon::Person,
        "kv" | "value" => Icon::List,
        "hostname" | "net" | "http" => Icon::Host,
        "symlink" | "mount" => Icon::Link,
        _ => Icon::Dot,
    }
}

/// How a phase looks: class, icon and words.
pub(super) fn phase_look(phase: Phase) -> (&'static str, Icon, &'static str) {
    match phase {
        Phase::Waiting => ("waiting", Icon::Dots, "waiting"),
        Phase::Checking => ("working", Icon::Busy, "checking"),
        Phase::Applying => ("working", Icon::Busy, "applying"),
        Phase::InState => ("good", Icon::Good, "up to date"),
        Phase::Changed => ("good changed", Icon::Good, "changed, now up to date"),
        Phase::WouldChange => ("warn", Icon::Warn, "would change"),
        Phase::Retrying => ("warn", Icon::Restart, "retrying"),
        Phase::Limited => ("warn", Icon::Clock, "rate limited"),
        Phase::Failed => ("bad", Icon::Bad, "failed"),
        Phase::Unknown => ("warn", Icon::Warn, "unknown"),
        Phase::Removed => ("waiting", Icon::Minus, "removed"),
    }
}
