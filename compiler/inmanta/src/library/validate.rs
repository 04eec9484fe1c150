//! `std::validate_type`: whether a value fits a Python type.

use super::{Definition, addresses};
use crate::eval::{Call, Stop};
use crate::pattern::Pattern;
use crate::value::{Int, Value, compare_numbers, number_of};
use std::cmp::Ordering;
use std::net::{Ipv4Addr, Ipv6Addr};

pub(super) static DEFS: &[Definition] = &[Definition::new(
    "std::validate_type",
    "validate_type(fq_type_name: string, value: any, validation_parameters: dict = null) -> bool",
    "Reports whether a value is valid for a named type.",
    validate_type,
)
.examples(&[
    ("std::validate_type(\"pydantic.conint\", 5, {\"gt\": 3})", "true"),
    ("std::validate_type(\"datetime.date\", \"2020-02-30\")", "false"),
    ("std::validate_type(\"ipaddress.IPv4Address\", \"10.0.0.1\")", "true"),
    ("std::validate_type(\"uuid.UUID\", \"x\")", "false"),
    ("std::validate_type(\"os.path\", \"x\")", "false"),
])];

fn validate_type(call: &mut Call<'_, '_>) -> Result<Value, Stop> {
    let (value, text) = (call.arg(1), call.arg(1).as_str());
    let parameter = |name: &str| call.arg(2).as_dict().and_then(|dict| dict.entries.get(name));
    let is_text = |check: fn(&str) -> bool| text.is_some_and(check);
    let network = |check: fn(&str) -> bool| text.is_some_and(check);
    let mut steps = 0;
    let fits = match call.text(0) {
        "datetime.date" => is_text(is_date),
        "datetime.time" => is_text(is_time),
        "datetime.datetime" => is_text(is_datetime),
        "uuid.UUID" | "pydantic.UUID4" => is_text(is_uuid),
        "ipaddress.IPv4Address" => is_text(|text| text.parse::<Ipv4Addr>().is_ok()),
        "ipaddress.IPv6Address" => is_text(|text| text.parse::<Ipv6Addr>().is_ok()),
        "ipaddress.IPv4Interface" => {
            network(|text| addresses::interface(text).is_some_and(|found| found.address.is_ipv4()))
        }
        "ipaddress.IPv6Interface" => {
            network(|text| addresses::interface(text).is_some_and(|found| found.address.is_ipv6()))
        }
        "ipaddress.IPv4Network" => {
            network(|text| addresses::network(text).is_some_and(|found| found.address.is_ipv4()))
        }
        "ipaddress.IPv6Network" => {
            network(|text| addresses::network(text).is_some_and(|found| found.address.is_ipv6()))
        }
        "pydantic.IPvAnyAddress" => is_text(|text| text.parse::<std::net::IpAddr>().is_ok()),
        "pydantic.IPvAnyInterface" => is_text(|text| addresses::interface(text).is_some()),
        "pydantic.IPvAnyNetwork" => is_text(|text| addresses::network(text).is_some()),
        "pydantic.EmailStr" => is_text(is_email),
        "pydantic.NameEmail" => is_text(is_name_email),
        "pydantic.AnyUrl" => is_text(|text| url_scheme(text).is_some()),
        "pydantic.AnyHttpUrl" | "pydantic.HttpUrl" => {
            is_text(|text| matches!(url_scheme(text).as_deref(), Some("http" | "https")) && has_host(text))
        }
        "pydantic.PositiveInt" => whole(value).is_some_and(|int| !int.is_zero() && !int.is_negative()),
        "pydantic.NegativeInt" => whole(value).is_some_and(|int| int.is_negative()),
        "pydantic.PositiveFloat" => float(value).is_some_and(|float| float > 0.0),
        "pydantic.NegativeFloat" => float(value).is_some_and(|float| float < 0.0),
        "pydantic.conint" => whole(value).is_some_and(|int| {
            in_bounds(&Value::Int(int.clone()), &parameter) && is_multiple(&int, parameter("multiple_of"))
        }),
        "pydantic.confloat" | "pydantic.condecimal" => {
            float(value).is_some_and(|float| in_bounds(&Value::Float(float), &parameter))
        }
        "pydantic.constr" => match text {
            Some(text) => is_constrained(text, &parameter, &mut steps)?,
            None => false,
        },
        _ => false,
    };
    call.match_steps(steps)?;
    Ok(Value::Bool(fits))
}

fn whole(value: &Value) -> Option<Int> {
    match value {
        Value::Int(int) => Some(int.clone()),
        Value::Bool(value) => Some(Int::from(i64::from(*value))),
        Value::Float(float) if libm::trunc(*float) == *float => Int::of_float(*float),
        Value::Str(text) => Int::parse(text.trim()),
        _ => None,
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Str(text) => text.trim().parse().ok(),
        value => number_of(value)?.to_f64(),
    }
}

fn in_bounds<'p>(value: &Value, parameter: &impl Fn(&str) -> Option<&'p Value>) -> bool {
    let holds = |name: &str, wanted: &[Ordering]| match parameter(name) {
        None | Some(Value::Null) => true,
        Some(bound) => compare_numbers(value, bound).is_some_and(|order| wanted.contains(&order)),
    };
    holds("gt", &[Ordering::Greater])
        && holds("ge", &[Ordering::Greater, Ordering::Equal])
        && holds("lt", &[Ordering::Less])
        && holds("le", &[Ordering::Less, Ordering::Equal])
}

fn is_multiple(int: &Int, of: Option<&Value>) -> bool {
    match of {
        None | Some(Value::Null) => true,
        Some(Value::Int(of)) => int.modulo(of).is_ok_and(|rest| rest.is_zero()),
        Some(_) => false,
    }
}

fn is_constrained<'p>(
    text: &str,
    parameter: &impl Fn(&str) -> Option<&'p Value>,
    steps: &mut u64,
) -> Result<bool, Stop> {
    let length = text.chars().count() as i64;
    let bound = |name: &str| match parameter(name) {
        Some(Value::Int(int)) => int.to_i64(),
        _ => None,
    };
    if bound("min_length").is_some_and(|min| length < min) || bound("max_length").is_some_and(|max| length > max) {
        return Ok(false);
    }
    let Some(Value::Str(regex)) = parameter("regex").or_else(|| parameter("pattern")) else { return Ok(true) };
    let pattern = Pattern::new(regex).map_err(|bad| Stop::Failed(format!("re.error: {bad}")))?;
    let (matches, taken) = pattern.matches_start(text);
    *steps = taken;
    matches.map_err(|_| Stop::Failed("TimeoutError: matching takes too many steps".into()))
}

/// The maximum length of a date, time or UUID.
const MAX_SHORT: usize = 64;

fn numbers(text: &str, separator: char, widths: &[usize]) -> Option<Vec<u32>> {
    if text.len() > MAX_SHORT {
        return None;
    }
    let parts: Vec<&str> = text.split(separator).collect();
    let fits = parts.len() == widths.len()
        && parts
            .iter()
            .zip(widths)
            .all(|(part, width)| part.len() == *width && part.bytes().all(|byte| byte.is_ascii_digit()));
    fits.then(|| parts.iter().filter_map(|part| part.parse().ok()).collect())
}

fn is_date(text: &str) -> bool {
    let Some(parts) = numbers(text, '-', &[4, 2, 2]) else { return false };
    let [year, month, day] = parts[..] else { return false };
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    year > 0 && (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let zone = text.find(['Z', 'z', '+']).or_else(|| text.rfind('-')).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone);
    let zone_fits = match zone {
        "" | "Z" | "z" => true,
        zone => numbers(&zone[1..], ':', &[2, 2]).or_else(|| numbers(&zone[1..], ':', &[4])).is_some(),
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let fraction_fits =
        !fraction.is_empty() && fraction.len() <= 6 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let parts = numbers(clock, ':', &[2, 2, 2]).or_else(|| numbers(clock, ':', &[2, 2]));
    let clock_fits = parts.is_some_and(|parts| parts[0] < 24 && parts[1..].iter().all(|part| *part < 60));
    zone_fits && fraction_fits && clock_fits
}

fn is_datetime(text: &str) -> bool {
    match text.split_once(['T', 't', ' ', '_']) {
        Some((date, time)) => is_date(date) && is_time(time),
        None => is_date(text),
    }
}

fn is_uuid(text: &str) -> bool {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    if text.len() > MAX_SHORT {
        return false;
    }
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    (lengths == [8, 4, 4, 4, 12] || lengths == [32])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let local_fits = !local.is_empty()
        && local.split('.').all(|part| {
            !part.is_empty() && part.chars().all(|char| char.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(char))
        });
    local_fits && domain.contains('.') && is_domain(domain)
}

fn is_domain(domain: &str) -> bool {
    domain.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|char| char.is_alphanumeric() || char == '-')
    })
}

fn is_name_email(text: &str) -> bool {
    match text.split_once('<') {
        Some((name, rest)) => {
            !name.trim().is_empty() && rest.strip_suffix('>').is_some_and(|email| is_email(email.trim()))
        }
        None => is_email(text),
    }
}

fn url_scheme(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once(':')?;
    let fits = scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        && !rest.trim_start_matches('/').is_empty()
        && !text.contains(char::is_whitespace);
    fits.then(|| scheme.to_ascii_lowercase())
}

fn has_host(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host
        .rsplit_once(':')
        .map_or(host, |(host, port)| if port.bytes().all(|byte| byte.is_ascii_digit()) { host } else { "" });
    is_domain(host) || host.starts_with('[')
}
