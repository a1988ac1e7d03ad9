//! Context-dependent tokens: they leave a terminal, so what comes after the terminal decides about them.
//!
//! ```text
//! {"a": "foo      `",`    a comma may come after the string: allowed
//!                 `"}`    a required member is missing: not allowed
//! ```
//!
//! All states inside a string have the same context-dependent tokens, and often the same may come after one string as
//! after the next: then one walk serves both.
//!
//! Cost: about a microsecond for a walk. A walk serves all texts after which the same may come, so it does not
//! know the bytes of the terminal that has just ended: there is a gap in the machine's path. Where the terminal was an
//! undeclared name, these bytes matter, and the machine notes it (`After`).

use std::sync::Arc;

use super::entry::{Bans, Entry};
use super::terminal_cache::{Continued, Excluded};
use super::{Masker, Tokens, Walk};
use crate::language::end;
use crate::matcher::keys::ContinuedKey;
use crate::matcher::machine::{CompletedName, Learnt, StackId};
use crate::regular::ByteSet;
use crate::terminals::TerminalMask;
use crate::vocabulary::{NodeIndex, TokenId, is_whitespace};

/// The context-dependent tokens of a terminal mask for the subtree at `node`, and the stack to resume after the
/// terminal.
#[derive(Clone, Copy)]
pub struct Leaving<'w> {
    pub walk: &'w Walk<'w>,
    pub node: NodeIndex,
    pub mask: &'w TerminalMask,
    pub stack: StackId,
    pub purpose: u8,
}

/// What comes after a terminal.
enum After {
    /// Unknown names or items decide.
    Unresolved,
    /// The terminal was an undeclared name, taken for an unused name.
    Name(CompletedName),
    /// The configurations after the terminal, perhaps none.
    Configurations,
}

impl<'w> Leaving<'w> {
    fn key(&self, stack: StackId, no_quote: bool) -> ContinuedKey {
        let space = match self.walk.kind {
            Tokens::Stripped { space, .. } => Some((space, self.purpose)),
            _ => None,
        };
        let dependent = Arc::as_ptr(&self.mask.dependent).addr();
        ContinuedKey { dependent, window: self.mask.window, space, stack, no_quote: no_quote.then_some(self.node) }
    }

    /// The walk over what remains of the tokens.
    fn dependent(&self) -> Walk<'w> {
        let runs = self.walk.runs().map(|runs| (runs, self.purpose));
        let kind = Tokens::Dependent { dependent: &self.mask.dependent, window: self.mask.window, runs };
        Walk { trie: &self.mask.dependent.trie, kind }
    }

    /// None of the tokens, and no ban.
    fn nothing(&self) -> Continued {
        Continued {
            tokens: Box::default(),
            unresolved: Vec::new(),
            name_completing: Vec::new(),
            exits: Vec::new(),
            banned: Bans::default(),
            _held: Arc::clone(&self.mask.dependent),
        }
    }

    /// None of the tokens; the closing tokens, which the terminal mask allows, are banned.
    fn none(&self) -> Continued {
        Continued { banned: self.mask.closing().collect::<Vec<_>>().into(), ..self.nothing() }
    }

    /// All tokens, to be tried at every visit.
    fn unresolved(&self) -> Continued {
        let dependent = self.dependent();
        let all = (0..self.mask.dependent.tokens.len()).filter_map(|item| dependent.token(item, end::ANY));
        Continued { unresolved: all.chain(self.mask.closing()).collect(), ..self.none() }
    }
}

impl Masker<'_> {
    /// Adds the context-dependent tokens that go on with what comes after the terminal; returns the context-independent
    /// tokens that may not come.
    pub fn add_dependent(&mut self, leaving: &Leaving<'_>, excluded: Excluded, entry: &mut Entry) -> Bans {
        if !leaving.mask.has_dependent() && !self.machine.must_differ(leaving.stack) {
            return excluded.tokens;
        }
        let found = self.continued(leaving, excluded.quote);
        self.is_indivisible |= excluded.quote && !found.exits.is_empty();
        self.exits.extend_from_slice(&found.exits);
        let allowed = |token: &&TokenId| !excluded.tokens.has(**token);
        if excluded.tokens.is_empty() {
            self.tokens.extend_from_slice(&found.tokens);
        } else {
            self.tokens.extend(found.tokens.iter().filter(allowed));
        }
        if !found.unresolved.is_empty() || !found.name_completing.is_empty() {
            self.add_dependent_on_names(&found, &excluded, entry);
        }
        excluded.tokens.and(&found.banned)
    }

    #[cold]
    fn add_dependent_on_names(&mut self, found: &Continued, excluded: &Excluded, entry: &mut Entry) {
        let allowed = |token: &&TokenId| !excluded.tokens.has(**token);
        entry.unresolved.extend(found.unresolved.iter().filter(allowed));
        let by_name = found.name_completing.iter();
        self.name_completing
            .extend(by_name.map(|(name, tokens)| (name.clone(), tokens.iter().filter(allowed).copied().collect())));
    }

    /// What a walk finds; cached unless it depends on more than what comes after the terminal (the object of the
    /// configuration, or a budget).
    fn continued(&mut self, leaving: &Leaving<'_>, no_quote: bool) -> Arc<Continued> {
        if self.budget.is_some() {
            return self.continued_within_budget(leaving, no_quote);
        }
        let shared = self.own.is_none();
        let stack = self.machine.stacks.representative_or_self(leaving.stack);
        let key = leaving.key(stack, no_quote);
        if let Some(cached) = self.terminals.continued(&key).filter(|_| shared) {
            return Arc::clone(cached);
        }
        let found = Arc::new(if no_quote { self.without_quotes(leaving) } else { self.walk_dependent(leaving) });
        if shared {
            self.keep_continued(key, &found);
        }
        found
    }

    fn keep_continued(&mut self, key: ContinuedKey, found: &Arc<Continued>) {
        if !self.machine.overflow {
            self.terminals.insert_continued(key, Arc::clone(found), self.tables.limits().matcher_cache_bytes);
        }
    }

    /// As [`Masker::continued`]: the same, if the budget is ample for all of these tokens.
    fn continued_within_budget(&mut self, leaving: &Leaving<'_>, no_quote: bool) -> Arc<Continued> {
        let alike = self.own.is_none() && self.machine.is_erased(leaving.stack);
        let key = leaving.key(leaving.stack, no_quote);
        if let Some(budget) = self.budget.take_if(|budget| alike && budget.is_ample_for(&key)) {
            let found = self.continued(leaving, no_quote);
            self.budget = Some(budget);
            return found;
        }
        let outer = self.budget.as_mut().map_or(0, |budget| std::mem::take(&mut budget.highest));
        let found = Arc::new(if no_quote { self.without_quotes(leaving) } else { self.walk_dependent(leaving) });
        let mut is_measured = false;
        if let Some(budget) = &mut self.budget {
            if alike && found.unresolved.is_empty() {
                budget.remember_for(key);
                is_measured = budget.is_measuring;
            }
            budget.highest = budget.highest.max(outer);
        }
        if is_measured {
            let stack = self.machine.stacks.representative_or_self(leaving.stack);
            self.keep_continued(leaving.key(stack, no_quote), &found); // nothing was left out
        }
        found
    }

    /// The tokens that do not begin with the quote.
    fn without_quotes(&mut self, leaving: &Leaving<'_>) -> Continued {
        let all = self.continued(leaving, false);
        let kept = |token: &&TokenId| self.rest(leaving, **token).first() != Some(&b'"');
        let some = |tokens: &[TokenId]| tokens.iter().filter(kept).copied().collect::<Vec<_>>();
        let by_name = all.name_completing.iter().map(|(name, tokens)| (name.clone(), some(tokens)));
        let banned: Vec<TokenId> = leaving.mask.closing().filter(|token| !kept(&token)).collect();
        Continued {
            exits: all.exits.clone(),
            name_completing: by_name.collect(),
            banned: Bans::from(banned).and(&all.banned),
            tokens: some(&all.tokens).into(),
            unresolved: some(&all.unresolved),
            _held: Arc::clone(&leaving.mask.dependent),
        }
    }

    /// Adds the tokens that leave a terminal at the nodes that its mask left to the trie, and go on with what comes after
    /// the terminal.
    pub fn go_on_after(&mut self, walk: &Walk<'_>, mask: &TerminalMask, stack: StackId, entry: &mut Entry) {
        if mask.leaving.is_empty() {
            return;
        }
        let (base, gap) = (self.buffer.len(), self.machine.gap);
        let end_of_known = self.machine.path.len();
        self.machine.gap = Some(gap.map_or(end_of_known, |gap| gap.max(end_of_known)));
        let is_known = matches!(self.after(stack, base), After::Configurations);
        let after = self.buffer.split_off(base);
        for &node in &mask.leaving {
            if !is_known {
                entry.unresolved.extend(walk.tokens_below(node));
                continue;
            }
            self.buffer.extend(&after);
            self.take_exits(walk, node, base);
            self.walk(walk, node, base, end::ANY, entry);
            self.buffer.truncate(base);
        }
        self.machine.gap = gap;
    }

    fn walk_dependent(&mut self, leaving: &Leaving<'_>) -> Continued {
        let (base, gap) = (self.buffer.len(), self.machine.gap);
        let of_entry = std::mem::take(&mut self.name_completing);
        let exits = std::mem::take(&mut self.exits);
        let end_of_known = self.machine.path.len();
        self.machine.gap = Some(gap.map_or(end_of_known, |gap| gap.max(end_of_known)));
        let found = match self.after(leaving.stack, base) {
            After::Unresolved => leaving.unresolved(),
            After::Name(name) => self.complete_name(leaving, &name, base),
            After::Configurations if self.buffer.len() > base => self.walk_after(leaving, base),
            After::Configurations => leaving.none(),
        };
        self.buffer.truncate(base);
        self.machine.gap = gap;
        let exits = std::mem::replace(&mut self.exits, exits);
        Continued { name_completing: std::mem::replace(&mut self.name_completing, of_entry), exits, ..found }
    }

    /// What comes after a terminal; its configurations are put at `buffer[base..]`.
    fn after(&mut self, stack: StackId, base: usize) -> After {
        self.machine.resume_into(stack, self.buffer);
        let Learnt { unresolved, completed } = self.machine.take_learnt();
        match completed {
            _ if unresolved => After::Unresolved,
            Some(name) if self.is_of_own_object(&name, base) => After::Name(name),
            Some(_) => After::Unresolved,
            None => After::Configurations,
        }
    }

    /// The tokens by the name that each of them completes. The name begins on the path.
    fn complete_name(&mut self, leaving: &Leaving<'_>, name: &CompletedName, base: usize) -> Continued {
        let begun = self.machine.path[name.start as usize + 1..].to_vec();
        let runs = leaving.walk.runs();
        let may_end = self.buffer.len() > base && runs.is_none_or(|runs| runs.ends[0] & leaving.purpose != 0);
        let closing: Vec<TokenId> = leaving.mask.closing().filter(|_| may_end).collect();
        let mut found = Entry::default();
        let tokens = self.completing(&leaving.dependent(), 0, base, leaving.purpose, &mut found);
        for token in tokens.into_iter().chain(closing) {
            let name = [&begun[..], end_of_name(self.rest(leaving, token))].concat();
            self.name_completing.push((name, vec![token]));
        }
        Continued { unresolved: found.unresolved, ..leaving.none() }
    }

    /// The tokens that can be read from the configurations `buffer[base..]`.
    fn walk_after(&mut self, leaving: &Leaving<'_>, base: usize) -> Continued {
        let (first, mut found) = (self.tokens.len(), Entry::default());
        let dependent = leaving.dependent();
        let may_end = self.fits(base);
        self.emit(&dependent, dependent.trie.items_at(0), base, leaving.purpose);
        self.take_exits(&dependent, 0, base);
        self.walk(&dependent, 0, base, leaving.purpose, &mut found);
        let rest = if may_end { leaving.nothing() } else { leaving.none() };
        Continued { tokens: self.take_tokens(first), unresolved: found.unresolved, ..rest }
    }

    /// The bytes of a token after those on the way to the node of the mask.
    fn rest(&self, leaving: &Leaving<'_>, token: TokenId) -> &[u8] {
        let (walk, bytes) = (leaving.walk, self.tables.vocabulary.token(token));
        let stripped = if walk.strips() { bytes.iter().position(|&byte| !is_whitespace(byte)).unwrap_or(0) } else { 0 };
        &bytes[stripped + usize::from(walk.trie.node(leaving.node).depth)..]
    }

    /// The bytes that may follow a terminal.
    pub fn follow(&mut self, stack: StackId) -> ByteSet {
        let base = self.buffer.len();
        let gap = self.machine.gap.replace(usize::MAX);
        self.machine.resume_into(stack, self.buffer);
        self.machine.gap = gap;
        self.machine.settle();
        let bytes = self.live_bytes(base);
        self.buffer.truncate(base);
        bytes
    }
}

/// The part of `text` up to and with the quote that ends a name.
fn end_of_name(text: &[u8]) -> &[u8] {
    let mut escaped = false;
    let quote = text.iter().position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    quote.map_or(text, |quote| &text[..=quote])
}
