//! Regular languages over code points, with And, Not and counters.
//!
//! * [`Regular`] is the description: a small immutable tree that can be hashed and compared, so that equal descriptions
//!   share one automaton.
//! * [`Automaton`] is the running form: a deterministic automaton over *bytes*, built lazily by derivatives, shared by
//!   threads.
//!
//! A description speaks about decoded text; an [`Encoding`] says how each code point is written as bytes: plain UTF-8,
//! or a quoted JSON string with its escapes. `pattern: "^\\d+$"` and `format: date` are thus written once, on code
//! points, and become exact automata over JSON text.
//!
//! Why not an existing engine: intersection, complement and symbolic counters are needed (schemas conjoin patterns,
//! lengths and negations), and the mask needs to know which states are *live*, i.e. can still reach acceptance.
//!
//! ```text
//! Regular ─ alphabet: minterms ─► expression: derivatives, liveness ─► automaton: states, encoding, table
//! ```

mod alphabet;
mod automaton;
mod byte_set;
mod deterministic;
mod explicit;
mod expression;
mod implicit;
mod ordered;
mod parser;
mod partition;
mod pieces;
mod tagged;
mod tree;

pub use alphabet::{Minterm, have_stand_ins};
pub use automaton::{Automaton, DEAD, Encoding, Escapes, StateId, Step};
pub(crate) use automaton::{ClassLoop, too_hard};
pub use byte_set::ByteSet;
pub(crate) use deterministic::{Deterministic, LEFT, Meeting, State};
pub use explicit::{ExplicitState, explicit};
pub use implicit::{Implicit, ImplicitLanguage};
pub use ordered::{FirstMatches, MOST_STEPS, NoMatches, Ordered, first_matches};
pub use parser::{CharacterParser, Exploration, Outlook, Parser, ParserState};
pub(crate) use partition::{Edge, split_blocks};
pub use pieces::{PieceAutomaton, Pieces, Unit, Writing};
pub use tagged::{LOST, MARK, Tag, TaggedAutomaton, TaggedState};
pub use tree::{Divisor, Ranges, Regular, Static};
