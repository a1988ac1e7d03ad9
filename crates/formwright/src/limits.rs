//! Every bound the kernel keeps, in one place, with its reason.
//!
//! Bounds turn hostile input into [`crate::Error`] values instead of hangs or unbounded memory. They are generous: a
//! bound that real input meets is a bug.

/// Bounds on time and memory. `Limits::default()` suits servers that compile
/// schemas written by strangers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Units of work of one call that reads, builds or compiles: some 50 ns each, whatever is counted.
    pub work: u64,
    /// States of one automaton. A state costs about 150 bytes.
    pub automaton_states: usize,
    /// Expressions of one automaton: the derivatives made so far.
    pub automaton_expressions: usize,
    /// Expressions visited to decide whether one with And or Not is empty; those of many parts count more.
    pub emptiness_search: usize,
    /// About how many bytes one automaton takes.
    pub automaton_bytes: usize,
    /// Nesting of a regular expression.
    pub pattern_depth: u32,
    /// Bytes of the text of a regular expression, which are read before its parts can be counted.
    pub pattern_bytes: usize,
    /// Parts of a regular expression: characters, classes (large ones count several times) and groups. Each becomes some
    /// hundred bytes of trees and expressions.
    pub pattern_parts: usize,
    /// Units of work to build the automaton of a regular expression: parts made and compared, a second at most.
    pub pattern_work: u64,
    /// States of one automaton of all terminals of a grammar.
    pub tagged_states: usize,
    /// Bytes of the text of a grammar.
    pub grammar_bytes: usize,
    /// Groups inside groups of a grammar, those of the terminals that a terminal consists of included.
    pub grammar_depth: usize,
    /// Rules of a grammar, and terminals with a name.
    pub grammar_rules: usize,
    /// Parts of all rules and terminals of a grammar: names, texts, groups and the like, those of templates each time.
    pub grammar_parts: usize,
    /// Rules that are made of the templates of a grammar.
    pub grammar_expansions: usize,
    /// The largest count of a grammar: `x~2..3`.
    pub grammar_times: u32,
    /// Schemas that are inside one another without a value between them (`allOf`, `$ref`, ...).
    pub schema_depth: usize,
    /// Nodes of one language.
    pub nodes: usize,
    /// Bytes of the texts of a choice that are laid out as a tree; more are kept as they are, in order.
    pub tree_bytes: usize,
    /// Operators inside operators. A machine follows them by a function that calls itself.
    pub nesting: usize,
    /// Nodes of all instructions by which a stored language is built again. Every operator copies its operands.
    pub source_nodes: usize,
    /// Alternatives of objects that are multiplied out in one place (`allOf` x `anyOf`, `not`); beyond, they are kept as
    /// conditions.
    pub alternatives: usize,
    /// Steps taken to combine the sets of a schema's values, each for a rule or a name of an object.
    pub schema_steps: usize,
    /// Steps taken to bring the conditions on one object into decomposable form.
    pub condition_steps: usize,
    /// Parts of that form. Each is looked at for each question about the object.
    pub condition_parts: usize,
    /// Bytes of automata that a vocabulary keeps for later schemas; more only while constraints refer to them.
    pub automata_bytes: usize,
    /// Bytes of each cache of a vocabulary (terminal masks, and what belongs to them); beyond that, it is cleared.
    pub terminal_cache_bytes: usize,
    /// Units of work of one call that finds shortest ways to the end within a budget; half of it for one question. Where
    /// that is too little, bytes are counted in place of tokens.
    pub budget_work: u64,
    /// Places that a text and its forks return to: one or a few for each open bracket, and for each count of a repetition,
    /// those that are closed included. Each costs some 160 bytes.
    pub stack_nodes: usize,
    /// Bytes of the places that a text was at, which it can go back to. Of each step, 256 are not counted: a text may
    /// be as long as it likes.
    pub history_bytes: usize,
    /// Bytes of masks that a matcher and its forks cache.
    pub matcher_cache_bytes: usize,
    /// Bytes of constraints that a vocabulary keeps for the next request with their forms, and of what their texts found.
    pub constraint_bytes: usize,
    /// Bytes of each of the two caches of a grammar that all its texts share: what single frames allow, and what several
    /// of them allow together.
    pub fragment_bytes: usize,
    /// States of a form that is looked at as a whole: for a canvas, and for what is written between two texts. A byte, tried
    /// in each of them, costs some 40 ns.
    pub form_states: usize,
    /// States of the regular form that a grammar is intersected with.
    pub product_states: usize,
    /// Parts of a grammar and of a regular form together: rules, terminals and their parts, each between two states; and
    /// pairs of states that a search for a text meets which one form has and another has not.
    pub product_parts: usize,
    /// Bytes of where the tokens of a form lead that has canvases: kept once for all its canvases.
    pub canvas_form_bytes: usize,
    /// Bytes of one canvas; its best filling, a draw or its marginals may take eight times as much while they are found.
    pub canvas_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            work: 3 << 23,
            automaton_states: 1 << 19,
            automaton_expressions: 1 << 19,
            emptiness_search: 50_000,
            automaton_bytes: 192 << 20,
            pattern_depth: 200,
            pattern_bytes: 1 << 20,
            pattern_parts: 1 << 18,
            pattern_work: 1 << 22,
            tagged_states: 1 << 16,
            grammar_bytes: 1 << 22,
            grammar_depth: 200,
            grammar_rules: 1 << 16,
            grammar_parts: 1 << 20,
            grammar_expansions: 10_000,
            grammar_times: 65_535,
            schema_depth: 128,
            nodes: 4_000_000,
            tree_bytes: 1 << 16, // so that trees of few nodes, whose texts are counted in tokens, stay trees
            nesting: 1_000,
            source_nodes: 16_000_000,
            alternatives: 32,
            schema_steps: 1 << 22,
            condition_steps: 3 << 20,
            condition_parts: 1 << 15,
            automata_bytes: 128 << 20,
            terminal_cache_bytes: 256 << 20,
            budget_work: 1 << 22,
            stack_nodes: 1 << 21,
            history_bytes: 64 << 20,
            matcher_cache_bytes: 2 << 20,
            constraint_bytes: 128 << 20,
            fragment_bytes: 16 << 20,
            form_states: 32_000,
            product_states: 1 << 14,
            product_parts: 1 << 20,
            canvas_form_bytes: 128 << 20,
            canvas_bytes: 32 << 20,
        }
    }
}
