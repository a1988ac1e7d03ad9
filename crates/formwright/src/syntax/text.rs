//! Free text, up to a marker or of a bounded length; and the formats of JSON Schema as plain texts.
//!
//! ```text
//! until "</a>"               every text whose first "</a>" is at its end
//! until "</a>", excluded     every text without "</a>"
//! ```
//!
//! Cost: an automaton of as many states as the markers have characters; with a bound on the length, as many for each
//! character that is left. The markers end a text wherever they come first, so none may be a part of another.

use crate::bytes::Reader;
use crate::error::{Error, Result};
use crate::language::{Graph, Language, Leaf, Node, UNBOUNDED};
use crate::limits::Limits;
use crate::regular::{Encoding, Regular};
use crate::syntax::json_schema::format;

/// Where free text ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Free {
    /// The text ends where one of them first comes; if there are none, anywhere.
    pub markers: Vec<String>,
    /// Whether the marker is the end of the text; if not, the text ends before it.
    pub included: bool,
    /// Most characters before the marker, or [`UNBOUNDED`].
    pub most: u32,
    /// Most tokens that end in the text, marker included if it is a part of it, or [`UNBOUNDED`].
    pub most_tokens: u32,
}

/// Bytes that can be missing to the end of a character.
const REST_OF_CHARACTER: usize = 3;

impl Free {
    /// Reads what was stored of one.
    ///
    /// # Errors
    /// [`crate::Kind::Language`], saying what was seen.
    pub fn read_stored(reader: &mut Reader<'_>) -> Result<Self> {
        let count = reader.count(4, "markers")?;
        let markers = (0..count).map(|_| Ok(reader.text("a marker")?.to_owned())).collect::<Result<_>>()?;
        let included = reader.below(2, "the end of a text")? == 1;
        let (most, most_tokens) = (reader.number("a bound")?, reader.number("a bound on tokens")?);
        Ok(Self { markers, included, most, most_tokens })
    }

    /// Bytes to the end of the text from any place inside it, at most.
    fn farthest(&self) -> u32 {
        let lengths = || self.markers.iter().map(String::len).filter(|_| self.included);
        let (shortest, longest) = (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0));
        longest.max(shortest + REST_OF_CHARACTER) as u32
    }

    fn check_tokens(&self) -> Result<()> {
        let least = self.farthest() + 1;
        if self.most_tokens >= least {
            return Ok(());
        }
        let message = format!("text: max_tokens is {}, but {least} may be needed to end the text", self.most_tokens);
        Err(Error::argument("max_tokens", message).hint(format!("pass {least} or more")))
    }
}

/// Free text.
///
/// # Errors
/// [`crate::Kind::Argument`] when a marker is empty or a part of another, and when too few tokens are allowed to end the
/// text from anywhere in it.
pub fn text(free: &Free, limits: &Limits) -> Result<Language> {
    check(&free.markers)?;
    free.check_tokens()?;
    let mut graph = Graph::default();
    let tree = if free.markers.is_empty() { Regular::anything() } else { tree(free) };
    let leaf = Leaf { tree, encoding: Encoding::Text };
    let leaf = match free.most_tokens {
        UNBOUNDED => graph.leaf(leaf),
        most => graph.bounded_leaf(leaf, most, free.farthest()),
    };
    graph.root = graph.add(match free.markers[..] {
        [] => Node::Text { leaf, low: 0, high: free.most },
        _ => Node::Regular(leaf),
    });
    Language::new(graph, limits)
}

fn tree(Free { markers, included, most, .. }: &Free) -> Regular {
    let marker = Regular::or(markers.iter().map(|marker| Regular::text(marker)));
    let most = (*most != UNBOUNDED).then_some(*most);
    let bounded = Regular::any().repeat(0, most);
    let holds = |after: Regular| Regular::concat([Regular::anything(), marker.clone(), after]);
    if *included {
        let before_its_end = holds(Regular::concat([Regular::any(), Regular::anything()]));
        Regular::and([Regular::concat([bounded, marker.clone()]), before_its_end.not()])
    } else {
        Regular::and([bounded, holds(Regular::anything()).not()])
    }
}

fn check(markers: &[String]) -> Result<()> {
    let fail = |what: String| Err(Error::argument("until", format!("text: {what}")));
    for (at, marker) in markers.iter().enumerate() {
        if marker.is_empty() {
            return fail("a marker is empty".to_owned());
        }
        let is_other = |&(other_at, other): &(usize, &String)| other_at != at && other.contains(marker.as_str());
        if let Some((_, other)) = markers.iter().enumerate().find(is_other) {
            return fail(format!("the marker {marker:?} is a part of {other:?}, which could never come"));
        }
    }
    Ok(())
}

/// The texts of a format of JSON Schema, without quotes.
///
/// # Errors
/// [`crate::Kind::Argument`] when there is no such format.
pub fn of_format(name: &str, limits: &Limits) -> Result<Language> {
    let Some(found) = format::find(name) else {
        let names: Vec<&str> = format::FORMATS.iter().map(|format| format.name).collect();
        return Err(Error::argument("name", format!("format: there is no format {name:?}"))
            .hint(format!("there are {}", names.join(", "))));
    };
    let mut graph = Graph::default();
    graph.root = graph.regular(format::tree(found), Encoding::Text);
    Language::new(graph, limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_text(markers: &[&str], included: bool, most: u32, given: &str) -> bool {
        let markers = markers.iter().map(|&marker| marker.to_owned()).collect();
        let language = text(&Free { markers, included, most, most_tokens: UNBOUNDED }, &Limits::default()).unwrap();
        language.check(given.as_bytes()).unwrap().1
    }

    #[test]
    fn a_text_ends_where_a_marker_first_comes() {
        for given in ["aab", "aaab", "xyaab", "aab\u{e9}aab", "", "aa", "aabx"] {
            let first = ["aab", "q"].iter().filter_map(|marker| given.find(marker).map(|at| at + marker.len())).min();
            assert_eq!(is_text(&["aab", "q"], true, UNBOUNDED, given), first == Some(given.len()), "{given:?}");
            assert_eq!(is_text(&["aab", "q"], false, UNBOUNDED, given), first.is_none(), "{given:?}");
            for most in 0..6 {
                let before = given.chars().count().saturating_sub(3);
                assert_eq!(
                    is_text(&["aab"], true, most, given),
                    first == Some(given.len()) && before <= most as usize,
                    "{given:?} {most}"
                );
            }
        }
    }

    #[test]
    fn no_place_is_farther_from_the_end_than_is_said() {
        for (markers, least) in [(&["aab", "q"][..], 4), (&["</think>"], 11), (&["\u{e9}\u{65e5}", "x"], 5), (&[], 3)] {
            for (included, most) in [(true, UNBOUNDED), (true, 2), (false, UNBOUNDED), (false, 2)] {
                let markers: Vec<String> = markers.iter().map(|&marker| marker.to_owned()).collect();
                let free = Free { markers, included, most, most_tokens: UNBOUNDED };
                let leaf = Leaf { tree: tree(&free), encoding: Encoding::Text };
                let automaton = leaf.automaton(&Limits::default()).unwrap();
                let farthest = if included && !free.markers.is_empty() { least } else { 3 };
                assert_eq!(free.farthest(), farthest);
                assert!(free.markers.is_empty() || automaton.farthest_of_all(|| None).unwrap() <= farthest);
            }
        }
    }

    #[test]
    fn markers_are_checked() {
        let refused = |markers: &[&str]| {
            let markers = markers.iter().map(|&marker| marker.to_owned()).collect();
            text(&Free { markers, included: true, most: 9, most_tokens: UNBOUNDED }, &Limits::default())
                .unwrap_err()
                .message
        };
        assert!(refused(&["a", ""]).contains("is empty"));
        assert!(refused(&["ab", "xaby"]).contains("part of"));
        assert!(refused(&["ab", "ab"]).contains("part of"));
    }
}
