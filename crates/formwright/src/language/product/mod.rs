//! The texts of a grammar that are also in a regular language: the two, read side by side.
//!
//! ```text
//! s: "(" s ")" |          pattern "(" * an even number, ")" * any number: two states E, O
//!
//! from E    "(" E>O   s O>E  or  s O>O ...      the copy s E>E has "(" s(O>O) ")" and the empty text
//! ```
//!
//! A rule becomes a copy for each pair of states of the regular language's automaton between which it may lead, and so does
//! all that it consists of (Bar-Hillel, Perles and Shamir, On formal properties of simple phrase structure grammars, 1961).
//! What a terminal leads to is a regular language of its own ([`terminals`]). The graph is one that front ends made: how a text
//! is cut into terminals is part of what they are, so the texts of the product are exactly those of both.
//!
//! Only what a text may meet is looked at. From its beginning on, places are *entered*: a part, and the state that it begins
//! in. Where they lead is found upwards, from parts to what they are parts of. Both are one list of things to do.
//! Then [`copies`] writes only the copies that some whole text uses.
//!
//! Cost: an [`Entry`] for each part and state that it begins in, a fact for each state that it ends in, and a step for each
//! fact and place that waits for it. Entries and facts are counted against one bound, the states of the automaton
//! against another.

mod copies;
mod terminals;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Graph, Language, Node, NodeId, UNBOUNDED};
use crate::error::{Error, Kind, Result};
use crate::interrupt::{bounded, count};
use crate::limits::Limits;
use crate::regular::{Deterministic, LEFT, Regular, State};

use copies::Copies;
use terminals::Terminals;

/// A part of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Symbol {
    Node(NodeId),
    /// The parts of a sequence from one on.
    Suffix(NodeId, u32),
    /// So many rounds of a node.
    Rounds(NodeId, u32, u32),
}

/// Index of an [`Entry`].
type EntryId = u32;

/// A part that begins in a state.
struct Entry {
    symbol: Symbol,
    from: State,
    /// The states in which it may end.
    exits: Vec<State>,
    /// How many of them those that wait know of.
    passed: usize,
    waiting: Vec<Waiting>,
    /// Of rounds: whether those after the first one are entries of their own.
    is_unrolled: bool,
}

/// What is done with an end of a part.
#[derive(Clone, Copy)]
enum Waiting {
    /// It is an end of another one as well.
    Same(EntryId),
    /// There, another part begins, whose ends are those of an entry.
    Then(EntryId, Symbol),
    /// A round of these rounds ends there.
    Round(EntryId),
}

/// What is to be done.
enum Task {
    Begin(EntryId),
    Pass(EntryId),
}

/// A graph and an automaton, read side by side.
struct Product<'g> {
    graph: &'g Graph,
    regular: Deterministic,
    terminals: Terminals,
    entries: Vec<Entry>,
    ids: FxHashMap<(Symbol, State), EntryId>,
    facts: FxHashSet<(EntryId, State)>,
    tasks: Vec<Task>,
    limits: &'g Limits,
}

impl Language {
    /// The texts of this language that are also in a regular one.
    ///
    /// # Errors
    /// [`Kind::Argument`] where this language holds JSON, control tokens, a parser, or a part with a bound on its tokens;
    /// [`Kind::Unsatisfiable`] when no text is in both; [`Kind::Limit`] when both together are too large.
    pub(super) fn restricted_to(&self, tree: &Regular) -> Result<Self> {
        let limits = self.limits();
        self.check_texts()?;
        bounded(limits.work, || {
            let regular = Deterministic::new(tree, limits)?;
            if regular.len() > limits.product_states {
                return Err(Error::limit("product_states", regular.len(), limits.product_states)
                    .hint("use a regular form with fewer states: shorter counts, fewer options"));
            }
            let mut product = Product::new(self.graph(), regular, limits);
            let root = product.find_ends()?;
            Self::new(Copies::of(&mut product, root)?, limits)
        })
    }
}

impl<'g> Product<'g> {
    fn new(graph: &'g Graph, regular: Deterministic, limits: &'g Limits) -> Self {
        Self {
            graph,
            regular,
            terminals: Terminals::default(),
            entries: Vec::new(),
            ids: FxHashMap::default(),
            facts: FxHashSet::default(),
            tasks: Vec::new(),
            limits,
        }
    }

    /// The entry of whole texts, if there may be one, once it is known where all entries end.
    fn find_ends(&mut self) -> Result<Option<EntryId>> {
        if self.regular.start == LEFT {
            return Ok(None);
        }
        let root = self.enter(Symbol::Node(self.graph.root), self.regular.start)?;
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Begin(entry) => self.begin(entry)?,
                Task::Pass(entry) => self.pass(entry)?,
            }
        }
        Ok(Some(root))
    }

    /// A part as an entry has it: sequences as suffixes, those of one part as the part, repetitions as rounds.
    fn plain(&self, mut symbol: Symbol) -> Symbol {
        loop {
            count(1);
            symbol = match symbol {
                Symbol::Node(node) => match self.graph.nodes[node as usize] {
                    Node::Sequence(_) => Symbol::Suffix(node, 0),
                    Node::Repeat { body, low, high } => return Symbol::Rounds(body, low, high),
                    _ => return symbol,
                },
                Symbol::Suffix(node, at) => match self.parts(node).get(at as usize..) {
                    Some([last]) => Symbol::Node(*last),
                    _ => return symbol,
                },
                Symbol::Rounds(..) => return symbol,
            };
        }
    }

    /// The parts of a sequence.
    fn parts(&self, node: NodeId) -> &'g [NodeId] {
        match &self.graph.nodes[node as usize] {
            Node::Sequence(parts) => parts,
            _ => &[],
        }
    }

    /// The entry of a part in a state, if there is one.
    fn find(&self, symbol: Symbol, from: State) -> Option<EntryId> {
        self.ids.get(&(self.plain(symbol), from)).copied()
    }

    /// The entry of a part in a state.
    fn enter(&mut self, symbol: Symbol, from: State) -> Result<EntryId> {
        let symbol = self.plain(symbol);
        if let Some(&known) = self.ids.get(&(symbol, from)) {
            return Ok(known);
        }
        count(8);
        let new = self.entries.len() as EntryId;
        self.entries.push(Entry {
            symbol,
            from,
            exits: Vec::new(),
            passed: 0,
            waiting: Vec::new(),
            is_unrolled: false,
        });
        self.ids.insert((symbol, from), new);
        self.tasks.push(Task::Begin(new));
        self.check_size()?;
        Ok(new)
    }

    fn check_size(&self) -> Result<()> {
        let (parts, most) = (self.entries.len() + self.facts.len(), self.limits.product_parts);
        if parts > most { Err(too_many_parts(parts, most)) } else { Ok(()) }
    }

    /// Enters the parts that a part begins with.
    fn begin(&mut self, entry: EntryId) -> Result<()> {
        let Entry { symbol, from, .. } = self.entries[entry as usize];
        match symbol {
            Symbol::Node(node) => self.begin_node(entry, node, from),
            Symbol::Suffix(node, at) => match self.parts(node).get(at as usize) {
                Some(&first) => {
                    let first = self.enter(Symbol::Node(first), from)?;
                    self.wait(first, Waiting::Then(entry, Symbol::Suffix(node, at + 1)))
                }
                None => self.end(entry, from),
            },
            Symbol::Rounds(body, low, high) => {
                if low == 0 || high == 0 {
                    self.end(entry, from)?;
                }
                if high == 0 {
                    return Ok(());
                }
                let body = self.enter(Symbol::Node(body), from)?;
                self.wait(body, Waiting::Round(entry))
            }
        }
    }

    fn begin_node(&mut self, entry: EntryId, node: NodeId, from: State) -> Result<()> {
        let graph = self.graph;
        match &graph.nodes[node as usize] {
            Node::Never => Ok(()),
            Node::Empty => self.end(entry, from),
            Node::Choice(options) => options.iter().try_for_each(|&option| self.same(entry, option, from)),
            Node::Rule(target) => self.same(entry, *target, from),
            _ => {
                let exits = self.terminals.exits(graph, node, (&self.regular, from), self.limits)?;
                exits.into_iter().try_for_each(|exit| self.end(entry, exit))
            }
        }
    }

    /// An entry ends where a node does that begins in the same state.
    fn same(&mut self, entry: EntryId, node: NodeId, from: State) -> Result<()> {
        let other = self.enter(Symbol::Node(node), from)?;
        self.wait(other, Waiting::Same(entry))
    }

    /// Notes that an entry may end in a state.
    fn end(&mut self, entry: EntryId, exit: State) -> Result<()> {
        count(4);
        if self.facts.insert((entry, exit)) {
            self.entries[entry as usize].exits.push(exit);
            self.tasks.push(Task::Pass(entry));
            self.check_size()?;
        }
        Ok(())
    }

    /// Waits for the ends of an entry, of which some may be known.
    fn wait(&mut self, on: EntryId, waiting: Waiting) -> Result<()> {
        self.entries[on as usize].waiting.push(waiting);
        for known in 0..self.entries[on as usize].passed {
            self.tell(waiting, on, self.entries[on as usize].exits[known])?;
        }
        Ok(())
    }

    /// Tells those that wait for an entry of its new ends.
    fn pass(&mut self, entry: EntryId) -> Result<()> {
        while let Some(&exit) = self.entries[entry as usize].exits.get(self.entries[entry as usize].passed) {
            self.entries[entry as usize].passed += 1;
            for place in 0..self.entries[entry as usize].waiting.len() {
                self.tell(self.entries[entry as usize].waiting[place], entry, exit)?;
            }
        }
        Ok(())
    }

    /// Tells one that waits for an entry of an end.
    fn tell(&mut self, waiting: Waiting, entry: EntryId, exit: State) -> Result<()> {
        count(4);
        match waiting {
            Waiting::Same(other) => self.end(other, exit),
            Waiting::Then(whole, rest) => {
                let rest = self.enter(rest, exit)?;
                self.wait(rest, Waiting::Same(whole))
            }
            Waiting::Round(rounds) if self.entries[rounds as usize].is_unrolled => Ok(()),
            Waiting::Round(rounds) if self.entries[rounds as usize].from == exit => self.end(rounds, exit),
            Waiting::Round(rounds) => {
                self.entries[rounds as usize].is_unrolled = true;
                let rest = after_round(self.entries[rounds as usize].symbol);
                self.wait(entry, Waiting::Then(rounds, rest))
            }
        }
    }
}

/// The rounds after the first one.
fn after_round(rounds: Symbol) -> Symbol {
    match rounds {
        Symbol::Rounds(body, low, high) => {
            let high = if high == UNBOUNDED { high } else { high.saturating_sub(1) };
            Symbol::Rounds(body, low.saturating_sub(1), high)
        }
        other => other,
    }
}

fn too_many_parts(parts: usize, most: usize) -> Error {
    let message = format!("limit reached: a grammar and a regular form have more than {most} parts together");
    Error::new(Kind::Limit { limit: "product_parts", value: parts, allowed: most }, message)
        .hint("use a regular form with fewer states, or a grammar with fewer rules and shorter counts")
}

#[cfg(test)]
mod tests;
