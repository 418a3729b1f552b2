//! What a first explanation costs: to compile a pattern takes longer than everything else, and to read all rules longer than that.

use candor_cards::{Command, Failed, Given, How, RuleBase, explain};

/// How many rules were read and patterns compiled to explain a failure in a new process.
fn used(line: &str, exit: i32, stderr: &str) -> (String, (usize, usize)) {
    let base = RuleBase::built_in();
    let command = Command::line(line);
    let failed = Failed { command: &command, how: How::Exited(exit), stdout: "", stderr };
    (explain(&failed, &base, &Given::default()).card.code, base.used())
}

/// The other texts that a pattern needs are looked for before it is compiled: hundreds of rules end in these words.
#[test]
fn few_rules_are_read_and_few_patterns_compiled_for_one_failure() {
    let cases = [
        ("ls nope", 2, "ls: cannot access 'nope': No such file or directory\n", "SYS_NO_SUCH_FILE"),
        (
            "git status",
            128,
            "fatal: not a git repository (or any of the parent directories): .git\n",
            "GIT_NOT_A_REPOSITORY",
        ),
        ("./run.sh", 126, "bash: ./run.sh: Permission denied\n", "SYS_PERMISSION_DENIED"),
        ("false", 1, "", "COMMAND_FAILED"),
    ];
    let counted = cases.map(|(line, exit, output, code)| {
        let (given, count) = used(line, exit, output);
        assert_eq!(given, code, "{line}");
        (line, count)
    });
    println!("figure: rules read and patterns compiled for a first explanation: {counted:?}");
    let rules = RuleBase::built_in().len();
    for (line, (read, compiled)) in counted {
        assert!(compiled <= COMPILED_MAX, "{line}: {compiled}");
        assert!(read < rules / 4, "{line}: {read} of {rules}");
    }
}

/// The most patterns that one failure may need.
const COMPILED_MAX: usize = 10;
