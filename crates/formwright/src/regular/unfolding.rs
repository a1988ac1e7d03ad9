//! Languages that are code: what may follow is computed when it is read.
//!
//! Some regular languages have short rules and enormous trees. The leap seconds
//! of a day are `hh:mm:60` with the one offset that makes it midnight: hundreds of
//! alternatives, of which a text needs one. An [`Unfold`] says what may follow a
//! code point, and an automaton asks only about the texts it meets:
//!
//! ```text
//! leap second  ─ "1" → still one    ─ "15:59" → the tree  :60(\.\d+)?-08:00
//! ```
//!
//! Cost: a virtual call for a derivative. Wrinkle: the alphabet of an automaton is
//! fixed before anything unfolds, so [`Unfold::alphabet`] names every class that
//! will ever be told apart.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use super::tree::Regular;

/// A language described by its derivatives.
pub trait Unfold: Send + Sync {
    /// Tells this language from every other one that is code.
    fn key(&self) -> &str;

    /// Classes of code points that it, and what it unfolds to, can tell apart.
    fn alphabet(&self) -> Vec<Regular>;

    /// What may follow `c`: [`Regular::Never`] if no text of the language starts so.
    fn unfold(&self, c: char) -> Regular;

    /// Whether the empty text is in it.
    fn nullable(&self) -> bool;

    /// Bytes of its shortest text, of which there must be one, with every code point written as itself.
    fn shortest(&self) -> u32;
}

/// A shared [`Unfold`], equal to another by its key.
#[derive(Clone)]
pub struct Unfolding(Arc<dyn Unfold>);

impl Unfolding {
    /// `language` as a leaf of a tree.
    pub fn new(language: impl Unfold + 'static) -> Self {
        Self(Arc::new(language))
    }
}

impl Deref for Unfolding {
    type Target = dyn Unfold;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Unfolding {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Unfolding {}

impl Hash for Unfolding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for Unfolding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unfolding").field(&self.key()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::{Automaton, Spelling};

    /// Two digits and their sum: `3710`.
    struct Sum(Option<u32>, String);

    impl Unfold for Sum {
        fn key(&self) -> &str {
            &self.1
        }

        fn alphabet(&self) -> Vec<Regular> {
            ('0'..='9').map(|c| Regular::range(c, c)).collect()
        }

        fn unfold(&self, c: char) -> Regular {
            match (self.0, c.to_digit(10)) {
                (None, Some(digit)) => Regular::Unfolding(Unfolding::new(Sum(Some(digit), format!("sum {c}")))),
                (Some(first), Some(digit)) => Regular::text(&format!("{:02}", first + digit)),
                (_, None) => Regular::Never,
            }
        }

        fn nullable(&self) -> bool {
            false
        }

        fn shortest(&self) -> u32 {
            if self.0.is_some() { 3 } else { 4 }
        }
    }

    #[test]
    fn what_follows_depends_on_what_was_read() {
        let tree = Regular::Unfolding(Unfolding::new(Sum(None, "sum".to_owned())));
        let lists = Regular::concat([tree.clone(), Regular::concat([Regular::text(","), tree]).repeat(0, None)]);
        let automaton = Automaton::new(&lists, Spelling::Text, &Limits::default()).unwrap();
        for text in ["3710", "0000", "9918,1203"] {
            assert!(automaton.accepts(text.as_bytes()), "{text}");
        }
        for text in ["", "3711", "37", "3710,", "a", "9918,1204"] {
            assert!(!automaton.accepts(text.as_bytes()), "{text}");
        }
        assert_eq!(automaton.shortest(automaton.start().state()), 4);
    }
}
