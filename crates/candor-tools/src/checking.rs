//! What checks of ours may use of a call's context: they run commands that no model asked for.

use std::path::{Path, PathBuf};

use candor_cards::{Explained, How};
use candor_protocol::ToolCall;
use serde_json::json;

use crate::command::Line;
use crate::explaining::{self, Said};
use crate::hooks::Leave;
use crate::shell_exec::ShellExec;
use crate::{Error, ToolContext, approval, command};

/// The tool that such a command is judged as.
const NAME: &str = "verify";

/// Why a check is not run that a hook approved in another form.
const OTHER_ARGUMENTS: &str =
    "a hook approved another command, and a check runs as it is written or not at all";

impl ToolContext {
    /// Whether a command of ours may run there: the rules say so, or a person.
    pub async fn permit(&self, command: &str, cwd: &Path) -> Result<(), Error> {
        let mut args = json!({ "command": command });
        if cwd != self.workspace {
            args["cwd"] = cwd.to_string_lossy().into();
        }
        let call = ToolCall {
            call_id: NAME.to_owned(),
            tool_name: NAME.to_owned(),
            args: args.clone(),
            malformed: None,
            opaque: None,
        };
        match approval::clear(&ShellExec::named(NAME), &call, &args, Leave::ToRules, self).await? {
            None => Ok(()),
            Some(_) => Err(Error::blocked(NAME, command, OTHER_ARGUMENTS)),
        }
    }

    /// The card of such a command, which has failed.
    pub async fn explain(&self, command: &str, cwd: &Path, how: How, said: (String, String)) -> Explained {
        let cwd = cwd.to_string_lossy();
        let line = Line { command, cwd: Some(&cwd), env: None };
        let (stdout, stderr) = said;
        explaining::explained(&line, how, Said { stdout, stderr }, self).await
    }

    /// The shell that commands are run by.
    pub fn shell(&self) -> PathBuf {
        command::shell(self)
    }
}
