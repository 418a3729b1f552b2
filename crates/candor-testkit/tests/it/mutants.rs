use candor_testkit::{MUTANT_GROWTH_BYTES_MAX, Rng, mutate};

const SOURCE: &[u8] = b"[section]\nkey = \"value\"\n";

#[test]
fn mutants_differ_from_their_source_and_from_each_other() {
    let mut rng = Rng::new(3);
    let mut mutants: Vec<Vec<u8>> = (0..1000).map(|_| mutate(&mut rng, SOURCE)).collect();
    let same = mutants.iter().filter(|mutant| *mutant == SOURCE).count();
    assert!(same < 50, "{same} of 1000 are not damaged at all");
    mutants.sort();
    mutants.dedup();
    assert!(mutants.len() > 900, "only {} different mutants", mutants.len());
}

#[test]
fn mutants_grow_shrink_and_stay_bounded() {
    let mut rng = Rng::new(4);
    let sizes: Vec<usize> = (0..1000).map(|_| mutate(&mut rng, SOURCE).len()).collect();
    assert!(sizes.iter().any(|&size| size < SOURCE.len() / 2), "none was cut");
    assert!(sizes.iter().any(|&size| size > SOURCE.len() + 500), "none grew much");
    assert!(sizes.iter().all(|&size| size <= SOURCE.len() + MUTANT_GROWTH_BYTES_MAX));
}

#[test]
fn nothing_can_be_damaged_too() {
    let mut rng = Rng::new(5);
    let grown = (0..200).filter(|_| !mutate(&mut rng, b"").is_empty()).count();
    assert!(grown > 0, "an empty source never grew");
}

#[test]
fn the_same_seed_gives_the_same_mutant() {
    assert_eq!(mutate(&mut Rng::new(6), SOURCE), mutate(&mut Rng::new(6), SOURCE));
}
