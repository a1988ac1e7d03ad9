//! Sets that grow along edges.

/// Adds each of some sets to those that edges lead to from it, until nothing changes. `extend` adds a set to another one,
/// and says whether it had something new.
pub fn spread<S>(sets: &mut [S], mut edges: Vec<(u32, u32)>, extend: impl Fn(&mut S, &S) -> bool) {
    edges.sort_unstable();
    edges.dedup();
    let mut open: Vec<u32> = edges.iter().map(|(from, _)| *from).collect();
    open.dedup();
    let mut is_open = vec![false; sets.len()];
    for &from in &open {
        is_open[from as usize] = true;
    }
    while let Some(from) = open.pop() {
        is_open[from as usize] = false;
        let first = edges.partition_point(|edge| edge.0 < from);
        for &(_, to) in edges[first..].iter().take_while(|edge| edge.0 == from) {
            let Ok([own, other]) = sets.get_disjoint_mut([from as usize, to as usize]) else { continue }; // itself
            if extend(other, own) && !std::mem::replace(&mut is_open[to as usize], true) {
                open.push(to);
            }
        }
    }
}
