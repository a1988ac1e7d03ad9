//! What configurations allow: their entries, looked up in the cache, else made by a walk and cached.
//!
//! ```text
//! configuration -> key (see `equivalence`) -> entry    cached: two lookups
//!                                             walk     not cached: an entry is made, with an empty path, and inserted
//! entry -> mask                               its unresolved tokens are tried with the text at hand, for every mask
//! ```
//!
//! Cost: two lookups for a cached entry; 0.5-6 us to make one. An entry is made with the used names erased.
//! Where many tokens depend on the used names, it is made again for the text at hand, and not cached.

use std::sync::Arc;

use super::fragments::assemble;
use super::mask::{PlainMask, write};
use super::{Entry, MaskCache, Masker, Row, without_names};
use crate::error::Result;
use crate::matcher::budget::{Budget, Left};
use crate::matcher::compiled::Compiled;
use crate::matcher::keys::EntryKey;
use crate::matcher::machine::{Configuration, Machine, Position};
use crate::terminals::MostBegun;

/// An entry with more unresolved tokens than this is made again for every mask, with the names used before.
const MOST_UNRESOLVED: usize = 32;

/// Adds what configurations allow. With `quick`, fails where a terminal mask would have to be made.
pub fn lookup(
    compiled: &Compiled,
    cache: &mut MaskCache,
    configurations: &[Configuration],
    path: &mut Vec<u8>,
    quick: bool,
    mask: &mut PlainMask,
) -> Result<()> {
    cache.terminals.quick = quick;
    if let Some(united) = united_entry(compiled, cache, configurations)? {
        mask.ends |= configurations.iter().any(|configuration| configuration.position == Position::Accept);
        mask.entries.push(united);
        return Ok(());
    }
    for &configuration in configurations {
        mask.ends |= configuration.position == Position::Accept;
        let mut entry = match cached_entry(compiled, cache, configuration) {
            Some(cached) => Arc::clone(cached),
            None => Arc::clone(insert_entry(compiled, cache, configuration)?),
        };
        if !entry.unresolved.is_empty() {
            entry = resolve(compiled, cache, path, configuration, entry, mask)?;
        }
        mask.add_name_completing(compiled.graph(), &mut cache.stacks, configuration, &entry);
        mask.entries.push(entry);
    }
    Ok(())
}

/// What several configurations of a grammar allow together; `None` if they have to be looked at one by one.
fn united_entry(
    compiled: &Compiled,
    cache: &mut MaskCache,
    configurations: &[Configuration],
) -> Result<Option<Arc<Entry>>> {
    if cache.fragments.is_none() || configurations.len() < 2 {
        return Ok(None);
    }
    if let Some(known) = cache.entry_of_list(configurations) {
        return Ok(Some(Arc::clone(known)));
    }
    let mut empty_path = std::mem::take(&mut cache.path);
    let entry = assemble(compiled, cache, &mut empty_path, configurations);
    cache.path = empty_path;
    let entry = entry?;
    if let Some(entry) = &entry {
        cache.insert_list(configurations, Arc::clone(entry), compiled.cache_bytes());
    }
    Ok(entry)
}

/// What came of an attempt to write a mask from the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Yes,
    /// The entry allows nothing, or leaves tokens to be tried with the text at hand.
    Incomplete,
    /// What the tokens of the entry begin may not fit the budget.
    Unfit,
    /// There is not exactly one entry, the text has ended, or the cache is locked.
    NotTried,
}

/// Writes what configurations allow if that is one entry, and perhaps the end of the text, and what its tokens begin
/// fits. Most masks are such: they are written from the cache, without a reference count or a list.
pub fn write_one<R: Row + ?Sized>(
    compiled: &Compiled,
    cache: &mut MaskCache,
    configurations: &[Configuration],
    quick: bool,
    fits: impl Fn(&Entry) -> bool,
    row: &R,
) -> Result<Written> {
    let tables = compiled.tables();
    let (configuration, ends) = match *configurations {
        [Configuration { position: Position::Accept, .. }] => {
            write(&[] as &[&Entry], &[], true, &tables.vocabulary, row); // the end of every text
            return Ok(Written::Yes);
        }
        [one] => (one, false),
        [one, Configuration { position: Position::Accept, .. }]
        | [Configuration { position: Position::Accept, .. }, one] => (one, true),
        _ => return Ok(Written::NotTried),
    };
    let written = |entry: &Entry| {
        if !fits(entry) {
            return Written::Unfit;
        }
        if !entry.allows || !entry.is_resolved() {
            return Written::Incomplete;
        }
        write(&[entry], &[], ends, &tables.vocabulary, row);
        Written::Yes
    };
    if let Some(cached) = cached_entry(compiled, cache, configuration) {
        return Ok(written(cached));
    }
    cache.terminals.quick = quick;
    Ok(written(insert_entry(compiled, cache, configuration)?))
}

/// Tells `use_it` what the tokens of a configuration begin at most.
pub fn begun<T>(
    compiled: &Compiled,
    cache: &mut MaskCache,
    configuration: Configuration,
    use_it: impl FnOnce(&MostBegun) -> T,
) -> Result<T> {
    let begun = &compiled.tables().begun;
    if let Some(cached) = cached_entry(compiled, cache, configuration) {
        return Ok(use_it(cached.begun(begun)));
    }
    Ok(use_it(insert_entry(compiled, cache, configuration)?.begun(begun)))
}

/// The entry of a configuration, if it is cached.
#[inline]
fn cached_entry<'m>(
    compiled: &Compiled,
    cache: &'m mut MaskCache,
    configuration: Configuration,
) -> Option<&'m Arc<Entry>> {
    let key = EntryKey::cached(compiled, &mut cache.stacks, configuration)?;
    cache.entry(&key)
}

/// The entry of a configuration, made if its class has none yet.
#[inline(never)]
pub fn insert_entry<'m>(
    compiled: &Compiled,
    cache: &'m mut MaskCache,
    configuration: Configuration,
) -> Result<&'m Arc<Entry>> {
    let mut empty_path = std::mem::take(&mut cache.path);
    let mut machine = Machine::new(compiled.graph(), &mut cache.stacks, &mut empty_path);
    let (key, made_for) = EntryKey::of(&mut machine, compiled, configuration);
    if cache.has_entry(&key) {
        cache.path = empty_path;
        return Ok(cache.existing_entry(&key));
    }
    let assembled = assemble(compiled, cache, &mut empty_path, &[made_for]);
    if let Ok(None) = assembled {
        let entry = masker(compiled, cache, &mut empty_path, Bound::None).entry(made_for);
        cache.path = empty_path;
        return Ok(cache.insert(key, entry?, compiled.cache_bytes()));
    }
    cache.path = empty_path;
    Ok(cache.insert_assembled(key, assembled?.unwrap_or_default(), compiled.cache_bytes()))
}

/// Adds the unresolved tokens of an entry that `configuration` can read. If the entry has many, it is made again for
/// this configuration, unless it was made for this configuration already.
#[cold]
fn resolve(
    compiled: &Compiled,
    cache: &mut MaskCache,
    path: &mut Vec<u8>,
    configuration: Configuration,
    mut entry: Arc<Entry>,
    mask: &mut PlainMask,
) -> Result<Arc<Entry>> {
    let made_for_it = configuration == without_names(compiled, &mut cache.stacks, configuration);
    let mut masker = masker(compiled, cache, path, Bound::None);
    if entry.unresolved.len() > MOST_UNRESOLVED && !made_for_it {
        entry = Arc::new(masker.entry(configuration)?);
    }
    mask.resolved.extend(masker.resolve(configuration, &entry.unresolved)?);
    Ok(entry)
}

/// What bounds a masker.
#[derive(Clone, Copy)]
pub enum Bound {
    None,
    /// The tokens left after the next one.
    Left(Left),
    /// Nothing, but it finds how far from the end the tokens that it finds lead.
    Measured,
}

/// A masker for one configuration after `path`.
pub fn masker<'m>(compiled: &'m Compiled, cache: &'m mut MaskCache, path: &'m mut Vec<u8>, bound: Bound) -> Masker<'m> {
    let MaskCache { stacks, buffer, tokens, terminals, budgets, .. } = cache;
    let machine = Machine::new(compiled.graph(), stacks, path);
    let budget = match bound {
        Bound::None => None,
        Bound::Left(left) => Some(Budget::new(left, compiled.counting(), budgets)),
        Bound::Measured => Some(Budget::measuring(compiled.counting(), budgets)),
    };
    Masker::new(machine, compiled.tables(), compiled.ids(), budget, (buffer, tokens), terminals)
}
