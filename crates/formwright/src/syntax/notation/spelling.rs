//! How strings are spelled: what stands for each character, and back.
//!
//! ```text
//! it's     Bare   it's     Doubled(')   'it''s'     Json   "it's"     Cell   it's     Block(2)   |-⏎  it's
//! ```

use crate::language::Leaf;
use crate::regular::{Encoding, Escapes, Regular};

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// A number, as JSON has it.
    Number,
    /// A string as it is.
    Bare,
    /// A string in quotes, which are written twice inside.
    Doubled(char),
    /// A JSON string.
    Json,
    /// A string in a cell of a Markdown table: `\|` is a pipe, `<br>` a line break.
    Cell,
    /// A string in an element of XML: `&amp;`, `&lt;` and `&gt;`, and `&#13;` for CR.
    Element,
    /// A string of several lines that does not end with a line break, as a literal block of YAML in this column.
    Block(u32),
}

/// What stands for characters in an element of XML.
const ENTITIES: [(char, &str); 4] = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('\r', "&#13;")];

impl Spelling {
    /// The spelled texts of the strings of `tree`. Where their parts cannot be looked into, those without characters
    /// that are spelled otherwise.
    pub fn leaf(self, tree: &Regular) -> Leaf {
        let text = |tree| Leaf { tree, encoding: Encoding::Text };
        match self {
            Self::Number | Self::Bare => text(tree.clone()),
            Self::Json => Leaf { tree: tree.clone(), encoding: Encoding::Json(Escapes::Natural) },
            Self::Doubled(quote) => {
                let twice = Regular::text(&format!("{quote}{quote}"));
                let inside = substitute_or_avoid(tree, &[(quote, twice)]);
                let quote = Regular::character(quote);
                text(Regular::concat([quote.clone(), inside, quote]))
            }
            Self::Block(column) => {
                let line_break = Regular::text(&line_break(column));
                let lines = substitute_or_avoid(tree, &[('\n', line_break.clone())]);
                text(Regular::concat([Regular::text("|-"), line_break, lines]))
            }
            Self::Element => text(substitute_or_avoid(tree, &ENTITIES.map(|(c, entity)| (c, Regular::text(entity))))),
            Self::Cell => {
                let pipe = ('|', Regular::text("\\|"));
                let on_a_line = substitute_or_avoid(tree, &[pipe.clone(), ('\n', Regular::Never)]);
                // A text is read in one way only: beside line breaks there is nothing that looks like one.
                let others = [pipe, ('\n', Regular::text("<br>")), ('<', Regular::Never)];
                let broken = substitute(tree, &others).unwrap_or(Regular::Never);
                text(Regular::or([on_a_line, broken]))
            }
        }
    }

    /// The text of a string. A number is its own text.
    pub fn encode(self, value: &str) -> String {
        match self {
            Self::Number | Self::Bare => value.to_owned(),
            Self::Json => serde_json::to_string(value).unwrap_or_default(),
            Self::Doubled(quote) => format!("{quote}{}{quote}", value.replace(quote, &format!("{quote}{quote}"))),
            Self::Block(column) => {
                let line_break = line_break(column);
                format!("|-{line_break}{}", value.replace('\n', &line_break))
            }
            Self::Element => ENTITIES.iter().fold(value.to_owned(), |text, (c, entity)| text.replace(*c, entity)),
            Self::Cell => value.replace('|', "\\|").replace('\n', "<br>"),
        }
    }

    /// The string that a text spells, which may be the beginning of one.
    pub fn decode(self, text: &str) -> String {
        match self {
            Self::Number | Self::Bare => text.to_owned(),
            Self::Json => decode_json(text),
            Self::Doubled(quote) => {
                let inside = text.strip_prefix(quote).unwrap_or(text);
                let twice = format!("{quote}{quote}");
                let (mut decoded, mut rest) = (String::with_capacity(inside.len()), inside);
                while let Some(at) = rest.find(quote) {
                    decoded += &rest[..at];
                    rest = &rest[at..];
                    let Some(after) = rest.strip_prefix(&twice) else { return decoded };
                    decoded.push(quote);
                    rest = after;
                }
                decoded + rest
            }
            Self::Element => {
                let begun = text.rfind('&').filter(|at| !text[*at..].contains(';')); // of a text that goes on
                let text = begun.map_or(text, |at| &text[..at]).to_owned();
                ENTITIES.iter().rev().fold(text, |text, (c, entity)| text.replace(entity, c.encode_utf8(&mut [0; 4])))
            }
            Self::Cell => text.replace("\\|", "|").replace("<br>", "\n"),
            Self::Block(column) => {
                let line_break = line_break(column);
                let Some((_, lines)) = text.split_once(&line_break) else { return String::new() };
                // A line break whose indentation is not complete yet may be the end of the block.
                let begun = lines.rfind('\n').filter(|at| lines.len() - at < line_break.len());
                lines[..begun.unwrap_or(lines.len())].replace(&line_break, "\n")
            }
        }
    }
}

/// What is between the lines of a block in a column.
fn line_break(column: u32) -> String {
    format!("\n{}", " ".repeat(column as usize))
}

/// The string of JSON that may have no end yet.
fn decode_json(text: &str) -> String {
    if let Ok(whole) = serde_json::from_str(text) {
        return whole;
    }
    let mut cut = text;
    for _ in 0..6 {
        if let Ok(begun) = serde_json::from_str(&format!("{cut}\"")) {
            return begun;
        }
        let Some((at, _)) = cut.char_indices().next_back() else { break };
        cut = &cut[..at]; // an escape that has begun
    }
    String::new()
}

/// The texts of a tree with other texts in the place of some characters; where its parts cannot be looked into, those
/// texts that have none of these characters.
fn substitute_or_avoid(tree: &Regular, others: &[(char, Regular)]) -> Regular {
    substitute(tree, others).unwrap_or_else(|| {
        let kept = Regular::Class(without(&[('\0', '\u{D7FF}'), ('\u{E000}', char::MAX)], others).into());
        Regular::and([tree.clone(), kept.repeat(0, None)])
    })
}

fn substitute(tree: &Regular, others: &[(char, Regular)]) -> Option<Regular> {
    let all = |parts: &[Regular]| parts.iter().map(|part| substitute(part, others)).collect::<Option<Vec<_>>>();
    Some(match tree {
        Regular::Never | Regular::Empty => tree.clone(),
        Regular::Class(ranges) => {
            let kept = without(ranges, others);
            let kept = if kept.is_empty() { Regular::Never } else { Regular::Class(kept.into()) };
            let is_in = |c: char| ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
            let replaced = others.iter().filter(|(c, _)| is_in(*c)).map(|(_, text)| text.clone());
            Regular::or(std::iter::once(kept).chain(replaced))
        }
        Regular::Concat(parts) => Regular::concat(all(parts)?),
        Regular::Or(parts) => Regular::or(all(parts)?),
        Regular::And(parts) => Regular::and(all(parts)?),
        Regular::Not(inner) => Regular::and([
            substitute(&Regular::anything(), others)?, // only texts that spell something
            substitute(inner, others)?.not(),
        ]),
        Regular::Repeat(inner, low, high) => substitute(inner, others)?.repeat(*low, *high),
        Regular::Static(tree) => substitute(tree.0, others)?,
        Regular::Multiple(_) | Regular::Implicit(_) | Regular::After(..) | Regular::Parser(_) => return None,
    })
}

/// The ranges without some characters.
fn without(ranges: &[(char, char)], others: &[(char, Regular)]) -> Vec<(char, char)> {
    let mut kept = ranges.to_vec();
    for (c, _) in others {
        kept = kept.into_iter().flat_map(|range| split_at(range, *c)).flatten().collect();
    }
    kept
}

/// What is left of a range without a character.
fn split_at((low, high): (char, char), c: char) -> [Option<(char, char)>; 2] {
    if !(low..=high).contains(&c) {
        return [Some((low, high)), None];
    }
    let before = (low..c).next_back().map(|last| (low, last));
    let mut after = c..=high;
    after.next();
    let after = after.next().map(|first| (first, high));
    [before, after]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::regular::Automaton;

    /// Each string is spelled in the way that is read as that string, and the spelled language has that text.
    #[test]
    fn what_is_encoded_is_decoded() {
        let strings = ["", "a", "it's", "\"", "''", "a|b", "x\ny", "é\\\"'", "|"];
        for spelling in [
            Spelling::Bare,
            Spelling::Doubled('\''),
            Spelling::Doubled('"'),
            Spelling::Json,
            Spelling::Cell,
            Spelling::Element,
            Spelling::Block(2),
        ] {
            let leaf = spelling.leaf(&Regular::anything());
            let automaton = Automaton::new(&leaf.tree, leaf.encoding, &Limits::default()).unwrap();
            for string in strings {
                let text = spelling.encode(string);
                assert_eq!(spelling.decode(&text), string, "{spelling:?}");
                assert!(automaton.accepts(text.as_bytes()), "{spelling:?} {text}");
            }
        }
    }

    #[test]
    fn a_complement_is_one_of_strings() {
        let tree = Regular::text("a'b").not();
        let leaf = Spelling::Doubled('\'').leaf(&tree);
        let automaton = Automaton::new(&leaf.tree, leaf.encoding, &Limits::default()).unwrap();
        assert!(automaton.accepts(b"'a''c'") && automaton.accepts(b"''"));
        for text in ["'a''b'", "'a'b'", "a", "'a''b''"] {
            assert!(!automaton.accepts(text.as_bytes()), "{text}");
        }
    }
}
