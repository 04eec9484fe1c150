//! Module `golang/strconv`: conversion of numbers and quoted text. Functions spec, 11.9, 15.1, 15.2 and 15.4.

pub(super) mod int;
pub(super) mod number;
pub(super) mod quoting;
pub(super) mod unquote;

use crate::corelib::FnError;
use crate::value::quote;

/// `strconv.ParseInt: parsing "x": invalid syntax`.
fn refused(function: &str, text: &[u8], why: &str) -> FnError {
    FnError::fatal(format!("strconv.{function}: parsing {}: {why}", quote(text)))
}
