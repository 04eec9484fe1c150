//! `printf` of the simulated host's shell.

use std::iter::Peekable;
use std::str::Chars;

/// The output. Errors: a format that is not supported, or a value that does not fit it.
pub(super) fn run(args: &[String]) -> Result<String, String> {
    let args = if args.first().is_some_and(|first| first == "--") { &args[1..] } else { args };
    let (format, values) = args.split_first().ok_or("missing operand")?;
    let (mut out, mut values) = (String::new(), values.iter());
    // The format is used again until all values are printed.
    loop {
        let n_before = values.as_slice().len();
        let mut chars = format.chars().peekable();
        while let Some(char) = chars.next() {
            match char {
                '\\' => out.push(escaped(&mut chars)?),
                '%' => out.push_str(&directive(&mut chars, &mut values)?),
                char => out.push(char),
            }
        }
        let n_left = values.as_slice().len();
        if n_left == 0 || n_left == n_before {
            return Ok(out);
        }
    }
}

fn escaped(chars: &mut Peekable<Chars<'_>>) -> Result<char, String> {
    let Some(char) = chars.next() else { return Ok('\\') };
    Ok(match char {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '\\' | '"' | '\'' => char,
        '0'..='7' => {
            let mut code = char.to_digit(8).unwrap_or(0);
            for _ in 0..2 {
                let Some(digit) = chars.peek().and_then(|char| char.to_digit(8)) else { break };
                code = code * 8 + digit;
                chars.next();
            }
            char::from_u32(code).filter(char::is_ascii).ok_or_else(|| unsupported(&format!("\\{code:o}")))?
        }
        char => return Err(unsupported(&format!("\\{char}"))),
    })
}

/// `%s`, `%d`, `%i`, `%c` and `%%`, with a width, which may begin with `-` or `0`.
fn directive<'a>(
    chars: &mut Peekable<Chars<'_>>,
    values: &mut impl Iterator<Item = &'a String>,
) -> Result<String, String> {
    let is_left = chars.next_if_eq(&'-').is_some();
    let has_zeros = chars.next_if_eq(&'0').is_some();
    let mut width = 0;
    while let Some(digit) = chars.peek().and_then(|char| char.to_digit(10)) {
        // A longer text would not fit into the output.
        width = (width * 10 + digit as usize).min(100_000);
        chars.next();
    }
    let kind = chars.next();
    let mut value = || values.next().map_or("", String::as_str);
    let text = match kind {
        Some('%') => "%".to_owned(),
        Some('s') => value().to_owned(),
        Some('c') => value().chars().take(1).collect(),
        Some('d' | 'i') => {
            let value = value();
            let number = if value.is_empty() { Ok(0) } else { value.parse::<i64>() };
            number.map_err(|_| format!("'{value}': expected a numeric value"))?.to_string()
        }
        Some(kind) => return Err(unsupported(&format!("%{kind}"))),
        None => return Err(unsupported("%")),
    };
    let is_number = matches!(kind, Some('d' | 'i'));
    Ok(match text.strip_prefix('-').filter(|_| is_number) {
        _ if is_left => format!("{text:<width$}"),
        Some(digits) if has_zeros => format!("-{digits:0>zeros$}", zeros = width.saturating_sub(1)),
        None if has_zeros && is_number => format!("{text:0>width$}"),
        Some(_) | None => format!("{text:>width$}"),
    })
}

fn unsupported(what: &str) -> String {
    format!("`{what}` is not supported by the simulated shell")
}
