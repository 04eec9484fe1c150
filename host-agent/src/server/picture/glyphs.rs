//! [`Glyph`]s, from fonts that are part of this program: a server has no fonts.
//!
//! Latin letters are smooth, in two sizes: Noto Sans Mono. Other scripts and symbols are GNU Unifont, whose one size is
//! 16 pixels high; a glyph is 8 pixels wide, and that of a wide character twice as wide. Where neither font has a glyph,
//! a box is drawn.

use super::cells::Cell;
use crate::lock::Mutex;
use noto_sans_mono_bitmap::{FontWeight, get_raster};
use std::sync::LazyLock;
use unifont_bitmap::Unifont;

pub(super) use noto_sans_mono_bitmap::RasterHeight as Size;

pub(super) const LARGE: Size = Size::Size20;
pub(super) const SMALL: Size = Size::Size16;
/// The rows of Unifont, and those above the baseline.
const COARSE: (usize, usize) = (16, 14);
/// The width of most of its glyphs.
const NARROW: usize = 8;

/// A bitmap of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Glyph {
    pub(super) width: usize,
    /// The number of rows above the baseline.
    pub(super) ascent: usize,
    /// How much of each pixel is covered, row by row.
    pub(super) intensities: Vec<u8>,
}

impl Glyph {
    /// A character with marks comes from one font: those of Unifont fit its own letters only.
    pub(super) fn of(cell: &Cell, size: Size) -> Glyph {
        match smooth(cell.base, size) {
            Some(glyph) if cell.marks.is_empty() => glyph,
            _ => cell.marks.iter().fold(coarse(cell.base), |glyph, mark| glyph.with(&coarse(*mark))),
        }
    }

    /// A glyph of Unifont with another one on top. The narrower one is centred.
    fn with(&self, mark: &Glyph) -> Glyph {
        let width = self.width.max(mark.width);
        let (own, marked) = (self.widened(width), mark.widened(width));
        let intensities = own.into_iter().zip(marked).map(|(below, above)| below.max(above)).collect();
        Glyph { width, ascent: self.ascent, intensities }
    }

    /// The intensities with empty columns at both sides.
    fn widened(&self, width: usize) -> Vec<u8> {
        let left = (width - self.width) / 2;
        let mut wide = vec![0; self.intensities.len() / self.width * width];
        for (row, narrow) in wide.chunks_exact_mut(width).zip(self.intensities.chunks_exact(self.width)) {
            row[left..left + self.width].copy_from_slice(narrow);
        }
        wide
    }
}

fn smooth(c: char, size: Size) -> Option<Glyph> {
    let glyph = get_raster(c, FontWeight::Regular, size)?;
    // Most of a glyph is above the baseline.
    Some(Glyph { width: glyph.width(), ascent: size.val() * 4 / 5, intensities: glyph.raster().concat() })
}

/// Opening the font takes a few hundred kB of stack, which a thread of the sandbox has.
fn coarse(c: char) -> Glyph {
    static FONT: LazyLock<Mutex<Box<Unifont>>> = LazyLock::new(|| Mutex::new(Box::new(Unifont::open())));
    let mut font = FONT.lock();
    let rows = font.load_bitmap(u32::from(c)).get_bytes().to_vec();
    // The font answers with its replacement character if it has no glyph.
    let instead = font.load_bitmap(u32::from(char::REPLACEMENT_CHARACTER)).get_bytes();
    if c != char::REPLACEMENT_CHARACTER && rows == instead {
        return missing(c);
    }
    let bits = |byte: &u8| (0..8).map(|bit| if *byte & (0x80_u8 >> bit) == 0 { 0 } else { 255 }).collect::<Vec<u8>>();
    let width = rows.len() / COARSE.0 * 8;
    Glyph { width, ascent: COARSE.1, intensities: rows.iter().flat_map(bits).collect() }
}

/// A box as large as a capital letter.
fn missing(c: char) -> Glyph {
    // Planes 2 and 3 are ideographs.
    let is_wide = matches!(c, '\u{20000}'..='\u{3fffd}');
    let width = if is_wide { 2 * NARROW } else { NARROW };
    let (columns, rows) = (1..width - 1, 4..COARSE.1);
    let pixel = |x: usize, y: usize| {
        let is_upright = (x == columns.start || x + 1 == columns.end) && rows.contains(&y);
        let is_level = (y == rows.start || y + 1 == rows.end) && columns.contains(&x);
        if is_upright || is_level { 255 } else { 0 }
    };
    let intensities = (0..COARSE.0).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| pixel(x, y)).collect();
    Glyph { width, ascent: COARSE.1, intensities }
}

#[cfg(test)]
mod tests {
    use super::super::cells::cells;
    use super::*;

    fn glyphs(text: &str) -> Vec<Glyph> {
        cells(text).iter().map(|cell| Glyph::of(cell, SMALL)).collect()
    }

    fn only(text: &str) -> Glyph {
        let [glyph]: [Glyph; 1] = glyphs(text).try_into().expect("it is one cell");
        glyph
    }

    fn n_inked(glyph: &Glyph) -> usize {
        glyph.intensities.iter().filter(|intensity| **intensity > 0).count()
    }

    #[test]
    fn every_script_has_glyphs_of_its_own() {
        let letters = "aéα→Жшאשبعกあカ日語가한अ√☃🙂\u{fffd}…";
        let glyphs = glyphs(letters);
        assert_eq!(glyphs.len(), letters.chars().count());
        for (at, (glyph, c)) in glyphs.iter().zip(letters.chars()).enumerate() {
            assert!(n_inked(glyph) > 3 && *glyph != missing(c), "{c}");
            assert!(!glyphs[..at].contains(glyph), "{c} looks like another one");
        }
    }

    #[test]
    fn a_wide_character_is_twice_as_wide() {
        for (text, width) in [("α", 8), ("א", 8), ("ﾊ", 8), ("日", 16), ("あ", 16), ("가", 16), ("🙂", 16), ("Ａ", 16)]
        {
            let glyph = only(text);
            assert_eq!((glyph.width, glyph.intensities.len()), (width, width * 16), "{text}");
        }
    }

    #[test]
    fn what_has_no_glyph_is_a_box() {
        let (narrow, wide) = (only("\u{f0000}"), only("\u{20000}"));
        assert_eq!((&narrow, &wide), (&missing('\u{f0000}'), &missing('\u{20000}')));
        assert_eq!((narrow.width, wide.width), (8, 16));
        let row = |y: usize| narrow.intensities[y * 8..][..8].iter().map(|pixel| pixel / 255).collect::<Vec<_>>();
        assert_eq!((row(3), row(4)), (vec![0; 8], vec![0, 1, 1, 1, 1, 1, 1, 0]));
        assert_eq!((row(5), row(13)), (vec![0, 1, 0, 0, 0, 0, 1, 0], row(4)));
        assert_eq!(row(14), vec![0; 8]);
    }

    #[test]
    fn marks_are_drawn_over_their_character() {
        let (plain, marked) = (only("и"), only("и\u{301}"));
        assert_eq!(plain.width, marked.width);
        assert!(plain.intensities.iter().zip(&marked.intensities).all(|(plain, marked)| plain <= marked));
        assert_eq!(n_inked(&marked), n_inked(&plain) + 4, "the strokes of an acute accent");
        // A circle is wider than a letter, which is in its middle.
        assert_eq!(only("α\u{20dd}").width, 16);
        assert_eq!(only(&format!("e{}", "\u{301}".repeat(1000))), only("e\u{301}"));
    }
}
