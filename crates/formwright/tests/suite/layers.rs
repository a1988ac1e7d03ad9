//! The layers of the kernel are those of the tables in `lib.rs` and `ARCHITECTURE.md`, those of the matcher are those of the
//! table in its `mod.rs`, files are short, and so are functions.
//!
//! The sources are read as text, line by line: every path `crate::x` (and `super::x`, in a file of the crate's root)
//! that stands outside comments and tests is a use of module `x`; so is `crate::matcher::x` inside the matcher. A row of a table names the modules its module uses;
//! they must stand in rows above, so there is no cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most lines of a file.
const LONGEST_FILE: usize = 600;

/// Of 100 functions, 99 have fewer lines.
const LONG_FUNCTION: usize = 44;

/// Half of all functions have at most so many lines.
const MEDIAN_FUNCTION: usize = 8;

/// By module: the modules it uses, each with a place where it does.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// Modules from the lowest layer up, each with those it may use.
type Layers = Vec<(String, BTreeSet<String>)>;

fn crate_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Rust files of a folder and of those in it, with their texts.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let (mut folders, mut files) = (vec![crate_root().join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(crate_root()).unwrap().to_owned();
                files.push((name, read(&path)));
            }
        }
    }
    files.sort();
    files
}

/// The lines before the tests of a file, comments left out, with their numbers.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_tests =
        |at: &usize| lines[*at] == "#[cfg(test)]" && lines.get(at + 1).is_some_and(|next| next.starts_with("mod "));
    let end = (0..lines.len()).find(is_tests).unwrap_or(lines.len());
    (1..).zip(lines).take(end).map(|(number, line)| (number, line.split("//").next().unwrap_or_default()))
}

/// The module that a file so deep belongs to; none: the root itself.
fn module_of(file: &Path, depth: usize) -> Option<String> {
    let first = file.iter().nth(depth)?.to_str()?.trim_end_matches(".rs");
    (!["lib", "mod"].contains(&first)).then(|| first.to_owned())
}

/// The names that the root exports again, by name: their modules.
fn exported(lib: &str) -> BTreeMap<String, String> {
    let lines = lib.lines().filter_map(|line| line.strip_prefix("pub use ")?.trim_end_matches(';').split_once("::"));
    let names = lines.flat_map(|(module, names)| {
        names.trim_matches(['{', '}']).split(", ").map(move |name| (name.to_owned(), module.to_owned()))
    });
    names.collect()
}

/// What follows `prefix` in a line: one name each, or several in braces.
fn paths<'l>(line: &'l str, prefix: &str) -> Vec<&'l str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let found = line.match_indices(prefix).filter(|(at, _)| !line[..*at].ends_with(is_name));
    let mut names = Vec::new();
    for (at, _) in found {
        let rest = &line[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(several) => names.extend(several.split(", ")),
            None => names.push(rest),
        }
    }
    names.into_iter().map(|name| name.split(|c| !is_name(c)).next().unwrap_or_default()).collect()
}

/// Which modules below `path` use which; `root` is the text of its own file.
fn uses(files: &[(PathBuf, String)], path: &str, root: &str) -> Uses {
    let (exported, depth) = (exported(root), path.matches("::").count());
    let modules: BTreeSet<String> = files.iter().filter_map(|(file, _)| module_of(file, depth)).collect();
    let mut uses = Uses::new();
    for (file, text) in files {
        let Some(module) = module_of(file, depth).filter(|_| !file.ends_with("tests.rs")) else { continue };
        let of_module = uses.entry(module.clone()).or_default();
        let is_top = file.iter().count() == depth + 1;
        for (number, line) in code(text) {
            let mut names = paths(line, path);
            if is_top {
                names.extend(paths(line, "super::"));
            }
            for name in names {
                let used = exported.get(name).map_or(name, String::as_str);
                if used != module && modules.contains(used) {
                    let place = format!("{}:{number}", file.display());
                    of_module.entry(used.to_owned()).or_insert(place);
                }
            }
        }
    }
    uses
}

/// The layers of a table: rows `| module | what it is | uses |`, with names in backticks.
fn layers(table: &str) -> Layers {
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = table.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_start_matches("//! ").strip_prefix('|')?.split('|').collect();
        let [module, _, uses, ..] = cells[..] else { return None };
        Some((names(module), names(uses)))
    });
    rows.flat_map(|(modules, uses)| {
        modules.into_iter().map(move |module| (module, uses.iter().cloned().collect::<BTreeSet<_>>()))
    })
    .collect()
}

/// What a table says that is not so, and what is so and it does not say.
fn differences(layers: &Layers, uses: &Uses) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut below: BTreeSet<&str> = BTreeSet::new();
    for (module, named) in layers {
        let Some(used) = uses.get(module) else {
            wrong.push(format!("there is no module {module}"));
            continue;
        };
        let unnamed = used.iter().filter(|(name, _)| !named.contains(*name));
        wrong
            .extend(unnamed.map(|(name, place)| format!("{place}: {module} uses {name}, which its row does not name")));
        let unused = named.iter().filter(|name| !used.contains_key(*name));
        wrong.extend(unused.map(|name| format!("{module} does not use {name}, which its row names")));
        let above = named.iter().filter(|name| !below.contains(name.as_str()));
        wrong.extend(above.map(|name| format!("{module} stands below {name}, which its row names")));
        below.insert(module);
    }
    let missing = uses.keys().filter(|module| !below.contains(module.as_str()));
    wrong.extend(missing.map(|module| format!("no row is about {module}")));
    wrong
}

/// The table of the kernel in its `ARCHITECTURE.md`.
fn table_of_page() -> String {
    let text = read(&crate_root().join("ARCHITECTURE.md"));
    let kernel = text.split("## Modules").nth(1).expect("a section about modules");
    kernel.split("\n\n").find(|part| part.starts_with('|')).expect("a table of modules").to_owned()
}

#[test]
fn modules_use_what_the_tables_say() {
    let (files, lib) = (sources("src"), read(&crate_root().join("src/lib.rs")));
    let matcher = read(&crate_root().join("src/matcher/mod.rs"));
    let (all, of_matcher) =
        (uses(&files, "crate::", &lib), uses(&sources("src/matcher"), "crate::matcher::", &matcher));
    let tables =
        [("lib.rs", lib, &all), ("ARCHITECTURE.md", table_of_page(), &all), ("matcher/mod.rs", matcher, &of_matcher)];
    for (name, table, uses) in tables {
        let wrong = differences(&layers(&table), uses);
        assert!(wrong.is_empty(), "the table of {name} is wrong:\n{}", wrong.join("\n"));
    }
}

#[test]
fn unsafe_code_stands_in_one_file() {
    let is_unsafe = |text: &str| code(text).any(|(_, line)| line.split_whitespace().any(|word| word == "unsafe"));
    let found = sources("src").into_iter().filter(|(_, text)| is_unsafe(text)).map(|(file, _)| file);
    assert_eq!(
        found.collect::<Vec<_>>(),
        [Path::new("src/matcher/masks/row.rs")],
        "lib.rs and ARCHITECTURE.md name it"
    );
}

#[test]
fn files_are_short() {
    let all = ["src", "tests", "benches"].into_iter().flat_map(sources);
    let long = all.map(|(file, text)| (text.lines().count(), file)).filter(|(lines, _)| *lines > LONGEST_FILE);
    let long: Vec<String> = long.map(|(lines, file)| format!("{}: {lines} lines", file.display())).collect();
    assert!(long.is_empty(), "files of more than {LONGEST_FILE} lines:\n{}", long.join("\n"));
}

/// The functions of a file outside of tests: how many lines each has, and where. A function ends at the first line that
/// closes a brace with the indent of its signature.
fn functions(file: &Path, text: &str) -> Vec<(usize, String)> {
    let lines: Vec<(usize, &str)> = code(text).map(|(number, line)| (number, line.trim_end())).collect();
    let is_function = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| *word == "const" || word.starts_with("pub"));
        words.next() == Some("fn")
    };
    let length = |at: usize| {
        let indent = &lines[at].1[..lines[at].1.len() - lines[at].1.trim_start().len()];
        let closing = format!("{indent}}}");
        let signature = lines[at..].iter().position(|(_, line)| line.ends_with(['{', '}', ';'])).unwrap_or(0);
        let has_body = lines[at + signature].1.ends_with('{');
        let body = lines[at + signature..].iter().position(|(_, line)| has_body && *line == closing).unwrap_or(0);
        signature + body + 1
    };
    let starts = (0..lines.len()).filter(|&at| is_function(lines[at].1));
    starts.map(|at| (length(at), format!("{}:{}", file.display(), lines[at].0))).collect()
}

#[test]
fn functions_fit_in_a_glance() {
    let mut all: Vec<(usize, String)> = sources("src").iter().flat_map(|(file, text)| functions(file, text)).collect();
    all.sort();
    let (median, almost_all) = (all[all.len() / 2].0, all[all.len() * 99 / 100].0);
    println!("{} functions: half have at most {median} lines, 99 % at most {almost_all}", all.len());
    let longest: Vec<String> =
        all.iter().rev().take(20).map(|(lines, place)| format!("{place}: {lines} lines")).collect();
    assert!(median <= MEDIAN_FUNCTION, "half of all functions have more than {MEDIAN_FUNCTION} lines: {median}");
    assert!(almost_all < LONG_FUNCTION, "of 100 functions, more than one is long:\n{}", longest.join("\n"));
}

/// The check itself finds what it should: a use that no row names, one that is gone, one that goes up, a new module.
#[test]
fn what_is_wrong_is_found() {
    let file = |name: &str, text: &str| (PathBuf::from(name), text.to_owned());
    let lib = "//! | [`low`] | it | |\n//! | [`high`] | it | `low` |\npub use low::{Thing, Other};\n";
    let high = "// crate::comment\nuse crate::low::Thing;\n#[cfg(test)]\nmod tests {\n    use crate::tested;\n}\n";
    let right = [file("src/low.rs", "fn it() {}\n"), file("src/high/mod.rs", high), file("src/lib.rs", lib)];
    assert_eq!(differences(&layers(lib), &uses(&right, "crate::", lib)), [""; 0]);
    for (changed, expected) in [
        (file("src/low.rs", "use super::high::X;"), "src/low.rs:1: low uses high, which its row does not name"),
        (
            file("src/low.rs", "\nlet a = crate::{high::Y, z};"),
            "src/low.rs:2: low uses high, which its row does not name",
        ),
        (file("src/high/mod.rs", "fn it() {}"), "high does not use low, which its row names"),
        (file("src/high/mod.rs", "use crate::Other;"), ""),
        (file("src/new/mod.rs", ""), "no row is about new"),
    ] {
        let mut files = right.to_vec();
        files.retain(|(name, _)| *name != changed.0);
        files.push(changed);
        let wrong = differences(&layers(lib), &uses(&files, "crate::", lib));
        assert_eq!(wrong.first().map_or("", String::as_str), expected);
    }
    let nested = [file("src/m/low.rs", "use super::high::X;\n"), file("src/m/high/a.rs", "use crate::m::low::Y;\n")];
    let wrong = differences(&layers(lib), &uses(&nested, "crate::m::", lib));
    assert_eq!(wrong, ["src/m/low.rs:1: low uses high, which its row does not name"]);
    let upside_down = "//! | [`high`] | it | `low` |\n//! | [`low`] | it | |\n";
    assert_eq!(
        differences(&layers(upside_down), &uses(&right, "crate::", lib)),
        ["high stands below low, which its row names"]
    );
}

#[test]
fn functions_are_measured() {
    let text = "fn one() -> u32 { 1 }\n\nimpl X {\n    pub fn two(\n        &self,\n    ) {\n        it();\n    }\n\n    fn declared(&self);\n}\n";
    let lengths: Vec<usize> = functions(Path::new("x"), text).into_iter().map(|(lines, _)| lines).collect();
    assert_eq!(lengths, [1, 5, 1]);
}
