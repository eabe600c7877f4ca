//! Answers requests for resources: reads, and writes with their reviews and conversions.

use std::cell::RefCell;
use std::sync::Arc;

use bytes::Bytes;
use http::{Response, header};

use super::{ParsedRequest, key, read_body};
use crate::admission::{self, Admission, ReviewedWrite};
use crate::auth::User;
use crate::body::{self, ResponseBody};
use crate::conversion::Converter;
use crate::fault::Fault;
use crate::read;
use crate::request::accept::ResponseKind;
use crate::request::{RequestOptions, ResourcePath};
use crate::resource::{ResourceDef, Verb};
use crate::server::Core;
use crate::status::ApiError;
use crate::write::{self, WriteRequest};

/// What a write is about, apart from the version of the resource.
#[derive(Clone, Copy)]
struct WriteTarget<'a> {
    core: &'a Arc<Core>,
    user: &'a User,
    path: &'a ResourcePath,
    options: &'a RequestOptions,
    /// The media type of the body.
    content_type: Option<&'a str>,
}

/// A request for a resource, after authentication and authorization.
pub(super) struct ResourceRequest<'a> {
    pub(super) core: &'a Arc<Core>,
    pub(super) user: &'a User,
    pub(super) def: Arc<ResourceDef>,
    pub(super) path: &'a ResourcePath,
    pub(super) options: RequestOptions,
    pub(super) faults: &'a [Fault],
}

impl ParsedRequest {
    /// Answers a request for a resource, in the stored version of it or through a conversion.
    pub(super) async fn answer_resource<B>(
        &self,
        request: ResourceRequest<'_>,
        sent: B,
    ) -> Result<Response<ResponseBody>, ApiError>
    where
        B: http_body::Body<Data = Bytes> + Send,
        B::Error: Send,
    {
        let ResourceRequest { core, user, def, path, options, faults } = request;
        let verb = self.verb.ok_or_else(ApiError::method_not_allowed)?;
        let converter = Converter::of(core, &def);
        if path.subresource.is_none() && matches!(verb, Verb::Get | Verb::List | Verb::Watch) {
            let Some(converter) = converter else { return self.read(core, def, path, options, faults).await };
            let answer = self.read(core, Arc::clone(converter.storage()), path, options, faults).await?;
            return match verb {
                Verb::Watch => Ok(converter.watch(answer)),
                _ => converter.answer(answer).await,
            };
        }
        let bytes = read_body(sent, core.settings.request_bytes_max).await?;
        if let Some(body) = core.request_log.recordable_body(&path.plural, &bytes) {
            // Each request is answered once, so nothing else has set it.
            let _ = self.recorded_body.set(body);
        }
        let content_type = self.header(header::CONTENT_TYPE);
        let target = WriteTarget { core, user, path, options: &options, content_type };
        match converter {
            None => self.write(target, &def, verb, &bytes).await,
            Some(converter) => self.write_converted(target, converter, verb, &bytes).await,
        }
    }

    /// Answers a write in a version that is not the stored one.
    async fn write_converted(
        &self,
        target: WriteTarget<'_>,
        converter: Converter,
        verb: Verb,
        bytes: &Bytes,
    ) -> Result<Response<ResponseBody>, ApiError> {
        let storage = Arc::clone(converter.storage());
        let content_type = target.content_type;
        // A converted body is JSON.
        let converted = WriteTarget { content_type: Some("application/json"), ..target };
        let is_object = matches!(target.path.subresource.as_deref(), None | Some("status"));
        let answer = match verb {
            Verb::Create | Verb::Update if is_object => {
                let sent = write::decoded_body(content_type, bytes)?.value;
                let sent = converter.body_to_storage(sent).await?;
                self.write(converted, &storage, verb, &sent).await?
            }
            Verb::Patch if is_object => {
                let name = target.path.name.as_deref().unwrap_or_default();
                let key = key(&storage, target.path.namespace.as_deref(), name);
                let get = || {
                    let stored = read::get::object(target.core, &storage, &key)?;
                    Ok(write::with_type_meta(&storage, &stored))
                };
                let put = |sent: Bytes| {
                    let storage = &storage;
                    async move { self.write(converted, storage, Verb::Update, &sent).await }
                };
                return converter.patch(content_type.unwrap_or_default(), bytes, get, put).await;
            }
            _ => self.write(target, &storage, verb, bytes).await?,
        };
        converter.answer(answer).await
    }

    /// Answers a write. Webhooks and policies review it in between: see [`crate::admission`].
    async fn write(
        &self,
        target: WriteTarget<'_>,
        def: &ResourceDef,
        verb: Verb,
        sent: &Bytes,
    ) -> Result<Response<ResponseBody>, ApiError> {
        let WriteTarget { core, user, path, options, content_type } = target;
        let answered = if verb == Verb::DeleteCollection { ResponseKind::List } else { ResponseKind::Object };
        let representation = self.representation(core, def, answered)?;
        let (namespace, subresource) =
            (path.namespace.as_deref(), path.subresource.as_deref().unwrap_or_default());
        let reviewed = ReviewedWrite { core, def, user, options, namespace, subresource, verb };
        let mut admission = Admission::of(&reviewed);
        for _ in 0..admission::PASSES_MAX {
            let answer;
            (answer, admission) = {
                let agent = self.header(header::USER_AGENT);
                let mut request = WriteRequest::new(core, def, path, verb, options, user, agent);
                request.admission = RefCell::new(admission);
                let answer = write::answer(&request, content_type, sent, representation);
                (answer, request.admission.into_inner())
            };
            let outcome = match admission.take_pending() {
                None => answer,
                Some(pending) => match admission.resolve(&reviewed, pending).await {
                    Ok(()) => continue,
                    Err(error) => Err(error),
                },
            };
            let mut answer = outcome.unwrap_or_else(|error| self.refused(core, error));
            for warning in &admission.warnings {
                body::warn(&mut answer, warning);
            }
            return Ok(answer);
        }
        Err(ApiError::stale(def, path.name.as_deref().unwrap_or_default()))
    }
}
