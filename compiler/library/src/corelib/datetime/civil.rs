//! The calendar: dates from days, by the Gregorian rules in both directions.

/// A local date and time of day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: u32,
    /// 1 to 31.
    pub(crate) day: u32,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
    /// 0 is Sunday.
    pub(crate) weekday: usize,
    /// 1 to 366.
    pub(crate) year_day: u32,
}

pub(crate) const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Civil {
    /// The date of a number of seconds since the start of 1970, without a time zone.
    pub(crate) fn of(seconds: i64) -> Civil {
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400) as u32);
        // Counted from 1 March of year 0, so leap days come last: 146097 days are 400 years.
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
        let month = (if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 }) as u32;
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Civil {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4).rem_euclid(7) as usize,
            year_day: (days - days_of(year, 1, 1) + 1) as u32,
        }
    }
}

/// The number of days from the start of 1970 to a date.
pub(crate) fn days_of(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seconds: i64, expect: (i64, u32, u32, u32, usize)) {
        let civil = Civil::of(seconds);
        assert_eq!((civil.year, civil.month, civil.day, civil.year_day, civil.weekday), expect);
        assert_eq!(days_of(civil.year, civil.month, civil.day), seconds.div_euclid(86_400));
    }

    #[test]
    fn dates() {
        check(0, (1970, 1, 1, 1, 4));
        check(951_782_400, (2000, 2, 29, 60, 2));
        check(-1, (1969, 12, 31, 365, 3));
        check(253_402_300_800, (10000, 1, 1, 1, 6));
        check(1_443_158_163, (2015, 9, 25, 268, 5));
    }
}
