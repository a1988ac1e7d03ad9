//! Where JSON whitespace may be, as one small automaton.
//!
//! States are shared by all places of a text; what differs is where each place starts and which structural byte may end
//! the whitespace. "Indented" style, for example, wants a line break before `}` but none before `,`, although both
//! follow a value:
//!
//! ```text
//! pretty     after a value: state v     v ─ , ─► no whitespace needed     v ─ \n ─► indentation ─ } ─► the object ends
//! ```
//!
//! The default, [`Spaces::flexible`], allows nothing, one space, or a line break with up to 100 characters of
//! indentation: compact, spaced and indented texts all conform, endless whitespace is not.
//!
//! Cost: a table lookup for each byte. A style of the user's own is a regular expression, made into states
//! when the language is made.

use std::hash::{Hash, Hasher};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::regular::{Automaton, DEAD, Encoding, Regular};

/// A state of the whitespace automaton.
pub type SpaceState = u16;

/// The state of a walk over tokens whose leading whitespace is stripped: no more whitespace may come, and any
/// structural byte may.
pub const STRIPPED: SpaceState = SpaceState::MAX;

/// No transition.
const NOWHERE: SpaceState = SpaceState::MAX - 1;

/// Indentation allowed after a line break.
const DEEPEST: usize = 100;

/// What may follow whitespace: a set of these bits.
pub mod end {
    /// A key or a value.
    pub const ITEM: u8 = 1;
    /// `}` or `]`.
    pub const CLOSE: u8 = 2;
    /// `,`
    pub const COMMA: u8 = 4;
    /// `:`
    pub const COLON: u8 = 8;
    /// All of them.
    pub const ANY: u8 = 15;

    /// The bit of the byte that follows whitespace.
    pub fn of(byte: u8) -> u8 {
        match byte {
            b',' => COMMA,
            b':' => COLON,
            b'}' | b']' => CLOSE,
            _ => ITEM,
        }
    }
}

/// The state each place starts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// After `{` or `[`.
    pub open: SpaceState,
    /// After a value inside an object or array.
    pub value: SpaceState,
    /// After `,`.
    pub comma: SpaceState,
    /// After a key.
    pub key: SpaceState,
    /// After `:`.
    pub colon: SpaceState,
    /// Of an object without braces, commas and colons: the bytes between two members; else 0.
    pub between: u32,
}

/// The whitespace automaton of a language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spaces {
    /// By state: where space, tab, CR and LF lead.
    next: Vec<[SpaceState; 4]>,
    /// By state: which bytes may follow.
    ends: Vec<u8>,
    /// By state: which bytes may follow now or after more whitespace.
    reached: Vec<u8>,
}

/// All states at once: one by one they take ten times as long.
impl Hash for Spaces {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Hash::hash_slice(self.next.as_flattened(), state);
        self.ends.hash(state);
    }
}

fn column(byte: u8) -> Option<usize> {
    match byte {
        b' ' => Some(0),
        b'\t' => Some(1),
        b'\r' => Some(2),
        b'\n' => Some(3),
        _ => None,
    }
}

impl Spaces {
    /// Whether there is no place at all for whitespace: the language has no JSON in it.
    pub fn is_empty(&self) -> bool {
        self.next.is_empty()
    }

    /// No whitespace at all.
    pub fn compact() -> (Self, Layout) {
        let mut spaces = Self::default();
        let start = spaces.add(end::ANY);
        (spaces.reaching(), Layout::same(start))
    }

    /// Nothing, one space, or a line break with indentation, everywhere.
    pub fn flexible() -> (Self, Layout) {
        let mut spaces = Self::default();
        let start = spaces.add(end::ANY);
        let spaced = spaces.add(end::ANY);
        let (cr, lf) = spaces.line_break(end::ANY);
        spaces.next[start as usize] = [spaced, NOWHERE, cr, lf];
        (spaces.reaching(), Layout::same(start))
    }

    /// Any whitespace, at most `most` characters in a row, everywhere.
    pub fn free(most: u32) -> (Self, Layout) {
        let mut spaces = Self::default();
        let start = spaces.add(end::ANY);
        let mut state = start;
        for _ in 0..most {
            let longer = spaces.add(end::ANY);
            spaces.next[usize::from(state)] = [longer; 4];
            state = longer;
        }
        (spaces.reaching(), Layout::same(start))
    }

    /// One member a line, one space after `:`; `{}` and `[]` may stay closed.
    pub fn pretty() -> (Self, Layout) {
        let mut spaces = Self::default();
        let (cr_item, lf_item) = spaces.line_break(end::ITEM);
        let (cr_close, lf_close) = spaces.line_break(end::CLOSE);
        let open = spaces.add(end::CLOSE);
        let comma = spaces.add(0);
        let value = spaces.add(end::COMMA);
        let key = spaces.add(end::COLON);
        let colon = spaces.add(0);
        let spaced = spaces.add(end::ITEM);
        spaces.next[open as usize] = [NOWHERE, NOWHERE, cr_item, lf_item];
        spaces.next[comma as usize] = [NOWHERE, NOWHERE, cr_item, lf_item];
        spaces.next[value as usize] = [NOWHERE, NOWHERE, cr_close, lf_close];
        spaces.next[colon as usize] = [spaced, NOWHERE, NOWHERE, NOWHERE];
        (spaces.reaching(), Layout { open, value, comma, key, colon, between: 0 })
    }

    /// One space after `:` and `,`, and nowhere else.
    pub fn spaced() -> (Self, Layout) {
        let mut spaces = Self::default();
        let nothing = spaces.add(end::ANY);
        let before = spaces.add(0);
        let spaced = spaces.add(end::ITEM);
        spaces.next[before as usize][0] = spaced;
        let layout = Layout { comma: before, colon: before, ..Layout::same(nothing) };
        (spaces.reaching(), layout)
    }

    /// Nothing or one space, everywhere.
    pub fn on_one_line() -> (Self, Layout) {
        let mut spaces = Self::default();
        let start = spaces.add(end::ANY);
        let spaced = spaces.add(end::ANY);
        spaces.next[start as usize][0] = spaced;
        (spaces.reaching(), Layout::same(start))
    }

    /// Whatever `tree` matches, everywhere.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] when `tree` matches more than whitespace, or nothing; [`crate::Kind::Limit`] when it
    /// is a large one.
    pub fn regular(tree: &Regular, limits: &Limits) -> Result<(Self, Layout)> {
        let automaton = Automaton::new(tree, Encoding::Text, limits)?;
        let mut spaces = Self::default();
        let mut states = vec![automaton.start()];
        if automaton.is_never() {
            return Err(not_whitespace());
        }
        let mut at = 0;
        while at < states.len() {
            let from = states[at];
            let others = (0..=u8::MAX).filter(|byte| !b" \t\r\n".contains(byte));
            if others.map(|byte| automaton.step(from.state(), byte)).any(|to| to.state() != DEAD || to.accepting()) {
                return Err(not_whitespace());
            }
            spaces.add(if from.accepting() { end::ANY } else { 0 });
            for (column, byte) in b" \t\r\n".iter().enumerate() {
                let to = automaton.step(from.state(), *byte);
                if to.state() == DEAD {
                    continue;
                }
                let known = states.iter().position(|&state| state == to);
                let target = known.unwrap_or(states.len());
                if known.is_none() {
                    states.push(to);
                }
                spaces.next[at][column] = target as SpaceState;
            }
            at += 1;
            if at > 4_096 {
                return Err(Error::limit("whitespace states", at, 4_096));
            }
        }
        Ok((spaces.reaching(), Layout::same(0)))
    }

    /// Fills `reached`: what may follow a state may follow all states that lead there.
    fn reaching(mut self) -> Self {
        self.reached.clone_from(&self.ends);
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for state in (0..self.next.len()).rev() {
                let after = self.next[state].iter().filter(|&&next| next != NOWHERE);
                let reached = after.fold(self.reached[state], |all, &next| all | self.reached[usize::from(next)]);
                grows |= std::mem::replace(&mut self.reached[state], reached) != reached;
            }
        }
        self
    }

    fn add(&mut self, ends: u8) -> SpaceState {
        self.next.push([NOWHERE; 4]);
        self.ends.push(ends);
        self.ends.len() as SpaceState - 1
    }

    /// States after CR and after LF of a line break with indentation.
    fn line_break(&mut self, ends: u8) -> (SpaceState, SpaceState) {
        let cr = self.add(0);
        let lf = self.add(ends);
        self.next[cr as usize][3] = lf;
        let mut state = lf;
        for _ in 0..DEEPEST {
            let deeper = self.add(ends);
            self.next[state as usize][0] = deeper;
            self.next[state as usize][1] = deeper;
            state = deeper;
        }
        (cr, lf)
    }

    /// Appends the states of `other`; returns the offset its states got.
    pub fn append(&mut self, other: &Self) -> Result<SpaceState> {
        if self == other {
            return Ok(0);
        }
        let total = self.ends.len() + other.ends.len();
        if total >= usize::from(NOWHERE) {
            return Err(Error::limit("whitespace states", total, usize::from(NOWHERE)));
        }
        let offset = self.ends.len() as SpaceState;
        let shift = |state: SpaceState| if state == NOWHERE { NOWHERE } else { state + offset };
        self.next.extend(other.next.iter().map(|row| row.map(shift)));
        self.ends.extend_from_slice(&other.ends);
        self.reached.extend_from_slice(&other.reached);
        Ok(offset)
    }

    /// Where a whitespace byte leads.
    #[inline]
    pub fn step(&self, state: SpaceState, byte: u8) -> Option<SpaceState> {
        if state == STRIPPED {
            return None;
        }
        let next = self.next[usize::from(state)][column(byte)?];
        (next != NOWHERE).then_some(next)
    }

    /// Which bytes may follow in `state`.
    #[inline]
    pub fn ends(&self, state: SpaceState) -> u8 {
        if state == STRIPPED { end::ANY } else { self.ends[usize::from(state)] }
    }

    /// Which bytes may follow in `state` or after more whitespace.
    #[inline]
    pub fn reached(&self, state: SpaceState) -> u8 {
        if state == STRIPPED { end::ANY } else { self.reached[usize::from(state)] }
    }

    /// Whether some whitespace decides what may follow it, as a line break does that only a bracket may follow.
    pub fn decides(&self) -> bool {
        self.reached.iter().any(|&reached| reached != end::ANY)
    }

    /// Whether any whitespace may come in `state`.
    pub fn may_come(&self, state: SpaceState) -> bool {
        state != STRIPPED && self.next[usize::from(state)].iter().any(|&next| next != NOWHERE)
    }

    /// Whitespace bytes that some state needs at least before something may follow, at most.
    pub fn farthest(&self) -> u32 {
        let states = 0..self.ends.len() as SpaceState;
        states.map(|state| self.shortest(state, end::ANY)).filter(|&bytes| bytes < u32::MAX / 4).max().unwrap_or(0)
    }

    /// Fewest whitespace bytes from `state` until one of `ends` may follow.
    pub fn shortest(&self, state: SpaceState, ends: u8) -> u32 {
        if state == STRIPPED || self.ends(state) & ends != 0 {
            return 0;
        }
        let mut seen = vec![false; self.ends.len()];
        let mut level = vec![state];
        for cost in 1.. {
            let mut deeper = Vec::new();
            for state in level {
                for &next in &self.next[usize::from(state)] {
                    if next == NOWHERE || std::mem::replace(&mut seen[usize::from(next)], true) {
                        continue;
                    }
                    if self.ends(next) & ends != 0 {
                        return cost;
                    }
                    deeper.push(next);
                }
            }
            if deeper.is_empty() {
                break;
            }
            level = deeper;
        }
        u32::MAX / 4
    }
}

impl Layout {
    fn same(state: SpaceState) -> Self {
        Self { open: state, value: state, comma: state, key: state, colon: state, between: 0 }
    }

    /// Of an object without braces, commas and colons, with so many bytes between two members: no whitespace anywhere.
    pub fn unbraced(between: u32) -> Self {
        Self { between, ..Self::same(STRIPPED) }
    }

    /// The same places in a table that was appended at `offset`.
    #[must_use]
    pub fn shifted(self, offset: SpaceState) -> Self {
        let shift = |state: SpaceState| if state == STRIPPED { STRIPPED } else { state + offset };
        Self {
            open: shift(self.open),
            value: shift(self.value),
            comma: shift(self.comma),
            key: shift(self.key),
            colon: shift(self.colon),
            between: self.between,
        }
    }
}

#[cold]
fn not_whitespace() -> Error {
    Error::argument(
        "whitespace",
        "whitespace must be \"flexible\", \"compact\", \"pretty\", \"free\" or a regular expression that matches only space, tab, CR \
         and LF",
    )
    .hint("pass whitespace=\"compact\" for none, or for instance whitespace=\"[ \\n]{0,4}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(spaces: &Spaces, start: SpaceState, text: &str, ends: u8) -> bool {
        let mut state = start;
        for byte in text.bytes() {
            match spaces.step(state, byte) {
                Some(next) => state = next,
                None => return false,
            }
        }
        spaces.ends(state) & ends != 0
    }

    #[test]
    fn flexible_is_natural_and_bounded() {
        let (spaces, layout) = Spaces::flexible();
        for text in ["", " ", "\n", "\n    ", "\r\n\t\t"] {
            assert!(accepts(&spaces, layout.comma, text, end::ITEM), "{text:?}");
        }
        for text in ["  ", "\n\n", "\r", "\t"] {
            assert!(!accepts(&spaces, layout.comma, text, end::ITEM), "{text:?}");
        }
        assert!(!accepts(&spaces, layout.open, &format!("\n{}", " ".repeat(101)), end::ITEM));
    }

    #[test]
    fn free_is_anything_up_to_its_bound() {
        for most in [0, 1, 12, 1_000] {
            let (spaces, layout) = Spaces::free(most);
            let longest: String = " \t\r\n".chars().cycle().take(most as usize).collect();
            assert!(accepts(&spaces, layout.colon, &longest, end::ITEM));
            assert!(!accepts(&spaces, layout.colon, &format!("{longest} "), end::ITEM));
            assert!(accepts(&spaces, layout.open, "", end::CLOSE));
        }
    }

    #[test]
    fn pretty_breaks_lines() {
        let (spaces, layout) = Spaces::pretty();
        assert!(accepts(&spaces, layout.value, "", end::COMMA) && !accepts(&spaces, layout.value, "", end::CLOSE));
        assert!(accepts(&spaces, layout.value, "\n", end::CLOSE) && accepts(&spaces, layout.colon, " ", end::ITEM));
        assert_eq!(spaces.shortest(layout.colon, end::ITEM), 1);
    }

    #[test]
    fn a_regular_expression_describes_whitespace() {
        let tree = Regular::one_of(" \t\r\n").repeat(0, None);
        let (spaces, layout) = Spaces::regular(&tree, &Limits::default()).unwrap();
        assert!(accepts(&spaces, layout.key, " \n\n\t  ", end::COLON));
    }
}
