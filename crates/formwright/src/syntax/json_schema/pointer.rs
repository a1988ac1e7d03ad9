//! JSON Pointers: the place of a value in a document.
//!
//! ```text
//! /properties/a~1b     the key `properties`, then the key `a/b`
//! ```
//!
//! Cost: one shared step for each key; no text is made before a message shows it.

use std::borrow::Cow;
use std::rc::Rc;

/// A JSON Pointer as a chain of keys, turned into text only for messages.
#[derive(Clone, Debug, Default)]
pub enum Pointer<'d> {
    /// Not recorded, nor is anything below: no message will show it.
    #[default]
    Untold,
    /// The whole document.
    Root,
    /// A key of another.
    At(Rc<(Pointer<'d>, Cow<'d, str>)>),
    /// Below another, by a path as a reference writes it.
    Along(Rc<(Pointer<'d>, Cow<'d, str>)>),
}

impl<'d> Pointer<'d> {
    pub fn at(&self, key: impl Into<Cow<'d, str>>) -> Self {
        match self {
            Self::Untold => Self::Untold,
            _ => Self::At(Rc::new((self.clone(), key.into()))),
        }
    }

    /// `path` is empty or begins with a slash.
    pub fn along(&self, path: impl Into<Cow<'d, str>>) -> Self {
        match (self, path.into()) {
            (Self::Untold, _) => Self::Untold,
            (_, path) if path.is_empty() => self.clone(),
            (_, path) => Self::Along(Rc::new((self.clone(), path))),
        }
    }

    /// `/properties/age`
    pub fn text(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut at = self;
        while let Self::At(step) | Self::Along(step) = at {
            let spelled = matches!(at, Self::Along(_));
            parts.push(if spelled { step.1.clone().into_owned() } else { format!("/{}", escape(&step.1)) });
            at = &step.0;
        }
        parts.reverse();
        parts.concat()
    }
}

/// A key as a part of a JSON Pointer.
fn escape(key: &str) -> String {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1") } else { key.to_owned() }
}

/// The key that a part of a JSON Pointer names.
pub fn unescape(part: &str) -> Cow<'_, str> {
    if part.contains('~') { part.replace("~1", "/").replace("~0", "~").into() } else { part.into() }
}
