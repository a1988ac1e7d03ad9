//! Where the units of a text begin and end: its characters, words or sentences.
//!
//! ```text
//! word        |It| |costs| |$|3.14|, |isn't| |it|?     GPT|模|型     inner ' - and, between digits, . and ,
//! sentence    |It is.| |"Is it?"| |Yes|                by . ! ? … and a space, by 。！？, by the end of a line
//! ```
//!
//! Cost: a pass over the text. Whether a unit begins at a character depends on that character and those before
//! it, back to the last beginning, and on nothing farther away. The automaton of pieces needs that: two equal pieces have
//! their inner beginnings at the same places.

use unicode_normalization::char::is_combining_mark;

/// What the pieces of a text are runs of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Characters: code points.
    Char,
    /// Whole words, and all that is between them.
    Word,
    /// Whole sentences, and the whitespace between them.
    Sentence,
}

impl Unit {
    /// Every unit.
    pub const EVERY: [Self; 3] = [Self::Char, Self::Word, Self::Sentence];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::Word => "word",
            Self::Sentence => "sentence",
        }
    }

    /// The unit of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|unit| unit.name() == name)
    }

    /// The units of a text as ranges of its characters, in order.
    pub fn ranges(self, text: &[char]) -> Vec<(u32, u32)> {
        match self {
            Self::Char => (0..text.len() as u32).map(|at| (at, at + 1)).collect(),
            Self::Word => words(text),
            Self::Sentence => sentences(text),
        }
    }
}

/// Whether a character is a word of its own: those of scripts that put no spaces between words.
fn is_ideograph(c: char) -> bool {
    matches!(c, '々' | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}')
        || matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
        || matches!(c, '\u{20000}'..='\u{3FFFF}')
}

/// Whether a word that goes on after `c` is the one before it: `isn't`, `well-known`, `1,000.50`.
fn connects(before: char, c: char, after: char) -> bool {
    match c {
        '\'' | '’' | '-' | '\u{2010}' | '\u{2011}' => is_letter(before) && is_letter(after),
        '.' | ',' => is_digit(before) && is_digit(after),
        _ => false,
    }
}

/// Whether a character is part of a longer word.
fn is_letter(c: char) -> bool {
    !is_ideograph(c) && regex_syntax::is_word_character(c)
}

fn is_digit(c: char) -> bool {
    c.is_numeric() && is_letter(c)
}

fn words(text: &[char]) -> Vec<(u32, u32)> {
    let at = |index: usize| text.get(index).copied().unwrap_or(' ');
    let (mut found, mut index) = (Vec::new(), 0);
    while index < text.len() {
        let start = index;
        if is_ideograph(text[index]) {
            index += 1;
            while is_combining_mark(at(index)) && !is_ideograph(at(index)) {
                index += 1;
            }
        } else {
            while is_letter(at(index)) || index > start && connects(at(index - 1), at(index), at(index + 1)) {
                index += 1;
            }
        }
        if index > start {
            found.push((start as u32, index as u32));
        } else {
            index += 1;
        }
    }
    found
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a sentence may end after a character, and whether it then ends before any other character.
fn ends_sentence(c: char) -> Option<bool> {
    match c {
        '.' | '!' | '?' | '…' => Some(false),
        '。' | '！' | '？' | '｡' => Some(true),
        _ => None,
    }
}

/// Whether a character after the end of a sentence still belongs to it.
fn closes(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』' | '）' | '】' | '》')
}

fn sentences(text: &[char]) -> Vec<(u32, u32)> {
    let (mut found, mut start, mut ended) = (Vec::new(), None, None);
    let mut close = |start: &mut Option<usize>, end: usize| {
        if let Some(start) = start.take() {
            let blank = text[start..end].iter().rev().take_while(|c| c.is_whitespace()).count();
            found.push((start as u32, (end - blank) as u32));
        }
    };
    for (index, &c) in text.iter().enumerate() {
        let goes_on = ends_sentence(c).is_some() || closes(c);
        let is_over = is_line_end(c) || ended.is_some_and(|alone| c.is_whitespace() || alone && !goes_on);
        if is_over {
            close(&mut start, index);
        }
        if start.is_none() && !c.is_whitespace() {
            (start, ended) = (Some(index), None);
        }
        ended = match ends_sentence(c) {
            Some(alone) => Some(alone || ended == Some(true)),
            None if closes(c) => ended,
            None => None,
        };
    }
    close(&mut start, text.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(unit: Unit, text: &str) -> Vec<String> {
        let text: Vec<char> = text.chars().collect();
        unit.ranges(&text).into_iter().map(|(start, end)| text[start as usize..end as usize].iter().collect()).collect()
    }

    #[test]
    fn words_have_inner_marks() {
        let found = |text: &str| units(Unit::Word, text).join("|");
        assert_eq!(found("It costs $3.14, isn't it?"), "It|costs|3.14|isn't|it");
        assert_eq!(found("'a' -b- c--d 1,000.50. x.y"), "a|b|c|d|1,000.50|x|y");
        assert_eq!(found("GPT模型v2 か\u{3099}a e\u{301}té"), "GPT|模|型|v2|か|\u{3099}|a|e\u{301}té");
        assert_eq!(found("  ¡—! "), "");
    }

    #[test]
    fn sentences_end_with_marks_and_lines() {
        let found = |text: &str| units(Unit::Sentence, text).join("|");
        assert_eq!(found("It is 3.14. \"Is it?\" Yes!)  No"), "It is 3.14.|\"Is it?\"|Yes!)|No");
        assert_eq!(found("one \n\n two.\r\nthree"), "one|two.|three");
        assert_eq!(found("你好。「在吗？」在！a。b"), "你好。|「在吗？」|在！|a。|b");
        assert_eq!(found(" \n "), "");
    }

    #[test]
    fn units_have_names() {
        for unit in Unit::EVERY {
            assert_eq!(Unit::named(unit.name()), Some(unit));
        }
        assert_eq!(Unit::named("line"), None);
    }
}
