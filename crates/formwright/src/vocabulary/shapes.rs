//! Tokens by their *shape*: what remains of their bytes when letters of a case, digits and most lead bytes are alike.
//!
//! Most states of most patterns treat all lowercase letters alike, all digits, all Greek. Such a state treats `"
//! house"` and `" mouse"` alike, so one look is enough for both: 131k tokens have 12k shapes, whose tree has 22k nodes
//! where that of the tokens has 266k.
//!
//! ```text
//! "house" "mouse" "Mouse9" "Mouse7"      h-a-a-a-a   m-a-a-a-a   M-a-a-a-a-0 (two tokens)
//! ```
//!
//! The first byte stays itself: patterns often treat first characters differently (`^x-`, `[1-9]`), and it costs
//! little.
//!
//! Cost: 6 ms and 1 MB for 131k tokens. A state need not treat the bytes of a class alike; a walk over
//! shapes must check that, and look at the tokens themselves where it does not.

use rustc_hash::FxHashMap;

use super::kinds::{self, Kinds};
use super::{NodeIndex, TokenId, Trie};

/// The class of a byte, named by one of its members.
pub const fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => b'a',
        b'A'..=b'Z' => b'A',
        b'0'..=b'9' => b'0',
        0x80..=0x8F => 0x80,
        0x90..=0x9F => 0x90,
        0xA0..=0xBF => 0xA0,
        0xC4..=0xC9 => 0xC4,
        0xCA..=0xCF => 0xCA,
        0xD0..=0xD1 => 0xD0,
        0xD2..=0xDF => 0xD2,
        0xE5..=0xE9 => 0xE5,
        0xEB..=0xEC => 0xEB,
        0xF1..=0xF3 => 0xF1,
        _ => byte,
    }
}

/// The index of each class, by the byte it is named by, and the number of classes.
const PLACES: ([u8; 256], usize) = {
    let (mut places, mut count, mut byte) = ([0; 256], 0, 0);
    while byte < 256 {
        if class(byte as u8) == byte as u8 {
            places[byte] = count as u8;
            count += 1;
        }
        byte += 1;
    }
    (places, count)
};

/// How many classes there are.
pub const CLASSES: usize = PLACES.1;

/// The index of a class.
#[inline]
pub fn place(class: u8) -> usize {
    usize::from(PLACES.0[usize::from(class)])
}

/// The bytes of a class.
pub fn members(class: u8) -> std::ops::RangeInclusive<u8> {
    let last = match class {
        b'a' => b'z',
        b'A' => b'Z',
        b'0' => b'9',
        0x80 => 0x8F,
        0x90 => 0x9F,
        0xA0 => 0xBF,
        0xC4 => 0xC9,
        0xCA => 0xCF,
        0xD0 => 0xD1,
        0xD2 => 0xDF,
        0xE5 => 0xE9,
        0xEB => 0xEC,
        0xF1 => 0xF3,
        alone => alone,
    };
    class..=last
}

/// The kinds of characters in the class of each ASCII byte.
fn ascii_kinds() -> [Kinds; 128] {
    std::array::from_fn(|byte| members(class(byte as u8)).fold(0, |set, byte| set | kinds::ascii(byte)))
}

/// Tokens by shape.
#[derive(Debug)]
pub struct Shapes {
    /// Over the classes of bytes, but for the first byte, which is itself; items are shapes, in order.
    pub trie: Trie,
    /// The tokens of shape `i` are `tokens[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    tokens: Vec<TokenId>,
}

impl Shapes {
    /// The tokens of a tree whose items are tokens.
    pub fn new(plain: &Trie) -> Self {
        let (nodes, ends) = distinct(plain);
        let mut terminal = vec![false; nodes.len()];
        for &end in &ends {
            terminal[end as usize] = true;
        }
        let shapes = (0..nodes.len() as NodeIndex).filter(|&node| terminal[node as usize]);
        let mut spelled: Vec<(Vec<u8>, NodeIndex)> = shapes.map(|node| (spell(&nodes, node), node)).collect();
        spelled.sort_unstable();
        let keyed: Vec<(&[u8], u32)> = spelled.iter().zip(0..).map(|((bytes, _), shape)| (&**bytes, shape)).collect();
        let trie = Trie::new(&keyed).with_kinds(&ascii_kinds());
        let mut shape_of = vec![0; nodes.len()];
        for (&(_, node), shape) in spelled.iter().zip(0..) {
            shape_of[node as usize] = shape;
        }
        let shapes = ends.iter().map(|&end| shape_of[end as usize]);
        let (starts, tokens) = grouped(shapes.zip(plain.items().iter().copied()), spelled.len());
        Self { trie, starts, tokens }
    }

    /// Where the tokens with the shapes of `items` are.
    pub fn range(&self, items: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.starts[items.start] as usize..self.starts[items.end] as usize
    }

    /// All tokens, by shape.
    pub fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }
}

/// A tree of shapes as `(parent, class)`, the root first, and where each item ends in it.
fn distinct(plain: &Trie) -> (Vec<(NodeIndex, u8)>, Vec<NodeIndex>) {
    let mut nodes = vec![(0, 0)];
    let mut known: FxHashMap<u64, NodeIndex> = FxHashMap::default();
    let mut path = vec![0]; // the shape of each node on the way
    let mut ends = Vec::with_capacity(plain.items().len());
    for (node, index) in plain.nodes().iter().zip(0..).skip(1) {
        let depth = usize::from(node.depth);
        path.truncate(depth);
        let (parent, class) = (path[depth - 1], if depth == 1 { node.byte } else { class(node.byte) });
        let next = nodes.len() as NodeIndex;
        let shape = *known.entry(u64::from(parent) << 8 | u64::from(class)).or_insert(next);
        if shape == next {
            nodes.push((parent, class));
        }
        path.push(shape);
        ends.extend(plain.items_at(index).map(|_| shape));
    }
    (nodes, ends)
}

/// The classes that lead to a node.
fn spell(nodes: &[(NodeIndex, u8)], mut node: NodeIndex) -> Vec<u8> {
    let mut spelled = Vec::new();
    while node != 0 {
        let (parent, class) = nodes[node as usize];
        spelled.push(class);
        node = parent;
    }
    spelled.reverse();
    spelled
}

/// Values by their group, in order: where each group starts, and all of them.
fn grouped(values: impl Iterator<Item = (u32, TokenId)> + Clone, groups: usize) -> (Vec<u32>, Vec<TokenId>) {
    let mut starts = vec![0_u32; groups + 1];
    values.clone().for_each(|(group, _)| starts[group as usize + 1] += 1);
    for group in 0..groups {
        starts[group + 1] += starts[group];
    }
    let mut next = starts.clone();
    let mut all = vec![0; starts[groups] as usize];
    for (group, value) in values {
        let at = &mut next[group as usize];
        all[*at as usize] = value;
        *at += 1;
    }
    (starts, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_shape_stand_together() {
        let words: [&[u8]; 6] = [b"Mouse7", b"Mouse9", b"h", b"house", b"mouse", "mu\u{301}".as_bytes()];
        let sorted: Vec<(&[u8], TokenId)> = words.iter().zip(0..).map(|(&word, id)| (word, id)).collect();
        let shapes = Shapes::new(&Trie::new(&sorted));
        let m = shapes.trie.child(0, b'M').unwrap();
        assert_eq!(shapes.tokens()[shapes.range(shapes.trie.items_below(m))], [0, 1]);
        assert_eq!(shapes.trie.node(m).height, 5);
        let all: Vec<TokenId> = shapes.tokens()[shapes.range(shapes.trie.items_below(0))].to_vec();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn classes_part_all_bytes() {
        let all: usize = (0..=255).filter(|&byte| class(byte) == byte).map(|class| members(class).count()).sum();
        assert_eq!(all, 256);
        assert!((0..=255).all(|byte| class(class(byte)) == class(byte)));
    }
}
