//! `verify`: the checks that will decide, asked for early.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{CheckResult, ToolSpec, VerdictStatus};
use candor_tools::{BoxFuture, Effect, Reach, Tool, ToolContext, ToolOutput};
use candor_verify::profile::Profile;
use candor_verify::report;
use candor_verify::run::Order;
use candor_verify::select::select;
use serde_json::{Value, json};

use crate::Verifier;

const NAME: &str = "verify";

/// Lets a model ask for the checks that will decide whether its work is done. What it finds decides nothing: they are
/// carried out again at the end.
pub struct VerifyTool {
    spec: ToolSpec,
    verifier: Arc<Verifier>,
}

impl VerifyTool {
    /// The tool.
    pub fn new(verifier: Arc<Verifier>) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "service": { "type": "string" },
                "plan": { "type": "boolean", "description": "only list the checks" },
            },
        });
        let description = "Check the work, or one service, as it is checked before it counts as done.";
        let spec = ToolSpec {
            name: NAME.to_owned(),
            description: description.to_owned(),
            parameters: parameters.into(),
        };
        Self { spec, verifier }
    }

    async fn verify(&self, args: &Value, context: &ToolContext) -> ToolOutput {
        let changed = context.changed().paths.clone();
        let plan = self.verifier.plan(&context.workspace, &changed).await;
        let profile: Profile = context.profile.parse().unwrap_or_default();
        let service = args.get("service").and_then(Value::as_str).filter(|name| !name.is_empty());
        if args.get("plan").and_then(Value::as_bool) == Some(true) {
            let left_out = select(&plan, profile, service).left_out(&plan, profile);
            let selection = report::Selection { profile: profile.as_str(), left_out: &left_out };
            return ToolOutput::success(report::plan_json(&plan, &selection).to_string(), "the plan");
        }
        if let Some(name) = service.filter(|name| !plan.services.iter().any(|service| service.name == *name))
        {
            let names: Vec<&str> = plan.services.iter().map(|service| service.name.as_str()).collect();
            let said = format!("there is no service {name}; there are: {}", names.join(", "));
            let told = json!({ "error": said }).to_string();
            return failed(ToolOutput::success(told, said));
        }
        // What a result says is masked where all results are.
        let (hide, tell) = (str::to_owned, |_: candor_verify::ground::Progress<'_>| {});
        let order = Order { profile, service };
        let verified = match self.verifier.verify_in_session(&plan, order, context, &hide, &tell).await {
            Ok(verified) => verified,
            Err(failure) => return ToolOutput::refused(&failure),
        };
        let report = &verified.report;
        let status = report.verdict.status;
        let failures =
            report.verdict.evidence.iter().filter(|evidence| evidence.result == CheckResult::Failed).count();
        let count = report.verdict.evidence.len();
        let said = format!("{}: {failures} of {count} checks failed", status.as_str());
        let mut told = ToolOutput::success(report::to_json(report).to_string(), said);
        if status == VerdictStatus::Failed {
            told = failed(told);
            told.card = report.verdict.evidence.iter().find_map(|evidence| evidence.card.clone());
        }
        told
    }
}

fn failed(mut output: ToolOutput) -> ToolOutput {
    output.is_error = true;
    output
}

impl Tool for VerifyTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn reach(&self) -> Reach {
        Reach::Exec
    }

    /// What it runs is judged command by command.
    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Alone
    }

    fn time_max(&self, _args: &Value, context: &ToolContext) -> Duration {
        context.profile.parse::<Profile>().unwrap_or_default().limits().wall
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(self.verify(args, context))
    }
}
