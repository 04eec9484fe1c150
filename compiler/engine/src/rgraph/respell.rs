//! Names and values that differ a little from what was written, as candidates for the right one.

/// An address with the prefix length of most networks, a port with the protocol of most servers or after its protocol,
/// and an edit of JSON with its dot or with the quotes of its value.
pub(super) fn completed(text: &str, reason: &str) -> Option<String> {
    let is_address = || text.parse::<std::net::Ipv4Addr>().is_ok();
    let is_port = |text: &str| text.parse::<u16>().is_ok();
    match () {
        () if reason.contains("with a prefix length") && is_address() => Some(format!("{text}/24")),
        () if reason.contains("PORT/PROTOCOL") => match text.split_once('/') {
            None => is_port(text).then(|| format!("{text}/tcp")),
            Some((protocol, port)) => is_port(port).then(|| format!("{port}/{protocol}")),
        },
        () if reason.contains("must begin with `.`") => Some(format!(".{text}")),
        () if reason.contains("is not JSON") => {
            let (path, value) = text.split_once('=')?;
            let value = value.trim().trim_matches('\'');
            (!value.contains(['"', '\\'])).then(|| format!("{path}= \"{value}\""))
        }
        () => None,
    }
}

/// A duration in the units of a program, from one in words: `10 minutes`.
pub(super) fn timed(text: &str, reason: &str) -> Option<String> {
    if !reason.contains("is not a duration") {
        return None;
    }
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(n_digits);
    let number: u32 = number.parse().ok()?;
    let (factor, unit) = match unit.trim() {
        "" | "s" | "sec" | "secs" | "second" | "seconds" => (1, "s"),
        "m" | "min" | "mins" | "minute" | "minutes" => (1, "m"),
        "h" | "hr" | "hrs" | "hour" | "hours" => (1, "h"),
        "d" | "day" | "days" => (24, "h"),
        "w" | "week" | "weeks" => (7 * 24, "h"),
        _ => return None,
    };
    Some(format!("{}{unit}", number.checked_mul(factor)?))
}

/// An address without its prefix length, or a disk with its directory.
pub(super) fn placed(text: &str, reason: &str) -> Option<String> {
    match text.split_once('/') {
        Some((address, _)) => reason.contains("without a prefix length").then(|| address.to_owned()),
        None => reason.contains("the device must be").then(|| format!("/dev/{text}")),
    }
}

/// A name in one word, or with dots between its parts.
pub(super) fn renamed(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = (words.len() > 1 && !text.contains('/')).then(|| words.join("_").to_lowercase());
    // `/proc/sys/net/ipv4/ip_forward` as the name of a parameter.
    let parts = text.strip_prefix("/proc/sys/").unwrap_or(text);
    // With a dot in one of its parts, it would be another one.
    let is_one = parts.contains('/') && !parts.starts_with('/') && !parts.contains('.') && !text.contains("://");
    let dotted = is_one.then(|| parts.replace('/', "."));
    [joined, dotted].into_iter().flatten()
}

/// A text with the small differences that make a path right.
pub(super) fn respelled(text: &str) -> impl Iterator<Item = String> {
    const ROOTS: [&str; 16] = [
        "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root", "run", "srv", "sys", "tmp",
        "var",
    ];
    let trimmed = text.trim_end_matches('/');
    let first = text.split('/').next().unwrap_or_default();
    let is_path = ROOTS.contains(&first) || first == "usr";
    let whole = (is_path && text.contains('/')).then(|| format!("/{text}"));
    let folder = (text.starts_with('/') && !text.ends_with('/')).then(|| format!("{text}/"));
    let file = (text != trimmed && !trimmed.is_empty()).then(|| trimmed.to_owned());
    let blank = (text.trim() != text && !text.trim().is_empty()).then(|| text.trim().to_owned());
    [whole, folder, file, blank].into_iter().flatten()
}

/// An address to listen on, from a port alone, with the IP of this host, or with brackets.
pub(super) fn addressed(text: &str, reason: &str) -> Option<String> {
    if reason.contains("must be in brackets") {
        return text.rsplit_once(':').map(|(host, port)| format!("[{host}]:{port}"));
    }
    let is_port = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.strip_prefix("localhost:") {
        Some(port) => Some(format!("127.0.0.1:{port}")),
        None => (is_port && reason.contains("needs a port")).then(|| format!(":{text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn a_parameter_with_a_dot_in_its_parts_is_not_taken_for_another() {
        let names = |text: &str| renamed(text).collect::<Vec<String>>();
        for text in ["net/ipv4/ip_forward", "/proc/sys/net/ipv4/ip_forward"] {
            assert_eq!(names(text), ["net.ipv4.ip_forward"], "{text}");
        }
        assert_eq!(names("net/ipv4/conf/eth0.100/rp_filter"), [""; 0]);
    }
}
