//! [`Edits`]: changes parts of an XML text, and leaves the rest unchanged.

use super::other;
use mclive_base::vocab::HostError;
use roxmltree::{Document, Node};
use std::ops::Range;

/// Parses a text that libvirt has written.
pub(super) fn parse(xml: &str) -> Result<Document<'_>, HostError> {
    Document::parse(xml.trim()).map_err(|error| other(format!("invalid XML from libvirt: {error}")))
}

/// The children with a name; none without a parent.
pub(super) fn children<'a, 'b>(parent: Option<Node<'a, 'b>>, name: &'a str) -> impl Iterator<Item = Node<'a, 'b>> {
    parent.into_iter().flat_map(move |parent| parent.children().filter(move |child| child.has_tag_name(name)))
}

pub(super) fn child<'a, 'b>(parent: Node<'a, 'b>, name: &'a str) -> Option<Node<'a, 'b>> {
    children(Some(parent), name).next()
}

/// The value of an attribute of a child.
pub(super) fn value<'a>(parent: Node<'a, '_>, name: &'a str, attribute: &str) -> Option<&'a str> {
    child(parent, name)?.attribute(attribute)
}

/// The text of a child.
pub(super) fn text<'a>(parent: Node<'a, '_>, name: &'a str) -> &'a str {
    child(parent, name).and_then(|child| child.text()).unwrap_or_default().trim()
}

/// A text escaped for an attribute or an element.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\'' => escaped.push_str("&apos;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

pub(super) struct Edits<'a> {
    xml: &'a str,
    edits: Vec<(Range<usize>, String)>,
}

impl<'a> Edits<'a> {
    /// Starts edits of a text without surrounding white space.
    pub(super) fn of(xml: &'a str) -> Edits<'a> {
        Edits { xml, edits: Vec::new() }
    }

    pub(super) fn replace(&mut self, node: Node, with: &str) {
        self.edits.push((node.range(), with.to_owned()));
    }

    /// Appends to an element.
    pub(super) fn append(&mut self, parent: Node, what: &str) {
        let range = parent.range();
        let whole = &self.xml[range.clone()];
        match whole.rfind("</") {
            Some(at) => self.edits.push((range.start + at..range.start + at, what.to_owned())),
            // It was empty: `<os/>`.
            None => {
                let (open, name) = (whole.trim_end_matches("/>"), parent.tag_name().name());
                self.edits.push((range, format!("{open}>{what}</{name}>")));
            }
        }
    }

    pub(super) fn done(mut self) -> String {
        let mut text = self.xml.to_owned();
        // From the end, so that positions stay valid; edits at the same position keep their order.
        self.edits.sort_by_key(|(range, _)| range.start);
        for (range, with) in self.edits.into_iter().rev() {
            text.replace_range(range, &with);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_stays_as_it_is() {
        let xml = "<a>\n  <b x='1'/>\n  <c/>  <!-- kept -->\n</a>";
        let document = parse(xml).unwrap();
        let root = document.root_element();
        let mut edits = Edits::of(xml);
        edits.append(root, "<d/>");
        edits.append(child(root, "c").unwrap(), "1");
        edits.replace(child(root, "b").unwrap(), "");
        edits.append(root, "<e/>");
        assert_eq!(edits.done(), "<a>\n  \n  <c>1</c>  <!-- kept -->\n<d/><e/></a>");
        assert_eq!(escaped("a'<&\">\n"), "a&apos;&lt;&amp;&quot;&gt;&#10;");
    }
}
