//! Sets of strings: some texts, or a regular language of the decoded text.
//!
//! ```text
//! {"enum": ["a", "b"], "pattern": "^a"}     Finite(a, b) ∧ Regular(^a) = Finite(a)
//! ```

use super::union::extend_new;
use crate::regular::Regular;

/// The strings of a set.
#[derive(Clone, Debug, PartialEq)]
pub enum StringSet<'d> {
    /// These.
    Finite(Vec<&'d str>),
    /// Those whose decoded text is in the language of `tree`. A schema lists some texts, as constants, of which some may
    /// be in that language: an alphabet leaves these alone.
    Regular { tree: Regular, listed: Vec<&'d str> },
}

impl<'d> StringSet<'d> {
    /// The strings whose decoded text is in a language.
    pub fn of(tree: Regular) -> Self {
        Self::Regular { tree, listed: Vec::new() }
    }

    pub fn none() -> Self {
        Self::Finite(Vec::new())
    }

    pub fn all() -> Self {
        Self::of(Regular::anything())
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Self::Finite(texts) if texts.is_empty())
            || matches!(self, Self::Regular { tree: Regular::Never, .. })
    }

    /// The strings as a language.
    pub fn tree(&self) -> Regular {
        match self {
            Self::Finite(texts) => Regular::or(texts.iter().map(|text| Regular::text(text))),
            Self::Regular { tree, .. } => tree.clone(),
        }
    }

    /// The texts that a schema lists: all that are in a finite set, some that may be in another.
    pub fn listed(&self) -> &[&'d str] {
        match self {
            Self::Finite(texts) => texts,
            Self::Regular { listed, .. } => listed,
        }
    }

    fn listed_by_both(&self, other: &Self) -> Vec<&'d str> {
        let mut listed = self.listed().to_vec();
        extend_new(&mut listed, other.listed());
        listed
    }

    pub fn complement(&self) -> Self {
        match self {
            Self::Finite(texts) if texts.is_empty() => Self::all(),
            Self::Regular { tree, .. } if tree.is_anything() => Self::none(),
            _ => Self::Regular { tree: self.tree().not(), listed: self.listed().to_vec() },
        }
    }

    pub fn or(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Finite(mut all), Self::Finite(more)) => {
                extend_new(&mut all, more);
                Self::Finite(all)
            }
            (some, none) if none.is_none() => some,
            (none, some) if none.is_none() => some.clone(),
            (a, b) => Self::Regular { listed: a.listed_by_both(b), tree: Regular::or([a.tree(), b.tree()]) },
        }
    }

    /// `accepts` decides whether a language has a text.
    pub fn and(&self, other: &Self, accepts: &mut impl FnMut(&Regular, &str) -> bool) -> Self {
        match (self, other) {
            (Self::Finite(a), Self::Finite(b)) => {
                Self::Finite(a.iter().filter(|text| b.contains(text)).copied().collect())
            }
            (Self::Finite(texts), Self::Regular { tree, .. }) | (Self::Regular { tree, .. }, Self::Finite(texts)) => {
                Self::Finite(texts.iter().filter(|text| accepts(tree, text)).copied().collect())
            }
            (Self::Regular { tree: Regular::Not(a), .. }, Self::Regular { tree: Regular::Not(b), .. }) => {
                // One union is stepped faster than many complements.
                let tree = Regular::or([(**a).clone(), (**b).clone()]).not();
                Self::Regular { tree, listed: self.listed_by_both(other) }
            }
            (Self::Regular { tree: a, .. }, Self::Regular { tree: b, .. }) => {
                Self::Regular { tree: Regular::and([a.clone(), b.clone()]), listed: self.listed_by_both(other) }
            }
        }
    }
}
