//! The states of a deterministic automaton that go on alike.
//!
//! ```text
//! 1 -c-> 3   2 -c-> 4        3 and 4 accept, so 1 and 2 go on alike:   {1, 2} -c-> {3, 4}
//! ```
//!
//! Blocks of states are split by where their letters lead, until nothing tells the states of a block apart (Hopcroft's
//! algorithm, in the way of Valmari and Lehtinen, which needs no state for what is refused).
//!
//! Cost: the logarithm of the states for each edge.

use crate::interrupt::count;

/// Where a class of letters leads.
pub struct Edge {
    /// From this state.
    pub from: u32,
    /// The class.
    pub class: u32,
    /// To this state.
    pub to: u32,
}

/// A partition of numbers, split by those that are marked.
pub struct Partition {
    /// All numbers, those of a set side by side.
    pub members: Vec<u32>,
    /// Where each number is among them.
    places: Vec<u32>,
    /// The set of each number.
    pub of: Vec<u32>,
    /// By set: where it begins, how many are marked, and where it ends. Marked ones come first.
    pub first: Vec<usize>,
    marked: Vec<usize>,
    end: Vec<usize>,
    /// Sets with marks.
    touched: Vec<u32>,
}

impl Partition {
    /// Numbers apart by their keys.
    fn by_key<K: Ord>(size: usize, key: impl Fn(u32) -> K) -> Self {
        let mut members: Vec<u32> = (0..size as u32).collect();
        members.sort_by_key(|&number| key(number));
        let mut made = Self {
            places: vec![0; size],
            of: vec![0; size],
            first: Vec::new(),
            marked: Vec::new(),
            end: Vec::new(),
            touched: Vec::new(),
            members,
        };
        for place in 0..size {
            let number = made.members[place];
            if place == 0 || key(made.members[place - 1]) != key(number) {
                made.first.push(place);
                made.marked.push(0);
                made.end.push(place);
            }
            let set = made.first.len() - 1;
            (made.places[number as usize], made.of[number as usize]) = (place as u32, set as u32);
            made.end[set] += 1;
        }
        made
    }

    /// How many sets there are.
    pub fn count(&self) -> usize {
        self.first.len()
    }

    fn set(&self, set: usize) -> std::ops::Range<usize> {
        self.first[set]..self.end[set]
    }

    fn mark(&mut self, number: u32) {
        let set = self.of[number as usize] as usize;
        let (place, front) = (self.places[number as usize] as usize, self.first[set] + self.marked[set]);
        if place < front {
            return;
        }
        let other = self.members[front];
        self.members.swap(place, front);
        (self.places[other as usize], self.places[number as usize]) = (place as u32, front as u32);
        if self.marked[set] == 0 {
            self.touched.push(set as u32);
        }
        self.marked[set] += 1;
    }

    /// Makes sets of their own of what is marked, or, if that is less, of what is not.
    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let set = set as usize;
            let middle = self.first[set] + std::mem::take(&mut self.marked[set]);
            if middle == self.end[set] {
                continue;
            }
            let (first, end) = if middle - self.first[set] <= self.end[set] - middle {
                (std::mem::replace(&mut self.first[set], middle), middle)
            } else {
                (middle, std::mem::replace(&mut self.end[set], middle))
            };
            for place in first..end {
                self.of[self.members[place] as usize] = self.first.len() as u32;
            }
            self.first.push(first);
            self.marked.push(0);
            self.end.push(end);
        }
    }

    /// Numbers for the sets, that of a member being 0.
    pub fn numbered_from(&self, member: usize) -> Vec<u16> {
        let mut numbers: Vec<u16> = (0..self.count() as u16).collect();
        numbers.swap(0, self.of[member] as usize);
        numbers
    }
}

/// Blocks of states of one kind that have the same continuations; `kinds` are by state, such as whether it accepts.
pub fn split_blocks<K: Copy + Ord>(kinds: &[K], edges: &[Edge]) -> Partition {
    let mut blocks = Partition::by_key(kinds.len(), |state| kinds[state as usize]);
    let mut cords = Partition::by_key(edges.len(), |edge| edges[edge as usize].class);
    let into = edges_into(kinds.len(), edges);
    let (mut next_block, mut next_cord) = (1, 0);
    while next_cord < cords.count() {
        count(cords.set(next_cord).len() / 4 + 1);
        for place in cords.set(next_cord) {
            blocks.mark(edges[cords.members[place] as usize].from);
        }
        blocks.split();
        next_cord += 1;
        while next_block < blocks.count() {
            for place in blocks.set(next_block) {
                for &edge in into.of(blocks.members[place]) {
                    cords.mark(edge);
                }
            }
            cords.split();
            next_block += 1;
        }
    }
    blocks
}

/// By state: the edges that lead to it.
fn edges_into(states: usize, edges: &[Edge]) -> EdgesInto {
    let mut starts = vec![0_u32; states + 1];
    for edge in edges {
        starts[edge.to as usize] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum; // where they end: filling them in from the end makes it the start
    }
    let mut all = vec![0; edges.len()];
    for (number, edge) in edges.iter().enumerate().rev() {
        starts[edge.to as usize] -= 1;
        all[starts[edge.to as usize] as usize] = number as u32;
    }
    EdgesInto { starts, all }
}

/// By state: the edges that lead to it.
struct EdgesInto {
    /// By state: where they begin; one more at the end.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl EdgesInto {
    fn of(&self, state: u32) -> &[u32] {
        &self.all[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}
