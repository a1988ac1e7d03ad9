//! The page on limits has a row for every bound, with its default.

use std::path::PathBuf;

use formwright::Limits;

fn read(path: &str) -> String {
    std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// A number as the page writes it: in whole MiB or KiB where it is one of bytes.
fn written(name: &str, value: u64) -> String {
    if name.ends_with("bytes") {
        return if value.is_multiple_of(1 << 20) {
            format!("{} MiB", value >> 20)
        } else {
            format!("{} KiB", value >> 10)
        };
    }
    let digits = value.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

/// The fields of the limits and their values, from how they are shown.
fn fields() -> Vec<(String, u64)> {
    let shown = format!("{:?}", Limits::default());
    let inside = shown.trim_start_matches("Limits {").trim_end_matches('}');
    let field = |field: &str| {
        let (name, value) = field.split_once(':').unwrap();
        (name.trim().to_owned(), value.trim().parse().unwrap())
    };
    inside.split(',').map(field).collect()
}

#[test]
fn every_bound_is_on_the_page() {
    let page = read("../../docs/reference/limits.md");
    let fields = fields();
    assert!(fields.len() > 20);
    for (name, value) in &fields {
        let start = format!("| `{name}` | {} | ", written(name, *value));
        assert!(page.lines().any(|line| line.starts_with(&start)), "no row begins with {start:?}");
    }
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 3).count();
    assert_eq!(rows, fields.len(), "a row is of no bound");
}
