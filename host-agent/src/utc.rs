//! The time in UTC, as a number and as text.

use std::time::{SystemTime, UNIX_EPOCH};

/// The first second after the year 9999. Units: seconds since 1970.
pub(crate) const LAST: u64 = 253_402_300_800;

/// The time by the clock of this machine. Units: seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}

/// A time since 1970 as RFC 3339 writes it: `2026-11-22T08:15:00.250Z`.
pub(crate) fn utc(seconds: u64, millis: u32) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March have the leap day at their end; 719,468 days lie between year 0 and 1970.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::{LAST, utc};

    #[test]
    fn days_of_leap_years_count() {
        assert_eq!(utc(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(utc(951_782_399, 7), "2000-02-28T23:59:59.007Z");
        assert_eq!(utc(951_782_400, 0), "2000-02-29T00:00:00.000Z");
        assert_eq!(utc(1_709_251_199, 999), "2024-02-29T23:59:59.999Z");
        assert_eq!(utc(1_795_331_700, 250), "2026-11-22T07:15:00.250Z");
        assert_eq!(utc(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
        assert_eq!(utc(LAST - 1, 0), "9999-12-31T23:59:59.000Z");
    }
}
