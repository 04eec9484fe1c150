//! The kernel's table of mounts, `/proc/self/mountinfo`.

use crate::host::io_failed;
use mclive_base::vocab::HostError;
use mclive_base::vocab::fstab::unescaped;
use mclive_base::vocab::mount::Mounted;
use mclive_base::vocab::path::escaped;
use std::collections::{HashMap, HashSet};

/// `statfs(2)`.
const TMPFS_MAGIC: i64 = 0x0102_1994;

pub(super) const FILE: &str = "/proc/self/mountinfo";

pub(super) fn read() -> Result<Vec<Mounted>, HostError> {
    let text = std::fs::read(FILE).map_err(|error| io_failed("open", FILE, &error))?;
    let lines = text.split(|byte| *byte == b'\n');
    let mut mounts = reachable(lines.filter_map(|line| row(&escaped(line))).collect());
    let mut covered = HashSet::new();
    for mounted in mounts.iter_mut().rev() {
        let is_top = covered.insert(mounted.target.clone());
        if is_top && mounted.kind == "tmpfs" {
            mounted.options.extend(left_out(mounted));
        }
    }
    Ok(mounts)
}

/// The limits of a file system in memory: the kernel leaves out its defaults, which depend on the memory.
fn left_out(mounted: &Mounted) -> Vec<String> {
    let shows = |key: &str| mounted.options.iter().any(|option| option.starts_with(key));
    let (has_size, has_inodes) = (shows("size="), shows("nr_inodes="));
    if has_size && has_inodes {
        return Vec::new();
    }
    let Ok(stat) = rustix::fs::statfs(mounted.target.as_str()) else { return Vec::new() };
    // Another file system may lie over one of its parents.
    if stat.f_type != TMPFS_MAGIC {
        return Vec::new();
    }
    let size = (!has_size).then(|| format!("size={}k", stat.f_blocks * (stat.f_bsize as u64 / 1024)));
    let inodes = (!has_inodes).then(|| format!("nr_inodes={}", stat.f_files));
    size.into_iter().chain(inodes).collect()
}

/// A line of the table: a mount, its number, and the number of the mount that its mount point is in.
struct Row {
    id: u32,
    parent: u32,
    mounted: Mounted,
}

/// Without those that no path leads to. Those at the same mount point come together, the one on top last: the kernel's table
/// may have another order.
fn reachable(mut rows: Vec<Row>) -> Vec<Mounted> {
    let covered = covered(&rows);
    let heights = heights(&rows);
    rows.retain(|row| !covered.contains(&row.id));
    let mut first: HashMap<String, usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        first.entry(row.mounted.target.clone()).or_insert(at);
    }
    rows.sort_by_key(|row| (first[&row.mounted.target], heights[&row.id]));
    rows.into_iter().map(|row| row.mounted).collect()
}

/// On how many others at the same mount point each mount lies, by its number.
fn heights(rows: &[Row]) -> HashMap<u32, usize> {
    let by_id = by_id(rows);
    rows.iter().map(|row| (row.id, stacked(&by_id, row).0)).collect()
}

fn by_id(rows: &[Row]) -> HashMap<u32, &Row> {
    rows.iter().map(|row| (row.id, row)).collect()
}

/// How many mounts at the same mount point a mount lies on, and the one that the lowest of them is in.
fn stacked<'r>(by_id: &HashMap<u32, &'r Row>, row: &Row) -> (usize, Option<&'r Row>) {
    let mut height = 0;
    let mut outer = by_id.get(&row.parent).copied();
    // The mount of `/` may be its own parent.
    while let Some(under) = outer.filter(|under| under.mounted.target == row.mounted.target && height < by_id.len()) {
        outer = by_id.get(&under.parent).copied();
        height += 1;
    }
    (height, outer)
}

/// The numbers of the mounts that no path leads to, since something was mounted later at a directory above.
fn covered(rows: &[Row]) -> HashSet<u32> {
    let by_id = by_id(rows);
    // Those above come first.
    let mut from_above: Vec<&Row> = rows.iter().collect();
    from_above.sort_by_key(|row| above(&row.mounted.target).count());
    // At each mount point the one on top, and on how many it lies.
    let mut tops: HashMap<&str, (usize, &Row)> = HashMap::new();
    let mut covered = HashSet::new();
    for row in from_above {
        let target = row.mounted.target.as_str();
        let (height, outer) = stacked(&by_id, row);
        let around = above(target).find_map(|folder| tops.get(folder));
        if outer.zip(around).is_some_and(|(outer, (_, around))| outer.id != around.id) {
            covered.insert(row.id);
        } else if tops.get(target).is_none_or(|(highest, _)| *highest <= height) {
            tops.insert(target, (height, row));
        }
    }
    covered
}

/// The directories above a path, the nearest first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    let inner = path.rmatch_indices('/').map(move |(at, _)| if at == 0 { "/" } else { &path[..at] });
    inner.filter(move |folder| *folder != path)
}

/// `36 35 98:0 /root /target rw,noatime shared:1 - ext4 /dev/vda rw,errors=continue`.
fn row(line: &str) -> Option<Row> {
    let (of_mount, of_system) = line.split_once(" - ")?;
    let mut of_mount = of_mount.split(' ');
    let (id, parent) = (of_mount.next()?.parse().ok()?, of_mount.next()?.parse().ok()?);
    let mut of_mount = of_mount.skip(2);
    let (target, flags) = (unescaped(of_mount.next()?), of_mount.next()?);
    let mut of_system = of_system.split(' ');
    let (kind, source, more) = (of_system.next()?.to_owned(), unescaped(of_system.next()?), of_system.next()?);
    let mut options: Vec<String> = flags.split(',').chain(more.split(',')).map(unescaped).collect();
    // Read-only is a flag of the mount, and those come first.
    let is_read_only = options.first().is_some_and(|first| first == "ro");
    options.retain(|option| !matches!(option.as_str(), "ro" | "rw"));
    options.insert(0, if is_read_only { "ro".into() } else { "rw".into() });
    Some(Row { id, parent, mounted: Mounted { target, source: real(&source), kind, options } })
}

/// Resolves links to a device, and a loop device to its file.
fn real(source: &str) -> String {
    if !source.starts_with('/') {
        return source.to_owned();
    }
    let device =
        std::fs::canonicalize(source).map_or_else(|_| source.to_owned(), |path| path.to_string_lossy().into_owned());
    let backing = device.strip_prefix("/dev/loop").map(|number| format!("/sys/block/loop{number}/loop/backing_file"));
    let backing = backing.and_then(|file| std::fs::read_to_string(file).ok());
    backing.map_or(device, |file| file.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_mount() {
        let mounted = |line: &str| row(line).map(|row| row.mounted);
        let line = r"36 35 98:0 / /srv/my\040data ro,noatime shared:1 - tmpfs none rw,size=1024k";
        let expect = Mounted {
            target: "/srv/my data".into(),
            source: "none".into(),
            kind: "tmpfs".into(),
            options: ["ro", "noatime", "size=1024k"].map(String::from).into(),
        };
        assert_eq!(mounted(line), Some(expect));
        assert_eq!(row(line).map(|row| (row.id, row.parent)), Some((36, 35)));
        assert_eq!(mounted("36 35 98:0"), None);
        // As every path that is not UTF-8.
        let line = escaped(b"36 35 98:0 / /srv/\xff\\040x rw - tmpfs none rw");
        assert_eq!(mounted(&line).unwrap().target, "/srv/\0ff x");
    }

    #[test]
    fn what_lies_under_another_mount_is_not_there() {
        let check = |lines: &[(u32, u32, &str)], expect: &[u32]| {
            let line = |(id, parent, target): &(u32, u32, &str)| {
                row(&format!("{id} {parent} 0:1 / {target} rw - tmpfs m{id} rw")).unwrap()
            };
            let found = reachable(lines.iter().map(line).collect());
            let found: Vec<&str> = found.iter().map(|mounted| &mounted.source[1..]).collect();
            assert_eq!(found, expect.iter().map(u32::to_string).collect::<Vec<_>>(), "{lines:?}");
        };
        check(&[(1, 0, "/"), (2, 1, "/a"), (3, 2, "/a/b"), (4, 3, "/a/b")], &[1, 2, 3, 4]);
        // Something is mounted over a place with a mount inside, and then gets another one inside.
        check(&[(1, 0, "/"), (2, 1, "/a"), (3, 2, "/a/b"), (4, 2, "/a")], &[1, 2, 4]);
        check(&[(1, 0, "/"), (2, 1, "/a"), (3, 2, "/a/b"), (4, 2, "/a"), (5, 4, "/a/b")], &[1, 2, 4, 5]);
        check(&[(1, 0, "/"), (3, 1, "/a/b"), (4, 3, "/a/b/c"), (2, 1, "/a"), (5, 2, "/a/b/c")], &[1, 2, 5]);
        // The order of the table does not matter, and neither does what it leaves out.
        check(&[(3, 2, "/a/b"), (4, 2, "/a"), (2, 1, "/a"), (1, 0, "/")], &[2, 4, 1]);
        check(&[(3, 9, "/a/b"), (2, 8, "/a")], &[3, 2]);
        check(&[(2, 2, "/a"), (3, 2, "/ab")], &[2, 3]);
        // Three at one place, and what is in the second and in the third, in every order.
        let stack = [(2, 1, "/a"), (3, 2, "/a"), (4, 3, "/a")];
        for [one, two, three] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let lines = [(1, 0, "/"), stack[one], stack[two], stack[three], (5, 3, "/a/b"), (6, 4, "/a/c")];
            check(&lines, &[1, 2, 3, 4, 6]);
        }
    }
}
