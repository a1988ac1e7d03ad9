//! Parts in a row between two guards.
//!
//! A part may leave several guards, so a row is a graph of guards in layers, one before each part. What does not lead to the
//! guard at the end is left out:
//!
//! ```text
//! A? B C      before B: the guards that A leaves, and the one before the row
//! ```

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::copies::{Copies, GuardSet};
use super::guards::GuardId;
use super::parts::PartId;
use crate::error::Result;
use crate::language::{Node, NodeId};

/// The nodes that a part may be, and the guards after them.
type Ways = SmallVec<[(NodeId, GuardId); 2]>;

/// By guard before a part of a row, ascending: the nodes that the part may be.
type Layer = SmallVec<[(GuardId, Ways); 1]>;

/// What comes from a layer of a row on, after a guard, where several ways lead to it.
type Rests = FxHashMap<(usize, GuardId), NodeId>;

impl Copies<'_> {
    /// Parts in a row: a sequence, which branches where a part leaves several guards.
    pub fn row(&mut self, all: &[PartId], guard: GuardId, after: GuardId) -> Result<Option<NodeId>> {
        let layers = self.layers(all, guard, after)?;
        if layers.first().is_none_or(|layer| ways_after(layer, guard).is_none()) {
            return Ok((all.is_empty() && guard == after).then(|| self.graph.add(Node::Empty)));
        }
        // Where a layer branches, what comes after each branch is a node of its own. It is made before what leads there.
        let mut made = Rests::default();
        for at in (1..layers.len()).rev() {
            let branching = layers[at - 1].iter().filter(|(_, ways)| ways.len() > 1);
            let targets: GuardSet = branching.flat_map(|(_, ways)| ways).map(|(_, to)| *to).collect();
            for to in targets {
                let node = self.row_from(&layers, at, to, &made);
                made.insert((at, to), node);
            }
        }
        Ok(Some(self.row_from(&layers, 0, guard, &made)))
    }

    /// What comes from a layer on.
    fn row_from(&mut self, layers: &[Layer], mut at: usize, mut guard: GuardId, made: &Rests) -> NodeId {
        let mut all = Vec::new();
        while let Some(ways) = layers.get(at).and_then(|layer| ways_after(layer, guard)) {
            at += 1;
            if let [(node, to)] = ways[..] {
                all.push(node);
                guard = to;
                continue;
            }
            let way = |(node, to): &(NodeId, GuardId)| match made.get(&(at, *to)) {
                Some(&rest) => self.sequence(&[*node, rest]),
                None => *node, // the last layer
            };
            let options = ways.iter().map(way).collect();
            all.push(self.graph.choice(options));
            break;
        }
        self.sequence(&all)
    }

    /// By part of a row, and by guard before it: the nodes that it may be, and the guards after them, of all ways that end
    /// with the guard `after`.
    fn layers(&mut self, all: &[PartId], guard: GuardId, after: GuardId) -> Result<Vec<Layer>> {
        let mut before = vec![GuardSet::from([guard])];
        for &part in all {
            let mut after = GuardSet::new();
            for &guard in before.last().into_iter().flatten() {
                after.extend(self.guards_left(part, guard).iter());
            }
            before.push(after);
        }
        let mut layers = vec![Layer::new(); all.len()];
        let mut alive = GuardSet::from([after]);
        for (at, &part) in all.iter().enumerate().rev() {
            for &guard in &before[at] {
                let mut ways = Ways::new();
                for to in self.guards_left(part, guard).iter().filter(|to| alive.contains(to)) {
                    ways.extend(self.node(part, guard, *to)?.map(|node| (node, *to)));
                }
                if !ways.is_empty() {
                    layers[at].push((guard, ways));
                }
            }
            alive = layers[at].iter().map(|(guard, _)| *guard).collect();
        }
        Ok(layers)
    }
}

/// The nodes that a part may be after a guard.
fn ways_after(layer: &Layer, guard: GuardId) -> Option<&Ways> {
    layer.binary_search_by_key(&guard, |(own, _)| *own).ok().map(|at| &layer[at].1)
}
