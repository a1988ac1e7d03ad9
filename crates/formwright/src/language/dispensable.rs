//! Bytes that no text of a graph needs, for a tokenizer that has no tokens for them.
//!
//! ```text
//! .*        wherever a text may go on with the byte 0x04, it may go on with 0x05 as well       dispensable
//! a\x04     no text goes without it
//! ```
//!
//! Bytes are dispensable if in place of each character that has one of them another one may come, wherever it may: one of
//! as many bytes which no class tells apart from it. Then whatever can be completed can be completed without them, and in
//! as few bytes.

use super::{Graph, Leaf, Node, TextSet};
use crate::regular::{ByteSet, Encoding, have_stand_ins};

impl Graph {
    /// Whether texts can do without some bytes, control characters or such that begin a character.
    pub fn can_do_without(&self, bytes: &ByteSet) -> bool {
        let plain: Vec<(u32, u32)> = (0..=u8::MAX).filter(|&byte| bytes.contains(byte)).filter_map(led_by).collect();
        self.leaves.iter().all(|leaf| leaf.can_do_without(&plain)) && !self.nodes.iter().any(|node| has(node, bytes))
    }
}

impl Leaf {
    fn can_do_without(&self, characters: &[(u32, u32)]) -> bool {
        let is_raw = |&(low, _): &(u32, u32)| match self.encoding {
            Encoding::Text => true,
            Encoding::Json(_) => low >= u32::from(b' '), // the others are escaped
        };
        let raw: Vec<(u32, u32)> = characters.iter().copied().filter(is_raw).collect();
        have_stand_ins(&self.tree, &raw)
    }
}

/// Whether a node has one of some bytes in its own texts.
fn has(node: &Node, bytes: &ByteSet) -> bool {
    let is_in = |text: &[u8]| text.iter().any(|&byte| bytes.contains(byte));
    let any_of = |texts: &TextSet| (0..texts.len()).any(|at| is_in(texts.text(at)));
    match node {
        Node::Literals(texts) => any_of(texts),
        Node::Lexicon(texts) => texts.iter().any(is_in),
        Node::Pieces(pieces, _) => is_in(pieces.text().as_bytes()),
        Node::Object(object) => any_of(&object.names),
        _ => false,
    }
}

/// The code points of the characters that begin with a byte.
fn led_by(byte: u8) -> Option<(u32, u32)> {
    let code = u32::from(byte);
    Some(match byte {
        0..0x80 => (code, code),
        0xC2..0xE0 => ((code & 0x1F) << 6, (code & 0x1F) << 6 | 0x3F),
        0xE0..0xF0 => (((code & 0xF) << 12).max(0x800), (code & 0xF) << 12 | 0xFFF),
        0xF0..0xF5 => (((code & 7) << 18).max(0x1_0000), ((code & 7) << 18 | 0x3_FFFF).min(0x10_FFFF)),
        _ => return None,
    })
}
