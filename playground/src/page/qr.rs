//! A link as a QR code: what a phone's camera reads from a screen.

use qrcodegen::{QrCode, QrCodeEcc};
use std::fmt::Write;
use yew::prelude::*;

/// Longer ones are too fine for a camera. Units: bytes.
const LONGEST: usize = 1_000;
/// The light frame that readers need. Units: modules.
const QUIET: i32 = 4;

/// The picture, or a sentence for a link that is too long for one.
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

/// Each row's dark modules, side by side as one stroke.
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
