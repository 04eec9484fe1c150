//! What a vertex depends on, and what depends on it.

/// The vertex with everything that feeds it and everything that follows it, over any number of edges; ascending. Cost:
/// linear in vertices and edges.
pub fn around(n_vertices: usize, edges: &[(u32, u32)], at: u32) -> Vec<u32> {
    let mut is_near = reached(n_vertices, edges.iter().copied(), &[at]);
    let before = reached(n_vertices, edges.iter().map(|(from, to)| (*to, *from)), &[at]);
    is_near.iter_mut().zip(before).for_each(|(near, before)| *near |= before);
    is_near.into_iter().zip(0..).filter(|(near, _)| *near).map(|(_, index)| index).collect()
}

/// For each vertex, whether the edges lead there from one of `starts`, which are reached themselves. Unknown vertices are
/// ignored.
pub fn reached(n_vertices: usize, edges: impl Iterator<Item = (u32, u32)>, starts: &[u32]) -> Vec<bool> {
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); n_vertices];
    for (from, to) in edges {
        if let Some(targets) = next.get_mut(from as usize) {
            targets.push(to);
        }
    }
    let mut is_reached = vec![false; n_vertices];
    let mut ahead = starts.to_vec();
    while let Some(at) = ahead.pop() {
        if let Some(known) = is_reached.get_mut(at as usize).filter(|known| !**known) {
            *known = true;
            ahead.extend(&next[at as usize]);
        }
    }
    is_reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeders_and_followers_are_near_and_siblings_are_not() {
        // 0 -> 1 -> 2 -> 4, 0 -> 3 -> 4
        let edges = [(0, 1), (1, 2), (0, 3), (2, 4), (3, 4)];
        assert_eq!(around(6, &edges, 1), [0, 1, 2, 4]);
        assert_eq!(around(6, &edges, 0), [0, 1, 2, 3, 4]);
        assert_eq!(around(6, &edges, 5), [5]);
    }

    #[test]
    fn circles_and_unknown_vertices_end() {
        assert_eq!(around(3, &[(0, 1), (1, 0), (1, 1), (7, 2), (2, 9)], 0), [0, 1]);
        assert!(around(2, &[(0, 1)], 5).is_empty());
    }
}
