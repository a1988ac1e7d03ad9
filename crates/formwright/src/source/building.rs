//! What a source is made into.

use super::{Instruction, Source, unbalanced};
use crate::error::{Error, Result};
use crate::language::Language;
use crate::limits::Limits;
use crate::syntax::grammar::compile::Remark;

impl Source {
    /// The language.
    ///
    /// # Errors
    /// As the constructors and operators of its instructions; [`crate::Kind::Limit`] when these are too large together.
    pub fn build(&self, limits: &Limits) -> Result<Language> {
        let mut stack = build_all(&self.0, limits)?;
        match (stack.pop(), stack.is_empty()) {
            (Some(language), true) => Ok(language),
            _ => Err(unbalanced()),
        }
    }

    /// If it is a grammar: remarks on parts that no text has, and on where fewer texts conform than its notation says.
    ///
    /// # Errors
    /// As [`Source::build`].
    pub fn find_remarks(&self, limits: &Limits) -> Result<Vec<Remark>> {
        match self.0.split_last() {
            Some((Instruction::Grammar(grammar), forms)) => grammar.find_remarks(&build_all(forms, limits)?, limits),
            _ => Ok(Vec::new()),
        }
    }
}

/// The languages that some instructions leave.
fn build_all(instructions: &[Instruction], limits: &Limits) -> Result<Vec<Language>> {
    let (mut stack, mut nodes) = (Vec::new(), 0);
    for instruction in instructions {
        let made = instruction.apply(&mut stack, limits)?;
        nodes += made.graph().nodes.len();
        if nodes > limits.source_nodes {
            return Err(Error::limit("nodes of all parts of a language", nodes, limits.source_nodes));
        }
        stack.push(made);
    }
    Ok(stack)
}
