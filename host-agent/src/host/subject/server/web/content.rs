//! Content with its time and length: whole, in part, or not modified (RFC 9110, 13 and 14).

use super::answer::{answered, plain};
use crate::network::http::{Body, HeaderMap, Response, StatusCode, header};
use crate::utc::LAST;
use std::ops::Range;
use std::time::{Duration, SystemTime};

/// The served content.
pub(super) struct Content {
    pub(super) kind: &'static str,
    /// `None`: its time cannot be expressed in the protocol.
    pub(super) modified: Option<SystemTime>,
    pub(super) length: u64,
}

impl Content {
    /// The answer to these request headers; `body` makes a part of the content.
    pub(super) fn answer(&self, asked: &HeaderMap, body: impl FnOnce(Range<u64>) -> Body) -> Response<Body> {
        let modified = self.modified.filter(has_http_date);
        let shown = modified.map(httpdate::fmt_http_date);
        let mut headers: Vec<_> = shown.iter().map(|shown| (header::LAST_MODIFIED, shown.as_str())).collect();
        if modified.zip(since(asked)).is_some_and(|(modified, since)| whole_seconds(modified) <= since) {
            return answered(StatusCode::NOT_MODIFIED, &headers, "");
        }
        headers.extend([(header::CONTENT_TYPE, self.kind), (header::ACCEPT_RANGES, "bytes")]);
        // A partial answer is useless if the client's part belongs to other content.
        let if_range = asked.get(header::IF_RANGE);
        let is_same = if_range.is_none_or(|known| shown.as_deref().is_some_and(|shown| known == shown));
        let range = asked.get(header::RANGE).filter(|_| is_same && self.length > 0);
        match range.and_then(|range| range.to_str().ok()).map(|range| part(range, self.length)) {
            Some(Part::Of(part)) => {
                let shown = format!("bytes {}-{}/{}", part.start, part.end - 1, self.length);
                headers.push((header::CONTENT_RANGE, &shown));
                answered(StatusCode::PARTIAL_CONTENT, &headers, body(part))
            }
            Some(Part::Beyond) => {
                let mut answer = plain(StatusCode::RANGE_NOT_SATISFIABLE);
                if let Ok(whole) = format!("bytes */{}", self.length).parse() {
                    answer.headers_mut().insert(header::CONTENT_RANGE, whole);
                }
                answer
            }
            Some(Part::All) | None => answered(StatusCode::OK, &headers, body(0..self.length)),
        }
    }
}

/// The modification time of the client's copy.
pub(super) fn since(asked: &HeaderMap) -> Option<SystemTime> {
    let since = asked.get(header::IF_MODIFIED_SINCE).and_then(|text| text.to_str().ok());
    since.and_then(|text| httpdate::parse_http_date(text).ok())
}

#[derive(PartialEq, Debug)]
enum Part {
    /// Not empty.
    Of(Range<u64>),
    /// Beyond the end.
    Beyond,
    /// Unknown or multiple ranges may be answered with the whole content.
    All,
}

/// `bytes=0-99`, `bytes=100-`, `bytes=-100`.
fn part(range: &str, length: u64) -> Part {
    let ends = range.trim().strip_prefix("bytes=").and_then(|range| range.trim().split_once('-'));
    let Some((first, last)) = ends.filter(|_| !range.contains(',')) else { return Part::All };
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let (first, last) = (first.trim(), last.trim());
    let part = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(length),
        (Some(first), None) if last.is_empty() => first..length,
        (None, Some(last)) if first.is_empty() => length.saturating_sub(last)..length,
        _ => return Part::All,
    };
    if part.start < part.end { Part::Of(part) } else { Part::Beyond }
}

/// A file's time is arbitrary; HTTP dates range from 1970 to 9999.
fn has_http_date(time: &SystemTime) -> bool {
    time.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|since| since.as_secs() < LAST)
}

pub(super) fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_ten_bytes() {
        for (range, expect) in [
            ("bytes=0-0", Part::Of(0..1)),
            ("bytes=2-5", Part::Of(2..6)),
            ("bytes=8-99", Part::Of(8..10)),
            ("bytes=4-", Part::Of(4..10)),
            ("bytes=-3", Part::Of(7..10)),
            ("bytes=-99", Part::Of(0..10)),
            ("bytes=10-", Part::Beyond),
            ("bytes=-0", Part::Beyond),
            ("bytes=99999999999999999999-", Part::Beyond),
            ("bytes=5-2", Part::All),
            ("bytes=0-1,3-4", Part::All),
            ("bytes=x-1", Part::All),
            ("bytes=-", Part::All),
            ("lines=0-1", Part::All),
        ] {
            assert_eq!(part(range, 10), expect, "{range}");
        }
    }
}
