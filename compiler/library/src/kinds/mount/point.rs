//! The path of a mount point in the kernel's table of mounts, which has no links in its paths.

use crate::kinds::Decision;
use crate::kinds::walk::Walk;
use crate::vocab::mount::Mounted;
use crate::vocab::path::clean;
use crate::vocab::{Finding, Probe, file};

/// The same limit as the kernel's.
const MOST_LINKS: usize = 40;

/// The path of a mount point with its links resolved. A part that cannot be looked at does not count as a link. Nothing
/// is looked at if something is mounted at the path itself, since then there is no link in it.
pub(super) fn resolved(walk: &mut Walk, target: &str, mounts: &[Mounted]) -> Result<String, Decision> {
    let mut place = clean(target);
    for _ in 0..MOST_LINKS {
        if mounts.iter().any(|mounted| mounted.target == place) {
            break;
        }
        let above = place.match_indices('/').skip(1).map(|(at, _)| place[..at].to_owned());
        let paths: Vec<String> = above.chain([place.clone()]).collect();
        let look = |path: &String| Probe::File(file::Probe::Stat { path: path.clone(), follow: false });
        let found = walk.look(paths.iter().map(look).collect())?;
        let link = paths.iter().zip(found).find_map(|(path, finding)| match finding {
            Finding::File(file::Finding::Stat(Some(stat))) => Some((path, stat.target.as_ref()?)),
            _ => None,
        });
        let Some((path, to)) = link else { break };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let from = if to.starts_with('/') { "" } else { folder };
        place = clean(&format!("{from}/{to}{}", &place[path.len()..]));
    }
    Ok(place)
}
