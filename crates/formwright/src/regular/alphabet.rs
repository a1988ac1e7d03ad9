//! Code points that no class of an expression tells apart are one *minterm*.
//!
//! `[a-z]+@[a-z]` has three: `a..z`, `@`, and everything else. A class becomes a small bit set of minterms, and a
//! derivative is taken once for each minterm instead of once for each code point.
//!
//! Cost: one sort of all range ends at build time; a lookup is one table load for ASCII and a binary search above.
//! Surrogates are not code points of text; they carry [`NO_MINTERM`].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::tree::{Ranges, Regular};

/// Index of a minterm in its [`Alphabet`].
pub type Minterm = u16;

/// What surrogates map to.
pub const NO_MINTERM: Minterm = Minterm::MAX;

const LAST: u32 = 0x10_FFFF;

/// A set of minterms, one bit each.
pub type MintermSet = Box<[u64]>;

/// The minterms of one automaton.
#[derive(Debug)]
pub struct Alphabet {
    /// First code point of each segment, ascending, starting with 0.
    starts: Vec<u32>,
    /// The minterm of each segment.
    minterms: Vec<Minterm>,
    ascii: [Minterm; 128],
    /// One code point of each minterm.
    samples: Vec<u32>,
    classes: FxHashMap<Ranges, MintermSet>,
}

/// Most words of the sets of classes by minterm, and so of the sets of minterms by class: 16 MB.
const MOST_WORDS: usize = 1 << 21;

/// There are more minterms and classes than an alphabet has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyClasses;

impl Alphabet {
    /// The coarsest alphabet that keeps apart what the classes of `tree` keep apart.
    pub fn new(tree: &Regular) -> Result<Self, TooManyClasses> {
        let mut classes = IndexSet::default();
        collect(tree, &mut classes);
        let cuts = cuts(&classes);
        let mut alphabet = Self {
            starts: Vec::with_capacity(cuts.len()),
            minterms: Vec::with_capacity(cuts.len()),
            ascii: [0; 128],
            samples: Vec::new(),
            classes: FxHashMap::default(),
        };
        alphabet.sweep(&cuts, classes.len())?;
        for code in 0..128 {
            alphabet.ascii[code as usize] = alphabet.search(code);
        }
        for class in classes {
            let set = alphabet.set_of(&class);
            alphabet.classes.insert(class, set);
        }
        Ok(alphabet)
    }

    /// Segments with the same set of covering classes share a minterm.
    fn sweep(&mut self, cuts: &BTreeMap<u32, Vec<(usize, bool)>>, classes: usize) -> Result<(), TooManyClasses> {
        let most = (MOST_WORDS / classes.div_ceil(64).max(1)).min(usize::from(NO_MINTERM));
        let mut by_cover: FxHashMap<Vec<u64>, Minterm> = FxHashMap::default();
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
            let minterm = if (0xD800..=0xDFFF).contains(&start) {
                NO_MINTERM
            } else {
                let next = by_cover.len() as Minterm;
                let minterm = *by_cover.entry(cover.clone()).or_insert(next);
                if minterm == next {
                    self.samples.push(start);
                }
                if by_cover.len() > most {
                    return Err(TooManyClasses);
                }
                minterm
            };
            self.starts.push(start);
            self.minterms.push(minterm);
        }
        Ok(())
    }

    /// About how many bytes of memory it takes beside itself.
    pub fn memory(&self) -> usize {
        let segments = self.starts.capacity() * size_of::<u32>() + self.minterms.capacity() * size_of::<Minterm>();
        let set = self.len().div_ceil(64) * size_of::<u64>();
        let ranges = self.classes.keys().map(|ranges| size_of_val(&**ranges)).sum::<usize>();
        segments + ranges + self.classes.capacity() * (size_of::<(Ranges, MintermSet)>() + set + 16) + 4 * self.len()
    }

    /// How many minterms there are.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// The minterm of a code point.
    pub fn minterm(&self, code: u32) -> Minterm {
        if code < 128 { self.ascii[code as usize] } else { self.search(code) }
    }

    fn search(&self, code: u32) -> Minterm {
        self.minterms[self.starts.partition_point(|&start| start <= code) - 1]
    }

    /// Some code point of `minterm`.
    pub fn sample(&self, minterm: Minterm) -> u32 {
        self.samples[minterm as usize]
    }

    /// The code points of `low..=high` as segments `(first, last, minterm)`.
    pub fn segments(&self, low: u32, high: u32) -> impl Iterator<Item = (u32, u32, Minterm)> + '_ {
        self.segments_between(low, high).filter_map(move |at| {
            let end = self.starts.get(at + 1).map_or(LAST, |&next| next - 1);
            Some((self.starts[at].max(low), end.min(high), self.minterm_of_segment(at)?))
        })
    }

    /// The code points of some minterms, as ascending ranges.
    pub fn ranges_of(&self, has: impl Fn(Minterm) -> bool) -> Ranges {
        let mut ranges: Vec<(char, char)> = Vec::new();
        for (low, high, minterm) in self.segments(0, u32::from(char::MAX)) {
            let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high)) else { continue };
            match ranges.last_mut() {
                _ if !has(minterm) => {}
                Some((_, end)) if *end as u32 + 1 == low as u32 => *end = high,
                _ => ranges.push((low, high)),
            }
        }
        ranges.into()
    }

    /// The segments of `low..=high`, by number.
    pub fn segments_between(&self, low: u32, high: u32) -> Range<usize> {
        let first = self.starts.partition_point(|&start| start <= low) - 1;
        first..first + self.starts[first..].partition_point(|&start| start <= high)
    }

    /// The minterm of a segment; surrogates have none.
    pub fn minterm_of_segment(&self, segment: usize) -> Option<Minterm> {
        Some(self.minterms[segment]).filter(|&minterm| minterm != NO_MINTERM)
    }

    /// The minterms of a class.
    pub fn class(&self, class: &Ranges) -> MintermSet {
        self.classes.get(class).cloned().unwrap_or_else(|| self.set_of(class))
    }

    /// The set of all minterms.
    pub fn all(&self) -> MintermSet {
        let mut set = self.none();
        (0..self.len() as Minterm).for_each(|minterm| insert(&mut set, minterm));
        set
    }

    /// The empty set.
    pub fn none(&self) -> MintermSet {
        vec![0; self.len().div_ceil(64)].into()
    }

    fn set_of(&self, class: &Ranges) -> MintermSet {
        let mut set = self.none();
        for &(low, high) in class.iter() {
            for (_, _, minterm) in self.segments(low as u32, high as u32) {
                insert(&mut set, minterm);
            }
        }
        set
    }

    /// Where segments start: the code points at which a byte automaton may need to tell neighbours apart.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }
}

/// Adds a minterm to a set.
pub fn insert(set: &mut MintermSet, minterm: Minterm) {
    set[usize::from(minterm) / 64] |= 1 << (minterm % 64);
}

/// Whether a minterm is in a set.
pub fn contains(set: &MintermSet, minterm: Minterm) -> bool {
    set[usize::from(minterm) / 64] >> (minterm % 64) & 1 == 1
}

/// The minterms of a set, ascending.
pub fn members(set: &MintermSet) -> impl Iterator<Item = Minterm> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| (word * 64 + bit) as Minterm)
    })
}

/// The distinct classes of `tree`, in order of appearance.
fn collect(tree: &Regular, out: &mut IndexSet<Ranges, FxBuildHasher>) {
    let add = |class: &Ranges, out: &mut IndexSet<Ranges, FxBuildHasher>| {
        if !out.contains(class) {
            out.insert(class.clone());
        }
    };
    match tree {
        Regular::Never | Regular::Empty | Regular::Parser(_) => {}
        Regular::Class(class) => add(class, out),
        Regular::Concat(parts) | Regular::Or(parts) | Regular::And(parts) => {
            parts.iter().for_each(|part| collect(part, out));
        }
        Regular::Not(inner) | Regular::Repeat(inner, ..) | Regular::After(inner, _) => collect(inner, out),
        Regular::Multiple(_) => {
            for c in "0123456789.-".chars() {
                add(&Ranges::from([(c, c)].as_slice()), out);
            }
        }
        Regular::Static(tree) => collect(tree.0, out),
        Regular::Implicit(language) => language.alphabet().iter().for_each(|class| collect(class, out)),
    }
}

/// Code points that take as many bytes.
const LENGTHS: [(u32, u32); 4] = [(0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x1_0000, LAST)];

/// Whether a tree tells none of some characters, given as ascending ranges, apart from all others of as many bytes. Of a
/// parser, and of a tree with too many classes, that is not known: false.
pub fn have_stand_ins(tree: &Regular, characters: &[(u32, u32)]) -> bool {
    if characters.is_empty() {
        return true;
    }
    let Ok(alphabet) = Alphabet::new(tree) else { return false };
    let minterms = |low: u32, high: u32| alphabet.segments(low, high).map(|(.., minterm)| minterm);
    let have = |(first, last): (u32, u32)| {
        let own = characters.iter().filter(|&&(low, _)| (first..=last).contains(&low));
        let (mut needed, mut others, mut start) = (BTreeSet::new(), BTreeSet::new(), first);
        for &(low, high) in own {
            needed.extend(minterms(low, high));
            if start < low {
                others.extend(minterms(start, low - 1));
            }
            start = high + 1;
        }
        if start <= last {
            others.extend(minterms(start, last));
        }
        needed.is_subset(&others)
    };
    !matches!(tree, Regular::Parser(_)) && LENGTHS.into_iter().all(have)
}

/// Code point -> classes that open or close there.
fn cuts(classes: &IndexSet<Ranges, FxBuildHasher>) -> BTreeMap<u32, Vec<(usize, bool)>> {
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
    fn minterms_follow_classes() {
        let tree = Regular::concat([Regular::range('a', 'z'), Regular::range('m', 'p')]);
        let alphabet = Alphabet::new(&tree).unwrap();
        assert_eq!(alphabet.len(), 3);
        assert_eq!(alphabet.minterm('a' as u32), alphabet.minterm('z' as u32));
        assert_ne!(alphabet.minterm('a' as u32), alphabet.minterm('n' as u32));
        assert_eq!(alphabet.minterm('!' as u32), alphabet.minterm(0x1F600));
    }

    #[test]
    fn surrogates_have_no_minterm() {
        let alphabet = Alphabet::new(&Regular::any()).unwrap();
        assert!(alphabet.segments(0xD700, 0xE100).all(|(low, high, _)| high < 0xD800 || low > 0xDFFF));
    }
}
