//! Graphs as text, byte for byte as `mclive graph` prints them.

use super::{Analysed, Session, too_long};
use crate::worker::protocol::{Form, Graph, ProgramFile};
use mclive_base::shapes;
use mclive_compiler::face::graphs;

impl Session {
    /// `None` if errors prevent the graph.
    pub(super) fn printed(
        &mut self,
        files: Vec<ProgramFile>,
        graph: Graph,
        form: Form,
        hostname: &str,
        in_force: bool,
    ) -> Option<String> {
        let running = self.fleet.host(&self.host).filter(|_| in_force && graph == Graph::Resources);
        let text = match (form, running) {
            (Form::Dot, Some(host)) => host.resources_dot(),
            (Form::Json, Some(host)) => shapes::to_json(&host.resource_graph()),
            (_, None) => {
                let opened = &self.within_limits(files)?.opened;
                match (graph, form) {
                    (Graph::Functions | Graph::Model, Form::Dot) => opened.picture_dot()?,
                    (Graph::Functions | Graph::Model, Form::Json) => opened.picture_json()?,
                    (Graph::Resources, Form::Dot) => opened.resources_dot(hostname)?,
                    (Graph::Resources, Form::Json) => shapes::to_json(&opened.resources(hostname)?),
                }
            }
        };
        Some(if text.ends_with('\n') { text } else { text + "\n" })
    }

    /// The function graph in the program's words, as it is drawn; `None` if errors prevent it.
    pub(super) fn printed_in_words(&mut self, files: Vec<ProgramFile>, form: Form) -> Option<String> {
        let graph = self.within_limits(files)?.opened.picture_in_words()?.graph;
        Some(match form {
            Form::Dot => graphs::words_dot(&graph),
            Form::Json => shapes::to_json(&graph) + "\n",
        })
    }

    fn within_limits(&mut self, files: Vec<ProgramFile>) -> Option<&Analysed> {
        match too_long(&files) {
            Some(_) => None,
            None => Some(self.analysed(files)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::{Answer, Request};
    use mclive_base::shapes::host::HostAction;
    use mclive_base::source::MemoryWorld;
    use mclive_compiler::diag::render_text::Shown;
    use mclive_compiler::language::{Asked, Editable, Format, FrontEnd, Inmanta, Mcl, Picture};
    use std::sync::Arc;

    /// A worker with a program, and the program.
    fn session(language: &'static [&'static dyn Editable], path: &str, text: &str) -> (Session, Vec<ProgramFile>) {
        let files = vec![ProgramFile::new(path, text)];
        let mut session = Session::new(language, || 0.0);
        session.answer(Request::Check { files: files.clone() });
        (session, files)
    }

    fn printed(session: &mut Session, files: &[ProgramFile], graph: Graph, form: Form, in_force: bool) -> String {
        let (files, hostname) = (files.to_vec(), "web1".into());
        let request = Request::Print { files, graph, form, hostname, in_force, in_full: true };
        let Answer::Printed { text } = session.answer(request) else { panic!("{graph:?} is not printed") };
        text
    }

    /// The output of `mclive graph` for it.
    fn command(language: &dyn FrontEnd, file: &ProgramFile, picture: Picture, format: Format) -> String {
        let world = Arc::new(MemoryWorld::of([(file.path.as_str(), file.content.as_slice())]));
        let asked = Asked { world: &world, entry: &file.path, host: Some("web1"), environment: &[] };
        let drawn = language.graph(&asked, Some(picture), format, None, Shown::PLAIN);
        let Ok(text) = drawn else { panic!("there is no {picture:?}") };
        text.trim_end().to_owned() + "\n"
    }

    const PROGRAM: &str = "import \"fmt\"\n$n = 1 + 2\nfile \"/srv/\\\"x\\\"\" {\n\tstate => \"exists\",\n\tcontent => fmt.printf(\"%d\", $n),\n}\nprint \"<script>\" {}\nFile[\"/srv/\\\"x\\\"\"] -> Print[\"<script>\"]\n";

    #[test]
    fn the_bytes_are_those_of_the_command() {
        let (mut mcl, program) = session(&[&Mcl], "/main.mcl", PROGRAM);
        let model_text = include_str!("../../../examples/hosts.cf");
        let (mut inmanta, model) = session(&[&Inmanta], "/main.cf", model_text);
        for (form, format) in [(Form::Dot, Format::Dot), (Form::Json, Format::Json)] {
            let functions = printed(&mut mcl, &program, Graph::Functions, form, false);
            assert_eq!(functions, command(&Mcl, &program[0], Picture::Functions, format));
            let resources = printed(&mut mcl, &program, Graph::Resources, form, false);
            assert_eq!(resources, command(&Mcl, &program[0], Picture::Resources, format));
            assert!(resources.contains("<script>") && resources.contains("\\\""), "{resources}");
            let instances = printed(&mut inmanta, &model, Graph::Model, form, false);
            assert_eq!(instances, command(&Inmanta, &model[0], Picture::Model, format));
            let resources = printed(&mut inmanta, &model, Graph::Resources, form, false);
            assert_eq!(resources, command(&Inmanta, &model[0], Picture::Resources, format));
        }
    }

    #[test]
    fn the_function_graph_is_printed_in_the_words_that_are_drawn() {
        let (mut session, files) = session(&[&Mcl], "/main.mcl", PROGRAM);
        let drawn = session.draw(files.clone(), "web1", false).functions.expect("the program is sound").graph;
        let mut printed = |form| {
            let (files, graph, hostname) = (files.clone(), Graph::Functions, "web1".to_owned());
            let request = Request::Print { files, graph, form, hostname, in_force: false, in_full: false };
            let Answer::Printed { text } = session.answer(request) else { panic!("nothing is printed") };
            text
        };
        assert_eq!(printed(Form::Json), shapes::to_json(&drawn) + "\n");
        let dot = printed(Form::Dot);
        let file = ProgramFile::new("/main.mcl", PROGRAM);
        assert_eq!(dot, command(&Mcl, &file, Picture::Words, Format::Dot));
        let text = command(&Mcl, &file, Picture::Words, Format::Text);
        assert_eq!(text, "$n: int\nfmt.printf(\"%d\", $n): str\n    <- $n (a)\n");
        assert!(dot.starts_with("digraph functions {\n") && dot.ends_with("}\n"), "{dot}");
        assert!(dot.contains("[label=\"$n\"];\n") && dot.contains("\\\"%d\\\""), "{dot}");
        assert!(dot.contains(" -> ") && !dot.contains("_operator") && !dot.contains("const:"), "{dot}");
    }

    #[test]
    fn the_graph_is_that_of_the_program_that_is_asked_for() {
        let (mut session, files) = session(&[&Mcl], "/main.mcl", PROGRAM);
        let other = vec![ProgramFile::new("/main.mcl", "print \"other\" {}\n")];
        session.answer(Request::Check { files: other });
        let text = printed(&mut session, &files, Graph::Resources, Form::Json, false);
        assert!(text.contains("<script>") && !text.contains("other"), "{text}");
    }

    #[test]
    fn the_graph_in_force_is_that_of_the_host() {
        let text = "import \"os\"\n$name = os.readfile(\"/name\") <|> \"nobody\"\nprint \"${name}\" {}\n";
        let (mut session, files) = session(&[&Mcl], "/main.mcl", text);
        let prepare = vec![HostAction::Write { path: "/name".into(), text: "told by a file".into() }];
        session.answer(Request::Deploy {
            files: files.clone(),
            hosts: vec![],
            hostname: "web1".into(),
            fresh: true,
            prepare,
        });
        session.answer(Request::Advance { by_ms: 1_000 });
        for form in [Form::Dot, Form::Json] {
            assert!(printed(&mut session, &files, Graph::Resources, form, true).contains("told by a file"));
            assert!(!printed(&mut session, &files, Graph::Resources, form, false).contains("told by a file"));
        }
    }

    #[test]
    fn a_program_with_errors_is_reported() {
        let (mut session, files) = session(&[&Mcl], "/main.mcl", "$x = \n");
        for (graph, in_full) in [(Graph::Functions, true), (Graph::Functions, false), (Graph::Resources, false)] {
            let (files, form, hostname) = (files.clone(), Form::Dot, "web1".to_owned());
            let request = Request::Print { files, graph, form, hostname, in_force: false, in_full };
            let Answer::Declined { why } = session.answer(request) else { panic!("nothing can be printed") };
            assert!(why.contains("has errors"), "{why}");
        }
    }
}
