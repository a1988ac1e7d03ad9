//! Implicit languages: code computes what may follow, instead of a tree that spells it out.
//!
//! Some regular languages have short rules and enormous trees. The leap seconds of a day are `hh:mm:60` with the one
//! offset that makes it midnight: hundreds of alternatives, of which a text needs one. An [`ImplicitLanguage`] computes
//! its derivative by a code point, and an automaton asks only about the texts it meets:
//!
//! ```text
//! leap second  ─ "1" → still one    ─ "15:59" → the tree  :60(\.\d+)?-08:00
//! ```
//!
//! Cost: a virtual call for a derivative. The alphabet of an automaton is fixed before the first derivative,
//! so [`ImplicitLanguage::alphabet`] names every class that any later derivative will tell apart.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use super::pieces::Pieces;
use super::tree::Regular;

/// A language described by its derivatives.
pub trait ImplicitLanguage: Send + Sync {
    /// Tells this language from every other implicit one.
    fn key(&self) -> &str;

    /// Classes of code points that it, and its derivatives, can tell apart.
    fn alphabet(&self) -> Vec<Regular>;

    /// What may follow `c`: [`Regular::Never`] if no text of the language starts so.
    fn derivative(&self, c: char) -> Regular;

    /// Whether the empty text is in it.
    fn nullable(&self) -> bool;

    /// Bytes of its shortest text, with every code point written as itself; `None` if it must be searched for, and if it
    /// is not known that there is one.
    fn shortest(&self) -> Option<u32>;

    /// Bytes to the end of a text from any place in it, at most, likewise; `None` if that is not known.
    fn farthest(&self) -> Option<u32> {
        None
    }

    /// The pieces of a text, if it is all of them: these have an automaton of their own.
    fn pieces(&self) -> Option<&Pieces> {
        None
    }
}

/// A shared [`ImplicitLanguage`], equal to another by its key.
#[derive(Clone)]
pub struct Implicit(Arc<dyn ImplicitLanguage>);

impl Implicit {
    /// `language` as a leaf of a tree.
    pub fn new(language: impl ImplicitLanguage + 'static) -> Self {
        Self(Arc::new(language))
    }
}

impl Deref for Implicit {
    type Target = dyn ImplicitLanguage;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Implicit {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Implicit {}

impl Hash for Implicit {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for Implicit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Implicit").field(&self.key()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Encoding};

    /// Two digits and their sum: `3710`.
    struct Sum(Option<u32>, String);

    impl ImplicitLanguage for Sum {
        fn key(&self) -> &str {
            &self.1
        }

        fn alphabet(&self) -> Vec<Regular> {
            ('0'..='9').map(|c| Regular::range(c, c)).collect()
        }

        fn derivative(&self, c: char) -> Regular {
            match (self.0, c.to_digit(10)) {
                (None, Some(digit)) => Regular::Implicit(Implicit::new(Sum(Some(digit), format!("sum {c}")))),
                (Some(first), Some(digit)) => Regular::text(&format!("{:02}", first + digit)),
                (_, None) => Regular::Never,
            }
        }

        fn nullable(&self) -> bool {
            false
        }

        fn shortest(&self) -> Option<u32> {
            Some(if self.0.is_some() { 3 } else { 4 })
        }
    }

    #[test]
    fn what_follows_depends_on_what_was_read() {
        let tree = Regular::Implicit(Implicit::new(Sum(None, "sum".to_owned())));
        let lists = Regular::concat([tree.clone(), Regular::concat([Regular::text(","), tree]).repeat(0, None)]);
        let automaton = Automaton::new(&lists, Encoding::Text, &Limits::default()).unwrap();
        for text in ["3710", "0000", "9918,1203"] {
            assert!(automaton.accepts(text.as_bytes()), "{text}");
        }
        for text in ["", "3711", "37", "3710,", "a", "9918,1204"] {
            assert!(!automaton.accepts(text.as_bytes()), "{text}");
        }
        assert_eq!(automaton.shortest(automaton.start().state()), 4);
    }
}
