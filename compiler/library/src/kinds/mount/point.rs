//! The path of a mount point in the kernel's table of mounts, which has no links in its paths.

use crate::kinds::Decision;
use crate::kinds::walk::Walk;
use crate::vocab::mount::Mounted;
use crate::vocab::{Finding, Probe, file};

/// The same limit as the kernel's.
const MOST_LINKS: usize = 40;

/// The path of a mount point with its links resolved, as the kernel does: `..` is the folder above the place of a link, and
/// not above the link itself. A part that cannot be looked at does not count as a link. Nothing is looked at if something
/// is mounted at the path itself, since then there is no link in it.
pub(super) fn resolved(walk: &mut Walk, target: &str, mounts: &[Mounted]) -> Result<String, Decision> {
    // Where the way leads so far, without links and without a trailing slash, and its other parts.
    let mut place = String::new();
    let mut rest: Vec<String> = parts(target).collect();
    let mut n_links = 0;
    loop {
        let n_down = rest.iter().position(|part| part == "..").unwrap_or(rest.len());
        let mut path = place.clone();
        let down = |part: &String| {
            path = format!("{path}/{part}");
            path.clone()
        };
        let paths: Vec<String> = rest[..n_down].iter().map(down).collect();
        match first_link(walk, &paths, mounts)? {
            Some((nr, to)) if n_links < MOST_LINKS => {
                n_links += 1;
                let behind = rest.split_off(nr + 1);
                place = if to.starts_with('/') { String::new() } else { above(&paths[nr]).to_owned() };
                rest = parts(&to).chain(behind).collect();
            }
            Some(_) | None => {
                place = paths.into_iter().next_back().unwrap_or(place);
                if n_down == rest.len() {
                    return Ok(if place.is_empty() { "/".to_owned() } else { place });
                }
                rest.drain(..=n_down);
                place = above(&place).to_owned();
            }
        }
    }
}

/// The first of these paths that is a link, and its target. Each path is in the one before it.
fn first_link(walk: &mut Walk, paths: &[String], mounts: &[Mounted]) -> Result<Option<(usize, String)>, Decision> {
    let is_mounted = |path: &String| mounts.iter().any(|mounted| mounted.target == *path);
    if paths.last().is_none_or(is_mounted) {
        return Ok(None);
    }
    let look = |path: &String| Probe::File(file::Probe::Stat { path: path.clone(), follow: false });
    let found = walk.look(paths.iter().map(look).collect())?;
    let link = found.iter().enumerate().find_map(|(nr, finding)| match finding {
        Finding::File(file::Finding::Stat(Some(stat))) => Some((nr, stat.target.clone()?)),
        _ => None,
    });
    Ok(link)
}

fn parts(path: &str) -> impl Iterator<Item = String> {
    path.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned)
}

/// The folder of a path, without a trailing slash; that of the root is the root.
fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
