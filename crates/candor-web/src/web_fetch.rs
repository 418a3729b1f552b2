//! `web_fetch`: a page of the web, as text.

use std::sync::Arc;
use std::time::Duration;

use candor_log::event;
use candor_protocol::ToolSpec;
use candor_tools::arguments::AtLeast;
use candor_tools::{BoxFuture, Effect, Reach, Tool, ToolContext, ToolOutput, arguments};
use serde_json::{Value, json};
use tokio::time::timeout;
use url::Url;

use crate::fetch::Fetcher;
use crate::page::{Page, Readers};
use crate::untrusted::{self, FRAME_BYTES};
use crate::{Error, Web, secret, text};

const NAME: &str = "web_fetch";

/// The longest that is spent on a page that has arrived.
const READING_TIME: Duration = Duration::from_secs(20);

arguments! {
    struct Args<'a> {
        url: &'a str;
        max_bytes: Option<AtLeast<1>>, or ["max_length"];
        offset: Option<u64> = "where to go on", or ["start_index"];
    }
}

/// A page of the web.
pub(crate) struct WebFetch {
    spec: ToolSpec,
    settings: Arc<Web>,
    fetcher: Fetcher,
    readers: Readers,
}

impl WebFetch {
    pub(crate) fn new(settings: Arc<Web>) -> Self {
        let description = "Fetch a web page or PDF as Markdown or text.";
        Self {
            spec: arguments::spec::<Args<'_>>(NAME, description),
            fetcher: Fetcher::new(&settings),
            readers: Readers::new(),
            settings,
        }
    }

    async fn fetch(&self, args: &Args<'_>, context: &ToolContext) -> Result<ToolOutput, Error> {
        secret::stays(self.settings.secrets.as_ref(), context.session, "address", args.url)?;
        let url = self.fetcher.guard.parse(args.url)?;
        let limit = self.settings.total_timeout;
        let late = Error::TimedOut { url: url.to_string(), limit };
        let fetched = timeout(limit, self.fetcher.page(url)).await.map_err(|_| late)??;
        let url = fetched.url.clone();
        let page = self.readers.read(fetched).await?;
        Ok(self.told(&url, &page, args, context))
    }

    fn told(&self, url: &Url, page: &Page, args: &Args<'_>, context: &ToolContext) -> ToolOutput {
        let room =
            context.rules.output_bytes_max.saturating_sub(FRAME_BYTES + url.as_str().len()).max(FRAME_BYTES);
        let asked = args
            .max_bytes
            .map_or(self.settings.page_bytes, |AtLeast(asked)| usize::try_from(asked).unwrap_or(room));
        let start = args.offset.map_or(0, |offset| usize::try_from(offset).unwrap_or(usize::MAX));
        let whole = page.text.len();
        let start = page.text.floor_char_boundary(start.min(whole));
        let shown = text::piece(&page.text, start, asked.min(room));
        // An output too small for a single character still has to end somewhere.
        let end = start + shown.len();
        let mut ours = vec![("url", json!(url.as_str())), ("type", json!(page.kind))];
        if end < whole {
            let cut = format!("[fetch truncated] bytes {start}-{end} of {whole}; go on with offset={end}");
            ours.push(("cut", json!(cut)));
            event::ToolOutputTruncated {
                session_id: context.session,
                tool: NAME,
                original_bytes: whole as u64,
                truncated_bytes: shown.len() as u64,
            }
            .log();
        } else if start > 0 && shown.is_empty() {
            ours.push(("cut", json!(format!("[nothing: byte {start} is behind the end, byte {whole}]"))));
        }
        if let Some(missing) = &page.missing {
            ours.push(("missing", json!(missing)));
        }
        if let Some(title) = &page.title {
            ours.push(("title", json!(title)));
        }
        let for_people = format!("{} bytes of {whole}, {}", shown.len(), page.kind);
        ToolOutput::success(untrusted::framed(ours, "content", json!(shown)), for_people)
    }
}

impl Tool for WebFetch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["fetch", "webfetch", "fetch_url"]
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn reach(&self) -> Reach {
        Reach::Send
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Sends
    }

    fn time_max(&self, _args: &Value, _context: &ToolContext) -> Duration {
        self.settings.total_timeout + READING_TIME
    }

    fn shown(&self, args: &Value) -> String {
        args["url"].as_str().map_or_else(|| args.to_string(), str::to_owned)
    }

    /// One site, whatever is fetched from it.
    fn pattern(&self, args: &Value, _context: &ToolContext) -> Option<String> {
        let url = self.fetcher.guard.parse(args["url"].as_str()?).ok()?;
        Some(format!("{NAME} {}/*", crate::hop::origin(&url)))
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async {
            let args: Args<'_> = match arguments::of(NAME, args) {
                Ok(args) => args,
                Err(error) => return ToolOutput::failure(&error),
            };
            tokio::select! {
                biased;
                () = context.cancel.cancelled() => {
                    ToolOutput::failure(&candor_tools::Error::Interrupted { tool: NAME.to_owned() })
                }
                fetched = self.fetch(&args, context) => {
                    fetched.unwrap_or_else(|error| ToolOutput::refused(&error.failure()))
                }
            }
        })
    }
}
