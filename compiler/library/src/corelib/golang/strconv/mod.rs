//! Module `golang/strconv`: conversion of numbers and quoted text. Functions spec, 11.9, 15.1, 15.2 and 15.4.

pub(super) mod int;
pub(super) mod number;
pub(super) mod quoting;
pub(super) mod unquote;

use crate::corelib::FnError;
use crate::corelib::convert::number::in_words;
use crate::value::quote;

/// `strconv.ParseInt: parsing "x": invalid syntax`.
fn refused(function: &str, text: &[u8], why: &str) -> FnError {
    let message = format!("strconv.{function}: parsing {}: {why}", quote(text));
    FnError { said: in_words(function, text, why), ..FnError::fatal(message) }
}
