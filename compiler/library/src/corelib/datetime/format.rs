//! `datetime.format`: formats a moment by an example. Functions spec, 15.6.

use super::civil::{Civil, WEEKDAYS};
use super::parts::{Local, local};
use crate::corelib::facts::known;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;
use std::fmt::Write;

pub(super) static DEF: FnDef = FnDef {
    path: "datetime.format",
    sig: Sig::Fixed("func(a int, b str) str"),
    doc: "Formats a timestamp. The layout shows how Monday 2 January 2006, 15:04:05 -0700 MST is written.",
    examples: &[
        Example {
            call: r#"datetime.format(1443158163, "2006-01-02T15:04:05Z07:00")"#,
            gives: r#""2015-09-25T05:16:03Z""#,
        },
        Example {
            call: r#"datetime.format(1700000000, "Monday January 2 3:04PM 06")"#,
            gives: r#""Tuesday November 14 10:13PM 23""#,
        },
        Example { call: r#"datetime.format(0, "Jan __2 002")"#, gives: r#""Jan   1 001""# },
        Example { call: r#"datetime.format(0, "Monthly")"#, gives: r#""Monthly""# },
        Example { call: r#"datetime.format(-1, "2006")"#, gives: "error: epoch delta must be positive" },
    ],
    shape: Shape::PLAIN,
    run: Run::World(|world, args| {
        let local = known!(local(world, args));
        Ok(Some(Value::from(format(&local, args.bytes(1)?))))
    }),
};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Every token; the first match is used, so longer ones come before their prefixes.
const TOKENS: [&str; 34] = [
    "January",
    "Jan",
    "Monday",
    "Mon",
    "MST",
    "2006",
    "__2",
    "_2006",
    "_2",
    "002",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "15",
    "1",
    "2",
    "3",
    "4",
    "5",
    "PM",
    "pm",
    "-07:00:00",
    "-070000",
    "-07:00",
    "-0700",
    "-07",
    "Z07:00:00",
    "Z070000",
    "Z07:00",
    "Z0700",
    "Z07",
];

fn format(local: &Local, layout: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(layout.len()), layout);
    while let Some(first) = rest.first() {
        if let Some(token) = TOKENS.iter().find(|token| fits(token, rest)) {
            out.extend(show(local, token).into_bytes());
            rest = &rest[token.len()..];
        } else if let Some(len) = fraction(rest) {
            // Whole seconds: zeros are printed, nines are not.
            if rest[1] == b'0' {
                out.push(*first);
                out.extend(std::iter::repeat_n(b'0', (len - 1).min(9)));
            }
            rest = &rest[len..];
        } else {
            out.push(*first);
            rest = &rest[1..];
        }
    }
    out
}

fn fits(token: &str, rest: &[u8]) -> bool {
    let Some(behind) = rest.strip_prefix(token.as_bytes()) else { return false };
    !matches!(token, "Jan" | "Mon") || !behind.first().is_some_and(u8::is_ascii_lowercase)
}

/// The length of a dot or comma with a run of 0 or 9 that no other digit follows.
fn fraction(rest: &[u8]) -> Option<usize> {
    let digit = *rest.get(1).filter(|digit| matches!(rest[0], b'.' | b',') && matches!(digit, b'0' | b'9'))?;
    let len = 1 + rest[1..].iter().take_while(|byte| **byte == digit).count();
    (!rest.get(len).is_some_and(u8::is_ascii_digit)).then_some(len)
}

fn show(local: &Local, token: &str) -> String {
    let Civil { year, month, day, hour, minute, second, weekday, year_day } = local.civil;
    let short_hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    let month_name = MONTHS[month as usize - 1];
    match token {
        "January" => month_name.into(),
        "Jan" => month_name[..3].into(),
        "Monday" => WEEKDAYS[weekday].into(),
        "Mon" => WEEKDAYS[weekday][..3].into(),
        "MST" => local.abbreviation.clone(),
        "2006" => format!("{year:04}"),
        "_2006" => format!("_{year:04}"),
        "06" => format!("{:02}", year.rem_euclid(100)),
        "01" => format!("{month:02}"),
        "1" => month.to_string(),
        "02" => format!("{day:02}"),
        "_2" => format!("{day:2}"),
        "2" => day.to_string(),
        "002" => format!("{year_day:03}"),
        "__2" => format!("{year_day:3}"),
        "15" => format!("{hour:02}"),
        "03" => format!("{short_hour:02}"),
        "3" => short_hour.to_string(),
        "04" => format!("{minute:02}"),
        "4" => minute.to_string(),
        "05" => format!("{second:02}"),
        "5" => second.to_string(),
        "PM" => if hour < 12 { "AM" } else { "PM" }.into(),
        "pm" => if hour < 12 { "am" } else { "pm" }.into(),
        zone => offset(local.offset, zone),
    }
}

/// A zone token: a leading `Z` prints a Z for UTC.
fn offset(offset: i64, token: &str) -> String {
    if token.starts_with('Z') && offset == 0 {
        return "Z".into();
    }
    let colon = if token.contains(':') { ":" } else { "" };
    let n_digits = token.bytes().filter(u8::is_ascii_digit).count();
    let (sign, seconds) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
    let mut out = format!("{sign}{:02}", seconds / 3600);
    if n_digits >= 4 {
        let _ = write!(out, "{colon}{:02}", seconds / 60 % 60);
    }
    if n_digits >= 6 {
        let _ = write!(out, "{colon}{:02}", seconds % 60);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seconds: i64, offset: i64, layout: &str, expect: &str) {
        let local = Local { civil: Civil::of(seconds + offset), offset, abbreviation: "ABC".into() };
        assert_eq!(String::from_utf8_lossy(&format(&local, layout.as_bytes())), expect, "{layout}");
    }

    #[test]
    fn layouts() {
        check(1_443_158_163, -14_400, "2006-01-02T15:04:05-07:00 MST", "2015-09-25T01:16:03-04:00 ABC");
        check(1_700_000_000, 19_800, "Monday January 2 3:04PM 06", "Wednesday November 15 3:43AM 23");
        check(0, 0, "05.001 .000 ,999 .0000000000000", "00.001 .000  .000000000");
        check(0, 0, "_2006 _20 -070 MSTX 20 10 13", "_1970  10 +000 ABCX 10 10 112");
        check(0, 0, "Janet Januaryx Mondayish Z0700", "Janet Januaryx Thursdayish Z");
    }
}
