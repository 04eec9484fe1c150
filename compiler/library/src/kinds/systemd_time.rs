//! Times in the syntax of systemd: whether a text can be one, and what is meant by one in words. What is doubtful counts
//! as a time: only systemd itself knows all of them.

const SHORTHANDS: [&str; 13] = [
    "minutely",
    "hourly",
    "daily",
    "weekly",
    "monthly",
    "quarterly",
    "semiannually",
    "semi-annually",
    "biannually",
    "bi-annually",
    "yearly",
    "annually",
    // A spelling of earlier versions, which systemd still reads.
    "anually",
];

const WEEKDAYS: [&str; 14] = [
    "mon",
    "monday",
    "tue",
    "tuesday",
    "wed",
    "wednesday",
    "thu",
    "thursday",
    "fri",
    "friday",
    "sat",
    "saturday",
    "sun",
    "sunday",
];

const UNITS: [&str; 30] = [
    "", "ns", "nsec", "us", "usec", "µs", "μs", "ms", "msec", "s", "sec", "second", "seconds", "m", "min", "minute",
    "minutes", "h", "hr", "hour", "hours", "d", "day", "days", "w", "week", "weeks", "M", "month", "months",
];

const YEARS: [&str; 3] = ["y", "year", "years"];

/// Whether a text can be a calendar event, as for `OnCalendar`.
pub fn is_calendar(text: &str) -> bool {
    let is_shorthand = |part: &str| SHORTHANDS.iter().any(|word| part.eq_ignore_ascii_case(word));
    let mut follows_time = false;
    text.split_whitespace().all(|part| {
        let is_time = is_shorthand(part) || is_date_or_time(part);
        let is_place = follows_time && is_place(part);
        follows_time = is_time;
        is_time || is_place || is_weekdays(part) || is_zone(part)
    })
}

/// `Mon..Fri`, `Sat,Sun`
fn is_weekdays(part: &str) -> bool {
    let part = part.to_lowercase();
    let mut days = part.split([',', '.', '-']).filter(|day| !day.is_empty()).peekable();
    days.peek().is_some() && days.all(|day| WEEKDAYS.contains(&day))
}

/// `*-*-01`, `03:30:00`, `*:0/15`, `@1700000000`
fn is_date_or_time(part: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_digit() || b"*-:/.,~@T".contains(&byte);
    let is_first = part.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '*' | '@'));
    let hour = part.split_once(':').and_then(|(hour, _)| hour.parse::<u32>().ok());
    is_first && part.bytes().all(is_sign) && hour.is_none_or(|hour| hour < 24)
}

/// `UTC`, `Europe/Berlin`, `GMT-0`
fn is_zone(part: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'+');
    let is_upper = part.len() > 1 && part.bytes().all(is_sign);
    let is_letter = part.starts_with(|first: char| first.is_ascii_alphabetic());
    is_letter && (is_upper || part.eq_ignore_ascii_case("UTC") || part.contains('/'))
}

/// `Japan`, `GB-Eire`: a zone of one word, as far as its letters tell. Which ones there are depends on the host.
fn is_place(part: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'_');
    part.starts_with(|first: char| first.is_ascii_uppercase()) && part.bytes().all(is_sign)
}

/// Whether a text can be a time span, as for `OnBootSec`: `1h 30min`.
pub fn is_span(text: &str) -> bool {
    let mut rest = text.trim();
    if rest == "infinity" {
        return true;
    }
    let mut n_parts = 0;
    while !rest.is_empty() {
        let n_digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let after = rest[n_digits..].trim_start();
        let end = after.find(|char: char| char.is_ascii_digit() || char.is_whitespace()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        if n_digits == 0 || !(UNITS.contains(&unit) || YEARS.contains(&unit)) {
            return false;
        }
        n_parts += 1;
        rest = after.trim_start();
    }
    n_parts > 0
}

/// The calendar event that some words mean: `every day`, `3am`.
pub fn calendar_in_words(text: &str) -> Option<String> {
    let lower = text.trim().to_lowercase();
    if let Some(period) = lower.strip_prefix("every ").or_else(|| lower.strip_prefix("each ")) {
        let event = match period.trim() {
            "minute" => "minutely",
            "hour" => "hourly",
            "day" => "daily",
            "week" => "weekly",
            "month" => "monthly",
            "year" => "yearly",
            _ => return None,
        };
        return Some(event.to_owned());
    }
    let (hour, half) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(hour), _) => (hour, 0),
        (None, Some(hour)) => (hour, 12),
        (None, None) => return None,
    };
    let hour = hour.trim().parse::<u32>().ok().filter(|hour| (1..=12).contains(hour))?;
    Some(format!("*-*-* {:0>2}:00:00", hour % 12 + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calendar_event_has_weekdays_a_date_a_time_and_a_zone() {
        for text in [
            "daily",
            "Mon..Fri *-*-01..07 03:00:00 Europe/Berlin",
            "Sat,Sun 10:00",
            "*:0/15",
            "Mon *-05~03 UTC",
            "2026-03-05T06:40",
            "thu-sat 00,12:00",
            "semi-annually",
            "daily utc",
            "*-*-* 03:00 Japan",
            "*-*-01 Singapore",
            "daily GB-Eire",
            "03:00 GMT+0",
        ] {
            assert!(is_calendar(text), "{text}");
        }
        for text in
            ["every day", "3am", "25:00", "5min", "at noon", "mondays", "daily at 3", "Japan 03:00", "Noon", "Mon Noon"]
        {
            assert!(!is_calendar(text), "{text}");
        }
    }

    #[test]
    fn a_span_has_numbers_with_units() {
        for text in ["5min", "1h 30min", "90", "1.5 hours", "2w3d", "infinity", "1y"] {
            assert!(is_span(text), "{text}");
        }
        for text in ["five minutes", "daily", "5 minuets", "", "*:0/15", "min"] {
            assert!(!is_span(text), "{text}");
        }
    }

    #[test]
    fn words_for_a_time_have_a_calendar_event() {
        assert_eq!(calendar_in_words("Every day").as_deref(), Some("daily"));
        assert_eq!(calendar_in_words("3am").as_deref(), Some("*-*-* 03:00:00"));
        assert_eq!(calendar_in_words("12 pm").as_deref(), Some("*-*-* 12:00:00"));
        assert_eq!((calendar_in_words("13pm"), calendar_in_words("at noon")), (None, None));
    }
}
