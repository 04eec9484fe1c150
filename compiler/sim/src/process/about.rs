//! Commands of the simulated host's shell that describe the host: `date`, `hostname`, `id`, `uname`.

/// What they read of the host.
pub(super) struct About<'a> {
    pub(super) hostname: &'a str,
    pub(super) user: &'a str,
    /// Units: nanoseconds since 1970.
    pub(super) now_ns: i64,
}

/// The commands of this file.
pub(super) const NAMES: [&str; 5] = ["date", "hostname", "id", "uname", "whoami"];

/// The line that a command prints. Errors: a form of it that is not supported.
pub(super) fn run(name: &str, args: &[String], about: &About<'_>) -> Result<String, String> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match (name, args.as_slice()) {
        ("hostname", []) | ("uname", ["-n"]) => Ok(about.hostname.to_owned()),
        ("uname", [] | ["-s"]) => Ok("Linux".to_owned()),
        ("whoami", []) | ("id", ["-un" | "-nu"]) => Ok(about.user.to_owned()),
        ("id", []) if about.user == "root" => Ok("uid=0(root) gid=0(root) groups=0(root)".to_owned()),
        ("id", ["-u" | "-g"]) if about.user == "root" => Ok("0".to_owned()),
        ("date", [] | ["-u"]) => date(about.now_ns, "%a %b %d %H:%M:%S UTC %Y"),
        ("date", [format] | ["-u", format]) if format.starts_with('+') => date(about.now_ns, &format[1..]),
        _ => Err("these arguments are not supported by the simulated shell".to_owned()),
    }
}

fn date(now_ns: i64, format: &str) -> Result<String, String> {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let seconds = now_ns.div_euclid(1_000_000_000);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(char) = chars.next() {
        if char != '%' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('Y') => out.push_str(&year.to_string()),
            Some('m') => out.push_str(&format!("{month:02}")),
            Some('d') => out.push_str(&format!("{day:02}")),
            Some('H') => out.push_str(&format!("{:02}", of_day / 3600)),
            Some('M') => out.push_str(&format!("{:02}", of_day / 60 % 60)),
            Some('S') => out.push_str(&format!("{:02}", of_day % 60)),
            Some('s') => out.push_str(&seconds.to_string()),
            Some('F') => out.push_str(&format!("{year}-{month:02}-{day:02}")),
            Some('T') => out.push_str(&format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)),
            Some('a') => out.push_str(DAYS[days.rem_euclid(7) as usize]),
            Some('b') => out.push_str(MONTHS[month as usize - 1]),
            Some('%') => out.push('%'),
            other => {
                let shown = other.map(String::from).unwrap_or_default();
                return Err(format!("`%{shown}` is not supported by the simulated shell"));
            }
        }
    }
    Ok(out)
}

/// Year, month and day of a day since 1970, in the Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March, so that a leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}
