//! The content of a file with its prefix and suffix parts. Spec, 17.5.

use crate::model::View;
use crate::value::{InstId, Value, compare_numbers};
use std::cmp::Ordering;

/// The content of a file with its prefix and suffix parts; `None` if something is unknown.
pub fn content(view: View<'_>, instance: InstId) -> Option<String> {
    let text = |value: Value| value.as_str().map(str::to_owned);
    let parts = |end: &str| -> Option<Vec<String>> {
        let Some(Value::List(list)) = view.attribute(instance, end) else { return Some(Vec::new()) };
        let mut keyed: Vec<(Value, String)> = Vec::new();
        for item in &list.items {
            let Value::Instance(part) = item else { return None };
            let value = text(view.attribute(*part, "value")?)?;
            let key = match view.attribute(*part, "sorting_key") {
                None | Some(Value::Null) => Value::str(&value),
                Some(key) => key,
            };
            keyed.push((key, value));
        }
        keyed.sort_by(|(a, _), (b, _)| match (a, b) {
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (a, b) => compare_numbers(a, b).unwrap_or(Ordering::Equal),
        });
        Some(keyed.into_iter().map(|(_, value)| value).collect())
    };
    let separator = ["content_separator", "content_seperator"].iter().find_map(|name| view.attribute(instance, name));
    let separator = text(separator.unwrap_or(Value::str("\n")))?;
    let mut all = parts("prefix_content")?;
    all.push(text(view.attribute(instance, "content")?)?);
    all.extend(parts("suffix_content")?);
    Some(all.join(&separator))
}
