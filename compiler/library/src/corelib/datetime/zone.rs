//! A time zone's rules: the TZif format (RFC 8536), with the rule in its last line for the time
//! behind its table.

use super::civil::{Civil, days_of, is_leap};

/// Offsets from UTC over time.
#[derive(Debug, Default)]
pub(crate) struct Zone {
    /// From which second which of `kinds` holds; ascending.
    changes: Vec<(i64, usize)>,
    /// Offset east of UTC in seconds, and abbreviation.
    kinds: Vec<(i64, String)>,
    /// For the time behind the last change.
    rule: Option<Rule>,
}

impl Zone {
    /// The zone of a TZif file; UTC when there is none or it cannot be read.
    pub(crate) fn parse(file: &[u8]) -> Zone {
        read_file(file).unwrap_or_default()
    }

    /// Offset east of UTC in seconds and abbreviation at a moment.
    pub(crate) fn at(&self, seconds: i64) -> (i64, String) {
        let n_past = self.changes.partition_point(|(from, _)| *from <= seconds);
        if let Some(rule) = self.rule.as_ref().filter(|_| n_past == self.changes.len()) {
            return rule.at(seconds);
        }
        let kind = n_past.checked_sub(1).map_or(0, |at| self.changes[at].1);
        self.kinds.get(kind).cloned().unwrap_or_else(|| (0, "UTC".into()))
    }
}

/// Takes big-endian numbers off the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    fn u32(&mut self) -> Option<usize> {
        Some(u32::from_be_bytes(self.bytes(4)?.try_into().ok()?) as usize)
    }

    fn i32(&mut self) -> Option<i64> {
        Some(i64::from(i32::from_be_bytes(self.bytes(4)?.try_into().ok()?)))
    }

    fn i64(&mut self) -> Option<i64> {
        Some(i64::from_be_bytes(self.bytes(8)?.try_into().ok()?))
    }
}

fn read_file(file: &[u8]) -> Option<Zone> {
    let mut reader = Reader(file);
    let (version, zone) = read_block(&mut reader, false)?;
    if version < b'2' {
        return Some(zone);
    }
    // From version 2 on the same follows with wide numbers, then the rule between two line ends.
    let (_, mut zone) = read_block(&mut reader, true)?;
    let footer = reader.0.strip_prefix(b"\n")?;
    let footer = footer.split(|byte| *byte == b'\n').next()?;
    zone.rule = std::str::from_utf8(footer).ok().and_then(Rule::parse);
    Some(zone)
}

fn read_block(reader: &mut Reader, is_wide: bool) -> Option<(u8, Zone)> {
    if reader.bytes(4)? != b"TZif" {
        return None;
    }
    let version = reader.byte()?;
    reader.bytes(15)?;
    let [n_utc, n_std, n_leap, n_changes, n_kinds, n_chars] = [(); 6].map(|()| reader.u32());
    let (n_changes, n_kinds) = (n_changes?, n_kinds?);
    let width = if is_wide { 8 } else { 4 };
    let mut times = Reader(reader.bytes(n_changes.checked_mul(width)?)?);
    let indices = reader.bytes(n_changes)?;
    let mut kinds = Reader(reader.bytes(n_kinds.checked_mul(6)?)?);
    let names = reader.bytes(n_chars?)?;
    reader.bytes(n_leap?.checked_mul(width + 4)?)?;
    reader.bytes(n_std?)?;
    reader.bytes(n_utc?)?;

    let mut zone = Zone::default();
    for index in indices {
        let from = if is_wide { times.i64()? } else { times.i32()? };
        zone.changes.push((from, usize::from(*index)));
    }
    for _ in 0..n_kinds {
        let offset = kinds.i32()?;
        kinds.byte()?;
        let name = names.get(usize::from(kinds.byte()?)..)?.split(|byte| *byte == 0).next()?;
        zone.kinds.push((offset, String::from_utf8_lossy(name).into_owned()));
    }
    Some((version, zone))
}

/// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
#[derive(Debug)]
struct Rule {
    standard: (i64, String),
    summer: Option<Summer>,
}

#[derive(Debug)]
struct Summer {
    kind: (i64, String),
    start: (Day, i64),
    end: (Day, i64),
}

/// The day of a change, in each year.
#[derive(Clone, Copy, Debug)]
enum Day {
    /// Month, week (5 is the last), weekday (0 is Sunday).
    Weekday(u32, u32, u32),
    /// 1 to 365, 29 February is never counted.
    Julian(u32),
    /// 0 to 365.
    FromZero(u32),
}

impl Rule {
    fn parse(text: &str) -> Option<Rule> {
        let mut text = text;
        let name = take_name(&mut text)?;
        let standard = (-take_time(&mut text)?, name);
        if text.is_empty() {
            return Some(Rule { standard, summer: None });
        }
        let name = take_name(&mut text)?;
        let offset = if text.starts_with(',') { standard.0 + 3600 } else { -take_time(&mut text)? };
        let start = take_day(&mut text)?;
        let end = take_day(&mut text)?;
        Some(Rule { standard, summer: Some(Summer { kind: (offset, name), start, end }) })
    }

    fn at(&self, seconds: i64) -> (i64, String) {
        let Some(summer) = &self.summer else { return self.standard.clone() };
        let year = Civil::of(seconds.saturating_add(self.standard.0)).year;
        let moment = |(day, time): (Day, i64), offset: i64| day.seconds(year) + time - offset;
        let start = moment(summer.start, self.standard.0);
        let end = moment(summer.end, summer.kind.0);
        // South of the equator summer time goes over the turn of the year.
        let is_summer = if start < end { (start..end).contains(&seconds) } else { !(end..start).contains(&seconds) };
        if is_summer { summer.kind.clone() } else { self.standard.clone() }
    }
}

impl Day {
    /// The start of this day in a year, in local seconds since 1970.
    fn seconds(self, year: i64) -> i64 {
        let days = match self {
            Day::Weekday(month, week, weekday) => {
                let first = days_of(year, month, 1);
                let shift = (i64::from(weekday) - (first + 4)).rem_euclid(7);
                let next = if month == 12 { days_of(year + 1, 1, 1) } else { days_of(year, month + 1, 1) };
                let mut day = first + shift + 7 * (i64::from(week) - 1);
                while day >= next {
                    day -= 7;
                }
                day
            }
            Day::Julian(day) => days_of(year, 1, 1) + i64::from(day) - i64::from(day < 60 || !is_leap(year)),
            Day::FromZero(day) => days_of(year, 1, 1) + i64::from(day),
        };
        days * 86_400
    }
}

fn take_name(text: &mut &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix('<') {
        let (name, rest) = rest.split_once('>')?;
        *text = rest;
        return Some(name.into());
    }
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    *text = rest;
    (!name.is_empty()).then(|| name.into())
}

fn take_number(text: &mut &str) -> Option<i64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    digits.parse::<i64>().ok().filter(|number| *number < 1000)
}

/// `[+-]hh[:mm[:ss]]` in seconds.
fn take_time(text: &mut &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    *text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut seconds = take_number(text)? * 3600;
    for unit in [60, 1] {
        let Some(rest) = text.strip_prefix(':') else { break };
        *text = rest;
        seconds += take_number(text)? * unit;
    }
    Some(sign * seconds)
}

fn take_day(text: &mut &str) -> Option<(Day, i64)> {
    *text = text.strip_prefix(',')?;
    let day = if let Some(rest) = text.strip_prefix('M') {
        *text = rest;
        let month = take_number(text)?;
        *text = text.strip_prefix('.')?;
        let week = take_number(text)?;
        *text = text.strip_prefix('.')?;
        let weekday = take_number(text)?;
        if !(1..=12).contains(&month) || !(1..=5).contains(&week) || weekday > 6 {
            return None;
        }
        Day::Weekday(month as u32, week as u32, weekday as u32)
    } else if let Some(rest) = text.strip_prefix('J') {
        *text = rest;
        Day::Julian(take_number(text)? as u32)
    } else {
        Day::FromZero(take_number(text)? as u32)
    };
    let Some(rest) = text.strip_prefix('/') else { return Some((day, 2 * 3600)) };
    *text = rest;
    Some((day, take_time(text)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &str, seconds: i64, expect: (i64, &str)) {
        let (offset, name) = Rule::parse(rule).expect(rule).at(seconds);
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
    }

    #[test]
    fn a_file_that_cannot_be_read_is_utc() {
        assert_eq!(Zone::parse(b"").at(0), (0, "UTC".into()));
        assert_eq!(Zone::parse(b"TZif2").at(0), (0, "UTC".into()));
    }

    #[test]
    fn a_table_with_one_change() {
        let mut file = b"TZif1".to_vec();
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
