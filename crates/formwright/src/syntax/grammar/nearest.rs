//! Which known name was meant.

use super::super::json_schema::keywords::distance as edit_distance;

/// Names that are longer are not compared.
const LONGEST: usize = 40;

/// Names that are compared.
const COMPARED: usize = 10_000;

/// Names that a hint lists.
const LISTED: usize = 8;

/// Says which of the known names is meant, or which there are.
pub fn hint<'n>(name: &str, known: impl Iterator<Item = &'n str>, what: &str) -> String {
    let (mut best, mut listed, mut count) = (None, Vec::new(), 0);
    for candidate in known {
        count += 1;
        if listed.len() < LISTED && candidate.len() <= LONGEST {
            listed.push(candidate);
        }
        let distance = if count > COMPARED { usize::MAX } else { distance(name, candidate) };
        if best.is_none_or(|(least, _)| distance < least) && distance <= MOST.min(name.len() / 2) {
            best = Some((distance, candidate));
        }
    }
    match best {
        Some((_, meant)) => format!("did you mean '{meant}'?"),
        None if count == 0 => format!("there are no {what}"),
        None if count > listed.len() => format!("{count} {what} are known, such as {}", listed.join(", ")),
        None => format!("the {what} are {}", listed.join(", ")),
    }
}

/// Edits between a name and one that may be meant.
const MOST: usize = 2;

fn distance(name: &str, candidate: &str) -> usize {
    let is_near = name.len().max(candidate.len()) <= LONGEST && name.len().abs_diff(candidate.len()) <= MOST;
    if is_near { edit_distance(name, candidate) } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_suggested_or_listed() {
        assert_eq!(hint("exprr", ["term", "expr"].into_iter(), "rules"), "did you mean 'expr'?");
        assert_eq!(hint("x", ["term", "expr"].into_iter(), "rules"), "the rules are term, expr");
        assert_eq!(hint("x", [].into_iter(), "rules"), "there are no rules");
        let many: Vec<String> = (0..99).map(|n| format!("rule{n}")).collect();
        let hint = hint("x", many.iter().map(String::as_str), "rules");
        assert!(hint.starts_with("99 rules are known, such as rule0, rule1"), "{hint}");
    }
}
