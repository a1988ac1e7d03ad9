//! All holes at once, where the tokens of each are independent but for the form: the best filling, a draw, marginals.
//!
//! ```text
//! weight of an edge at a hole     the sum (or the greatest) of the probabilities of its tokens
//! weight of a state               the sum (or the greatest) over its edges of weight times that of the state after it
//! ```
//!
//! The states of a canvas and its edges are a chain of finitely many states, so these are the algorithms of hidden
//! Markov models: that of Viterbi for the best filling; forward filtering, backward sampling for a draw; forward and
//! backward sums for marginals. All in logarithms, as products of 256 probabilities have no place among floats.
//!
//! Cost: the tokens of each set once for each hole at which it may come, then the edges between the states of each
//! hole.

use super::{Around, Canvas, FiniteReach};
use crate::error::{Error, Result};
use crate::interrupt::count;
use crate::matcher::edges::{Edge, SetId, State};
use crate::vocabulary::TokenId;

/// Marginals that sum to 1 but for this are not scaled. Those of large logarithms are: the digits of a sum are lost in them.
const LEAST_DIGIT: f64 = 1e-7;

/// Work on tokens or edges that is counted as one unit.
const ITEMS_OF_UNIT: usize = 16;

/// Tokens for all positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Filling {
    /// By position: its token; the known ones as they are.
    pub tokens: Vec<TokenId>,
    /// The sum of the log probabilities of the holes' tokens.
    pub log_probability: f64,
    /// The logarithm of the probability of all conforming fillings together; of the best filling, its own.
    pub log_total: f64,
}

/// Log probabilities of tokens, by position.
pub trait LogProbabilities {
    /// That of a token at a position.
    fn at(&self, position: usize, token: TokenId) -> f64;
}

/// How the weights of alternatives become one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Greatest,
    Sum,
}

impl Join {
    /// The joined logarithm of some logarithms.
    fn all(self, weights: impl Iterator<Item = f64> + Clone) -> f64 {
        let greatest = weights.clone().fold(f64::NEG_INFINITY, f64::max);
        if self == Self::Greatest || greatest == f64::NEG_INFINITY {
            return greatest;
        }
        greatest + weights.map(|weight| (weight - greatest).exp()).sum::<f64>().ln()
    }

    /// The same of two.
    fn two(self, one: f64, other: f64) -> f64 {
        if self == Self::Greatest { one.max(other) } else { log_add(one, other) }
    }
}

/// The weights of the sets that may come in each hole, and of the states before each position.
struct Weights {
    /// By position: the sets that may come, and the logarithm of the weight of each.
    of_sets: Vec<Vec<(SetId, f64)>>,
    /// By position, and after the last one, for each state: the logarithm of what its ways to the end weigh.
    of_states: Vec<f64>,
    states: usize,
}

impl Weights {
    fn of_state(&self, at: usize, state: State) -> f64 {
        self.of_states[at * self.states + state as usize]
    }

    fn of_set(&self, at: usize, set: SetId) -> f64 {
        let sets = &self.of_sets[at];
        sets.binary_search_by_key(&set, |&(known, _)| known).map_or(f64::NEG_INFINITY, |found| sets[found].1)
    }
}

impl Canvas {
    /// The most probable filling: known tokens stay, all others are chosen together.
    ///
    /// # Errors
    /// [`crate::Kind::Argument`] where a log probability is NaN or plus infinity, where every conforming filling has
    /// probability zero, and where the form is recursive; [`crate::Kind::Limit`] where the canvas is too large for it.
    pub fn best(&mut self, model: &impl LogProbabilities) -> Result<Filling> {
        let chain = self.chain("best")?;
        let weights = chain.weigh(model, Join::Greatest)?;
        Ok(chain.walk(model, &weights, |_, alternatives, _| greatest(alternatives)))
    }

    /// A draw from the conforming fillings, each with its probability among them; `uniform` are two numbers from 0 up to 1
    /// for each position.
    ///
    /// # Errors
    /// As [`Canvas::best`].
    pub fn draw(&mut self, model: &impl LogProbabilities, uniform: &[[f64; 2]]) -> Result<Filling> {
        let chain = self.chain("draw")?;
        let weights = chain.weigh(model, Join::Sum)?;
        let number = |at: usize, choice: Choice| uniform.get(at).map_or(0.0, |pair| pair[choice as usize]);
        let choose = |(at, choice), alternatives: &mut dyn Iterator<Item = f64>, total| {
            draw_index(alternatives, total, number(at, choice))
        };
        Ok(chain.walk(model, &weights, choose))
    }

    /// The probability of each token in each position, given the form and the known tokens: `visit` gets the positions in
    /// turn, and by token its probability.
    ///
    /// # Errors
    /// As [`Canvas::best`].
    pub fn marginals(&mut self, model: &impl LogProbabilities, mut visit: impl FnMut(usize, &[f32])) -> Result<()> {
        let chain = self.chain("marginals")?;
        let weights = chain.weigh(model, Join::Sum)?;
        let mut row = vec![0.0; chain.canvas.vocabulary().logits_size()];
        let mut before = vec![f64::NEG_INFINITY; weights.states];
        before[0] = 0.0;
        for at in 0..chain.canvas.len() {
            row.fill(0.0);
            match chain.canvas.tokens[at] {
                Some(token) => row[token as usize] = 1.0,
                None => chain.add_marginals(model, &weights, &before, at, &mut row),
            }
            visit(at, &row);
            before = chain.advance(&weights, &before, at);
        }
        Ok(())
    }

    /// Its states and edges, as a chain.
    fn chain(&mut self, what: &str) -> Result<Chain<'_>> {
        if matches!(self.around, Around::Finite(_)) {
            self.settle(self.len(), 0)?;
            (0..self.len()).for_each(|at| self.keep_sets(at));
        }
        match &self.around {
            Around::Finite(finite) => Ok(Chain { canvas: self, finite }),
            Around::Nested(_) => {
                let message = format!("{what}: the form is recursive, and this needs finitely many states");
                Err(Error::argument("form", message)
                    .hint("choose tokens by the masks of fill_bitmasks, and place them by place_all"))
            }
        }
    }
}

/// A canvas whose form has finitely many states.
struct Chain<'c> {
    canvas: &'c Canvas,
    finite: &'c FiniteReach,
}

impl Chain<'_> {
    /// Adds the probability of each token in a hole; `before` are the weights of the ways to each state before it.
    fn add_marginals(
        &self,
        model: &impl LogProbabilities,
        weights: &Weights,
        before: &[f64],
        at: usize,
        row: &mut [f32],
    ) {
        let mut around = vec![f64::NEG_INFINITY; self.finite.edges.sets().len()];
        for (state, edge) in self.finite.edges_at(at) {
            let way = before[state as usize] + weights.of_state(at + 1, edge.to);
            let known = &mut around[edge.set as usize];
            *known = log_add(*known, way);
        }
        let mut sum = 0.0;
        for &(set, weight) in weights.of_sets[at].iter().filter(|&&(_, weight)| weight > f64::NEG_INFINITY) {
            debug_assert!(!weight.is_nan(), "weights are checked");
            let rest = around[set as usize] - weights.of_states[0];
            let tokens = self.finite.edges.sets().tokens(set);
            count(tokens.len() / ITEMS_OF_UNIT);
            for &token in tokens {
                let share = (model.at(at, token) + rest).exp();
                row[token as usize] += share as f32;
                sum += share;
            }
        }
        if (sum - 1.0).abs() > LEAST_DIGIT {
            for share in row.iter_mut() {
                *share = (f64::from(*share) / sum) as f32;
            }
        }
    }

    /// The weights of the ways to each state after a position.
    fn advance(&self, weights: &Weights, before: &[f64], at: usize) -> Vec<f64> {
        let mut after = vec![f64::NEG_INFINITY; weights.states];
        self.each_move(at, &weights.of_sets[at], |state, to, weight| {
            let known = &mut after[to as usize];
            *known = log_add(*known, before[state as usize] + weight);
        });
        after
    }

    /// Visits what may be done at a position: the state before, the state after, and the logarithm of its weight.
    fn each_move(&self, at: usize, sets: &[(SetId, f64)], mut visit: impl FnMut(State, State, f64)) {
        if let Some(token) = self.canvas.tokens[at] {
            let step = self.finite.edges.step_of(self.canvas.vocabulary(), token);
            let live = self.finite.forward[at].shared_with(&self.finite.backward[at]);
            live.filter_map(|state| Some((state, step.from(state)?))).for_each(|(state, to)| visit(state, to, 0.0));
            return;
        }
        let mut of_set = vec![f64::NEG_INFINITY; self.finite.edges.sets().len()];
        for &(set, weight) in sets {
            of_set[set as usize] = weight;
        }
        self.finite.edges_at(at).for_each(|(state, edge)| visit(state, edge.to, of_set[edge.set as usize]));
    }

    fn weigh(&self, model: &impl LogProbabilities, join: Join) -> Result<Weights> {
        let (states, limit) = (self.finite.edges.len(), 8 * self.canvas.constraint.tables().limits().canvas_bytes);
        let bytes = (self.canvas.len() + 1).saturating_mul(states * size_of::<f64>());
        if bytes > limit {
            return Err(Error::limit("bytes of the weights of a canvas", bytes, limit).hint("ask for fewer positions"));
        }
        let of_sets = (0..self.canvas.len()).map(|at| self.weigh_sets(model, at, join)).collect::<Result<Vec<_>>>()?;
        let mut of_states = vec![f64::NEG_INFINITY; (self.canvas.len() + 1) * states];
        let last = &mut of_states[self.canvas.len() * states..];
        self.finite.backward[self.canvas.len()].iter().for_each(|state| last[state as usize] = 0.0);
        for at in (0..self.canvas.len()).rev() {
            let (before, after) = of_states[at * states..].split_at_mut(states);
            let mut moves = 0;
            self.each_move(at, &of_sets[at], |state, to, weight| {
                let known = &mut before[state as usize];
                *known = join.two(*known, weight + after[to as usize]);
                moves += 1;
            });
            count(moves / ITEMS_OF_UNIT);
        }
        if of_states[0] == f64::NEG_INFINITY {
            let message = "log_probabilities: every conforming filling has probability zero";
            return Err(Error::argument("log_probabilities", message));
        }
        Ok(Weights { of_sets, of_states, states })
    }

    /// The sets that may come in a hole, ascending, with their weights.
    fn weigh_sets(&self, model: &impl LogProbabilities, at: usize, join: Join) -> Result<Vec<(SetId, f64)>> {
        let Some(sets) = self.canvas.known_sets(at).filter(|_| self.canvas.tokens[at].is_none()) else {
            return Ok(Vec::new());
        };
        let mut is_valid = true;
        let mut weigh = |set| {
            let tokens = self.finite.edges.sets().tokens(set);
            count(tokens.len() / ITEMS_OF_UNIT);
            let weights = tokens.iter().map(|&token| model.at(at, token));
            is_valid &= weights.clone().all(|weight| weight < f64::INFINITY); // which no NaN is
            (set, join.all(weights))
        };
        let weighed = sets.iter().map(&mut weigh).collect();
        if is_valid {
            return Ok(weighed);
        }
        let message = format!("log_probabilities: row {at} has NaN or plus infinity for a token that fits there");
        Err(Error::argument("log_probabilities", message))
    }

    /// Goes from the first position to the last: `choose` takes the number of one of some alternatives, whose logarithms
    /// sum to the number after them.
    fn walk(
        &self,
        model: &impl LogProbabilities,
        weights: &Weights,
        mut choose: impl FnMut((usize, Choice), &mut dyn Iterator<Item = f64>, f64) -> usize,
    ) -> Filling {
        let edges = &self.finite.edges;
        let (mut state, mut log_probability) = (0, 0.0);
        let mut tokens = Vec::with_capacity(self.canvas.len());
        for (at, &known) in self.canvas.tokens.iter().enumerate() {
            let token = if let Some(token) = known {
                token
            } else {
                let after = |edge: &&Edge| self.finite.backward[at + 1].has(edge.to);
                let alternatives: Vec<&Edge> = edges.edges_of(state).iter().filter(after).collect();
                let weigh = |edge: &&Edge| weights.of_set(at, edge.set) + weights.of_state(at + 1, edge.to);
                let edge = choose((at, Choice::Edge), &mut alternatives.iter().map(weigh), weights.of_state(at, state));
                let set = alternatives[edge].set;
                let set_tokens = edges.sets().tokens(set);
                let mut each = set_tokens.iter().map(|&token| model.at(at, token));
                let token = set_tokens[choose((at, Choice::Token), &mut each, weights.of_set(at, set))];
                log_probability += model.at(at, token);
                token
            };
            tokens.push(token);
            state = edges.step_of(self.canvas.vocabulary(), token).from(state).unwrap_or(edges.ended());
        }
        Filling { tokens, log_probability, log_total: weights.of_states[0] }
    }
}

/// What is chosen at a position.
#[derive(Clone, Copy)]
enum Choice {
    Edge,
    Token,
}

/// The number of the greatest.
fn greatest(weights: &mut dyn Iterator<Item = f64>) -> usize {
    let nothing = (0, f64::NEG_INFINITY);
    weights.enumerate().fold(nothing, |best, next| if next.1 > best.1 { next } else { best }).0
}

/// The number at which the sum of the weights, whose logarithms these are, comes above a part of the total.
fn draw_index(weights: &mut dyn Iterator<Item = f64>, total: f64, part: f64) -> usize {
    let (mut sum, mut last) = (0.0, 0);
    for (number, weight) in weights.enumerate() {
        let share = (weight - total).exp();
        if share > 0.0 {
            last = number; // sums of rounded shares may end below the part
            sum += share;
            if sum > part {
                break;
            }
        }
    }
    last
}

/// The logarithm of the sum of two numbers, given by theirs.
fn log_add(one: f64, other: f64) -> f64 {
    let (more, less) = if one > other { (one, other) } else { (other, one) };
    if less == f64::NEG_INFINITY { more } else { more + (less - more).exp().ln_1p() }
}
