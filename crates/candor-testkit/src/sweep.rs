//! The loop behind every `sweep_*` test: random cases from a printed seed, for as long as the run allows.

use std::time::{Duration, Instant};

use crate::Rng;

/// The seed of a run that names none: a plain `cargo test` must give the same answer twice.
const SEED_DEFAULT: u64 = 20_250_211;
/// How long a sweep goes on when the run does not say: long enough to try thousands of cases, short enough to
/// sit among ordinary tests.
const BUDGET_DEFAULT: Duration = Duration::from_secs(1);

/// Random cases for one test until its time is up.
///
/// ```
/// let mut sweep = candor_testkit::Sweep::start("addition");
/// while sweep.goes_on() {
///     let (a, b) = (sweep.rng().below(100), sweep.rng().below(100));
///     assert_eq!(a + b, b + a);
/// }
/// ```
///
/// Every case has a generator of its own, made from the seed and the case's number. A failing case can
/// therefore be run alone: `CANDOR_SWEEP_SEED` and `CANDOR_SWEEP_CASE` name it.
///
/// When it ends, it prints one line that `cargo xtask` reads:
/// `sweep <name>: seed <seed>, <count> cases, <seconds> s`, and after a panic `, failed in case <number>`.
#[derive(Debug)]
pub struct Sweep {
    name: &'static str,
    seed: u64,
    only_case: Option<u64>,
    started: Instant,
    budget: Duration,
    cases: u64,
    rng: Rng,
}

impl Sweep {
    /// Begins a sweep steered by `CANDOR_SWEEP_SEED`, `CANDOR_SWEEP_SECONDS` and `CANDOR_SWEEP_CASE`.
    #[track_caller]
    pub fn start(name: &'static str) -> Self {
        let seed = from_env("CANDOR_SWEEP_SEED").unwrap_or(SEED_DEFAULT);
        Self {
            name,
            seed,
            only_case: from_env("CANDOR_SWEEP_CASE"),
            started: Instant::now(),
            budget: from_env("CANDOR_SWEEP_SECONDS").map_or(BUDGET_DEFAULT, Duration::from_secs),
            cases: 0,
            rng: Rng::new(seed),
        }
    }

    /// Moves on to the next case; false when the time is up. There is always a first case.
    pub fn goes_on(&mut self) -> bool {
        let goes_on = match self.only_case {
            Some(_) => self.cases == 0,
            None => self.cases == 0 || self.started.elapsed() < self.budget,
        };
        if goes_on {
            self.cases += 1;
            self.rng = Rng::new(self.seed ^ Rng::new(self.case()).next_u64());
        }
        goes_on
    }

    /// The generator of the current case.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// The seed of the run, for a sweep that goes through a list of cases in an order of its own.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of the current case, from zero.
    pub fn case(&self) -> u64 {
        self.only_case.unwrap_or_else(|| self.cases.saturating_sub(1))
    }

    fn summary(&self) -> String {
        let Self { name, seed, cases, .. } = self;
        format!("sweep {name}: seed {seed}, {cases} cases, {:.1} s", self.started.elapsed().as_secs_f64())
    }
}

#[expect(clippy::print_stdout, reason = "the line is the sweep's report to whoever runs it")]
impl Drop for Sweep {
    fn drop(&mut self) {
        let summary = self.summary();
        // One write of one line: other tests print to the same terminal.
        if std::thread::panicking() {
            println!("{summary}, failed in case {}", self.case());
        } else {
            println!("{summary}");
        }
    }
}

#[track_caller]
fn from_env(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    match text.parse() {
        Ok(number) => Some(number),
        Err(error) => panic!("{name} must be a whole number, not {text:?}: {error}"),
    }
}
