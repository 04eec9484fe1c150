//! Metrics of the process itself, under the names that dashboards know: its version, memory and open files.

use std::fmt::Write;

/// Adds them in Prometheus' text format. What the kernel does not tell is left out.
pub(super) fn put(text: &mut String) {
    let mut gauge = |name: &str, labels: &str, help: &str, value: u64| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name}{labels} {value}");
    };
    let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    gauge("mclive_build_info", &version, "The version of this server.", 1);
    if let Some(bytes) = resident() {
        gauge("process_resident_memory_bytes", "", "Resident memory.", bytes);
    }
    if let Some(n_files) = open_files() {
        gauge("process_open_fds", "", "Open files and connections.", n_files);
    }
}

/// Units: bytes.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}

fn open_files() -> Option<u64> {
    let n_entries = std::fs::read_dir("/proc/self/fd").ok()?.count();
    // One of them is this directory itself.
    u64::try_from(n_entries).ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_tells_of_itself() {
        let mut text = String::new();
        put(&mut text);
        let value = |name: &str| -> u64 {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"));
            line.rsplit(' ').next().unwrap().parse().unwrap()
        };
        assert_eq!(value(concat!("mclive_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"}")), 1);
        assert!(value("process_resident_memory_bytes") > 1 << 20);
        assert!((3..1 << 20).contains(&value("process_open_fds")), "{text}");
        assert_eq!(text.matches("# TYPE ").count(), 3);
    }
}
