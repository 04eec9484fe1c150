//! A picture as PNG. Texts are drawn from bitmaps of glyphs, character by character.

use super::cells::{Cell, cells, turn};
use super::glyphs::{Glyph, LARGE, SMALL, Size};
use super::{
    BASELINES, BOX, BOX_EDGE, BOX_GROUND, Colour, GROUND, HEIGHT, INDENT, KIND, LINE, Labelled, Line, MARGIN, NAME,
    NOTE, Picture, ROUND, SAID, WIDTH,
};
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, Stroke, Transform};

/// What a circle's quarter needs as a curve: the share of the radius between an end and its control point.
const CIRCLE: f32 = 0.5523;

/// Empty if there is no memory for it.
pub(super) fn write(picture: &Picture) -> Vec<u8> {
    let Some(mut pixels) = Pixmap::new(WIDTH as u32, HEIGHT as u32) else { return Vec::new() };
    let Colour(red, green, blue) = GROUND;
    pixels.fill(Color::from_rgba8(red, green, blue, 255));
    for line in &picture.lines {
        curve(&mut pixels, line);
    }
    for Labelled { corner: (x, y), kind, name } in &picture.boxes {
        rounded(&mut pixels, *x as f32, *y as f32);
        let room = BOX.0 - 2 * INDENT;
        text(&mut pixels, kind, (x + INDENT, y + BASELINES.0), room, KIND);
        text(&mut pixels, name, (x + INDENT, y + BASELINES.1), room, NAME);
    }
    text(&mut pixels, &picture.note, (MARGIN, NOTE), WIDTH - 2 * MARGIN, SAID);
    pixels.encode_png().unwrap_or_default()
}

fn paint<'a>(Colour(red, green, blue): Colour) -> Paint<'a> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}

fn curve(pixels: &mut Pixmap, Line { from, to }: &Line) {
    let ((x1, y1), (x2, y2)) = ((from.0 as f32, from.1 as f32), (to.0 as f32, to.1 as f32));
    let middle = f32::midpoint(y1, y2);
    let mut path = PathBuilder::new();
    path.move_to(x1, y1);
    path.cubic_to(x1, middle, x2, middle, x2, y2);
    if let Some(path) = path.finish() {
        let stroke = Stroke { width: 2.0, ..Stroke::default() };
        pixels.stroke_path(&path, &paint(LINE), &stroke, Transform::identity(), None);
    }
}

/// A box with round corners.
fn rounded(pixels: &mut Pixmap, x: f32, y: f32) {
    let (width, height, round) = (BOX.0 as f32, BOX.1 as f32, ROUND as f32);
    let (right, bottom, control) = (x + width, y + height, round * (1.0 - CIRCLE));
    let mut path = PathBuilder::new();
    path.move_to(x + round, y);
    path.line_to(right - round, y);
    path.cubic_to(right - control, y, right, y + control, right, y + round);
    path.line_to(right, bottom - round);
    path.cubic_to(right, bottom - control, right - control, bottom, right - round, bottom);
    path.line_to(x + round, bottom);
    path.cubic_to(x + control, bottom, x, bottom - control, x, bottom - round);
    path.line_to(x, y + round);
    path.cubic_to(x, y + control, x + control, y, x + round, y);
    path.close();
    if let Some(path) = path.finish() {
        pixels.fill_path(&path, &paint(BOX_GROUND), FillRule::Winding, Transform::identity(), None);
        pixels.stroke_path(&path, &paint(BOX_EDGE), &Stroke::default(), Transform::identity(), None);
    }
}

/// Writes a text from a point on its baseline.
fn text(pixels: &mut Pixmap, text: &str, (x, baseline): (usize, usize), room: usize, colour: Colour) {
    let (mut cells, size) = fitted(cells(text), room);
    turn(&mut cells);
    let mut left = x;
    for cell in &cells {
        let glyph = Glyph::of(cell, size);
        stamp(pixels, &glyph, (left, baseline - glyph.ascent), colour);
        left += glyph.width;
    }
}

/// Takes the largest size in which a text fits. If it fits in none, its end is an ellipsis.
fn fitted(mut cells: Vec<Cell>, room: usize) -> (Vec<Cell>, Size) {
    let width = |cell: &Cell, size| Glyph::of(cell, size).width;
    let fits = |size| cells.iter().map(|cell| width(cell, size)).sum::<usize>() <= room;
    if let Some(size) = [LARGE, SMALL].into_iter().find(|size| fits(*size)) {
        return (cells, size);
    }
    let ellipsis = Cell::of('…');
    let mut used = width(&ellipsis, SMALL);
    let has_room = |cell: &&Cell| {
        used += width(cell, SMALL);
        used <= room
    };
    let n_shown = cells.iter().take_while(has_room).count();
    cells.truncate(n_shown);
    cells.push(ellipsis);
    (cells, SMALL)
}

/// Mixes a glyph into the picture. The picture is opaque, so its colours are as they are stored.
fn stamp(pixels: &mut Pixmap, glyph: &Glyph, (x, y): (usize, usize), Colour(red, green, blue): Colour) {
    let data = pixels.data_mut();
    for (row, intensities) in glyph.intensities.chunks_exact(glyph.width).enumerate() {
        for (column, intensity) in intensities.iter().enumerate() {
            let (x, y) = (x + column, y + row);
            if x >= WIDTH || y >= HEIGHT {
                continue;
            }
            let at = (y * WIDTH + x) * 4;
            for (below, above) in data[at..at + 3].iter_mut().zip([red, green, blue]) {
                let (share, rest) = (u32::from(*intensity), 255 - u32::from(*intensity));
                *below = ((u32::from(above) * share + u32::from(*below) * rest) / 255) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::graph;
    use super::*;

    fn decoded(names: &[&str], edges: &[(usize, usize)]) -> Pixmap {
        Pixmap::decode_png(&write(&Picture::of(&graph(names, edges)))).expect("it is a PNG")
    }

    fn colour(pixels: &Pixmap, x: u32, y: u32) -> (u8, u8, u8) {
        let pixel = pixels.pixel(x, y).expect("it is in the picture").demultiply();
        (pixel.red(), pixel.green(), pixel.blue())
    }

    /// The number of pixels of the second text of the first box that are not of its ground.
    fn n_inked(pixels: &Pixmap) -> usize {
        let inside = (54..286).flat_map(|x| (72..100).map(move |y| (x, y)));
        inside.filter(|(x, y)| colour(pixels, *x, *y) != (0x1b, 0x27, 0x33)).count()
    }

    #[test]
    fn boxes_lines_and_texts_are_where_they_are_in_the_other_format() {
        let pixels = decoded(&["/srv/a", "/srv/b"], &[(0, 1)]);
        assert_eq!((pixels.width(), pixels.height()), (1200, 630));
        assert_eq!(colour(&pixels, 1199, 0), (0x0f, 0x17, 0x20), "the ground");
        assert_eq!(colour(&pixels, 295, 70), (0x1b, 0x27, 0x33), "inside of the first box");
        assert_eq!(colour(&pixels, 295, 180), (0x1b, 0x27, 0x33), "inside of the second box");
        assert_eq!(colour(&pixels, 170, 127), (0x5b, 0x70, 0x83), "the line between them");
        assert_eq!(colour(&pixels, 41, 41), (0x0f, 0x17, 0x20), "outside of a round corner");
        assert!(n_inked(&pixels) > 50);
        assert_eq!(n_inked(&decoded(&[""], &[])), 0);
    }

    #[test]
    fn every_name_is_shown_within_its_box() {
        let long = "W".repeat(500);
        let wide = "日本語".repeat(100);
        for name in [&*long, &*wide, "Grüße", "日本語", "שלום", "a\u{202e}b\u{0}", "\u{20dd}", "…"] {
            let pixels = decoded(&[name], &[]);
            assert!(n_inked(&pixels) > 5, "{name}");
            let beside = (301..328).flat_map(|x| (40..104).map(move |y| (x, y)));
            assert!(beside.into_iter().all(|(x, y)| colour(&pixels, x, y) == (0x0f, 0x17, 0x20)), "{name}");
        }
    }

    #[test]
    fn a_text_without_room_ends_in_an_ellipsis() {
        let shown = |text: &str| fitted(cells(text), 232).0.iter().map(|cell| cell.base).collect::<String>();
        assert_eq!(shown(&"日".repeat(24)), format!("{}…", "日".repeat(14)));
        assert_eq!(shown(&"日".repeat(14)), "日".repeat(14));
        assert_eq!(shown(&"W".repeat(33)), "W".repeat(33), "in the smaller size");
        assert_eq!(shown(""), "");
    }

    #[test]
    fn a_picture_of_a_large_graph_is_small() {
        let names: Vec<String> = (0..1000).map(|n| format!("/srv/{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let edges: Vec<(usize, usize)> = (1..1000).map(|n| (n / 2, n)).collect();
        let n_bytes = write(&Picture::of(&graph(&names, &edges))).len();
        assert!((1..200_000).contains(&n_bytes), "{n_bytes}");
    }
}
