//! From sets of values to nodes of a graph.
//!
//! A condition becomes one node, made once ([`GraphBuilder::node`]); its children are queued, not recursed into, so
//! deep and recursive schemas need no deep stack. Scalars share one set of literal texts, and the strings of a type one
//! automaton.
//!
//! ```text
//! {"type": ["null", "string"]}     Choice(Literals("null"), Text(any))
//! ```

mod alphabet;
mod arrays;
mod conditional;
mod declared;
mod notated;
mod objects;
mod ordering;
mod strings;
mod undeclared;

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Options;
use super::number::NumberSet;
use super::numerals::told_apart;
use super::read::SchemaReader;
use super::sets::{Atom, Condition, StringSet, TRUE, ValueSet, is_never};
use super::value::Value;
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::language::{Graph, Layout, Leaf, LeafId, Node, NodeId};
use crate::regular::{Encoding, Escapes, Regular, Writing};
use crate::syntax::notation::Parts;
use alphabet::Texts;
pub use notated::most_digits;
pub use ordering::write_in_order;
use strings::{counted_class, is_worth_counting, quoted};

/// Units of work of a condition.
const WORK_OF_CONDITION: usize = 64;

/// Counted conditions in one array or object at most.
const MOST_KINDS: usize = 6;

/// The nodes that together are a value.
type Alternatives = SmallVec<[Node; 4]>;

/// The values that are one text each.
type LiteralTexts<'d> = SmallVec<[&'d [u8]; 4]>;

/// Builds a graph out of conditions.
pub struct GraphBuilder<'r, 'd> {
    reader: &'r mut SchemaReader<'d>,
    options: &'d Options,
    graph: Graph,
    layout: Layout,
    /// By schema: the node of the condition to be valid against it, if there is one.
    of_schema: Vec<Option<NodeId>>,
    /// The nodes of other conditions.
    of_condition: FxHashMap<Condition<'d>, NodeId>,
    /// Nodes still to be built.
    queue: VecDeque<(NodeId, Condition<'d>)>,
    /// The leaf of all strings.
    texts: Option<LeafId>,
    /// The texts of the characters that open strings and names have, unless they have all.
    alphabet: Option<Regular>,
    /// The first condition met of which the alphabet leaves some language without a text.
    outside: Option<Condition<'d>>,
    /// The first condition met that no value meets.
    empty: Option<Condition<'d>>,
    /// The first condition met that more values meet than are written.
    narrowed: Option<Condition<'d>>,
    /// Where a record is kept: the declared members of each object, and the condition that it is built for.
    members: Vec<Members<'d>>,
}

/// The condition on an object, and the names and values of its declared members.
type Members<'d> = (Condition<'d>, Vec<(String, NodeId)>);

/// What a schema became.
pub struct Built<'d> {
    pub graph: Graph,
    /// The condition on the whole text.
    pub root: Condition<'d>,
    /// The first condition met that no value meets.
    pub empty: Option<Condition<'d>>,
    /// The first condition met that more values meet than are written.
    pub narrowed: Option<Condition<'d>>,
    /// The first condition met of which the alphabet leaves some language without a text; only where places are told.
    pub outside: Option<Condition<'d>>,
    /// Where a record is kept: the declared members of each object.
    pub members: Vec<Members<'d>>,
    /// The parts of the texts, unless they are JSON.
    pub parts: Option<Parts>,
}

impl<'r, 'd> GraphBuilder<'r, 'd> {
    pub fn new(reader: &'r mut SchemaReader<'d>, options: &'d Options) -> Result<Self> {
        let (spaces, layout) = options.spaces()?;
        let size = reader.size();
        Ok(Self {
            reader,
            options,
            graph: Graph::with_capacity(size, spaces),
            layout,
            of_schema: Vec::with_capacity(size),
            of_condition: FxHashMap::default(),
            queue: VecDeque::with_capacity(size),
            texts: None,
            alphabet: notated::alphabet_of(options),
            outside: None,
            empty: None,
            narrowed: None,
            members: Vec::new(),
        })
    }

    /// Builds everything the root needs.
    pub fn finish(mut self, root: &'d Value<'d>) -> Result<Built<'d>> {
        let root = self.reader.root(root);
        let parts = self.notated(root)?;
        if parts.is_none() {
            self.graph.root = self.node(root);
        }
        while let Some((node, condition)) = self.queue.pop_front() {
            match self.build(condition) {
                Ok(built) => self.graph.nodes[node as usize] = built,
                Err(error) => self.reader.fault(error)?,
            }
            if self.graph.nodes.len() > self.options.limits.nodes {
                return Err(Error::limit("nodes", self.graph.nodes.len(), self.options.limits.nodes));
            }
        }
        self.graph.root = match &parts {
            Some(parts) => parts.lower(&mut self.graph),
            None => self.with_whitespace_around(self.graph.root),
        };
        let Self { graph, empty, narrowed, outside, members, .. } = self;
        Ok(Built { graph, root, empty, narrowed, outside, members, parts })
    }

    /// The node of whole texts: free whitespace may be before and after the value too.
    fn with_whitespace_around(&mut self, value: NodeId) -> NodeId {
        let Some(most) = self.options.free_whitespace().filter(|&most| most > 0) else { return value };
        let blank = self.graph.regular(Regular::one_of(" \t\r\n").repeat(0, Some(most)), Encoding::Text);
        self.graph.add(Node::Sequence([blank, value, blank].into()))
    }

    fn build(&mut self, condition: Condition<'d>) -> Result<Node> {
        count(WORK_OF_CONDITION);
        let set = self.reader.values(condition)?;
        if self.empty.is_none() && *set == ValueSet::never() {
            self.empty = Some(condition);
        }
        if self.narrowed.is_none() && set.is_under_approximation() {
            self.narrowed = Some(condition);
        }
        let node = self.value(&set, condition)?;
        self.reader.check_answers()?;
        Ok(node)
    }

    /// The node of a condition, perhaps still to be built.
    fn node(&mut self, condition: Condition<'d>) -> NodeId {
        let next = self.graph.nodes.len() as NodeId;
        let node = if let [Atom::Is(id)] = *condition {
            let id = id as usize;
            self.of_schema.resize(self.of_schema.len().max(id + 1), None);
            *self.of_schema[id].get_or_insert(next)
        } else {
            *self.of_condition.entry(condition).or_insert(next)
        };
        if node == next {
            self.graph.add(Node::Never);
            if !is_never(condition) {
                self.queue.push_back((node, condition));
            }
        }
        node
    }

    /// The node of a set of values. Here and below, `whole` is the condition that they meet: messages name its schemas.
    fn value(&mut self, set: &ValueSet<'d>, whole: Condition<'d>) -> Result<Node> {
        let (mut options, mut literals) = (Alternatives::new(), LiteralTexts::new());
        let words = self.options.notation.words(set);
        literals.extend(words.iter().filter(|(there, _)| *there).map(|(_, text)| text.as_bytes()));
        self.numbers(&set.numbers, whole, &mut literals, &mut options)?;
        self.strings(&set.strings, whole, &mut literals, &mut options);
        self.containers(set, whole, &mut options)?;
        if !literals.is_empty() {
            options.insert(0, self.graph.texts(literals));
        }
        Ok(self.any_of(options))
    }

    /// Any of some nodes.
    fn any_of(&mut self, mut options: Alternatives) -> Node {
        match options.len() {
            0 => Node::Never,
            1 => options.remove(0),
            _ => Node::Choice(options.into_iter().map(|option| self.graph.add(option)).collect()),
        }
    }

    /// The arrays and objects of a set.
    fn containers(&mut self, set: &ValueSet<'d>, whole: Condition<'d>, options: &mut Alternatives) -> Result<()> {
        for array in &set.arrays {
            options.push(self.array(array, whole)?);
        }
        if set.formula == TRUE {
            for object in &set.objects {
                options.push(self.object(object, whole)?);
            }
        } else {
            options.push(self.conditional_object(&set.objects, set.formula, whole)?);
        }
        Ok(())
    }

    fn numbers(
        &mut self,
        sets: &[Rc<NumberSet>],
        whole: Condition<'d>,
        literals: &mut LiteralTexts<'d>,
        options: &mut Alternatives,
    ) -> Result<()> {
        let style = self.options.number_style();
        let mut trees: SmallVec<[Regular; 2]> = SmallVec::new();
        for set in sets {
            match set.only() {
                Some(value) if self.options.decimal_integers && value.is_integer() => {
                    trees.push(self.with_zeros(set, self.number_tree(set, whole)?));
                }
                Some(_) => {
                    let notation = &self.options.notation;
                    let text = set.point_text(style).map(|text| notated::number_text(notation, text));
                    literals.extend(text.map(|text| &*self.reader.arena.alloc_slice_copy(text.as_bytes())));
                }
                None => {
                    let tree = self.number_tree(set, whole)?;
                    if self.reader.explains() && set.exceeds(style) {
                        self.reader.note_numbers(whole, style);
                    }
                    trees.push(if set.is_integral() { self.with_zeros(set, tree) } else { tree });
                }
            }
        }
        if !trees.is_empty() {
            let leaf = self.graph.leaf(Leaf { tree: Regular::or(trees), encoding: Encoding::Text });
            options.push(Node::Regular(leaf));
        }
        Ok(())
    }

    fn number_tree(&self, set: &NumberSet, whole: Condition<'d>) -> Result<Regular> {
        let style = self.options.number_style();
        if set.only().is_some() {
            let text = set.point_text(style).map(|text| notated::number_text(&self.options.notation, text));
            return Ok(text.map_or(Regular::Never, |text| Regular::text(&text)));
        }
        let tree = set.tree(style);
        let tree =
            tree.map_err(|what| Error::unsupported(&self.reader.pointer_of(whole), format!("multipleOf: {what}")))?;
        Ok(notated::spelled_numbers(&self.options.notation, tree))
    }

    /// Integers, perhaps with a fraction of zeros.
    fn with_zeros(&self, set: &NumberSet, tree: Regular) -> Regular {
        if !self.options.decimal_integers {
            return tree;
        }
        let style = self.options.number_style();
        let zeros = Regular::text("0").repeat(1, Some(style.max_digits));
        let decimal = Regular::concat([tree.clone(), Regular::text("."), zeros]);
        let is_misread = style.doubles && set.is_far();
        Regular::or([tree, if is_misread { Regular::and([decimal, told_apart()]) } else { decimal }])
    }

    fn encoding(&self) -> Encoding {
        Encoding::Json(if self.options.any_escapes { Escapes::Any } else { Escapes::Natural })
    }

    fn strings(
        &mut self,
        strings: &StringSet<'d>,
        whole: Condition<'d>,
        literals: &mut LiteralTexts<'d>,
        options: &mut Alternatives,
    ) {
        match strings {
            StringSet::Finite(texts) if !self.options.any_escapes => {
                let texts = texts.iter().filter(|text| notated::is_writable(&self.options.notation, text));
                literals.extend(texts.map(|text| quoted(self.reader.arena, text)));
            }
            strings if strings.is_none() => {}
            StringSet::Regular { tree: Regular::Implicit(language), .. }
                if !self.options.any_escapes
                    && let Some(pieces) = language.pieces() =>
            {
                options.push(Node::Pieces(pieces.clone(), Writing::Json));
            }
            strings => {
                let tree = self.in_alphabet(strings.tree(), std::slice::from_ref(strings), Texts::Strings, whole);
                options.push(match counted_class(&tree).filter(|(class, _, high)| is_worth_counting(class, *high)) {
                    Some((class, low, high)) => Node::Text { leaf: self.texts_of(class), low, high },
                    None => Node::Regular(self.leaf(tree)),
                });
            }
        }
    }

    /// The leaf of all strings of the characters of a class.
    fn texts_of(&mut self, class: Regular) -> LeafId {
        if !class.is_any() {
            return self.leaf(class.repeat(0, None));
        }
        let known = self.texts.unwrap_or_else(|| self.leaf(Regular::anything()));
        *self.texts.insert(known)
    }

    /// The leaf of some strings.
    fn leaf(&mut self, tree: Regular) -> LeafId {
        let encoding = self.encoding();
        self.graph.leaf(Leaf { tree, encoding })
    }
}
