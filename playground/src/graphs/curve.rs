//! An edge as a curve with an arrow at its end, for SVG.

use std::fmt::Write;

/// Adds a line that leaves and enters each point vertically, and the arrow at its end, which points down.
pub fn add_curve(points: &[(f32, f32)], lines: &mut String, heads: &mut String) {
    let (Some((x0, y0)), Some((x, y))) = (points.first(), points.last()) else { return };
    // Writing to a string cannot fail.
    let _ = write!(lines, "M{x0:.1} {y0:.1}");
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let middle = (y0 + y1) / 2.0;
        let _ = write!(lines, "C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}");
    }
    let _ = write!(heads, "M{x:.1} {y:.1}l-3.2 -7h6.4z");
}
