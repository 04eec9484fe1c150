//! [`Pki`]: an authority of a test, and certificates that it signs, made with `openssl` in its own folder that ends
//! with the value.

use crate::left_out;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// An authority.
pub struct Pki {
    folder: PathBuf,
}

/// What a certificate is for.
pub enum Purpose {
    /// A server only.
    Server,
    /// A server that also connects to itself, as etcd does.
    Both,
    /// A client only.
    Client,
}

impl Pki {
    /// `None`: there is no `openssl` here, which is reported.
    pub fn new() -> Option<Pki> {
        static N_MADE: AtomicU32 = AtomicU32::new(0);
        let number = N_MADE.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("pki-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for certificates");
        let pki = Pki { folder };
        let made = pki.openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority \
             -addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.pem",
        );
        if !made {
            left_out("tests of encrypted connections: openssl cannot create certificates");
            return None;
        }
        Some(pki)
    }

    /// The certificate of the authority.
    pub fn authority(&self) -> PathBuf {
        self.path("ca.pem")
    }

    /// Makes `NAME.pem` and `NAME.key`, a certificate for 127.0.0.1 and its key, in place of what was there.
    pub fn make(&self, name: &str, purpose: Purpose) -> (PathBuf, PathBuf) {
        self.make_for(name, purpose, "IP:127.0.0.1")
    }

    /// The same for other names.
    pub fn make_for(&self, name: &str, purpose: Purpose, names: &str) -> (PathBuf, PathBuf) {
        let usage = match purpose {
            Purpose::Server => "serverAuth",
            Purpose::Both => "serverAuth,clientAuth",
            Purpose::Client => "clientAuth",
        };
        let extensions =
            format!("basicConstraints=critical,CA:FALSE\nextendedKeyUsage={usage}\nsubjectAltName={names}\n");
        fs::write(self.path("extensions"), extensions).expect("a file for extensions");
        let made = self.openssl(&format!(
            "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN={name} -keyout {name}.key -out {name}.csr"
        )) && self.openssl(&format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out {name}.pem"
        ));
        assert!(made, "openssl cannot create the certificate {name}");
        (self.path(&format!("{name}.pem")), self.path(&format!("{name}.key")))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn openssl(&self, line: &str) -> bool {
        let ran = Command::new("openssl").args(line.split_whitespace()).current_dir(&self.folder).output();
        ran.is_ok_and(|ran| ran.status.success())
    }
}

/// A path as text, for a command line.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path of this test is text")
}

impl Drop for Pki {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
