//! The space that a store takes, on its disk and in memory.

use super::{Etcd, below};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::fs;

impl Etcd {
    /// Returns the space of what was removed and compacted.
    pub fn defragment(&self) {
        self.ask("maintenance/defragment", &json!({}));
    }

    /// Sets large values below a prefix until the store is full, and refuses writes from then on.
    pub fn fill(&self, prefix: &str) {
        let value = STANDARD.encode("x".repeat(1 << 20));
        for n in 0_u32.. {
            let put = json!({ "key": STANDARD.encode(format!("{prefix}{n}")), "value": value });
            // A slow disk may refuse one as well, for another reason.
            if self.ask_or("kv/put", &put, |why| why.contains("database space exceeded")).is_err() {
                return;
            }
        }
    }

    /// Removes everything below a prefix, and allows writes again.
    pub fn make_room(&self, prefix: &str) {
        self.ask("kv/deleterange", &below(prefix));
        self.compact();
        self.defragment();
        let told = self.ask("maintenance/alarm", &json!({ "action": "GET" }));
        for alarm in told["alarms"].as_array().into_iter().flatten() {
            let off = json!({ "action": "DEACTIVATE", "memberID": alarm["memberID"], "alarm": alarm["alarm"] });
            self.ask("maintenance/alarm", &off);
        }
    }

    /// Its resident memory. Units: KiB.
    pub fn memory(&self) -> u64 {
        let id = self.child.as_ref().expect("it runs").id();
        let status = fs::read_to_string(format!("/proc/{id}/status")).expect("its status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_full_until_there_is_room_again() {
        let Some(etcd) = Etcd::small(8 << 20) else { return };
        etcd.fill("large/");
        assert!(etcd.ask_once("kv/put", &json!({ "key": "YQ==", "value": "YQ==" })).is_err());
        etcd.make_room("large/");
        etcd.put("a", "one");
        assert_eq!((etcd.get("a").as_deref(), etcd.keys("large/").len()), (Some("one"), 0));
        assert!(etcd.memory() > 0);
    }
}
