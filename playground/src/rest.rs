//! What a published module needs to load its second part.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Loads the functions that the module lacks, unless they are there.
    #[wasm_bindgen(js_name = mcliveLoadRest)]
    fn load_now();
}

/// Loads the functions that the module lacks, unless they are there. Published modules are split after they have been linked
/// (`www/src/split`); functions that are missing call this one, and nothing else does.
#[wasm_bindgen(js_name = loadRest)]
pub fn load_rest() {
    load_now();
}
