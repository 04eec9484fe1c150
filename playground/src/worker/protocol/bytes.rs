//! An [`Answer`] as bytes. A graph or a host has tens of thousands of texts and numbers: as an object, each of them would be
//! a call from wasm to JavaScript, which blocks the page.

use super::Answer;

impl Answer {
    /// The answer as bytes, for [`Answer::of_bytes`]. Not for [`Answer::Told`], which is for the editor.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("an answer is plain data")
    }

    /// Decodes an answer. Errors: the bytes are something else.
    pub fn of_bytes(bytes: &[u8]) -> Result<Answer, String> {
        postcard::from_bytes(bytes).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::layout::{Drawing, Rect};
    use crate::worker::protocol::{Around, Drawn, Parts, Picture, ProgramFile, Simulated};
    use mclive_base::shapes::host::{
        HostFile, HostFileKind, LogLine, Mark, Phase, Position, ResourceState, Snapshot, Tone,
    };
    use mclive_base::shapes::{Field, Place, Reads, ResourceEdge, ResourceGraph, ResourceVertex};

    fn place() -> Place {
        Place { file: "/main.mcl".into(), start: 1, end: 300, start_line: 1, start_col: 2, end_line: 9, end_col: 1 }
    }

    fn picture() -> Picture<ResourceGraph> {
        let field = Field { name: "content".into(), value: "\"é\"".into() };
        let vertex = ResourceVertex {
            kind: "file".into(),
            name: "/srv/a".into(),
            fields: vec![field.clone()],
            meta: vec![field],
            grouped: vec!["file[/srv/b]".into()],
            place: Some(place()),
        };
        let sends = vec![("stdout".to_owned(), "content".to_owned())];
        let edge = ResourceEdge { from: 0, to: 0, label: String::new(), notify: true, sends };
        let boxes = vec![Rect { x: -0.5, y: 1e9, w: 120.0, h: 44.0 }];
        Picture {
            graph: ResourceGraph { version: 1, vertices: vec![vertex], edges: vec![edge] },
            drawing: Some(Drawing { width: 152.5, height: 76.0, boxes, lines: vec![vec![(0.0, 1.5)], vec![]] }),
            n_left_out: 70_000,
            around: Around { classes: vec![String::new()], loops: vec!["for $i".into()] },
        }
    }

    fn simulated() -> Simulated {
        let line = LogLine {
            at_ms: u64::MAX,
            step: 1 << 40,
            tone: Tone::Player,
            resource: Some("file[/srv/a]".into()),
            text: "wrote\nit".into(),
            diff: Some("-1\n+2\n".into()),
            because: vec!["$now".into()],
        };
        let mark =
            Mark { step: 3, at_ms: 4, tone: Tone::Bad, host: "web1".into(), text: "failed".into(), resource: None };
        let file = HostFile {
            path: "/srv/a".into(),
            kind: HostFileKind::Link,
            mode: 0o7777,
            owner: "root".into(),
            group: "root".into(),
            size: 1 << 33,
            text: "x".into(),
            checksum: Some(u32::MAX),
        };
        let state = ResourceState { id: "file[/srv/a]".into(), phase: Phase::Retrying, text: String::new() };
        Simulated {
            snapshot: Snapshot { clock_s: -1, log: vec![line], ..Snapshot::default() },
            parts: Parts {
                resources: Some(vec![state]),
                values: Some(vec![None, Some("1".into())]),
                files: Some(vec![file]),
                ..Parts::default()
            },
            resources: Some(picture()),
            program: vec![ProgramFile::new("/data", [0xff_u8, 0, 0xc3])],
            position: Position { kept: Some(0), marks: vec![mark], ..Position::default() },
            ..Simulated::default()
        }
    }

    #[test]
    fn answers_arrive_as_they_were_sent() {
        let drawn = Drawn {
            resources: Some(picture()),
            reads: vec![Reads { place: place(), vertices: vec![0, 300] }],
            ..Drawn::default()
        };
        for answer in [
            Answer::Checked(Vec::new()),
            Answer::Drawn(Box::new(drawn)),
            Answer::Simulated(Box::new(simulated())),
            Answer::Recorded { trace: vec![0, 255] },
            Answer::Formatted { text: None },
        ] {
            assert_eq!(Answer::of_bytes(&answer.to_bytes()), Ok(answer));
        }
    }

    #[test]
    fn truncated_bytes_are_not_an_answer() {
        let bytes = Answer::Simulated(Box::new(simulated())).to_bytes();
        for n in 0..bytes.len() {
            assert!(Answer::of_bytes(&bytes[..n]).is_err(), "{n} of {}", bytes.len());
        }
    }

    /// `www/view.mjs` and the tests in browsers tell answers apart by their first byte.
    #[test]
    fn the_first_byte_is_the_variant() {
        let on_the_way = Answer::OnTheWay { now_ms: 0, until_ms: None, position: Position::default() };
        assert_eq!(on_the_way.to_bytes().first(), Some(&13));
        assert_eq!(Answer::Declined { why: String::new() }.to_bytes().first(), Some(&11));
    }
}
