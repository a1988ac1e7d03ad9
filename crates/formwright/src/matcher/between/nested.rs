//! What may be written between a known beginning and a known end of a text that nests: a grammar.
//!
//! ```text
//! s: "[" s "]" | "x"    between "[[" and "]"      t: "x]" | "[" s "]]"
//! ```
//!
//! The pushdown automaton of the form is a grammar: a control reads its texts, and then what it has pushed is resumed, one
//! symbol after the other. A middle that is not empty ends inside of one control or symbol. That one, and whatever is
//! resumed after it, has read the end of the text, up to some place; all before it are read by the middle alone. So
//! there is a node for each head (a control or symbol) and place: the texts after which the end, up to that place,
//! completes what the head reads. At place 0, that end is empty: these are all texts of the head.
//!
//! Cost: the pushdown automaton; the stacks to which the beginning leads; how the end is read (see `suffix`); the regions
//! of the heads that are reached; for each of those the places where it can end.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::follow::Follows;
use super::regions::Region;
use super::suffix::{Head, Place, Places, Suffix, ascending};
use super::{say_misplaced, say_nothing_fits, say_unfinished};
use crate::error::{Error, Kind, Result};
use crate::interrupt::count;
use crate::language::{Graph, Language, Node, NodeId};
use crate::limits::Limits;
use crate::matcher::minimal::DEAD;
use crate::matcher::pushdown::{
    BOTTOM, Control, ONLY_BOTTOM, PushdownAutomaton, RESUME, Several, StackSet, StackSets, Step, Symbol,
};

/// Of longer ends, no byte is looked for that cannot come: that takes some twenty times as long as finding a middle.
const MOST_EXPLAINED: usize = 1 << 16;

/// The texts that may be written between two others, in the language of an automaton.
///
/// # Errors
/// [`Kind::Unsatisfiable`] where there is none; [`Kind::Limit`] where there are too many states.
pub fn find(automaton: &PushdownAutomaton, prefix: &[u8], suffix: &[u8], limits: &Limits) -> Result<Language> {
    let mut stacks = StackSets::default();
    let (ways, follows) = (read_prefix(automaton, &mut stacks, prefix)?, Follows::new(automaton));
    let mut find = |end: &[u8], is_open: bool| {
        let suffix = Suffix::new(automaton, &follows, end, is_open);
        Writer::new(automaton, &suffix, &mut stacks, limits).write(&ways, limits)
    };
    match find(suffix, false) {
        Err(error) if is_unsatisfiable(&error) && suffix.len() > MOST_EXPLAINED => Err(say_nothing_fits()),
        Err(error) if is_unsatisfiable(&error) => Err(find_misplaced_byte(suffix, |end| match find(end, true) {
            Err(error) if is_unsatisfiable(&error) => Ok(false),
            found => found.map(|_| true),
        })?),
        found => found,
    }
}

fn is_unsatisfiable(error: &Error) -> bool {
    matches!(*error.kind, Kind::Unsatisfiable { .. })
}

/// The error where nothing can come before an end: its first byte that no text has there.
fn find_misplaced_byte(suffix: &[u8], mut may_come: impl FnMut(&[u8]) -> Result<bool>) -> Result<Error> {
    let (mut low, mut high) = (0, suffix.len() + 1); // so many bytes may come, so many may not
    while low + 1 < high {
        let middle = low.midpoint(high);
        if may_come(&suffix[..middle])? { low = middle } else { high = middle }
    }
    Ok(if low == suffix.len() { say_unfinished() } else { say_misplaced("suffix", suffix, low) })
}

/// By control: the stacks with which it is reached.
type Ways = BTreeMap<Control, StackSet>;

/// Where a beginning leads.
fn read_prefix(automaton: &PushdownAutomaton, stacks: &mut StackSets, prefix: &[u8]) -> Result<Ways> {
    let mut ways = follow(automaton, stacks, vec![(automaton.start.as_slice(), ONLY_BOTTOM)]);
    for (at, &byte) in prefix.iter().enumerate() {
        let mut steps = Vec::new();
        for (control, set) in ways {
            if control == RESUME {
                let tops = stacks.tops(set).iter().filter(|top| top.0 != BOTTOM);
                steps.extend(tops.map(|&(symbol, below)| (automaton.step_after(symbol, byte), below)));
            } else {
                steps.push((automaton.step(control, byte), set));
            }
        }
        ways = follow(automaton, stacks, steps);
        if ways.is_empty() {
            return Err(say_misplaced("prefix", prefix, at));
        }
    }
    Ok(ways)
}

/// Where some steps lead, each with the stacks below what it pushes.
fn follow(automaton: &PushdownAutomaton, stacks: &mut StackSets, steps: Vec<(&[Step], StackSet)>) -> Ways {
    let mut found: BTreeMap<Control, Several> = BTreeMap::new();
    for (steps, below) in steps {
        count(1 + steps.len());
        for step in steps {
            found.entry(step.to).or_default().push(stacks.push_word(automaton.words(), step.pushed, below));
        }
    }
    found.into_iter().map(|(control, mut sets)| (control, stacks.unite(&mut sets))).collect()
}

/// What a node describes; the [`Place`] is how much of the suffix has been read at its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    /// Texts of a head.
    Head(Head, Place),
    /// Texts of a control and of what stacks resume after it.
    Control(Control, StackSet, Place),
    /// Texts of what stacks resume, the last byte of which is read by one of their symbols.
    Stacks(StackSet, Place),
}

/// Writes the grammar.
struct Writer<'a> {
    automaton: &'a PushdownAutomaton,
    suffix: &'a Suffix<'a>,
    stacks: &'a mut StackSets,
    most_nodes: usize,
    most_states: usize,
    graph: Graph,
    regions: FxHashMap<Head, Rc<Region>>,
    nodes: FxHashMap<Part, NodeId>,
    /// By stacks and place: from where what they resume is read that ends there.
    starts: FxHashMap<(StackSet, Place), Places>,
    /// Nodes that are still to be written.
    open: Vec<(Part, NodeId)>,
}

impl<'a> Writer<'a> {
    fn new(
        automaton: &'a PushdownAutomaton,
        suffix: &'a Suffix<'a>,
        stacks: &'a mut StackSets,
        limits: &Limits,
    ) -> Self {
        Self {
            automaton,
            suffix,
            stacks,
            most_nodes: limits.nodes,
            most_states: limits.form_states.min(usize::from(DEAD)),
            graph: Graph::default(),
            regions: FxHashMap::default(),
            nodes: FxHashMap::default(),
            starts: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    /// The language of the texts after one of some ways to begin.
    fn write(mut self, ways: &Ways, limits: &Limits) -> Result<Language> {
        let whole = self.suffix.len();
        let options =
            ways.iter().map(|(&control, &stacks)| self.find_node(Part::Control(control, stacks, whole))).collect();
        let root = self.graph.choice(options);
        self.graph.root = self.graph.add(Node::Rule(root));
        while let Some((part, at)) = self.open.pop() {
            let options = match part {
                Part::Head(head, place) => self.write_head(head, place)?,
                Part::Control(control, stacks, place) => self.write_control(control, stacks, place),
                Part::Stacks(stacks, place) => self.write_stacks(stacks, place),
            };
            count(1 + options.len());
            self.graph.nodes[at as usize] = Node::Choice(options.into());
            if self.graph.nodes.len() > self.most_nodes {
                return Err(Error::limit("nodes", self.graph.nodes.len(), self.most_nodes));
            }
        }
        Language::new(self.graph, limits)
    }

    /// The node of a part, which is written later.
    fn find_node(&mut self, part: Part) -> NodeId {
        *self.nodes.entry(part).or_insert_with(|| {
            let node = self.graph.add(Node::Never);
            self.open.push((part, node));
            node
        })
    }

    fn find_region(&mut self, head: Head) -> Result<Rc<Region>> {
        if let Some(known) = self.regions.get(&head) {
            return Ok(Rc::clone(known));
        }
        let region = Rc::new(Region::new(self.automaton, head, self.most_states, &mut self.graph)?);
        self.regions.insert(head, Rc::clone(&region));
        Ok(region)
    }

    /// Texts of a head, not empty.
    fn write_head(&mut self, head: Head, place: Place) -> Result<Vec<NodeId>> {
        let region = self.find_region(head)?;
        let suffix = self.suffix;
        let ends_there = |control: Control| suffix.ends_at(control, place);
        let inside = if place == 0 { None } else { region.write_texts_to(ends_there, &mut self.graph) };
        let mut options = Vec::from_iter(inside);
        for ((control, pushed), first) in &region.exits {
            let stacks = pushed.iter().rev().fold(ONLY_BOTTOM, |below, &symbol| self.stacks.push(symbol, below));
            if (*control, stacks) == (RESUME, ONLY_BOTTOM) {
                options.extend((place == 0).then_some(*first));
            } else {
                let rest = self.find_node(Part::Control(*control, stacks, place));
                options.push(self.graph.add(Node::Sequence([*first, rest].into())));
            }
        }
        Ok(options)
    }

    /// Texts of a control and of what stacks resume after it, perhaps empty.
    fn write_control(&mut self, control: Control, stacks: StackSet, place: Place) -> Vec<NodeId> {
        let mut options = Vec::new();
        let starts = self.find_starts(stacks, place);
        if starts.iter().any(|&start| self.suffix.ends_at(control, start)) {
            options.push(self.graph.add(Node::Empty));
        }
        let own = (control != RESUME).then_some(Head::Control(control));
        options.extend(own.into_iter().flat_map(|head| self.write_head_at(head, &starts)));
        if stacks != ONLY_BOTTOM {
            let resumed = self.find_node(Part::Stacks(stacks, place));
            options.push(self.join(own, resumed));
        }
        options
    }

    /// Texts of what stacks resume, the last byte of which is read by one of their symbols.
    fn write_stacks(&mut self, stacks: StackSet, place: Place) -> Vec<NodeId> {
        let mut options = Vec::new();
        for (symbol, below) in list_tops(self.stacks, stacks) {
            let (head, starts) = (Head::Symbol(symbol), self.find_starts(below, place));
            options.extend(self.write_head_at(head, &starts));
            if below != ONLY_BOTTOM {
                let resumed = self.find_node(Part::Stacks(below, place));
                options.push(self.join(Some(head), resumed));
            }
        }
        options
    }

    /// From where what stacks resume is read that ends at a place: their symbols, one after the other.
    fn find_starts(&mut self, stacks: StackSet, place: Place) -> Places {
        let mut open = vec![stacks];
        while let Some(&set) = open.last() {
            let tops = list_tops(self.stacks, set);
            let before = open.len();
            open.extend(tops.iter().map(|top| top.1).filter(|below| !self.starts.contains_key(&(*below, place))));
            if open.len() > before {
                continue;
            }
            open.pop();
            let read = tops
                .iter()
                .flat_map(|(symbol, below)| self.suffix.starts_before(*symbol, &self.starts[&(*below, place)]));
            let is_bottom = tops.len() < self.stacks.tops(set).len();
            let starts = ascending(read.chain(is_bottom.then_some(place)));
            self.starts.insert((set, place), starts);
        }
        self.starts[&(stacks, place)].clone()
    }

    /// The nodes of a head at each of some places.
    fn write_head_at(&mut self, head: Head, places: &Places) -> Vec<NodeId> {
        places.iter().map(|&place| self.find_node(Part::Head(head, place))).collect()
    }

    /// All that a head reads, and then a node.
    fn join(&mut self, head: Option<Head>, then: NodeId) -> NodeId {
        let Some(head) = head else { return then };
        let whole = self.find_node(Part::Head(head, 0));
        self.graph.add(Node::Sequence([whole, then].into()))
    }
}

/// The symbols above the bottom that may be on top, each with what may be below it.
fn list_tops(stacks: &StackSets, set: StackSet) -> SmallVec<[(Symbol, StackSet); 4]> {
    stacks.tops(set).iter().copied().filter(|top| top.0 != BOTTOM).collect()
}
