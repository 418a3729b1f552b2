//! A server that is there: what it offers, and what it is asked.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    ElicitRequestParams, ElicitResult, ElicitationCapability, FormElicitationCapability,
    GetPromptRequestParams, GetPromptResult, Implementation, JsonObject, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResult, ServerPeerInfo, ServerResult,
    SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceError};
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::error::{Challenge, Error};
use crate::http::innermost;
use crate::offer::{Offer, TOOLS_MAX};
use crate::people::Callers;
use crate::stdio::Child;

/// The most pages of one list: a server may name a next page for ever.
const PAGES_MAX: usize = 200;
/// How much of a server's own words about a failure is repeated.
const REASON_CHARS_MAX: usize = 1500;

/// A server that is there.
pub(crate) struct Connection {
    server: String,
    service: RunningService<RoleClient, Ear>,
    child: Option<Child>,
    callers: Arc<Callers>,
}

/// What we are to a server.
#[derive(Clone)]
pub(crate) struct Ear {
    /// Whose it is.
    pub(crate) server: String,
    /// Who can be asked.
    pub(crate) callers: Arc<Callers>,
    /// Told when the server offers something else than before. However often it says so, it is asked once at a time.
    pub(crate) changed: Arc<Notify>,
}

impl ClientHandler for Ear {
    fn get_info(&self) -> ClientConfig {
        let info = Implementation::new("candor", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        let form = FormElicitationCapability::default();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form));
        ClientConfig::new(capabilities, info).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.callers.answer(&self.server, asked, &context.ct).await)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

/// How long something may take, and who can end it before.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    pub(crate) limit: Duration,
    pub(crate) cancel: &'a CancellationToken,
}

impl Connection {
    pub(crate) fn new(service: RunningService<RoleClient, Ear>, child: Option<Child>) -> Self {
        let Ear { server, callers, .. } = service.service().clone();
        Self { server, service, child, callers }
    }

    /// Whether it can be asked.
    pub(crate) fn is_alive(&self) -> bool {
        !self.service.is_closed() && !self.service.is_transport_closed()
    }

    /// Its process, where it is one.
    pub(crate) fn child(&self) -> Option<&Child> {
        self.child.as_ref()
    }

    /// Whether it speaks the protocol without sessions.
    pub(crate) fn is_stateless(&self) -> bool {
        self.introduction().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Calls one of its tools. Where nobody waits any more, the server is told.
    pub(crate) async fn call(
        &self,
        tool: &str,
        args: JsonObject,
        bounds: Bounds<'_>,
    ) -> Result<CallToolResult, Error> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        self.bounded(tool, bounds, self.service.call_tool(params)).await
    }

    /// Reads one of its resources.
    pub(crate) async fn read(&self, uri: &str, bounds: Bounds<'_>) -> Result<ReadResourceResult, Error> {
        let params = ReadResourceRequestParams::new(uri);
        self.bounded("resources/read", bounds, self.service.read_resource(params)).await
    }

    /// One of its prompts, filled in.
    pub(crate) async fn prompt(
        &self,
        name: &str,
        args: JsonObject,
        bounds: Bounds<'_>,
    ) -> Result<GetPromptResult, Error> {
        let params = GetPromptRequestParams::new(name).with_arguments(args);
        self.bounded("prompts/get", bounds, self.service.get_prompt(params)).await
    }

    /// What it offers. Lists are read leniently: one entry that is wrong says nothing about the others.
    pub(crate) async fn offer(&self, bounds: Bounds<'_>) -> Result<Offer, Error> {
        let Some(info) = self.introduction() else {
            return Err(Error::Protocol {
                server: self.server.clone(),
                reason: "it did not introduce itself".into(),
            });
        };
        let mut offer = Offer {
            server: info
                .server_info
                .as_ref()
                .map(|info| format!("{} {}", info.name, info.version))
                .unwrap_or_default(),
            protocol: info.protocol_version.to_string(),
            instructions: info.instructions.clone(),
            has_resources: info.capabilities.resources.is_some(),
            ..Offer::default()
        };
        if info.capabilities.tools.is_some() {
            self.list(Listing::Tools, bounds, &mut |raw| offer.take_tool(raw)).await?;
        }
        if info.capabilities.prompts.is_some() {
            // What is for people only must not keep the tools away.
            let listed = self.list(Listing::Prompts, bounds, &mut |raw| offer.take_prompt(raw)).await;
            if let Err(error @ (Error::Died { .. } | Error::Interrupted { .. } | Error::TimedOut { .. })) =
                listed
            {
                return Err(error);
            }
        }
        Ok(offer)
    }

    /// Its resources and the patterns of more, as they came.
    pub(crate) async fn resources(&self, bounds: Bounds<'_>) -> Result<Vec<Value>, Error> {
        let mut resources = Vec::new();
        self.list(Listing::Resources, bounds, &mut |raw| resources.push(raw.clone())).await?;
        match self.list(Listing::Templates, bounds, &mut |raw| resources.push(raw.clone())).await {
            // Not every server that has resources knows this question.
            Ok(()) | Err(Error::Call { .. } | Error::Protocol { .. }) => Ok(resources),
            Err(error) => Err(error),
        }
    }

    /// Waits for word that it offers something else, where that has to be asked for.
    pub(crate) async fn listen(&self, changed: &Notify) -> Result<(), ServiceError> {
        let filter = SubscriptionFilter::builder().tools_list_changed().prompts_list_changed().build();
        let mut subscription = self.service.listen(filter).await?;
        while subscription.next().await?.is_some() {
            changed.notify_one();
        }
        Ok(())
    }

    /// Ends it, in good order where it lets us.
    pub(crate) async fn stop(&self) {
        self.service.cancellation_token().cancel();
        if let Some(child) = &self.child {
            child.stop().await;
        }
    }

    fn introduction(&self) -> Option<Arc<ServerPeerInfo>> {
        self.service.peer_info()
    }

    async fn list(
        &self,
        what: Listing,
        bounds: Bounds<'_>,
        take: &mut (dyn FnMut(&Value) + Send),
    ) -> Result<(), Error> {
        let mut cursor: Option<String> = None;
        let mut count = 0;
        for _ in 0..PAGES_MAX {
            let request = what.request(cursor.as_deref());
            let page = self.bounded(what.method(), bounds, self.service.send_request(request)).await?;
            let Some(page) = raw(page) else { return Err(self.odd(what)) };
            let Some(items) = page[what.key()].as_array() else { return Err(self.odd(what)) };
            items.iter().for_each(&mut *take);
            count += items.len();
            let next = page["nextCursor"].as_str().filter(|next| !next.is_empty()).map(str::to_owned);
            if next.is_none() || next == cursor || count > TOOLS_MAX {
                break;
            }
            cursor = next;
        }
        Ok(())
    }

    fn odd(&self, what: Listing) -> Error {
        let reason = format!("what it answered to {} holds no list of {}", what.method(), what.key());
        Error::Protocol { server: self.server.clone(), reason }
    }

    /// Waits for an answer, for a time, as long as anybody wants it. A request that is dropped is cancelled at the server.
    async fn bounded<T>(
        &self,
        tool: &str,
        bounds: Bounds<'_>,
        answer: impl Future<Output = Result<T, ServiceError>>,
    ) -> Result<T, Error> {
        let Bounds { limit, cancel } = bounds;
        let answered = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Error::Interrupted { tool: tool.to_owned() }),
            answered = answer => answered,
            () = self.callers.overdue(limit) => {
                return Err(Error::TimedOut { server: self.server.clone(), tool: tool.to_owned(), limit });
            }
        };
        match answered {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.failed(tool, limit, error).await),
        }
    }

    async fn failed(&self, tool: &str, limit: Duration, error: ServiceError) -> Error {
        let (server, tool) = (self.server.clone(), tool.to_owned());
        match error {
            ServiceError::McpError(error) => Error::Call {
                server,
                tool,
                reason: shortened(&format!("{} ({})", error.message, error.code.0)),
            },
            ServiceError::TransportSend(error) => {
                let reason = innermost(&*error.error);
                if let Some(challenge) = wanted_login(&*error.error) {
                    let reason = "it does not accept the login that we have".to_owned();
                    return Error::Login { server, reason, challenge };
                }
                let how = format!("could not be reached ({})", shortened(&reason));
                Error::Died { server, tool, how, said: self.said() }
            }
            ServiceError::TransportClosed => {
                let how = match &self.child {
                    Some(child) => child.how().await,
                    None => "closed the connection".to_owned(),
                };
                Error::Died { server, tool, how, said: self.said() }
            }
            ServiceError::UnexpectedResponse => {
                Error::Protocol { server, reason: format!("what it answered to {tool} is no such answer") }
            }
            ServiceError::Timeout { .. } => Error::TimedOut { server, tool, limit },
            other => Error::Call { server, tool, reason: shortened(&other.to_string()) },
        }
    }

    fn said(&self) -> String {
        self.child.as_ref().map(Child::said).unwrap_or_default()
    }
}

/// What can be listed.
#[derive(Clone, Copy)]
enum Listing {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl Listing {
    fn request(self, cursor: Option<&str>) -> ClientRequest {
        let params =
            cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned())));
        match self {
            Self::Tools => {
                ClientRequest::ListToolsRequest(ListToolsRequest { params, ..ListToolsRequest::default() })
            }
            Self::Prompts => ClientRequest::ListPromptsRequest(ListPromptsRequest {
                params,
                ..ListPromptsRequest::default()
            }),
            Self::Resources => ClientRequest::ListResourcesRequest(ListResourcesRequest {
                params,
                ..ListResourcesRequest::default()
            }),
            Self::Templates => ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest {
                params,
                ..ListResourceTemplatesRequest::default()
            }),
        }
    }

    fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }
}

/// An answer as it came, whatever it was taken for: one tool that is wrong makes a list something else.
fn raw(answer: ServerResult) -> Option<Value> {
    match answer {
        ServerResult::CustomResult(result) => Some(result.0),
        other => serde_json::to_value(other).ok(),
    }
}

/// What a server says about the login that it wants, if a failure of the transport means that. It may say nothing.
pub(crate) fn wanted_login(error: &(dyn std::error::Error + 'static)) -> Option<Challenge> {
    use rmcp::transport::AuthError;
    use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError};
    let mut error = Some(error);
    while let Some(current) = error {
        let is_refused = matches!(
            current.downcast_ref::<AuthError>(),
            Some(
                AuthError::AuthorizationRequired
                    | AuthError::TokenRefreshRejected(_)
                    | AuthError::TokenExpired
            )
        );
        if is_refused {
            return Some(Challenge(None));
        }
        if let Some(wanted) = current.downcast_ref::<AuthRequiredError>() {
            return Some(Challenge(Some(wanted.www_authenticate_header.clone())));
        }
        if let Some(wanted) = current.downcast_ref::<InsufficientScopeError>() {
            return Some(Challenge(Some(wanted.www_authenticate_header.clone())));
        }
        error = current.source();
    }
    None
}

/// A server's own words, within bounds.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(REASON_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
