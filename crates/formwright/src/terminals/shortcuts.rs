//! The tokens that bring a terminal nearer to its end with every byte: which states they lead to.
//!
//! ```text
//! uuid, 36 bytes left     `c0de` leads to the state with 32 left, as `c` and three tokens more would
//! ```
//!
//! The token budget takes the best of them: of many shortest texts, it finds one of few tokens.
//!
//! Cost: a walk over such tokens, once for each state that a budget asks about. Where very many tokens do, the
//! walk ends after [`MOST_NODES`] nodes of their trie, always the same ones.

use rustc_hash::FxHashSet;

use crate::regular::{Automaton, DEAD, StateId};
use crate::vocabulary::{NodeIndex, Vocabulary};

/// Nodes of the trie of tokens that are looked at.
const MOST_NODES: usize = 3_000;

/// Where tokens lead in a terminal: a state, and the bytes until there.
pub type Shortcuts = Vec<(StateId, u32)>;

/// Where the tokens lead from `state` that bring the end nearer with every byte. In a counted text, `state` is the one
/// between two characters, and they are those of so many characters of one byte.
pub fn shortcuts(vocabulary: &Vocabulary, automaton: &Automaton, state: StateId, counted: bool) -> Shortcuts {
    let trie = vocabulary.plain();
    let (mut found, mut open) = (Vec::new(), vec![(0 as NodeIndex, state)]);
    let (mut nodes, mut seen) = (0, FxHashSet::default());
    while let Some((node, at)) = open.pop() {
        for child in trie.children(node) {
            let step = automaton.step(at, trie.node(child).byte);
            let is_wide = step.is_wide();
            let wide = is_wide.then(|| automaton.alternatives(step.state()));
            for &to in wide.as_deref().unwrap_or(&[step.state()]) {
                let nearer = to != DEAD && automaton.shortest(to) + 1 == automaton.shortest(at);
                if if counted { to != state || !step.goes_on() } else { !nearer } {
                    continue;
                }
                if is_wide && !seen.insert((child, to)) {
                    continue; // another alternative leads there too
                }
                nodes += 1;
                if nodes > MOST_NODES {
                    break;
                }
                let way = (to, u32::from(trie.node(child).depth));
                if !trie.items_at(child).is_empty() && !found.contains(&way) {
                    found.push(way);
                }
                if step.goes_on() {
                    open.push((child, to));
                }
            }
        }
    }
    found
}
