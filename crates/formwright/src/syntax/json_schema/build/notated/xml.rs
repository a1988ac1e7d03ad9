//! XML: an element for each member and for each item, text for scalars.
//!
//! ```text
//! {"name": "Ada", "tags": ["a"]}     <root><name>Ada</name><tags><item>a</item></tags></root>
//! ```
//!
//! No attributes, no comments, no declaration. Between elements there may be nothing, or a line break with indentation. An
//! element that is not there is null where the schema allows null, else a member that is not there.

use std::sync::{Arc, LazyLock};

use super::{NotationBuilder, PartQueue, Writable, all_but, are_plain, automaton_of, is_plain, rounds_left};
use crate::error::Result;
use crate::language::Leaf;
use crate::regular::{Encoding, Regular};
use crate::syntax::json_schema::Notation;
use crate::syntax::json_schema::notations::is_element_name;
use crate::syntax::json_schema::sets::{ArraySet, Condition, ObjectSet, ValueSet};
use crate::syntax::notation::{Container, Part, PartId, Parts, Spelling};

/// Blanks after a line break, at most.
const DEEPEST: u32 = 64;

const OTHERS: &str = "use notation=\"yaml\" or \"json\"";

/// What elements say, by condition.
struct XmlBuilder<'b, 'r, 'd> {
    base: NotationBuilder<'b, 'r, 'd>,
    queue: PartQueue<Condition<'d>>,
    blank: PartId,
    /// The name of items.
    item: Arc<str>,
}

pub(super) fn build<'d>(mut base: NotationBuilder<'_, '_, 'd>, root: Condition<'d>) -> Result<Parts> {
    let Notation::Xml { root: name, item } = base.json.options.notation.clone() else { return Ok(Parts::default()) };
    let blank = base.parts.add(Part::Blank(Leaf { tree: Regular::of_static(&BLANK), encoding: Encoding::Text }));
    let mut builder = XmlBuilder { base, queue: PartQueue::new(), blank, item };
    builder.note_null(root)?;
    builder.base.parts.root = builder.element(&name, root);
    while let Some((part, condition)) = builder.queue.waiting.pop_front() {
        let options = builder.content(condition)?;
        builder.base.fill(part, options)?;
    }
    Ok(builder.base.parts)
}

impl<'d> XmlBuilder<'_, '_, 'd> {
    /// An element whose content is still to be built.
    fn element(&mut self, name: &str, condition: Condition<'d>) -> PartId {
        let open = self.base.parts.text(&format!("<{name}>"));
        let close = self.base.parts.text(&format!("</{name}>"));
        let content = self.queue.part(&mut self.base.parts, condition);
        self.base.parts.sequence([open, content, close])
    }

    /// Notes that an element which is always there is never null, or refuses one that could be nothing else.
    fn note_null(&mut self, condition: Condition<'d>) -> Result<()> {
        let set = self.base.values(condition)?;
        if !set.null {
            return Ok(());
        }
        if !has_scalars_but_null(&set) && set.arrays.is_empty() && set.objects.is_empty() {
            let what = "xml has no text for null: it is an element that is not there, and this one always is";
            return Err(self.base.refuse(condition, what, OTHERS));
        }
        self.base.json.reader.note_nulls(condition);
        Ok(())
    }

    /// What may be between the tags of an element.
    fn content(&mut self, condition: Condition<'d>) -> Result<Vec<PartId>> {
        let set = self.base.values(condition)?;
        if !are_plain(&set) {
            return Err(self.base.refuse(condition, "xml writes no object whose members depend on each other", OTHERS));
        }
        let kinds = usize::from(has_scalars_but_null(&set)) + set.arrays.len() + set.objects.len();
        if kinds > 1 && set.arrays.len() + set.objects.len() > 0 {
            let what = "xml does not tell objects, arrays and scalars in one place from each other";
            return Err(self.base.refuse(condition, what, OTHERS));
        }
        if let Some(array) = set.arrays.first() {
            let array = array.clone();
            return Ok(vec![self.items(&array, condition)?]);
        }
        if let Some(object) = set.objects.first() {
            let object = object.clone();
            return Ok(vec![self.members(&object, condition)?]);
        }
        self.base.untagged_scalars(&set, condition, Vec::new(), &WRITABLE, |base, tree, options| {
            let readable = Regular::and([tree.clone(), Regular::of_static(&CHARACTERS)]);
            options.push(base.scalar(&readable, Spelling::Element));
        })
    }

    fn items(&mut self, array: &ArraySet<'d>, whole: Condition<'d>) -> Result<PartId> {
        if !is_plain(array) || !array.prefix.is_empty() {
            return Err(self.base.refuse(
                whole,
                "xml writes items of one kind that do not depend on each other",
                OTHERS,
            ));
        }
        self.note_null(array.rest)?;
        let most = self.base.json.most_items(array, whole);
        let (low, high) = rounds_left(array, most, 0);
        let item = self.element(&self.item.clone(), array.rest);
        let body = self.base.parts.sequence([self.blank, item]);
        let nothing = self.base.parts.nothing();
        let items = if high > 0 { self.base.parts.add(Part::Repeat { body, low, high }) } else { nothing };
        let items = self.base.container(Container::Array, items);
        Ok(self.base.parts.sequence([items, self.blank]))
    }

    fn members(&mut self, object: &ObjectSet<'d>, whole: Condition<'d>) -> Result<PartId> {
        let Some(record) = self.base.record(object) else {
            return Err(self.base.refuse(whole, "xml writes no object whose members depend on each other", OTHERS));
        };
        if record.is_open && record.members.is_empty() {
            return Err(self.base.refuse(
                whole,
                "xml has an element for each member, and any name may come here",
                OTHERS,
            ));
        }
        if record.is_open {
            self.base.json.reader.note_undeclared(whole);
        }
        let mut parts = Vec::new();
        for member in &record.members {
            if !is_element_name(member.name) {
                let what = format!("xml writes no element named {:?}", member.name);
                return Err(self.base.refuse(whole, what, "rename the member, or use notation=\"yaml\""));
            }
            let set = self.base.values(member.condition)?;
            let key = self.base.parts.add(Part::Key(member.name.into()));
            let element = self.element(member.name, member.condition);
            let mut options = vec![self.base.parts.sequence([self.blank, key, element])];
            if self.base.is_absent_null(&set, member.condition, member.is_required) {
                let null = self.base.constant("", "null");
                options.push(self.base.parts.sequence([key, null]));
            } else if !member.is_required {
                options.push(self.base.parts.nothing());
            }
            parts.push(self.base.parts.choice(options));
        }
        let members = self.base.parts.sequence(parts);
        let object = self.base.container(Container::Object, members);
        Ok(self.base.parts.sequence([object, self.blank]))
    }
}

fn has_scalars_but_null(set: &ValueSet<'_>) -> bool {
    set.yes || set.no || !set.numbers.is_empty() || !set.strings.is_none()
}

static CHARACTERS: LazyLock<Regular> = LazyLock::new(|| {
    let others = [('\0', '\u{8}'), ('\u{B}', '\u{C}'), ('\u{E}', '\u{1F}'), ('\u{FFFE}', '\u{FFFF}')];
    all_but(&others).repeat(0, None)
});

static WRITABLE: LazyLock<Writable> = LazyLock::new(|| automaton_of(&CHARACTERS));

static BLANK: LazyLock<Regular> =
    LazyLock::new(|| Regular::concat([Regular::text("\n"), Regular::text(" ").repeat(0, Some(DEEPEST))]).optional());
