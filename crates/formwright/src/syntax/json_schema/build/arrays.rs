//! Arrays: items by position, counted kinds of items, and items that all differ.
//!
//! ```text
//! contains A, at most 2; items B     an item is in B∧A and counts, or in B∧¬A and does not
//! ```

use std::rc::Rc;
use std::sync::Arc;

use super::alphabet::Texts;
use super::{GraphBuilder, MOST_KINDS};
use crate::error::{Error, Result};
use crate::language::{Array, Counted, Differing, Leaf, Node, NodeId, UNBOUNDED};
use crate::regular::{Encoding, Escapes, Regular};
use crate::syntax::json_schema::number::NumberSet;
use crate::syntax::json_schema::numerals::told_apart;
use crate::syntax::json_schema::sets::{ArraySet, Condition, NEVER, Union, ValueSet, conjoin_in, is_never};
use crate::syntax::json_schema::{Notation, doubles};

/// Counts of items by kind that an array tells apart, where they have to be searched.
const MOST_COUNTS: usize = 20_000;

/// By position: the item, and the kinds it counts for.
type ItemWays = Vec<Vec<(NodeId, u32)>>;

impl<'d> GraphBuilder<'_, 'd> {
    /// The most items that are written.
    pub(super) fn most_items(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> u32 {
        let Some(most) = self.options.max_items.filter(|_| array.high == UNBOUNDED) else { return array.high };
        let most = most.max(items_needed(array));
        self.reader.note_items(whole, most);
        most
    }

    pub(super) fn array(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<Node> {
        if array.unique && array.high > 1 {
            return if self.has_scalars_only(array)? {
                self.unique_scalars(array, whole)
            } else {
                self.unique_values(array, whole)
            };
        }
        self.plain_array(array, whole, None)
    }

    fn plain_array(
        &mut self,
        array: &ArraySet<'d>,
        whole: Condition<'d>,
        differing: Option<Differing>,
    ) -> Result<Node> {
        let high = self.most_items(array, whole);
        let (kinds, ways) = self.counted(array, whole)?;
        // Items that cannot come would only make the form look larger than it is, perhaps recursive.
        let has_rest = array.prefix.len() < high as usize;
        let array = Array {
            prefix: array.prefix.iter().take(high as usize).map(|item| self.node(item)).collect(),
            rest: has_rest.then(|| self.node(array.rest)),
            low: array.low,
            high,
            kinds,
            ways,
            unique: false,
            differing,
            layout: self.layout,
        };
        self.check_counts(&array, whole)?;
        Ok(Node::Array(Arc::new(array)))
    }

    /// Refuses an array whose items are counted in too many ways.
    fn check_counts(&self, array: &Array, whole: Condition<'d>) -> Result<()> {
        let states = array.count_states();
        if array.kinds.is_empty() || states <= MOST_COUNTS {
            return Ok(());
        }
        let place = self.reader.pointer_of(whole);
        Err(Error::limit("counts of items", states, MOST_COUNTS)
            .hint(format!("at {place}: lower minContains and maxContains, or combine fewer contains")))
    }

    /// Whether all items are scalars of one set.
    fn has_scalars_only(&mut self, array: &ArraySet<'d>) -> Result<bool> {
        if !array.prefix.is_empty() || !array.contains.is_empty() {
            return Ok(false);
        }
        let set = self.reader.values(array.rest)?;
        Ok(set.arrays.is_empty() && set.objects.is_empty())
    }

    /// An array of any items that all differ: they are compared as values, however they are spelled.
    fn unique_values(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<Node> {
        let pointer = self.reader.pointer_of(whole);
        if !array.contains.is_empty() && items_needed(array) > 1 {
            let what = "uniqueItems together with contains cannot be enforced where more than one item must come";
            return Err(Error::unsupported(&pointer, what).hint("leave out uniqueItems, or contains"));
        }
        if self.options.notation == Notation::Python {
            let what = "uniqueItems of arrays or objects cannot be enforced in the notation python";
            return Err(Error::unsupported(&pointer, what).hint("leave out uniqueItems, or use notation=\"json\""));
        }
        let doubles = self.options.number_style().doubles;
        let differing = Differing { doubles, pointer: pointer.as_str().into(), lengths: Arc::new([]) };
        self.plain_array(array, whole, Some(differing))
    }

    /// An array of scalars that all differ: each item is written in the one form of its value.
    fn unique_scalars(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<Node> {
        let set = self.reader.values(array.rest)?;
        let texts = self.unquoted_scalars(&set, whole)?;
        let strings = std::slice::from_ref(&set.strings);
        let strings = self.in_alphabet(set.strings.tree(), strings, Texts::Strings, array.rest);
        let parts = [(texts, Encoding::Text), (strings, Encoding::Json(Escapes::Unique))];
        let mut leaves = Vec::new();
        let mut most = 0_u32;
        for (tree, encoding) in parts {
            // One item differs from all others; whether there is one is for the graph to find.
            most = most.saturating_add(if array.low > 1 { self.reader.count(&tree, array.low) } else { 1 });
            leaves.push(self.graph.leaf(Leaf { tree, encoding }));
        }
        // With fewer different items than the least number, no array conforms.
        let high = if most < array.low { most } else { self.most_items(array, whole) };
        let item = self.graph.add(Node::Distinct(leaves.into()));
        Ok(Node::Array(Arc::new(Array {
            prefix: Vec::new(),
            rest: Some(item),
            low: array.low,
            high,
            kinds: Vec::new(),
            ways: Vec::new(),
            unique: true,
            differing: None,
            layout: self.layout,
        })))
    }

    /// The words and numbers of a set, each in the one form of its value.
    fn unquoted_scalars(&self, set: &ValueSet<'d>, whole: Condition<'d>) -> Result<Regular> {
        let words = self.options.notation.words(set);
        let mut texts: Vec<Regular> = Vec::new();
        texts.extend(words.iter().filter(|(there, _)| *there).map(|(_, text)| Regular::text(text)));
        let doubles = self.options.number_style().doubles;
        let numbers = if doubles { told_apart_points(&set.numbers) } else { set.numbers.clone() };
        for set in &numbers {
            let tree = self.number_tree(set, whole)?;
            if set.only().is_some() {
                texts.push(tree);
                continue;
            }
            let spelling = if set.is_integral() { minus_zero().not() } else { shortest_number() };
            texts.push(Regular::and([tree, spelling, if doubles { told_apart() } else { Regular::anything() }]));
        }
        Ok(Regular::or(texts))
    }

    /// Counted kinds of items, and by position what an item of each combination of kinds is.
    pub(super) fn counted(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<(Vec<Counted>, ItemWays)> {
        if array.contains.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        if array.contains.len() > MOST_KINDS {
            let what =
                format!("{} contains meet in one array; at most {MOST_KINDS} can be counted", array.contains.len());
            return Err(Error::unsupported(&self.reader.pointer_of(whole), what));
        }
        let kinds = array.contains.iter().map(|some| Counted { low: some.low, high: some.high }).collect();
        let told_apart =
            array.contains.iter().map(|some| some.from as usize).max().unwrap_or(0).max(array.prefix.len());
        let positions = told_apart.min(array.high.saturating_sub(1) as usize); // of the items that can come
        let mut ways = Vec::with_capacity(positions + 1);
        for position in 0..=positions {
            let mut here: Vec<(NodeId, u32)> = Vec::new();
            for counts_for in 0..1_u32 << array.contains.len() {
                let condition = self.counted_item(array, position, counts_for);
                if !is_never(condition) {
                    here.push((self.node(condition), counts_for));
                }
            }
            ways.push(here);
        }
        Ok((kinds, ways))
    }

    /// The condition on an item at `position` that counts for some kinds, a bit each, and for no others.
    fn counted_item(&mut self, array: &ArraySet<'d>, position: usize, counts_for: u32) -> Condition<'d> {
        let arena = self.reader.arena;
        array.contains.iter().enumerate().fold(array.item(position), |condition, (index, some)| {
            let (counts, applies) = (counts_for >> index & 1 == 1, position >= some.from as usize);
            match (counts, applies) {
                (true, true) => conjoin_in(arena, condition, some.condition),
                (true, false) => NEVER,
                // Without an upper bound, an item that does not count may be of the kind all the same.
                (false, true) if some.high < UNBOUNDED => {
                    conjoin_in(arena, condition, self.reader.negate(some.condition))
                }
                (false, _) => condition,
            }
        })
    }
}

/// So many items are enough: if the array has a text at all, it has one with no more. Where no position is told apart,
/// an item that no bound needs can be left out.
fn items_needed(array: &ArraySet<'_>) -> u32 {
    let counted = array.contains.iter().filter(|some| some.low > 0);
    let Some(first) = counted.clone().map(|some| some.from).max() else { return array.low };
    let told_apart = first.max(array.prefix.len() as u32);
    counted.fold(told_apart, |sum, some| sum.saturating_add(some.low)).max(array.low).min(UNBOUNDED - 1)
}

/// Sets of numbers without two that are read as the same double: single numbers of many digits stand for themselves,
/// but not beside intervals.
fn told_apart_points(sets: &[Rc<NumberSet>]) -> Union<NumberSet> {
    let points: Vec<f64> = sets.iter().filter_map(|set| set.only().map(doubles::nearest)).collect();
    let mut seen = 0;
    let is_new = |set: &&Rc<NumberSet>| {
        let Some(value) = set.only() else { return true };
        seen += 1;
        (points.len() == sets.len() || doubles::is_plain(value)) && !points[..seen - 1].contains(&points[seen - 1])
    };
    sets.iter().filter(is_new).cloned().collect()
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
