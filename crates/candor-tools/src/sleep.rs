//! `sleep`: waits.

use std::time::Duration;

use candor_protocol::ToolSpec;
use serde_json::Value;

use crate::arguments::AtLeast;
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "sleep";

const SECONDS_MAX: u64 = 300;

arguments! {
    struct Args {
        seconds: AtLeast<1>;
    }
}

/// Waits.
pub(crate) struct Sleep {
    spec: ToolSpec,
}

impl Sleep {
    pub(crate) fn new() -> Self {
        let description = "Wait up to 300 seconds.";
        Self { spec: arguments::spec::<Args>(NAME, description) }
    }

    async fn sleep(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let Args { seconds: AtLeast(asked) } = arguments::of(NAME, args)?;
        if asked > SECONDS_MAX {
            return Err(Error::arguments(NAME, format!("`seconds` is {asked}, more than {SECONDS_MAX}")));
        }
        let time = Duration::from_secs(asked);
        tokio::select! {
            biased;
            () = context.cancel.cancelled() => Err(Error::Interrupted { tool: NAME.to_owned() }),
            () = tokio::time::sleep(time) => {
                let text = format!("waited {} s", time.as_secs());
                Ok(ToolOutput::success(text.clone(), text))
            }
        }
    }
}

impl Tool for Sleep {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args>(args).err()
    }

    /// What comes after it in one breath is meant to come after it.
    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Alone
    }

    fn time_max(&self, _args: &Value, _context: &ToolContext) -> Duration {
        Duration::from_secs(SECONDS_MAX)
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::sleep(args, context).await, context) })
    }
}
