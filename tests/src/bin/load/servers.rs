//! The servers: `mclive serve` without limits for clients, and nginx with one worker and the same files.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Ends with the bench.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

impl Running {
    /// The resident memory. Units: MiB.
    fn memory(&self) -> f64 {
        self.field("VmRSS:")
    }

    /// A line of the kernel's status of the process. Units: MiB.
    fn field(&self, name: &str) -> f64 {
        let path = format!("/proc/{}/status", self.0.id());
        let status = std::fs::read_to_string(path).expect("the server runs to the end of the bench");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("the kernel counts memory");
        line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number of kB") / 1024.0
    }
}

pub(crate) struct Serve {
    running: Running,
    pub(crate) port: u16,
}

impl Serve {
    pub(crate) fn start(mclive: &str, site: &Path, store: &Path) -> Serve {
        let unlimited = ["--limit-requests", "0", "--limit-mib", "0", "--limit-compute", "0"];
        let mut server = Command::new(mclive);
        // The bench speaks for several clients, as a proxy does.
        server.args(["serve", "--address", "127.0.0.1:0", "--trusted-proxy", "127.0.0.1"]).args(unlimited);
        server.arg("--site").arg(site).arg("--store").arg(store).stdout(Stdio::piped());
        let mut running = Running(server.spawn().expect("the agent"));
        let mut line = String::new();
        BufReader::new(running.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
        let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        Serve { running, port: port.expect("an address") }
    }

    pub(crate) fn memory(&self) -> f64 {
        self.running.memory()
    }

    /// The maximum resident memory that it ever had, also between two measurements. Units: MiB.
    pub(crate) fn peak(&self) -> f64 {
        self.running.field("VmHWM:")
    }
}

pub(crate) struct Nginx {
    running: Running,
    pub(crate) port: u16,
}

impl Nginx {
    /// `None`: this machine does not have it.
    ///
    /// It may send the compressed files of the build, as `mclive` does, and keep them open.
    pub(crate) fn start(site: &Path, dir: &Path) -> Option<Nginx> {
        let port = std::net::TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let dir = dir.display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|part| format!("{part}_temp_path {dir}/{part};\n"))
            .concat();
        let config = format!(
            "daemon off;\nmaster_process off;\nworker_processes 1;\nuser root;\npid {dir}/nginx.pid;\nerror_log {dir}/nginx.log;\n\
             events {{}}\nhttp {{\naccess_log off;\nsendfile on;\ntcp_nopush on;\nopen_file_cache max=1000;\n\
             gzip_static on;\nkeepalive_requests 100000000;\n{temporary}\
             server {{ listen 127.0.0.1:{port}; root {}; }}\n}}\n",
            site.display(),
        );
        let path = std::path::PathBuf::from(format!("{dir}/nginx.conf"));
        std::fs::write(&path, config).ok()?;
        let nginx = Command::new("nginx").arg("-c").arg(&path).stderr(Stdio::null()).spawn().ok()?;
        let nginx = Nginx { running: Running(nginx), port };
        let is_up = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        assert!(
            is_up,
            "nginx does not start: {}",
            std::fs::read_to_string(format!("{dir}/nginx.log")).unwrap_or_default()
        );
        Some(nginx)
    }

    pub(crate) fn memory(&self) -> f64 {
        self.running.memory()
    }
}

/// The name of the largest file of the site with this ending.
pub(crate) fn largest(site: &Path, ending: &str) -> String {
    let files = std::fs::read_dir(site).expect("a site").map(|entry| entry.expect("a file").path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == ending));
    let largest = files.max_by_key(|path| path.metadata().map_or(0, |about| about.len())).expect("a script");
    largest.file_name().expect("it has one").to_string_lossy().into_owned()
}
