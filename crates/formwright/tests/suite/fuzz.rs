//! The fuzz targets on their seeds: what a fuzzer once found, and one of each kind. See `fuzz/README.md`.

#[path = "../../../../fuzz/targets.rs"]
mod targets;

use std::path::PathBuf;

fn replay(name: &str, target: fn(&[u8])) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        println!("{}", file.display()); // shown when it fails
        target(&std::fs::read(&file).unwrap());
    }
}

#[test]
fn schemas() {
    replay("schema", targets::schema);
}

#[test]
fn regular_expressions() {
    replay("regex", targets::regex);
}

#[test]
fn texts_of_grammars() {
    replay("grammar_text", targets::grammar_text);
}

#[test]
fn long_regular_expressions() {
    replay("lengths", targets::lengths);
}

#[test]
fn items_that_must_differ() {
    replay("unique_items", targets::unique_items);
}

#[test]
fn conditions_on_members() {
    replay("conditions", targets::conditions);
}

#[test]
fn vocabularies() {
    replay("vocabulary", targets::vocabulary);
}

#[test]
fn constraints() {
    replay("constraint", targets::constraint);
}

#[test]
fn matchers() {
    replay("matcher", targets::matcher);
}

#[test]
fn canonical_tokens() {
    replay("canonical", targets::canonical);
}

#[test]
fn stored_merges() {
    replay("merges", targets::merges);
}
