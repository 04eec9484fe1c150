//! Times in the syntax of crontab, which systemd does not read, and what they are in its own.

/// Whether a text is a time of crontab: five fields of digits and signs.
pub fn is_crontab(text: &str) -> bool {
    let is_field =
        |field: &str| field.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'*' | b'/' | b',' | b'-'));
    text.split_ascii_whitespace().count() == 5 && text.split_ascii_whitespace().all(is_field)
}

/// The same time for `OnCalendar`, if it is daily at some hour, or a word that systemd knows as well.
pub fn calendar(text: &str) -> Option<String> {
    const WORDS: [&str; 7] = ["minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "yearly"];
    let word = text.trim_start_matches('@');
    if WORDS.contains(&word) {
        return Some(word.to_owned());
    }
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let [minute, hour, "*", "*", "*"] = fields[..] else { return None };
    let is_below = |field: &str, limit: u8| {
        let is_number = (1..=2).contains(&field.len()) && field.bytes().all(|byte| byte.is_ascii_digit());
        is_number && field.parse::<u8>().is_ok_and(|number| number < limit)
    };
    match hour {
        _ if !is_below(minute, 60) => None,
        "*" => Some(format!("*-*-* *:{minute:0>2}:00")),
        _ if is_below(hour, 24) => Some(format!("*-*-* {hour:0>2}:{minute:0>2}:00")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daily_time_is_a_calendar_event() {
        assert_eq!(calendar("0 2 * * *").as_deref(), Some("*-*-* 02:00:00"));
        assert_eq!(calendar("15 * * * *").as_deref(), Some("*-*-* *:15:00"));
        assert_eq!(calendar("@daily").as_deref(), Some("daily"));
        assert_eq!((calendar("60 2 * * *"), calendar("0 24 * * *")), (None, None));
        assert_eq!((calendar("0 2 * * 1"), calendar("*/5 * * * *"), calendar("a b * * *")), (None, None, None));
    }

    #[test]
    fn a_time_of_crontab_has_five_fields() {
        assert!(is_crontab("0 2 * * *") && is_crontab("*/5 1,2 1-7 * *"));
        assert!(!is_crontab("*-*-* 02:00:00") && !is_crontab("Mon *-*-* 02:00:00 UTC x") && !is_crontab("daily"));
    }
}
