//! The tokens from a control, by where they lead.

use rustc_hash::FxHashMap;

use super::{EMPTY, NOTHING, Popped, PoppedId, PushdownAutomaton, RESUME, Step, WordId, Words};
use crate::interrupt::count;
use crate::vocabulary::{TokenId, Vocabulary};

/// Where bytes have led: what they popped below the stack they began on, and what they pushed onto the rest of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub at: Step,
    pub popped: PoppedId,
}

/// Room for walks, kept from one to the next.
#[derive(Default)]
pub struct Walk {
    /// The places after each byte on the way, one list after the other.
    places: Vec<Place>,
    /// By depth: where the list of places after so many bytes begins.
    first: Vec<usize>,
    /// By where a place is, and whether something was popped: the node at which it was met last, and its index there.
    met: FxHashMap<(Step, bool), (usize, usize)>,
    /// The node of the byte that is read.
    node: usize,
    /// The tokens of each place, in the order of the tree.
    found: FxHashMap<Place, Vec<TokenId>>,
}

/// What words and sequences a walk makes.
pub struct Made<'a> {
    pub words: &'a mut Words,
    pub popped: &'a mut Popped,
}

impl Walk {
    /// Finds the tokens from a control, by where they lead, in a fixed order.
    pub fn run(
        &mut self,
        automaton: &PushdownAutomaton,
        vocabulary: &Vocabulary,
        from: u32,
        made: &mut Made<'_>,
    ) -> Vec<(Place, Vec<TokenId>)> {
        let trie = vocabulary.plain();
        let (nodes, items) = (trie.nodes(), trie.items());
        self.places.clear();
        self.first.clear();
        self.met.clear();
        self.places.push(Place { at: Step { to: from, pushed: EMPTY }, popped: NOTHING });
        self.first.push(0);
        let mut at = 1;
        while let Some(node) = nodes.get(at) {
            let depth = usize::from(node.depth);
            if let Some(&end) = self.first.get(depth) {
                self.places.truncate(end);
                self.first.truncate(depth);
            }
            let (before, base) = (self.first[depth - 1], self.places.len());
            self.node = at;
            for place in before..base {
                self.step(automaton, place, node.byte, made);
            }
            count(1 + (base - before) + (self.places.len() - base));
            if self.places.len() == base {
                at = node.skip as usize;
                continue;
            }
            self.first.push(base);
            at += 1;
            let end = nodes.get(at).map_or(items.len(), |next| next.first_item as usize);
            let tokens = &items[node.first_item as usize..end];
            if !tokens.is_empty() {
                for &place in &self.places[base..] {
                    self.found.entry(place).or_default().extend_from_slice(tokens);
                }
            }
        }
        let mut found: Vec<_> = self.found.drain().collect();
        found.sort_unstable();
        found
    }

    /// Adds the places after a byte from one place.
    fn step(&mut self, automaton: &PushdownAutomaton, from: usize, byte: u8, made: &mut Made<'_>) {
        let Place { at: Step { to, pushed }, popped } = self.places[from];
        if to != RESUME {
            return self.add_all(automaton.step(to, byte), pushed, popped, made);
        }
        if let Some((symbol, below)) = made.words.pop(pushed) {
            return self.add_all(automaton.step_after(symbol, byte), below, popped, made);
        }
        for &symbol in automaton.symbols_begun_by(byte) {
            let popped = made.popped.push(popped, symbol);
            self.add_all(automaton.step_after(symbol, byte), EMPTY, popped, made);
        }
    }

    fn add_all(&mut self, steps: &[Step], below: WordId, popped: PoppedId, made: &mut Made<'_>) {
        for step in steps {
            let at = Step { to: step.to, pushed: made.words.join(step.pushed, below) };
            self.add(Place { at, popped }, made.popped);
        }
    }

    /// Adds a place to those after this byte, or merges it into one that differs only in what was popped.
    fn add(&mut self, place: Place, popped: &mut Popped) {
        let here = (self.node, self.places.len());
        let met = self.met.entry((place.at, place.popped == NOTHING)).or_insert(here);
        if met.0 != self.node || met.1 == here.1 {
            *met = here;
            self.places.push(place);
            return;
        }
        let known = &mut self.places[met.1];
        if known.popped != place.popped {
            known.popped = popped.unite(known.popped, place.popped);
        }
    }
}
