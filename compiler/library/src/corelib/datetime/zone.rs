//! Time zone rules: the TZif format (RFC 8536), including the rule in its last line for times after its table.
//!
//! As in Go, seconds since 1970 count no leap seconds, even with files that list them: their tables are used as they
//! are.

use tz::timezone::{TimeZone, TimeZoneRef};

/// Offsets from UTC over time.
#[derive(Debug)]
pub(crate) struct Zone {
    file: Option<TimeZone>,
}

impl Zone {
    /// The zone of a TZif file; UTC if there is none or it is invalid.
    pub(crate) fn parse(file: &[u8]) -> Zone {
        Zone { file: TimeZone::from_tz_data(file).ok() }
    }

    /// The offset east of UTC in seconds and the abbreviation at a moment.
    pub(crate) fn at(&self, seconds: i64) -> (i64, String) {
        let Some(file) = self.file.as_ref().map(TimeZone::as_ref) else { return (0, "UTC".into()) };
        let (changes, kinds) = (file.transitions(), file.local_time_types());
        let n_past = changes.partition_point(|change| change.unix_leap_time() <= seconds);
        let by_table = n_past.checked_sub(1).map_or(0, |at| changes[at].local_time_type_index());
        let is_behind = n_past == changes.len() && file.extra_rule().is_some();
        let rule = TimeZoneRef::new(&[], kinds, &[], file.extra_rule()).ok().filter(|_| is_behind);
        let by_rule = rule.as_ref().and_then(|rule| rule.find_local_time_type(seconds).ok());
        match by_rule.or(kinds.get(by_table)) {
            Some(kind) => (kind.ut_offset().into(), kind.time_zone_designation().to_owned()),
            None => (0, "UTC".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version 2 file with one kind, no changes, and this rule.
    fn ruled(rule: &str) -> Zone {
        let mut file = Vec::new();
        for _ in 0..2 {
            file.extend(b"TZif2");
            file.extend([0; 15]);
            for count in [0u32, 0, 0, 0, 1, 4] {
                file.extend(count.to_be_bytes());
            }
            file.extend([0; 6]);
            file.extend(b"LMT\0");
        }
        file.extend(format!("\n{rule}\n").bytes());
        Zone::parse(&file)
    }

    fn check(rule: &str, seconds: i64, expect: (i64, &str)) {
        let (offset, name) = ruled(rule).at(seconds);
        assert_eq!((offset, &*name), expect, "{rule} at {seconds}");
    }

    #[test]
    fn rules() {
        let berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
        check(berlin, 1_711_846_799, (3600, "CET")); // 2024-03-31 00:59:59 UTC
        check(berlin, 1_711_846_800, (7200, "CEST"));
        check(berlin, 1_729_990_799, (7200, "CEST")); // 2024-10-27 00:59:59 UTC
        check(berlin, 1_729_990_800, (3600, "CET"));
        check("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_704_067_200, (39_600, "AEDT"));
        check("<-03>3", 0, (-10_800, "-03"));
        check("NST3:30", 0, (-12_600, "NST"));
        check(berlin, i64::MAX, (0, "LMT"));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_utc() {
        assert_eq!(Zone::parse(b"").at(0), (0, "UTC".into()));
        assert_eq!(Zone::parse(b"TZif2").at(0), (0, "UTC".into()));
    }

    #[test]
    fn a_table_with_one_change() {
        let mut file = b"TZif\0".to_vec();
        file.extend([0; 15]);
        for count in [0u32, 0, 0, 1, 2, 8] {
            file.extend(count.to_be_bytes());
        }
        file.extend(1000i32.to_be_bytes());
        file.push(1);
        file.extend([0, 0, 0, 0, 0, 0]);
        file.extend([0, 0, 14, 16, 0, 4]);
        file.extend(b"AAA\0BBB\0");
        let zone = Zone::parse(&file);
        assert_eq!(zone.at(999), (0, "AAA".into()));
        assert_eq!(zone.at(1000), (3600, "BBB".into()));
    }
}
