//! Routes one request: parses it, applies injected faults, authenticates the user, and calls the part that answers.
//!
//! The order matters. A fault that refuses, delays or replaces the response comes first, and nothing else of the server
//! runs for a replaced response. Authentication and authorization come before the body is read.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tidings_object::Wire;
use tokio::time::Instant;

use super::{ConnectionRefused, Core, ProtobufResponses, documents};
use crate::auth::User;
use crate::body::{self, ResponseBody};
use crate::fault::{Fault, FaultTarget, StreamFaults, cut_body, replace_bytes};
use crate::read;
use crate::request::accept::{self, ResponseKind};
use crate::request::{Representation, RequestOptions, RequestTarget, ResourcePath, Selection, path, query};
use crate::request_log::RecordedRequest;
use crate::resource::{ResourceDef, ResourceScope, Verb};
use crate::status::{ApiError, StatusCause};
use crate::watch::{self, WatchRequest};
use crate::wire::ProtobufEncoder;

mod resource;

use resource::ResourceRequest;

/// How the caller of a request is identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authentication {
    /// A caller in this process, who needs no token and may do everything.
    Trusted,
    /// By the bearer token in the `Authorization` header.
    BearerToken,
}

/// A request, parsed as far as it is well-formed.
struct ParsedRequest {
    method: Method,
    headers: HeaderMap,
    target: Option<RequestTarget>,
    options: Result<RequestOptions, ApiError>,
    verb: Option<Verb>,
    /// The body, if it was read and may be kept in the request log.
    recorded_body: OnceLock<Bytes>,
    /// The name of the user, once it is known.
    user: OnceLock<String>,
    /// Why the request was refused.
    refusal: OnceLock<String>,
}

/// Answers one request and records it in the request log.
pub(crate) async fn handle<B>(
    core: &Arc<Core>,
    request: Request<B>,
    authentication: Authentication,
) -> Result<Response<ResponseBody>, ConnectionRefused>
where
    B: http_body::Body<Data = Bytes> + Send,
    B::Error: Send,
{
    if core.is_closed() {
        return Err(ConnectionRefused);
    }
    let (parts, sent) = request.into_parts();
    let (path_text, query_text) =
        (parts.uri.path().to_owned(), parts.uri.query().unwrap_or_default().to_owned());
    let parsed = ParsedRequest::new(parts.method, parts.headers, &path_text, &query_text);
    let at = Instant::now();
    let answer = parsed.answer(core, sent, authentication).await;
    if path_text.starts_with(documents::OWN_PATHS) {
        return answer;
    }
    core.request_log.record(RecordedRequest {
        method: parsed.method.to_string(),
        path: path_text,
        query: query_text,
        verb: parsed.verb,
        plural: parsed.plural().unwrap_or_default().to_owned(),
        options: parsed.options.clone().unwrap_or_default(),
        accept: parsed.header(header::ACCEPT).unwrap_or_default().to_owned(),
        content_type: parsed.header(header::CONTENT_TYPE).unwrap_or_default().to_owned(),
        body: parsed.recorded_body.get().cloned(),
        code: answer.as_ref().ok().map(|answer| answer.status().as_u16()),
        user: parsed.user.get().cloned().unwrap_or_default(),
        user_agent: parsed.header(header::USER_AGENT).unwrap_or_default().to_owned(),
        refusal: parsed.refusal.get().cloned().unwrap_or_default(),
        at,
    });
    answer
}

impl ParsedRequest {
    fn new(method: Method, headers: HeaderMap, path_text: &str, query_text: &str) -> Self {
        let target = path::parse(path_text);
        let mut options = query::parse(query_text);
        if let (Some(RequestTarget::Resource(path)), Ok(options)) = (&target, &mut options) {
            options.is_watch |= path.is_watch;
        }
        let is_watch = options.as_ref().is_ok_and(|options| options.is_watch);
        let verb = match &target {
            // The parameter `watch` is ignored on the path of one object, except on the deprecated path `/watch/...`.
            Some(RequestTarget::Resource(path)) => {
                verb(&method, path, is_watch && (path.is_watch || path.name.is_none()))
            }
            _ => None,
        };
        Self {
            method,
            headers,
            target,
            options,
            verb,
            recorded_body: OnceLock::new(),
            user: OnceLock::new(),
            refusal: OnceLock::new(),
        }
    }

    fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn plural(&self) -> Option<&str> {
        match &self.target {
            Some(RequestTarget::Resource(path)) => Some(&path.plural),
            _ => None,
        }
    }

    fn fault_target(&self) -> FaultTarget<'_> {
        let is_streaming_list = self.verb == Some(Verb::Watch)
            && self.options.as_ref().is_ok_and(|options| options.send_initial_events == Some(true));
        FaultTarget { verb: self.verb, plural: self.plural(), is_streaming_list }
    }

    async fn answer<B>(
        &self,
        core: &Arc<Core>,
        sent: B,
        authentication: Authentication,
    ) -> Result<Response<ResponseBody>, ConnectionRefused>
    where
        B: http_body::Body<Data = Bytes> + Send,
        B::Error: Send,
    {
        let faults = core.faults.for_request(&self.fault_target());
        for fault in &faults {
            match fault {
                Fault::Refused => return Err(ConnectionRefused),
                Fault::Delay(delay) => tokio::time::sleep(*delay).await,
                Fault::Hang => {
                    let mut closing = core.closing();
                    let _ = closing.wait_for(|is_closed| *is_closed).await;
                    return Err(ConnectionRefused);
                }
                _ => {}
            }
        }
        let errors = self.error_wire(core);
        let replaced = faults.iter().find_map(|fault| fault_response(fault, errors));
        let mut answer = match replaced {
            Some(answer) => answer,
            None => {
                let core = core.answering(self.verb, self.options.as_ref().ok());
                let answer = self.answer_without_faults(core, sent, authentication, &faults).await;
                answer.unwrap_or_else(|error| self.refused(core, error))
            }
        };
        for fault in &faults {
            answer = match fault {
                Fault::CutBody { after_bytes, ending } => {
                    answer.map(|body| cut_body(body, *after_bytes, *ending))
                }
                Fault::ReplacedBytes { from, to } => answer.map(|body| replace_bytes(body, from, to)),
                _ => answer,
            };
        }
        Ok(answer)
    }

    async fn answer_without_faults<B>(
        &self,
        core: &Arc<Core>,
        sent: B,
        authentication: Authentication,
        faults: &[Fault],
    ) -> Result<Response<ResponseBody>, ApiError>
    where
        B: http_body::Body<Data = Bytes> + Send,
        B::Error: Send,
    {
        let user = match authentication {
            Authentication::Trusted => User::trusted(),
            Authentication::BearerToken => core.authenticate(self.header(header::AUTHORIZATION))?,
        };
        // Each request is answered once, so nothing else has set it.
        let _ = self.user.set(user.name.clone());
        match self.target.as_ref().ok_or_else(ApiError::unknown_path)? {
            RequestTarget::Document(path) if path == documents::REQUESTS => {
                user.check_admin()?;
                let report = core.request_log.report();
                Ok(body::with_type(StatusCode::OK, "text/plain; charset=utf-8", body::full(report)))
            }
            RequestTarget::Document(path) => {
                let found = documents::answer(core, &self.method, path, self.header(header::ACCEPT))?;
                found.ok_or_else(ApiError::unknown_path)
            }
            RequestTarget::Resource(path) => {
                let found = core.registry.find(&path.group, &path.version, &path.plural);
                let mut def = found.ok_or_else(ApiError::unknown_path)?;
                if faults.contains(&Fault::WrongKind) {
                    def = Arc::new(with_wrong_kind(&def));
                }
                let verb = self.verb.ok_or_else(ApiError::method_not_allowed)?;
                check_scope(&def, path, verb)?;
                let name = path.name.as_deref().unwrap_or_default();
                if matches!(name, "." | "..") {
                    return Err(ApiError::bad_request(format!("name may not be '{name}'")));
                }
                user.check(&def, verb, path.namespace.as_deref(), name)?;
                let mut options = self.options.clone()?;
                if let (Verb::Watch, Some(name)) = (verb, &path.name) {
                    options.field_selector = format!("metadata.name={name}");
                }
                let deprecation = def.custom().and_then(|origin| origin.deprecation.clone());
                let request = ResourceRequest { core, user: &user, def, path, options, faults };
                let answer = self.answer_resource(request, sent).await;
                let mut answer = answer.unwrap_or_else(|error| self.refused(core, error));
                if let Some(deprecation) = deprecation {
                    body::warn(&mut answer, &deprecation);
                }
                Ok(answer)
            }
        }
    }

    async fn read(
        &self,
        core: &Arc<Core>,
        def: Arc<ResourceDef>,
        path: &ResourcePath,
        options: RequestOptions,
        faults: &[Fault],
    ) -> Result<Response<ResponseBody>, ApiError> {
        let verb = self.verb.unwrap_or(Verb::Get);
        if !def.allows(verb) {
            return Err(ApiError::method_not_allowed());
        }
        let answered = if verb == Verb::List { ResponseKind::List } else { ResponseKind::Object };
        let representation = self.representation(core, &def, answered)?;
        let namespace = path.namespace.as_deref();
        match (verb, &path.name) {
            (Verb::Get, Some(name)) => {
                let key = key(&def, namespace, name);
                read::get::answer(core, &def, &key, &options, representation).await
            }
            (Verb::Watch, _) => {
                let selection = Selection::of(&def, &options, core.settings.shard_selectors)?;
                let namespace = path.namespace.clone();
                let faults = StreamFaults::new(faults);
                let watch = WatchRequest { def, namespace, options, selection, representation, faults };
                watch::answer(core, watch).await
            }
            _ => read::list::answer(core, &def, namespace, &options, representation).await,
        }
    }

    fn representation(
        &self,
        core: &Core,
        def: &ResourceDef,
        answered: ResponseKind,
    ) -> Result<Representation, ApiError> {
        let offers = |content| ProtobufEncoder::of(def, content, core.settings.protobuf).is_some();
        accept::negotiate(self.header(header::ACCEPT), answered, offers)
    }

    /// The response to a refused request. The request log keeps the reason.
    fn refused(&self, core: &Core, error: ApiError) -> Response<ResponseBody> {
        let _ = self.refusal.set(error.message.clone());
        error.into_response(self.error_wire(core))
    }

    fn error_wire(&self, core: &Core) -> Wire {
        match core.settings.protobuf {
            ProtobufResponses::Refused => Wire::Json,
            _ => accept::error_wire(self.header(header::ACCEPT)),
        }
    }
}

/// The Kubernetes verb of a request, from its method and path.
fn verb(method: &Method, path: &ResourcePath, is_watch: bool) -> Option<Verb> {
    let is_one = path.name.is_some();
    match *method {
        Method::GET | Method::HEAD if is_watch && path.subresource.is_none() => Some(Verb::Watch),
        Method::GET | Method::HEAD if is_one => Some(Verb::Get),
        Method::GET | Method::HEAD => Some(Verb::List),
        Method::POST if !is_one || path.subresource.is_some() => Some(Verb::Create),
        Method::PUT if is_one => Some(Verb::Update),
        Method::PATCH if is_one => Some(Verb::Patch),
        Method::DELETE if is_one => Some(Verb::Delete),
        Method::DELETE => Some(Verb::DeleteCollection),
        _ => None,
    }
}

/// Refuses a path with a namespace for a cluster-wide resource, and one object's path without a namespace for a
/// namespaced one.
fn check_scope(def: &ResourceDef, path: &ResourcePath, verb: Verb) -> Result<(), ApiError> {
    match (def.scope, &path.namespace, &path.name) {
        (ResourceScope::Cluster, Some(_), _) => Err(ApiError::unknown_path()),
        (ResourceScope::Namespaced, None, Some(_)) => Err(ApiError::unknown_path()),
        (ResourceScope::Namespaced, None, None) if !matches!(verb, Verb::List | Verb::Watch) => {
            Err(ApiError::method_not_allowed())
        }
        _ => Ok(()),
    }
}

pub(crate) fn key(def: &ResourceDef, namespace: Option<&str>, name: &str) -> String {
    match (def.scope, namespace) {
        (ResourceScope::Namespaced, Some(namespace)) => format!("{namespace}/{name}"),
        _ => name.to_owned(),
    }
}

async fn read_body<B>(sent: B, bytes_max: usize) -> Result<Bytes, ApiError>
where
    B: http_body::Body<Data = Bytes> + Send,
    B::Error: Send,
{
    let sent = sent.map_err(|_| BodyReadError);
    match Limited::new(sent, bytes_max).collect().await {
        Ok(read_body) => Ok(read_body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::request_too_large(bytes_max)),
        Err(_) => Err(ApiError::bad_request("the body of the request could not be read")),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the connection was lost before the end of the request body")]
struct BodyReadError;

/// The response with which a fault replaces the real one; `None` for faults that do something else.
fn fault_response(fault: &Fault, errors: Wire) -> Option<Response<ResponseBody>> {
    match fault {
        Fault::Status { code, retry_after_seconds } => {
            Some(ApiError::of_code(*code, *retry_after_seconds).into_response(errors))
        }
        Fault::HtmlPage { code } => {
            let code = StatusCode::from_u16(*code).unwrap_or(StatusCode::BAD_GATEWAY);
            let page = format!("<html><body><h1>{code}</h1></body></html>\n");
            Some(body::with_type(code, "text/html", body::full(page)))
        }
        Fault::GarbageBody => {
            Some(body::json(StatusCode::OK, body::full(&b"{\"kind\":\"Po\xff\xfe]}}\n\x00\x01"[..])))
        }
        Fault::JsonBody(json) => Some(body::json(StatusCode::OK, body::full(*json))),
        Fault::RefuseStreamingList => {
            let why = "Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
            let cause = StatusCause::forbidden("sendInitialEvents", why);
            Some(ApiError::invalid("meta.k8s.io", "ListOptions", "", vec![cause]).into_response(errors))
        }
        Fault::ExpireOnOpen => Some(ApiError::of_code(410, None).into_response(errors)),
        _ => None,
    }
}

/// The same resource with another kind, for [`Fault::WrongKind`].
fn with_wrong_kind(def: &ResourceDef) -> ResourceDef {
    let mut def = def.clone();
    def.kind = "Surprise".into();
    def.list_kind = "SurpriseList".into();
    def
}
