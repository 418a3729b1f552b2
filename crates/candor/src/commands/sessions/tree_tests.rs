use super::branch;

#[test]
fn each_session_hangs_on_the_one_above_it() {
    let depths = [0, 1, 2, 2, 1, 2, 0, 1];
    let drawn: Vec<String> = (0..depths.len()).map(|at| branch(&depths[at..])).collect();
    assert_eq!(drawn, ["", "├ ", "│ ├ ", "│ └ ", "└ ", "  └ ", "", "└ "]);
}
