//! A link as a QR code, to be scanned from the screen.

use qrcodegen::{QrCode, QrCodeEcc};
use std::fmt::Write;
use yew::prelude::*;

/// Longer codes are too fine for a camera. Units: bytes.
const LONGEST: usize = 1_000;
/// The quiet zone required by readers. Units: modules.
const QUIET: i32 = 4;

/// The code, or a sentence if the link is too long.
pub(super) fn qr(link: &str) -> Html {
    let code = (link.len() <= LONGEST).then(|| QrCode::encode_text(link, QrCodeEcc::Low).ok()).flatten();
    let Some(code) = code else {
        return html! { <p>{ "This link is too long for a QR code. Create a short link to get one." }</p> };
    };
    let size = code.size() + 2 * QUIET;
    html! {
        <svg class="qr" viewBox={format!("0 0 {size} {size}")} role="img" aria-label="QR code of the link" shape-rendering="crispEdges">
            <rect width="100%" height="100%" fill="#fff" />
            <path fill="#000" d={dark(&code)} />
        </svg>
    }
}

/// The dark modules of each row, adjacent ones as one stroke.
fn dark(code: &QrCode) -> String {
    let mut path = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let long = (x..code.size()).take_while(|&x| code.get_module(x, y)).count() as i32;
            if long > 0 {
                let _ = write!(path, "M{} {}h{long}v1h-{long}z", x + QUIET, y + QUIET);
            }
            x += long.max(1);
        }
    }
    path
}
