//! Names and values that differ a little from what was written, as candidates for the right one.

/// An address with the prefix length of most networks.
pub(super) fn with_length(text: &str, reason: &str) -> Option<String> {
    let is_address = text.parse::<std::net::Ipv4Addr>().is_ok();
    (is_address && reason.contains("with a prefix length")).then(|| format!("{text}/24"))
}

/// A text with the small differences that make a path or a name right.
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
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = (words.len() > 1 && !text.contains('/')).then(|| words.join("_").to_lowercase());
    // `/proc/sys/net/ipv4/ip_forward` as the name of a parameter.
    let parts = text.strip_prefix("/proc/sys/").unwrap_or(text);
    let dotted = (parts.contains('/') && !parts.starts_with('/')).then(|| parts.replace('/', "."));
    [whole, folder, file, blank, joined, dotted].into_iter().flatten()
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
