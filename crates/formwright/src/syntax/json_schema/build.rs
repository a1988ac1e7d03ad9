//! From sets to nodes.
//!
//! A condition becomes one node, made once ([`Builder::node`]); its children are
//! queued, not recursed into, so deep and recursive schemas need no deep stack.
//! Scalars share one set of literal texts, objects become one automaton each.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::value::Value;
use bumpalo::Bump;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::declared::{Declared, FEW};
use super::number::{NumberSet, plain_text};
use super::read::SchemaReader;
use super::sets::{ArraySet, Atom, Condition, NEVER, NameSet, ObjectSet, StringSet, ValueSet, conjoin_in, is_never};
use super::{Options, Order};
use crate::error::{Error, Result};
use crate::language::{
    Array, Counted, Extra, Extras, Graph, Layout, LeafId, Member, Node, NodeId, Object, UNBOUNDED, link_required,
};
use crate::regular::{Encoding, Escapes, Regular};

/// Patterns in one object whose overlaps are told apart.
const MOST_PATTERNS: usize = 8;

/// Patterns in one object, most of which share no names.
const MOST_EXCLUSIVE: usize = 16;

/// Counted conditions in one container.
const MOST_KINDS: usize = 6;

/// NameSet of a finite language that are declared one by one.
const MOST_NAMES: usize = 256;

/// The ways to write a value, and those that are plain texts.
type Nodes = SmallVec<[Node; 4]>;
type Texts<'d> = SmallVec<[&'d [u8]; 4]>;

/// By declared name: what its value must meet.
type Conditions<'d> = SmallVec<[Condition<'d>; FEW]>;

/// Bits, one for each pattern.
type Sets = SmallVec<[u32; 4]>;

/// By position: the item, and the kinds it counts for.
type Ways = Vec<Vec<(NodeId, u32)>>;

/// Builds a graph out of formulas.
pub struct Builder<'r, 'd> {
    reader: &'r mut SchemaReader<'d>,
    options: &'d Options,
    graph: Graph,
    layout: Layout,
    /// By schema: the node of that alone, if there is one.
    lone: Vec<Option<NodeId>>,
    /// The nodes of other formulas.
    nodes: FxHashMap<Condition<'d>, NodeId>,
    queue: VecDeque<(NodeId, Condition<'d>)>,
    texts: Option<LeafId>,
    empty: Option<Condition<'d>>,
}

/// What a schema became.
pub struct Built<'d> {
    pub graph: Graph,
    /// What a text is.
    pub root: Condition<'d>,
    /// The first value met that has none.
    pub empty: Option<Condition<'d>>,
}

impl<'r, 'd> Builder<'r, 'd> {
    pub fn new(reader: &'r mut SchemaReader<'d>, options: &'d Options) -> Result<Self> {
        let (spaces, layout) = options.spaces()?;
        let size = reader.size();
        Ok(Self {
            reader,
            options,
            graph: Graph::with_capacity(size, spaces),
            layout,
            lone: Vec::with_capacity(size),
            nodes: FxHashMap::default(),
            queue: VecDeque::with_capacity(size),
            texts: None,
            empty: None,
        })
    }

    /// Builds everything the root needs.
    pub fn finish(mut self, root: &'d Value<'d>) -> Result<Built<'d>> {
        let root = self.reader.root(root);
        self.graph.root = self.node(root);
        while let Some((node, condition)) = self.queue.pop_front() {
            let set = self.reader.values(condition)?;
            if self.empty.is_none() && *set == ValueSet::never() {
                self.empty = Some(condition);
            }
            let built = self.value(&set, condition)?;
            self.graph.nodes[node as usize] = built;
            if self.graph.nodes.len() > self.options.limits.nodes {
                return Err(Error::limit("nodes", self.graph.nodes.len(), self.options.limits.nodes));
            }
        }
        Ok(Built { graph: self.graph, root, empty: self.empty })
    }

    /// The node of a condition, perhaps still to be built.
    fn node(&mut self, condition: Condition<'d>) -> NodeId {
        let next = self.graph.nodes.len() as NodeId;
        let node = if let [Atom::Is(id)] = *condition {
            let id = id as usize;
            self.lone.resize(self.lone.len().max(id + 1), None);
            *self.lone[id].get_or_insert(next)
        } else {
            *self.nodes.entry(condition).or_insert(next)
        };
        if node == next {
            self.graph.add(Node::Never);
            if !is_never(condition) {
                self.queue.push_back((node, condition));
            }
        }
        node
    }

    fn value(&mut self, set: &ValueSet<'d>, whole: Condition<'d>) -> Result<Node> {
        let (mut options, mut literals) = (Nodes::new(), Texts::new());
        let words = [(set.null, "null"), (set.yes, "true"), (set.no, "false")];
        literals.extend(words.iter().filter(|(there, _)| *there).map(|(_, text)| text.as_bytes()));
        self.numbers(&set.numbers, whole, &mut literals, &mut options)?;
        self.strings(&set.strings, &mut literals, &mut options);
        for array in &set.arrays {
            options.push(self.array(array, whole)?);
        }
        for object in &set.objects {
            options.push(self.object(object, whole)?);
        }
        if !literals.is_empty() {
            options.insert(0, self.graph.texts(literals));
        }
        Ok(match options.len() {
            0 => Node::Never,
            1 => options.remove(0),
            _ => Node::Choice(options.into_iter().map(|option| self.graph.add(option)).collect()),
        })
    }

    fn numbers(
        &mut self,
        sets: &[Rc<NumberSet>],
        whole: Condition<'d>,
        literals: &mut Texts<'d>,
        options: &mut Nodes,
    ) -> Result<()> {
        let mut trees: SmallVec<[Regular; 2]> = SmallVec::new();
        for set in sets {
            match set.only() {
                Some(value) if self.options.decimal_integers && value.is_integer() => {
                    trees.push(Regular::concat([Regular::text(&plain_text(value)), self.zeros()]));
                }
                Some(value) => literals.push(self.reader.arena.alloc_slice_copy(plain_text(value).as_bytes())),
                None => {
                    let tree = set.tree(self.options.max_digits).map_err(|what| {
                        Error::unsupported(&self.reader.pointer_of(whole), format!("multipleOf: {what}"))
                    })?;
                    trees.push(if set.is_integral() { Regular::concat([tree, self.zeros()]) } else { tree });
                }
            }
        }
        if !trees.is_empty() {
            let leaf = self.graph.leaf(crate::language::Leaf { tree: Regular::or(trees), encoding: Encoding::Text });
            options.push(Node::Regular(leaf));
        }
        Ok(())
    }

    /// What may follow the digits of an integer.
    fn zeros(&self) -> Regular {
        if !self.options.decimal_integers {
            return Regular::Empty;
        }
        Regular::concat([Regular::text("."), Regular::text("0").repeat(1, Some(self.options.max_digits))]).optional()
    }

    fn encoding(&self) -> Encoding {
        Encoding::Json(if self.options.any_escapes { Escapes::Any } else { Escapes::Natural })
    }

    fn strings(&mut self, strings: &StringSet<'d>, literals: &mut Texts<'d>, options: &mut Nodes) {
        match strings {
            StringSet::Finite(texts) if !self.options.any_escapes => {
                literals.extend(texts.iter().map(|text| quoted(self.reader.arena, text)));
            }
            strings if strings.is_none() => {}
            strings => {
                let tree = strings.tree();
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
        self.graph.leaf(crate::language::Leaf { tree, encoding })
    }

    fn array(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<Node> {
        if array.unique && array.high > 1 {
            return self.unique_array(array, whole);
        }
        let (kinds, ways) = self.counted(array, whole)?;
        Ok(Node::Array(Arc::new(Array {
            prefix: array.prefix.iter().map(|item| self.node(item)).collect(),
            rest: Some(self.node(array.rest)),
            low: array.low,
            high: array.high,
            kinds,
            ways,
            unique: false,
            layout: self.layout,
        })))
    }

    /// An array of scalars that all differ: each item is written in the one form of its value.
    fn unique_array(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<Node> {
        let refuse = |builder: &Self, what: &str| {
            Err(Error::unsupported(&builder.reader.pointer_of(whole), format!("uniqueItems cannot be enforced {what}"))
                .hint("give `items` a scalar type"))
        };
        if !array.prefix.is_empty() || !array.contains.is_empty() {
            return refuse(self, "together with prefixItems or contains");
        }
        let set = self.reader.values(array.rest)?;
        if !set.arrays.is_empty() || !set.objects.is_empty() {
            return refuse(self, "on items that may be arrays or objects");
        }
        let constants = [(set.null, "null"), (set.yes, "true"), (set.no, "false")];
        let mut texts: Vec<Regular> = Vec::new();
        texts.extend(constants.iter().filter(|(there, _)| *there).map(|(_, text)| Regular::text(text)));
        for set in &set.numbers {
            let tree = set
                .tree(self.options.max_digits)
                .map_err(|what| Error::unsupported(&self.reader.pointer_of(whole), format!("multipleOf: {what}")))?;
            let plain = set.only().is_some() || set.is_integral();
            texts.push(Regular::and([tree, if plain { minus_zero().not() } else { shortest_number() }]));
        }
        let parts = [(Regular::or(texts), Encoding::Text), (set.strings.tree(), Encoding::Json(Escapes::Unique))];
        let mut leaves = Vec::new();
        let mut most = 0_u32;
        for (tree, encoding) in parts {
            most = most.saturating_add(self.reader.count(&tree, array.low.max(1)));
            leaves.push(self.graph.leaf(crate::language::Leaf { tree, encoding }));
        }
        // Fewer different items than are wanted: no array is in form.
        let high = if most < array.low { most } else { array.high };
        let item = self.graph.add(Node::Distinct(leaves.into()));
        Ok(Node::Array(Arc::new(Array {
            prefix: Vec::new(),
            rest: Some(item),
            low: array.low,
            high,
            kinds: Vec::new(),
            ways: Vec::new(),
            unique: true,
            layout: self.layout,
        })))
    }

    /// Counted kinds of items, and by position what an item of each combination of kinds is.
    fn counted(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<(Vec<Counted>, Ways)> {
        if array.contains.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        if array.contains.len() > MOST_KINDS {
            let what =
                format!("{} contains meet in one array; at most {MOST_KINDS} can be counted", array.contains.len());
            return Err(Error::unsupported(&self.reader.pointer_of(whole), what));
        }
        let kinds = array.contains.iter().map(|some| Counted { low: some.low, high: some.high }).collect();
        let positions = array.contains.iter().map(|some| some.from as usize).max().unwrap_or(0).max(array.prefix.len());
        let mut ways = Vec::with_capacity(positions + 1);
        for position in 0..=positions {
            let mut here: Vec<(NodeId, u32)> = Vec::new();
            for inside in 0..1_u32 << array.contains.len() {
                let mut condition = array.item(position);
                for (index, some) in array.contains.iter().enumerate() {
                    let counts = inside >> index & 1 == 1;
                    let applies = position >= some.from as usize;
                    condition = match (counts, applies) {
                        (true, true) => conjoin_in(self.reader.arena, condition, some.condition),
                        (true, false) => NEVER,
                        // Below the upper bound, an item that is not counted may be of the kind all the same.
                        (false, true) if some.high < UNBOUNDED => {
                            conjoin_in(self.reader.arena, condition, self.reader.negate(some.condition))
                        }
                        (false, _) => condition,
                    };
                }
                if !is_never(condition) {
                    here.push((self.node(condition), inside));
                }
            }
            ways.push(here);
        }
        Ok((kinds, ways))
    }

    fn object(&mut self, object: &ObjectSet<'d>, whole: Condition<'d>) -> Result<Node> {
        if object.existentials.len() > MOST_KINDS {
            let what = format!(
                "{} conditions on \"some member\" meet in one object; at most {MOST_KINDS} can be tracked",
                object.existentials.len()
            );
            return Err(Error::unsupported(&self.reader.pointer_of(whole), what));
        }
        let finite = finite_names(object);
        let mut names = declared_names(object);
        finite.iter().flatten().zip(0..).for_each(|(name, at)| names.add(name, at));
        let arena = self.reader.arena;
        let texts: SmallVec<[(&[u8], u32); FEW]> = names.iter().map(|name| escaped(arena, name)).zip(0..).collect();
        let conditions = self.conditions(object, &names);
        let index = |name: &str| names.place(name, 0).unwrap_or(0);
        let mut members = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let (condition, (text, _)) = (conditions[at], texts[at]);
            let allowed = self.reader.allows_name(object, name);
            let value = if allowed { self.node(condition) } else { self.graph.add(Node::Never) };
            let mut witnesses = Box::default();
            if allowed && !object.existentials.is_empty() {
                let meets: Vec<bool> =
                    object.existentials.iter().map(|demand| self.reader.in_names(&demand.names, name)).collect();
                witnesses = self.witnesses(object, condition, &meets);
            }
            let name_bytes = text.len() as u32 + 2;
            members.push(Member { name_bytes, value, next_required: 0, required: false, possible: true, witnesses });
        }
        object.required.iter().for_each(|name| members[index(name)].required = true);
        let extras = if finite.is_some() { Extras::new() } else { self.extras(object, whole, &names)? };
        let required = object.required.len() as u32;
        let implied = object.implied.iter().map(|(a, b)| (index(a) as u32, index(b) as u32)).collect();
        link_required(&mut members);
        Ok(Node::Object(Arc::new(Object {
            names: self.graph.text_set(&texts),
            low: if object.low <= required { 0 } else { object.low },
            high: object.high,
            any_order: self.options.order == Order::Model,
            demands: (1 << object.existentials.len()) - 1,
            implied,
            layout: self.layout,
            members,
            extras,
            tails: 0,
        })))
    }

    /// The condition on the value of each declared member.
    fn conditions(&mut self, object: &ObjectSet<'d>, names: &Declared<'d>) -> Conditions<'d> {
        let mut all = Conditions::from_elem(Condition::default(), names.len());
        for (at, rule) in object.rules.iter().enumerate() {
            let arena = self.reader.arena;
            let demand = |index: usize| all[index] = conjoin_in(arena, all[index], rule.condition);
            match &rule.names {
                NameSet::One(name) => names.place(name, at).into_iter().for_each(demand),
                NameSet::In(tree) => {
                    let inside = self.reader.inside(tree, names.iter());
                    (0..names.len()).filter(|index| inside[*index]).for_each(demand);
                }
                NameSet::Except { names: without, patterns } => {
                    let excepted = arena.alloc_slice_fill_copy(names.len(), false);
                    let without = without.iter().zip(0..).filter_map(|(name, at)| names.place(name, at));
                    without.for_each(|index| excepted[index] = true);
                    for tree in patterns {
                        let inside = self.reader.inside(tree, names.iter());
                        excepted.iter_mut().zip(inside).for_each(|(excepted, inside)| *excepted |= inside);
                    }
                    (0..names.len()).filter(|index| !excepted[*index]).for_each(demand);
                }
            }
        }
        all
    }

    /// The values of a member that meet some of the demands its name can meet.
    fn witnesses(&mut self, object: &ObjectSet<'d>, value: Condition<'d>, meets: &[bool]) -> Box<[(NodeId, u32)]> {
        let able = meets.iter().enumerate().fold(0_u32, |set, (index, meets)| set | u32::from(*meets) << index);
        let mut all = Vec::new();
        for met in (1..1_u32 << meets.len()).filter(|met| met & !able == 0) {
            let demands = object.existentials.iter().enumerate().filter(|(index, _)| met >> index & 1 == 1);
            let condition =
                demands.fold(value, |all, (_, demand)| conjoin_in(self.reader.arena, all, demand.condition));
            if !is_never(condition) {
                all.push((self.node(condition), met));
            }
        }
        all.into()
    }

    /// Kinds of undeclared members: one for each way the patterns can overlap.
    fn extras(&mut self, object: &ObjectSet<'d>, whole: Condition<'d>, declared: &Declared<'d>) -> Result<Extras> {
        let patterns = patterns(object);
        let Some((apart, cells)) = self.cells(&patterns) else {
            return Err(Error::unsupported(
                &self.reader.pointer_of(whole),
                format!(
                    "{} name patterns meet in one object; at most {MOST_PATTERNS} that overlap can be told apart",
                    patterns.len()
                ),
            ));
        };
        let limits: Vec<Regular> = object.names.iter().map(StringSet::tree).collect();
        let mut extras = Extras::with_capacity(cells.len());
        for cell in cells {
            let inside =
                |tree: &Regular| patterns.iter().position(|other| other == tree).is_some_and(|at| cell >> at & 1 == 1);
            let applies = |names: &NameSet<'_>| match names {
                NameSet::One(_) => false,
                NameSet::In(tree) => inside(tree),
                NameSet::Except { patterns, .. } => !patterns.iter().any(inside),
            };
            let rules = object.rules.iter().filter(|rule| applies(&rule.names));
            let condition =
                rules.fold(Condition::default(), |all, rule| conjoin_in(self.reader.arena, all, rule.condition));
            if is_never(condition) {
                continue;
            }
            // Outside of a pattern that shares no name with one it is inside of: that is said already.
            let sides = patterns.iter().zip(&apart).filter_map(|(tree, apart)| {
                if inside(tree) { Some(tree.clone()) } else { (apart & cell == 0).then(|| tree.clone().not()) }
            });
            let tree = Regular::and(limits.iter().cloned().chain(sides));
            if self.reader.is_never(&tree) {
                continue;
            }
            let most = self.names_left(&tree, declared);
            if most == 0 {
                continue;
            }
            // One form of each name: a declared or used name cannot come again in another one.
            let name = self.graph.leaf(crate::language::Leaf { tree, encoding: Encoding::Json(Escapes::Unique) });
            let value = self.node(condition);
            let meets: Vec<bool> = object.existentials.iter().map(|demand| applies(&demand.names)).collect();
            let witnesses = self.witnesses(object, condition, &meets);
            extras.push(Extra { name, most, value, witnesses });
        }
        Ok(extras)
    }

    /// By pattern, those that share no name with it; and the ways, a bit for each pattern, in which names can be inside
    /// some and outside the others, as far as pairs tell. `None` if they are too many.
    fn cells(&mut self, patterns: &[Regular]) -> Option<(Sets, Sets)> {
        let many = patterns.len();
        if many > MOST_EXCLUSIVE {
            return None;
        }
        let mut apart = Sets::from_elem(0, many);
        for (at, other) in (0..many).flat_map(|at| (0..at).map(move |other| (at, other))) {
            let both = Regular::and([patterns[other].clone(), patterns[at].clone()]);
            if self.reader.is_never(&both) {
                apart[at] |= 1 << other;
                apart[other] |= 1 << at;
            }
        }
        let possible = |cell: &u32| (0..many).all(|at| cell >> at & 1 == 0 || cell & apart[at] == 0);
        let cells: Sets = (0..1 << many).filter(possible).take((1 << MOST_PATTERNS) + 1).collect();
        (cells.len() <= 1 << MOST_PATTERNS).then_some((apart, cells))
    }

    /// How many texts of `tree` are not declared names; [`UNBOUNDED`] if many.
    fn names_left(&mut self, tree: &Regular, declared: &Declared<'d>) -> u32 {
        if !tree.is_finite() {
            return UNBOUNDED;
        }
        match self.reader.count(tree, MOST_NAMES as u32) {
            many if many >= MOST_NAMES as u32 => UNBOUNDED,
            few => few - declared.iter().filter(|name| self.reader.accepts(tree, name)).count() as u32,
        }
    }
}

/// A string as JSON, in its one form.
fn quoted<'d>(arena: &'d Bump, text: &str) -> &'d [u8] {
    if !is_plain(text) {
        return arena.alloc_slice_copy(json(text).as_bytes());
    }
    let quoted = arena.alloc_slice_fill_copy(text.len() + 2, b'"');
    quoted[1..=text.len()].copy_from_slice(text.as_bytes());
    quoted
}

/// What stands between its quotes.
fn escaped<'d>(arena: &'d Bump, text: &'d str) -> &'d [u8] {
    if is_plain(text) {
        return text.as_bytes();
    }
    let quoted = json(text);
    arena.alloc_slice_copy(&quoted.as_bytes()[1..quoted.len() - 1])
}

/// Whether a text needs no escapes.
fn is_plain(text: &str) -> bool {
    let escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    !text.bytes().fold(false, |any, byte| any | escaped(byte)) // without a way out it is several bytes at once
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// `-0` is 0.
fn minus_zero() -> Regular {
    Regular::text("-0")
}

/// Decimals in their shortest form: no exponent, no trailing zero, no `-0`.
fn shortest_number() -> Regular {
    let integer = || {
        Regular::or([Regular::text("0"), Regular::concat([Regular::range('1', '9'), Regular::digit().repeat(0, None)])])
    };
    let fraction = Regular::concat([Regular::text("."), Regular::digit().repeat(0, None), Regular::range('1', '9')]);
    let number = Regular::concat([Regular::text("-").optional(), integer(), fraction.optional()]);
    Regular::and([number, minus_zero().not()])
}

/// If a language is "so many code points of a class": which, and how many.
fn counted_class(tree: &Regular) -> Option<(Regular, u32, u32)> {
    let Regular::And(parts) = tree else {
        return tree.class_times().map(|(class, low, high)| (class.clone(), low, high.unwrap_or(UNBOUNDED)));
    };
    parts.iter().map(counted_class).try_fold((Regular::any(), 0, UNBOUNDED), |all, part| {
        let (class, low, high) = part?;
        let class = match (all.0, class) {
            (any, class) | (class, any) if any.is_any() => class,
            (class, same) => Some(class).filter(|class| *class == same)?,
        };
        Some((class, all.1.max(low), all.2.min(high)))
    })
}

/// Whether characters of a class are counted rather than made states of an automaton: if any may come, or many, and one
/// of them is written as one byte, as the shortest texts are taken to be.
fn is_worth_counting(class: &Regular, high: u32) -> bool {
    const MANY: u32 = 4;
    let Regular::Class(ranges) = class else { return false };
    let plain = |c: &char| !matches!(c, '"' | '\\') && ranges.iter().any(|(low, high)| (low..=high).contains(&c));
    class.is_any() || (MANY..UNBOUNDED).contains(&high) && (' '..='~').any(|c| plain(&c))
}

/// Every name some rule mentions, in order.
fn declared_names<'d>(object: &ObjectSet<'d>) -> Declared<'d> {
    let mut names = Declared::default();
    object.rules.iter().filter_map(|rule| rule.names.only()).zip(0..).for_each(|(name, at)| names.add(name, at));
    object.required.iter().zip(0..).for_each(|(name, at)| names.add(name, at));
    object.implied.iter().flat_map(|(a, b)| [a, b]).for_each(|name| names.add(name, 0));
    let further = object.rules.iter().filter(|rule| rule.names.only().is_none()).chain(&object.existentials);
    for rule in further {
        let others = match &rule.names {
            NameSet::One(name) => std::slice::from_ref(name),
            NameSet::Except { names, .. } => names,
            NameSet::In(_) => &[],
        };
        others.iter().zip(0..).for_each(|(name, at)| names.add(name, at));
    }
    names
}

/// All allowed names, when `propertyNames` leaves finitely many.
fn finite_names<'d>(object: &ObjectSet<'d>) -> Option<Vec<&'d str>> {
    object.names.iter().find_map(|names| match names {
        StringSet::Finite(texts) if texts.len() <= MOST_NAMES => Some(texts.clone()),
        _ => None,
    })
}

/// The distinct name patterns of an object's rules.
fn patterns(object: &ObjectSet<'_>) -> Vec<Regular> {
    let mut patterns: Vec<Regular> = Vec::new();
    let mut add = |tree: &Regular| {
        if !patterns.contains(tree) {
            patterns.push(tree.clone());
        }
    };
    for rule in object.rules.iter().chain(&object.existentials) {
        match &rule.names {
            NameSet::In(tree) => add(tree),
            NameSet::Except { patterns, .. } => patterns.iter().for_each(&mut add),
            NameSet::One(_) => {}
        }
    }
    patterns
}
