//! The shortest items that an array still needs where items count for one or two kinds and all positions are alike.
//!
//! ```text
//! at least 3 items, at least 2 that are 1, at most 1 that is 22; two-byte items of neither kind      1,1,10
//! ```
//!
//! Idea: how many items count for both kinds decides the rest. Those that count for one are then as few as their bounds
//! ask for, and what is missing to the least number of items is filled with the shortest ones. The cost is convex in that
//! number (an interval matrix has integral optima: Hoffman and Kruskal 1956), so its minimum is found by bisection.
//!
//! Cost: some 32 sums of eight numbers, however many items are needed.

/// The cost of an item that cannot come: more than any number of items that can.
const IMPOSSIBLE: u128 = 1 << 80;

/// What an array still needs.
pub struct Missing {
    /// Bytes of the shortest item that counts for neither kind, for the first, for the second and for both.
    costs: [u128; 4],
    /// Items, at least and at most.
    items: (u128, u128),
    /// Those that count for each kind, at least and at most.
    kinds: [(u128, u128); 2],
}

impl Missing {
    pub fn new(costs: [Option<u32>; 4], items: (u32, u32), kinds: [(u32, u32); 2]) -> Self {
        let wide = |(low, high): (u32, u32)| (low.into(), high.into());
        let costs = costs.map(|cost| cost.map_or(IMPOSSIBLE, u128::from));
        Self { costs, items: wide(items), kinds: kinds.map(wide) }
    }

    /// Bytes of the shortest items that are enough; `None` if there are none.
    pub fn shortest(&self) -> Option<u32> {
        let [first, second] = self.kinds;
        if [first, second, self.items].iter().any(|(low, high)| low > high) {
            return None;
        }
        let most = first.0.max(second.0).max(self.items.0);
        let (mut low, mut high) = (0, most.min(first.1).min(second.1));
        while low < high {
            let middle = u128::midpoint(low, high);
            if self.cost(middle + 1) < self.cost(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let cost = self.cost(low);
        (cost < IMPOSSIBLE).then(|| u32::try_from(cost).unwrap_or(u32::MAX))
    }

    /// Bytes of the shortest items if so many count for both kinds.
    fn cost(&self, both: u128) -> u128 {
        let [neither, first, second, _] = self.costs;
        let ones = self.kinds.map(|(low, _)| low.saturating_sub(both));
        let total = both + ones[0] + ones[1];
        let mut missing = self.items.0.saturating_sub(total);
        let mut cost = self.costs[3] * both + first * ones[0] + second * ones[1];
        cost += IMPOSSIBLE * total.saturating_sub(self.items.1);
        let room = |kind: usize| self.kinds[kind].1.saturating_sub(both + ones[kind]);
        let mut fillers = [(neither, u128::MAX), (first, room(0)), (second, room(1))];
        fillers.sort_unstable();
        for (each, room) in fillers {
            let taken = missing.min(room);
            cost += each * taken;
            missing -= taken;
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All numbers of items of each sort, tried.
    fn brute(costs: [Option<u32>; 4], items: (u32, u32), kinds: [(u32, u32); 2]) -> Option<u32> {
        let mut best = None;
        for numbers in (0..7_u32.pow(4)).map(|code| [0, 1, 2, 3].map(|at| code / 7_u32.pow(at) % 7)) {
            let within = |number: u32, (low, high): (u32, u32)| low <= number && number <= high;
            let [_, first, second, both] = numbers;
            let fits = within(numbers.iter().sum(), items)
                && within(first + both, kinds[0])
                && within(second + both, kinds[1])
                && numbers.iter().zip(costs).all(|(number, cost)| *number == 0 || cost.is_some());
            if fits {
                let sum: u32 = numbers.iter().zip(costs).map(|(number, cost)| number * cost.unwrap_or(0)).sum();
                best = Some(best.map_or(sum, |best: u32| best.min(sum)));
            }
        }
        best
    }

    proptest! {
        #[test]
        fn the_shortest_items_are_those_of_all_numbers(
            costs in prop::array::uniform4(prop::option::weighted(0.8, 1_u32..9)),
            items in (0_u32..7, prop::option::of(0_u32..9)),
            kinds in prop::array::uniform2((0_u32..4, prop::option::of(0_u32..6))),
        ) {
            let bounds = |(low, high): (u32, Option<u32>)| (low, high.unwrap_or(u32::MAX));
            let (items, kinds) = (bounds(items), kinds.map(bounds));
            let found = Missing::new(costs, items, kinds).shortest();
            prop_assert_eq!(found, brute(costs, items, kinds));
        }
    }
}
