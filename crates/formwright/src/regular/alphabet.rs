//! Code points that no class of an expression tells apart are one *letter*.
//!
//! `[a-z]+@[a-z]` has three letters: `a..z`, `@`, and everything else. A class
//! becomes a small bit set of letters, and a derivative is taken once a letter
//! instead of once a code point.
//!
//! Cost: one sort of all range ends at build time; a lookup is one table load
//! for ASCII and a binary search above. Wrinkle: surrogates are no code points
//! of text; they carry [`NO_LETTER`].

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::tree::{Ranges, Regular};

/// Index of a letter.
pub type Letter = u16;

/// What surrogates map to.
pub const NO_LETTER: Letter = Letter::MAX;

const LAST: u32 = 0x10_FFFF;

/// A set of letters, one bit each.
pub type Letters = Box<[u64]>;

/// The letters of one expression.
#[derive(Debug)]
pub struct Alphabet {
    /// First code point of each segment, ascending, starting with 0.
    starts: Vec<u32>,
    /// The letter of each segment.
    letters: Vec<Letter>,
    ascii: [Letter; 128],
    /// One code point of each letter.
    samples: Vec<u32>,
    classes: FxHashMap<Ranges, Letters>,
}

impl Alphabet {
    /// The coarsest alphabet that keeps apart what the classes of `tree` keep apart.
    pub fn new(tree: &Regular) -> Self {
        let mut classes = Vec::new();
        collect(tree, &mut classes);
        let cuts = cuts(&classes);
        let mut alphabet = Self {
            starts: Vec::with_capacity(cuts.len()),
            letters: Vec::with_capacity(cuts.len()),
            ascii: [0; 128],
            samples: Vec::new(),
            classes: FxHashMap::default(),
        };
        alphabet.sweep(&cuts, classes.len());
        for code in 0..128 {
            alphabet.ascii[code as usize] = alphabet.search(code);
        }
        for class in classes {
            let letters = alphabet.letters_of(&class);
            alphabet.classes.insert(class, letters);
        }
        alphabet
    }

    /// Segments with the same set of covering classes share a letter.
    fn sweep(&mut self, cuts: &BTreeMap<u32, Vec<(usize, bool)>>, classes: usize) {
        let mut by_cover: FxHashMap<Vec<u64>, Letter> = FxHashMap::default();
        let mut cover = vec![0_u64; classes.div_ceil(64)];
        for (&start, changes) in cuts {
            for &(class, opens) in changes {
                let bit = 1 << (class % 64);
                if opens {
                    cover[class / 64] |= bit;
                } else {
                    cover[class / 64] &= !bit;
                }
            }
            let letter = if (0xD800..=0xDFFF).contains(&start) {
                NO_LETTER
            } else {
                let next = by_cover.len() as Letter;
                let letter = *by_cover.entry(cover.clone()).or_insert(next);
                if letter == next {
                    self.samples.push(start);
                }
                letter
            };
            self.starts.push(start);
            self.letters.push(letter);
        }
    }

    /// About how many bytes of memory it takes beside itself.
    pub fn memory(&self) -> usize {
        let segments = self.starts.capacity() * size_of::<u32>() + self.letters.capacity() * size_of::<Letter>();
        let letters = self.len().div_ceil(64) * size_of::<u64>();
        let ranges = self.classes.keys().map(|ranges| size_of_val(&**ranges)).sum::<usize>();
        segments + ranges + self.classes.capacity() * (size_of::<(Ranges, Letters)>() + letters + 16) + 4 * self.len()
    }

    /// How many letters there are.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// The letter of a code point.
    pub fn letter(&self, code: u32) -> Letter {
        if code < 128 { self.ascii[code as usize] } else { self.search(code) }
    }

    fn search(&self, code: u32) -> Letter {
        self.letters[self.starts.partition_point(|&start| start <= code) - 1]
    }

    /// Some code point of `letter`.
    pub fn sample(&self, letter: Letter) -> u32 {
        self.samples[letter as usize]
    }

    /// The code points of `low..=high` as segments `(first, last, letter)`.
    pub fn segments(&self, low: u32, high: u32) -> impl Iterator<Item = (u32, u32, Letter)> + '_ {
        self.places(low, high).filter_map(move |at| {
            let end = self.starts.get(at + 1).map_or(LAST, |&next| next - 1);
            Some((self.starts[at].max(low), end.min(high), self.letter_at(at)?))
        })
    }

    /// Where the segments of `low..=high` stand.
    pub fn places(&self, low: u32, high: u32) -> Range<usize> {
        let first = self.starts.partition_point(|&start| start <= low) - 1;
        first..first + self.starts[first..].partition_point(|&start| start <= high)
    }

    /// The letter of a segment; surrogates have none.
    pub fn letter_at(&self, place: usize) -> Option<Letter> {
        Some(self.letters[place]).filter(|&letter| letter != NO_LETTER)
    }

    /// The letters of a class of the expression.
    pub fn class(&self, class: &Ranges) -> Letters {
        self.classes.get(class).cloned().unwrap_or_else(|| self.letters_of(class))
    }

    /// The set of all letters.
    pub fn all(&self) -> Letters {
        let mut set = self.none();
        for letter in 0..self.len() {
            set[letter / 64] |= 1 << (letter % 64);
        }
        set
    }

    /// The empty set.
    pub fn none(&self) -> Letters {
        vec![0; self.len().div_ceil(64)].into()
    }

    fn letters_of(&self, class: &Ranges) -> Letters {
        let mut set = self.none();
        for &(low, high) in class.iter() {
            for (_, _, letter) in self.segments(low as u32, high as u32) {
                set[usize::from(letter) / 64] |= 1 << (letter % 64);
            }
        }
        set
    }

    /// Where segments start: the code points at which a byte automaton may need to tell neighbours apart.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }
}

/// The distinct classes of `tree`, in order of appearance.
fn collect(tree: &Regular, out: &mut Vec<Ranges>) {
    let add = |class: &Ranges, out: &mut Vec<Ranges>| {
        if !out.contains(class) {
            out.push(class.clone());
        }
    };
    match tree {
        Regular::Never | Regular::Empty => {}
        Regular::Class(class) => add(class, out),
        Regular::Concat(parts) | Regular::Or(parts) | Regular::And(parts) => {
            parts.iter().for_each(|part| collect(part, out));
        }
        Regular::Not(inner) | Regular::Repeat(inner, ..) => collect(inner, out),
        Regular::Multiple(_) => {
            for c in "0123456789.-".chars() {
                add(&Ranges::from([(c, c)].as_slice()), out);
            }
        }
        Regular::Static(tree) => collect(tree.0, out),
        Regular::Unfolding(language) => language.alphabet().iter().for_each(|class| collect(class, out)),
    }
}

/// Code point -> classes that open or close there.
fn cuts(classes: &[Ranges]) -> BTreeMap<u32, Vec<(usize, bool)>> {
    let mut cuts: BTreeMap<u32, Vec<(usize, bool)>> = BTreeMap::new();
    for edge in [0, 0xD800, 0xE000] {
        cuts.entry(edge).or_default();
    }
    for (index, class) in classes.iter().enumerate() {
        for &(low, high) in class.iter() {
            cuts.entry(low as u32).or_default().push((index, true));
            if (high as u32) < LAST {
                cuts.entry(high as u32 + 1).or_default().push((index, false));
            }
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_follow_classes() {
        let tree = Regular::concat([Regular::range('a', 'z'), Regular::range('m', 'p')]);
        let alphabet = Alphabet::new(&tree);
        assert_eq!(alphabet.len(), 3);
        assert_eq!(alphabet.letter('a' as u32), alphabet.letter('z' as u32));
        assert_ne!(alphabet.letter('a' as u32), alphabet.letter('n' as u32));
        assert_eq!(alphabet.letter('!' as u32), alphabet.letter(0x1F600));
    }

    #[test]
    fn surrogates_have_no_letter() {
        let alphabet = Alphabet::new(&Regular::any());
        assert!(alphabet.segments(0xD700, 0xE100).all(|(low, high, _)| high < 0xD800 || low > 0xDFFF));
    }
}
