//! JSON Lines: the items of an array, a line each.

use super::{NotationBuilder, has_scalars, is_plain, rounds_left};
use crate::error::Result;
use crate::syntax::json_schema::sets::{Condition, TRUE};
use crate::syntax::notation::{Container, Part, PartId};

const HINT: &str = "pass a list, such as list[Person]";

impl<'d> NotationBuilder<'_, '_, 'd> {
    pub(super) fn lines(&mut self, root: Condition<'d>) -> Result<PartId> {
        let set = self.values(root)?;
        let [array] = &set.arrays[..] else {
            return Err(self.refuse(root, "jsonl writes the items of an array, a line each", HINT));
        };
        if has_scalars(&set) || !set.objects.is_empty() || set.formula != TRUE {
            return Err(self.refuse(root, "jsonl writes the items of an array and nothing else", HINT));
        }
        if !is_plain(array) {
            let hint = "use notation=\"json\", or leave uniqueItems and contains out";
            return Err(self.refuse(root, "jsonl writes no array whose items depend on each other", hint));
        }
        let most = self.json.most_items(array, root);
        let break_ = self.parts.text("\n");
        let nothing = self.parts.nothing();
        let rest = self.json_node(array.rest);
        let item = self.parts.add(Part::Json { node: rest, is_container: false });
        let line = self.parts.sequence([break_, item]);
        // Lines after the first, from the last one on; the last line may have a break too.
        let end = self.parts.choice(vec![nothing, break_]);
        let fixed = (array.prefix.len() as u32).max(1).min(most);
        let (low, high) = rounds_left(array, most, fixed);
        let mut after = nothing;
        if high > 0 {
            after = self.parts.add(Part::Repeat { body: line, low, high });
        }
        for at in (0..fixed).rev() {
            let item = self.json_node(array.item(at as usize));
            let item = self.parts.add(Part::Json { node: item, is_container: false });
            let line = if at == 0 { item } else { self.parts.sequence([break_, item]) };
            let all = self.parts.sequence([line, after]);
            after = if at >= array.low && at > 0 { self.parts.choice(vec![all, nothing]) } else { all };
        }
        let mut lines = self.parts.sequence([after, end]);
        if fixed == 0 || array.low == 0 {
            lines = if fixed == 0 { nothing } else { self.parts.choice(vec![lines, nothing]) };
        }
        Ok(self.container(Container::Array, lines))
    }
}
