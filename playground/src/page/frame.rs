//! [`Frame`]: a call before the browser draws the next frame.

use super::browser;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// A pending call. Dropping it cancels the call.
pub(super) struct Frame {
    number: i32,
    _call: Closure<dyn FnMut()>,
}

impl Frame {
    /// Schedules a call before the next frame. The call must not drop the `Frame` itself.
    pub(super) fn next(call: impl FnMut() + 'static) -> Option<Frame> {
        let call = Closure::<dyn FnMut()>::new(call);
        let number = browser::window().request_animation_frame(call.as_ref().unchecked_ref()).ok()?;
        Some(Frame { number, _call: call })
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        let _ = browser::window().cancel_animation_frame(self.number);
    }
}
