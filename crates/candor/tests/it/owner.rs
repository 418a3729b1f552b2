//! What the owner of a machine says about commands.

use crate::rig::{home_of, home_with};
use crate::walled::{commanding, run_in};

/// A workspace can add to what its owner refuses, and takes nothing away.
#[test]
fn what_the_owner_or_the_workspace_denies_is_blocked() {
    for (command, is_blocked) in [
        ("touch canary; git push origin main", true),
        ("touch canary; curl http://127.0.0.1:1/secret", true),
        ("touch canary; git status; true", false),
    ] {
        let fake = commanding(command);
        let home = home_with(&fake, "[security]\ndeny_commands = [\"git push *\"]\n");
        let theirs = "[security]\ndeny_commands = [\"/curl .*secret/\"]\nallow_commands = [\"git push *\"]\n";
        home.write_in_workspace(".candor/config.toml", theirs);
        let result = run_in(&home);
        assert_eq!(result["exit_code"], if is_blocked { 126 } else { 0 }, "{command}: {result}");
        assert_eq!(home.workspace().join("canary").exists(), !is_blocked, "{command}");
    }
}

#[test]
fn a_command_gets_no_more_memory_than_the_owner_allows() {
    let fake = commanding("python3 -c 'bytearray(300_000_000); print(\"enough\")'");
    let home = home_with(&fake, "[sandbox]\nmax_memory_mb = 100\n");
    let result = run_in(&home);
    assert!(result["stderr"].as_str().is_some_and(|said| said.contains("MemoryError")), "{result}");
    let fake = commanding("python3 -c 'bytearray(300_000_000); print(\"enough\")'");
    assert_eq!(run_in(&home_of(&fake))["stdout"], "enough\n");
}
