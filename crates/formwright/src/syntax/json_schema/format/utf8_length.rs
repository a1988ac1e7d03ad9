//! Texts of at most some bytes of UTF-8.
//!
//! ```text
//! at most 3     "abc"   "aé"   "日"     but not   "éé"   "a日"
//! ```
//!
//! Cost: a state of the automaton for each byte. Bytes are counted as the text has them once it is decoded:
//! an escape in a JSON string counts as the character it stands for.

use crate::regular::{Implicit, ImplicitLanguage, Regular};

pub(super) struct Utf8Length {
    most: u32,
    key: String,
}

impl Utf8Length {
    pub(super) fn at_most(most: u32) -> Regular {
        Regular::Implicit(Implicit::new(Self { most, key: format!("at most {most} bytes of UTF-8") }))
    }
}

impl ImplicitLanguage for Utf8Length {
    fn key(&self) -> &str {
        &self.key
    }

    fn alphabet(&self) -> Vec<Regular> {
        let lasts = ['\u{7F}', '\u{7FF}', '\u{D7FF}', '\u{FFFF}', '\u{10FFFF}'];
        let firsts = ['\0', '\u{80}', '\u{800}', '\u{E000}', '\u{10000}'];
        firsts.iter().zip(&lasts).map(|(first, last)| Regular::range(*first, *last)).collect()
    }

    fn derivative(&self, c: char) -> Regular {
        match self.most.checked_sub(c.len_utf8() as u32) {
            Some(0) => Regular::Empty,
            Some(left) => Self::at_most(left),
            None => Regular::Never,
        }
    }

    fn nullable(&self) -> bool {
        true
    }

    fn shortest(&self) -> Option<u32> {
        Some(0)
    }
}
