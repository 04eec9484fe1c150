//! [`Cgroup`]: private control groups, below those of this process, removed with everything in them.
//!
//! A machine has control groups of version 2 (one hierarchy), of version 1 (one for each controller, and
//! `name=systemd`), or of both. A group is made in each mounted hierarchy: root in a test machine may make groups in
//! all of them, and must see its own as their roots.

use crate::processes;
use crate::run::Run;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A group in each hierarchy.
#[derive(Debug)]
pub struct Cgroup {
    folders: Vec<PathBuf>,
}

impl Cgroup {
    /// Makes the groups. Errors: a sentence that says why it is impossible.
    pub fn new(label: &str) -> Result<Cgroup, String> {
        let mut cgroup = Cgroup { folders: Vec::new() };
        for here in own_groups()? {
            let folder = here.join(format!("{}-{label}", Run::current()));
            let fails = |error| format!("cannot create a control group: {}: {error}", folder.display());
            fs::create_dir(&folder).map_err(fails)?;
            cgroup.folders.push(folder.clone());
            // Version 1: without processors and memory a group accepts no process.
            for file in ["cpuset.cpus", "cpuset.mems"] {
                let _ = fs::read(here.join(file)).and_then(|all| fs::write(folder.join(file), all));
            }
        }
        if cgroup.folders.is_empty() {
            return Err("no control groups are mounted, but systemd needs them for its units".into());
        }
        // A group may exist and still accept no process, for example below a threaded group.
        let mut trial = Command::new("true");
        trial.stdin(Stdio::null());
        cgroup.enter(&mut trial)?;
        match trial.status() {
            Ok(_) => Ok(cgroup),
            Err(error) => {
                Err(format!("cannot move a process to the control group {}: {error}", cgroup.folders[0].display()))
            }
        }
    }

    /// The folder of its group in each hierarchy.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Makes a command start in it.
    pub fn enter(&self, command: &mut Command) -> Result<(), String> {
        let open = |folder: &PathBuf| {
            let path = folder.join("cgroup.procs");
            File::options().write(true).open(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let doors = self.folders.iter().map(open).collect::<Result<Vec<File>, String>>()?;
        // SAFETY: between `fork` and `exec` it makes one system call for each group, on an open file.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(move || doors.iter().try_for_each(|mut door| door.write_all(b"0")));
        }
        Ok(())
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for folder in &self.folders {
            if let Err(why) = remove(folder) {
                eprintln!("{why}");
            }
        }
    }
}

/// The groups of the runs accepted by `is_meant`, wherever they are.
pub fn of_runs(is_meant: impl Fn(Run) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut ahead = mounted();
    while let Some(folder) = ahead.pop() {
        for group in folders_in(&folder) {
            let run = group.file_name().and_then(|name| Run::parse(name.to_str()?));
            match run.is_some_and(&is_meant) {
                true => found.push(group),
                false => ahead.push(group),
            }
        }
    }
    found
}

/// The mount points of the hierarchies.
pub(crate) fn mounted() -> Vec<PathBuf> {
    hierarchies().into_iter().map(|hierarchy| hierarchy.mounted_at).collect()
}

/// Kills everything in a group and below it, and removes the groups.
pub fn remove(group: &Path) -> Result<(), String> {
    const LIMIT: Duration = Duration::from_secs(30);
    let began = Instant::now();
    loop {
        // All at once, if the kernel supports it.
        let _ = fs::write(group.join("cgroup.kill"), "1");
        let mut groups = vec![group.to_owned()];
        let mut next = 0;
        while let Some(folder) = groups.get(next) {
            let below = folders_in(folder);
            groups.extend(below);
            next += 1;
        }
        for folder in groups.iter().rev() {
            let members = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
            members.lines().filter_map(|pid| pid.parse().ok()).for_each(processes::kill);
            let _ = fs::remove_dir(folder);
        }
        if !group.exists() {
            return Ok(());
        }
        if began.elapsed() > LIMIT {
            return Err(format!("cannot remove the control group {}: a process in it does not exit", group.display()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir())).map(|entry| entry.path()).collect()
}

struct Hierarchy {
    /// Its controllers or its name; empty for version 2.
    holds: BTreeSet<String>,
    mounted_at: PathBuf,
    /// The group visible at the mount point.
    shows: String,
}

fn hierarchies() -> Vec<Hierarchy> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut found: Vec<Hierarchy> = Vec::new();
    for hierarchy in mounts.lines().filter_map(hierarchy) {
        // A hierarchy mounted twice counts once.
        if found.iter().all(|known| known.holds != hierarchy.holds) {
            found.push(hierarchy);
        }
    }
    found
}

/// Parses a line of `/proc/self/mountinfo`.
fn hierarchy(line: &str) -> Option<Hierarchy> {
    /// Mount options that are not controllers.
    const FLAGS: [&str; 7] = ["rw", "ro", "xattr", "noprefix", "clone_children", "cpuset_v2_mode", "favordynmods"];
    let (place, kind) = line.split_once(" - ")?;
    let (place, kind): (Vec<&str>, Vec<&str>) = (place.split(' ').collect(), kind.split(' ').collect());
    let holds = match *kind.first()? {
        "cgroup2" => BTreeSet::new(),
        "cgroup" => {
            let options = kind.get(2)?.split(',');
            let is_one = |option: &&str| !FLAGS.contains(option) && !option.starts_with("release_agent=");
            options.filter(is_one).map(str::to_owned).collect()
        }
        _ => return None,
    };
    Some(Hierarchy { holds, mounted_at: place.get(4)?.into(), shows: (*place.get(3)?).to_owned() })
}

/// The groups of this process, as folders.
fn own_groups() -> Result<Vec<PathBuf>, String> {
    let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| format!("/proc/self/cgroup: {error}"))?;
    hierarchies().iter().map(|hierarchy| own_group(hierarchy, &own)).collect()
}

/// `own` is the content of `/proc/self/cgroup`.
fn own_group(hierarchy: &Hierarchy, own: &str) -> Result<PathBuf, String> {
    let mounted_at = hierarchy.mounted_at.display();
    let holds = |names: &str| names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let mut lines = own.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    let (_, path) = lines
        .find(|(names, _)| BTreeSet::eq(&hierarchy.holds, &holds(names)))
        .ok_or_else(|| format!("this process is in no control group of {mounted_at}"))?;
    path.strip_prefix(hierarchy.shows.trim_end_matches('/'))
        .filter(|below| (below.is_empty() || below.starts_with('/')) && !below.starts_with("/.."))
        .map(|below| {
            hierarchy.mounted_at.components().chain(Path::new(&below[below.len().min(1)..]).components()).collect()
        })
        .ok_or_else(|| format!("the control group {path} of this process does not exist below {mounted_at}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where groups are made, for these mounts and own groups.
    fn check(mounts: &str, own: &str, expect: &[&str]) {
        let hierarchies = mounts.lines().filter_map(hierarchy);
        let found: Result<Vec<PathBuf>, String> = hierarchies.map(|one| own_group(&one, own)).collect();
        let found = found.map(|all| all.iter().map(|path| path.display().to_string()).collect::<Vec<_>>());
        assert_eq!(found.unwrap_or_else(|why| vec![why]), expect);
    }

    const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
    const V1: &str = "34 32 0:29 / /sys/fs/cgroup/systemd rw - cgroup systemd rw,xattr,name=systemd\n\
                      35 32 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct";
    const BOTH: &str = "33 32 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw";

    #[test]
    fn each_kind_of_machine_is_served() {
        check(V2, "0::/user.slice/a.scope\n", &["/sys/fs/cgroup/user.slice/a.scope"]);
        check(
            V1,
            "4:cpuacct,cpu:/x\n1:name=systemd:/user\n",
            &["/sys/fs/cgroup/systemd/user", "/sys/fs/cgroup/cpu,cpuacct/x"],
        );
        check(
            &format!("{BOTH}\n{V1}"),
            "4:cpu,cpuacct:/\n1:name=systemd:/\n0::/a\n",
            &["/sys/fs/cgroup/unified/a", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/cpu,cpuacct"],
        );
    }

    #[test]
    fn in_a_container_only_what_is_seen_counts() {
        let part = V2.replace("0:26 / ", "0:26 /docker/1 ");
        check(&part, "0::/docker/1/job\n", &["/sys/fs/cgroup/job"]);
        let elsewhere = "the control group /job of this process does not exist below /sys/fs/cgroup";
        check(&part, "0::/job\n", &[elsewhere]);
        check(V2, "0::/../job\n", &[&elsewhere.replace("/job", "/../job")]);
    }
}
