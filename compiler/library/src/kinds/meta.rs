//! [`Meta`]: the meta parameters of one resource. Language spec, 12.6; engine spec, 4.
//!
//! Numbers out of range are refused when they are set; the other rules are validation, which also applies to hidden
//! resources and comes before the kind's own.

use crate::property::MetaProperty;
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// The meta parameters of one resource, in range.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// Report changes without applying them.
    pub noop: bool,
    /// Retries after a failed check, and separately after a failed watch; negative: unlimited.
    pub retry: i16,
    /// A success restores the retry count.
    pub retryreset: bool,
    /// Delay before each retry. Units: milliseconds.
    pub delay: u64,
    /// Time limit of one check; 0: none. Units: milliseconds.
    pub timeout: u64,
    /// Polling interval in place of a watch. Units: seconds; negative: look once; 0: watch.
    pub poll: i32,
    /// Events per second. Infinity has no form in JSON, so it is left out there.
    #[serde(skip_serializing_if = "is_no_limit")]
    pub limit: f64,
    /// Number of events that may come at once.
    pub burst: i64,
    /// A graph switch restores the retry count.
    pub reset: bool,
    /// Semaphores to hold during a check.
    pub sema: Vec<String>,
    /// After a failure, restart at a graph switch even if nothing changed.
    pub rewatch: bool,
    /// Reserved.
    pub realize: bool,
    /// Whether the name may begin with a dollar sign.
    pub dollar: bool,
    /// Keep it in the graph without applying it.
    pub hidden: bool,
    /// Hosts to publish to; `*` means all.
    pub export: Vec<String>,
    /// Undo it when it leaves the graph.
    pub reverse: bool,
    /// Make it absent when it leaves the graph, whatever was there before: `purge_on_delete` of models. Programs cannot
    /// set it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub purge: bool,
    /// Allow automatic edges from and to the resource.
    pub autoedge: bool,
    /// Allow automatic grouping of the resource.
    pub autogroup: bool,
}

fn is_no_limit(limit: &f64) -> bool {
    limit.is_infinite()
}

impl Default for Meta {
    fn default() -> Meta {
        Meta {
            noop: false,
            retry: 0,
            retryreset: false,
            delay: 0,
            timeout: 0,
            poll: 0,
            limit: f64::INFINITY,
            burst: 0,
            reset: false,
            sema: Vec::new(),
            rewatch: false,
            realize: false,
            dollar: false,
            hidden: false,
            export: Vec::new(),
            reverse: false,
            purge: false,
            autoedge: true,
            autogroup: true,
        }
    }
}

/// Equality decides whether a running resource is kept: the order of semaphores and of hosts is ignored.
impl PartialEq for Meta {
    fn eq(&self, other: &Meta) -> bool {
        fn sorted(list: &[String]) -> Vec<&str> {
            let mut list: Vec<&str> = list.iter().map(String::as_str).collect();
            list.sort();
            list
        }
        let flags = |meta: &Meta| {
            (
                (meta.noop, meta.retryreset, meta.reset, meta.rewatch, meta.realize, meta.dollar),
                (meta.hidden, meta.reverse, meta.purge, meta.autoedge, meta.autogroup),
            )
        };
        let numbers = |meta: &Meta| (meta.retry, meta.delay, meta.timeout, meta.poll, meta.burst);
        flags(self) == flags(other)
            && numbers(self) == numbers(other)
            && (self.limit == other.limit || self.limit.is_nan() && other.limit.is_nan())
            && sorted(&self.sema) == sorted(&other.sema)
            && sorted(&self.export) == sorted(&other.export)
    }
}

impl Meta {
    /// Sets one parameter to a value of its type.
    ///
    /// Errors: the text in `error generating metaparams: …`, such as `delay value -1 is negative`.
    pub fn set(&mut self, property: MetaProperty, value: &Value) -> Result<(), String> {
        let bool = || value.as_bool().unwrap_or(false);
        let int = value.as_int().unwrap_or(0);
        let not_negative = || u64::try_from(int).map_err(|_| format!("{} value {int} is negative", property.name()));
        match property {
            MetaProperty::Noop => self.noop = bool(),
            MetaProperty::Retry => {
                self.retry = i16::try_from(int).map_err(|_| format!("retry value {int} overflows int16"))?;
            }
            MetaProperty::RetryReset => self.retryreset = bool(),
            MetaProperty::Delay => self.delay = not_negative()?,
            MetaProperty::Timeout => self.timeout = not_negative()?,
            MetaProperty::Poll => {
                self.poll = i32::try_from(int).map_err(|_| format!("poll value {int} overflows int32"))?;
            }
            MetaProperty::Limit => self.limit = value.as_float().unwrap_or(f64::INFINITY),
            MetaProperty::Burst => self.burst = int,
            MetaProperty::Reset => self.reset = bool(),
            MetaProperty::Sema => self.sema = texts(value),
            MetaProperty::Rewatch => self.rewatch = bool(),
            MetaProperty::Realize => self.realize = bool(),
            MetaProperty::Dollar => self.dollar = bool(),
            MetaProperty::Hidden => self.hidden = bool(),
            MetaProperty::Export => self.export = texts(value),
            MetaProperty::Reverse => self.reverse = bool(),
            MetaProperty::AutoEdge => self.autoedge = bool(),
            MetaProperty::AutoGroup => self.autogroup = bool(),
        }
        Ok(())
    }

    /// Sets all parameters from the value of `Meta => struct{…}`. Errors: as [`Meta::set`], the
    /// first in the order of the table.
    pub fn set_all(&mut self, value: &Value) -> Result<(), String> {
        let Some(fields) = value.as_struct() else { return Ok(()) };
        for (name, value) in &fields.fields {
            if let Some(property) = MetaProperty::named(name) {
                self.set(property, value)?;
            }
        }
        Ok(())
    }

    /// The rules about the parameters alone, in the language's order.
    ///
    /// Errors: the text in `invalid meta parameter: …`.
    pub fn validate(&self) -> Result<(), String> {
        if self.burst == 0 && !(self.limit.is_infinite() && self.limit > 0.0) {
            return Err("`burst` must not be 0 if `limit` is set: nothing would ever run".into());
        }
        for sema in &self.sema {
            if sema.is_empty() {
                return Err("semaphore is empty".into());
            }
            if is_decimal(sema) {
                return Err("semaphore format is invalid".into());
            }
        }
        if self.export.iter().any(String::is_empty) {
            return Err("export is empty".into());
        }
        Ok(())
    }
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_list().map(|items| &items[..]).unwrap_or_default();
    items.iter().filter_map(|item| item.as_text().map(|text| text.into_owned())).collect()
}

/// A bare decimal integer that fits 64 bits, with or without a sign: not a valid semaphore name.
fn is_decimal(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_refused_when_set() {
        let check = |property, value: i64, expect: &str| {
            assert_eq!(Meta::default().set(property, &Value::Int(value)).unwrap_err(), expect);
        };
        check(MetaProperty::Retry, 32768, "retry value 32768 overflows int16");
        check(MetaProperty::Delay, -1, "delay value -1 is negative");
        check(MetaProperty::Timeout, -2, "timeout value -2 is negative");
        check(MetaProperty::Poll, 1 << 31, "poll value 2147483648 overflows int32");
    }

    #[test]
    fn a_finite_limit_needs_a_burst() {
        let limited = |limit, burst| Meta { limit, burst, ..Meta::default() }.validate().is_ok();
        assert!(limited(f64::INFINITY, 0));
        assert!(!limited(0.0, 0));
        assert!(!limited(f64::NEG_INFINITY, 0));
        assert!(limited(1.0, -1));
    }

    #[test]
    fn a_semaphore_is_no_number() {
        let named = |sema: &str| Meta { sema: vec![sema.into()], ..Meta::default() }.validate().is_ok();
        for good in [":5", "a:", "a:b", "a:0", "1.5"] {
            assert!(named(good), "{good}");
        }
        for bad in ["", "5", "-5", "+5"] {
            assert!(!named(bad), "{bad}");
        }
    }
}
