//! The alphabet: what is written of strings and names that a schema leaves open.
//!
//! ```text
//! alphabet "ab"     .{2,5}: [ab]{2,5}     ^x: nothing     "é" or ^a: "é" or a[ab]*, because the schema lists "é"
//! ```
//!
//! It is about decoded text, so no escape leads around it. Cost: an intersection for each language, where there is an
//! alphabet. Only languages become smaller; a text that a schema lists stays, also where it is beside one.

use super::GraphBuilder;
use crate::regular::Regular;
use crate::syntax::json_schema::sets::{Condition, StringSet};

/// What a language is of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Texts {
    Strings,
    Names,
}

impl<'d> GraphBuilder<'_, 'd> {
    /// What is written of a language, whose texts are in all of `sets`.
    pub(super) fn in_alphabet(
        &mut self,
        tree: Regular,
        sets: &[StringSet<'d>],
        texts: Texts,
        whole: Condition<'d>,
    ) -> Regular {
        let Some(alphabet) = &self.alphabet else { return tree };
        if sets.iter().any(|set| matches!(set, StringSet::Finite(_))) {
            return tree; // every text is listed
        }
        let listed = sets.iter().flat_map(StringSet::listed).map(|text| Regular::text(text));
        let allowed = Regular::or(std::iter::once(alphabet.clone()).chain(listed));
        if self.reader.tells_places() {
            self.note_alphabet(&tree, &allowed, texts, whole);
        }
        Regular::and([tree, allowed])
    }

    /// Notes where the alphabet leaves texts out, and where it leaves none.
    fn note_alphabet(&mut self, tree: &Regular, allowed: &Regular, texts: Texts, whole: Condition<'d>) {
        if self.reader.is_never(&Regular::and([tree.clone(), allowed.clone().not()])) {
            return;
        }
        match texts {
            Texts::Strings if self.options.alphabet.is_none() => self.reader.note_characters(whole),
            Texts::Strings => self.reader.note_strings(whole),
            Texts::Names => self.reader.note_names(whole),
        }
        if self.outside.is_none() && self.reader.is_never(&Regular::and([tree.clone(), allowed.clone()])) {
            self.outside = Some(whole);
        }
    }
}
