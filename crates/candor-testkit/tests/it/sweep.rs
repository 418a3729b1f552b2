//! A sweep is steered by the environment and reports on stdout, so these tests run one in a child: this same
//! test binary, asked by name for one of the two `inner_*` tests below, which do nothing of the kind otherwise.

use std::env;

use candor_testkit::{Candor, Home, Ran, Rng, Sweep};

/// Set for the child only: without it the two entry points below return at once.
const INNER: &str = "CANDOR_TESTKIT_INNER";

/// Runs one of the entry points below in a child with these variables.
#[track_caller]
fn run_inner(entry: &str, variables: &[(&str, &str)]) -> Ran {
    let program = env::current_exe().expect("this test binary");
    let home = Home::new();
    let mut child = Candor::new(program, &home).args([entry, "--exact", "--nocapture"]).env(INNER, "1");
    for (name, value) in variables {
        child = child.env(name, value);
    }
    child.run()
}

#[track_caller]
fn sweep_line(ran: &Ran) -> String {
    let line = ran.stdout.lines().find_map(|line| line.find("sweep inner").map(|at| line[at..].to_string()));
    line.unwrap_or_else(|| panic!("no sweep line\n{ran}"))
}

#[test]
fn inner_prints_its_draws() {
    if env::var_os(INNER).is_none() {
        assert!(env::var_os("CANDOR_SWEEP_CASE").is_none(), "only a child is told which case to run");
        return;
    }
    let mut sweep = Sweep::start("inner");
    println!("from seed {}", sweep.seed());
    while sweep.goes_on() {
        println!("drew {} in {}", sweep.rng().next_u64(), sweep.case());
    }
}

#[test]
fn inner_fails_in_its_third_case() {
    if env::var_os(INNER).is_none() {
        assert!(env::var_os("CANDOR_SWEEP_CASE").is_none(), "only a child is told which case to run");
        return;
    }
    let mut sweep = Sweep::start("inner");
    while sweep.goes_on() {
        assert!(sweep.case() != 2, "the third case fails");
    }
}

#[test]
fn the_line_names_seed_count_and_seconds() {
    let ran = run_inner(
        "sweep::inner_prints_its_draws",
        &[("CANDOR_SWEEP_SEED", "7"), ("CANDOR_SWEEP_SECONDS", "0")],
    );
    let ran = ran.ok().stdout_has("from seed 7\n");
    // With no time at all there is still a first case.
    assert_eq!(sweep_line(&ran), "sweep inner: seed 7, 1 cases, 0.0 s");
}

#[test]
fn a_failing_sweep_names_the_case_and_the_case_fails_again_alone() {
    let entry = "sweep::inner_fails_in_its_third_case";
    let line = sweep_line(&run_inner(entry, &[("CANDOR_SWEEP_SEED", "7")]).code(101));
    assert!(line.starts_with("sweep inner: seed 7, 3 cases, "), "{line}");
    assert!(line.ends_with(" s, failed in case 2"), "{line}");

    let alone = sweep_line(&run_inner(entry, &[("CANDOR_SWEEP_CASE", "2")]).code(101));
    assert!(alone.contains(", 1 cases, ") && alone.ends_with("failed in case 2"), "{alone}");
}

#[test]
fn a_case_draws_the_same_numbers_alone_as_among_others() {
    let entry = "sweep::inner_prints_its_draws";
    let all = run_inner(entry, &[("CANDOR_SWEEP_SEED", "9")]).ok();
    let alone = run_inner(entry, &[("CANDOR_SWEEP_SEED", "9"), ("CANDOR_SWEEP_CASE", "5")]).ok();
    let drawn = |ran: &Ran| ran.stdout.lines().find(|line| line.ends_with(" in 5")).map(str::to_string);
    assert!(drawn(&all).is_some(), "{all}");
    assert_eq!(drawn(&all), drawn(&alone));
    let other = run_inner(entry, &[("CANDOR_SWEEP_SEED", "10"), ("CANDOR_SWEEP_CASE", "5")]).ok();
    assert_ne!(drawn(&all), drawn(&other), "another seed draws other numbers");
}

#[test]
fn a_seed_that_is_no_number_is_refused() {
    let ran = run_inner("sweep::inner_prints_its_draws", &[("CANDOR_SWEEP_SEED", "today")]);
    assert!(ran.status == 101 && ran.stderr.contains("CANDOR_SWEEP_SEED must be a whole number"), "{ran}");
}

#[test]
fn the_generator_is_splitmix64() {
    // The first outputs for seed 1234567, as published with the algorithm.
    let mut rng = Rng::new(1_234_567);
    assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
    assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
}

#[test]
fn shuffling_keeps_every_item_and_gives_each_seed_its_order() {
    let shuffled = |seed| {
        let mut items: Vec<usize> = (0..50).collect();
        Rng::new(seed).shuffle(&mut items);
        items
    };
    assert_eq!(shuffled(1), shuffled(1));
    assert_ne!(shuffled(1), shuffled(2));
    let mut sorted = shuffled(1);
    sorted.sort_unstable();
    assert_eq!(sorted, (0..50).collect::<Vec<_>>());
}

#[test]
fn numbers_stay_below_their_bound_and_reach_both_ends() {
    let mut rng = Rng::new(1);
    let drawn: Vec<usize> = (0..500).map(|_| rng.between(3, 6)).collect();
    assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&3), Some(&6)));
    assert_eq!(rng.below(0), 0);
    assert!(!rng.one_in(0) && rng.one_in(1));
}
