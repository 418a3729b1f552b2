//! A small seeded generator: the same seed gives the same cases on every machine and every version of ours.

/// A splitmix64 generator.
///
/// Our own instead of a crate's, because a seed printed by a failing sweep must give the same cases after any
/// update of the dependencies. It is not fit for secrets.
#[derive(Debug, Clone)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator that always gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..bound`; zero when `bound` is zero, so that empty input needs no special case.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        // The bias of a remainder is below 2^-40 for every bound a test uses.
        usize::try_from(self.next_u64() % bound as u64).unwrap_or(0)
    }

    /// A number in `from..=to`.
    pub fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to.saturating_sub(from).saturating_add(1))
    }

    /// True once in `n` times on average; never when `n` is zero.
    pub fn one_in(&mut self, n: usize) -> bool {
        n > 0 && self.below(n) == 0
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.next_u64().to_le_bytes()[0]
    }

    /// Puts the items into any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// One of the items, which must not be empty.
    #[track_caller]
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let index = self.below(items.len());
        items.get(index).expect("something to pick from")
    }
}
