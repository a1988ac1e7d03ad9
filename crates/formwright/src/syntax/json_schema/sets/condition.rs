//! Conditions on a value: conjunctions of atoms, such as "valid against this schema" and "not equal to that constant".
//!
//! ```text
//! {"allOf": [A, B], "not": C}     Is(A) ∧ Is(B) ∧ IsNot(C)
//! ```
//!
//! What is below an array or an object is kept as a condition and not looked into. A schema has finitely many of
//! them, which is why recursive schemas, and their complements, come to an end.

use bumpalo::Bump;
use smallvec::SmallVec;

/// Index of a schema, in the order of reading.
pub type SchemaId = u32;

/// One thing that is asked of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// No value.
    Never,
    /// Valid against a schema.
    Is(SchemaId),
    /// Not valid against it.
    IsNot(SchemaId),
    /// Equal to a constant of the document.
    Equals(u32),
    /// Not equal to it.
    Differs(u32),
    /// In at least one of several conditions.
    Either(u32),
}

/// All of these atoms, sorted. Empty: any value. It lies in the arena of the schema.
pub type Condition<'d> = &'d [Atom];

/// A condition that is asked about once, and lies in no arena.
pub type OwnedCondition = SmallVec<[Atom; 4]>;

/// No value.
pub const NEVER: Condition<'static> = &[Atom::Never];

/// Both conditions, in the arena.
pub fn conjoin_in<'d>(arena: &'d Bump, a: Condition<'d>, b: Condition<'d>) -> Condition<'d> {
    if a.is_empty() || a == b {
        b
    } else if b.is_empty() {
        a
    } else {
        arena.alloc_slice_copy(&conjoin(a, b))
    }
}

/// Both conditions.
pub fn conjoin(a: Condition<'_>, b: Condition<'_>) -> OwnedCondition {
    let mut all: OwnedCondition = a.iter().chain(b).copied().collect();
    if a.is_empty() || b.is_empty() {
        return all;
    }
    all.sort_unstable();
    all.dedup();
    let clash = all.iter().any(|atom| match atom {
        Atom::Never => true,
        Atom::Is(id) => all.contains(&Atom::IsNot(*id)),
        Atom::Equals(id) => all.contains(&Atom::Differs(*id)),
        _ => false,
    });
    if clash { NEVER.into() } else { all }
}

/// Whether the condition plainly has no value.
pub fn is_never(condition: Condition<'_>) -> bool {
    condition.contains(&Atom::Never)
}
