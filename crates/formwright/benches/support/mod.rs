//! What the benchmarks read: the files that `bench/run.py` leaves in `build/bench`, or a vocabulary made up.

#![allow(dead_code)] // not every benchmark uses everything

use std::path::PathBuf;

use formwright::vocabulary::Vocabulary;

/// The folder of the vocabulary that is measured.
pub fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../build/bench/tekken")
}

/// The vocabulary of `bench/run.py`, if it was run: the end of text, then the length and the bytes of every token.
pub fn vocabulary() -> Option<Vocabulary> {
    let data = std::fs::read(home().join("vocabulary.bin")).ok()?;
    let number = |at: usize| u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]);
    let (mut tokens, mut at) = (Vec::new(), 4);
    while at < data.len() {
        let end = at + 4 + number(at) as usize;
        tokens.push(data[at + 4..end].to_vec());
        at = end;
    }
    Vocabulary::new(&tokens, &[number(0)], indexmap::IndexMap::new(), None).ok()
}

/// Every byte, and every word of one to three lowercase letters, with and without a space before it.
pub fn made() -> Vocabulary {
    let mut words = vec![Vec::new()];
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    for _ in 0..3 {
        words =
            words.iter().flat_map(|word| (b'a'..=b'z').map(move |letter| [&word[..], &[letter]].concat())).collect();
        tokens.extend(words.iter().filter(|word| word.len() > 1).cloned());
        tokens.extend(words.iter().map(|word| [b" ", &word[..]].concat()));
    }
    tokens.push(Vec::new());
    let end = tokens.len() as u32 - 1;
    Vocabulary::new(&tokens, &[end], indexmap::IndexMap::new(), None).expect("a vocabulary")
}
