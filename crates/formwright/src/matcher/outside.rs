//! A shortest text that one language has and another has not, where the other one has rules inside themselves.
//!
//! ```text
//! [ab]* and s: "a" s "b" |       "" is in both, "a" is not in the second
//! ```
//!
//! Whether there is such a text no program can decide. But texts can be tried, the shortest first, those that lead to the same
//! places of both as one: the first that ends is the answer, and where no new places are met, there is none.
//!
//! Cost: every byte is tried in every pair of places. Where places are too many, the search ends with an error.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::machine::{Configuration, Machine, Stacks, is_accepting, too_many_states};
use crate::error::{Error, Kind, Result};
use crate::interrupt::{bounded, count};
use crate::language::{CompiledGraph, Language};

/// Units of work of a configuration: every byte is tried.
const UNITS_OF_CONFIGURATION: usize = 256;

/// Frames for a unit of work. A step looks at all frames under a configuration at worst, of which there are as many in a row
/// as the text is long.
const FRAMES_OF_UNIT: usize = 64;

/// Where a text has led in a language.
type Place = u32;

/// The places of a language, each once.
#[derive(Default)]
struct Places {
    ids: FxHashMap<Rc<[Configuration]>, Place>,
    all: Vec<Rc<[Configuration]>>,
}

impl Places {
    fn id(&mut self, configurations: &[Configuration]) -> Place {
        if let Some(&known) = self.ids.get(configurations) {
            return known;
        }
        let (new, place) = (self.all.len() as Place, Rc::from(configurations));
        self.all.push(Rc::clone(&place));
        self.ids.insert(place, new);
        new
    }
}

/// What a text leads to in both languages.
struct Pair {
    own: Place,
    other: Place,
    /// The pair before, and the byte that leads here.
    before: Option<(u32, u8)>,
    bytes: usize,
}

/// The pairs met so far, those of the shortest texts first.
#[derive(Default)]
struct Search {
    own: Places,
    other: Places,
    pairs: Vec<Pair>,
    known: FxHashSet<(Place, Place)>,
}

impl Language {
    /// A shortest text of this language that `other` does not have, of at most so many bytes; `None` if there is none.
    ///
    /// # Errors
    /// [`Kind::Argument`] as [`Language::check_texts`]; [`Kind::Limit`] where that is not found out.
    pub fn shortest_outside(&self, other: &Self, most_bytes: Option<usize>) -> Result<Option<Vec<u8>>> {
        self.check_texts()?;
        other.check_texts()?;
        let most = self.limits().product_parts;
        let (own, beside) = (self.compiled()?, other.compiled()?);
        let found = bounded(self.limits().work, || {
            Search::default().run((&*own, &*beside), most, most_bytes.unwrap_or(usize::MAX))
        });
        if own.overflowed() || beside.overflowed() { Err(too_many_states()) } else { found }
    }
}

impl Search {
    fn run(
        mut self,
        (own, other): (&CompiledGraph, &CompiledGraph),
        most: usize,
        most_bytes: usize,
    ) -> Result<Option<Vec<u8>>> {
        let (mut stacks, mut path) = (Stacks::default(), vec![0]); // 0 would be no place where a name or item begins
        let (mut other_stacks, mut other_path) = (Stacks::default(), vec![0]);
        let mut own = Machine::new(own, &mut stacks, &mut path);
        let mut other = Machine::new(other, &mut other_stacks, &mut other_path);
        let start = (self.own.id(&own.initial()), self.other.id(&other.initial()));
        self.meet(start, None, 0);
        let mut at = 0;
        while let Some(&Pair { own: place, other: beside, bytes, .. }) = self.pairs.get(at) {
            let (place, beside) =
                (Rc::clone(&self.own.all[place as usize]), Rc::clone(&self.other.all[beside as usize]));
            if is_accepting(&place) && !is_accepting(&beside) {
                return Ok(Some(self.text(at)));
            }
            if bytes < most_bytes {
                self.expand(at, (&place, &beside), (&mut own, &mut other));
            }
            if self.pairs.len() > most {
                return Err(too_many_pairs(self.pairs.len(), most));
            }
            at += 1;
        }
        Ok(None)
    }

    /// Tries every byte after a pair.
    fn expand(
        &mut self,
        at: usize,
        (place, beside): (&[Configuration], &[Configuration]),
        (own, other): (&mut Machine<'_>, &mut Machine<'_>),
    ) {
        count(UNITS_OF_CONFIGURATION * (place.len() + beside.len()));
        let bytes = self.pairs[at].bytes + 1;
        let (mut next, mut next_beside) = (Vec::new(), Vec::new());
        for byte in readable_first() {
            next.clear();
            own.step_all(place, byte, &mut next, 0);
            if next.is_empty() {
                continue;
            }
            next_beside.clear();
            other.step_all(beside, byte, &mut next_beside, 0);
            count(bytes * (ways(own, &next) + ways(other, &next_beside)) / FRAMES_OF_UNIT);
            let pair = (self.own.id(&next), self.other.id(&next_beside));
            self.meet(pair, Some((at as u32, byte)), bytes);
        }
    }

    /// Notes a pair that some bytes lead to, unless it is known.
    fn meet(&mut self, (own, other): (Place, Place), before: Option<(u32, u8)>, bytes: usize) {
        if self.known.insert((own, other)) {
            self.pairs.push(Pair { own, other, before, bytes });
        }
    }

    /// The text that leads to a pair.
    fn text(&self, at: usize) -> Vec<u8> {
        let (mut text, mut at) = (Vec::with_capacity(self.pairs[at].bytes), at);
        while let Some((before, byte)) = self.pairs[at].before {
            text.push(byte);
            at = before as usize;
        }
        text.reverse();
        text
    }
}

/// The stacks under some configurations.
fn ways(machine: &Machine<'_>, configurations: &[Configuration]) -> usize {
    let alternatives = |stack| machine.stacks.alternatives(stack).map_or(1, <[_]>::len);
    configurations.iter().map(|configuration| alternatives(configuration.stack)).sum()
}

/// All bytes: of texts of one length, one that can be read is found first.
fn readable_first() -> impl Iterator<Item = u8> {
    (b'a'..=b'~').chain(b' '..=b'`').chain(0..b' ').chain(b'~' + 1..=u8::MAX)
}

fn too_many_pairs(pairs: usize, most: usize) -> Error {
    let message = format!("limit reached: two forms meet in more than {most} pairs of places");
    Error::new(Kind::Limit { limit: "product_parts", value: pairs, allowed: most }, message)
        .hint("compare forms with fewer texts, such as those up to a length: form & fw.regex(\".{0,20}\")")
}

#[cfg(test)]
mod tests {
    use crate::Kind;
    use crate::limits::Limits;
    use crate::syntax::grammar::compile::GrammarText;
    use crate::syntax::regex::{Dialect, of_dialect};

    fn grammar(text: &str) -> crate::Language {
        let (text, none) = (text.into(), Vec::new());
        let text = GrammarText {
            text,
            syntax: None,
            start: None,
            lexing: None,
            translations: none,
            forms: Vec::new(),
            controls: Vec::new(),
        };
        text.build(&[], &Limits::default()).unwrap()
    }

    #[test]
    fn the_first_text_that_is_missing_is_found() {
        let pairs = grammar("root ::= \"a\" root \"b\" | \"\"");
        let letters = of_dialect("[ab]*", Dialect::Ascii, &Limits::default()).unwrap();
        assert_eq!(letters.shortest_outside(&pairs, None).unwrap(), Some(b"a".to_vec()));
        assert_eq!(letters.shortest_outside(&pairs, Some(0)).unwrap(), None);
        assert_eq!(pairs.shortest_outside(&letters, Some(9)).unwrap(), None);
        let error = pairs.shortest_outside(&letters, None).unwrap_err();
        assert!(matches!(*error.kind, Kind::Limit { .. }), "{error}");
        let few = of_dialect("(ab|aabb)?", Dialect::Ascii, &Limits::default()).unwrap();
        assert_eq!(few.shortest_outside(&pairs, None).unwrap(), None);
    }

    #[test]
    fn every_byte_is_tried_once() {
        let mut all: Vec<u8> = super::readable_first().collect();
        all.sort_unstable();
        assert_eq!(all, (0..=u8::MAX).collect::<Vec<u8>>());
    }
}
