//! [`Live`]: lines that are redrawn in place. Earlier output on the terminal stays, and so does every line printed
//! in the meantime: these occupy the lines below them.

use std::io::IsTerminal;

#[derive(Default)]
pub(crate) struct Live {
    /// The number of lines on the terminal.
    n_drawn: usize,
}

impl Live {
    /// Prints lines that stay, and replaces those that were drawn. One write: moves up to the first line, prints, clears
    /// the rest of each line and everything below; the terminal shows it when it is complete. The printed lines move into
    /// the scrollback.
    pub(crate) fn draw(&mut self, said: &[String], lines: &[String]) {
        super::draw(&self.frame(said, lines));
    }

    /// Draws for the last time: these lines stay, and the cursor is below them.
    pub(crate) fn finish(&mut self, said: &[String], lines: &[String]) {
        super::draw(&(self.frame(said, lines) + SHOW_CURSOR));
        self.n_drawn = 0;
    }

    fn frame(&mut self, said: &[String], lines: &[String]) -> String {
        let mut frame = String::from("\x1b[?2026h\x1b[?25l\r");
        if self.n_drawn > 0 {
            frame.push_str(&format!("\x1b[{}A", self.n_drawn));
        }
        for line in said.iter().chain(lines) {
            frame.push_str(&super::line(line));
            frame.push_str("\x1b[K\r\n");
        }
        frame.push_str("\x1b[J\x1b[?2026l");
        self.n_drawn = lines.len();
        frame
    }
}

impl Drop for Live {
    /// Restores the cursor in every case.
    fn drop(&mut self) {
        if self.n_drawn > 0 {
            super::draw(SHOW_CURSOR);
        }
    }
}

const SHOW_CURSOR: &str = "\x1b[?25h";

/// Whether lines can be redrawn.
pub(crate) fn can_draw() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Columns and lines for drawing. One line of the terminal stays free, so that it never scrolls.
pub(crate) fn size() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    let (columns, lines) = size.map_or((80, 24), |size| (usize::from(size.ws_col), usize::from(size.ws_row)));
    (columns, lines.saturating_sub(1).max(1))
}

/// At most this many columns; colours take none, and are reset at the end.
pub(crate) fn cut(line: &str, width: usize) -> String {
    let mut cut = String::new();
    let mut n_columns = 0;
    let mut chars = line.chars();
    let mut coloured = false;
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            cut.push(c);
            coloured = true;
            for c in chars.by_ref() {
                cut.push(c);
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
            continue;
        }
        // Wide characters take two columns: a line that is too short is better than one that wraps.
        let columns = match c {
            '\t' => 8,
            c if (c as u32) < 0x1100 => 1,
            _ => 2,
        };
        if n_columns + columns > width {
            break;
        }
        n_columns += columns;
        cut.push(if c == '\t' { ' ' } else { c });
    }
    if coloured {
        cut.push_str("\x1b[0m");
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn colours_take_no_columns_and_end() {
        assert_eq!(cut("\x1b[1mbold and more\x1b[0m", 4), "\x1b[1mbold\x1b[0m");
        assert_eq!(cut("日本語", 4), "日本");
    }

    #[test]
    fn lines_are_replaced_and_printed_ones_stay() {
        let mut live = Live::default();
        let lines = |all: &[&str]| all.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let first = live.frame(&[], &lines(&["one", "two"]));
        assert!(!first.contains("A\x1b") && first.contains("one\x1b[K\r\ntwo\x1b[K\r\n\x1b[J"), "{first:?}");
        let next = live.frame(&lines(&["stays"]), &lines(&["three"]));
        assert!(next.contains("\r\x1b[2Astays\x1b[K\r\nthree\x1b[K\r\n\x1b[J"), "{next:?}");
        assert!(live.frame(&[], &[]).contains("\x1b[1A"));
        live.n_drawn = 0;
    }
}
