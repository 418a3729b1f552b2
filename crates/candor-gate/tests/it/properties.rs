//! What holds for every text.

use candor_gate::Verdict;
use proptest::prelude::*;

use crate::scene::judge;

/// Commands that are denied, each for another reason.
const DENIED: &[&str] = &[
    "rm -rf /",
    "rm -rf ~",
    "rm -r -f /etc",
    "mkfs.ext4 /dev/sda1",
    "dd if=x of=/dev/sda",
    "shutdown now",
    "kill -9 -1",
    "chmod -R 777 /",
    "cp -t /etc x",
    "git push -f origin main",
    "find / -delete",
    "iptables -F",
];

/// Ways to run a command that change nothing about its effect. Those with quotes of their own come with one kind.
const WRAPS: &[&str] = &[
    "env {}",
    "env A=1 {}",
    "sudo {}",
    "sudo -u root {}",
    "timeout 5 {}",
    "nice -n 3 {}",
    "nohup {}",
    "xargs {}",
    "( {} )",
    "{ {}; }",
    "$( {} )",
    "echo \"$( {} )\"",
    "x=$( {} )",
    "ls; {}",
    "ls && {}",
    "ls | {}",
    "{} | cat",
    "{} > out",
    "{} &",
    "if true; then {}; fi",
    "for i in 1 2; do {}; done",
    "f() { {}; }; f",
    "cat <( {} )",
    "cat <<EOF\n$( {} )\nEOF",
    "bash <<EOF\n{}\nEOF",
    "find . -exec {} \\;",
    "stdbuf -oL {}",
    "setsid {}",
    "! {}",
    "time {}",
    "busybox {}",
    "eval {}",
];

/// Quotes that make a script of a command.
const QUOTED: &[&str] =
    &["sh -c '{}'", "bash -lc '{}'", "eval '{}'", "echo '{}' | sh", "trap '{}' EXIT", "su -c '{}'"];

/// Words that shells are made of, to build texts that are nearly commands.
const PIECES: &[&str] = &[
    "rm", "-rf", "/", "~", "$HOME", "$(", ")", "`", "\"", "'", "{", "}", ";", "|", "&", "&&", "||", "<<EOF",
    "\nEOF\n", "\n", "\\", "if", "then", "fi", "for", "in", "do", "done", "case", "esac", "((", "))", "[[",
    "]]", ">", ">>", "<", "<(", "$'", "${", "x=", "x", "sh", "-c", "env", "sudo", "xargs", "find", "-exec",
    "{}", "\\;", "eval", "echo", "*", "$[", "#", "!", "function", "é", "\u{200b}", "\r", "$@", "printf",
    "%s", "sed", "e", "s/a/b/e", "git", "push", "${x:-", "${x:0:1}", ",", "..", "~root", "python3", "[", "]",
    "=", "+=", "<<<", "&>", "2>&1", "coproc", "time",
];

/// Programs that take a text in a language of its own.
const READERS: &[&str] = &[
    "make -f -",
    "make --eval",
    "sed",
    "sed -f -",
    "sqlite3 x",
    "psql -c",
    "mysql -e",
    "sqlcmd -Q",
    "ed",
    "vim -c",
    "ftp",
    "mail",
    "dc -e",
    "gdb -ex",
    "m4",
    "expect -c",
    "tclsh",
    "emacs --eval",
    "guile -c",
    "perl -e",
    "lua -e",
    "declare -n",
    "hash -p",
    "alias",
    "mapfile -C",
    "npm exec -c",
    "nix develop -c",
    "env -S",
    "cmake -E",
];

/// Words of their languages.
const WORDS: &[&str] = &[
    "\\",
    "!",
    "$(",
    "$(shell ",
    "${",
    "}",
    ")",
    "(",
    "[",
    "]",
    "{",
    "\"",
    "|",
    ":",
    ";",
    "\n",
    "\t",
    "=",
    "!=",
    ".shell ",
    "\\!",
    "\\o ",
    "program ",
    "to ",
    "system ",
    "é",
    "\u{1f600}",
    "s/",
    "/",
    "e ",
    "w ",
    "y,",
    "1,$",
    "spawn ",
    "exec ",
    "shell-command ",
    "call-process ",
    "rm ",
    "x",
    "#",
    "~!",
    "$x",
    "qx",
    "[[",
    "]]",
    "define ",
    "endef",
    "writefile(",
    "load ",
    ".RECIPEPREFIX=",
    "-",
    "--",
    "%",
    "syscmd(",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC*") {
        judge(&text);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        judge(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_pieces_of_shell_make_it_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40), tight: bool) {
        judge(&pieces.join(if tight { "" } else { " " }));
    }

    #[test]
    fn no_text_of_another_language_makes_it_panic(
        program in prop::sample::select(READERS),
        words in prop::collection::vec(prop::sample::select(WORDS), 0..20),
    ) {
        let text = words.concat();
        judge(&format!("{program} '{text}'"));
        judge(&format!("{program} <<'EOF'\n{text}\nEOF\n"));
    }

    #[test]
    fn wrapping_never_lowers_a_denial(
        command in prop::sample::select(DENIED),
        wraps in prop::collection::vec(prop::sample::select(WRAPS), 0..4),
    ) {
        // `xargs` reads the here-document itself, and the shell gets its words as the name of a file.
        let script = wraps.iter().position(|wrap| wrap.starts_with("bash <<"));
        let xargs = wraps.iter().rposition(|wrap| wrap.starts_with("xargs"));
        prop_assume!(script.is_none() || script > xargs);
        let text = wraps.iter().fold(command.to_owned(), |text, wrap| fill(wrap, &text));
        // A brace that is no first word is a word like any other: `env { … }` looks for a program of that name.
        prop_assume!(!text.contains("env {") && !text.contains("env ("));
        // Some combinations are no bash, or run nothing (`xargs ( … )`); those may be asked about, never allowed.
        let verdict = judge(&text).verdict;
        prop_assert_ne!(verdict, Verdict::Allow, "{}", text);
        if wraps.len() <= 1 {
            prop_assert_eq!(verdict, Verdict::Deny, "{}", text);
        }
    }

    #[test]
    fn a_quoted_script_is_denied_like_the_command(
        command in prop::sample::select(DENIED),
        quoted in prop::sample::select(QUOTED),
        wraps in prop::collection::vec(prop::sample::select(&WRAPS[..8]), 0..3),
    ) {
        let text = wraps.iter().fold(quoted.replace("{}", command), |text, wrap| fill(wrap, &text));
        let verdict = judge(&text).verdict;
        prop_assert_ne!(verdict, Verdict::Allow, "{}", text);
        if wraps.is_empty() {
            prop_assert_eq!(verdict, Verdict::Deny, "{}", text);
        }
    }

    #[test]
    fn talking_about_it_is_allowed(command in prop::sample::select(DENIED), before in "[a-z ]{0,12}") {
        for text in [
            format!("echo '{before}{command}'"),
            format!("echo \"{before}{command}\""),
            format!("git commit -m '{before}{command}'"),
            format!("grep -rn '{command}' src"),
            format!("cat > notes.txt <<'EOF'\n{before}\n{command}\nEOF"),
            format!("ls # {command}"),
        ] {
            prop_assert_eq!(judge(&text).verdict, Verdict::Allow, "{}", text);
        }
    }

    #[test]
    fn quotes_inside_of_a_word_change_nothing(at in 1usize..8, command in prop::sample::select(DENIED)) {
        let at = at.min(command.len() - 1);
        for quotes in ["''", "\"\"", "\\\n"] {
            let text = format!("{}{quotes}{}", &command[..at], &command[at..]);
            // At the border of a word an empty pair of quotes is a word of its own.
            let is_inside = command.as_bytes()[at - 1] != b' ' && command.as_bytes()[at] != b' ';
            if is_inside {
                prop_assert_eq!(judge(&text).verdict, Verdict::Deny, "{}", text);
            }
        }
    }

    #[test]
    fn the_same_text_gets_the_same_answer(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12)) {
        let text = pieces.join(" ");
        prop_assert_eq!(judge(&text), judge(&text));
    }
}

fn fill(wrap: &str, command: &str) -> String {
    wrap.replacen("{}", command, 1)
}
