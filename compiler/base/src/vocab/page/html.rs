//! Renders a page as HTML, with a form for each control that works without the script.

use super::{About, Control, Form, Page, Values};

/// The page's content security policy. Styles, images and links in `head` are free; scripts must be files of this
/// server.
pub const CONTENT_SECURITY: &str = "default-src 'self'; style-src * 'unsafe-inline'; img-src * data:; font-src * data:; \
                                    object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

impl Page {
    /// Renders the page with the current values.
    pub fn html(&self, values: &Values, about: &About) -> String {
        let title = if self.title.is_empty() { about.program } else { &self.title };
        let mut page = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
        text(&mut page, title);
        page.push_str("</title>\n<link rel=\"stylesheet\" href=\"ui.css\">\n<script src=\"ui.js\" defer></script>\n");
        page.push_str(&self.head);
        page.push_str("\n</head>\n<body>\n<main data-edition=\"");
        page.push_str(&self.edition());
        page.push_str("\">\n<h1>");
        text(&mut page, title);
        page.push_str("</h1>\n");
        for control in &self.controls {
            show(&mut page, control, &String::from_utf8_lossy(values.of(control)));
        }
        page.push_str("<p id=\"state\" role=\"status\"></p>\n</main>\n<footer>");
        for part in [about.program, " ", about.version, " on ", about.hostname] {
            text(&mut page, part);
        }
        page.push_str("</footer>\n</body>\n</html>\n");
        page
    }
}

fn show(page: &mut String, control: &Control, value: &str) {
    page.push_str(
        "<form class=\"control\" method=\"post\" action=\"save/\">\n<input type=\"hidden\" name=\"id\" value=\"",
    );
    text(page, &control.id);
    page.push_str("\">\n<label><span>");
    text(page, &control.id);
    page.push_str("</span> <input name=\"value\" autocomplete=\"off\" type=\"");
    page.push_str(control.form.name());
    if let Form::Range { min, max, step } = control.form {
        page.push_str(&format!("\" min=\"{min}\" max=\"{max}\" step=\"{step}"));
    }
    page.push_str("\" value=\"");
    text(page, value);
    page.push_str("\"></label> <output>");
    text(page, if control.form == Form::Text { "" } else { value });
    page.push_str("</output>\n<button>Save</button>\n</form>\n");
}

/// Appends text with markup escaped.
fn text(page: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            c => page.push(c),
        }
    }
}
